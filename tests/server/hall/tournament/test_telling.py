"""The hall tells real boards who plays: names at a fresh game, a new game after one that is over, none in between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.match.acts import NewGame
from server.board.hall_link import reports
from server.board.pages.app import create_app
from server.hall.desk.addresses import Address
from server.hall.desk.database import open_database
from server.hall.desk.ledger import Ledger
from server.hall.desk.standing import Boards
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament.event import Tournament
from server.hall.tournament.telling import GOES_ON, NO_ADDRESS, NOT_HEARD, tell_boards
from server.mqtt.wire import STATE
from server.record.details import SetDetails
from server.web.feed import Feed
from tests.server.hall.tournament.events import made
from tests.server.script import OPENING, Script
from tests.server.served import serve_app


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[Boards]:
    engine: sa.Engine = open_database(str(tmp_path / "hall.sqlite3"))
    yield Boards(Ledger(engine))
    engine.dispose()


@contextmanager
def board(boards: Boards, name: str, *, plies: int = 0, over: bool = False) -> Iterator[tuple[Address, list[object]]]:
    """A board's web service, what it was asked for, and its state as the hall has heard it."""
    script, asked = Script(Feed()), list[object]()
    for notation in OPENING[:plies]:
        script.play(notation)
    if over:
        script.over()
    site = serve_app(create_app(script.feed, asked.append, script.game))
    boards.note_message(name, STATE, reports.build_state(name, script.feed.newest_snapshot or {}, plies + 1, ""))
    try:
        yield Address(site.url.rstrip("/")), asked
    finally:
        site.stop_server()


def paired() -> Tournament:
    return running.pair_round(made(12, 3, place="Town"), 1, {}, boards=[f"table-{number}" for number in range(1, 7)])


def test_boards_are_told_who_plays_and_none_is_disturbed(boards: Boards) -> None:
    one = paired()
    with ExitStack() as closing:
        fresh = closing.enter_context(board(boards, "table-1"))
        over = closing.enter_context(board(boards, "table-2", plies=2, over=True))
        goes_on = closing.enter_context(board(boards, "table-3", plies=2))
        gone = Address("http://127.0.0.1:9")
        boards.note_message(
            "table-4", STATE, reports.build_state("table-4", Script(Feed()).feed.newest_snapshot or {}, 1, "")
        )
        where = {"table-1": fresh[0], "table-2": over[0], "table-3": goes_on[0], "table-4": gone, "table-5": gone}
        said = tell_boards(one, boards, where)
    assert {name: said[name] for name in said if name != "table-4"} == {
        "table-1": "",
        "table-2": "",
        "table-3": GOES_ON,
        "table-5": NOT_HEARD,
        "table-6": NO_ADDRESS,
    }
    assert "refused" in said["table-4"]
    (details,) = fresh[1]
    assert isinstance(details, SetDetails)
    white, black = (one.find_entrant(number) for number in one.at(1)[0].players)
    assert details.details.to_json() == {
        "event": "Open",
        "round": "1.1",
        "place": "Town",
        "players": {"white": white.name, "black": black.name},
        "ratings": {"white": str(white.rating), "black": str(black.rating)},
    }
    assert [type(act) for act in over[1]] == [NewGame, SetDetails]
    assert goes_on[1] == []


def test_a_table_whose_result_is_known_is_not_told(boards: Boards) -> None:
    one = paired()
    for number in range(1, 7):
        one = running.set_result(one, 1, number, "1-0", "Doe", "")
    assert tell_boards(one, boards, {}) == {}
