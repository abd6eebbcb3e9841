"""docs/pictures/bench-matrix.png: the whole matrix at a glance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from tests.bench.bench_vision.tasks import BOARDS, ROWS
from tests.render.camera.conditions import STRENGTHS

CELL_WH = (88, 34)
LEFT, TOP, GAP, EDGE, LEGEND = 150, 96, 18, 24, 70
NONE_RGB, HALF_RGB, ALL_RGB = (244, 240, 232), (150, 190, 214), (30, 92, 150)
"""Of no ply right, half of them, all of them: readable without telling red from green."""
WRONG_RGB, INK, FAINT = (214, 34, 34), (34, 38, 44), (120, 124, 130)
WRONG_WIDTH = 4
BACK = (255, 255, 255)


def draw(matrix: dict[str, Any], file: Path) -> None:
    """Write the picture of a matrix (strength -> disturbance -> board -> figures)."""
    boards = [b for b in BOARDS if any(b in cells for rows in matrix.values() for cells in rows.values())]
    strengths = [s for s in STRENGTHS if s in matrix]
    rows = [name for name in ROWS if any(name in matrix[s] for s in strengths)]
    block = CELL_WH[0] * len(boards)
    width = LEFT + len(strengths) * (block + GAP) - GAP + EDGE
    image = Image.new("RGB", (width, TOP + CELL_WH[1] * len(rows) + LEGEND + EDGE), BACK)
    pen = ImageDraw.Draw(image)
    pen.text((EDGE, 16), "Plies said right without help", INK, _font(20))
    for n, strength in enumerate(strengths):
        x = LEFT + n * (block + GAP)
        pen.text((x + block / 2, 56), strength, INK, _font(18), anchor="mm")
        for k, board in enumerate(boards):
            pen.text((x + (k + 0.5) * CELL_WH[0], 80), board, FAINT, _font(13), anchor="mm")
        for line, name in enumerate(rows):
            for k, board in enumerate(boards):
                figures = matrix[strength].get(name, {}).get(board)
                _cell(pen, (x + k * CELL_WH[0], TOP + line * CELL_WH[1]), figures)
    for line, name in enumerate(rows):
        pen.text((LEFT - 12, TOP + (line + 0.5) * CELL_WH[1]), name, INK, _font(15), anchor="rm")
    _legend(pen, TOP + CELL_WH[1] * len(rows) + 20)
    file.parent.mkdir(parents=True, exist_ok=True)
    image.save(file, optimize=True)


def _cell(pen: ImageDraw.ImageDraw, at: tuple[int, int], figures: dict[str, Any] | None) -> None:
    """One cell of the matrix: how many of how many plies, and in red how many were wrong."""
    x, y = at
    box = (x + 1, y + 1, x + CELL_WH[0] - 2, y + CELL_WH[1] - 2)
    if not figures or not figures["plies"]:
        pen.line((box[0] + 34, (y + y + CELL_WH[1]) / 2, box[2] - 34, (y + y + CELL_WH[1]) / 2), FAINT)
        return
    share, wrong = figures["right"] / figures["plies"], figures["wrong"]
    pen.rectangle(box, _shade(share), WRONG_RGB if wrong else None, WRONG_WIDTH if wrong else 1)
    middle = (x + CELL_WH[0] / 2, y + CELL_WH[1] / 2)
    ink = BACK if share > 0.6 else INK
    text = f"{figures['right']}/{figures['plies']}"
    if not wrong:
        pen.text(middle, text, ink, _font(15), anchor="mm")
        return
    pen.text((x + 10, middle[1]), text, ink, _font(14), anchor="lm")
    pen.rectangle((box[2] - 24, box[1], box[2], box[3]), WRONG_RGB)
    pen.text((box[2] - 12, middle[1]), f"{wrong}", BACK, _font(15), anchor="mm")


def _legend(pen: ImageDraw.ImageDraw, y: int) -> None:
    """What the shades and the red mean."""
    for n in range(11):
        pen.rectangle((LEFT + n * 22, y, LEFT + n * 22 + 21, y + 16), _shade(n / 10))
    pen.text((LEFT, y + 22), "none", FAINT, _font(13))
    pen.text((LEFT + 11 * 22, y + 22), "all plies right", FAINT, _font(13), anchor="ra")
    x = LEFT + 11 * 22 + 40
    pen.rectangle((x, y, x + 26, y + 16), WRONG_RGB)
    pen.text((x + 36, y + 8), "so many moves were said wrong and never put right", INK, _font(13), anchor="lm")


def _shade(share: float) -> tuple[int, int, int]:
    low, high, part = (NONE_RGB, HALF_RGB, 2 * share) if share < 0.5 else (HALF_RGB, ALL_RGB, 2 * share - 1)
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(low, high, strict=True))
    return red, green, blue


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
