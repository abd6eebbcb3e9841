"""What has come from the boards and is not looked at yet: each board has a share, and they are served by turns.

So what one board sends, and be it as much as a line carries, takes neither memory nor time from the others.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

MOST_IN_SHARE = 1500
"""Messages of a board that wait. A board sends at most 400 events that are not stored (MOST_UNSTORED of its outbox) and
a few messages beside them, and sends them again when it is asked or has waited: three times in a dozen seconds. Higher
gives more of the memory to a board that does not keep to that."""
MOST_SHARE_BYTES = 4_000_000
"""Of these. 1,200 events of usual games have a quarter of it, of Tri-Camelot, with every position in full, a half."""
MOST_IN_TURN = 50
"""Messages of one board in a batch. Higher lets a board that sends much delay the others' by more, lower spends commits
on a board that catches up."""
AS_BUSY = 300
"""Messages of one board that count as waiting when it is asked whether the hall is busy."""
SERVED_S = 2.0
"""A batch takes some tenths of a second; one that takes longer waits for the database."""
MOST_SHARES = 2000
"""Names under which something may wait; who may use any name at a broker has as many shares."""


@dataclass(frozen=True, slots=True)
class BrokerMessage:
    """A message from the broker."""

    topic: str
    body: bytes
    is_old: bool
    """Retained: nobody knows how long ago it was said."""
    at: float
    """When it came, in seconds since 1970 by this computer's clock."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What is looked at together; `changed` are boards that are not as they were for another reason."""

    came: list[BrokerMessage]
    changed: frozenset[str]
    is_last: bool


@dataclass(slots=True)
class _Share:
    waiting: deque[BrokerMessage] = field(default_factory=deque)
    size: int = 0


class Shares:
    """Filled by the thread of the line, emptied by one that stores."""

    def __init__(self) -> None:
        self._filled = threading.Condition()
        self._shares: OrderedDict[str, _Share] = OrderedDict()
        self._changed: set[str] = set()
        self._waiting, self._ended = 0, False
        self._taken_s = time.monotonic()

    def add_message(self, board: str, came: BrokerMessage) -> bool:
        """Keep a message; False, and it is gone, where the board's share is full."""
        with self._filled:
            share = self._shares.get(board) or _Share()
            size = share.size + len(came.body)
            if len(share.waiting) >= MOST_IN_SHARE or size > MOST_SHARE_BYTES:
                return False
            if board not in self._shares and len(self._shares) >= MOST_SHARES:
                return False
            share.waiting.append(came)
            share.size = size
            self._shares[board] = share  # only with something in it: who takes a batch counts on that
            self._waiting += 1
            self._filled.notify()
            return True

    def mark_changed(self, boards: Iterable[str]) -> None:
        """These boards are not as they were."""
        with self._filled:
            self._changed.update(boards)
            self._filled.notify()

    def end_input(self) -> None:
        """Nothing more comes: `take_batch` gives what waits, and then its last."""
        with self._filled:
            self._ended = True
            self._filled.notify()

    def count_waiting(self) -> int:
        """How many messages wait, of each board AS_BUSY at most: one alone does not make the hall busy."""
        with self._filled:
            return sum(min(len(share.waiting), AS_BUSY) for share in self._shares.values())

    @property
    def is_served(self) -> bool:
        """Whether somebody takes what waits; a hall whose database stands still does not."""
        return time.monotonic() - self._taken_s < SERVED_S

    def take_batch(self, most: int, gather_s: float, patience_s: float | None = None) -> Batch:
        """What waits, at most so many, each board in its turn; waits for the first, `patience_s` long if that is given,
        and `gather_s` for more."""
        with self._filled:
            self._taken_s = math.inf  # for as long as nothing waits
            self._filled.wait_for(self._has_any, patience_s)
            self._taken_s = time.monotonic()
            if gather_s and self._has_any():
                end = time.monotonic() + gather_s
                self._filled.wait_for(lambda: self._waiting >= most or self._ended, end - time.monotonic())
            came: list[BrokerMessage] = []
            for _ in range(MOST_IN_TURN):
                for board in list(self._shares)[: most - len(came)]:
                    came.append(self._pop_message(board))
                if len(came) >= most or not self._shares:
                    break
            self._waiting -= len(came)
            changed, self._changed = frozenset(self._changed), set()
            return Batch(came, changed, is_last=self._ended and not self._waiting)

    def _has_any(self) -> bool:
        return bool(self._waiting or self._changed or self._ended)

    def _pop_message(self, board: str) -> BrokerMessage:
        """The oldest message of a board, which is then the last in the turn."""
        share = self._shares[board]
        came = share.waiting.popleft()
        share.size -= len(came.body)
        if share.waiting:
            self._shares.move_to_end(board)
        else:
            del self._shares[board]
        return came
