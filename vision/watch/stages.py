"""How long each stage between a frame and an event took."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

TIMED_FRAMES = 10_000
"""Frames whose stages are timed at most: five minutes at 30 a second."""


def _new_timings() -> deque[float]:
    return deque(maxlen=TIMED_FRAMES)


@dataclass
class Stages:
    """Milliseconds spent in each stage, one number a frame, the latest ones; `clock` gives seconds."""

    sight_ms: deque[float] = field(default_factory=_new_timings)
    read_ms: deque[float] = field(default_factory=_new_timings)
    decide_ms: deque[float] = field(default_factory=_new_timings)
    looks_ms: deque[float] = field(default_factory=_new_timings)
    """Of whole looks: reading, judging, and learning what was understood."""
    worst_look_ms: float = 0.0
    longest_gap_ms: float = 0.0
    """Between taking two frames."""
    frames: int = 0
    clock: Callable[[], float] = time.perf_counter
    _taken: float | None = None

    def note_frame(self) -> None:
        """A frame is taken now."""
        now = self.clock()
        self.frames += 1
        if self._taken is not None:
            self.longest_gap_ms = max(self.longest_gap_ms, (now - self._taken) * 1e3)
        self._taken = now

    @contextmanager
    def time_look(self) -> Iterator[None]:
        """A look, from its begin to its end."""
        begun = self.clock()
        yield
        self.looks_ms.append((self.clock() - begun) * 1e3)
        self.worst_look_ms = max(self.worst_look_ms, self.looks_ms[-1])

    def stage_medians(self) -> dict[str, float]:
        """Median of each stage over the frames that had it."""
        stages = {"sight_ms": self.sight_ms, "read_ms": self.read_ms, "decide_ms": self.decide_ms}
        return {name: round(float(np.median(spent)), 2) if spent else 0.0 for name, spent in stages.items()}

    def look_costs(self) -> dict[str, float]:
        """What one look in twenty takes at least, what the dearest took, and the longest time without a frame."""
        late = float(np.percentile(self.looks_ms, 95)) if self.looks_ms else 0.0
        figures = {"look_p95_ms": late, "worst_look_ms": self.worst_look_ms, "longest_gap_ms": self.longest_gap_ms}
        return {name: round(figure, 2) for name, figure in figures.items()}
