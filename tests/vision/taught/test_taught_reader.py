"""What a picture says by itself: another light changes nothing, and what has changed is seen in it all the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.game import Game
from tests.render.scene import Scene
from tests.vision.pictures import photograph, position_after, scene_of, true_views
from tests.vision.reading.test_level_readers import RECIPES
from vision.ground import Picture, ground_of
from vision.reading.level import FEW_COVERED
from vision.reading.scene import COVERED
from vision.taught.taught_reader import TaughtReader

RECIPE = RECIPES["camelot"]
OTHER_LIGHT = {"main": 0.3, "around": 0.7}


def pictures_of(scene: Scene, light: dict[str, float]) -> list[Picture]:
    """Ground pictures of a scene in some light."""
    image = photograph(replace(scene, light=replace(scene.light, **light)))  # type: ignore[arg-type]  # by name
    return [ground_of(view).resample_image(image) for view in true_views(scene)]


def looks_of(game: Game, placement: bytes) -> np.ndarray:
    return np.array([game.look_of[piece] for piece in placement])


def taught() -> tuple[TaughtReader, Game, Scene]:
    """A reader that knows how the start position looks."""
    game, scene = scene_of(RECIPE)
    reader = TaughtReader(game.board, true_views(scene), len(game.looks))
    start = looks_of(game, game.start().placement)
    reader.learn_cells(pictures_of(scene, {}), start, np.ones(len(start), bool))
    return reader, game, scene


@pytest.mark.parametrize("light", [{}, OTHER_LIGHT, {"gain": 0.7}])
def test_another_light_is_no_change(light: dict[str, float]) -> None:
    reader, game, scene = taught()
    start = looks_of(game, game.start().placement)
    reading = reader.read_cells(pictures_of(scene, light), np.ones(len(start), bool), start)
    assert (reading.looks != start).sum() == 0
    assert (reading.unexplained > COVERED).sum() <= FEW_COVERED  # printed castles are like no other cell


@pytest.mark.parametrize("light", [{}, OTHER_LIGHT])
def test_a_ply_is_read_in_whatever_light(light: dict[str, float]) -> None:
    """Though the reader is told that nothing was played."""
    reader, game, _ = taught()
    start = looks_of(game, game.start().placement)
    after = position_after(game, 2, 1)
    _, shown = scene_of(RECIPE, after)
    now = looks_of(game, after.placement)
    reading = reader.read_cells(pictures_of(shown, light), np.ones(len(start), bool), start)
    moved = np.flatnonzero(now != start)
    assert len(moved) >= 4
    assert [game.board.cells[c] for c in np.flatnonzero(reading.looks != now)] == []
    rows = reading.scores[moved]
    lead = rows[np.arange(len(moved)), now[moved]] - rows[np.arange(len(moved)), start[moved]]
    assert lead.min() > 3


@pytest.mark.parametrize("name", ["F1", "G16"])
def test_a_piece_is_known_on_a_castle_where_none_has_stood(name: str) -> None:
    """What it looks like there is borrowed from other floors, and may differ."""
    reader, game, _ = taught()
    start = looks_of(game, game.start().placement)
    cell, knight = game.board.index[name], game.board.index["C11"]
    placed = bytearray(game.start().placement)
    placed[cell], placed[knight] = placed[knight], 0
    _, shown = scene_of(RECIPE, replace(game.start(), placement=bytes(placed)))
    reading = reader.read_cells(pictures_of(shown, {}), np.ones(len(start), bool), start)
    assert reading.looks[cell] == start[knight]
    assert reading.unexplained[cell] < COVERED


@pytest.mark.parametrize("light", [{}, OTHER_LIGHT])
@pytest.mark.parametrize("name", ["2C3", "2C6"])
def test_the_first_piece_of_a_side_on_a_level_is_known_by_those_on_others(name: str, light: dict[str, float]) -> None:
    """No light man has stood on the topmost level, no dark one on the lowest: either was like nothing there."""
    recipe = RECIPES["cam-3d"]
    game, scene = scene_of(recipe)
    reader = TaughtReader(game.board, true_views(scene), len(game.looks))
    start, everywhere = looks_of(game, game.start().placement), np.ones(len(game.board.cells), bool)
    reader.learn_cells(pictures_of(scene, {}), start, everywhere)
    origin, target = game.board.index[name], game.board.index[{"2C3": "3C3", "2C6": "1C5"}[name]]
    placed = bytearray(game.start().placement)
    placed[target], placed[origin] = placed[origin], 0
    _, shown = scene_of(recipe, replace(game.start(), placement=bytes(placed)))
    assert not reader.knows_looks(start[[origin] * len(start)])[target]
    reading = reader.read_cells(pictures_of(shown, light), everywhere, start)
    assert reading.looks[target] == start[origin]
    assert reading.unexplained[target] < COVERED


def test_a_cell_that_is_not_clear_says_nothing() -> None:
    reader, game, scene = taught()
    start = looks_of(game, game.start().placement)
    clear = np.ones(len(start), bool)
    clear[3] = False
    reading = reader.read_cells(pictures_of(scene, {}), clear, start)
    assert not reading.changed[3]
    assert reading.unexplained[3] == 0
