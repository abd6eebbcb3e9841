"""The pinhole: there and back again, and what corners cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.view import FOCAL_GUESS, Lens, View, focal_from, homography_of
from engine.errors import InputError
from engine.games import load
from tests.render.scene import Camera, look_from

BOARD = load("camelot").board
SIZE_WH = (1280, 960)


@st.composite
def cameras(draw: st.DrawFn) -> Camera:
    """Cameras on stands all round the board."""
    return look_from(
        BOARD,
        draw(st.floats(36, 80)),
        draw(st.floats(-180, 180)),
        draw(st.floats(35, 70)),
        size_wh=SIZE_WH,
        seed=draw(st.integers(0, 1000)),
    )


def view_of(camera: Camera, k1: float) -> View:
    """The view through the board's corners in an ideal camera, then bent by `k1`."""
    w, h = BOARD.size_wh
    flat = Camera(camera.size_wh, camera.matrix, (0.0, 0.0, 0.0, 0.0, 0.0), camera.rvec, camera.tvec)
    corners = flat.project(np.array([[0, 0, 0], [w, 0, 0], [w, h, 0], [0, h, 0]], float))
    lens = Lens(camera.size_wh, camera.matrix[0][0], k1)
    bent = lens.distort_pixels(corners)
    return View(lens, BOARD.size_wh, tuple((float(x), float(y)) for x, y in bent))


@settings(max_examples=40, deadline=None)
@given(camera=cameras(), k1=st.floats(-0.1, 0.05))
def test_a_point_projected_into_the_picture_comes_back_to_its_place(camera: Camera, k1: float) -> None:
    view = view_of(camera, k1)
    cells = np.array(BOARD.centres_xy)
    assert np.abs(view.locate_on_plane(view.project_points(cells)) - cells).max() < 1e-3
    assert (
        np.abs(view.project_points(np.array([[0.0, 0.0], BOARD.size_wh])) - np.array(view.corners_px)[[0, 2]]).max()
        < 0.02
    )


@settings(max_examples=40, deadline=None)
@given(camera=cameras())
def test_points_above_the_board_are_where_the_picture_has_them(camera: Camera) -> None:
    """Points above the board are where the camera that took the picture has them, within the lens's centring."""
    view = view_of(camera, 0.0)
    tops = np.column_stack([np.array(BOARD.centres_xy), np.full(len(BOARD.cells), 1.0)])
    flat = Camera(camera.size_wh, camera.matrix, (0.0,) * 5, camera.rvec, camera.tvec)
    apart = np.linalg.norm(view.project_points(tops) - flat.project(tops), axis=1) / view.pitch_px(
        np.array(BOARD.centres_xy)
    )
    assert apart.max() < 0.1
    assert np.linalg.norm(view.camera_xyz - camera.position) / np.linalg.norm(camera.position) < 0.1


@settings(max_examples=40, deadline=None)
@given(camera=cameras())
def test_the_focal_length_shows(camera: Camera) -> None:
    view = view_of(camera, 0.0)
    found = focal_from(homography_of(BOARD.size_wh, np.array(view.corners_px)), SIZE_WH)
    assert abs(found / camera.matrix[0][0] - 1) < 0.2


def test_straight_from_above_the_focal_length_is_guessed() -> None:
    corners = np.array([[100, 900], [700, 900], [700, 100], [100, 100]], float)
    assert focal_from(homography_of((12, 16), corners), SIZE_WH) == FOCAL_GUESS * 1280


@pytest.mark.parametrize(
    "corners",
    [
        ((100, 100), (700, 100), (700, 900), (100, 900)),
        ((100, 900), (400, 900), (700, 900), (100, 100)),
        ((5, 5), (5, 5), (5, 5), (5, 5)),
        ((float("inf"), 900), (700, 900), (700, 100), (100, 100)),
        ((100, 900), (700, 900), (700, 100), (float("nan"), 100)),
    ],
    ids=["mirrored", "three on one line", "all in one place", "far away", "no number"],
)
def test_corners_that_show_no_board(corners: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(InputError, match=r"^corners: "):
        View(Lens(SIZE_WH, 1000.0), (12.0, 16.0), corners).projection_matrix  # noqa: B018  # computing it is the check


@given(k1=st.floats(-0.2, 0.1), x=st.floats(100, 1180), y=st.floats(100, 860))
def test_the_lens_bends_and_straightens(k1: float, x: float, y: float) -> None:
    lens = Lens(SIZE_WH, 1200.0, k1)
    point = np.array([[x, y]])
    assert np.abs(lens.undistort_pixels(lens.distort_pixels(point)) - point).max() < 0.05
