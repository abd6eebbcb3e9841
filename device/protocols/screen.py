"""The LEDs as a picture on a terminal: one coloured block a cell, where the cell lies. For boards without LEDs."""

from __future__ import annotations

from device.lights import DARK, LedFrame, Rgb
from device.protocol import OneWayProtocol
from engine.board import Board

HOME = "\x1b[H\x1b[J"
RESET = "\x1b[0m"
COLUMNS_PER_CELL = 2
"""Characters are about twice as high as wide."""
UNLIT: Rgb = (40, 40, 46)
"""A cell that is not lit is still drawn, so that the board can be seen."""


class ScreenProtocol(OneWayProtocol):
    """Draws the whole board anew for each frame, the two text lines below it."""

    def encode_frame(self, frame: LedFrame, t: float) -> bytes:
        """ANSI text with 24-bit colours, UTF-8."""
        return (HOME + draw_board(self.leds.board, frame) + "".join(f"{line}\n" for line in frame.text)).encode()


def draw_board(board: Board, frame: LedFrame) -> str:
    """Lines of coloured blocks, the highest rank first, levels side by side."""
    rows: dict[float, dict[int, Rgb]] = {}
    width = int(board.size_wh[0] * COLUMNS_PER_CELL) + COLUMNS_PER_CELL
    for i, (x, y) in enumerate(board.centres_xy):
        column = int((x - 0.5) * COLUMNS_PER_CELL) + board.levels[i] * width
        rows.setdefault(y, {})[column] = frame.rgb[i] if frame.rgb[i] != DARK else UNLIT
    return "".join(_draw_row(rows[y]) + "\n" for y in sorted(rows, reverse=True))


def _draw_row(row: dict[int, Rgb]) -> str:
    text, at = "", 0
    for column in sorted(row):
        red, green, blue = row[column]
        block = f"\x1b[48;2;{red};{green};{blue}m{' ' * COLUMNS_PER_CELL}{RESET}"
        text += " " * (column - at) + block
        at = column + COLUMNS_PER_CELL
    return text
