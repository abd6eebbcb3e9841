"""The hand-over from the main loop to the web threads: events, the newest snapshot, the newest picture.

The main loop never waits here: it puts a value in its place and rings a bell. Listeners read at their own speed from a
bounded list; one that falls behind it is told to fetch the snapshot anew instead of being fed late.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from engine.match import Match

KEPT_EVENTS = 1000
"""Several games' worth of events; what a listener may lag behind and still miss nothing."""
HEARTBEAT_S = 5.0
"""A silent listener gets a sign of life so frequently; it is also how a closed browser is noticed."""

WANTED_S = 2 * HEARTBEAT_S
"""How long after the last look somebody counts as looking; a stream looks with every heartbeat."""


@dataclass(frozen=True, slots=True)
class Message:
    """Something for a listener. `kind` is "event", "snapshot", "reset" (events were missed) or "alive"."""

    kind: str
    id: int
    text: str = ""


class Feed:
    """One writer, any number of readers."""

    def __init__(self, keep: int = KEPT_EVENTS) -> None:
        self.run = secrets.token_hex(4)
        """Tells this run of the program from others in the ids that listeners come back with."""
        self._bell = threading.Condition()
        self._events: deque[Message] = deque(maxlen=keep)
        self._last_id = 0
        self._snapshot: Mapping[str, object] | None = None
        self._version = 0
        self._jpeg: bytes | None = None
        self._jpeg_number = 0
        self._grid: Mapping[str, object] | None = None
        self.match: Match | None = None
        """What the snapshot was made of, for questions about past plies; None where nobody may ask."""
        self.beliefs: Mapping[str, object] | None = None
        """Of each cell what the reader believes and what the rules expect there; None before the first reading."""
        self._asked_t = -WANTED_S
        self._closed = False

    def publish(self, event: Mapping[str, object]) -> None:
        """Tell every listener of an event (its JSON object)."""
        text = json.dumps(event, ensure_ascii=False)
        with self._bell:
            self._last_id += 1
            self._events.append(Message("event", self._last_id, text))
            self._bell.notify_all()

    def show(self, snapshot: Mapping[str, object]) -> None:
        """Replace the snapshot; listeners are told only when more than time and clocks in it is new."""
        with self._bell:
            if self._snapshot is None or _still(snapshot) != _still(self._snapshot):
                self._version += 1
                self._bell.notify_all()
            self._snapshot = snapshot

    def picture(self, jpeg: bytes) -> None:
        """Replace the camera's picture."""
        with self._bell:
            self._jpeg, self._jpeg_number = jpeg, self._jpeg_number + 1
            self._bell.notify_all()

    def outlines(self, size_wh: tuple[int, int], cells: Mapping[str, list[tuple[float, float]]]) -> None:
        """Where each cell's corners lie in the camera's picture of that size, in pixels."""
        self._grid = {"size": list(size_wh), "cells": dict(cells)}

    def close(self) -> None:
        """End every listener."""
        with self._bell:
            self._closed = True
            self._bell.notify_all()

    @property
    def snapshot(self) -> Mapping[str, object] | None:
        """The newest snapshot, None before the first."""
        return self._snapshot

    @property
    def jpeg(self) -> bytes | None:
        """The newest picture, None before the first."""
        self._asked_t = time.monotonic()
        return self._jpeg

    @property
    def picture_wanted(self) -> bool:
        """Whether anybody looked at the camera lately; encoding pictures for nobody costs time."""
        return time.monotonic() - self._asked_t < WANTED_S

    @property
    def grid(self) -> Mapping[str, object] | None:
        """{"size": [w, h], "cells": {cell: [[x, y], ...]}} in pixels of the picture, None while not known."""
        return self._grid

    def listen(self, last_id: int, snapshots: bool = False) -> Iterator[Message]:
        """Every event after `last_id`, as they come, and on request each new snapshot; ends when the feed closes."""
        version = 0
        while True:
            with self._bell:
                seen = (last_id, version if snapshots else None, None)
                self._bell.wait_for(partial(self._has_news, seen), HEARTBEAT_S)
                if self._closed:
                    return
                messages = self._after(last_id)
                last_id = self._last_id
                if snapshots and self._version != version:
                    version = self._version
                    messages.append(Message("snapshot", last_id, json.dumps(self._snapshot, ensure_ascii=False)))
            yield from messages or [Message("alive", last_id)]

    def pictures(self, least_s: float) -> Iterator[bytes]:
        """The newest picture as they come, at most one every `least_s` seconds; the old one as a sign of life."""
        number, pause = 0, threading.Event()
        while True:
            with self._bell:
                self._asked_t = time.monotonic()
                self._bell.wait_for(partial(self._has_news, (None, None, number)), HEARTBEAT_S)
                if self._closed:
                    return
                number, jpeg = self._jpeg_number, self._jpeg
            if jpeg:
                yield jpeg
            pause.wait(least_s)

    def _has_news(self, seen: tuple[int | None, int | None, int | None]) -> bool:
        """Whether the last event, the snapshot or the picture is another than the one seen; None for no interest."""
        here = (self._last_id, self._version, self._jpeg_number)
        return self._closed or any(old is not None and old != new for old, new in zip(seen, here, strict=True))

    def _after(self, last_id: int) -> list[Message]:
        oldest = self._last_id - len(self._events) + 1
        if not oldest - 1 <= last_id <= self._last_id:
            return [Message("reset", self._last_id)]
        return [message for message in self._events if message.id > last_id]


def _still(snapshot: Mapping[str, object]) -> dict[str, object]:
    """What listeners are told of; they count clocks down themselves."""
    return {key: value for key, value in snapshot.items() if key not in {"t", "clocks"}}
