"""Pieces as small pictures, from the drawings that a game brings: the same shapes as on its pages."""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser

from PIL import Image, ImageDraw, ImageFont
from svg.path import parse_path

DRAWING_UNITS = 45
"""Units of a drawing each way."""
FINER = 4
"""Drawn so much larger and made small again, so that edges are smooth."""
CURVE_POINTS = 12
"""Points of a curve."""
OUTLINE_UNITS, DETAIL_UNITS = 1.8, 1.5
"""Widths of the outline and of details, in units, as the pages have them."""
COUNTER_UNITS, LETTER_UNITS = 15, 18
"""Radius of a piece without a drawing, and the height of the letter on it."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Shape:
    """A line or an outline; `detail` is drawn over the body, `dot` is filled with the line's colour."""

    points: tuple[Point, ...]
    closed: bool
    detail: bool
    dot: bool


class _Shapes(HTMLParser):
    """Paths and circles of a drawing; all else is left out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Shape] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One element."""
        said = {name: value or "" for name, value in attrs}
        classes = said.get("class", "").split()
        detail, dot = "detail" in classes, "dot" in classes
        if tag == "circle":
            x, y, r = (float(said.get(name, "0")) for name in ("cx", "cy", "r"))
            round_path = f"M{x - r} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z"
            self.found += _parse_outlines(round_path, detail=detail, dot=dot)
        elif tag == "path":
            self.found += _parse_outlines(said.get("d", ""), detail=detail, dot=dot)


def _parse_outlines(path: str, *, detail: bool, dot: bool) -> list[Shape]:
    """The parts of a path, each from where the pen is put down to where it is lifted."""
    found: list[Shape] = []
    points: list[Point] = []
    for segment in parse_path(path):
        kind = type(segment).__name__
        if kind == "Move":
            found += [Shape(tuple(points), closed=False, detail=detail, dot=dot)] if points else []
            points = [(segment.end.real, segment.end.imag)]
            continue
        steps = 1 if kind in {"Line", "Close"} else CURVE_POINTS
        at = [segment.point(step / steps) for step in range(1, steps + 1)]
        points += [(each.real, each.imag) for each in at]
        if kind == "Close":
            found.append(Shape(tuple(points), closed=True, detail=detail, dot=dot))
            points = []
    return found + ([Shape(tuple(points), closed=False, detail=detail, dot=dot)] if points else [])


def draw_piece(drawing: str, letter: str, side_px: int, body: str, line: str, inner: str) -> Image.Image:
    """A piece, RGBA, `side_px` each way: its drawing, or a counter with a letter where it has none."""
    scale = side_px * FINER / DRAWING_UNITS
    picture = Image.new("RGBA", (side_px * FINER, side_px * FINER))
    pen = ImageDraw.Draw(picture)
    shapes = _Shapes()
    shapes.feed(drawing)
    for shape in shapes.found:
        _draw_shape(pen, shape, scale, body, inner if shape.detail else line)
    if not shapes.found:
        middle, radius = DRAWING_UNITS * scale / 2, COUNTER_UNITS * scale
        edges = (middle - radius, middle - radius, middle + radius, middle + radius)
        pen.ellipse(edges, fill=body, outline=line, width=round(OUTLINE_UNITS * scale))
        pen.text(
            (middle, middle), letter, fill=inner, font=ImageFont.load_default(size=LETTER_UNITS * scale), anchor="mm"
        )
    return picture.resize((side_px, side_px), Image.Resampling.LANCZOS)


def _draw_shape(pen: ImageDraw.ImageDraw, shape: Shape, scale: float, body: str, line: str) -> None:
    points = [(x * scale, y * scale) for x, y in shape.points]
    if shape.dot:
        pen.polygon(points, fill=line)
    elif shape.closed and not shape.detail:
        pen.polygon(points, fill=body)
    if not shape.dot:
        ends = [*points, points[0]] if shape.closed else points
        pen.line(ends, fill=line, width=round((DETAIL_UNITS if shape.detail else OUTLINE_UNITS) * scale), joint="curve")
