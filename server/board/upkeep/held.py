"""What waits while the record takes nothing: frames go on, and all is written and told in its order later."""

from __future__ import annotations

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress

from server.record.store import LONGEST_LOCK_S
from server.waits import RecordHeld, StorageWaits, wait_for_file

RETRY_S = 0.25
"""How frequently the record is tried again: an attempt takes up to IN_A_LOOP_S of the main loop's time."""
SAID_AFTER_S = 1.0
"""A shorter wait is nobody's concern: a look into the file with other tools takes less."""
MEANWHILE = "until then moves are judged and kept in memory, and not shown"
MOST_UNWRITTEN = 20_000
"""Things to write that are kept in memory: forty games, or 20 MB. More would end the program without a word; then it
ends and says so."""


class Steps:
    """Things to do of which each writes into the record before anybody hears of it. Mutable; the main loop's.

    A step that meets a record that takes nothing (Waits), or cannot be read, has done nothing, and is done again later;
    all after it wait with it.
    """

    def __init__(self, said: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        """`said` is told, once each time, that there is a wait."""
        self._said, self._clock = said, clock
        self._steps: deque[Callable[[], object]] = deque()
        self._since = self._next = 0.0
        self._told = ""
        self.kind = ""
        """Why there is a wait, in a word: held, full, read-only or gone; "" for none."""

    @property
    def waiting_count(self) -> int:
        """How many steps are still to be done."""
        return len(self._steps)

    def do_step(self, step: Callable[[], object]) -> None:
        """Do it now, or after those that wait. Waits where too many do."""
        if not self._steps:
            try:
                _do_or_wait(step)
                return
            except StorageWaits as waits:
                self._since = self._clock()
                self._next = self._since + RETRY_S
                self.kind = waits.kind
        self._steps.append(step)
        if len(self._steps) > MOST_UNWRITTEN:
            _do_or_wait(self._steps[0])

    def retry_steps(self) -> bool:
        """Try again what waits, if it is time; whether the last of it was done. Held where a program never lets go."""
        now = self._clock()
        if not self._steps or now < self._next:
            return False
        self._next = now + RETRY_S
        try:
            while self._steps:
                _do_or_wait(self._steps[0])
                self._steps.popleft()
        except StorageWaits as waits:
            if isinstance(waits, RecordHeld) and now - self._since > LONGEST_LOCK_S:
                raise
            self.kind = waits.kind
            if self._told != waits.says and now - self._since >= SAID_AFTER_S:
                self._told = waits.says
                self._said(f"{waits.says}; {MEANWHILE}")
            return False
        self._told = self.kind = ""
        return True

    def try_once_more(self) -> bool:
        """Try what waits whether it is time or not; whether nothing waits any more."""
        self._next = self._clock()
        with suppress(StorageWaits):
            self.retry_steps()
        return not self._steps

    def drain_steps(self) -> Iterator[Callable[[], object]]:
        """Each step that is still to be done, which is to be done from now on by who asks."""
        while self._steps:
            yield self._steps.popleft()

    def finish_steps(self) -> None:
        """Do all that waits before the end of a game. Waits when that takes too long."""
        end = self._clock() + LONGEST_LOCK_S
        while self._steps:
            if self._clock() > end:
                _do_or_wait(self._steps[0])
            if not self.retry_steps() and self._steps:
                time.sleep(RETRY_S)


def _do_or_wait(step: Callable[[], object]) -> None:
    """Do it. Waits also where the file cannot be read: somebody may put it back."""
    try:
        step()
    except sqlite3.Error as error:
        raise wait_for_file(error, "", "") from error
