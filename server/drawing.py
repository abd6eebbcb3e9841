"""A board as shapes on a screen: whatever its cells are, they come from the coordinates in `Board`."""

from __future__ import annotations

from dataclasses import dataclass

from engine.board import CELL_NAME, Board
from engine.game import Game

UNIT = 40
"""Length of a cell in the units of the drawing; browsers set text of less than a unit badly."""
DRAWING_MARGIN = 0.7
"""Room for the letters and numbers at the edges, in cells."""
GAP = 1.0
"""Between levels that are drawn side by side, in cells."""


@dataclass(frozen=True, slots=True)
class DrawnCell:
    """A cell: its centre, its corners as SVG points, a tone that differs from its neighbours', whose castle it is."""

    name: str
    x: float
    y: float
    points: str
    tone: int
    castle: str | None


@dataclass(frozen=True, slots=True)
class EdgeLabel:
    """A letter or number at the edge."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class BoardView:
    """Everything a drawing of a board needs, UNIT a cell, y downwards, the first rank at the bottom."""

    width: float
    height: float
    cells: tuple[DrawnCell, ...]
    labels: tuple[EdgeLabel, ...]


def board_view(board: Board) -> BoardView:
    """Levels stand side by side, the top one at the left."""
    level_w, level_h = board.size_wh
    stride = level_w + DRAWING_MARGIN + GAP
    castle_of = {cell: side for side, cells in board.castles.items() for cell in cells}
    top = DRAWING_MARGIN / 2 + (DRAWING_MARGIN if max(board.levels) else 0)
    cells, labels = [], {}
    for i, name in enumerate(board.cells):
        left = DRAWING_MARGIN + board.levels[i] * stride
        x, y = left + board.centres_xy[i][0], top + level_h - board.centres_xy[i][1]
        points = " ".join(f"{_to_units(x + dx):g},{_to_units(y - dy):g}" for dx, dy in board.outline_xy)
        cells.append(DrawnCell(name, _to_units(x), _to_units(y), points, board.tones[i], castle_of.get(name)))
        parts = CELL_NAME.fullmatch(name)
        if parts:
            level, file, rank = parts.groups()
            labels[level, file] = EdgeLabel(file, _to_units(x), _to_units(top + level_h + DRAWING_MARGIN / 2))
            labels[level, rank] = EdgeLabel(rank, _to_units(left - DRAWING_MARGIN / 2), _to_units(y))
            if level:
                labels[level, ""] = EdgeLabel(
                    f"Level {level}", _to_units(left + level_w / 2), _to_units(DRAWING_MARGIN / 2)
                )
    width = (max(board.levels) + 1) * stride - GAP + DRAWING_MARGIN / 2
    return BoardView(_to_units(width), _to_units(top + level_h + DRAWING_MARGIN), tuple(cells), tuple(labels.values()))


PICTURE_COLOURS = {"white": "#fffdf6", "black": "#2d3138", "blue": "#2f6fb5", "red": "#c2402f", "green": "#3f8f4f"}
CELL_FILLS = ("#e9dcc0", "#dfcfac", "#d3c197")
PIECE_RADIUS = 14


def start_picture(game: Game) -> str:
    """The start position as an SVG picture that needs no style from elsewhere: cells, castles, pieces as discs."""
    view = board_view(game.board)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {view.width:g} {view.height:g}">']
    for cell in view.cells:
        fill = "#b99a5f" if cell.castle else CELL_FILLS[cell.tone % len(CELL_FILLS)]
        parts.append(f'<polygon points="{cell.points}" fill="{fill}" stroke="#c3ae82"/>')
    for cell, piece in zip(view.cells, game.start().placement, strict=True):
        if piece:
            fill = PICTURE_COLOURS[game.seats[game.seat_of[piece]]]
            tall = game.codes[piece].endswith("N")
            mark = f'<circle cx="{cell.x:g}" cy="{cell.y:g}" r="5" fill="#b3261e"/>' if tall else ""
            circle = f'<circle cx="{cell.x:g}" cy="{cell.y:g}" r="{PIECE_RADIUS}" fill="{fill}" stroke="#23201a"/>'
            parts.append(circle + mark)
    return "".join([*parts, "</svg>"])


def _to_units(cells: float) -> float:
    return round(cells * UNIT, 2)
