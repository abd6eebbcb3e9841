"""What is learned from the start position: the floor under the pieces, how high they are, and both in new light."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.render.script import Recipe, stage_of
from tests.tools.bench_vision import drawn_recipe
from tests.vision.pictures import before_and_after, eyes_on, photograph, scene_of, true_views
from vision.eyes import Eyes
from vision.ground import SAMPLES_PER_CELL

THREE_LEVELS = Recipe(game="cam-3d", look="blue", pieces="yellow_blue", light="day", seed=9664, size_wh=(1280, 960))
FROM_CORNER = replace(THREE_LEVELS, shape="cone", elevation=47.3, azimuth=-49.8)
"""Some pieces' cells cannot be seen at all, and the knights lean over the frame."""
SHADOWED = 50.0
"""Grey levels; what differs more is no shadow."""


def floor_off(eyes: Eyes, recipe: Recipe) -> tuple[np.ndarray, np.ndarray]:
    """How unlike the empty board the learned floor is: each cell in grey levels; beside, each level's share far off."""
    _, scene = scene_of(recipe)
    empty = photograph(replace(scene, pieces=()))
    cells, beside = [], []
    for reader in eyes._readers:  # what was learned is not shown elsewhere
        shape = (*reader.ground.shape, 3)
        off = np.abs(reader.floor.colour.reshape(shape) - reader.ground.take(empty).reshape(shape)).mean(axis=-1)
        covered = ~reader.floor.known.reshape(shape[:2])
        for x, y in reader.floor._tiles:
            cells.append(float(np.median(off[y : y + SAMPLES_PER_CELL, x : x + SAMPLES_PER_CELL])))
            covered[y : y + SAMPLES_PER_CELL, x : x + SAMPLES_PER_CELL] = False
        beside.append(float((off[covered] > SHADOWED).mean()) if covered.any() else 0.0)
    return np.array(cells), np.array(beside)


def test_cells_of_which_nothing_is_seen_follow_the_pattern() -> None:
    game, scene = scene_of(FROM_CORNER)
    cells, _ = floor_off(eyes_on(game, scene), FROM_CORNER)
    assert [game.board.cells[c] for c in np.flatnonzero(cells > 20)] == []


def test_the_frame_of_the_board_goes_on_under_the_pieces() -> None:
    soft = replace(FROM_CORNER, light="office")
    game, scene = scene_of(soft)
    _, beside = floor_off(eyes_on(game, scene), soft)
    assert beside.max() < 0.15


def test_lines_of_cells_are_not_smeared_over_what_is_beside_them() -> None:
    """Under the heads of the pieces in drawn game 12280 the floor was dark: a step of white on white was not seen."""
    recipe = replace(drawn_recipe(12280), plies=0)
    game, scene = scene_of(recipe)
    _, beside = floor_off(eyes_on(game, scene), recipe)
    assert beside[0] < 0.05


def test_all_levels_together_tell_how_high_the_pieces_are() -> None:
    """Knights are 1.0 high in the drawings and men 0.7; most of a knight is hidden at the start."""
    game, scene = scene_of(FROM_CORNER)
    eyes = eyes_on(game, scene)
    outlines = [reader._outlines for reader in eyes._readers]
    assert outlines[0] == outlines[1] == outlines[2]
    heights = {game.codes[piece]: height for piece, (_, height) in outlines[0].items()}
    assert 0.7 < heights["WN"] <= 1.1
    assert 0.5 < heights["WM"] < heights["WN"]


@pytest.mark.parametrize("factors", [{"main": 0.25, "around": 0.85}, {"main": 2.0, "around": 1.3}])
def test_a_piece_is_known_again_in_new_light(factors: dict[str, float]) -> None:
    recipe = Recipe(look="green", pieces="white_black", seed=9810, size_wh=(960, 720))
    game, scene = scene_of(recipe)
    eyes = eyes_on(game, scene)
    light = replace(scene.light, **{name: getattr(scene.light, name) * by for name, by in factors.items()})
    gone = game.board.index["E6"]
    number = [c for c, piece in enumerate(game.start().placement) if piece].index(gone)
    shown = replace(scene, light=light, pieces=scene.pieces[:number] + scene.pieces[number + 1 :])
    eyes.read(photograph(shown))
    standing = eyes.standing()
    there = np.array([piece > 0 for piece in game.start().placement])
    assert not standing[gone]
    assert not standing[~there].any()
    assert standing[there].sum() >= there.sum() - 3


def test_a_bump_while_the_lamp_goes_on() -> None:
    _, scene = scene_of(FROM_CORNER)
    dark = replace(scene.light, main=scene.light.main * 0.25, around=scene.light.around * 0.85)
    game, _ = scene_of(FROM_CORNER)
    eyes = eyes_on(game, replace(scene, light=dark))
    bumped = replace(scene, camera=scene.camera.turned(np.array([0.004, -0.005, 0.006]), np.array([0.05, 0.04, 0.0])))
    moved = eyes.find_again(photograph(bumped))
    assert moved is not None
    assert moved.fit is not None
    for found, true in zip(eyes.views, true_views(bumped), strict=True):
        assert np.linalg.norm(np.array(found.corners_px) - np.array(true.corners_px), axis=1).max() < 3


def test_a_hand_that_rested_leaves_no_trace_in_what_is_learned_after_it() -> None:
    """A look at a hand once left its mark on pieces that were not looked at again before the board was learned."""
    recipe = Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=(960, 720))
    game, scene = scene_of(recipe)
    clear, pieces = photograph(scene), list(game.start().placement)
    hand = clear.copy()
    hand[250:, 300:600] = (120, 150, 190)
    without = photograph(replace(scene, pieces=scene.pieces[1:]))
    scores = []
    for shown in ((clear,), (hand, clear)):
        eyes = eyes_on(game, scene)
        for image in shown:
            eyes.read(image)
        eyes.learn(clear, pieces)
        scores.append(eyes.read(without).scores)
    assert np.array_equal(*scores)


def test_in_new_light_a_piece_is_known_on_a_board_where_its_like_never_stood() -> None:
    """Only what had been learned on the same board once followed the lamp: a dark knight was white there."""
    game, scene = scene_of(THREE_LEVELS)
    eyes = eyes_on(game, scene)
    light = replace(scene.light, main=scene.light.main * 0.25, around=scene.light.around * 0.5)
    eyes.read(photograph(replace(scene, light=light)))
    eyes.adopt_light(np.zeros(len(game.board.cells), bool))
    eyes.learn(photograph(replace(scene, light=light)), list(game.start().placement))
    for lent_to, reader in enumerate(eyes._readers):
        for piece, template in reader.templates.items():
            solid = template.solid > 0.5
            learned = [other.templates[piece].mean[solid] for other in eyes._readers if piece in other._studied]
            assert abs(template.mean[solid].mean() / np.mean(learned) - 1) < 0.3, (lent_to, game.codes[piece])


@pytest.mark.parametrize(("seed", "note"), [(13012, "light on"), (12975, "light fading")])
def test_white_cells_that_are_overexposed_are_not_strange_in_another_light(seed: int, note: str) -> None:
    """The camera shows neither what was 305 as more than 255, nor by how much what was 255 was brighter."""
    eyes, _ = before_and_after(seed, note)
    stage, _ = stage_of(drawn_recipe(seed))
    first = next(n for n, frame in enumerate(stage.frames) if frame.note == note)
    other = next(n for n, frame in enumerate(stage.frames) if n >= first and stage.frames[n + 1].kind == "moving")
    reading = eyes.read(photograph(stage.frames[other].scene))
    assert int((reading.strange > 0.45).sum()) <= 2
