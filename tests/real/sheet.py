"""`python -m tests.real.sheet OUT.jpg`: the film, position by position, and what the referee had said by then.

Made from scholarsmate.avi alone (Apache-2.0, see tests/data/real/README.md).
"""

from __future__ import annotations

from pathlib import Path

import click
import cv2
import numpy as np
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from tests.plugin.site import at_hand
from tests.real import figures, film
from tests.real.bench import STORED
from tests.real.figures import Said
from vision.ground import Image

COLUMNS = 4
TILE_WH = (400, 300)
TEXT_H, LINE_H, MARGIN = 62, 18, 6
PAPER, INK, RED = (255, 255, 255), (20, 20, 20), (170, 0, 0)
NOT_TOLD = frozenset({"light-changed", "camera-found", "lifted"})
"""Events that say nothing about the game."""


def told(said: list[Said], until_s: float) -> list[str]:
    """What has been said of the game by then, the latest last."""
    return [_words(event) for event in said if float(str(event["t"])) <= until_s and event["event"] not in NOT_TOLD]


def _words(event: Said) -> str:
    return " ".join(str(event[key]) for key in ("event", "notation", "cell", "code") if key in event)


def tile(image: Image, title: str, lines: list[str]) -> Pictures.Image:
    """A frame with what is played above what was said."""
    sheet = Pictures.new("RGB", (TILE_WH[0], TILE_WH[1] + TEXT_H), PAPER)
    small = cv2.resize(image, TILE_WH, interpolation=cv2.INTER_AREA)
    sheet.paste(Pictures.fromarray(np.ascontiguousarray(small[..., ::-1])))
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(14)
    for row, (text, colour) in enumerate([(title, INK), *((line, RED) for line in lines)]):
        draw.text((MARGIN, TILE_WH[1] + MARGIN + row * LINE_H), text, fill=colour, font=font)
    return sheet


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
def command(out: Path) -> None:
    """Write the sheet: a tile for the first frame without hands of each position."""
    one = film.load(STORED)
    orders = {"full speed": film.shown(one, 0.0), f"with {film.PAUSE_S:g} s more": film.shown(one, film.PAUSE_S)}
    with at_hand("chess"):
        clips = zip(orders, (film.full_speed(one), film.with_pauses(one)), strict=True)
        said = {name: figures.refereed(clip) for name, clip in clips}
    tiles = []
    for state, rest, number in zip(one.truth["states"], one.rests, one.quiet, strict=True):
        if number is None:
            continue
        lines = []
        for name, order in orders.items():
            until_s = order.index(rest[-1]) / one.fps
            lines.append(f"{name}: {', '.join(told(said[name], until_s)[-2:])}")
        title = f"ply {state['ply']}: {state['san']}" if state["san"] else "the start position"
        tiles.append(tile(one.images[number], f"{title} ({number / one.fps:.1f} s)", lines))
    w, h = tiles[0].size
    sheet = Pictures.new("RGB", (COLUMNS * w, -(-len(tiles) // COLUMNS) * h), PAPER)
    for number, shown in enumerate(tiles):
        sheet.paste(shown, (number % COLUMNS * w, number // COLUMNS * h))
    sheet.save(out, quality=80, optimize=True)
    click.echo(f"{out}: {out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    command()
