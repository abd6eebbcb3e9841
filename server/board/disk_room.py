"""Room on the disk of the record, said before the first thing finds none."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from server.record.evidence import RESERVE_BYTES
from server.waits import DISK_TROUBLES, NEARLY_FULL

LOOK_EACH_S = 5.0
"""How old what is said may be. Raising it says later that there is room again, lowering it asks a disk in the network
more frequently."""
FULL_BYTES = 1_000_000
"""With less free nothing can be counted on to be written: SQLite makes its journal larger by so much at once. Raising
it calls a disk full that takes hundreds of plies, lowering it calls one well that takes none."""


class DiskRoom:
    """How much the disk with `record` still takes. Owned by the main loop; looks now and then. Mutable."""

    def __init__(self, record: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._clock = record.parent, clock
        self._looked_t: float | None = None
        self._said: str | None = None

    def describe_trouble(self) -> str | None:
        """What is wrong, in words for the user; None while there is room, or where nobody says how much."""
        now = self._clock()
        if self._looked_t is None or now - self._looked_t >= LOOK_EACH_S:
            self._looked_t, self._said = now, self._look_for_room()
        return self._said

    def _look_for_room(self) -> str | None:
        try:
            free = shutil.disk_usage(self._folder).free
        except OSError:
            return None
        if free < FULL_BYTES:
            return DISK_TROUBLES[sqlite3.SQLITE_FULL][1]
        return NEARLY_FULL if free < RESERVE_BYTES else None
