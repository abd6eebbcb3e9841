"""Drawings on sheets of paper: small ones side by side, large ones cut into tiles with strips to glue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from calibration.printing.marks import BLACK, GREY, Drawing, Label, Mark, Outline, Point
from engine.errors import InputError

PAPERS: dict[str, Point] = {
    "a4": (210.0, 297.0),
    "a3": (297.0, 420.0),
    "a2": (420.0, 594.0),
    "letter": (215.9, 279.4),
    "tabloid": (279.4, 431.8),
}
EDGE_MM, FOOT_MM, GLUE_MM = 8.0, 9.0, 10.0
"""What printers leave white, what the scale bar and the words below take, and the strip that two sheets share."""
GAP_MM = 3.0
"""Between two small things: room for scissors."""
CUT_MM = (0.5, 3.5)
"""Where cut marks begin and end, from the edge of the drawing: printers leave 4 mm white."""
MOST_SHEETS = 100
BAR_MM = 50.0


@dataclass(frozen=True)
class PlacedDrawing:
    """A drawing on a sheet: its lower left corner at `at`, and the part of the sheet that it may fill."""

    drawing: Drawing
    at: Point
    window: tuple[float, float, float, float]
    """x, y, width, height."""


@dataclass(frozen=True)
class Sheet:
    """One page, `size` in millimetres; `notes` are the marks that are about printing and cutting."""

    size: Point
    placed: tuple[PlacedDrawing, ...]
    notes: tuple[Mark, ...]


def fitting_cell_mm(size_at_1mm: Point, paper: str) -> float:
    """The largest whole number of millimetres a cell with which a drawing stays on one sheet."""
    spaces = [_page_space(page) for page in _page_orientations(paper)]
    return float(max(1, int(max(min(w / size_at_1mm[0], h / size_at_1mm[1]) for w, h in spaces))))


def tile_drawings(drawings: Sequence[Drawing], paper: str) -> list[Sheet]:
    """Each drawing by itself, on as few sheets as can be. InputError if they are more than a hundred."""
    return [sheet for drawing in drawings for sheet in _tile_drawing(drawing, paper)]


def pack_drawings(drawings: Sequence[Drawing], paper: str) -> list[Sheet]:
    """Small drawings in rows, in their order. InputError for one larger than a sheet."""
    page = PAPERS[paper]
    width, height = _page_space(page)
    sheets: list[Sheet] = []
    row: list[PlacedDrawing] = []
    x, y, tall = 0.0, height, 0.0
    for drawing in drawings:
        w, h = drawing.size
        if w > width or h > height:
            raise InputError(f"--cell-mm: {drawing.name} is {w:.0f} x {h:.0f} mm, more than a sheet of {paper}")
        if x + w > width:
            x, y, tall = 0.0, y - tall - GAP_MM, 0.0
        if y - h < 0:
            sheets.append(_make_sheet(page, row, f"sheet {len(sheets) + 1}"))
            row, x, y, tall = [], 0.0, height, 0.0
        low = (EDGE_MM + x, EDGE_MM + FOOT_MM + y - h)
        row.append(PlacedDrawing(drawing, low, (*low, w, h)))
        x, tall = x + w + GAP_MM, max(tall, h)
    return [*sheets, _make_sheet(page, row, f"sheet {len(sheets) + 1}")]


def _tile_drawing(drawing: Drawing, paper: str) -> list[Sheet]:
    page = min(_page_orientations(paper), key=lambda way: _count_sheets(drawing, way))
    columns, rows = _count_xy(drawing, page)
    if columns * rows > MOST_SHEETS:
        raise InputError(f"--cell-mm: {drawing.name} needs {columns * rows} sheets of {paper}; take a smaller cell")
    part = _part_length(drawing.size[0], columns), _part_length(drawing.size[1], rows)
    width, height = _page_space(page)
    corner = (EDGE_MM + (width - part[0]) / 2, EDGE_MM + FOOT_MM + (height - part[1]) / 2)
    sheets = []
    for row in range(rows):
        for column in range(columns):
            left, low = column * (part[0] - GLUE_MM), row * (part[1] - GLUE_MM)
            placed = PlacedDrawing(drawing, (corner[0] - left, corner[1] - low), (*corner, *part))
            words = f"{drawing.name}: row {row + 1} of {rows} from below, column {column + 1} of {columns}"
            more = [*_cut_marks(corner, part), *_glue_marks(corner, part, column, row)]
            sheets.append(_make_sheet(page, [placed], words if columns * rows > 1 else drawing.name, more))
    return sheets


def _part_length(length: float, count: int) -> float:
    """What each of `count` sheets has of a drawing, all the same, with the strips that two of them share."""
    return (length + (count - 1) * GLUE_MM) / count


def _cut_marks(corner: Point, part: Point) -> list[Mark]:
    """Ticks outside the four corners, in line with the edges: cut from one to the other."""
    (x, y), (w, h), (near, far) = corner, part, CUT_MM
    marks: list[Mark] = []
    for edge in (x, x + w):
        marks += [_tick_mark((edge, y - far), (edge, y - near)), _tick_mark((edge, y + h + near), (edge, y + h + far))]
    for edge in (y, y + h):
        marks += [_tick_mark((x - far, edge), (x - near, edge)), _tick_mark((x + w + near, edge), (x + w + far, edge))]
    return marks


def _glue_marks(corner: Point, part: Point, column: int, row: int) -> list[Mark]:
    """How far a sheet goes over its neighbours at the left and below."""
    (x, y), (_, h), (near, far) = corner, part, CUT_MM
    marks: list[Mark] = []
    if column:
        at = (x + GLUE_MM + 1.5, y + h + far - 1)
        marks.append(Label(at, 2.0, "cut, glue the strip at the left", GREY, centred=False))
        marks.append(_tick_mark((x + GLUE_MM, y + h + near), (x + GLUE_MM, y + h + near + 1)))
    if row:
        marks.append(_tick_mark((x - near - 1, y + GLUE_MM), (x - near, y + GLUE_MM)))
    return marks


def _make_sheet(page: Point, placed: Sequence[PlacedDrawing], words: str, more: Sequence[Mark] = ()) -> Sheet:
    x, y = EDGE_MM, EDGE_MM + 1
    bar = [
        _tick_mark((x, y), (x + BAR_MM, y)),
        _tick_mark((x, y - 1), (x, y + 1)),
        _tick_mark((x + BAR_MM, y - 1), (x + BAR_MM, y + 1)),
    ]
    legend = f"{BAR_MM:.0f} mm: print at 100 %, measure this bar.   {words}"
    return Sheet(page, tuple(placed), (*bar, Label((x + BAR_MM + 4, y), 2.2, legend, centred=False), *more))


def _tick_mark(one: Point, other: Point) -> Outline:
    return Outline((one, other), None, BLACK, 0.2)


def _page_orientations(paper: str) -> tuple[Point, Point]:
    """Upright and lying."""
    w, h = PAPERS[paper]
    return ((w, h), (h, w))


def _page_space(page: Point) -> Point:
    """Room for drawings on a page."""
    return (page[0] - 2 * EDGE_MM, page[1] - 2 * EDGE_MM - FOOT_MM)


def _count_xy(drawing: Drawing, page: Point) -> tuple[int, int]:
    width, height = _page_space(page)
    columns = 1 if drawing.size[0] <= width else ceil((drawing.size[0] - GLUE_MM) / (width - GLUE_MM))
    rows = 1 if drawing.size[1] <= height else ceil((drawing.size[1] - GLUE_MM) / (height - GLUE_MM))
    return columns, rows


def _count_sheets(drawing: Drawing, page: Point) -> int:
    columns, rows = _count_xy(drawing, page)
    return columns * rows
