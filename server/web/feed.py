"""The hand-over from the main loop to the web threads: events, the newest snapshot, the newest picture.

The main loop never waits here: it puts a value in its place and rings the bells. Listeners read at their own speed from
a bounded list; one that falls behind it is told to fetch the snapshot anew instead of being fed late.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from calibration.view import View
from engine.match.buttons import find_standing
from engine.match.state import Match
from server.web.vitals import Vitals
from vision.ground import Image

log = logging.getLogger(__name__)

KEPT_EVENTS = 1000
"""Several games' worth of events; what a listener may lag behind and still miss nothing."""
WANTED_S = 10.0
"""How long after the last look somebody counts as looking; a stream looks several times a second."""


XY = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Message:
    """Something for a listener. `kind` is "event", "snapshot" or "reset" (events were missed)."""

    kind: str
    id: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class FeedState:
    """All that is shown at one moment; nobody changes it, so that whoever has it sees things that belong together."""

    snapshot: Mapping[str, object] | None = None
    """What pages draw (server.board.live.snapshot), None before the first."""
    match: Match | None = None
    """What the snapshot was made of, for questions about past plies; None where nobody may ask."""
    image: Image | None = None
    """The newest frame as it came, for finding the board anew."""
    views: Sequence[View] = ()
    """Where the board is in it, one view a level."""
    grid: Mapping[str, object] | None = None
    """{"size": [w, h], "cells": {cell: [[x, y], ...]}}: each cell's corners in pixels of the picture."""
    beliefs: Mapping[str, object] | None = None
    """Of each cell what the reader believes and what the rules expect there; None before the first reading."""
    unseen_s: float = 0.0
    """Seconds of the stream in which the board was not seen."""
    standing_t: float = 0.0
    """Since when (monotonic) the match stands so for who would press a button (engine.match.buttons.StandingSeen)."""


class Feed:
    """One writer, any number of readers."""

    def __init__(self, keep: int = KEPT_EVENTS) -> None:
        self.run = secrets.token_hex(4)
        """Tells this run of the program from others in the ids that listeners come back with."""
        self.vitals = Vitals()
        self._lock = threading.Lock()
        self._bells: list[Callable[[], object]] = []
        self._events: deque[Message] = deque(maxlen=keep)
        self._last_id = 0
        self._now = FeedState()
        self._shown: Message | None = None
        self._version = 0
        self._jpeg: bytes | None = None
        self._jpeg_number = 0
        self._asked_t = -WANTED_S
        self._closed = self._halted = False
        self._film: Mapping[str, object] | None = None
        self.watched = False
        """Whether a page has ever listened for snapshots."""

    def publish_event(self, event: Mapping[str, object]) -> None:
        """Tell every listener of an event (its JSON object); one that cannot be told is logged, and nobody hears it."""
        text = _encode_message(event)
        if text is None:
            return
        with self._lock:
            self._last_id += 1
            self._events.append(Message("event", self._last_id, text))
        self._ring_bells()

    def update_snapshot(self, snapshot: Mapping[str, object], match: Match | None = None) -> None:
        """Replace the snapshot, and the match it was made of if there is a newer one.

        Listeners are told only when more than time and clocks in it is new.
        """
        with self._lock:
            snapshot = snapshot if self._film is None else {**snapshot, "film": self._film}
            before, self._halted = self._now.snapshot, False
            is_new = before is None or _without_times(snapshot) != _without_times(before)
            self._version += is_new
            if match is not None and (
                self._now.match is None or find_standing(match) != find_standing(self._now.match)
            ):
                self._now = replace(self._now, standing_t=time.monotonic())
            self._now, self._shown = replace(self._now, snapshot=snapshot, match=match or self._now.match), None
        if is_new:
            self._ring_bells()

    @property
    def is_halted(self) -> bool:
        """Whether `show_halted` was the last that was shown."""
        return self._halted

    def show_halted(self, said: Mapping[str, object]) -> None:
        """The main loop stands still: show that (why the board is not seen, and the lights) until it shows anything."""
        with self._lock:
            if self._now.snapshot is None:
                return
            self._halted, self._version = True, self._version + 1
            self._now, self._shown = replace(self._now, snapshot={**self._now.snapshot, **said}), None
        self._ring_bells()

    def update_caption(self, film: Mapping[str, object]) -> None:
        """Replace what the page says of the recording that is shown (server.board.live.narrator), in all that follows
        too."""
        with self._lock:
            self._film = film
            if self._now.snapshot is not None:
                self._now = replace(self._now, snapshot={**self._now.snapshot, "film": film})
                self._shown, self._version = None, self._version + 1
        self._ring_bells()

    def update_image(self, image: Image) -> None:
        """Replace the newest frame."""
        self._replace_values(image=image)

    def update_views(self, views: Sequence[View], size_wh: tuple[int, int], cells: Mapping[str, list[XY]]) -> None:
        """Where the board is from now on: its views, and each cell's corners in pixels of a picture of that size."""
        self._replace_values(views=views, grid={"size": list(size_wh), "cells": dict(cells)})

    def update_beliefs(self, beliefs: Mapping[str, object]) -> None:
        """Replace what the reader believes."""
        self._replace_values(beliefs=beliefs)

    def update_unseen_time(self, seconds: float) -> None:
        """Replace how long the board was not seen in all."""
        self._replace_values(unseen_s=seconds)

    def _replace_values(self, **news: Any) -> None:
        with self._lock:
            self._now = replace(self._now, **news)

    def update_picture(self, jpeg: bytes) -> None:
        """Replace the camera's picture."""
        with self._lock:
            self._jpeg, self._jpeg_number = jpeg, self._jpeg_number + 1

    def end_listeners(self) -> None:
        """End every listener."""
        self._closed = True
        self._ring_bells()

    @property
    def current_state(self) -> FeedState:
        """All that is shown just now: ask once, and use what was answered."""
        return self._now

    @property
    def newest_snapshot(self) -> Mapping[str, object] | None:
        """The newest snapshot, None before the first."""
        return self._now.snapshot

    @property
    def newest_jpeg(self) -> bytes | None:
        """The newest picture, None before the first."""
        self._asked_t = time.monotonic()
        return self._jpeg

    @property
    def picture_wanted(self) -> bool:
        """Whether anybody looked at the camera lately; encoding pictures for nobody costs time."""
        return time.monotonic() - self._asked_t < WANTED_S

    @property
    def is_closed(self) -> bool:
        """Whether every listener has to end."""
        return self._closed

    def add_bell(self, ring: Callable[[], object]) -> None:
        """Call `ring` at each event, each new snapshot and the end, in the main loop's thread: it must not wait."""
        with self._lock:
            self._bells.append(ring)

    def read_news(self, last_id: int, version: int | None = None) -> tuple[list[Message], int, int | None]:
        """Events after `last_id` and the snapshot if it is newer than `version`; then the two to ask with next time.

        With the version None no snapshot is wanted; 0 is older than any.
        """
        with self._lock:
            messages = self._messages_after(last_id)
            self.watched = self.watched or version is not None
            if version is not None and self._version != version:
                version = self._version
                if self._shown is None and (text := _encode_message(self._now.snapshot or {})) is not None:
                    self._shown = Message("snapshot", self._last_id, text)
                messages += [self._shown] if self._shown else []
            return messages, self._last_id, version

    def newest_picture(self) -> tuple[int, bytes | None]:
        """The newest picture and its number, which grows."""
        self._asked_t = time.monotonic()
        with self._lock:
            return self._jpeg_number, self._jpeg

    def _ring_bells(self) -> None:
        for ring in self._bells:
            ring()

    def _messages_after(self, last_id: int) -> list[Message]:
        oldest = self._last_id - len(self._events) + 1
        if not oldest - 1 <= last_id <= self._last_id:
            return [Message("reset", self._last_id)]
        return [
            self._events[back] for back in range(last_id - self._last_id, 0)
        ]  # counted from the end: all ask for few


def _encode_message(said: Mapping[str, object]) -> str | None:
    """What a listener gets, and can get: text that travels. None for what is none: a fault here must end no stream."""
    try:
        text = json.dumps(said, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError, RecursionError):
        log.exception("%r cannot be told to who listens; all else is", said.get("event", "the state of the game"))
        return None
    return text


def _without_times(snapshot: Mapping[str, object]) -> dict[str, object]:
    """What listeners are told of; they count clocks down themselves, once they know whose runs."""
    clocks = snapshot.get("clocks")
    running = clocks.get("running") if isinstance(clocks, dict) else None
    return {key: value for key, value in snapshot.items() if key not in {"t", "clocks"}} | {"running": running}
