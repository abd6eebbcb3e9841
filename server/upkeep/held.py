"""What waits while another program holds the record: frames go on, and all is written and told in its order later."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from server.record.store import LONGEST_LOCK_S, Held

RETRY_S = 0.25
"""How frequently the record is tried again: an attempt takes up to IN_A_LOOP_S of the main loop's time."""
SAID_AFTER_S = 1.0
"""A shorter wait is nobody's concern: a look into the file with other tools takes less."""
WAITS = "the record is held by another program: the game waits for it, and nothing is lost"


class Steps:
    """Things to do of which each writes into the record before anybody hears of it. Mutable; the main loop's.

    A step that meets a held record (Held) has done nothing, and is done again later; all after it wait with it.
    """

    def __init__(self, said: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        """`said` is told, once each time, that there is a wait."""
        self._said, self._clock = said, clock
        self._steps: deque[Callable[[], object]] = deque()
        self._since = self._next = 0.0
        self._told = False

    @property
    def waiting(self) -> int:
        """How many steps are still to be done."""
        return len(self._steps)

    @property
    def told(self) -> bool:
        """Whether the wait has been said, and is not over."""
        return self._told

    def do(self, step: Callable[[], object]) -> None:
        """Do it now, or after those that wait."""
        if not self._steps:
            try:
                step()
                return
            except Held:
                self._since = self._clock()
                self._next = self._since + RETRY_S
        self._steps.append(step)

    def go_on(self) -> bool:
        """Try again what waits, if it is time; whether the last of it was done. Held when that takes too long."""
        now = self._clock()
        if not self._steps or now < self._next:
            return False
        self._next = now + RETRY_S
        try:
            while self._steps:
                self._steps[0]()
                self._steps.popleft()
        except Held:
            if now - self._since > LONGEST_LOCK_S:
                raise
            if not self._told and now - self._since >= SAID_AFTER_S:
                self._told = True
                self._said(WAITS)
            return False
        self._told = False
        return True

    def finish(self) -> None:
        """Do all that waits before the end of a game. Held when that takes too long."""
        while self._steps:
            if not self.go_on() and self._steps:
                time.sleep(RETRY_S)
