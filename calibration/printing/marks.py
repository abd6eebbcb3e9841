"""The marks that everything to print is made of, in millimetres.

A drawing knows no paper: paper.py lays it on sheets, files.py writes PDF and SVG. All geometry comes from the
Board, the places of the markers from calibration/markers.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

import cv2
import numpy as np

from calibration.markers import DICTIONARY
from engine.board import Board

InkRgb = tuple[float, float, float]
Point = tuple[float, float]

BLACK, GREY, WHITE = (0.0, 0.0, 0.0), (0.55, 0.55, 0.55), (1.0, 1.0, 1.0)
LINE_CELLS = 0.035
"""Width of cell borders: found from 35 degrees at 12 px a cell, and no wider than a piece's foot hides."""
PAPER_MARGIN_CELLS, QUIET_CELLS = 0.4, 0.3
"""Paper left round the cells, and round a marker: ArUco needs one of its six modules, 0.27 cell, white."""


@dataclass(frozen=True)
class Outline:
    """A closed polygon in millimetres, y upwards; circles have 48 corners. `width` is the line's, 0 for none."""

    points: tuple[Point, ...]
    fill: InkRgb | None = None
    line: InkRgb = BLACK
    width: float = 0.0


@dataclass(frozen=True)
class Label:
    """Text centred on a point, or to the right of it; `size` is the height of its letters in millimetres."""

    at: Point
    size: float
    text: str
    colour: InkRgb = BLACK
    centred: bool = True


Mark = Outline | Label


@dataclass(frozen=True)
class Drawing:
    """Something to print in one piece, `size` in millimetres; `grid` is where board (0, 0) lies on it."""

    name: str
    size: Point
    marks: tuple[Mark, ...]
    grid: Point = (0.0, 0.0)


def name_with_level(board: Board, level: int, name: str) -> str:
    """The name, with the level on boards that have several."""
    return f"{name}, level {level + 1}" if max(board.levels) else name


def drawing_extent(board: Board, margin_cells: float, cell_mm: float) -> tuple[Point, Point]:
    """Where board (0, 0) lies on the drawing of a level, and the size of the drawing, both in millimetres."""
    w, h = board.size_wh
    margin = margin_cells * cell_mm
    return (margin, margin), (w * cell_mm + 2 * margin, h * cell_mm + 2 * margin)


def cells_on(board: Board, level: int) -> list[int]:
    """The cells of one level."""
    return [cell for cell, plane in enumerate(board.levels) if plane == level]


def at_mm(xy: Point, low: Point, cell_mm: float) -> Point:
    """A point of the board, in cells, on the drawing."""
    return (low[0] + xy[0] * cell_mm, low[1] + xy[1] * cell_mm)


def cell_outline(board: Board, cell: int, low: Point, cell_mm: float, fill: InkRgb | None) -> Outline:
    """The border of a cell, and what fills it."""
    x, y = board.centres_xy[cell]
    points = tuple(at_mm((x + dx, y + dy), low, cell_mm) for dx, dy in board.outline_xy)
    return Outline(points, fill, BLACK, LINE_CELLS * cell_mm)


def draw_marker(number: int, upper_left: Point, lower_right: Point) -> Iterable[Outline]:
    """One of the markers by which the camera finds the board."""
    return draw_modules(DICTIONARY, 6, number, upper_left, lower_right)


def draw_modules(dictionary: int, side: int, number: int, upper_left: Point, lower_right: Point) -> Iterable[Outline]:
    """A marker of `side` modules: one black square, the white modules on it, runs of a row joined."""
    white = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(dictionary), number, side) > 127
    step = (lower_right[0] - upper_left[0]) / side
    yield box_outline((upper_left[0], lower_right[1]), (side * step, side * step), BLACK, BLACK, 0.0)
    for row in range(side):
        y = upper_left[1] - (row + 1) * step
        starts = np.flatnonzero(white[row] & ~np.roll(white[row], 1))
        for start in starts:
            length = next(k for k in accumulate([1] * side) if not white[row][start + k])
            yield box_outline((upper_left[0] + start * step, y), (length * step, step), WHITE, WHITE, 0.0)


def box_outline(low: Point, size: Point, fill: InkRgb | None, line: InkRgb, width: float) -> Outline:
    """A rectangle from its lower left corner."""
    x, y = low
    return Outline(((x, y), (x + size[0], y), (x + size[0], y + size[1]), (x, y + size[1])), fill, line, width)


def circle_outline(middle: Point, radius: float, fill: InkRgb | None, line: InkRgb, width: float) -> Outline:
    """A circle, as a polygon of 48 corners."""
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    points = tuple((middle[0] + radius * float(np.cos(a)), middle[1] + radius * float(np.sin(a))) for a in angles)
    return Outline(points, fill, line, width)


def line_between(one: Point, other: Point, line: InkRgb = BLACK) -> Outline:
    """A thin line."""
    return Outline((one, other), None, line, 0.15)
