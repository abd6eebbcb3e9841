"""How a command ends: its exit code, and what asks it to end while it works."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

DONE, ANSWER_IS_NO, UNUSABLE, BROKEN_OFF = 0, 1, 2, 130
ENDING_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
"""What ends a program: Ctrl-C, the system, a terminal that is closed. Windows has no SIGHUP."""
ENDS_WITHIN_S = 5.0
"""Work that goes on for longer after the program was asked to end is said, with how to break it off. A look at a busy
board takes two seconds. Raising it leaves people before a terminal that says nothing, lowering it alarms them."""
ONE_ASKING_S = 0.3
"""Signals that come within so long are one: a terminal that is closed sends two, and what starts a program may pass on
the Ctrl-C that the program has had. Raising it lets a second Ctrl-C go unheard, lowering it breaks off what would have
ended by itself. Fitted on bash: where its terminal was closed, the two of each pair came 0.5 ms apart at most."""

STANDARD_ERROR = 2
"""The file, not Python's stream: whoever hangs may hold that."""

log = logging.getLogger(__name__)


class SignalWatch:
    """Remembers that the program was asked to end, in a thread of its own.

    Python runs what handles a signal in the main thread, between two steps of its own. Where that begins to wait just
    then, a handler comes too late to wake it; and what a handler raises is lost in whatever Python calls by itself: a
    finalizer, a callback of the garbage collection. The system's own note of a signal, a byte in a socket, is not.
    Mutable.
    """

    def __init__(self) -> None:
        self.stop: Callable[[], object] | None = None
        """Has the program end in order, from any thread; None where it is interrupted instead."""
        self.is_asked = False
        self._has_interrupted = False
        self._asked_at = 0.0
        self._near, self.noted = socket.socketpair()
        self.noted.settimeout(0.0)
        self._late = threading.Timer(ENDS_WITHIN_S, self._tell_late)
        self._late.daemon = True
        self._thread = threading.Thread(target=self._listen, name="ending", daemon=True)
        self._thread.start()

    def interrupt_once(self, number: int, frame: FrameType | None) -> None:
        """The handler in the main thread. A second interrupt would only break off what the first one ends."""
        if self.stop is None and not self._has_interrupted:
            self._has_interrupted = True
            signal.default_int_handler(number, frame)

    def end_watch(self) -> None:
        """Hear nothing more."""
        self.noted.close()
        self._thread.join()
        self._near.close()
        self._late.cancel()

    def _listen(self) -> None:
        """The thread."""
        numbers = list_ending_signals()
        while byte := self._near.recv(1):
            if byte[0] not in numbers:
                continue
            if not self.is_asked:
                self.is_asked, self._asked_at = True, time.monotonic()
                self._late.start()
                if (stop := self.stop) is not None:
                    stop()
            elif time.monotonic() - self._asked_at > ONE_ASKING_S:
                with suppress(OSError):  # nobody may be there any more who reads it
                    os.write(STANDARD_ERROR, b"referee: broken off at once\n")
                os._exit(BROKEN_OFF)

    def _tell_late(self) -> None:
        log.warning("ending: something is still at work; Ctrl-C once more breaks it off")


_watches: list[SignalWatch] = []
"""The one that watches, while there is one."""


def list_ending_signals() -> list[int]:
    """The numbers of ENDING_SIGNALS that this system has."""
    return [getattr(signal, name) for name in ENDING_SIGNALS if hasattr(signal, name)]


@contextmanager
def watch_signals() -> Iterator[None]:
    """Whatever asks the program to end, the system or a terminal that is closed, ends it as Ctrl-C does, so that it
    closes what it has opened: a strip without a clock of its own shows its last picture for ever. Who asks twice ends
    it at once. What `nohup` ignores stays ignored; elsewhere than in the main thread nothing is taken."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in list_ending_signals()}
    _watches.append(watch := SignalWatch())
    noted = signal.set_wakeup_fd(watch.noted.fileno(), warn_on_full_buffer=False)
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, watch.interrupt_once)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(noted)
        _watches.remove(watch)
        watch.end_watch()


@contextmanager
def take_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Meanwhile who asks the program to end interrupts nothing: `stop` is called, from any thread and perhaps twice,
    and at once if it was asked before.

    What interrupts does so anywhere: between a lock that was taken and the line that would give it back, and then
    whoever waits for that lock waits for ever.
    """
    if not _watches or threading.current_thread() is not threading.main_thread():
        yield
        return
    watch = _watches[-1]
    watch.stop = stop
    if watch.is_asked:
        stop()
    try:
        yield
    finally:
        watch.stop = None
