"""The rounds that are under way, for the boards' page: how many results are known, and at which boards.

What a board shows is no result of a round: the next game may have begun there, and a result may have been said by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from server.hall.desk.ledger import Ledger
from server.hall.tournament.event import Tournament
from server.hall.tournament.tournament_store import Tournaments

EXPECTED_FOR = timedelta(days=1)
"""A board at which a game has begun within this time is looked for by a hall that was started anew. Longer lists boards
that were put away, shorter forgets those of yesterday's round."""


def rounds_under_way(tournaments: Tournaments, ledger: Ledger) -> list[dict[str, object]]:
    """Of each tournament the round paired last, as long as a result is open or a board still has its table's game."""
    rounds = (_describe_round(tournaments.load_tournament(name), ledger) for name in tournaments.list_names())
    return [found for found in rounds if found]


def _describe_round(tournament: Tournament, ledger: Ledger) -> dict[str, object]:
    tables = [table for table in tournament.at(tournament.paired) if not table.is_bye]
    last = {table.board: ledger.last_played(table.board) for table in tables if table.board and table.game}
    stand = any((game := last.get(table.board)) is not None and game.name == table.game for table in tables)
    if not stand and all(table.result for table in tables):
        return {}
    return {
        "tournament": tournament.name,
        "title": tournament.title or tournament.name,
        "round": tournament.paired,
        "done": sum(bool(table.result) for table in tables),
        "all": len(tables),
        "boards": {table.board: table.result for table in tables if table.board},
    }


def boards_expected(tournaments: Tournaments, ledger: Ledger) -> Iterator[str]:
    """Boards that a hall which has just begun looks for: those of rounds under way, and those of the last day."""
    since = (datetime.now(UTC) - EXPECTED_FOR).isoformat(timespec="seconds")
    yield from {board for (board, _), known in ledger.stored_games().items() if known.summary.begun >= since}
    for found in rounds_under_way(tournaments, ledger):
        boards = found["boards"]
        yield from boards if isinstance(boards, dict) else ()
