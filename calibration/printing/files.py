"""Sheets as PDF pages, drawings as one SVG, both in true millimetres."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from io import BytesIO

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from calibration.printing.marks import Drawing, InkRgb, Mark, Outline
from calibration.printing.paper import Sheet

FONT, CAPITAL = "Helvetica", 0.72
"""Height of a capital letter over the size of the font."""
SVG_GAP_MM = 10.0


def render_pdf(sheets: Sequence[Sheet], title: str) -> bytes:
    """The sheets as a PDF document; the same sheets give the same bytes."""
    file = BytesIO()
    canvas = Canvas(file, invariant=1)
    canvas.setTitle(title)
    canvas.setCreator("camelot-referee")
    for sheet in sheets:
        canvas.setPageSize((sheet.size[0] * mm, sheet.size[1] * mm))
        for placed in sheet.placed:
            canvas.saveState()
            window = canvas.beginPath()
            window.rect(*(side * mm for side in placed.window))
            canvas.clipPath(window, stroke=0, fill=0)
            canvas.translate(placed.at[0] * mm, placed.at[1] * mm)
            for mark in placed.drawing.marks:
                _draw_mark(canvas, mark)
            canvas.restoreState()
        for mark in sheet.notes:
            _draw_mark(canvas, mark)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw_mark(canvas: Canvas, mark: Mark) -> None:
    if isinstance(mark, Outline):
        path = canvas.beginPath()
        path.moveTo(mark.points[0][0] * mm, mark.points[0][1] * mm)
        for x, y in mark.points[1:]:
            path.lineTo(x * mm, y * mm)
        path.close()
        canvas.setStrokeColorRGB(*mark.line)
        canvas.setLineWidth(mark.width * mm)
        if mark.fill is not None:
            canvas.setFillColorRGB(*mark.fill)
        canvas.drawPath(path, stroke=int(mark.width > 0), fill=int(mark.fill is not None))
        return
    size = mark.size / CAPITAL * mm
    canvas.setFillColorRGB(*mark.colour)
    canvas.setFont(FONT, size)
    write = canvas.drawCentredString if mark.centred else canvas.drawString
    write(mark.at[0] * mm, (mark.at[1] - mark.size / 2) * mm, mark.text)


def render_svg(drawings: Sequence[Drawing], title: str) -> str:
    """The whole drawings beside each other in one picture, for a print shop or a laser cutter."""
    width = sum(drawing.size[0] + SVG_GAP_MM for drawing in drawings) - SVG_GAP_MM
    height = max(drawing.size[1] for drawing in drawings)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.3f}mm" height="{height:.3f}mm" '
        f'viewBox="0 0 {width:.3f} {height:.3f}">',
        f"<title>{escape(title)}</title>",
    ]
    left = 0.0
    for drawing in drawings:
        lines += [_svg_element(mark, left, height) for mark in drawing.marks]
        left += drawing.size[0] + SVG_GAP_MM
    return "\n".join([*lines, "</svg>"]) + "\n"


def _svg_element(mark: Mark, left: float, height: float) -> str:
    if isinstance(mark, Outline):
        points = " ".join(f"{x + left:.3f},{height - y:.3f}" for x, y in mark.points)
        fill = _hex_colour(mark.fill) if mark.fill is not None else "none"
        line = f'stroke="{_hex_colour(mark.line)}" stroke-width="{mark.width:.3f}"' if mark.width > 0 else ""
        return f'<polygon points="{points}" fill="{fill}" {line}/>'
    x, y = mark.at[0] + left, height - mark.at[1] + mark.size / 2
    size, anchor = mark.size / CAPITAL, "middle" if mark.centred else "start"
    return (
        f'<text x="{x:.3f}" y="{y:.3f}" font-family="Helvetica, Arial, sans-serif" font-size="{size:.3f}" '
        f'text-anchor="{anchor}" fill="{_hex_colour(mark.colour)}">{escape(mark.text)}</text>'
    )


def _hex_colour(rgb: InkRgb) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)
