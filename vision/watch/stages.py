"""How long each stage between a frame and an event took."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

TIMED_FRAMES = 10_000
"""Frames whose stages are timed at most: five minutes at 30 a second."""


@dataclass
class Stages:
    """Milliseconds spent in each stage, one number a frame, the latest ones."""

    sight_ms: deque[float] = field(default_factory=lambda: deque(maxlen=TIMED_FRAMES))
    read_ms: deque[float] = field(default_factory=lambda: deque(maxlen=TIMED_FRAMES))
    decide_ms: deque[float] = field(default_factory=lambda: deque(maxlen=TIMED_FRAMES))

    def medians(self) -> dict[str, float]:
        """Median of each stage over the frames that had it, and of everything over all frames."""
        stages = {"sight_ms": self.sight_ms, "read_ms": self.read_ms, "decide_ms": self.decide_ms}
        return {name: round(float(np.median(spent)), 2) if spent else 0.0 for name, spent in stages.items()}
