"""Arms make the cells near them unclear, and nothing else does: not a piece, not what moves beside the table."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.render import cheap
from tests.render.scene import Cup, Hand, Scene, corners
from tests.vision.filmed import (
    FPS,
    SIZE_WH,
    SKIN,
    SLEEVE,
    Sat,
    added,
    at,
    board,
    clean,
    grainy,
    handed,
    named,
    put,
    sat,
)
from vision.ground import Image
from vision.sight.occluders import REST_S, BoardBlocks, Occluded, find_occluders
from vision.sight.seeing import SeenBoard
from vision.sight.stillness import Flags

GAME, SCENE = board()
SIDES = {"the last file": 0.0, "the last rank": 90.0, "the first file": 180.0}


def under(scene: Scene) -> Flags:
    """(cells,) those whose middle the hand hides from the camera."""
    labels = cheap.render(scene).labels
    middles = SCENE.camera.project(np.array([[*at(GAME, name), 0.0] for name in GAME.board.cells])).round().astype(int)
    return np.asarray(labels[middles[:, 1], middles[:, 0]] == cheap.HAND_LABEL)


@pytest.mark.parametrize("from_deg", SIDES.values(), ids=SIDES)
def test_an_arm_makes_the_cells_near_it_unclear(from_deg: float) -> None:
    here, resting = sat(GAME, SCENE), handed(GAME, SCENE, "F9", from_deg=from_deg)
    seen = here.show(resting, 2.0)
    assert seen.hands
    assert under(resting).any()
    assert named(GAME, under(resting) & seen.readable & ~seen.reached) == []


@pytest.mark.parametrize("from_deg", [0.0, 90.0])
def test_cells_away_from_an_arm_are_seen(from_deg: float) -> None:
    """A hand over one end of the board says nothing against the other."""
    here = sat(GAME, SCENE)
    seen = here.show(handed(GAME, SCENE, "H12", from_deg=from_deg), 1.0)
    rows = np.array([int(cell[1:]) for cell in GAME.board.cells])
    assert seen.readable[rows <= 7].all()
    assert not seen.reached[rows <= 7].any()


def test_a_hand_that_moves_makes_what_is_under_it_unreadable() -> None:
    here = sat(GAME, SCENE)
    for step in range(12):
        seen = here.show(handed(GAME, SCENE, "FGHI"[step % 4] + "9"), 1 / FPS)
    assert seen.hands
    assert not seen.readable[[here.index(name) for name in ("F9", "G9", "H9", "I9")]].any()


@pytest.mark.parametrize("target", ["F8", "H9", "C5"])
def test_a_new_piece_is_no_arm(target: str) -> None:
    """It comes to the middle of the board, where nothing hangs together with the rim."""
    here = sat(GAME, SCENE)
    seen = here.show(added(GAME, SCENE, "F7", target), 1.0)
    assert not seen.hands
    assert seen.readable.all()
    assert not seen.reached.any()
    assert seen.touched[here.index(target)]


def test_pieces_that_were_taken_off_are_no_arm() -> None:
    here = sat(GAME, SCENE)
    without = put(GAME, put(GAME, SCENE, "F7"), "G10")
    seen = here.show(without, 1.0)
    assert not seen.hands
    assert seen.readable.all()


def outside() -> np.ndarray:
    """(h, w) pixels that show nothing of what is watched: the board and two cells around."""
    rim = SCENE.camera.project(corners(GAME.board, 2.3))
    mask = np.zeros(SIZE_WH[::-1], np.uint8)
    cv2.fillConvexPoly(mask, cv2.convexHull(rim.round().astype(np.int32)), 1)
    return mask == 0


@settings(max_examples=4, deadline=None, derandomize=True)
@given(st.integers(0, 99), st.integers(4, 40))
def test_what_moves_farther_away_changes_nothing(colour: int, width: int) -> None:
    here, away, image = sat(GAME, SCENE), outside(), clean(SCENE)
    assert away.mean() > 0.1
    for step in range(10):
        shown = image.copy()
        column = (37 * step) % (SIZE_WH[0] - width)
        part = away[:, column : column + width]
        shown[:, column : column + width][part] = colour
        seen = here.show(shown, 1 / FPS)
        assert not seen.hands
        assert seen.readable.all()
        assert not seen.touched.any()


def test_an_arm_that_has_rested_for_long_is_no_arm() -> None:
    """No hand rests so long without stirring: it is a thing that lies there."""
    here = sat(GAME, SCENE)
    resting = handed(GAME, SCENE, "F9")
    states: list[SeenBoard] = list(here.each(resting, REST_S + 3.0))
    times = np.arange(1, len(states) + 1) / FPS
    reached = np.array([bool(seen.reached.any()) for seen in states])
    assert reached[(times > 0.5) & (times < REST_S - 0.5)].all()
    assert not reached[times > REST_S + 1.0].any()


def test_the_same_arm_stirring_stays_an_arm() -> None:
    here = sat(GAME, SCENE)
    for step in range(round((REST_S + 2) * 2)):
        seen = here.show(handed(GAME, SCENE, "F9" if step % 2 else "F10"), 0.5)
    assert seen.hands


def test_a_cup_beside_the_board_makes_nothing_unclear_once_it_stands() -> None:
    here = sat(GAME, SCENE)
    cup = replace(SCENE, cup=Cup((14.5, 9.0), (70, 92, 226)))
    seen = here.show(cup, REST_S + 2.0)
    assert not seen.reached.any()
    assert seen.readable.mean() > 0.95


@pytest.mark.parametrize("beside", [12.3, 12.6])
def test_a_hand_beside_the_board_is_not_learned_as_its_table(beside: float) -> None:
    """When it has gone, the table looks otherwise than with it: an arm, if that were known."""
    here = sat(GAME, SCENE)
    resting = replace(SCENE, hand=Hand((beside, 9.0, 0.9), 0.0, SKIN, SLEEVE))
    seen = here.show(resting, 1.0)
    here.seeing.learn_readable(seen.readable, whole=False)
    left = here.show(SCENE, 1.0)
    assert seen.hand_beside
    assert not left.hand_beside and not left.hands


def test_a_soft_darkening_is_no_arm() -> None:
    """The shadow of somebody who leans over: it has no texture."""
    here = sat(GAME, SCENE)
    x = np.linspace(-1, 1, SIZE_WH[0], dtype=np.float32)[None, :, None]
    shade = 1 - 0.25 / (1 + np.exp(-6 * (x - 0.2)))
    seen = here.show(np.asarray(clean(SCENE) * shade, np.uint8), 1.0)
    assert not seen.reached.any()
    assert seen.readable.mean() > 0.95


def test_noise_alone_is_no_hand() -> None:
    for sd in (2.0, 8.0, 14.0):
        here = Sat(GAME, SCENE, sd)
        here.learned(1.5)
        states = list(here.each(SCENE, 2.0))
        assert not any(seen.hands for seen in states), sd
        assert np.mean([seen.readable.mean() for seen in states]) > 0.99, sd


def test_the_pictures_have_noise() -> None:
    one, other = grainy(clean(SCENE), 1), grainy(clean(SCENE), 2)
    assert float(np.abs(one.astype(int) - other).mean()) > 1


def bumped(image: Image) -> Image:
    """The same from a little elsewhere: the table goes another way than the middle of the board."""
    h, w = image.shape[:2]
    ring = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    moved = ring + np.array([[4, 1], [9, 6], [4, 1], [4, 1]], np.float32)
    by = cv2.getPerspectiveTransform(ring, moved)
    return np.asarray(cv2.warpPerspective(image, by, (w, h), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def test_what_a_bump_moved_is_no_arm() -> None:
    here = sat(GAME, SCENE)
    here.show(SCENE, 0.5)
    for seen in list(here.each(bumped(clean(SCENE)), 2.0))[round(0.5 * FPS) :]:
        assert not seen.reached.any()
        assert not seen.hands


def test_an_arm_that_comes_after_a_bump_is_one() -> None:
    here, resting = sat(GAME, SCENE), handed(GAME, SCENE, "F9")
    here.show(bumped(clean(SCENE)), 1.5)
    seen = here.show(bumped(clean(resting)), 2.0)
    assert seen.hands
    assert named(GAME, under(resting) & seen.readable & ~seen.reached) == []


def lying(*parts: tuple[slice, slice], through: float = 0.0, piece: tuple[slice, slice] | None = None) -> Occluded:
    """What is told of blocks that have differed for two seconds, on a board of 6x6 cells with a table around; so large
    a share of the board's rows shows its pattern through them, and the piece of one cell is seen in `piece`."""
    off, face, head = np.zeros((3, 40, 40), bool)
    face[8:32, 8:32] = True
    for part in parts:
        off[part] = True
    if piece is not None:
        head[piece] = True
    none = np.zeros_like(off)
    age = np.full(off.shape, 2.0, np.float32)
    shown = off & (np.arange(40) % 10 < 10 * through)[:, None]
    board = BoardBlocks(face, none, lambda: (face, shown), head[None])
    return find_occluders(off, np.ones_like(off), board, none, age)


ARM, PIECE = np.s_[0:14, 2:12], np.s_[18:22, 18:22]


def test_what_is_thick_and_crosses_the_rim_is_an_arm() -> None:
    assert lying(ARM, PIECE).rests[ARM].all()
    assert not lying(ARM, PIECE).rests[PIECE].any()


def test_a_head_that_leans_over_the_rim_is_no_arm() -> None:
    """Before a low camera the head of a piece at the far edge reaches as far as arms do; an arm is wider than it."""
    head = np.s_[0:14, 8:14]
    assert not lying(head, piece=head).rests.any()
    assert lying(ARM, piece=head).rests[ARM].all()


def test_a_thin_edge_ties_no_piece_to_an_arm() -> None:
    """Where a hand has left the table pieces beside it are seen to stand a little otherwise: their edges are thin."""
    assert not lying(ARM, np.s_[13:14, 11:19], np.s_[13:19, 18:19], PIECE).rests[PIECE].any()


def test_what_has_left_the_table_is_no_arm_for_thin_edges_on_the_board() -> None:
    assert not lying(np.s_[0:14, 0:7], np.s_[12:13, 7:20]).rests.any()


def test_an_arm_that_does_not_reach_the_board_rests_beside_it() -> None:
    """A piece that hangs from its fingers is too far from it, and the fingers are too thin, to be one with it."""
    beside = np.s_[0:6, 2:12]
    told = lying(beside, PIECE)
    assert told.beside[beside].all()
    assert not told.rests.any()
    assert not lying(ARM, PIECE).beside.any()


def test_an_arm_with_its_shadow_over_nearly_half_of_a_small_board_is_no_light() -> None:
    """Some of the pattern shows through the shadow; a light, however harsh, leaves nearly all of it."""
    half = np.s_[0:20, 2:30]
    assert lying(half, through=0.3).rests[half].all()
    assert not lying(half, through=0.7).rests.any()
