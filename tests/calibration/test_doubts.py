"""A mirrored picture and a grid on the grain of the wood are refused by their names; right boards are not."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.doubts import GRAIN, MIRRORED, on_grain
from calibration.find_board import find_by_grid, find_by_itself
from calibration.lattice import edges_for
from calibration.markers import marker_places
from calibration.solve import MARKED_FIT, solve_by_corners, solve_by_markers, solve_by_points
from calibration.view import Image, View
from engine import games
from engine.errors import InputError
from engine.game import looks_at_start
from server.commands.calibrate import command
from tests.calibration.test_find_board import BOARDS, drawn
from tests.render.scene import Camera, cell_xy

TRI = ("tri-camelot", "blue", "white_black", 60, 75)
MARKED = ("camelot", "green", "ivory_brown", 62, 35)


def mirrored(image: Image) -> Image:
    return np.ascontiguousarray(cv2.flip(image, 1))


def rim_px(camera: Camera, size_wh: tuple[float, float]) -> list[tuple[float, float]]:
    w, h = size_wh
    rim = np.array([[0, 0, 0], [w, 0, 0], [w, h, 0], [0, h, 0]], float)
    return [(float(x), float(y)) for x, y in camera.project(rim)]


def half_off(view: View) -> View:
    """The grid of a view, half a cell along its first side."""
    w, h = view.size_cells
    moved = view.project_points(np.array([[0.5, 0], [w + 0.5, 0], [w + 0.5, h], [0.5, h]]))
    return View(view.lens, view.size_cells, tuple((float(x), float(y)) for x, y in moved))


def grained(image: Image, camera: Camera, size_wh: tuple[float, float]) -> Image:
    """The picture with dark lines of wood through the middle of every cell, along the files."""
    out = image.copy()
    for x in np.arange(0.5, size_wh[0]):
        ends = camera.project(np.array([[x, -0.4, 0], [x, size_wh[1] + 0.4, 0]]))
        cv2.line(out, *[tuple(int(v) for v in end) for end in ends], (30, 45, 60), 2, cv2.LINE_AA)
    return out


def test_markers_in_a_mirror_are_named() -> None:
    image, _ = drawn(*MARKED, markers=True)
    game = games.load("camelot")
    assert solve_by_markers(game.board, image, marker_places(game.board)).fit >= MARKED_FIT
    for find in (
        lambda: solve_by_markers(game.board, mirrored(image), marker_places(game.board)),
        lambda: find_by_itself(game.board, mirrored(image), looks_at_start(game)),
    ):
        with pytest.raises(InputError, match=MIRRORED):
            find()


def test_the_command_says_it_in_one_line(tmp_path: Path) -> None:
    image, _ = drawn(*MARKED, markers=True)
    picture = tmp_path / "selfie.png"
    cv2.imwrite(str(picture), mirrored(image))
    answer = CliRunner().invoke(
        command, ["--game", "camelot", "--camera", str(picture), "--markers", "--out", str(tmp_path / "p.toml")]
    )
    assert isinstance(answer.exception, InputError)
    assert str(answer.exception) == f"markers: {MIRRORED}"
    assert not (tmp_path / "p.toml").exists()


def test_corners_and_points_that_go_round_the_other_way_are_refused() -> None:
    image, camera = drawn(*MARKED)
    game, width = games.load("camelot"), image.shape[1]
    corners = rim_px(camera, game.board.size_wh)
    assert solve_by_corners(game.board, image, corners).fit >= MARKED_FIT
    with pytest.raises(InputError, match=MIRRORED):
        solve_by_corners(game.board, mirrored(image), [(width - 1 - x, y) for x, y in corners])
    names = ("C6", "J6", "C11", "J11", "F1")
    px = camera.project(np.array([[*cell_xy(game.board, game.board.index[name]), 0.0] for name in names]))
    named = {name: (width - 1 - float(x), float(y)) for name, (x, y) in zip(names, px, strict=True)}
    with pytest.raises(InputError, match=MIRRORED):
        solve_by_points(game.board, mirrored(image), named)


def test_three_sides_tell_a_mirror_and_two_do_not() -> None:
    image, _ = drawn(*TRI)
    game = games.load("tri-camelot")
    assert not find_by_grid(game.board, image, looks_at_start(game)).doubt
    with pytest.raises(InputError, match=MIRRORED):
        find_by_grid(game.board, mirrored(image), looks_at_start(game))
    image, _ = drawn(*MARKED)
    game = games.load("camelot")
    assert not find_by_grid(game.board, mirrored(image), looks_at_start(game)).doubt


@pytest.mark.parametrize("case", BOARDS, ids=lambda case: f"{case[0]}-{case[1]}")
def test_no_right_grid_is_held_for_grain_and_one_half_a_cell_off_is(case: tuple[str, str, str, int, int]) -> None:
    image, camera = drawn(*case)
    board = games.load(case[0]).board
    right = solve_by_corners(board, image, rim_px(camera, board.size_wh))
    assert not right.doubt
    off = half_off(right.view)
    assert on_grain(board, off, edges_for(board, off, image)) is (len(board.outline_xy) == 4)


@pytest.mark.parametrize("look", ["lines", "walnut", "paper"])
def test_grain_through_the_middle_of_the_cells_is_never_taken_for_the_board(look: str) -> None:
    case = ("camelot", look, "maple_black", 60, -70)
    image, camera = drawn(*case)
    game = games.load("camelot")
    board, wood = game.board, grained(image, camera, game.board.size_wh)
    w, h = board.size_wh
    shifted = camera.project(np.array([[0.5, 0, 0], [w + 0.5, 0, 0], [w + 0.5, h, 0], [0.5, h, 0]], float))
    wrong = solve_by_corners(board, wood, [(float(x), float(y)) for x, y in shifted])
    assert wrong.doubt == GRAIN
    assert wrong.fit < MARKED_FIT
    found = find_by_grid(board, wood, looks_at_start(game))
    true = camera.project(np.array([[*cell_xy(board, i), 0.0] for i in range(len(board.cells))]))
    apart = np.linalg.norm(found.view.project_points(np.array(board.centres_xy)) - true, axis=1)
    at_its_place = float((apart / found.view.pitch_px(np.array(board.centres_xy))).max()) < 0.2
    assert at_its_place or found.fit < MARKED_FIT
