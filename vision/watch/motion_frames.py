"""What was seen while hands moved, kept until it is known what happened.

A board at rest does not always tell how it came about: a piece that moved and was captured at once left no trace.
"""

from __future__ import annotations

from collections import deque

from engine.belief.sight import Sight
from vision.sight.seeing import Seen

MOTION_EVERY_S = 0.2
"""Between two that are kept: a piece that is put down and captured at once stands for half a second and more."""
MOST = 12
"""Kept at most, the latest: two plies without a pause take 1 to 2 s in the recordings."""


class MotionFrames:
    """The latest looks at moving hands since the board was last understood. Mutable, owned by the main loop."""

    def __init__(self) -> None:
        self._kept: deque[Sight] = deque(maxlen=MOST)

    def due(self, seen: Seen) -> bool:
        """Whether the last one that was kept is old enough."""
        return not self._kept or seen.t - self._kept[-1].t + 1e-6 >= MOTION_EVERY_S

    def take(self, seen: Seen, sight: Sight) -> None:
        """Keep a look, unless the last one is too recent."""
        if self.due(seen):
            self._kept.append(sight)

    @property
    def sights(self) -> list[Sight]:
        """Those that are kept, the oldest first."""
        return list(self._kept)

    def clear(self) -> None:
        """The board is understood, or was found elsewhere or in another light."""
        self._kept.clear()
