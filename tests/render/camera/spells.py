"""When what happens now and then happens: spells of a given length, about so often, the first one after a while."""

from __future__ import annotations

from bisect import bisect_right
from zlib import crc32

import numpy as np

UNEVEN = 0.35
"""How far a spell may come before or after its time, as a part of the time between two of them."""
FIRST = 0.6
"""The first usually comes after so much of that time, give or take."""


def chance(seed: int, purpose: str) -> np.random.Generator:
    """Random numbers of one purpose: what else is drawn for a film does not change them."""
    return np.random.default_rng([seed, crc32(purpose.encode())])


class Spells:
    """Spells of `length_s`, one about every `every_s`; the same ones for the same seed and purpose."""

    def __init__(self, every_s: float, length_s: float, seed: int, purpose: str, first: float = FIRST) -> None:
        self._rng = chance(seed, purpose)
        self._every_s, self.length_s, self._first = every_s, length_s, first
        self._begins: list[float] = []

    def last(self, t: float) -> tuple[int, float]:
        """How many spells had begun by `t`, and for how long the last one has been going on (-1 before the first)."""
        while not self._begins or self._begins[-1] <= t:
            nominal = (len(self._begins) + self._first) * max(self._every_s, 1.2 * self.length_s)
            begin = nominal + self._every_s * UNEVEN * float(self._rng.uniform(-1, 1))
            after = self._begins[-1] + 1.05 * self.length_s if self._begins else 0.0
            self._begins.append(max(begin, after, 0.5))
        number = bisect_right(self._begins, t)
        return number, t - self._begins[number - 1] if number else -1.0

    def share(self, t: float) -> float:
        """How much of the spell going on at `t` has passed, 0 to 1; -1 if there is none."""
        _, since = self.last(t)
        return since / self.length_s if 0 <= since < self.length_s else -1.0
