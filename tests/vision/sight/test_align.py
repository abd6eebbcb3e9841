"""Where the board is in a picture that moved a little, in another light, with noise, and partly covered."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.view import Floats
from tests.render.script import Recipe
from tests.vision.filmed import SIZE_WH, SKIN, board, clean, grainy
from tests.vision.pictures import true_views
from vision.ground import Image
from vision.sight.align import Affine, Anchor, Place

EXTENDED_PX = 0.25
"""A sixtieth of a cell: the farthest corner of a board of which only the other half is seen."""
CLOSE_PX = 0.15
"""A hundredth of a cell."""
FEW = settings(max_examples=8, deadline=None, derandomize=True)
DARK_WOOD = Recipe("tri-camelot", look="walnut", pieces="maple_black", light="day", seed=5, size_wh=SIZE_WH)
ANOTHER = Recipe(look="walnut", pieces="maple_black", light="evening", seed=8, azimuth=60.0, size_wh=SIZE_WH)

motions = st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.floats(-0.4, 0.4))
"""Pixels and degrees: a table that shakes."""


@lru_cache(maxsize=1)
def corners() -> Floats:
    """The corners of the board in the picture that is not moved, (4, 2)."""
    return np.array(true_views(board()[1])[0].corners_px)


def anchor() -> Anchor:
    scene = board()[1]
    return Anchor(board()[0].board, grainy(clean(scene), 0), true_views(scene))


def motion(shift_x: float, shift_y: float, turn_deg: float) -> Affine:
    """A turn about the middle of the board, and a shift."""
    x, y = corners().mean(axis=0)
    matrix = cv2.getRotationMatrix2D((float(x), float(y)), turn_deg, 1.0)
    matrix[:, 2] += (shift_x, shift_y)
    return np.asarray(matrix, float)


def taken(moved: Affine, number: int, gain: float = 1.0, covered: float = 0.0) -> Image:
    """The picture after a motion, with noise; a share of the board, from the left, is covered by a sleeve."""
    image = cv2.warpAffine(clean(board()[1]), moved, SIZE_WH, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    image = cv2.convertScaleAbs(image, alpha=gain)
    if covered:
        left, right = corners()[:, 0].min(), corners()[:, 0].max()
        image[:, : int(left + covered * (right - left))] = SKIN
    return grainy(np.asarray(image, np.uint8), number)


def off_px(place: Place, moved: Affine) -> float:
    """By how much the farthest corner of the board is taken to be elsewhere."""
    here = cv2.transform(corners()[None], place.moved)
    return float(np.linalg.norm(here - cv2.transform(corners()[None], moved), axis=2).max())


@pytest.mark.parametrize("covered", [0.0, 1 / 3])
@FEW
@given(motions, st.floats(0.75, 1.15), st.integers(1, 99))
def test_a_known_motion_is_found(covered: float, moves: tuple[float, float, float], gain: float, number: int) -> None:
    moved = motion(*moves)
    place = anchor().locate_board(taken(moved, number, gain, covered))
    assert place.is_found
    assert off_px(place, moved) < CLOSE_PX


@pytest.mark.parametrize("by_cells", [(1.0, 0.15), (0.9, 0.3), (0.5, 0.9), (-0.8, -0.7), (2.2, 1.3)])
@pytest.mark.parametrize("gain", [1.0, 0.4])
def test_a_board_of_dark_wood_that_was_moved_is_not_where_it_was(by_cells: tuple[float, float], gain: float) -> None:
    """Grey levels alone do not tell: much of it looks like much else, all the more by a weak lamp."""
    wood, scene = board(DARK_WOOD)
    view, image = true_views(scene)[0], clean(scene)
    pitch = float(view.pitch_px(np.array([view.size_cells]) / 2)[0])
    here = Anchor(wood.board, grainy(image, 0), (view,))
    moved = np.array([[1.0, 0.0, by_cells[0] * pitch], [0.0, 1.0, by_cells[1] * pitch]])
    after = cv2.warpAffine(image, moved, SIZE_WH, borderMode=cv2.BORDER_REFLECT)
    places = [
        here.locate_board(grainy(np.asarray(cv2.convertScaleAbs(after, alpha=gain), np.uint8), number))
        for number in range(1, 7)
    ]
    assert not any(place.is_found for place in places)


def test_what_hides_most_of_the_board_has_not_moved_it() -> None:
    """A head over it: the rest is plainly where it was."""
    here = anchor()
    here.locate_board(taken(motion(0.5, 0.0, 0.0), 3))
    place = here.locate_board(taken(motion(0.5, 0.0, 0.0), 4, covered=0.72))
    assert place.is_found
    assert off_px(place, motion(0.5, 0.0, 0.0)) < CLOSE_PX


@pytest.mark.parametrize("shift", [(0.4, -0.3), (1.0, 1.0), (-2.0, 1.5)])
def test_with_a_half_covered(shift: tuple[float, float]) -> None:
    moved = motion(*shift, 0.1)
    place = anchor().locate_board(taken(moved, 7, covered=0.5))
    assert place.is_found
    assert off_px(place, moved) < EXTENDED_PX


@pytest.mark.parametrize("covered", [0.0, 1 / 3, 0.45])
def test_what_sways_is_followed_from_frame_to_frame(covered: float) -> None:
    """Farther than it is found at once."""
    following = anchor()
    for number in range(16):
        moved = motion(0.45 * number, -0.3 * number, 0.02 * number)
        place = following.locate_board(taken(moved, number, covered=covered))
        assert place.is_found
        assert off_px(place, moved) < CLOSE_PX, number


@FEW
@given(motions, motions)
def test_motions_follow_each_other(first: tuple[float, float, float], second: tuple[float, float, float]) -> None:
    """It says the same of a picture, wherever the one before it had the board."""
    following = anchor()
    following.locate_board(taken(motion(*first), 1))
    image = taken(motion(*second), 2)
    assert off_px(following.locate_board(image), motion(*second)) < CLOSE_PX
    assert off_px(anchor().locate_board(image), motion(*second)) < CLOSE_PX


def test_a_still_camera_stays_where_it_is() -> None:
    following = anchor()
    places = [following.locate_board(taken(motion(0, 0, 0), number)) for number in range(1, 9)]
    assert all(place.is_found for place in places)
    assert max(place.shift_px for place in places) < CLOSE_PX


def test_pieces_that_moved_do_not_move_the_board() -> None:
    following, (_, scene) = anchor(), board()
    empty = clean(scene.__class__(scene.setting, scene.camera, scene.light))
    place = following.locate_board(grainy(empty, 3))
    assert place.is_found
    assert off_px(place, motion(0, 0, 0)) < CLOSE_PX


@pytest.mark.parametrize("what", ["another board", "a table", "noise", "a board upside down", "a board a cell off"])
def test_a_foreign_picture_is_not_found(what: str) -> None:
    scene = board()[1]
    cell = (corners()[1] - corners()[0]) / 12
    pictures = {
        "another board": lambda: clean(board(ANOTHER)[1]),
        "a table": lambda: np.full((480, 640, 3), (96, 140, 182), np.uint8),
        "noise": lambda: np.asarray(np.random.default_rng(1).integers(0, 255, (480, 640, 3)), np.uint8),
        "a board upside down": lambda: np.ascontiguousarray(clean(scene)[::-1, ::-1]),
        "a board a cell off": lambda: taken(motion(cell[0], cell[1], 0.0), 5),
    }
    assert not anchor().locate_board(grainy(pictures[what](), 4)).is_found


@pytest.mark.parametrize("turned_deg", [9.0, 25.0])
def test_a_board_that_was_turned_is_not_where_the_table_around_it_is(turned_deg: float) -> None:
    """The table shows the same pattern as before, close to the board on all sides."""
    game, scene = board()
    view, size = true_views(scene)[0], SIZE_WH
    grain = np.random.default_rng(7).integers(0, 255, (size[1] // 6, size[0] // 6, 3), np.uint8)
    table = np.asarray(cv2.resize(grain, size, interpolation=cv2.INTER_CUBIC), np.uint8)

    def lying(turn: Affine) -> Image:
        mask = np.zeros(size[::-1], np.uint8)
        for centre in game.board.centres_xy:
            square = view.project_points(np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) + centre)
            cv2.fillConvexPoly(mask, np.round(square).astype(np.int32), 1)
        there = cv2.warpAffine(clean(scene), turn, size, flags=cv2.INTER_CUBIC)
        flags = cv2.warpAffine(mask, turn, size, flags=cv2.INTER_NEAREST)
        return np.where(flags[..., None] > 0, there, table)

    here = Anchor(game.board, grainy(lying(motion(0.0, 0.0, 0.0)), 0), (view,))
    assert here.locate_board(grainy(lying(motion(1.0, 0.5, 0.0)), 1)).is_found
    assert not here.locate_board(grainy(lying(motion(0.0, 0.0, turned_deg)), 2)).is_found
