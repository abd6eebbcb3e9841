"""A board to print: cells in tints that cameras and people tell from pieces, castles, coordinates, markers, folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from calibration.markers import marker_places
from calibration.printing.marks import (
    GREY,
    LINE_CELLS,
    PAPER_MARGIN_CELLS,
    QUIET_CELLS,
    Drawing,
    InkRgb,
    Label,
    Mark,
    Point,
    at_mm,
    box_outline,
    cell_outline,
    cells_on,
    circle_outline,
    draw_marker,
    drawing_extent,
    line_between,
    name_with_level,
)
from engine.board import CELL_NAME, Board
from engine.game import Game

TINTS: tuple[InkRgb, InkRgb, InkRgb] = ((0.71, 0.81, 0.68), (0.6, 0.72, 0.59), (0.65, 0.74, 0.71))
"""Shades by `Board.tones`. All lie between the colours of the pieces: on cells as pale as paper the white ones of a
photographed set were lost. They differ enough for eyes and by less than a border or a piece differs from them."""
NAME_INK: InkRgb = (0.3, 0.36, 0.29)
EDGE_INK: InkRgb = (0.2, 0.2, 0.2)
CASTLE_INK: InkRgb = (0.75, 0.15, 0.12)
EDGE_LETTER_CELLS, EDGE_AWAY_CELLS = 0.17, 0.23
"""Height of the coordinates round the board, and how far from it their middle is: markers keep their white edge."""
FOLD_TICK_CELLS = 0.28
"""Of the frame's 0.4 cell: seen at the edge of the folded sheet."""


def board_drawings(game: Game, cell_mm: float) -> list[Drawing]:
    """The board with cells, castles, names, coordinates and markers, one drawing a level."""
    return [
        _draw_level(game.board, level, cell_mm, f"{game.name} board") for level in range(max(game.board.levels) + 1)
    ]


def travel_drawings(game: Game, cell_mm: float) -> list[Drawing]:
    """The same with ticks in its frame where it is folded twice, between two files and between two ranks."""
    board = game.board
    drawings = [
        _draw_level(board, level, cell_mm, f"{game.name} travel board") for level in range(max(board.levels) + 1)
    ]
    return [replace(drawing, marks=(*drawing.marks, *_fold_ticks(board, drawing, cell_mm))) for drawing in drawings]


def _draw_level(board: Board, level: int, cell_mm: float, name: str) -> Drawing:
    low, size = drawing_extent(board, _margin_cells(board, level), cell_mm)
    castles = {cell for cells in board.castles.values() for cell in cells}
    marks: list[Mark] = []
    for cell in cells_on(board, level):
        marks.append(cell_outline(board, cell, low, cell_mm, TINTS[board.tones[cell]]))
        x, y = at_mm(board.centres_xy[cell], low, cell_mm)
        if board.cells[cell] in castles:
            arm = 0.28 * cell_mm
            marks.append(circle_outline((x, y), arm, None, CASTLE_INK, LINE_CELLS * cell_mm))
            marks.append(line_between((x - arm, y), (x + arm, y), CASTLE_INK))
            marks.append(line_between((x, y - arm), (x, y + arm), CASTLE_INK))
        marks.append(Label((x, y - 0.4 * cell_mm), 0.1 * cell_mm, board.cells[cell], NAME_INK))
    marks += _label_edges(board, level, low, cell_mm)
    for number, corners in marker_places(board, level).items():
        marks += draw_marker(number, at_mm(corners[0], low, cell_mm), at_mm(corners[2], low, cell_mm))
    marks.append(box_outline((0.0, 0.0), size, None, GREY, 0.1))
    return Drawing(name_with_level(board, level, name), size, tuple(marks), low)


def _label_edges(board: Board, level: int, low: Point, cell_mm: float) -> Iterator[Label]:
    """The letter of each file below and above the board, the number of each rank at its left and right."""
    (w, h), away, found = board.size_wh, EDGE_AWAY_CELLS, dict[tuple[str, Point], None]()
    for cell in cells_on(board, level):
        parts, (x, y) = CELL_NAME.fullmatch(board.cells[cell]), board.centres_xy[cell]
        if parts:
            file, rank = parts[2], parts[3]
            sides = ((file, (x, -away)), (file, (x, h + away)), (rank, (-away, y)), (rank, (w + away, y)))
            found |= {(text, (round(at[0], 3), round(at[1], 3))): None for text, at in sides}
    for text, at in found:
        yield Label(at_mm(at, low, cell_mm), EDGE_LETTER_CELLS * cell_mm, text, EDGE_INK)


def _fold_ticks(board: Board, drawing: Drawing, cell_mm: float) -> Iterator[Mark]:
    """Ticks at the ends of both folds, in the frame: a line over the cells would be taken for a border."""
    (w, h), tick = drawing.size, FOLD_TICK_CELLS * cell_mm
    x = drawing.grid[0] + cell_mm * _halfway_between([x for x, _ in board.centres_xy], board.size_wh[0] / 2)
    y = drawing.grid[1] + cell_mm * _halfway_between([y for _, y in board.centres_xy], board.size_wh[1] / 2)
    yield line_between((x, 0.0), (x, tick))
    yield line_between((x, h - tick), (x, h))
    yield line_between((0.0, y), (tick, y))
    yield line_between((w - tick, y), (w, y))


def _halfway_between(centres: Iterable[float], middle: float) -> float:
    """Half way between two neighbouring files, or ranks, as near to the `middle` as can be."""
    known = sorted({round(centre, 3) for centre in centres})
    return min(((one + other) / 2 for one, other in pairwise(known)), key=lambda half: abs(half - middle))


def _margin_cells(board: Board, level: int) -> float:
    """Width of the paper outside the cells: enough for coordinates, the markers and their white edge."""
    w, h = board.size_wh
    marks = [xy for corners in marker_places(board, level).values() for xy in corners]
    return max(PAPER_MARGIN_CELLS, max(max(-x, -y, x - w, y - h) for x, y in marks) + QUIET_CELLS)
