"""A game as a moving picture (GIF): one picture a position, drawn from the geometry of the board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from engine import games
from engine.explain.wording import side_of, words_of
from server.drawing import UNIT, BoardView, board_view
from server.record.exports.stamps import draw_piece

WIDTH_PX = 640
SHOWN_MS, LAST_SHOWN_MS = 900, 3000
TONES = ("#e9dcc0", "#dfcfac", "#d3c197")
GROUND, EDGE, CASTLE_TINT, INK, MARK = "#f5f2ec", "#c3ae82", "#c9b48a", "#23262a", "#2f5d50"
BODIES = {
    "white": ("#fffdf6", "#4b4436", "#4b4436"),
    "black": ("#2d3138", "#0d0f12", "#b5ada0"),
    "blue": ("#2f6fb5", "#0e2a4a", "#ffffff"),
    "red": ("#c2402f", "#4a120b", "#ffffff"),
    "green": ("#3f8f4f", "#123a1b", "#ffffff"),
}
"""Colour of a side's pieces, of their outline, and of what is drawn on them, as the pages have them."""
OTHER_BODY = ("#8a8f98", "#32373c", "#ffffff")
DRAWN_CELLS = 0.9


def render_film(replay: Mapping[str, object]) -> bytes:
    """The GIF of a replay (server.record.archive.as_replay)."""
    pictures = list(_draw_positions(replay))
    out = BytesIO()
    times = [*[SHOWN_MS] * (len(pictures) - 1), LAST_SHOWN_MS]
    pictures[0].save(
        out, "GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=False, disposal=1
    )
    return out.getvalue()


def render_position(replay: Mapping[str, object], ply: int) -> bytes:
    """A picture (PNG) of the position after so many plies of a replay."""
    positions, out = replay["positions"], BytesIO()
    cells = {"cells": positions[ply]["cells"]} if isinstance(positions, list) else {}
    (picture,) = _draw_positions({**replay, "positions": [cells]})
    picture.save(out, "PNG")
    return out.getvalue()


def _draw_positions(replay: Mapping[str, object]) -> Iterator[Image.Image]:
    game = games.load(str(replay["game"]), str(replay["rules"]))
    view = board_view(game.board)
    scale = WIDTH_PX / view.width
    empty = _draw_empty_board(view, scale)
    at = {cell.name: (cell.x * scale, cell.y * scale) for cell in view.cells}
    points = {cell.name: _parse_points(cell.points, scale) for cell in view.cells}
    kinds, side_px = words_of(game).kinds, round(DRAWN_CELLS * UNIT * scale)
    stamps = {
        code: draw_piece(kind.drawing, kind.letter, side_px, *BODIES.get(side_of(game, code), OTHER_BODY))
        for code, kind in kinds.items()
    }
    positions = replay["positions"]
    for step in positions if isinstance(positions, list) else []:
        picture = empty.copy()
        pen = ImageDraw.Draw(picture)
        for name in step.get("at", ()):
            pen.polygon(points[name], outline=MARK, width=max(2, round(0.08 * UNIT * scale)))
        for name, code in step["cells"].items():
            corner = (round(at[name][0] - side_px / 2), round(at[name][1] - side_px / 2))
            picture.paste(stamps[code], corner, stamps[code])
        yield picture


def _draw_empty_board(view: BoardView, scale: float) -> Image.Image:
    picture = Image.new("RGB", (WIDTH_PX, round(view.height * scale)), GROUND)
    pen = ImageDraw.Draw(picture)
    for cell in view.cells:
        pen.polygon(
            _parse_points(cell.points, scale), fill=CASTLE_TINT if cell.castle else TONES[cell.tone], outline=EDGE
        )
    letters = ImageFont.load_default(size=0.36 * UNIT * scale)
    for label in view.labels:
        pen.text((label.x * scale, label.y * scale), label.text, fill=INK, font=letters, anchor="mm")
    return picture


def _parse_points(text: str, scale: float) -> list[tuple[float, float]]:
    pairs = (pair.split(",") for pair in text.split())
    return [(float(x) * scale, float(y) * scale) for x, y in pairs]
