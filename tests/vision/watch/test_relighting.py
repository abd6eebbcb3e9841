"""In new light what stands where it stood is learned, and what has gone meanwhile is left to be judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.match.referee import new_match
from tests.render.scene import Scene, cell_xy
from tests.vision.pictures import eyes_on, photograph, scene_of
from tests.vision.reading.test_level_readers import RECIPES
from vision.reading.level_readers import LevelReaders
from vision.watch.relighting import not_to_learn

GAME, SCENE = scene_of(RECIPES["camelot"])
GONE = "F7"


@pytest.fixture
def eyes() -> LevelReaders:
    return eyes_on(GAME, SCENE)


def left_out(eyes: LevelReaders, scene: Scene, gain: float) -> list[str]:
    """The cells that are not learned from the look at a scene in that light."""
    image = photograph(replace(scene, light=replace(scene.light, gain=gain)))
    reading = eyes.read_image(image)
    assert eyes.light_changed
    flags = not_to_learn(replace(new_match(GAME), ready=True), eyes, reading, hands=False)
    return [GAME.board.cells[c] for c in np.flatnonzero(flags)]


def test_all_of_a_start_that_nobody_touched_is_learned_in_new_light(eyes: LevelReaders) -> None:
    assert left_out(eyes, SCENE, 0.6) == []


def test_a_piece_that_went_with_the_light_is_not_learned_as_if_it_stood_there(eyes: LevelReaders) -> None:
    x, y = cell_xy(GAME.board, GAME.board.index[GONE])
    pieces = tuple(one for one in SCENE.pieces if np.hypot(one.xyz[0] - x, one.xyz[1] - y) > 0.5)
    assert len(pieces) == len(SCENE.pieces) - 1
    assert GONE in left_out(eyes, replace(SCENE, pieces=pieces), 0.6)
