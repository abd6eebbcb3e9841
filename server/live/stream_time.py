"""Stream time between frames: what a live camera's would be now, by the machine's clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from vision.frames import Frame
from vision.sight.watchdog import LIMIT_S

SILENCE_LOOK_S = 0.25
"""How frequently whoever waits for frames looks whether they still come."""


@dataclass(frozen=True)
class LiveFrame(Frame):
    """A camera's frame, which came when the machine's clock showed `at` seconds."""

    at: float


class StreamTime:
    """Goes on from the newest frame by `clock` (seconds, never running back). Mutable."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = self._reached = 0.0
        self._at = clock()

    def frame(self, frame: Frame) -> tuple[Frame, float]:
        """A frame that was taken, and how many seconds ago it came, 0 for a recording's.

        A camera's is not earlier than what was said to be the time while nothing came.
        """
        now, age_s = self._clock(), 0.0
        self._at = now
        if isinstance(frame, LiveFrame):
            frame, age_s, self._at = replace(frame, t=max(frame.t, self._reached)), now - frame.at, frame.at
        self._last = frame.t
        return frame, age_s

    def now(self) -> float:
        """The stream time of this moment."""
        return self._last + self._clock() - self._at

    def silent(self) -> float | None:
        """The stream time of this moment if no frame has come for so long that it has to be said, else None."""
        t = self.now()
        if t - self._last <= LIMIT_S:
            return None
        self._reached = t
        return t
