"""What the LEDs show: a pure drawing of the match, one colour and one shape for each cell.

| phase    | cells                                  | colour   | shape |
|----------|----------------------------------------|----------|-------|
| set-up   | every wrong cell at once               | wrong    | blink |
| playing  | last move, both ends                   | last     | solid |
| lifted   | the cell it left                       | start    | blink |
|          | where it may end; where it captures    | target; forced | solid |
| partial  | still to be removed                    | wrong    | blink |
|          | where the piece belongs                | target   | blink |
| trouble  | cells that no move explains            | wrong    | blink |
|          | both ends of the lawful alternatives   | target   | solid |
| unclear  | both ends of the moves in question     | asked    | blink |
| blind    | the four outermost cells               | asked    | blink |
| over     | castles of the board; last move        | won; last | blink; solid |

A colour never stands alone: what must be put right blinks, what is only told is steady.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

Rgb = tuple[int, int, int]
DARK: Rgb = (0, 0, 0)

BLINK_S = 0.8
"""One blink, half on and half off: 1.25 a second, below the three flashes a second of WCAG 2.3.1."""

TEXT_COLUMNS, TEXT_ROWS = 16, 2
"""The text display of the reference hardware (HD44780, 16x2)."""

PALETTES: Mapping[str, Mapping[str, Rgb]] = {
    "standard": {
        "start": (255, 200, 0),
        "target": (0, 220, 40),
        "forced": (0, 220, 200),
        "wrong": (255, 0, 0),
        "last": (60, 60, 90),
        "asked": (255, 90, 0),
        "won": (255, 255, 255),
    },
    # Okabe and Ito's colours, told apart by people with any of the three dichromacies.
    "colour-blind": {
        "start": (240, 228, 66),
        "target": (0, 114, 178),
        "forced": (86, 180, 233),
        "wrong": (213, 94, 0),
        "last": (70, 70, 70),
        "asked": (204, 121, 167),
        "won": (255, 255, 255),
    },
}

Paint = dict[str, tuple[str, bool]]
"""Cell -> (colour name, whether it blinks)."""


@dataclass(frozen=True, slots=True)
class LedFrame:
    """One picture: `rgb` has a colour for each cell in board order, `blink` the blinking indices, `text` two lines."""

    rgb: tuple[Rgb, ...]
    blink: frozenset[int] = frozenset()
    text: tuple[str, str] = ("", "")

    def at(self, t: float) -> LedFrame:
        """The frame as it looks at `t`: blinking cells lit or dark, nothing left to blink."""
        if not self.blink:
            return self
        on = t % BLINK_S < BLINK_S / 2
        rgb = self.rgb if on else tuple(DARK if i in self.blink else colour for i, colour in enumerate(self.rgb))
        return replace(self, rgb=rgb, blink=frozenset())
