"""Whether the board is seen, in one word for all: what the watcher says, and what only the machine knows. Pure.

A camera that is gone, one that hangs, and a machine that is too slow for it are said with the same two events as what
the watcher finds in the pictures, so that nobody who follows has to join them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.explain.reasons import Reason
from engine.match.events import CAUSES, CannotSee, Event, SeenAgain
from engine.sentences import Sentence, template_of
from vision.network_camera import NO_MORE, SLOW_ANSWER_S

NO_PICTURE, TURNED, SLOW, BEHIND = "no-picture", "turned", "slow", "behind"
ENDED = "recording-ended"
"""A recording that was played to its end is shown like a cause; it is no fault and no event of the game."""
HALTED, WORKING = "halted", "working"
"""The loop that decides stands still, or waits for work that is known to be under way: said from beside it, as it
cannot; no event of the game either."""
SHOWN = {
    **CAUSES,
    ENDED: "The recording is over.",
    HALTED: "The referee is stuck. "
    "Wait a moment; if it stays stuck, restart the program. Nothing it has reported is lost.",
    WORKING: "Working, wait. The referee is reading the board, which takes this computer a moment.",
}
"""All that pages, lights and metrics can show, and what to do."""
OLD_S = 1.0
"""A frame of a camera that is older than this when it is taken: what is said about it comes too late to help. Less
calls a machine too slow that does, more lets the page lag behind the board without a word."""
OLD_FOR_S = 2.0
"""So long frames must have been old; after one dear look they are for a moment."""


SPARSE_S = 2.5
"""Two pictures in a row that each came so long after the one before, and the camera is too slow to follow a game.
Raising it takes a camera for a broken one again and again, lowering it calls slow what a busy network holds up."""
SPARSE_TWICE, QUICK_AGAIN = 2, 3
"""So many late pictures in a row begin it, so many timely ones end it."""
CAMERA_IN_TEXT = re.compile(r"^camera(?: \S+)?: ")
"""How a sentence about a camera begins: its address is nobody's but the arbiter's."""
TOO_SLOW = "The camera sends one picture in {seconds} s: too slow to follow a game."


class Visibility:
    """Keeps the cause. What is told to it gives what is to be said, in order. Mutable; all times are stream times."""

    def __init__(self) -> None:
        self._watched = ""
        self._detail = ""
        self._silent, self._ended = "", False
        """What a camera that gives nothing is silent for: NO_PICTURE or TURNED, empty while it gives something."""
        self._last_t: float | None = None
        self._sparse: list[float] = []
        self._timely, self._slow_s = 0, 0.0
        """Seconds between two pictures of a camera that is too slow, 0 while it is not."""
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
        self._note_gap(t)
        said = self.translate_events(events)
        self._silent, self._detail = "", ""
        return (*said, *self._announce_change(t))

    def report_silence(self, t: float, events: Iterable[Event]) -> tuple[Event, ...]:
        """No frame has come for long, and this followed from it."""
        if not self._slow_s or self._last_t is None or t - self._last_t > max(SLOW_ANSWER_S, 2 * self._slow_s):
            self._silent, self._slow_s = self._silent or NO_PICTURE, 0.0
        return (*self.translate_events(events), *self._announce_change(t))

    def report_camera_lost(self, t: float, detail: str, cause: str = NO_PICTURE) -> tuple[Event, ...]:
        """The camera is gone, or gives pictures of another shape (`cause`); `detail` says which and why."""
        self._silent, self._detail = cause, detail
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
        """{"cause", "message", "since"}, and of a camera that is gone "detail", with "text" and "values" where it can
        be said in any language; None while the board is seen."""
        if not self.current_cause:
            return None
        shown: dict[str, object] = {
            "cause": self.current_cause,
            "message": self._compose_message(),
            "since": round(self._since, 3),
        }
        if self.current_cause == SLOW:
            told = Sentence(TOO_SLOW, {"seconds": round(self._slow_s)})
            return shown | {"detail": told, **template_of(told)}
        return shown | {"detail": self._detail, **template_of(self._detail)} if self._detail else shown

    def _compose_message(self) -> str:
        """Why the board is not seen and what to do, without the camera's address: where it is known what the camera
        answered, that stands in the place of what helps in general."""
        cause = self.current_cause
        if cause == SLOW:
            return f"{TOO_SLOW.format(seconds=round(self._slow_s))} {SHOWN[SLOW]}"
        says_more = isinstance(self._detail, Sentence) and self._detail.text != NO_MORE
        if not self._detail or cause not in {NO_PICTURE, TURNED} or (cause == NO_PICTURE and not says_more):
            return SHOWN[cause]
        known = CAMERA_IN_TEXT.sub("", self._detail)
        known += "" if known.endswith("?") else "."
        return f"The camera gives no picture: {known}" if cause == NO_PICTURE else f"{known[:1].upper()}{known[1:]}"

    def _note_gap(self, t: float) -> None:
        """A picture came at `t`: whether they come too seldom."""
        gap_s = 0.0 if self._last_t is None else t - self._last_t
        self._last_t = t
        if gap_s > SPARSE_S:
            self._sparse, self._timely = [*self._sparse[-SPARSE_TWICE:], gap_s], 0
            if len(self._sparse) >= SPARSE_TWICE:
                self._slow_s = min(self._sparse[-SPARSE_TWICE:])
            return
        self._timely += 1
        if not self._slow_s or self._timely >= QUICK_AGAIN:
            self._sparse, self._slow_s = [], 0.0

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
        cause = self._silent or self._watched or (BEHIND if self._behind else "")
        if self._slow_s and not self._silent and self._watched in {"", NO_PICTURE}:
            cause = SLOW
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
        if own is not None and own.cause == cause:
            return (own,)
        message = self._compose_message()
        return (CannotSee(t, cause, None if message == CAUSES[cause] else message),)
