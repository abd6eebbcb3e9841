"""Whether the board is seen, in one word for all: what the watcher says, and what only the machine knows. Pure.

A camera that is gone, one that hangs, and a machine that is too slow for it are said with the same two events as what
the watcher finds in the pictures, so that nobody who follows has to join them.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.explain.reasons import Reason
from engine.match.events import CAUSES, CannotSee, Event, SeenAgain

NO_PICTURE, BEHIND = "no-picture", "behind"
ENDED = "recording-ended"
"""A recording that was played to its end is shown like a cause; it is no fault and no event of the game."""
HALTED = "halted"
"""The loop that decides stands still: said from beside it, as it cannot; no event of the game either."""
SHOWN = {
    **CAUSES,
    ENDED: "The recording is over.",
    HALTED: "The referee does not go on. "
    "Wait a moment; if that lasts, start the program again. Nothing that was told is lost.",
}
"""All that pages, lights and metrics can show, and what to do."""
OLD_S = 1.0
"""A frame of a camera that is older than this when it is taken: what is said about it comes too late to help. Less
calls a machine too slow that does, more lets the page lag behind the board without a word."""
OLD_FOR_S = 2.0
"""So long frames must have been old; after one dear look they are for a moment."""


class Visibility:
    """Keeps the cause. What is told to it gives what is to be said, in order. Mutable; all times are stream times."""

    def __init__(self) -> None:
        self._watched = ""
        self._detail = ""
        self._silent = self._ended = False
        self._old_since: float | None = None
        self._behind = False
        self._told = ""
        self._since = 0.0
        self._before_s = 0.0
        """Seconds of the times that are over in which the board was not seen."""

    @property
    def current_cause(self) -> str:
        """One of SHOWN, empty while the board is seen."""
        return self._told or (ENDED if self._ended else "")

    def take_frame(self, t: float, events: Iterable[Event], age_s: float = 0.0) -> tuple[Event, ...]:
        """A frame was taken, `age_s` after it came, and this followed from it."""
        self._note_frame_age(t, age_s)
        said = self.translate_events(events)
        self._silent, self._detail = False, ""
        return (*said, *self._announce_change(t))

    def report_silence(self, t: float, events: Iterable[Event]) -> tuple[Event, ...]:
        """No frame has come for long, and this followed from it."""
        self._silent = True
        return (*self.translate_events(events), *self._announce_change(t))

    def report_camera_lost(self, t: float, detail: str) -> tuple[Event, ...]:
        """The camera is gone; `detail` says which and why."""
        self._silent, self._detail = True, detail
        return self._announce_change(t)

    def mark_ended(self, t: float) -> None:
        """There will be no more frames; whatever hid the board hides it no more."""
        self._watched, self._behind = "", False
        self._announce_change(t)
        self._ended, self._since = True, t

    def unseen_seconds(self, t: float) -> float:
        """How long the board was not seen, all times together, until `t`."""
        return self._before_s + (t - self._since if self._told else 0.0)

    def list_reasons(self, waits: Iterable[Reason]) -> tuple[Reason, ...]:
        """Why nothing is said just now, first that the board is not seen, then what the watcher `waits` for."""
        blind = (Reason(f"cannot-see-{self.current_cause}"),) if self.current_cause in CAUSES else ()
        return (*blind, *(reason for reason in waits if reason not in blind))

    def to_json(self) -> dict[str, object] | None:
        """{"cause", "message", "since"}, and "detail" of a camera that is gone; None while the board is seen."""
        if not self.current_cause:
            return None
        shown: dict[str, object] = {
            "cause": self.current_cause,
            "message": SHOWN[self.current_cause],
            "since": round(self._since, 3),
        }
        return shown | ({"detail": self._detail} if self._detail else {})

    def _note_frame_age(self, t: float, age_s: float) -> None:
        if age_s <= OLD_S:
            self._old_since = None
        elif self._old_since is None:
            self._old_since = t
        self._behind = self._old_since is not None and t - self._old_since >= OLD_FOR_S

    def translate_events(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """The watcher's events, with the word of all in the place of its own."""
        said: list[Event] = []
        for event in events:
            match event:
                case CannotSee(cause=cause):
                    self._watched = cause
                    said += self._announce_change(event.t, event)
                case SeenAgain():
                    self._watched = ""
                    said += self._announce_change(event.t)
                case _:
                    said.append(event)
        return tuple(said)

    def _announce_change(self, t: float, own: CannotSee | None = None) -> tuple[Event, ...]:
        """What is to be said, if it is another cause than was said last; `own` are the watcher's words."""
        cause = NO_PICTURE if self._silent else self._watched or (BEHIND if self._behind else "")
        if cause == self._told:
            return ()
        if not self._told:
            self._since = t
        elif not cause:
            self._before_s += t - self._since
            self._since = t
        self._told = cause
        if not cause:
            return (SeenAgain(t),)
        return (own if own is not None and own.cause == cause else CannotSee(t, cause),)
