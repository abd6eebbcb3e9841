"""Stream time between frames: what a live camera's would be now, by the machine's clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from vision.frames import Frame


@dataclass(frozen=True)
class LiveFrame(Frame):
    """A camera's frame, which came when the machine's clock showed `at` seconds."""

    at: float


class StreamTime:
    """Goes on from the newest frame by `clock` (seconds, never running back). Mutable."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.last = 0.0
        """Stream time of the newest frame."""
        self._at = clock()

    def frame(self, frame: Frame) -> float:
        """A frame was taken; how many seconds ago it came, 0 for a recording's."""
        now = self._clock()
        self.last, self._at = frame.t, frame.at if isinstance(frame, LiveFrame) else now
        return now - self._at

    def now(self) -> float:
        """The stream time of this moment."""
        return self.last + self._clock() - self._at
