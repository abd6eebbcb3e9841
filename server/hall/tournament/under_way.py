"""The rounds that are under way, for the boards' page: how many results are known, and at which boards.

What a board shows is no result of a round: the next game may have begun there, and a result may have been said by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from server.hall.desk.ledger import Ledger
from server.hall.tournament.event import Seating, Tournament
from server.hall.tournament.tournament_store import Tournaments

EXPECTED_FOR = timedelta(days=1)
"""A board at which a game has begun within this time is looked for by a hall that was started anew. Longer lists boards
that were put away, shorter forgets those of yesterday's round."""


class LastRounds:
    """The rounds under way, as they were known last while the database is away: the pages say that it is."""

    def __init__(self, rounds: Callable[[], list[dict[str, object]]]) -> None:
        self._rounds, self._known = rounds, list[dict[str, object]]()

    def list_rounds(self) -> list[dict[str, object]]:
        """Never an empty list in the place of one that cannot be read: what is counted would be something else. So
        this is to be asked for whenever a tournament has changed, whether a page wants it or not."""
        with suppress(sa.exc.SQLAlchemyError):
            self._known = self._rounds()
        return self._known


def rounds_under_way(tournaments: Tournaments, ledger: Ledger) -> list[dict[str, object]]:
    """Of each tournament the round paired last, as long as a result is open or a board still has its table's game."""
    loaded = [tournaments.load_tournament(name) for name in tournaments.list_names()]
    holders = _find_holders(loaded)
    rounds = (_describe_round(one, ledger, holders) for one in loaded)
    return [found for found in rounds if found]


def _find_holders(loaded: Sequence[Tournament]) -> dict[str, str]:
    """Board -> the tournament to whose table it was given last: one whose result is open has it, else the one after
    whose pairing most games were begun there."""
    newest = dict[str, tuple[bool, str, str]]()
    for one in loaded:
        for table in one.at(one.paired):
            if table.board:
                given = (table.holds_board, table.after, one.name)
                newest[table.board] = max(newest.get(table.board, given), given)
    return {board: name for board, (_, _, name) in newest.items()}


def _describe_round(tournament: Tournament, ledger: Ledger, holders: Mapping[str, str]) -> dict[str, object]:
    tables = [table for table in tournament.at(tournament.paired) if not table.is_bye]
    if all(table.result for table in tables) and not any(_stands(table, ledger) for table in tables):
        return {}
    its = [table for table in tables if holders.get(table.board) == tournament.name]
    return {
        "tournament": tournament.name,
        "title": tournament.title or tournament.name,
        "round": tournament.paired,
        "done": sum(bool(table.result) for table in tables),
        "all": len(tables),
        "boards": {table.board: table.result for table in its},
        "games": {table.board: table.game for table in its},
    }


def _stands(table: Seating, ledger: Ledger) -> bool:
    """Whether its board still has a table's game."""
    last = ledger.last_played(table.board) if table.board and table.game else None
    return last is not None and last.name == table.game


def boards_expected(tournaments: Tournaments, ledger: Ledger) -> Iterator[str]:
    """Boards that a hall which has just begun looks for: those of rounds under way, and those of the last day."""
    since = (datetime.now(UTC) - EXPECTED_FOR).isoformat(timespec="seconds")
    yield from {board for (board, _), known in ledger.stored_games().items() if known.summary.begun >= since}
    for found in rounds_under_way(tournaments, ledger):
        boards = found["boards"]
        yield from boards if isinstance(boards, dict) else ()
