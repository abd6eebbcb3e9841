"""Things to print beside the board: counters, loose markers, drilling templates, and the sheet that measures a lens."""

from __future__ import annotations

from collections import Counter

from calibration.lens import BITS, MARKER_SHARE, SHEET_DICTIONARY, SQUARES_WH
from calibration.markers import SIDE_CELLS, marker_places
from calibration.printing.marks import (
    BLACK,
    GREY,
    PAPER_MARGIN_CELLS,
    QUIET_CELLS,
    WHITE,
    Drawing,
    InkRgb,
    Label,
    Mark,
    at_mm,
    box_outline,
    cell_outline,
    cells_on,
    circle_outline,
    draw_marker,
    draw_modules,
    drawing_extent,
    line_between,
    name_with_level,
)
from engine.game import Game

FILL_OF_LOOK: dict[str, InkRgb] = {
    "light": (1.0, 1.0, 1.0),
    "dark": (0.16, 0.13, 0.12),
    "blue": (0.12, 0.35, 0.72),
    "red": (0.78, 0.12, 0.12),
    "green": (0.1, 0.5, 0.2),
}
RIM_SHARE = 0.07
"""Width of a flat piece's rim over its side, in the colour against its own: it is seen on boards of any colour."""
PIECE_CELLS = 0.72
"""A flat piece leaves a seventh of a cell on each side."""
LED_HOLE_MM = 5.0
SHEET_MARGIN = 0.6
"""Paper round the squares of the lens sheet, in squares."""


def led_drawings(game: Game, cell_mm: float) -> list[Drawing]:
    """A hole for an LED in the middle of every cell, with cross hairs, one drawing a level."""
    board, drawings = game.board, []
    for level in range(max(board.levels) + 1):
        low, size = drawing_extent(board, PAPER_MARGIN_CELLS, cell_mm)
        marks: list[Mark] = []
        for cell in cells_on(board, level):
            x, y = at_mm(board.centres_xy[cell], low, cell_mm)
            marks += [
                cell_outline(board, cell, low, cell_mm, None),
                circle_outline((x, y), LED_HOLE_MM / 2, None, BLACK, 0.15),
            ]
            arm = LED_HOLE_MM * 0.8
            marks += [line_between((x - arm, y), (x + arm, y)), line_between((x, y - arm), (x, y + arm))]
            marks.append(Label((x, y - 0.4 * cell_mm), 0.12 * cell_mm, board.cells[cell]))
        drawings.append(Drawing(name_with_level(board, level, f"{game.name} LEDs"), size, tuple(marks), low))
    return drawings


def marker_drawings(game: Game, cell_mm: float) -> list[Drawing]:
    """The markers alone, each with its white edge, its number and the corner it belongs to."""
    side, quiet = SIDE_CELLS * cell_mm, QUIET_CELLS * cell_mm
    whole = side + 2 * quiet
    out = []
    for level in range(max(game.board.levels) + 1):
        for number, words in zip(sorted(marker_places(game.board, level)), CORNERS, strict=True):
            square = ((quiet, whole - quiet), (quiet + side, quiet))
            text = f"{number}: {words}"
            marks = (box_outline((0.0, 0.0), (whole, whole), None, GREY, 0.1), *draw_marker(number, *square))
            out.append(Drawing(text, (whole, whole), (*marks, Label((whole / 2, quiet / 2), quiet * 0.5, text, GREY))))
    return out


CORNERS = ("first file, rank 1", "last file, rank 1", "last file, last rank", "first file, last rank")


def piece_drawings(game: Game, cell_mm: float) -> list[Drawing]:
    """One flat piece for each that begins the game."""
    count = Counter(number for number in game.start().placement if number)
    side = PIECE_CELLS * cell_mm
    return [_draw_piece(game, number, side) for number in sorted(count) for _ in range(count[number])]


def _draw_piece(game: Game, number: int, side: float) -> Drawing:
    fill = FILL_OF_LOOK.get(game.looks[game.look_of[number]], WHITE)
    ink = BLACK if sum(fill) > 1.5 else WHITE
    middle, code = (side / 2, side / 2), game.codes[number]
    rim = circle_outline(middle, side / 2 - 0.1, ink, BLACK, 0.2)
    disc = circle_outline(middle, side * (0.5 - RIM_SHARE), fill, ink, 0.0)
    return Drawing(code, (side, side), (rim, disc, Label(middle, side * 0.42, code[-1], ink)))


def sheet_drawing(square_mm: float) -> Drawing:
    """The sheet to print, with squares of that side."""
    (columns, rows), margin = SQUARES_WH, SHEET_MARGIN * square_mm
    size = (columns * square_mm + 2 * margin, rows * square_mm + 2 * margin)
    marks: list[Mark] = []
    number = 0
    for row in range(rows):
        for column in range(columns):
            x, y = margin + column * square_mm, size[1] - margin - (row + 1) * square_mm
            if (row + column) % 2 == 0:
                marks.append(box_outline((x, y), (square_mm, square_mm), BLACK, BLACK, 0.0))
                continue
            inset = (1 - MARKER_SHARE) / 2 * square_mm
            corners = (x + inset, y + square_mm - inset), (x + square_mm - inset, y + inset)
            marks += draw_modules(SHEET_DICTIONARY, BITS + 2, number, *corners)
            number += 1
    marks.append(Label((size[0] / 2, margin / 2), 2.5, "for referee calibrate-lens: glue it on something flat", GREY))
    return Drawing("lens sheet", size, tuple(marks))
