"""The games of tournaments out of what the hall has stored: the names of their tables, and the results that count."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from engine.errors import InputError
from server.hall.desk.ledger import Key, Ledger
from server.hall.desk.matters import Distrust
from server.hall.desk.troubles import CHANGED_LATER, CONTRADICTED, DISPUTED, HOLD_RESULTS, GameTrouble
from server.hall.tournament.event import ANY_RESULT, BY_BOARD, Seating, Tournament
from server.hall.tournament.results import is_played, result_from_board
from server.hall.tournament.results_from_boards import BROKEN, HELD, find_table_game, give_result, players_of
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
        if table.result and table.result != result_from_board(known):
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
    def dispute_kind(self) -> str:
        """Which of troubles.DISPUTED it is, "" where an arbiter has decided so: the board has said otherwise since the
        next round was paired by its word, or has ended the game otherwise than an arbiter had said before."""
        if self.table.source == BY_BOARD:
            return CHANGED_LATER
        is_known = self.table.overruled in {ANY_RESULT, self.board_says}
        return CONTRADICTED if self.board_says and not is_known else ""


def find_ruling(tournament: Tournament, table: Seating, ledger: Ledger) -> Ruling | None:
    """None where the board says the same, nobody knows which game it was, or the board's word still counts."""
    is_followed = table.source == BY_BOARD and table.round == tournament.paired
    known = ledger.find_game(table.board, table.game) if table.result and table.game and not is_followed else None
    if known is None or result_from_board(known) == table.result:
        return None
    return Ruling(tournament.name, table, result_from_board(known) if known.summary.is_over else "")


def _name_seats(table: Seating) -> dict[str, object]:
    return {"round": table.round, "table": table.table}


@dataclass(frozen=True, slots=True)
class ArbiterDecision:
    """The result on which an arbiter has decided, and what was seen by then: what counted, and what the board said."""

    result: str
    seen: tuple[str, str]


class Rulings:
    """All of them in a hall, by board and game; any thread may ask."""

    def __init__(
        self,
        tournaments: Tournaments,
        ledger: Ledger,
        steady: Callable[[], float] = time.monotonic,
        distrust: Callable[[], Distrust] = Distrust,
        played_at: Callable[[str], str] = lambda board: "",
    ) -> None:
        """`distrust` says whose records are not to be believed, `played_at` which game a board is at, "" for none."""
        self._tournaments, self._ledger, self._steady = tournaments, ledger, steady
        self._find_distrust, self._played_at = distrust, played_at
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
        """Of each game whose board's own word does not count: the result that does, "" where none does. So it is of
        those that are ruled on, and of those whose records prove nothing."""
        ruled, distrust = {key: one.table.result for key, one in self.find_rulings().items()}, self._find_distrust()
        seated = {(table.board, table.game): (one, table) for one in self._known.values() for table in one.tables}
        doubted = self._list_doubted(distrust)
        return {key: self._find_trusted(*seated[key], distrust) if key in seated else "" for key in doubted} | ruled

    def _list_doubted(self, distrust: Distrust) -> set[Key]:
        """The games whose records prove nothing: those that have parted from what was stored; and of a board that
        waits for an arbiter the one by which it showed, all that were begun after it, and the one it is at."""
        found = {*distrust.games, *distrust.held}
        found |= {(board, self._played_at(board)) for board in distrust.held_boards | distrust.parted}
        stored = self._ledger.stored_games() if distrust.held else {}
        since = dict[str, str]()
        for key in distrust.held & stored.keys():
            since[key[0]] = min(stored[key].place, since.get(key[0], stored[key].place))
        return found | {key for key, known in stored.items() if known.place > since.get(key[0], known.place)}

    def _find_trusted(self, tournament: Tournament, table: Seating, distrust: Distrust) -> str:
        """The result of a table whose game is in doubt: one that came from there may be about to be open again."""
        if table.source != BY_BOARD or table.round != tournament.paired:
            return table.result
        elsewhere = self._tournaments.find_elsewhere(tournament.name)
        found = find_table_game(tournament, table, self._ledger, distrust, elsewhere)
        return "" if found.misfit in {HELD, BROKEN} else table.result

    def find_disputes(self) -> set[tuple[str, GameTrouble]]:
        """The boards, and of which games they say otherwise than counts although nobody has decided so."""
        return {
            (board, GameTrouble(ruling.dispute_kind, game))
            for (board, game), ruling in self.find_rulings().items()
            if ruling.dispute_kind
        }

    def describe_changed(self, board: str, game: str) -> dict[str, object]:
        """Of such a game: where it was played, what the board says and what counts, as found last; empty for others."""
        ruling = self.newest.get((board, game))
        if ruling is None or not ruling.dispute_kind:
            return {}
        where = {"tournament": ruling.tournament} | _name_seats(ruling.table)
        return where | {"says": ruling.board_says, "counts": ruling.table.result}

    def describe_matter(self, kind: str, board: str, game: str) -> dict[str, object]:
        """What a matter is for a tournament: `changed` of a result in dispute, `concerns` where a result rests on the
        record that is in doubt."""
        if kind in DISPUTED:
            return {"changed": self.describe_changed(board, game)}
        return {"concerns": self._find_concerned(board, game)} if kind in HOLD_RESULTS else {}

    def _find_concerned(self, board: str, game: str) -> dict[str, object]:
        """The table of that board whose result is open, or else was of that very game; empty for none."""
        found = [
            (table.holds_board, {"tournament": one.name, "title": one.title or one.name} | _name_seats(table))
            for one in self._known.values()
            for table in one.at(one.paired)
            if table.board == board and (table.holds_board or table.game == game)
        ]
        return max(found, key=lambda at: at[0], default=(False, {}))[1]

    def decide_result(self, board: str, game: str, decision: ArbiterDecision, who: str) -> Ruling:
        """Have the result count that an arbiter has decided on for such a game; how it was ruled before. InputError
        where what counted or what the board says is not what was seen any more."""
        ruling = self.find_rulings().get((board, game))
        if ruling is None or not ruling.dispute_kind or (ruling.table.result, ruling.board_says) != decision.seen:
            raise InputError("the result that counts, or what the board says, has changed: look at the list again")
        where = ruling.table.round, ruling.table.table
        self._tournaments.change_tournament(
            ruling.tournament,
            lambda one: give_result(one, *where, decision.result, who, ruling.table.result, self._ledger),
        )
        with self._lock:
            self._looked_s = -RULINGS_READ_EVERY_S
        return ruling

    def find_players(self, board: str, game: str) -> list[str]:
        """Who plays a game, or played it: those of its table, as known last, or else those who were named at the
        board."""
        for one in self._known.values():
            for table in one.tables:
                if (table.board, table.game) == (board, game):
                    return [one.find_entrant(number).name for number in table.players]
        known = self._ledger.find_game(board, game)
        return list(players_of(known.summary).values()) if known is not None else []

    def _read_changed(self) -> None:
        versions = self._tournaments.list_versions()
        fresh = {
            name: self._tournaments.load_tournament(name)
            for name, version in versions.items()
            if name not in self._known or self._known[name].version != version
        }
        self._known = {name: one for name, one in (self._known | fresh).items() if name in versions}
