"""What of a cell may be covered by a piece of the next one, from a camera that hangs over the board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.game import Game
from tests.render.script import Recipe
from tests.vision.filmed import added
from tests.vision.pictures import photograph, scene_of, true_views
from vision.reading.footprint import TALLEST
from vision.reading.level import Reader
from vision.reading.level_readers import LevelReaders
from vision.sight.bare import LEAST_CLEAR, ShareTowardsLook
from vision.sight.leaning import TALLER, clear_of_others, find_leaned_over
from vision.sight.start import CLEAR_APART, measure_standing, result_of

RECIPE = Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=(960, 720), elevation=80.0)
STANDS, BEHIND, BEFORE = "F7", "F8", "F5"
"""A piece, and cells farther from the camera and nearer to it than the pieces around."""


def reader_of(*, height: float) -> tuple[Game, Reader]:
    """Who reads the start position, as if all pieces were so high."""
    game, scene = scene_of(RECIPE)
    eyes = LevelReaders(game.board, true_views(scene), game.look_of, photograph(scene), list(game.start().placement))
    _, reader = eyes.level_readers[0]
    reader.outlines = dict.fromkeys(reader.outlines, (0.3, height))
    return game, reader


def clear(height: float, name: str, taller: float = 1.0, stands: str = STANDS) -> float:
    """Which share of a cell's base nothing can lean over while one piece stands on the board."""
    game, reader = reader_of(height=height)
    pieces = np.zeros(len(game.board.cells), np.int64)
    if stands:
        pieces[game.board.index[stands]] = 1
    return float(clear_of_others(reader, pieces, taller)[game.board.index[name]].mean())


def test_nothing_leans_on_a_board_without_pieces() -> None:
    assert clear(TALLEST, BEHIND, stands="") == 1.0


def test_a_piece_leans_away_from_the_camera_and_the_higher_the_farther() -> None:
    assert clear(0.3, BEHIND) == 1.0
    assert clear(TALLEST, BEFORE) == 1.0
    shares = [clear(TALLEST, BEHIND, taller) for taller in (*TALLER, 3.0)]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < shares[0]


def test_only_what_is_as_high_as_any_outline_may_be_higher() -> None:
    assert clear(TALLEST - 0.1, BEHIND, 3.0) == clear(TALLEST - 0.1, BEHIND)


def test_at_the_far_edge_pieces_lean_more_than_in_the_middle() -> None:
    game, reader = reader_of(height=TALLEST)
    far, near = (np.linalg.norm(reader.centres_xy[game.board.index[n]] - reader.prints.foot_xy) for n in ("F15", "F2"))
    assert far > near
    assert clear(TALLEST, "F16", 3.0, stands="F15") < clear(TALLEST, "F3", 3.0, stands="F2")


@pytest.mark.parametrize("more", [False, True])
def test_the_clear_part_tells_whether_something_stands_there(more: bool) -> None:
    """Beside a high piece a cell is bare where nothing can lean over it, unless a piece stands there."""
    game, scene = scene_of(replace(RECIPE, scale=1.5))
    beside = "H12"  # the far half of the board leans more
    shown = added(game, scene, "H11", beside) if more else scene
    placed = np.array(list(game.start().placement))
    eyes = LevelReaders(game.board, true_views(scene), game.look_of, photograph(shown), placed.tolist())
    _, reader = eyes.level_readers[0]
    reader.outlines = dict.fromkeys(reader.outlines, (0.3, TALLEST))
    found: ShareTowardsLook = result_of(measure_standing(reader, placed)).towards
    cell = game.board.index[beside]
    assert any(LEAST_CLEAR <= clear_of_others(reader, placed, t)[cell].mean() < 1 for t in TALLER)
    apart = np.nanmin(found.clear[cell])
    assert apart > 3 * CLEAR_APART if more else apart < CLEAR_APART
    assert np.isnan(found.clear[placed > 0]).all()


@pytest.mark.parametrize(("height", "leaned"), [(0.1, set()), (TALLEST, {"F8"})])
def test_only_a_high_piece_that_has_come_leans_over_the_cell_behind_it(height: float, leaned: set[str]) -> None:
    """A king's head was taken for a piece on the empty cell behind it, and a lawful ply was called unlawful."""
    game, scene = scene_of(replace(RECIPE, elevation=45.0))
    start = list(game.start().placement)
    eyes = LevelReaders(game.board, true_views(scene), game.look_of, photograph(scene), start)
    for _, reader in eyes.level_readers:
        reader.outlines = dict.fromkeys(reader.outlines, (0.3, height))
    came = np.zeros(len(start), np.int64)
    assert not find_leaned_over(eyes.level_readers, came).any()
    came[game.board.index[STANDS]] = 1
    found = find_leaned_over(eyes.level_readers, came)
    assert {game.board.cells[cell] for cell in np.flatnonzero(found)} == leaned
