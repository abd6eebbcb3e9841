"""What was seen while hands moved: small pictures of the board, kept until it is known what happened.

A board at rest does not always tell how it came about: a piece that moved and was captured at once left no trace.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from vision.eyes import Eyes, Flat
from vision.ground import Image
from vision.reach import Over, Surroundings
from vision.read import Reading

EVERY_S = 0.2
"""Between two that are kept: a piece that is put down and captured at once stands for half a second and more."""
MOST = 12
"""Kept at most, the latest: two plies without a pause take 1 to 2 s in the recordings. 1 MB each at most."""


class Glimpses:
    """The latest pictures since the board was last understood. Mutable, owned by the main loop."""

    def __init__(self) -> None:
        self._kept: deque[tuple[float, Flat, Over]] = deque(maxlen=MOST)
        self._read: list[tuple[float, Reading, Over]] = []

    def take(self, t: float, image: Image, eyes: Eyes, surroundings: Surroundings) -> None:
        """Keep a frame in which something moves, unless the last one is too recent."""
        if not self._kept or t - self._kept[-1][0] + 1e-6 >= EVERY_S:
            self._kept.append((t, eyes.flat(image), surroundings.over(image, eyes.views, t)))
            self._read = []

    def clear(self) -> None:
        """The board is understood, or was found elsewhere or in another light."""
        self._kept.clear()
        self._read = []

    def readings(self, eyes: Eyes) -> Sequence[tuple[float, Reading, Over]]:
        """What they show on the board and over it, each with its time.

        Afterwards `eyes` must read the latest look anew, to learn from it.
        """
        if not self._read:
            self._read = [(t, eyes.read_flat(flat), over) for t, flat, over in self._kept]
        return self._read
