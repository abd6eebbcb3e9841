"""The games of tournaments out of what the hall has stored: the names of their tables, and the results that count."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from server.hall.desk.ledger import Key, Ledger
from server.hall.tournament.event import BY_BOARD, Seating, Tournament
from server.hall.tournament.results import is_played, result_from_board
from server.hall.tournament.tournament_store import Tournaments
from server.record.archive import Events
from server.record.details import DETAILS
from server.record.summary import RULED_ENDING

RULINGS_READ_EVERY_S = 1.0
"""The database is asked so often whether a tournament has changed: others, as `referee tournament`, change it too."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of a table: its place in the event, and in `head` by what a change of it shows."""

    table: Seating
    events: Events
    head: str

    @property
    def public_name(self) -> str:
        """As it is called outside: every board counts its games for itself."""
        return f"round-{self.table.round}-table-{self.table.table}"


def find_played_games(tournament: Tournament, ledger: Ledger) -> Iterator[PlayedGame]:
    """Every game of which something is stored, by round and table."""
    for table in tournament.tables:
        known = ledger.find_game(table.board, table.game) if table.board and table.game else None
        if known is None or (table.result and not is_played(table.result)):
            continue
        events = [dict(link.event) for link in ledger.read_links(table.board, table.game)]
        if table.result and table.result != result_from_board(known.summary):
            events.append(ruling_event(table, events))
        yield PlayedGame(table, [*events, details_event(tournament, table)], f"{known.summary.head} {table.result}")


def ruling_event(table: Seating, events: Events) -> dict[str, object]:
    """The event of a record that says what an arbiter has made of a game: it counts, whatever the board says."""
    said = {"event": "result", "result": table.result, "reason": RULED_ENDING, "by": "arbiter"}
    return {"t": events[-1].get("t", 0.0), **said}


def details_event(tournament: Tournament, table: Seating) -> dict[str, object]:
    """The event of a record that says who plays here, and where (server.record.details)."""
    return {"t": 0.0, "event": DETAILS, "by": "arbiter", "details": build_details(tournament, table)}


def build_details(tournament: Tournament, table: Seating) -> dict[str, object]:
    """Event, round, place, arbiter, and names and ratings by their sides; without what is not known."""
    seated = [
        (seat, tournament.find_entrant(number))
        for seat, number in zip(tournament.seat_names, table.players, strict=True)
    ]
    said: dict[str, object] = {
        "event": tournament.title or tournament.name,
        "round": f"{table.round}.{table.table}",
        "place": tournament.place,
        "arbiter": tournament.arbiter,
        "players": {seat: one.name for seat, one in seated},
        "ratings": {seat: str(one.rating) for seat, one in seated if one.rating},
    }
    return {key: value for key, value in said.items() if value}


@dataclass(frozen=True, slots=True)
class Ruling:
    """A game whose table has another result than its board says now: what counts is the table's."""

    tournament: str
    table: Seating
    board_says: str
    """"" where the game goes on there."""

    @property
    def changed_later(self) -> bool:
        """Whether nobody has decided so: the board said so, and otherwise since the next round was paired."""
        return self.table.source == BY_BOARD


def find_ruling(tournament: Tournament, table: Seating, ledger: Ledger) -> Ruling | None:
    """None where the board says the same, nobody knows which game it was, or the board's word still counts."""
    is_followed = table.source == BY_BOARD and table.round == tournament.paired
    known = ledger.find_game(table.board, table.game) if table.result and table.game and not is_followed else None
    if known is None or result_from_board(known.summary) == table.result:
        return None
    return Ruling(tournament.name, table, known.summary.result if known.summary.is_over else "")


class Rulings:
    """All of them in a hall, by board and game; any thread may ask."""

    def __init__(self, tournaments: Tournaments, ledger: Ledger, steady: Callable[[], float] = time.monotonic) -> None:
        self._tournaments, self._ledger, self._steady = tournaments, ledger, steady
        self._lock = threading.Lock()
        self._looked_s = -RULINGS_READ_EVERY_S
        self._known: dict[str, Tournament] = {}
        self.newest: Mapping[Key, Ruling] = {}
        """As they were found last."""

    def find_rulings(self) -> Mapping[Key, Ruling]:
        """As they are now, but for what has changed within RULINGS_READ_EVERY_S."""
        with self._lock:
            if self._steady() - self._looked_s >= RULINGS_READ_EVERY_S:
                self._read_changed()
                self._looked_s = self._steady()
            found = (
                find_ruling(one, table, self._ledger)
                for one in self._known.values()
                for table in one.tables
                if table.game
            )
            self.newest = {(ruling.table.board, ruling.table.game): ruling for ruling in found if ruling}
            return self.newest

    def find_results(self) -> Mapping[Key, str]:
        """Of each such game the result that counts."""
        return {key: ruling.table.result for key, ruling in self.find_rulings().items()}

    def find_changed_later(self) -> set[str]:
        """The boards that have changed a result after the next round was paired with it."""
        return {board for (board, _), ruling in self.find_rulings().items() if ruling.changed_later}

    def describe_changed(self, board: str) -> dict[str, object]:
        """Of such a board: where it was played, what it says and what counts, as found last; empty for others."""
        for (name, _), ruling in self.newest.items():
            if name == board and ruling.changed_later:
                where = {"tournament": ruling.tournament, "round": ruling.table.round, "table": ruling.table.table}
                return where | {"says": ruling.board_says, "counts": ruling.table.result}
        return {}

    def _read_changed(self) -> None:
        versions = self._tournaments.list_versions()
        fresh = {
            name: self._tournaments.load_tournament(name)
            for name, version in versions.items()
            if name not in self._known or self._known[name].version != version
        }
        self._known = {name: one for name, one in (self._known | fresh).items() if name in versions}
