"""Boards found without help, in drawn and in path traced pictures: which cell is which, and how honest the score is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration import find_board
from calibration.doubts import BEYOND
from calibration.find_board import find_by_grid, find_by_itself
from calibration.find_lines import find_segments
from calibration.find_rough import step_view
from calibration.find_side import board_turns, turn_view
from calibration.lattice import SHIFTED_SCORE, assess_view, refine_view
from calibration.profile import load_profile
from calibration.solve import MARKED_FIT
from calibration.view import Image, View, rectangle_corners
from engine import games
from engine.board import Board
from engine.errors import InputError
from engine.game import Game, looks_at_start
from engine.shapes import square_board
from server.board.setup.diagnosis import Cause, diagnose_place
from server.commands.calibrate import command
from tests.bench.bench_find import found, sample
from tests.render import cheap
from tests.render.scene import Camera, Setting, cell_xy, look_from
from tests.render.stage import Stage
from tests.render.styles import light_named
from vision.frames import load_picture

SESSIONS = sorted((Path(__file__).parents[1] / "data/sessions").glob("*/truth.json"))
HIDDEN_RANKS = Path(__file__).parents[1] / "data" / "camblam_start.jpg", ((67, 537), (732, 537), (626, 63), (174, 63))
"""A start of Camblam whose three ranks of pieces hide the lines under them, drawn by another renderer than ours, and
the corners of its board."""
IN_A_COLUMN = Path(__file__).parents[1] / "data" / "levels_in_a_column.jpg", ((480, 319), (238, 350), (471, 157))
"""A start of Cam 3-D with its levels in a column, brown men against black on wood, by the same renderer, and the first
corner of each level."""
SMALL_CELLS = Path(__file__).parents[1] / "data" / "small_cells.jpg", ((102, 306), (406, 446), (543, 107), (293, 23))
"""A start of Camelot on grained wood, 640 pixels wide, by the same renderer, and the corners of its board."""
FINE_CELLS = 0.1
"""Cells are off by 0.02 to 0.08 at this size; a piece stands within 0.15 of its cell's middle."""

BOARDS = [
    ("camelot", "green", "ivory_brown", 62, 35),
    ("camelot", "lines", "maple_black", 48, -150),
    ("camelot", "dark", "white_red", 70, 100),
    ("camblam", "walnut", "white_black", 66, -20),
    ("tri-camelot", "blue", "white_black", 60, 75),
    ("cam", "paper", "ivory_brown", 55, 190),
]


@lru_cache(maxsize=8)
def drawn(
    name: str, look: str, pieces: str, elevation: int, azimuth: int, markers: bool = False, bare: bool = False
) -> tuple[Image, Camera]:
    """A picture of the start position, or of the `bare` board, and its camera."""
    game = games.load(name)
    camera = look_from(game.board, elevation, azimuth, 56, size_wh=(800, 600), seed=azimuth % 360)
    stage = Stage(
        game,
        Setting(game.board, look, pieces, "cloth", markers, seed=5),
        [camera],
        light_named("day", 5),
        np.random.default_rng(5),
    )
    if not bare:
        stage.set_up(game.start())
    stage.quiet("start")
    return cheap.render(stage.frames[-1].scene).image, camera


def off_cells(game: Game, view: View, camera: Camera) -> float:
    """The largest distance of a cell's centre from where it is, in cells."""
    board = game.board
    true = np.array([[*cell_xy(board, i), 0.0] for i in range(len(board.cells))])
    centres = np.array(board.centres_xy)
    away = np.linalg.norm(view.project_points(centres) - camera.project(true), axis=1)
    return float((away / view.pitch_px(centres)).max())


@pytest.mark.parametrize("case", BOARDS, ids=lambda case: f"{case[0]}-{case[1]}")
def test_a_start_position_is_found_and_named_from_any_side(case: tuple[str, str, str, int, int]) -> None:
    game = games.load(case[0])
    image, camera = drawn(*case)
    found = find_by_grid(game.board, image, looks_at_start(game))
    assert found.fit >= 80
    assert off_cells(game, found.view, camera) < FINE_CELLS


@pytest.mark.parametrize("name", ["camelot", "tri-camelot"])
def test_markers_are_taken_first(name: str) -> None:
    game = games.load(name)
    image, camera = drawn(name, "walnut", "white_red", 58, 20, markers=True)
    (found,) = find_by_itself(game.board, image, looks_at_start(game))
    assert found.by == "markers"
    assert off_cells(game, found.view, camera) < FINE_CELLS


@pytest.mark.parametrize("truth", SESSIONS, ids=lambda path: path.parent.name)
def test_path_traced_pictures_are_found_by_their_grid(truth: Path) -> None:
    told = json.loads(truth.read_text())
    game = games.load(told["game"])
    first = next(frame for frame in told["frames"] if frame["kind"] == "quiet")
    image = load_picture(truth.parent / first["file"])
    found = find_by_grid(game.board, image, looks_at_start(game))
    assert found.fit >= 80
    true = np.array([told["cameras"][first["camera"]]["cells_px"][cell] for cell in game.board.cells])
    centres = np.array(game.board.centres_xy)
    away = np.linalg.norm(found.view.project_points(centres) - true, axis=1) / found.view.pitch_px(centres)
    assert float(away.max()) < FINE_CELLS


@pytest.mark.parametrize("case", BOARDS, ids=lambda case: f"{case[0]}-{case[1]}")
def test_a_grid_off_by_whole_cells_is_no_good_fit(case: tuple[str, str, str, int, int]) -> None:
    game = games.load(case[0])
    image, _ = drawn(*case)
    right = find_by_grid(game.board, image, looks_at_start(game)).view
    step = np.array(game.board.centres_xy[1]) - np.array(game.board.centres_xy[0])
    for count in (1, -1, 2):
        corners = right.project_points(rectangle_corners(game.board.size_wh) + count * step)
        shifted = View(right.lens, right.size_cells, tuple((float(x), float(y)) for x, y in corners))
        assert assess_view(game.board, shifted, image).score < MARKED_FIT, count
        assert refine_view(game.board, shifted, image).score < MARKED_FIT, count


def test_a_position_that_is_not_the_start_leaves_the_side_open() -> None:
    game = games.load("camelot")
    image, camera = drawn(*BOARDS[0])
    empty_first = ["light", *["empty"] * 20, *["dark"] * 9, *["empty"] * 130]
    found = find_by_grid(game.board, image, empty_first)
    assert found.fit < MARKED_FIT
    assert "start position" in found.doubt
    assert min(off_cells(game, turn_view(found.view, turn), camera) for turn in board_turns(game.board)) < FINE_CELLS


@pytest.mark.parametrize("seed", range(3))
def test_a_table_without_a_board_is_refused(seed: int) -> None:
    rng = np.random.default_rng(seed)
    image = rng.normal(128, 30 * seed, (600, 800, 3)).clip(0, 255).astype(np.uint8)
    with pytest.raises(InputError, match="no board is seen"):
        find_by_itself(games.load("camelot").board, image, None)


def test_a_board_of_another_shape_is_not_taken_for_this_one() -> None:
    image, _ = drawn(*BOARDS[4])
    game = games.load("camelot")
    try:
        found = find_by_grid(game.board, image, looks_at_start(game))
    except InputError:
        return
    assert found.fit < MARKED_FIT


def test_a_blank_picture_has_no_segments() -> None:
    assert len(find_segments(np.full((90, 120), 200, np.uint8)).length) == 0


def test_outlines_know_their_own_turns() -> None:
    assert len(board_turns(square_board({1: "A-D", 2: "A-D"}, {}))) == 2
    assert len(board_turns(games.load("camblam").board)) == 4
    assert len(board_turns(games.load("tri-camelot").board)) == 3


def test_calibrate_without_a_hint_writes_a_profile(tmp_path: Path) -> None:
    out = tmp_path / "board.toml"
    folder = SESSIONS[0].parent
    first = next(i for i, f in enumerate(json.loads(SESSIONS[0].read_text())["frames"]) if f["kind"] == "quiet")
    asked = ["--game", "camelot", "--camera", str(folder), "--frame", str(first), "--out", str(out)]
    answer = CliRunner().invoke(command, asked, standalone_mode=False)
    assert answer.return_value == 0, answer.output
    assert "corners_px" in out.read_text()


def test_small_cells_are_seen_in_a_small_picture() -> None:
    """Its lines are too short for the detector at that size: no board was seen."""
    file, corners = SMALL_CELLS
    game = games.load("camelot")
    (found,) = find_by_itself(game.board, load_picture(file), looks_at_start(game))
    assert not found.doubt
    assert np.abs(np.array(found.view.corners_px) - corners).max() < 4


def test_noise_that_hides_the_board_in_each_frame_does_not_hide_it_from_the_command(tmp_path: Path) -> None:
    file, corners = SMALL_CELLS
    image, rng = load_picture(file), np.random.default_rng(4)
    frames = tmp_path / "frames"
    frames.mkdir()
    for number in range(25):
        noisy = np.rint(image + rng.normal(0, 14, image.shape)).clip(0, 255).astype(np.uint8)
        cv2.imwrite(str(frames / f"{number:02}.png"), noisy)
    out = tmp_path / "board.toml"
    for camera, answers in ((frames / "00.png", False), (frames, True)):
        asked = ["--game", "camelot", "--camera", str(camera), "--out", str(out)]
        answer = CliRunner().invoke(command, asked, standalone_mode=False)
        assert (answer.return_value == 0) == answers == out.exists(), answer.output
    found = load_profile(out).views[0]
    assert np.abs(np.array(found.corners_px) - corners).max() < 4


def test_where_pieces_hide_the_lines_they_tell_where_the_board_lies() -> None:
    """The bare middle was taken for the board, with cells half as high: its start position was asked for."""
    file, corners = HIDDEN_RANKS
    game, image = games.load("camblam"), load_picture(file)
    found = find_by_grid(game.board, image, looks_at_start(game))
    assert not found.doubt
    assert np.abs(np.array(found.view.corners_px) - corners).max() < 5
    bare = ["empty"] * len(game.board.cells)
    assert find_by_grid(game.board, image, bare).doubt


def test_a_grid_that_hardly_leads_gives_way_to_the_one_beside_it_in_which_the_pieces_stand() -> None:
    """The frame of a board looked like its last line: a rank off, turned round, and taken with a fit of 100."""
    file, _ = HIDDEN_RANKS
    game, image = games.load("camblam"), load_picture(file)
    looks = looks_at_start(game)
    right = find_by_grid(game.board, image, looks).view
    led = replace(assess_view(game.board, right, image), score=100, lead=0.1)
    half_turn = board_turns(game.board)[2]
    beside = replace(led, view=turn_view(step_view(right, (0.0, 1.0)), half_turn))
    assert find_board._is_place_sure(game.board, [led], image, looks)
    assert not find_board._is_place_sure(game.board, [beside], image, looks)


def test_a_level_that_is_found_already_is_not_found_once_more() -> None:
    """The last level was drawn onto the lines of one that was known, and the side was asked for."""
    file, corners = IN_A_COLUMN
    game = games.load("cam-3d")
    found = find_by_itself(game.board, load_picture(file), looks_at_start(game))
    assert [one.doubt for one in found] == ["", "", ""]
    assert np.abs(np.array([one.view.corners_px[0] for one in found]) - corners).max() < 3


@pytest.mark.parametrize("seed", [507, 516])
def test_levels_of_which_few_lines_are_seen_are_told_by_their_pieces(seed: int) -> None:
    """At half the size: three right places were refused for the lines that pieces hide."""
    shown = sample(seed, "cam-3d")
    small = np.asarray(cv2.resize(shown.image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    found = find_by_itself(shown.game.board, small, looks_at_start(shown.game))
    assert min(one.fit for one in found) < find_board.RIGHT_FIT
    assert [one.doubt for one in found] == ["", "", ""]
    for one, corners in zip(found, shown.corners_px, strict=True):
        assert np.abs(np.array(one.view.corners_px) - (corners - 0.5) / 2).max() < 4


def test_of_a_board_that_is_half_hidden_nothing_is_said_but_that_its_place_is_unsure() -> None:
    """Another place fitted as well, on which the pieces seemed to be missing: the board was called empty."""
    game = games.load("camelot")
    image, _ = drawn(*BOARDS[0])
    hidden = image.copy()
    hidden[:, image.shape[1] // 2 :] = (96, 60, 48)
    solutions = find_by_itself(game.board, hidden, looks_at_start(game))
    assert {one.doubt for one in solutions} == {find_board.FEW_LINES}
    assert diagnose_place(game, hidden, solutions, None).cause in (Cause.UNSURE, Cause.CUT)


def test_flat_pieces_without_edges_tell_the_side_by_their_colours() -> None:
    """A start of flat discs has hardly more edges than a chequered board: it was asked for although it stood there."""
    game = games.load("tri-camelot")
    image, camera = drawn("tri-camelot", "blue", "white_black", 60, 75, bare=True)
    colours = {"green": (70, 140, 60), "red": (50, 50, 190), "blue": (180, 90, 40)}
    looks = looks_at_start(game)
    turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    flat = image.copy()
    for cell, look in enumerate(looks):
        if look != "empty":
            x, y = cell_xy(game.board, cell)
            rim = camera.project(np.column_stack([x + 0.38 * np.cos(turn), y + 0.38 * np.sin(turn), np.zeros(40)]))
            cv2.fillPoly(flat, [np.round(16 * rim).astype(np.int32)], colours[look], cv2.LINE_AA, 4)
    found = find_by_grid(game.board, flat, looks)
    assert not found.doubt
    assert off_cells(game, found.view, camera) < FINE_CELLS
    assert "start position" in find_by_grid(game.board, image, looks).doubt, "nothing stands there"


def test_a_grid_that_leads_clearly_is_taken_from_a_picture_that_is_not_sharp() -> None:
    """Fewer lines are seen in it; the board was refused though no other place was half as likely."""
    game = games.load("camelot")
    image, camera = drawn(*BOARDS[0])
    found = find_by_grid(game.board, np.asarray(cv2.GaussianBlur(image, (0, 0), 2.5), np.uint8), looks_at_start(game))
    assert find_board.BLURRED_FIT <= found.fit < find_board.RIGHT_FIT
    assert not found.doubt
    assert off_cells(game, found.view, camera) < FINE_CELLS


def test_levels_are_found_though_their_corners_without_cells_are_not_in_the_picture() -> None:
    game = games.load("cam-3d")
    image, camera = drawn("cam-3d", "green", "white_black", 60, -60)
    cells = np.array([[*cell_xy(game.board, i), 0.0] for i in range(len(game.board.cells))])
    seen = np.concatenate([camera.project(cells + (x, y, 0)) for x in (-0.6, 0.6) for y in (-0.6, 0.6)])
    (left, top), (right, bottom) = np.floor(seen.min(axis=0)).astype(int), np.ceil(seen.max(axis=0)).astype(int)
    cut = np.ascontiguousarray(image[max(0, top) : bottom, max(0, left) : right])
    found = find_by_itself(game.board, cut, looks_at_start(game))
    assert [one.doubt for one in found] == ["", "", ""]
    levels = np.array(game.board.levels)
    for level, one in enumerate(found):
        here = levels == level
        place = one.view.project_points(np.array(game.board.centres_xy)[here]) + (max(0, left), max(0, top))
        assert np.linalg.norm(place - camera.project(cells[here]), axis=1).max() < 4


def test_a_place_from_which_no_board_is_come_to_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """The refusal spoke of corners that nobody had given."""
    game = games.load("camelot")
    image, camera = drawn(*BOARDS[0])
    places = find_board.search_places(game.board, image)
    (a, b, c, d) = places[0].corners_px
    beside = View(places[0].lens, places[0].size_cells, ((5.0, 60.0), (60.0, 60.0), (55.0, 10.0), (10.0, 10.0)))
    from_below = View(places[0].lens, places[0].size_cells, (b, a, d, c))
    monkeypatch.setattr(find_board, "search_places", lambda *_: [beside, from_below, *places])
    assert off_cells(game, find_by_grid(game.board, image, looks_at_start(game)).view, camera) < FINE_CELLS


def test_where_the_likeliest_place_is_none_of_a_level_the_next_one_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A grid twice as fine hid three boards that lay in full view."""
    game = games.load("cam-3d")
    image, _ = drawn("cam-3d", "green", "white_black", 60, -60)
    looked_for = find_board.search_places

    def with_another_first(board: Board, image: Image, others: Sequence[View] = ()) -> list[View]:
        if others:  # what was tried in vain is not looked at any more, and the level with it
            return []
        places = looked_for(board, image)
        lens, size, (a, b, c, d) = places[0].lens, places[0].size_cells, np.array(places[0].corners_px)
        middle = (a + b + c + d) / 4
        fine = [tuple(map(float, middle + (corner - middle) / 2)) for corner in (a, b, c, d)]
        return [View(lens, size, (fine[0], fine[1], fine[2], fine[3])), *places]

    monkeypatch.setattr(find_board, "search_places", with_another_first)
    assert [one.doubt for one in find_by_itself(game.board, image, looks_at_start(game))] == ["", "", ""]


@pytest.mark.parametrize("name", ["camelot", "camette"])
def test_a_board_that_reaches_beyond_the_picture_is_no_board_to_play_on(name: str, tmp_path: Path) -> None:
    """Its lines agree, but nobody sees what stands in the castle beyond the edge: a win there would be missed."""
    image, camera = drawn(name, "lines", "maple_black", 62, -90)
    board = games.load(name).board
    pixels = camera.project(np.array([[*cell_xy(board, board.index[cell]), 0.0] for cell in board.cells]))
    lowest = np.sort(pixels[:, 1])[-1]
    whole = find_by_itself(board, image, looks_at_start(games.load(name)))[0]
    assert (whole.fit >= MARKED_FIT, whole.doubt) == (True, "")
    cut = np.ascontiguousarray(image[: int(lowest) - 2])
    found = find_by_itself(board, cut, looks_at_start(games.load(name)))[0]
    assert (found.fit < MARKED_FIT, found.doubt) == (True, BEYOND)
    assert cv2.imwrite(str(tmp_path / "cut.png"), cut)
    asked = ["--game", name, "--camera", str(tmp_path / "cut.png"), "--out", str(tmp_path / "board.toml")]
    answer = CliRunner().invoke(command, asked, standalone_mode=False)
    assert answer.return_value != 0
    assert BEYOND in answer.output
    assert not (tmp_path / "board.toml").exists()


@pytest.mark.parametrize(("shown", "named"), [("camelot", "chivalry"), ("chivalry", "camelot"), ("camelot", "camblam")])
@pytest.mark.parametrize("look", ["walnut", "lines"])
def test_a_board_of_one_lattice_with_a_file_more_or_less_is_not_taken(shown: str, named: str, look: str) -> None:
    """Most of its lines agree: what tells are those that only one of the two boards has."""
    image, _ = drawn(shown, look, "white_black", 62, -20)
    right, other = games.load(shown), games.load(named)
    found = find_by_itself(right.board, image, looks_at_start(right))[0]
    assert (found.fit >= MARKED_FIT, found.doubt) == (True, "")
    try:
        wrong = find_by_itself(other.board, image, looks_at_start(other))[0]
    except InputError:
        return
    assert wrong.fit < MARKED_FIT
    assert wrong.doubt or wrong.fit <= SHIFTED_SCORE


def test_levels_of_which_one_lies_under_the_lamp_are_not_taken_for_each_other() -> None:
    """The first and the last level changed places, and the start seemed to stand: each looked right by itself."""
    outcome = found(sample(52051))
    assert (outcome.state, outcome.error_cells < FINE_CELLS) == ("found", True)
