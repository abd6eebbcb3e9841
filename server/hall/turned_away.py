"""Who is turned away by the hall's own broker: its log says from where, for such a board cannot tell the hall."""

from __future__ import annotations

import logging
import os
import re
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

log = logging.getLogger(__name__)

CAME = re.compile(rb"New connection from (\S+):(\d+) on port")
LET_IN = re.compile(rb"New client connected from (\S+):(\d+) as ")
NOT_LET_IN = re.compile(rb"Client \S+(?: \[(\S+):\d+\])? disconnected[,:] not authori[sz]ed")
"""What Mosquitto writes; before 2.1 it does not say who was refused, and it is who came last."""
SAID_FOR_S = 15.0
"""A board tries again every second; one that has not for so long has joined, or was switched off."""
MOST_COMING = 20
PLACES_TOLD = 5
LONGEST_NEW = 64 * 1024
"""Bytes of the log that are read at once: what is older is told no more."""


class TurnedAway:
    """Belongs to one thread."""

    def __init__(self, file: Path, steady: Callable[[], float] = time.monotonic) -> None:
        """`file` is the broker's log; what it has now is of earlier."""
        self._file, self._steady = file, steady
        self._read = file.stat().st_size if file.exists() else 0
        self._coming: deque[tuple[bytes, bytes]] = deque(maxlen=MOST_COMING)
        self._refused: dict[str, float] = {}

    def list_places(self) -> list[str]:
        """The addresses from which somebody was refused lately."""
        for line in self._read_lines():
            self._note_line(line)
        now = self._steady()
        self._refused = {place: at for place, at in self._refused.items() if now - at < SAID_FOR_S}
        return sorted(self._refused)[:PLACES_TOLD]

    def _read_lines(self) -> list[bytes]:
        """The whole lines that are new."""
        try:
            with self._file.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                begin = file.seek(max(min(self._read, size), size - LONGEST_NEW))
                new, end, _ = file.read(LONGEST_NEW).rpartition(b"\n")
        except OSError:
            return []
        self._read = begin + len(new) + len(end)
        return new.splitlines()

    def _note_line(self, line: bytes) -> None:
        if came := CAME.search(line):
            self._coming.append((came[1], came[2]))
        elif (let_in := LET_IN.search(line)) and (let_in[1], let_in[2]) in self._coming:
            self._coming.remove((let_in[1], let_in[2]))
        elif refused := NOT_LET_IN.search(line):
            place = refused[1] or (self._coming.pop()[0] if self._coming else b"")
            self._note_refused(place.decode(errors="replace") or "?")

    def _note_refused(self, place: str) -> None:
        if place not in self._refused:
            log.warning("a board at %s is not let in: it has to join again with the code of the hall's page", place)
        self._refused[place] = self._steady()
