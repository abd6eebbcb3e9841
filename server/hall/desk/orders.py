"""What the hall wants boards to do: commands that are sent at once, and rulings until they stand in the board's record.

A ruling is decided in the hall's database; the board's record is where it stays. It is sent again until the board has
published it as an event of its own; the board knows by its id that it had it. What a board refuses comes back to the
arbiters, and of what is done at once it is known whether it has arrived.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from server.hall.desk.hall_vitals import PART_ENDS_S
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import SHOWN_FOR_S, Matter, Matters
from server.hall.desk.standing import Boards
from server.mqtt.wire import ROLE_ARBITER, Command, EventLink

log = logging.getLogger(__name__)

RULED_EVENT = "ruling"
RULING_ID = re.compile(rf"{RULED_EVENT}-(\d{{1,9}})-\d+")
"""A ruling's id: which matter it is of."""
ORDER_AGAIN_S = 2.0
"""What was not written by then is sent again: the board was away, or its answer is still on its way."""
EXPIRES_S = 60.0
"""A command that the board has not taken by then is done no more. Boards reckon by the hall's clock."""
ANSWERED_S = 5.0
"""A board that has not answered a command by then is said not to have."""
ORDERS_KEPT = 100
SENT, DONE_THERE, NOT_TAKEN, NOT_ANSWERED = "sent", "at-board", "refused", "unanswered"
"""How a command stands that was sent at once."""


@dataclass(frozen=True, slots=True)
class Order:
    """A command that was sent at once, and what the board answered."""

    id: str
    board: str
    do: str
    who: str
    at: float
    state: str = SENT
    why: str = ""


class Orders(threading.Thread):
    """Sends what is decided; `send` publishes a command to a board, and says whether there was a broker to take it;
    `owns` says for which boards this hall speaks, and `changed` hears that the queue is not as it was."""

    def __init__(
        self,
        matters: Matters,
        boards: Boards,
        ledger: Ledger,
        send: Callable[[str, Command], bool],
        owns: Callable[[str], bool] = lambda board: True,
        changed: Callable[[], object] = lambda: None,
        failed: Callable[[sa.exc.SQLAlchemyError], object] = lambda error: None,
    ) -> None:
        """`failed` hears what the database has not taken; it is tried again."""
        super().__init__(name="orders", daemon=True)
        self._matters, self._boards, self._ledger, self._send, self._owns = matters, boards, ledger, send, owns
        self._changed, self._failed = changed, failed
        self._wake, self._closed, self._lock = threading.Event(), False, threading.Lock()
        self._orders: dict[str, Order] = {}
        self._taken: set[int] = set()
        """Rulings that their boards have answered once."""

    def notify_ruling(self) -> None:
        """Something was decided just now."""
        self._wake.set()

    def send_order(self, board: str, do: str, who: str, on: tuple[str, int] | None = None) -> str:
        """Send a command that is done now or never; its id, empty if there is no broker.

        `on` is the game that it was decided on and how many plies it had: the board refuses what comes too late.
        """
        game, ply = on or ("", None)
        now = time.time()
        order = Order(f"{do}-{time.time_ns()}", board, do, who, now)
        with self._lock:
            self._orders[order.id] = order
            self._orders = dict(list(self._orders.items())[-ORDERS_KEPT:])
        if self._send(board, Command(order.id, now + EXPIRES_S, ROLE_ARBITER, who, do, game, ply=ply)):
            return order.id
        with self._lock:
            del self._orders[order.id]
        return ""

    def recent_orders(self) -> list[Order]:
        """The commands of the last minute, and how each stands."""
        now = time.time()
        with self._lock:
            recent = [order for order in self._orders.values() if now - order.at < EXPIRES_S]
        return [
            replace(order, state=NOT_ANSWERED) if order.state == SENT and now - order.at >= ANSWERED_S else order
            for order in recent
        ]

    def mark_written_rulings(self, stored: Sequence[EventLink]) -> None:
        """What boards have written: rulings among it need not be sent any more."""
        for link in stored:
            if link.event.get("event") == RULED_EVENT and (found := RULING_ID.fullmatch(str(link.event.get("id")))):
                self._matters.mark_written(link.board, int(found[1]))

    def handle_answer(self, said: Mapping[str, Any]) -> None:
        """What a board says of a command."""
        name, board, why = str(said["id"]), str(said["board"]), str(said["why"])
        with self._lock:
            order = self._orders.get(name)
            if order is not None and order.board == board:
                self._orders[name] = replace(order, state=DONE_THERE if said["taken"] else NOT_TAKEN, why=why)
        try:
            if (found := RULING_ID.fullmatch(name)) and self._owns(board):
                if said["taken"]:
                    self._confirm_ruling(board, int(found[1]))
                else:
                    self._matters.reopen_refused(board, int(found[1]), why)
        except sa.exc.SQLAlchemyError as error:  # the board is asked again
            self._failed(error)
        self._changed()

    def stop_sending(self) -> None:
        """Send nothing more."""
        self._closed = True
        self._wake.set()
        self.join(PART_ENDS_S)

    def run(self) -> None:
        """The thread."""
        while True:
            self._wake.clear()
            if self._closed:
                return
            try:
                self._send_rulings()
            except sa.exc.SQLAlchemyError as error:
                self._failed(error)
            except Exception:
                log.exception("rulings cannot be sent just now")
            self._wake.wait(ORDER_AGAIN_S)

    def _send_rulings(self) -> None:
        now = time.time()
        here = [board.name for board in self._boards.list_boards() if board.online and self._owns(board.name)]
        due = [
            one for one in self._matters.list_unwritten(now - SHOWN_FOR_S, here) if now - one.sent >= ORDER_AGAIN_S / 2
        ]
        self._matters.mark_sent([one.id for one in due if self._send(one.board, build_ruling(one))], now)

    def _confirm_ruling(self, board: str, matter: int) -> None:
        """A board has a ruling: mark it, if its event was stored before anybody could.

        What is written into a game that does not fit is never stored, whatever is played by then. There the board's
        second answer has to do: the first says that it was heard, and by the next its record has it. Two of one name
        are not believed.
        """
        known = self._boards.find_board(board)
        newest = known.claim.game if known is not None and known.claim is not None else ""
        for one in self._matters.list_unwritten(0.0, [board]):
            if one.id == matter:
                for game in {one.game, newest}:
                    self.mark_written_rulings(self._ledger.read_links(board, game))
                is_alone = known is not None and self._boards.is_alone(known)
                if matter in self._taken and is_alone and (board, one.game) in self._matters.find_distrust().games:
                    self._matters.mark_written(board, matter)
        self._taken.add(matter)


def build_ruling(matter: Matter) -> Command:
    """The command that has a board write a ruling. Its id is that of this ruling on this matter, also for a hall that
    began to count anew, so that it is written once."""
    name = f"{RULED_EVENT}-{matter.id}-{round(matter.opened)}{matter.version:04}"
    until, said = time.time() + EXPIRES_S, (matter.game, matter.kind, matter.ruling)
    return Command(name, until, ROLE_ARBITER, matter.owner, RULED_EVENT, *said)
