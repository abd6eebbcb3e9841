"""docs/pictures/belief.png, what was believed look by look: python -m tests.bench.belief_picture.

The game is a stored trace of the corpus (path traced, a table that is bumped), so that everybody can replay it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
from PIL import Image, ImageDraw, ImageFont

from server.record.traces.trace import load_trace
from tests.bench.corpus import SUFFIX

ROOT = Path(__file__).parents[2]
TRACE = ROOT / "tests" / "data" / "corpus" / "fit" / f"dark_white_day-bumps-ordinary{SUFFIX}"
FILE = ROOT / "docs" / "pictures" / "belief.png"
FROM_S, TO_S = 12.0, 21.3
KINDS = {
    "as before": ("nothing was played", (206, 204, 198)),
    "lifted": ("a piece is in a hand", (150, 190, 214)),
    "played": ("a ply", (30, 92, 150)),
    "unlawful": ("something unlawful", (226, 140, 40)),
    "": ("anything else", (244, 240, 232)),
}
"""First words of an explanation -> what it means, and its colour: readable without telling red from green."""
SAID_RGB, INK, FAINT, BACK = (214, 34, 34), (34, 38, 44), (120, 124, 130), (255, 255, 255)
BAR_WH, GAP, LEFT, TOP, BELOW = (22, 220), 6, 70, 90, 96


class Look(NamedTuple):
    """One look: when, the share of each kind of explanation, and the word that was the verdict, if one was."""

    t: float
    shares: dict[str, float]
    word: str


def looks(path: Path = TRACE) -> Iterator[Look]:
    """The looks of a trace between FROM_S and TO_S, by the kinds of what was thought possible."""
    for line in load_trace(path).lines:
        if "belief" in line and FROM_S <= line["t"] <= TO_S:
            shares = dict.fromkeys(KINDS, 0.0)
            for chance, text in line["belief"]:
                kind = next(kind for kind in KINDS if text.startswith(kind))
                shares[kind] += chance
            shares[""] += max(0.0, 1.0 - sum(shares.values()))
            kind, _, rest = line["verdict"].partition(" ")
            yield Look(line["t"], shares, {"played": rest, "wrong": "unlawful"}.get(kind, ""))


def drawn(found: list[Look]) -> Image.Image:
    """A bar a look, and above it what was said."""
    width = LEFT + len(found) * (BAR_WH[0] + GAP) + LEFT
    image = Image.new("RGB", (width, TOP + BAR_WH[1] + BELOW), BACK)
    pen = ImageDraw.Draw(image)
    pen.text((LEFT, 14), "What is believed, look by look", INK, _font(20))
    for share in (0, 50, 100):
        y = TOP + BAR_WH[1] * (1 - share / 100)
        pen.text((LEFT - 10, y), f"{share} %", FAINT, _font(13), anchor="rm")
    said = ""
    for number, look in enumerate(found):
        x, y = LEFT + number * (BAR_WH[0] + GAP), float(TOP + BAR_WH[1])
        for kind, (_, rgb) in KINDS.items():
            high = BAR_WH[1] * look.shares[kind]
            pen.rectangle((x, y - high, x + BAR_WH[0], y), fill=rgb)
            y -= high
        if look.word and look.word != said:
            pen.rectangle((x - 2, TOP - 2, x + BAR_WH[0] + 2, TOP + BAR_WH[1] + 2), outline=SAID_RGB, width=3)
            pen.text((x + BAR_WH[0] / 2, TOP - 14), look.word, SAID_RGB, _font(14), anchor="ms")
        said = look.word or said
        if number % 2 == 0:
            pen.text((x + BAR_WH[0] / 2, TOP + BAR_WH[1] + 14), f"{look.t:.1f}", FAINT, _font(12), anchor="mm")
    pen.text((width - LEFT + 6, TOP + BAR_WH[1] + 14), "s", FAINT, _font(12), anchor="mm")
    _legend(pen, TOP + BAR_WH[1] + 54)
    return image


def _legend(pen: ImageDraw.ImageDraw, y: int) -> None:
    x = LEFT
    for text, rgb in KINDS.values():
        pen.rectangle((x, y, x + 16, y + 16), fill=rgb, outline=FAINT)
        pen.text((x + 24, y + 8), text, INK, _font(14), anchor="lm")
        x += 48 + int(pen.textlength(text, _font(14)))
    pen.rectangle((x, y, x + 16, y + 16), outline=SAID_RGB, width=3)
    pen.text((x + 24, y + 8), "said here", INK, _font(14), anchor="lm")


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


@click.command(help=__doc__)
@click.option("--out", default=FILE, type=click.Path(dir_okay=False, path_type=Path))
def command(out: Path) -> None:
    """Write the picture."""
    drawn(list(looks())).save(out, optimize=True)


if __name__ == "__main__":
    command()
