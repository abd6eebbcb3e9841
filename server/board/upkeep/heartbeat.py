"""Looks, in a thread of its own, whether the loop that decides still goes round, and says once that it does not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from server.web.vitals import Vitals

HEART_LOOK_S = 0.25
"""How frequently it is looked: a small part of what may pass before it is said."""


WAS_STOPPED_S, GOES_ON_WITHIN_S = 1.5, 1.0
"""A thread that has not looked for so long was stopped with the whole program: the loop has the second of them to go
on, as it has for the lights (device.port), and as it has after a long piece of work. Raising them leaves an old page
standing, lowering them calls it halted."""


class Heartbeat:
    """Calls `halted` for each time in which the loop stood still, and not the whole program, until it answers that this
    was said. Close it."""

    def __init__(self, vitals: Callable[[], Vitals], halted: Callable[[], bool]) -> None:
        self._vitals, self._halted = vitals, halted
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._check_vitals, name="heartbeat", daemon=True)

    def start_checking(self) -> None:
        """Look from now on."""
        self._thread.start()

    def stop_checking(self) -> None:
        """Look no more."""
        self._closing.set()

    def _check_vitals(self) -> None:
        told, last, resumed = False, time.monotonic(), 0.0
        while not self._closing.wait(HEART_LOOK_S):
            now = time.monotonic()
            resumed, last = now if now - last > WAS_STOPPED_S else resumed, now
            halts = self._vitals().is_halted and now - resumed > GOES_ON_WITHIN_S
            told = halts and (told or self._halted())
