"""Which LED of the strip belongs to which cell, and how much current the strip may draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from device.lights import DARK, Rgb
from engine.board import Board

CHANNEL_MILLIAMPS = 20
"""A WS2812B channel at full brightness (its data sheet; 160 LEDs at full white draw 9.6 A)."""
MAX_MILLIAMPS = 2000
"""What a USB supply of the common kind gives with a margin; a map may say otherwise."""

LIGHT = tuple(
    round(255 * (n / 255 / 12.92 if n <= 0.04045 * 255 else ((n / 255 + 0.055) / 1.055) ** 2.4)) for n in range(256)
)
"""Level of a screen -> level of an LED."""


@dataclass(frozen=True, slots=True)
class LedMap:
    """`owners[i]` are the indices of the cells that light LED `i`; `color_order` is what the receiver expects."""

    board: Board
    owners: tuple[tuple[int, ...], ...]
    color_order: str = "RGB"
    max_milliamps: int = MAX_MILLIAMPS

    def cell_colours(self, rgb: Sequence[Rgb]) -> tuple[Rgb, ...]:
        """Colour of the light that each cell gets: the mean of its LEDs, as they are dimmed."""
        sent = self.encode_strip(rgb)
        order = [self.color_order.index(letter) for letter in "RGB"]
        sums, counts = [[0, 0, 0] for _ in self.board.cells], [0] * len(self.board.cells)
        for led, owners in enumerate(self.owners):
            colour = [sent[3 * led + channel] for channel in order]
            for cell in owners:
                counts[cell] += 1
                sums[cell] = [before + one for before, one in zip(sums[cell], colour, strict=True)]
        means = [tuple(one // max(1, n) for one in total) for total, n in zip(sums, counts, strict=True)]
        return tuple((red, green, blue) for red, green, blue in means)

    def encode_strip(self, rgb: Sequence[Rgb]) -> bytes:
        """Three bytes for each LED in strip order, dimmed as a whole when the strip would draw too much.

        An LED between several cells shows the brightest of them.
        """
        order = ["RGB".index(letter) for letter in self.color_order]
        lit = [max((rgb[cell] for cell in owners), key=sum, default=DARK) for owners in self.owners]
        lit = [led_colour(colour) for colour in lit]
        scale = min(1.0, self.max_milliamps / max(estimate_milliamps(lit), 1e-9))
        return bytes(int(colour[channel] * scale) for colour in lit for channel in order)


def led_colour(colour: Rgb) -> Rgb:
    """A colour as a screen shows it (sRGB, IEC 61966-2-1) as an LED is sent it: twice the number, twice the light."""
    red, green, blue = (LIGHT[channel] for channel in colour)
    return red, green, blue


def estimate_milliamps(rgb: Sequence[Rgb]) -> float:
    """What LEDs of these colours draw."""
    return sum(map(sum, rgb)) * CHANNEL_MILLIAMPS / 255


def build_plain_map(board: Board) -> LedMap:
    """The map of a strip that visits the cells in board order, one LED each."""
    return LedMap(board, tuple((i,) for i in range(len(board.cells))))
