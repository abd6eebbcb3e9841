"""When to read: as soon as something new can be read, and again after longer and longer, until it is understood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.frames import Frame
from vision.sight.seeing import READ_S, Seeing, SeenBoard
from vision.sight.stillness import Flags

LOOK_AT_S = (READ_S, 0.2, 0.3, 0.45, 0.7, 1.0, 1.1, 1.5, 2.1, 2.8, 3.6, 5.0)
"""Looks at cells that wait to be understood, seconds after the last of them came to rest; afterwards every AGAIN_S. The
first may be all that a quick game leaves time for; two after a second, as an accusation needs a second look."""
BEGIN_AT_S = (READ_S, 0.5, 1.0)
"""The same for a board that is not known yet: that takes a second each time."""
FLICKERS_SHARE = 0.03
"""Up to this share of the cells may stir before a game without anybody's touching them: in noise and in coarse codecs
one or another always does, and a game of Camblam was not begun for nine seconds. A hand over the board covers more.
Raising it looks at boards that are still being set up, lowering it begins no game in noise."""
AGAIN_S = 2.0
ROUNDING_S = 1e-6


@dataclass(frozen=True)
class DueLook:
    """A look that is due: at what the frames until `frame` have shown."""

    seen: SeenBoard
    still: Seeing
    frame: Frame


class Schedule:
    """Says whether a frame is worth reading. Mutable."""

    def __init__(self) -> None:
        self._waiting: Flags | None = None
        self._offered = 0

    def is_due(self, seen: SeenBoard, *, begun: bool) -> bool:
        """Whether the frame is to be read. Before the game has `begun` the board must be still, but for noise."""
        waiting = seen.readable & seen.touched if begun else seen.readable
        if not waiting.any() or not (begun or float(waiting.mean()) >= 1 - FLICKERS_SHARE):
            self._waiting = None
            return False
        if self._waiting is None or bool((waiting & ~self._waiting).any()):
            self._offered = 0
        self._waiting = waiting
        rest_s = float(seen.still_s[waiting].min()) + ROUNDING_S
        looks = LOOK_AT_S if begun else BEGIN_AT_S
        if rest_s < self._next_rest_s(looks):
            return False
        while rest_s >= self._next_rest_s(looks):
            self._offered += 1
        return True

    def retry_soon(self) -> None:
        """Read again at the next chance."""
        self._waiting = None

    def _next_rest_s(self, looks: tuple[float, ...]) -> float:
        if self._offered < len(looks):
            return looks[self._offered]
        return looks[-1] + AGAIN_S * (self._offered - len(looks) + 1)


def rest_of(seen: SeenBoard, cells: Flags) -> float:
    """For how long the last of `cells` has been still; the longest of the board if there are none."""
    return float(seen.still_s[cells].min() if cells.any() else np.max(seen.still_s, initial=0.0))
