"""Plays a recording to somebody who watches: no frame is lost, it stops where there is something to read, and the page
has a caption for what is seen.

A recording that runs by the clock races its reader: on a busy machine looks are left out, and a refusal is gone before
it was read. Here the next frame comes only when all that follows from the last one was told; a slow machine is slower.
"""

from __future__ import annotations

import json
import threading
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError
from engine.match.state import RESTING
from server.web.feed import Feed
from vision.frames import Frame

PAUSE, PLAY_ON, SKIP = "pause", "go-on", "skip"
"""What who watches may ask for. To skip leads to the next caption, past all that is between: every frame of it is seen
all the same, without waiting."""
STANDS_STILL_IN = frozenset(phase.value for phase in RESTING)
"""Phases of the game, as a snapshot has them, in which the recording waits too, and nobody can skip."""
FIRST_LOOK_S = 20.0
"""So long the recording waits for the first page that listens, so that its beginning is seen. Without one it plays
alone; more makes programs wait that open no page, less loses the beginning to a browser that is slow to start."""
GAME_LOOK_S = 0.1
"""How often it is looked whether the game goes on: less than anybody notices."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A caption with its trigger: the event of a kind, the next one after the last cue, or a time of the recording."""

    caption: str
    """Its name; the page has the sentence (static/js/film.js)."""
    after: str | None
    at: float | None
    """Seconds of the recording; it is shown before that frame."""
    hold_s: float
    """How long the recording stands still, so that the caption and what it speaks of can be read."""


def read_cues(path: Path) -> tuple[Cue, ...]:
    """The cues of a recording, a TOML file with a table [[cue]] each. InputError for what is none."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))["cue"]
        return tuple(Cue(one["caption"], one.get("after"), one.get("at"), float(one["hold_s"])) for one in said)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"captions {path}: {error}") from error


class Narrator:
    """One recording that is shown.

    `play_frames` runs in the camera's thread, `control_playback` and `mark_frame_done` come from others.
    """

    def __init__(self, feed: Feed, cues: Sequence[Cue]) -> None:
        self._feed, self._cues = feed, cues
        self._changed = threading.Condition()
        self._next = 0
        """The first cue that was not shown."""
        self._heard = 0
        """The last event of the feed that was looked at."""
        self._taken = True
        self._paused = self._hurried = self._closed = self._over = False

    def play_frames(self, recorded: Iterable[Frame]) -> Iterator[Frame]:
        """The frames, each when it is due and the one before it was refereed."""
        last_t = 0.0
        for number, frame in enumerate(recorded):
            if number == 0:
                self._await_watchers()
            self._show_event_cues()
            self._await_game()
            self._show_timed_cues(frame.t)
            self._hold_playback(frame.t - last_t)
            self._await_game()
            if self._closed:
                return
            last_t, self._taken = frame.t, False
            yield frame
        self._show_event_cues()
        self._over = True
        self._publish_caption()

    def mark_frame_done(self) -> None:
        """The frame that was given last has been refereed, and all that follows from it was told."""
        with self._changed:
            self._taken = True
            self._changed.notify_all()

    def control_playback(self, what: str) -> None:
        """Do what who watches asks for: PAUSE, PLAY_ON or SKIP."""
        with self._changed:
            self._paused = what == PAUSE
            self._hurried = what == SKIP or (self._hurried and what == PLAY_ON)
            self._changed.notify_all()
        self._publish_caption()

    @property
    def is_stopped(self) -> bool:
        """Whether the recording was ended where it was."""
        return self._closed

    def stop_playback(self) -> None:
        """End the recording where it is."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _await_watchers(self) -> None:
        end = time.monotonic() + FIRST_LOOK_S
        with self._changed:
            while not (self._feed.watched or self._closed or self._hurried) and time.monotonic() < end:
                self._changed.wait(0.1)

    def _await_game(self) -> None:
        """Wait until the game that is refereed goes on: what was shown meanwhile would be judged by nobody."""
        with self._changed:
            while not self._closed and (self._feed.newest_snapshot or {}).get("phase") in STANDS_STILL_IN:
                self._changed.wait(GAME_LOOK_S)

    def _show_event_cues(self) -> None:
        """Wait for the last frame, then show the cues of what it led to."""
        with self._changed:
            self._changed.wait_for(lambda: self._taken or self._closed)
        messages, self._heard, _ = self._feed.read_news(self._heard)
        for message in messages:
            kind = json.loads(message.text)["event"] if message.kind == "event" else ""
            if self._next < len(self._cues) and self._cues[self._next].after == kind:
                self._show_next_cue()

    def _show_timed_cues(self, t: float) -> None:
        """Show the cues of this time; those of events that have not come by then are left out."""
        due = [n for n, cue in enumerate(self._cues) if n >= self._next and cue.at is not None and cue.at <= t]
        for number in due:
            self._next = number
            self._show_next_cue()

    def _show_next_cue(self) -> None:
        cue = self._cues[self._next]
        self._next += 1
        self._hurried = False
        self._publish_caption()
        self._hold_playback(cue.hold_s)

    def _publish_caption(self) -> None:
        caption = self._cues[self._next - 1].caption if self._next else ""
        where = {"step": self._next, "of": len(self._cues), "over": self._over}
        self._feed.update_caption({"caption": caption, "paused": self._paused, **where})

    def _hold_playback(self, seconds: float) -> None:
        """Stand still so long, and as long as it is paused; no longer once somebody skips."""
        end = time.monotonic() + seconds
        with self._changed:
            while not self._closed and not self._hurried and (self._paused or end > time.monotonic()):
                if self._paused:
                    left = end - time.monotonic()
                    self._changed.wait_for(lambda: not self._paused or self._closed)
                    end = time.monotonic() + left
                else:
                    self._changed.wait(end - time.monotonic())
