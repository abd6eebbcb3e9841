"""Under an arm no more is read than what can be believed then: a piece that was lifted, a move made elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from vision.reach import Surroundings
from vision.sparing import worth_asking

from tests.render.scene import Hand, Scene, cell_xy
from tests.render.script import Recipe
from tests.vision.pictures import eyes_on, photograph, scene_of, true_views
from vision.eyes import Eyes
from vision.floor import Flags

GAME, BARE = scene_of(Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=(960, 720)))
CELLS = GAME.board.cells
WHITE = np.array([GAME.seat_of[piece] == 0 for piece in GAME.start().placement])


def at(name: str) -> np.ndarray:
    """The middle of a cell."""
    return np.array(cell_xy(GAME.board, GAME.board.index[name]))


def put(scene: Scene, origin: str, target: str = "") -> Scene:
    """The piece that stands nearest to `origin` goes to another cell, or into the air."""
    gone = min(scene.pieces, key=lambda one: float(np.hypot(*(np.array(one.xyz[:2]) - at(origin)))))
    rest = tuple(one for one in scene.pieces if one is not gone)
    if not target:
        return replace(scene, pieces=rest)
    x, y = at(target)
    return replace(scene, pieces=(*rest, replace(gone, xyz=(float(x), float(y), gone.xyz[2]))))


def glanced(scene: Scene, hand_at: str) -> tuple[Eyes, Flags, Flags | None]:
    """Eyes that glanced at a scene with a hand over a cell, what differs for them, and what they should read."""
    x, y = at(hand_at)
    arm = Hand((float(x), float(y), 1.5), 0.0, skin=(120, 150, 200), sleeve=(60, 40, 30))
    eyes, seen = eyes_on(GAME, BARE), Surroundings(GAME.board)
    seen.clear(seen.over(photograph(BARE), true_views(BARE), 0.0))
    image = photograph(replace(scene, hand=arm))
    eyes.glance(image)
    near = np.array(seen.over(image, true_views(BARE), 1.0).near, bool)
    assert near[GAME.board.index[hand_at]]
    return eyes, eyes.differs(), worth_asking(eyes, eyes.differs(), WHITE, near)


def test_what_an_arm_hides_is_not_read() -> None:
    eyes, differs, asked = glanced(BARE, "I9")
    assert differs.sum() > 8
    assert asked is not None
    assert asked.sum() == 0
    assert (eyes.explained(asked).strange[differs] == 1).all()


@pytest.mark.parametrize("hand_at", ["H9", "G12"])
def test_a_piece_that_was_lifted_is_read_and_what_is_beside_it(hand_at: str) -> None:
    eyes, differs, asked = glanced(put(BARE, "F7"), hand_at)
    index = GAME.board.index["F7"]
    assert asked is not None
    assert asked[index]
    assert asked.sum() <= 9
    assert asked.sum() < differs.sum()
    reading = eyes.explained(asked)
    assert reading.looks[index] == 0
    assert reading.strange[index] < 0.2


def test_a_move_away_from_the_arm_is_read_with_everything() -> None:
    _, _, asked = glanced(put(BARE, "F7", "E8"), "K12")
    assert asked is None
