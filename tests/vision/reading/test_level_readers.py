"""What eyes read in rendered pictures is what stands there, whatever the board, the light and the bump."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.examples import choose_rows
from tests.render.scene import Scene, cell_xy, look_from
from tests.render.script import Recipe
from tests.vision.pictures import eyes_on, photograph, position_after, scene_of, true_views
from vision.ground import ground_of
from vision.reading.level import Reader, Reading
from vision.reading.level_readers import LevelReaders

RECIPES = {
    "camelot": Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=(960, 720)),
    "tri-camelot": Recipe(game="tri-camelot", look="lines", light="office", seed=4, size_wh=(960, 720)),
    "cam-3d": Recipe(game="cam-3d", look="green", light="office", seed=5, size_wh=(1280, 960)),
    "camblam": Recipe(game="camblam", look="blue", light="office", seed=6, size_wh=(960, 720)),
}

FEW_OF_A_COLOUR = replace(RECIPES["tri-camelot"], look="walnut")
"""At the start only three hexagons of the darker colour are wholly free."""


def pieces_of(recipe: Recipe, plies: int, seed: int, scene: Scene) -> tuple[Scene, np.ndarray]:
    """The scene after some random play, everything put down anew, and the look of each cell."""
    game, _ = scene_of(recipe)
    position = position_after(game, plies, seed)
    _, other = scene_of(replace(recipe, seed=recipe.seed), position)
    looks = np.array([game.look_of[piece] for piece in position.placement])
    return replace(scene, pieces=other.pieces, seed=seed), looks


def learned(recipe: Recipe) -> tuple[LevelReaders, Scene]:
    game, scene = scene_of(recipe)
    return eyes_on(game, scene), scene


def mistaken(eyes: LevelReaders, reading: Reading, looks: np.ndarray) -> list[str]:
    """Cells read wrong, by name."""
    return [eyes.board.cells[c] for c in np.flatnonzero(reading.looks != looks)]


@pytest.mark.parametrize("recipe", [*RECIPES.values(), FEW_OF_A_COLOUR], ids=[*RECIPES, "few free cells of a colour"])
def test_what_stands_there_is_read(recipe: Recipe) -> None:
    eyes, scene = learned(recipe)
    wrong = []
    for seed in (1, 2):
        shown, looks = pieces_of(recipe, 12, seed, scene)
        reading = eyes.read_image(photograph(shown))
        assert reading.scores.shape == (len(eyes.board.cells), int(looks.max()) + 1)
        wrong += mistaken(eyes, reading, looks)
    assert len(wrong) <= 1, wrong


def test_the_same_picture_is_unchanged() -> None:
    eyes, scene = learned(RECIPES["camelot"])
    reading = eyes.read_image(photograph(replace(scene, seed=9)))
    assert reading.changed.mean() < 0.03
    assert abs(reading.light - 1) < 0.02


@pytest.mark.parametrize("factors", [{"gain": 0.75}, {"main": 0.4, "around": 0.8}])
def test_another_light_shows_the_same(factors: dict[str, float]) -> None:
    eyes, scene = learned(RECIPES["camelot"])
    shown, looks = pieces_of(RECIPES["camelot"], 10, 3, scene)
    shown = replace(shown, light=replace(scene.light, **factors))  # type: ignore[arg-type]  # strengths by name
    reading = eyes.read_image(photograph(shown))
    assert len(mistaken(eyes, reading, looks)) <= 1
    assert eyes.light_changed


def test_a_warmer_light_shows_the_same() -> None:
    eyes, scene = learned(RECIPES["camelot"])
    shown, looks = pieces_of(RECIPES["camelot"], 10, 4, scene)
    light = scene.light
    blue, green, red = light.main_bgr
    warm = replace(light, main_bgr=(blue * 0.8, green * 0.95, red * 1.05))
    reading = eyes.read_image(photograph(replace(shown, light=warm)))
    assert len(mistaken(eyes, reading, looks)) <= 1


def test_a_bump_is_followed() -> None:
    eyes, scene = learned(RECIPES["camelot"])
    bumped = replace(scene, camera=scene.camera.turned(np.array([0.004, -0.005, 0.006]), np.array([0.05, 0.04, 0.0])))
    shift = np.linalg.norm(np.array(true_views(bumped)[0].corners_px) - np.array(eyes.views[0].corners_px), axis=1)
    assert shift.min() > 2
    image = photograph(bumped)
    eyes.read_image(image)
    moved = eyes.find_again(image)
    assert moved is not None
    assert moved.fit is not None
    apart = np.linalg.norm(np.array(true_views(bumped)[0].corners_px) - np.array(eyes.views[0].corners_px), axis=1)
    assert apart.max() < 1.5
    shown, looks = pieces_of(RECIPES["camelot"], 8, 5, bumped)
    assert len(mistaken(eyes, eyes.read_image(photograph(shown)), looks)) <= 1


@pytest.mark.parametrize("seed", choose_rows([0, 3, 10, 11], 2))
def test_each_level_is_followed_by_itself(seed: int) -> None:
    """Three levels lie far apart in the picture: what the first one did says little of where the others are."""
    recipe = replace(RECIPES["cam-3d"], look="dark", elevation=45.0)
    eyes, scene = learned(recipe)
    shown, _ = pieces_of(recipe, 6, seed, scene)
    rng = np.random.default_rng(seed)
    bumped = replace(shown, camera=scene.camera.turned(rng.normal(0, 0.006, 3), rng.normal(0, 0.06, 3)))
    moved = eyes.find_again(photograph(bumped))
    assert moved is not None
    assert moved.fit is not None
    for level, (found, true) in enumerate(zip(eyes.views, true_views(bumped), strict=True)):
        cells = np.array([xy for xy, v in zip(eyes.board.centres_xy, eyes.board.levels, strict=True) if v == level])
        off = np.linalg.norm(found.project_points(cells) - true.project_points(cells), axis=1) / true.pitch_px(cells)
        assert off.max() < 0.15, level


def test_a_board_that_stayed_is_not_moved() -> None:
    eyes, scene = learned(RECIPES["camelot"])
    assert eyes.find_again(photograph(replace(scene, seed=7))) is None


def test_a_camera_turned_away_is_noticed() -> None:
    eyes, scene = learned(RECIPES["camelot"])
    grey = np.full_like(photograph(scene), 120)
    moved = eyes.find_again(grey)
    assert moved is not None
    assert moved.fit is None


def test_a_hand_that_rested_leaves_no_trace_in_what_is_learned_after_it() -> None:
    """A look at a hand once left its mark on pieces that were not looked at again before the board was learned."""
    game, scene = scene_of(RECIPES["camelot"])
    clear, pieces = photograph(scene), list(game.start().placement)
    hand = clear.copy()
    hand[250:, 300:600] = (120, 150, 190)
    without = photograph(replace(scene, pieces=scene.pieces[1:]))
    scores = []
    for shown in ((clear,), (hand, clear)):
        eyes = eyes_on(game, scene)
        for image in shown:
            eyes.read_image(image)
        eyes.learn_pieces(clear, pieces)
        scores.append(eyes.read_image(without).scores)
    assert np.array_equal(*scores)


def test_looks_of_a_piece_come_from_another_level() -> None:
    """In Cam 3-D only one side starts on the top level; the other is known there from elsewhere."""
    game, scene = scene_of(RECIPES["cam-3d"])
    looks = np.array([game.look_of[p] for p in game.start().placement])
    levels = np.array(game.board.levels)
    assert any(len(set(looks[levels == level]) - {0}) == 1 for level in set(levels))
    eyes = eyes_on(game, scene)
    scores = eyes.read_image(photograph(replace(scene, pieces=()))).scores
    assert scores.min() > -1e4


def test_floor_and_looks_are_carried_to_another_camera() -> None:
    recipe = RECIPES["camelot"]
    game, scene = scene_of(recipe)
    view = true_views(scene)[0]
    lattice = np.array([(f, r) for f, r, _ in game.board.lattice])
    placed = list(game.start().placement)
    picture = ground_of(view).resample_image(photograph(scene))
    reader = Reader(view, np.array(game.board.centres_xy), lattice, game.look_of, picture, placed)
    shown, looks = pieces_of(recipe, 12, 6, scene)
    camera = look_from(game.board, 62.0, 35.0, 50.0, size_wh=recipe.size_wh, seed=9)
    elsewhere = replace(shown, camera=camera)
    reading = reader.seen_from(true_views(elsewhere)[0]).read_afresh(photograph(elsewhere))
    assert (reading.looks != looks).sum() <= 2


@pytest.mark.parametrize("aside", [0.05, 0.38])
def test_how_far_off_the_middle_a_piece_was_put_down(aside: float) -> None:
    """The engine asks about a piece at the edge of its cell: a hand may have pushed it there."""
    eyes, scene = learned(RECIPES["camelot"])
    board = eyes.board
    origin, target = (np.array(cell_xy(board, board.index[name])) for name in ("F7", "F8"))
    man = min(scene.pieces, key=lambda one: float(np.hypot(*(np.array(one.xyz[:2]) - origin))))
    x, y = target + np.array([aside, 0.0])
    moved = replace(man, xyz=(float(x), float(y), man.xyz[2]))
    shown = replace(scene, pieces=tuple(moved if one is man else one for one in scene.pieces))
    reading = eyes.read_image(photograph(shown))
    assert reading.looks[board.index["F8"]] == eyes._readers[0].look_of[eyes.learned_pieces[board.index["F7"]]]
    assert reading.offset_cells[board.index["F8"]] == pytest.approx(aside, abs=0.1)
    assert set(np.flatnonzero(reading.offset_cells > 0.2).tolist()) <= {board.index["F8"]}
