"""A game as a moving picture (GIF): one picture a position, drawn from the geometry of the board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from engine import games
from engine.wording import counters, side_of, words_of
from server.drawing import UNIT, BoardView, board_view

WIDTH_PX = 640
SHOWN_MS, LAST_SHOWN_MS = 900, 3000
TONES = ("#e9dcc0", "#dfcfac", "#d3c197")
GROUND, EDGE, CASTLE_TINT, INK, MARK = "#f5f2ec", "#c3ae82", "#c9b48a", "#23262a", "#2f5d50"
BODIES = {
    "white": ("#fffdf6", "#4b4436"),
    "black": ("#2d3138", "#f5f2ec"),
    "blue": ("#2f5f9e", "#ffffff"),
    "red": ("#b23b34", "#ffffff"),
    "green": ("#3f7d4e", "#ffffff"),
}
"""Colour of a side's pieces, and of the line and letter on them."""
OTHER_BODY = ("#8a8f98", "#ffffff")


def film(replay: Mapping[str, object]) -> bytes:
    """The GIF of a replay (server.record.archive.as_replay)."""
    pictures = list(_pictures(replay))
    out = BytesIO()
    times = [*[SHOWN_MS] * (len(pictures) - 1), LAST_SHOWN_MS]
    pictures[0].save(
        out, "GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=False, disposal=1
    )
    return out.getvalue()


def _pictures(replay: Mapping[str, object]) -> Iterator[Image.Image]:
    game = games.load(str(replay["game"]), str(replay["rules"]))
    view = board_view(game.board)
    scale = WIDTH_PX / view.width
    empty = _empty_board(view, scale)
    at = {cell.name: (cell.x * scale, cell.y * scale) for cell in view.cells}
    points = {cell.name: _points(cell.points, scale) for cell in view.cells}
    letters = ImageFont.load_default(size=0.42 * UNIT * scale)
    kinds, plain = words_of(game).kinds, counters(game).values()
    positions = replay["positions"]
    for step in positions if isinstance(positions, list) else []:
        picture = empty.copy()
        pen = ImageDraw.Draw(picture)
        for name in step.get("at", ()):
            pen.polygon(points[name], outline=MARK, width=max(2, round(0.08 * UNIT * scale)))
        for name, code in step["cells"].items():
            _piece(
                pen,
                at[name],
                0.36 * UNIT * scale,
                BODIES.get(side_of(game, code), OTHER_BODY),
                "" if code in plain else kinds[code].letter,
                letters,
            )
        yield picture


def _piece(
    pen: ImageDraw.ImageDraw,
    at: tuple[float, float],
    radius: float,
    colours: tuple[str, str],
    letter: str,
    letters: ImageFont.ImageFont | ImageFont.FreeTypeFont,
) -> None:
    x, y = at
    body, line = colours
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=body, outline=line, width=2)
    if letter:
        pen.text((x, y), letter, fill=line, font=letters, anchor="mm")


def _empty_board(view: BoardView, scale: float) -> Image.Image:
    picture = Image.new("RGB", (WIDTH_PX, round(view.height * scale)), GROUND)
    pen = ImageDraw.Draw(picture)
    for cell in view.cells:
        pen.polygon(_points(cell.points, scale), fill=CASTLE_TINT if cell.castle else TONES[cell.tone], outline=EDGE)
    letters = ImageFont.load_default(size=0.36 * UNIT * scale)
    for label in view.labels:
        pen.text((label.x * scale, label.y * scale), label.text, fill=INK, font=letters, anchor="mm")
    return picture


def _points(text: str, scale: float) -> list[tuple[float, float]]:
    pairs = (pair.split(",") for pair in text.split())
    return [(float(x) * scale, float(y) * scale) for x, y in pairs]
