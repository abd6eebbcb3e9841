"""How much a still place differs from itself: measured all the time, by brightness, never assumed.

What counts is measured at the size of block that stillness is judged by, so that noise which is correlated in space
(codecs, cheap sensors) counts as it is. The median over all blocks is not disturbed by hands, which cover less than
half of them, and follows a lamp within a few frames; how noise depends on brightness is learned slowly, from blocks
that have been still.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

Levels = npt.NDArray[np.float32]

BINS, BIN_LEVELS = 8, 32.0
"""Brightness is told apart in so many steps: shot noise grows with the light, gain with the dark."""
EACH_LEVEL = np.arange(256) + 0.5
LEAST_BLOCKS = 12
"""Fewer blocks of a brightness say nothing about it."""
LEAST_CALM = 0.1
"""Share of the even blocks that must have been still for a while for them to tell of the noise alone."""
LATEST = 5
"""Frames of which the one in the middle counts: when all of the picture changes at once, as when a lens is uncovered,
one or two frames differ by far more than noise. With more of them a lamp that goes is followed later."""
NOISE_FOLLOWS, FOLLOWS_SLOWLY = 0.25, 0.05
"""Share of a new frame's measurement in the estimates of the whole, and of each brightness against it."""
SUDDEN = 2.0
"""A frame with more noise than the others by this factor tells of something else, and is not looked into."""
RATIOS = (0.5, 4.0)
"""Noise of one brightness over that of all: a cheap sensor at high gain has four times as much in the dark."""
FLOOR = 0.35
"""Grey levels: rounding alone makes a block of a still picture differ by so much."""
JITTER_FLOOR = 0.03
"""Blocks by which edges are displaced at least between frames: registration is no better."""
FLAT, STEEP = 4.0, 8.0
"""Grey levels from one block to the next, under which a block has no edge, and over which it has one."""


class Noise:
    """How far a still block is off its own mean in the middle case. Mutable."""

    def __init__(self) -> None:
        self._all = -1.0
        self._latest: deque[float] = deque(maxlen=LATEST)
        self._ratio = np.ones(BINS)
        self._jitter = JITTER_FLOOR

    def measure_blocks(self, off: Levels, level: Levels, slope: Levels, calm: npt.NDArray[np.bool_]) -> None:
        """Take in how far blocks (R, C) are `off` their own mean, of brightness `level`, with edges of `slope`.

        `calm` flags those that have been still for a while.
        """
        flat = slope < FLAT
        # What has just moved tells of movement, unless everything has: then the noise is another one.
        resting = flat & calm
        trusted = resting if int(resting.sum()) > LEAST_CALM * int(flat.sum()) else flat
        chosen = off[trusted] if int(trusted.sum()) >= LEAST_BLOCKS else off.ravel()
        self._latest.append(max(float(np.median(chosen)), FLOOR))
        found = float(np.median(self._latest))
        self._all = found if self._all < 0 else self._all + NOISE_FOLLOWS * (found - self._all)
        if self._latest[-1] > SUDDEN * found:
            return
        index = np.clip(level / BIN_LEVELS, 0, BINS - 1).astype(np.int64)
        for which in range(BINS):
            here = flat & calm & (index == which)
            if int(here.sum()) >= LEAST_BLOCKS:
                ratio = float(np.clip(np.median(off[here]) / self._all, *RATIOS))
                self._ratio[which] += FOLLOWS_SLOWLY * (ratio - self._ratio[which])
        steep = calm & (slope > STEEP)
        if int(steep.sum()) >= LEAST_BLOCKS:
            over = np.maximum(off[steep] - self._flat_deviation(level[steep]), 0.0) / slope[steep]
            self._jitter += NOISE_FOLLOWS * (float(np.median(over)) - self._jitter)

    def _flat_deviation(self, level: Levels) -> Levels:
        ratio = np.interp(EACH_LEVEL / BIN_LEVELS - 0.5, np.arange(BINS), self._ratio)
        table = (self.typical_deviation * ratio).astype(np.float32)
        return np.asarray(table[np.clip(level, 0, 255).astype(np.uint8)], np.float32)

    def usual_deviation(self, level: Levels, slope: Levels) -> Levels:
        """How far still blocks of this brightness and slope (R, C) are off their own mean, in grey levels."""
        return np.asarray(self._flat_deviation(level) + max(self._jitter, JITTER_FLOOR) * slope, np.float32)

    @property
    def typical_deviation(self) -> float:
        """Over all brightnesses, in grey levels."""
        return max(self._all, FLOOR)
