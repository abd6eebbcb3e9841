"""Printed pages, rendered to pixels and measured: a cell is as long as it should be, on every paper and every tile."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lattice import board_lattice
from calibration.markers import detect_markers, marker_places
from calibration.printing.boards import EDGE_INK, board_drawings, travel_drawings
from calibration.printing.files import render_pdf, render_svg
from calibration.printing.loose import led_drawings, marker_drawings, piece_drawings
from calibration.printing.marks import Drawing, Label, Outline
from calibration.printing.paper import PAPERS, PlacedDrawing, Sheet, fitting_cell_mm, pack_drawings, tile_drawings
from calibration.solve import MARKED_FIT, solve_by_markers
from calibration.view import Floats
from engine import games
from engine.errors import InputError
from tests.render.printed import DOTS_PER_MM, Picture, pages

GAMES = ["camelot", "cam", "camette", "chivalry", "camblam", "tri-camelot", "cam-3d"]
WITHIN_MM = 0.2
STEP_MM = 0.04
"""Between samples across a border."""


def printed(sheets: list[Sheet]) -> list[Picture]:
    return pages(render_pdf(sheets, "test"))


def on_page(placed: PlacedDrawing, board_mm: Floats, sheet: Sheet, page: Picture) -> Floats:
    """Millimetres of the board -> pixels of the rendered page, whose size is rounded up to whole pixels."""
    mm = board_mm + np.array(placed.drawing.grid) + np.array(placed.at)
    dots = np.array([page.shape[1] / sheet.size[0], page.shape[0] / sheet.size[1]])
    assert np.abs(dots - DOTS_PER_MM).max() < 0.005
    return np.column_stack([mm[:, 0], sheet.size[1] - mm[:, 1]]) * dots - 0.5


def borders_off_mm(page: Picture, sheet: Sheet, game: str, level: int, cell_mm: float) -> Floats:
    """How far from its place each sample of a cell border is found on the page, in millimetres."""
    placed = sheet.placed[0]
    grid = board_lattice(games.load(game).board, level)
    across = np.arange(-0.9, 0.9 + STEP_MM / 2, STEP_MM)
    points = (grid.points * cell_mm)[:, None] + across[None, :, None] * grid.normals[:, None]
    x, y, w, h = placed.window
    low = np.array([x, y]) - np.array(placed.drawing.grid) - np.array(placed.at)
    inside = ((points > low + 1) & (points < low + np.array([w, h]) - 1)).all(axis=(1, 2))
    px = on_page(placed, points[inside].reshape(-1, 2), sheet, page).astype(np.float32).reshape(-1, len(across), 2)
    grey = cv2.cvtColor(page, cv2.COLOR_BGR2GRAY)
    ink = 255.0 - cv2.remap(grey, px[..., 0], px[..., 1], cv2.INTER_LINEAR)
    ink = np.where(ink > 120, ink, 0)
    assert (ink.max(axis=1) > 0).all(), "a border is not printed"
    return np.asarray((ink * across).sum(axis=1) / ink.sum(axis=1))


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("game", GAMES)
def test_a_board_on_one_sheet_is_true_to_the_millimetre(game: str, paper: str) -> None:
    loaded = games.load(game)
    cell_mm = fitting_cell_mm(board_drawings(loaded, 1.0)[0].size, paper)
    sheets = tile_drawings(board_drawings(loaded, cell_mm), paper)
    assert len(sheets) == max(loaded.board.levels) + 1
    page, sheet = printed(sheets[-1:])[0], sheets[-1]
    level = len(sheets) - 1
    assert page.shape[1] == pytest.approx(sheet.size[0] * DOTS_PER_MM, abs=1)
    assert np.abs(borders_off_mm(page, sheet, game, level, cell_mm)).max() < WITHIN_MM
    seen = detect_markers(page)
    expected = marker_places(loaded.board, level)
    assert set(seen) == set(expected)
    for number, corners in expected.items():
        where = on_page(sheet.placed[0], np.array(corners) * cell_mm, sheet, page)
        # Corners of a marker in a picture lie on the outer edge of its border pixels.
        assert np.abs(seen[number] - where).max() / DOTS_PER_MM < WITHIN_MM  # 1 px, 0.17 mm, is the renderer's


@pytest.mark.parametrize(("game", "cell_mm", "paper"), [("camelot", 30.0, "a4"), ("tri-camelot", 25.0, "letter")])
def test_tiles_are_true_and_cover_the_board(game: str, cell_mm: float, paper: str) -> None:
    sheets = tile_drawings(board_drawings(games.load(game), cell_mm), paper)
    assert len(sheets) > 1
    for page, sheet in zip(printed(sheets), sheets, strict=True):
        off = borders_off_mm(page, sheet, game, 0, cell_mm)
        assert np.abs(off).max(initial=0.0) < WITHIN_MM
    drawing = sheets[0].placed[0].drawing
    covered = np.zeros((int(drawing.size[1]), int(drawing.size[0])), int)
    for sheet in sheets:
        (placed,) = sheet.placed
        x, y, w, h = placed.window
        left, low = x - placed.at[0], y - placed.at[1]
        covered[round(low) : round(low + h), round(left) : round(left + w)] += 1
        assert x >= 8 and y >= 8 and x + w <= sheet.size[0] - 7.9 and y + h <= sheet.size[1] - 7.9
    assert covered.min() >= 1
    assert covered.max() <= 4


def test_a_printed_page_photographed_at_an_angle_is_calibrated_by_its_markers() -> None:
    loaded = games.load("camelot")
    cell_mm = fitting_cell_mm(board_drawings(loaded, 1.0)[0].size, "a3")
    sheet = tile_drawings(board_drawings(loaded, cell_mm), "a3")[0]
    page = printed([sheet])[0]
    h, w = page.shape[:2]
    there = np.array([[420, 90], [930, 150], [1180, 900], [60, 820]], np.float32)
    warp = cv2.getPerspectiveTransform(np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32), there)
    photo = cv2.warpPerspective(
        cv2.GaussianBlur(page, (0, 0), 1.5), warp, (1280, 960), flags=cv2.INTER_AREA, borderValue=(60, 80, 90)
    )
    light = np.linspace(0.45, 1.0, 1280)[None, :, None] * np.array([0.8, 0.95, 1.0])
    noise = np.random.default_rng(3).normal(0, 5, photo.shape)
    image = (photo * light + noise).clip(0, 255).astype(np.uint8)
    solution = solve_by_markers(loaded.board, image, marker_places(loaded.board))
    assert solution.fit > MARKED_FIT
    centres = np.array(loaded.board.centres_xy)
    true = cv2.perspectiveTransform(
        on_page(sheet.placed[0], centres * cell_mm, sheet, page)[:, None], warp.astype(float)
    )
    away = np.linalg.norm(solution.view.project_points(centres) - true[:, 0], axis=1) / solution.view.pitch_px(centres)
    assert away.max() < 0.06


@pytest.mark.parametrize("game", GAMES)
def test_every_piece_of_the_start_is_printed_once(game: str) -> None:
    loaded = games.load(game)
    drawings = piece_drawings(loaded, 20.0)
    placement = loaded.start().placement
    assert sorted(d.name for d in drawings) == sorted(loaded.codes[n] for n in placement if n)
    assert sum(len(sheet.placed) for sheet in pack_drawings(drawings, "a4")) == len(drawings)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("cell_mm", [15.0, 31.0])
def test_every_sheet_has_its_part_in_the_middle_with_marks_to_cut_by(paper: str, cell_mm: float) -> None:
    for sheet in tile_drawings(board_drawings(games.load("camelot"), cell_mm), paper):
        (x, y, w, h) = sheet.placed[0].window
        assert x + w / 2 == pytest.approx(sheet.size[0] / 2)
        assert y + h / 2 == pytest.approx((sheet.size[1] + 9.0) / 2)  # the bar and the words are below it
        ends = {end for mark in sheet.notes if isinstance(mark, Outline) for end in mark.points}
        near = {(a, b) for a in (x, x + w) for b in (y - 0.5, y + h + 0.5)}
        near |= {(a, b) for a in (x - 0.5, x + w + 0.5) for b in (y, y + h)}
        assert near <= ends
        assert all(4 <= a <= sheet.size[0] - 4 and 4 <= b <= sheet.size[1] - 4 for a, b in ends)


@pytest.mark.parametrize("game", GAMES)
def test_cells_that_touch_differ_in_tint_and_coordinates_stand_on_all_sides(game: str) -> None:
    board = games.load(game).board
    near = {
        (i, j)
        for i, (x, y) in enumerate(board.centres_xy)
        for j, (a, b) in enumerate(board.centres_xy)
        if i < j and board.levels[i] == board.levels[j] and np.hypot(x - a, y - b) < 1.01
    }
    assert near and all(board.tones[i] != board.tones[j] for i, j in near)
    (low_x, low_y), drawing = (drawings := board_drawings(games.load(game), 20.0))[0].grid, drawings[0]
    w, h = board.size_wh
    outside = [mark for mark in drawing.marks if isinstance(mark, Label) and mark.colour == EDGE_INK]
    below = [mark.text for mark in outside if mark.at[1] < low_y]
    above = [mark.text for mark in outside if mark.at[1] > low_y + h * 20]
    left = [mark.text for mark in outside if mark.at[0] < low_x]
    right = [mark.text for mark in outside if mark.at[0] > low_x + w * 20]
    files = {name.lstrip("123")[0] for cell, name in enumerate(board.cells) if board.levels[cell] == 0}
    assert sorted(below) == sorted(above) == sorted(files)
    assert left == right and len(left) == len(
        {y for cell, (_, y) in enumerate(board.centres_xy) if not board.levels[cell]}
    )


def test_a_travel_board_is_folded_between_cells() -> None:
    (drawing,) = travel_drawings(games.load("camelot"), 10.0)
    (plain,) = board_drawings(games.load("camelot"), 10.0)
    ticks = [mark for mark in drawing.marks if mark not in plain.marks]
    ends = [mark.points for mark in ticks if isinstance(mark, Outline)]
    assert {x for (x, _), (a, _) in ends if x == a} == {drawing.grid[0] + 60.0}
    assert {y for (_, y), (_, b) in ends if y == b} == {drawing.grid[1] + 80.0}


def test_small_things_neither_touch_nor_leave_the_paper() -> None:
    for drawings in (piece_drawings(games.load("camblam"), 40.0), marker_drawings(games.load("cam-3d"), 30.0)):
        for sheet in pack_drawings(drawings, "letter"):
            boxes = [placed.window for placed in sheet.placed]
            for i, (x, y, w, h) in enumerate(boxes):
                assert x >= 8 and y >= 8 and x + w <= sheet.size[0] - 7.9 and y + h <= sheet.size[1] - 7.9
                assert not any(x < a + c and a < x + w and y < b + d and b < y + h for a, b, c, d in boxes[i + 1 :])


def test_loose_markers_are_found_and_as_large_as_on_the_board() -> None:
    (sheet,) = pack_drawings(marker_drawings(games.load("camelot"), 20.0), "a4")
    seen = detect_markers(printed([sheet])[0])
    assert sorted(seen) == [0, 1, 2, 3]
    sides = [np.linalg.norm(c - np.roll(c, 1, axis=0), axis=1) / DOTS_PER_MM for c in seen.values()]
    assert np.abs(np.array(sides) - 32.0).max() < WITHIN_MM


@pytest.mark.parametrize("game", GAMES)
def test_every_cell_has_a_hole_in_its_middle(game: str) -> None:
    board = games.load(game).board
    for level, drawing in enumerate(led_drawings(games.load(game), 20.0)):
        circles = [np.array(m.points) for m in drawing.marks if isinstance(m, Outline) and len(m.points) == 48]
        middles = {tuple(np.round(points.mean(axis=0) - drawing.grid, 3)) for points in circles}
        assert middles == {
            tuple(np.round(np.array(xy) * 20.0, 3))
            for xy, plane in zip(board.centres_xy, board.levels, strict=True)
            if plane == level
        }
        assert all(np.ptp(points[:, 0]) == pytest.approx(5.0, abs=0.01) for points in circles)


def test_svg_is_in_millimetres_and_holds_every_cell(tmp_path: Path) -> None:
    board = games.load("cam-3d").board
    drawings = board_drawings(games.load("cam-3d"), 20.0)
    text = render_svg(drawings, "a <board>")
    size = re.search(r'width="([\d.]+)mm" height="([\d.]+)mm" viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
    assert size is not None
    assert size.group(1) == size.group(3)
    assert float(size.group(1)) == pytest.approx(3 * drawings[0].size[0] + 20)
    assert all(f">{name}</text>" in text for name in board.cells)
    assert "a &lt;board&gt;" in text


def test_the_same_sheets_give_the_same_file() -> None:
    sheets = tile_drawings(board_drawings(games.load("camette"), 30.0), "a4")
    assert render_pdf(sheets, "one") == render_pdf(sheets, "one")


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="more than a sheet of a4"):
        pack_drawings([Drawing("giant", (300.0, 300.0), ())], "a4")
    with pytest.raises(InputError, match="sheets of a4; take a smaller cell"):
        tile_drawings(board_drawings(games.load("camelot"), 200.0), "a4")
