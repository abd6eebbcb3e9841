"""What the hall wants boards to do: commands that are sent at once, and rulings until they stand in the board's record.

A ruling is decided in the hall's database; the board's record is where it stays. It is sent again until the board has
published it as an event of its own; the board knows by its id that it had it.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Sequence

import sqlalchemy as sa

from server.hall.desk.matters import Matter, Matters
from server.hall.desk.standing import Boards
from server.hall.wire import ROLE_ARBITER, Command, Link

log = logging.getLogger(__name__)

RULED_EVENT = "ruling"
RULING_ID = re.compile(rf"{RULED_EVENT}-(\d{{1,9}})-\d+")
"""A ruling's id: which matter it is of."""
ORDER_AGAIN_S = 5.0
"""What was not written by then is sent again: the board was away, or its answer is still on its way."""
EXPIRES_S = 60.0
"""A command that the broker or the board has not taken by then is done no more; clocks may differ by as much."""
SENT_FOR_S = 7 * 24 * 3600.0
"""A ruling that no board has taken for a week stays in the hall's database only."""


class Orders(threading.Thread):
    """Sends what is decided; `send` publishes a command to a board, and says whether there was a broker to take it."""

    def __init__(self, matters: Matters, boards: Boards, send: Callable[[str, Command], bool]) -> None:
        super().__init__(name="orders", daemon=True)
        self._matters, self._boards, self._send = matters, boards, send
        self._wake, self._closed = threading.Event(), False

    def ruled(self) -> None:
        """Something was decided just now."""
        self._wake.set()

    def order(self, board: str, do: str, who: str) -> bool:
        """Send a command that is done now or never."""
        now = time.time()
        return self._send(board, Command(f"{do}-{time.time_ns()}", now + EXPIRES_S, ROLE_ARBITER, who, do))

    def heard(self, stored: Sequence[Link]) -> None:
        """What boards have written: rulings among it need not be sent any more."""
        for link in stored:
            if link.event.get("event") == RULED_EVENT and (found := RULING_ID.fullmatch(str(link.event.get("id")))):
                self._matters.written(link.board, int(found[1]))

    def close(self) -> None:
        """Send nothing more."""
        self._closed = True
        self._wake.set()
        self.join()

    def run(self) -> None:
        """The thread."""
        while not self._closed:
            self._wake.clear()
            try:
                for matter in self._matters.unwritten(time.time() - SENT_FOR_S):
                    board = self._boards.one(matter.board)
                    if board is not None and board.online:
                        self._send(matter.board, ruling(matter))
            except sa.exc.SQLAlchemyError as error:
                log.warning("rulings are sent later: %s", str(error).partition("\n")[0][:300])
            except Exception:
                log.exception("rulings cannot be sent just now")
            self._wake.wait(ORDER_AGAIN_S)


def ruling(matter: Matter) -> Command:
    """The command that has a board write a ruling. Its id is the matter's own, so that it is written once."""
    name = f"{RULED_EVENT}-{matter.id}-{round(matter.opened)}"
    said = {"game": matter.game, "kind": matter.kind, "ruling": matter.ruling}
    return Command(name, time.time() + EXPIRES_S, ROLE_ARBITER, matter.owner, RULED_EVENT, **said)
