"""The games of a tournament out of what the hall has stored, each with the names of its table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from server.hall.desk.ledger import Ledger
from server.hall.tournament.event import Seating, Tournament
from server.hall.tournament.results import is_played
from server.record.archive import Events
from server.record.details import DETAILS

RULED_ENDING = "ruling"
"""Why a game is over that ended otherwise at the board, or did not end there."""


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
        if table.result and table.result != known.summary.result:
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
