"""What systemd is told of the service (sd_notify): that it serves, and that it still goes round."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress


class Systemd:
    """The manager that started this program, if it listens; without one nothing happens."""

    def __init__(self, environ: Mapping[str, str] = os.environ, clock: Callable[[], float] = time.monotonic) -> None:
        self._address = environ.get("NOTIFY_SOCKET", "")
        within_us = environ.get("WATCHDOG_USEC", "")
        mine = environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self._every_s = int(within_us) / 2e6 if within_us.isdigit() and mine else None
        self._clock, self._next = clock, 0.0

    def notify_ready(self) -> None:
        """The page answers."""
        self._notify_manager("READY=1")

    def notify_alive(self) -> None:
        """The program goes round; said twice in the time in which it must be heard."""
        now = self._clock()
        if self._every_s is not None and now >= self._next:
            self._next = now + self._every_s
            self._notify_manager("WATCHDOG=1")

    def notify_stopping(self) -> None:
        """The program was asked to end, and does."""
        self._notify_manager("STOPPING=1")

    def _notify_manager(self, word: str) -> None:
        if not self._address.startswith(("/", "@")):
            return
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as manager:
            manager.sendto(word.encode(), address)
