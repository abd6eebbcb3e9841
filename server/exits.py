"""How a command ends: its exit code, and what asks it to end while it works."""

from __future__ import annotations

import logging
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

DONE, ANSWER_IS_NO, UNUSABLE = 0, 1, 2
ENDING_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
"""What ends a program: Ctrl-C, the system, a terminal that is closed. Windows has no SIGHUP."""
ENDS_WITHIN_S = 5.0
"""Work that goes on for longer after the program was asked to end is said, with how to break it off. A look at a busy
board takes two seconds. Raising it leaves people before a terminal that says nothing, lowering it alarms them."""

log = logging.getLogger(__name__)


@contextmanager
def take_signals(stop: Callable[[], object]) -> Iterator[None]:
    """The first signal that asks the program to end calls `stop`; the next one interrupts whatever is being done.

    A signal that interrupts does so anywhere: between a lock that was taken and the line that would give it back, and
    then whoever waits for that lock waits for ever. `stop` is called in the middle of anything as well: it must do no
    more than put something into a queue.SimpleQueue. Elsewhere than in the main thread nothing is taken.
    """
    asked, before = False, {}
    heard, over = queue.SimpleQueue[str](), threading.Event()

    def take_first(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            signal.default_int_handler(number, frame)
        asked = True
        heard.put("asked")
        stop()

    def tell_when_late() -> None:
        if heard.get() and not over.wait(ENDS_WITHIN_S):
            log.warning("ending: something is still at work; Ctrl-C once more breaks it off")

    if threading.current_thread() is threading.main_thread():
        numbers = (getattr(signal, name) for name in ENDING_SIGNALS if hasattr(signal, name))
        before = {number: signal.getsignal(number) for number in numbers}
    taken = {number: handler for number, handler in before.items() if handler is signal.default_int_handler}
    for number in taken:
        signal.signal(number, take_first)
    threading.Thread(target=tell_when_late, name="ending", daemon=True).start()
    try:
        yield
    finally:
        over.set()
        heard.put("")  # nobody has to be told any more
        for number, handler in taken.items():
            signal.signal(number, handler)
