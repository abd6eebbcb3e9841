"""What is held back until it is old enough: for all that spectators are given this is decided here."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

Thing = TypeVar("Thing")


class _Row(NamedTuple, Generic[Thing]):
    due: float
    thing: Thing


class DelayQueue(Generic[Thing]):
    """Things in the order in which they came, each for `delay_s`; any thread may use it."""

    def __init__(self, delay_s: float, clock: Callable[[], float] = time.monotonic, most: int | None = None) -> None:
        """`clock` is one that nobody sets, in seconds; of more than `most` things the oldest are given up."""
        self._delay_s, self._clock = delay_s, clock
        self._rows: deque[_Row[Thing]] = deque(maxlen=most)
        self._lock = threading.Lock()

    def hold_item(self, thing: Thing, age_s: float = 0.0) -> None:
        """Hold a thing, which is so old already; what came before it is never told after it."""
        with self._lock:
            due = self._clock() + self._delay_s - max(0.0, age_s)
            self._rows.append(_Row(max(due, self._rows[-1].due) if self._rows else due, thing))

    def take_due(self) -> Iterator[Thing]:
        """What is old enough now, the oldest first; each is let go when the next is asked for, not before."""
        now = self._clock()
        while (row := self._oldest_row()) is not None and row.due <= now:
            yield row.thing
            with self._lock:
                if self._rows and self._rows[0] is row:  # when there were too many, it is gone already
                    self._rows.popleft()

    def _oldest_row(self) -> _Row[Thing] | None:
        with self._lock:
            return self._rows[0] if self._rows else None
