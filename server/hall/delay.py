"""Holds back what boards told the hall, and writes it into the spectators' files when it is old enough.

The delay counts from when the hall heard of something, which is never before it happened. What a hall that was killed
had held back counts from its new start: late it may be, early never; and what it had told stays. Where arbiters have
decided otherwise than the board, it is their result that is told, as late as all else; where nobody has decided on what
a board says that is not trusted, none is.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from server.hall.desk.hall_vitals import PART_ENDS_S
from server.hall.desk.ledger import Ledger
from server.hall.desk.monitor import GameKey
from server.hall.desk.standing import BoardStanding
from server.mqtt.wire import STATE, EventLink, fields_of
from server.record.summary import RULED_ENDING
from server.spectators.holding import DelayQueue
from server.spectators.public_feed import NO_RESULT_YET
from server.spectators.shelf import EVERY_BOARD, NOW, End, Shelf
from server.spectators.withheld import event_for_spectators
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
IN_THE_LIST = ("game", "ply", "side", "players", "ratings", "last", "result", "reason")
"""Of a board's state, what the list of all boards says; the pieces are in the board's own file."""
NOT_DECIDED = "undecided"
"""Why no result is told of a game that is over by its board's word: that is not trusted, and nobody has decided."""
STILL_LISTED_S = 24 * 3600.0
"""A hall that begins anew goes on with what was told of a board within this time. Longer shows boards that were put
away, shorter loses those of an event that pauses overnight."""

TOLD_FIELDS: Mapping[str, tuple[type, ...]] = {
    "board": (str,),
    "file": (str,),
    "size": (int,),
    "time": (int, float),
    "state": (dict,),
}
"""What the file of a board says where it is now, and as what."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Events of games up to a number."""

    heard: float
    """When the hall heard of it, in seconds since 1970."""
    newest: Mapping[GameKey, int]


@dataclass(frozen=True, slots=True)
class PackedState:
    """A board's state, packed."""

    heard: float
    board: str
    packed: bytes


@dataclass(frozen=True, slots=True)
class Decided:
    """Games of which another result counts than before, and which; `by_arbiter` where it is not the board's own."""

    heard: float
    results: Mapping[GameKey, tuple[str, bool]]


class Delay(threading.Thread):
    """Writes to a shelf, and to a feed for those who listen, what the hall heard `delay_s` seconds ago."""

    def __init__(
        self,
        ledger: Ledger,
        shelf: Shelf,
        feed: Feed,
        delay_s: float,
        clock: Callable[[], float] = time.monotonic,
        rulings: Callable[[], Mapping[GameKey, str]] = dict,
        failed: Callable[[sa.exc.SQLAlchemyError], object] = lambda error: None,
    ) -> None:
        """`rulings` are the games of which the board's own result does not count, and which does, "" for none; `failed`
        hears what the database has not told: it is asked again."""
        super().__init__(name="delay", daemon=True)
        self.shelf, self.feed, self.delay_s = shelf, feed, delay_s
        self._ledger, self._rulings, self._failed, self._end = ledger, rulings, failed, threading.Event()
        self._said = ""
        """What the log was told last of what cannot be told just now."""
        self._states: DelayQueue[PackedState] = DelayQueue(delay_s, clock, MOST_HELD)
        self._events: DelayQueue[Stored] = DelayQueue(delay_s, clock)
        self._decided: DelayQueue[Decided] = DelayQueue(delay_s, clock)
        self._seen: dict[str, object] = {}
        self._now = self._read_told(time.time() - STILL_LISTED_S)
        self._ruled = {
            (board, str(now["state"]["name"])): str(now["state"].get("result") or "")
            for board, now in self._now.items()
            if now["state"].get("reason") in {RULED_ENDING, NOT_DECIDED}
        }
        self._noted: Mapping[GameKey, str] = dict(self._ruled)
        known = {key: at.summary.events for key, at in ledger.stored_games().items()}
        self._events.hold_item(Stored(time.time(), known))
        self.note_rulings()
        self._write_list()

    def _read_told(self, since: float) -> dict[str, dict[str, Any]]:
        """What was told of each board since a time, before this hall began."""
        rows = self.shelf.read_file(EVERY_BOARD).get("boards")
        names = [row.get("board") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        found: dict[str, dict[str, Any]] = {str(board): dict(self.shelf.read_file(f"{board}/{NOW}")) for board in names}
        return {board: now for board, now in found.items() if _is_told(now) and now["time"] >= since}

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
                self.note_rulings()  # first: what is in doubt by now is told as that
                self.publish_due()
                self._said = ""
            except sa.exc.SQLAlchemyError as error:
                self._failed(error)
            except OSError as error:
                said = str(error).partition("\n")[0][:300]
                if said != self._said:
                    log.warning("spectators are told later: %s", said)
                self._said = said
            except Exception:
                log.exception("spectators are not told of something")

    def stop_publishing(self) -> None:
        """Tell nothing more."""
        self._end.set()
        self.feed.end_listeners()
        self.join(PART_ENDS_S)

    def note_rulings(self) -> None:
        """Hold back what arbiters have made of results since this was asked last."""
        now = dict(self._rulings())
        changed = {key for key in now.keys() | self._noted.keys() if now.get(key) != self._noted.get(key)}
        if changed:
            results = {key: (now[key], True) if key in now else (self._own_result(key), False) for key in changed}
            self._decided.hold_item(Decided(time.time(), results))
        self._noted = now

    def _own_result(self, key: GameKey) -> str:
        known = self._ledger.find_game(*key)
        return known.summary.result if known is not None and known.summary.is_over else ""

    def publish_due(self) -> None:
        """Write what is old enough; what cannot be written now is tried again."""
        for told in self._events.take_due():
            for (board, game), newest in told.newest.items():
                self._publish_events(board, game, newest, told.heard)
        changed = set()
        for decided in self._decided.take_due():
            for (board, game), (result, by_arbiter) in decided.results.items():
                changed |= self._publish_ruling(board, game, result, decided.heard, by_arbiter=by_arbiter)
        for stood in self._states.take_due():
            state: dict[str, object] = json.loads(zlib.decompress(stood.packed))
            self._publish_state(stood.board, state, stood.heard)
            changed.add(stood.board)
        for board in changed:
            self.shelf.replace_file(f"{board}/{NOW}", self._now[board])
        if changed:
            self._write_list()

    def _write_list(self) -> None:
        rows = []
        for _, now in sorted(self._now.items()):
            where = {key: now[key] for key in ("board", "file", "size", "time")}
            rows.append(where | {key: now["state"][key] for key in IN_THE_LIST if key in now["state"]})
        self.shelf.replace_file(EVERY_BOARD, {"delay": self.delay_s, "boards": rows})

    def _publish_events(self, board: str, game: str, newest: int, heard: float) -> None:
        after = self.shelf.file_end(board, game).sequence
        if newest <= after:
            return
        lines: list[Mapping[str, object]] = [
            {"time": round(heard, 3), "sequence": link.sequence, "event": event_for_spectators(link.event)}
            for link in self._ledger.read_links(board, game, after, newest - after)
            if link.event.get("event") in TOLD
        ]
        if lines:
            self._publish_lines(board, game, lines, newest)
        self._publish_result(board, game, None, heard)

    def _publish_ruling(self, board: str, game: str, result: str, heard: float, *, by_arbiter: bool) -> set[str]:
        """Tell of which result counts; the board, if it still shows that game."""
        self._ruled.pop((board, game), None)
        if by_arbiter:
            self._ruled[board, game] = result
        self._publish_result(board, game, result, heard)
        state = self._now[board]["state"] if board in self._now else {}
        if state.get("name") != game:
            return set()
        own = state if by_arbiter else {**state, "result": result or None, "reason": None}
        if (marked := self._mark_result(board, game, own)) == state:
            return set()
        self._publish_state(board, marked, heard)
        return {board}

    def _find_counting(self, board: str, game: str) -> str | None:
        """The result that counts in the place of the board's own, "" for none; None where the board's own does. What is
        in doubt by now is not told any more, also where it was not in doubt when it was heard."""
        known = self._ruled.get((board, game))
        return "" if known is None and self._noted.get((board, game)) == "" else known

    def _mark_result(self, board: str, game: str, state: dict[str, object]) -> dict[str, object]:
        """A state with the result that counts; the same where nothing else counts than it says."""
        counts = self._find_counting(board, game)
        if counts and counts != state.get("result"):
            return state | {"result": counts, "reason": RULED_ENDING}
        is_over = bool(state.get("result")) or state.get("reason") == NOT_DECIDED
        return state | {"result": None, "reason": NOT_DECIDED} if counts == "" and is_over else state

    def _publish_result(self, board: str, game: str, own: str | None, heard: float) -> None:
        """A line for who reads the game's file, where it says otherwise and has anything: the result that counts, else
        the board's `own`, None where its own events say that."""
        counts, end = self._find_counting(board, game), self.shelf.file_end(board, game)
        result = own if counts is None else counts
        if result is not None and end.size and end.result != result:
            by_arbiter = {"reason": RULED_ENDING, "by": "arbiter"}
            why = {} if counts is None else by_arbiter if counts else {"reason": NOT_DECIDED}
            event = {"event": "result", "result": result or NO_RESULT_YET, **why}
            self._publish_lines(board, game, [{"time": round(heard, 3), "event": event}])

    def _publish_state(self, board: str, state: dict[str, object], heard: float) -> None:
        game = str(state["name"])
        line = {"time": round(heard, 3), "state": self._mark_result(board, game, state)}
        end = self._publish_lines(board, game, [line])
        where = {"board": board, "file": self.shelf.file_address(board, game), "size": end.size}
        self._now[board] = {**where, **line}

    def _publish_lines(self, board: str, game: str, lines: list[Mapping[str, object]], sequence: int = 0) -> End:
        end = self.shelf.append_lines(board, game, lines, sequence)
        for line in lines:
            self.feed.publish_event({"board": board, "game": game, **line})
        return end


def _is_told(now: Mapping[str, Any]) -> bool:
    """Whether what was read is what is written here of a board."""
    state = now.get("state")
    is_whole = all(isinstance(now.get(key), kind) for key, kind in TOLD_FIELDS.items())
    return is_whole and isinstance(state, Mapping) and isinstance(state.get("name"), str)
