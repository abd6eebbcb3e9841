"""What is printed, in millimetres: boards with their markers, flat pieces, loose markers, drilling templates.

A drawing knows no paper; printing_sheets.py lays it on sheets and printing_files.py writes PDF and SVG. All geometry
comes from the Board, the places of the markers from calibration/markers.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

import cv2
import numpy as np

from calibration.markers import DICTIONARY, SIDE_CELLS, places
from engine.board import Board
from engine.game import Game

Rgb = tuple[float, float, float]
Point = tuple[float, float]

BLACK, GREY, WHITE, CASTLE_INK = (0.0, 0.0, 0.0), (0.55, 0.55, 0.55), (1.0, 1.0, 1.0), (0.75, 0.15, 0.12)
CELL_FILL: Rgb = (0.68, 0.79, 0.66)
"""Between the colours of the pieces: on cells as pale as paper the white ones of a photographed set were lost."""
NAME_INK: Rgb = (0.36, 0.42, 0.35)
FILL_OF_LOOK: dict[str, Rgb] = {
    "light": (1.0, 1.0, 1.0),
    "dark": (0.16, 0.13, 0.12),
    "blue": (0.12, 0.35, 0.72),
    "red": (0.78, 0.12, 0.12),
    "green": (0.1, 0.5, 0.2),
}
LINE_CELLS = 0.035
"""Width of cell borders: found from 35 degrees at 12 px a cell, and no wider than a piece's foot hides."""
PAPER_MARGIN_CELLS, QUIET_CELLS = 0.4, 0.3
"""Paper left round the cells, and round a marker: ArUco needs one of its six modules, 0.27 cell, white."""
RIM_SHARE = 0.07
"""Width of a flat piece's rim over its side, in the colour against its own: it is seen on boards of any colour."""
PIECE_CELLS, GAP_MM = 0.72, 3.0
"""A flat piece leaves a seventh of a cell on each side; between two there is room for scissors."""
LED_HOLE_MM = 5.0


@dataclass(frozen=True)
class Outline:
    """A closed polygon in millimetres, y upwards; circles have 48 corners. `width` is the line's, 0 for none."""

    points: tuple[Point, ...]
    fill: Rgb | None = None
    line: Rgb = BLACK
    width: float = 0.0


@dataclass(frozen=True)
class Label:
    """Text centred on a point, or to the right of it; `size` is the height of its letters in millimetres."""

    at: Point
    size: float
    text: str
    colour: Rgb = BLACK
    centred: bool = True


Mark = Outline | Label


@dataclass(frozen=True)
class Drawing:
    """Something to print in one piece, `size` in millimetres; `grid` is where board (0, 0) lies on it."""

    name: str
    size: Point
    marks: tuple[Mark, ...]
    grid: Point = (0.0, 0.0)


def board_drawings(game: Game, cell_mm: float) -> list[Drawing]:
    """The board with cells, castles, names and markers, one drawing a level."""
    return [_level(game.board, level, cell_mm, f"{game.name} board") for level in range(max(game.board.levels) + 1)]


def led_drawings(game: Game, cell_mm: float) -> list[Drawing]:
    """A hole for an LED in the middle of every cell, with cross hairs, one drawing a level."""
    board, drawings = game.board, []
    for level in range(max(board.levels) + 1):
        low, size = _extent(board, PAPER_MARGIN_CELLS, cell_mm)
        marks: list[Mark] = []
        for cell in _cells(board, level):
            x, y = _at(board.centres_xy[cell], low, cell_mm)
            marks += [_cell(board, cell, low, cell_mm, None), _circle((x, y), LED_HOLE_MM / 2, None, BLACK, 0.15)]
            arm = LED_HOLE_MM * 0.8
            marks += [_line((x - arm, y), (x + arm, y)), _line((x, y - arm), (x, y + arm))]
            marks.append(Label((x, y - 0.4 * cell_mm), 0.12 * cell_mm, board.cells[cell]))
        drawings.append(Drawing(_name(board, level, f"{game.name} LEDs"), size, tuple(marks), low))
    return drawings


def marker_drawings(game: Game, cell_mm: float) -> list[Drawing]:
    """The markers alone, each with its white edge, its number and the corner it belongs to."""
    side, quiet = SIDE_CELLS * cell_mm, QUIET_CELLS * cell_mm
    whole = side + 2 * quiet
    out = []
    for level in range(max(game.board.levels) + 1):
        for number, words in zip(sorted(places(game.board, level)), CORNERS, strict=True):
            square = ((quiet, whole - quiet), (quiet + side, quiet))
            text = f"{number}: {words}"
            marks = (box((0.0, 0.0), (whole, whole), None, GREY, 0.1), *_marker(number, *square))
            out.append(Drawing(text, (whole, whole), (*marks, Label((whole / 2, quiet / 2), quiet * 0.5, text, GREY))))
    return out


CORNERS = ("first file, rank 1", "last file, rank 1", "last file, last rank", "first file, last rank")


def piece_drawings(game: Game, cell_mm: float) -> list[Drawing]:
    """One flat piece for each that begins the game."""
    count = Counter(number for number in game.start().placement if number)
    side = PIECE_CELLS * cell_mm
    return [_piece(game, number, side) for number in sorted(count) for _ in range(count[number])]


def _piece(game: Game, number: int, side: float) -> Drawing:
    fill = FILL_OF_LOOK.get(game.looks[game.look_of[number]], WHITE)
    ink = BLACK if sum(fill) > 1.5 else WHITE
    middle, code = (side / 2, side / 2), game.codes[number]
    rim = _circle(middle, side / 2 - 0.1, ink, BLACK, 0.2)
    disc = _circle(middle, side * (0.5 - RIM_SHARE), fill, ink, 0.0)
    return Drawing(code, (side, side), (rim, disc, Label(middle, side * 0.42, code[-1], ink)))


def _level(board: Board, level: int, cell_mm: float, name: str) -> Drawing:
    low, size = _extent(board, _margin_cells(board, level), cell_mm)
    castles = {cell for cells in board.castles.values() for cell in cells}
    marks: list[Mark] = []
    for cell in _cells(board, level):
        marks.append(_cell(board, cell, low, cell_mm, CELL_FILL))
        x, y = _at(board.centres_xy[cell], low, cell_mm)
        if board.cells[cell] in castles:
            arm = 0.28 * cell_mm
            marks.append(_circle((x, y), arm, None, CASTLE_INK, LINE_CELLS * cell_mm))
            marks += [_line((x - arm, y), (x + arm, y), CASTLE_INK), _line((x, y - arm), (x, y + arm), CASTLE_INK)]
        marks.append(Label((x, y - 0.4 * cell_mm), 0.1 * cell_mm, board.cells[cell], NAME_INK))
    for number, corners in places(board, level).items():
        marks += _marker(number, _at(corners[0], low, cell_mm), _at(corners[2], low, cell_mm))
    marks.append(box((0.0, 0.0), size, None, GREY, 0.1))
    return Drawing(_name(board, level, name), size, tuple(marks), low)


def _name(board: Board, level: int, name: str) -> str:
    return f"{name}, level {level + 1}" if max(board.levels) else name


def _margin_cells(board: Board, level: int) -> float:
    """Width of the paper outside the cells: enough for the markers and their white edge."""
    w, h = board.size_wh
    marks = [xy for corners in places(board, level).values() for xy in corners]
    return max(PAPER_MARGIN_CELLS, max(max(-x, -y, x - w, y - h) for x, y in marks) + QUIET_CELLS)


def _extent(board: Board, margin_cells: float, cell_mm: float) -> tuple[Point, Point]:
    """Where board (0, 0) lies on the drawing of a level, and the size of the drawing, both in millimetres."""
    w, h = board.size_wh
    margin = margin_cells * cell_mm
    return (margin, margin), (w * cell_mm + 2 * margin, h * cell_mm + 2 * margin)


def _cells(board: Board, level: int) -> list[int]:
    return [cell for cell, plane in enumerate(board.levels) if plane == level]


def _at(xy: Point, low: Point, cell_mm: float) -> Point:
    return (low[0] + xy[0] * cell_mm, low[1] + xy[1] * cell_mm)


def _cell(board: Board, cell: int, low: Point, cell_mm: float, fill: Rgb | None) -> Outline:
    x, y = board.centres_xy[cell]
    points = tuple(_at((x + dx, y + dy), low, cell_mm) for dx, dy in board.outline_xy)
    return Outline(points, fill, BLACK, LINE_CELLS * cell_mm)


def _marker(number: int, upper_left: Point, lower_right: Point) -> Iterable[Outline]:
    return modules(DICTIONARY, 6, number, upper_left, lower_right)


def modules(dictionary: int, side: int, number: int, upper_left: Point, lower_right: Point) -> Iterable[Outline]:
    """A marker of `side` modules: one black square, the white modules on it, runs of a row joined."""
    white = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(dictionary), number, side) > 127
    step = (lower_right[0] - upper_left[0]) / side
    yield box((upper_left[0], lower_right[1]), (side * step, side * step), BLACK, BLACK, 0.0)
    for row in range(side):
        y = upper_left[1] - (row + 1) * step
        starts = np.flatnonzero(white[row] & ~np.roll(white[row], 1))
        for start in starts:
            length = next(k for k in accumulate([1] * side) if not white[row][start + k])
            yield box((upper_left[0] + start * step, y), (length * step, step), WHITE, WHITE, 0.0)


def box(low: Point, size: Point, fill: Rgb | None, line: Rgb, width: float) -> Outline:
    """A rectangle from its lower left corner."""
    x, y = low
    return Outline(((x, y), (x + size[0], y), (x + size[0], y + size[1]), (x, y + size[1])), fill, line, width)


def _circle(middle: Point, radius: float, fill: Rgb | None, line: Rgb, width: float) -> Outline:
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    points = tuple((middle[0] + radius * float(np.cos(a)), middle[1] + radius * float(np.sin(a))) for a in angles)
    return Outline(points, fill, line, width)


def _line(one: Point, other: Point, line: Rgb = BLACK) -> Outline:
    return Outline((one, other), None, line, 0.15)
