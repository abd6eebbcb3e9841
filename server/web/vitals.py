"""Signs of life of a game that is served: when the main loop last went round, and how its frames come."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

STILL_FOR_S = 2.0
"""A main loop that has not gone round for so long is said to stand still: what pages and lights show may not be true
any more. A turn beside a live camera takes 0.3 s at most; more leaves a stale hint standing, less alarms in vain."""
STUCK_S = 60.0
"""After so long it is not waited for any more: to start it again helps. A recording's dearest looks take seconds on a
slow board, in the loop itself."""
UNANSWERED = "unanswered"
"""Said of lights whose port is open and from which nothing has been heard: many receivers never answer."""
UNHEARD_S = 3.0
"""A camera that works gives several pictures a second. A recording gives the next when it is due, however late."""


class Vitals:
    """Written by the main loop, read by the threads of the web; each value is whole by itself. Mutable."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.on_beat: Callable[[], object] = lambda: None
        """Called at each turn of the main loop."""
        self._clock = clock
        self.is_live = True
        """Whether the pictures are a camera's: the silence of a recording is no loss."""
        self._beat_at: float | None = None
        self._frame_at: float | None = None
        self._lag_s = 0.0
        self._record_waits = False
        self.waiting: Callable[[], tuple[str, int]] = lambda: ("held", 0)
        """Why the record takes nothing, where it waits, and how many things are kept for it."""
        self.lights: Callable[[], str] = lambda: "ok"
        """How the lights are, asked when somebody wants to know: ok, unanswered, or what is wrong."""

        self.is_at_work: Callable[[], bool] = lambda: False
        """Whether the main loop waits for work that is known to be under way, asked where it does not go round."""

        self.disk: Callable[[], str | None] = lambda: None
        """What is wrong with the room on the disk of the record; None for nothing. Asked by the main loop."""

        self.hall: Callable[[], str | None] = lambda: None
        """Whether the hall follows this board: ok, or why it does not; None where the board has joined none."""

    def note_loop_turn(self, *, record_waits: bool, decides: bool = True) -> None:
        """The main loop has gone round; whether the record takes nothing, and whether what it decides by goes on too: a
        look that does not end is no life."""
        self._record_waits = record_waits
        if decides:
            self._beat_at = self._clock()
            self.on_beat()

    def note_frame(self, lag_s: float) -> None:
        """A frame was taken, so long after the camera had given it."""
        self._frame_at, self._lag_s = self._clock(), lag_s

    @property
    def still_s(self) -> float:
        """For how long the main loop has not gone round; 0 before it began."""
        return 0.0 if self._beat_at is None else self._clock() - self._beat_at

    @property
    def is_halted(self) -> bool:
        """Whether the main loop stands still."""
        return self.still_s > STILL_FOR_S

    @property
    def is_stuck(self) -> bool:
        """Whether it has for so long that it is not waited for."""
        return self.still_s > STUCK_S

    def to_json(self, shown: Mapping[str, object], record: Path | None) -> dict[str, object]:
        """All that can be asked, by name; `shown` is the newest snapshot."""
        unseen = shown.get("cannot_see")
        cause = unseen.get("cause") if isinstance(unseen, Mapping) else None
        said: dict[str, object] = {
            "camera": self._camera_state(cause),
            "frame_age_s": None,
            "lag_s": round(self._lag_s, 3),
        }
        if self._frame_at is not None:
            said["frame_age_s"] = round(self._clock() - self._frame_at, 3)
        kind, count = self.waiting()
        said["disk_free_mb"] = free_mb = None if record is None else _free_mb(record)
        said["record"] = (kind or "held") if self._record_waits else "full" if free_mb == 0 else "ok"
        said["record_waiting"] = count
        if (hall := self.hall()) is not None:
            said["hall"] = hall
        still = "working" if self.is_at_work() else "halted"
        return said | {"lights": self.lights(), "loop": still if self.is_halted else "ok"}

    def _camera_state(self, cause: object) -> str:
        if cause == "recording-ended":
            return "ended"
        if self._frame_at is None:
            return "lost" if cause == "no-picture" else "starting"
        if cause in {"turned", "slow"}:  # pictures do come
            return "ok"
        is_silent = self.is_live and self._clock() - self._frame_at > UNHEARD_S
        return "lost" if cause == "no-picture" or is_silent else "ok"


def _free_mb(record: Path) -> int | None:
    try:
        return shutil.disk_usage(record.parent).free // 1_000_000
    except OSError:
        return None
