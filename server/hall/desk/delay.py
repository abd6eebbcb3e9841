"""Holds back what boards told the hall, and writes it into the spectators' files when it is old enough.

The delay counts from when the hall heard of something, which is never before it happened. What a hall that was killed
had held back counts from its new start: late it may be, early never.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from server.hall.desk.ledger import Ledger
from server.hall.desk.standing import BoardStanding
from server.mqtt.wire import STATE, EventLink, fields_of
from server.spectators.holding import DelayQueue
from server.spectators.shelf import EVERY_BOARD, NOW, Shelf
from server.spectators.withheld import event_without_hints
from server.web.feed import Feed

log = logging.getLogger(__name__)

TOLD_EVERY_S = 0.5
"""How often it looks for what is old enough."""
MOST_HELD = 200_000
"""States that are held back, some 100 MB; beyond it the oldest are left out, never told early. Events stay."""
TOLD = frozenset(
    {"begin", "move", "takeback", "position", "left", "result", "paused", "adjourned", "resumed", "details", "illegal"}
)
"""Of a record's events those that are told. What the camera saw, and pictures, are the board's own."""
STATE_FIELDS = frozenset(fields_of(STATE)) - {"head"}
"""Of a board's state, what spectators are told: what a newer board says beside it may be nothing for them."""
IN_THE_LIST = ("game", "ply", "side", "players", "ratings", "last", "result")
"""Of a board's state, what the list of all boards says; the pieces are in the board's own file."""

Game = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Stored:
    """Events of games up to a number."""

    heard: float
    """When the hall heard of it, in seconds since 1970."""
    newest: Mapping[Game, int]


@dataclass(frozen=True, slots=True)
class PackedState:
    """A board's state, packed."""

    heard: float
    board: str
    packed: bytes


class Delay(threading.Thread):
    """Writes to a shelf, and to a feed for those who listen, what the hall heard `delay_s` seconds ago."""

    def __init__(
        self,
        ledger: Ledger,
        shelf: Shelf,
        feed: Feed,
        delay_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(name="delay", daemon=True)
        self.shelf, self.feed, self.delay_s = shelf, feed, delay_s
        self._ledger, self._end = ledger, threading.Event()
        self._states: DelayQueue[PackedState] = DelayQueue(delay_s, clock, MOST_HELD)
        self._events: DelayQueue[Stored] = DelayQueue(delay_s, clock)
        self._seen: dict[str, object] = {}
        self._now: dict[str, dict[str, object]] = {}
        self._lines: dict[str, dict[str, object]] = {}
        known = {key: at.summary.events for key, at in ledger.stored_games().items()}
        self._events.hold_item(Stored(time.time(), known))
        shelf.replace_file(EVERY_BOARD, {"delay": delay_s, "boards": []})

    def hold_back(self, stored: Sequence[EventLink], changed: Sequence[BoardStanding]) -> None:
        """What the hall has just stored, and the boards that said something; called from its own thread."""
        heard = time.time()
        if stored:
            self._events.hold_item(Stored(heard, {(link.board, link.game): link.sequence for link in stored}))
        for board in changed:
            if board.state is not None and board.state != self._seen.get(board.name):
                self._seen[board.name] = board.state
                known = {field: said for field, said in board.state.items() if field in STATE_FIELDS}
                packed = zlib.compress(json.dumps(known, ensure_ascii=False).encode(), 1)
                self._states.hold_item(PackedState(heard, board.name, packed))

    def run(self) -> None:
        """The thread."""
        while not self._end.wait(TOLD_EVERY_S):
            try:
                self.publish_due()
            except (OSError, sa.exc.SQLAlchemyError) as error:
                log.warning("spectators are told later: %s", str(error).partition("\n")[0][:300])
            except Exception:
                log.exception("spectators are not told of something")

    def stop_publishing(self) -> None:
        """Tell nothing more."""
        self._end.set()
        self.feed.end_listeners()
        self.join()

    def publish_due(self) -> None:
        """Write what is old enough; what cannot be written now is tried again."""
        for told in self._events.take_due():
            for (board, game), newest in told.newest.items():
                self._publish_events(board, game, newest, told.heard)
        changed = set()
        for stood in self._states.take_due():
            self._publish_state(stood)
            changed.add(stood.board)
        for board in changed:
            self.shelf.replace_file(f"{board}/{NOW}", self._now[board])
        if changed:
            self.shelf.replace_file(
                EVERY_BOARD, {"delay": self.delay_s, "boards": [line for _, line in sorted(self._lines.items())]}
            )

    def _publish_events(self, board: str, game: str, newest: int, heard: float) -> None:
        after = self.shelf.file_end(board, game).sequence
        if newest <= after:
            return
        lines: list[Mapping[str, object]] = [
            {"time": round(heard, 3), "sequence": link.sequence, "event": event_without_hints(link.event)}
            for link in self._ledger.read_links(board, game, after, newest - after)
            if link.event.get("event") in TOLD
        ]
        if lines:
            self.shelf.append_lines(board, game, lines, newest)
            for line in lines:
                self.feed.publish_event({"board": board, "game": game, **line})

    def _publish_state(self, stood: PackedState) -> None:
        state: dict[str, object] = json.loads(zlib.decompress(stood.packed))
        board, game, line = stood.board, str(state["name"]), {"time": round(stood.heard, 3), "state": state}
        end = self.shelf.append_lines(board, game, [line])
        self.feed.publish_event({"board": board, "game": game, **line})
        where = {"board": board, "file": self.shelf.file_address(board, game), "size": end.size, "time": line["time"]}
        self._now[board] = {**where, "state": state}
        self._lines[board] = where | {key: state[key] for key in IN_THE_LIST if key in state}
