"""A result that an arbiter has given and another that the board says: which counts, and how it is decided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from engine.errors import InputError
from server.hall.desk.database import open_database
from server.hall.desk.matters import Distrust
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament.event import Elsewhere, Tournament
from server.hall.tournament.games_played import RULINGS_READ_EVERY_S, ArbiterDecision, Rulings
from server.hall.tournament.results_from_boards import Flow, change_by_arbiter, give_result, take_results
from server.hall.tournament.tournament_store import Tournaments
from tests.server.hall.tournament.test_results_from_boards import Told, paired, told

__all__ = ["told"]  # a fixture


def test_a_result_given_before_the_game_has_begun_is_compared_with_the_boards(told: Told, tmp_path: Path) -> None:
    """The wrong row was filled in, and what was played there was dropped without a word."""
    engine, now = open_database(str(tmp_path / "hall.sqlite3")), [0.0]
    kept = Tournaments(engine)
    kept.add_tournament(paired(told))
    rulings, flow = Rulings(kept, told.ledger, lambda: now[0]), Flow(kept, told.ledger, lambda names: None)
    for number in (1, 2):
        said = partial(running.set_result, round_=1, table=number, result="1-0", source="Doe", was="")
        change_by_arbiter(kept, "open", said, told.ledger, Distrust())

    def find_disputed() -> list[str]:
        now[0] += RULINGS_READ_EVERY_S
        flow.update_tournaments()
        return sorted(board for board, _ in rulings.find_disputes())

    for board in ("table-1", "table-2"):
        told.begin(board, "camelot-0001", "10:00:00")
    flow.update_tournaments()
    assert [table.game for table in kept.load_tournament("open").at(1)] == ["", ""], "pieces may be for the next round"
    for board, result in (("table-1", "0-1"), ("table-2", "1-0")):
        told.tell(board, "camelot-0001", "move", ply=1)
        assert board not in find_disputed(), "nothing is said yet"
        told.end(board, "camelot-0001", result)
    assert find_disputed() == ["table-1"]
    assert [(table.result, table.source) for table in kept.load_tournament("open").at(1)] == [("1-0", "Doe")] * 2
    assert rulings.describe_changed("table-1", "camelot-0001")["says"] == "0-1"
    engine.dispose()


def test_a_result_given_before_is_compared_with_no_game_of_others(told: Told) -> None:
    """Nor with one that another tournament has at that board by then."""
    one = paired(told)
    for table in one.at(1):
        one = running.set_result(one, 1, table.table, "1-0", "Doe", "")
    others = {"white": "Zoe", "black": "Yan"}
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.tell("table-1", "camelot-0001", "details", by="arbiter", details={"players": others})
    for board in ("table-1", "table-2"):
        told.tell(board, "camelot-0001", "move", ply=1)
    elsewhere = Elsewhere({"table-2": "table 1 of rr, round 1"})
    assert [table.game for table in take_results(one, told.ledger, elsewhere=elsewhere).at(1)] == ["", ""]


def keep_changed_later(told: Told, kept: Tournaments) -> None:
    """Of round 1 at table 1 the board says 0-1 by now, and round 2 was paired with 1-0."""
    kept.add_tournament(paired(told))

    def change(function: Callable[[Tournament], Tournament]) -> None:
        change_by_arbiter(kept, "open", function, told.ledger, Distrust())

    for board in ("table-1", "table-2"):
        told.begin(board, "camelot-0001", "10:00:00")
        told.tell(board, "camelot-0001", "move", ply=1)
        told.end(board, "camelot-0001", "1-0")
    change(lambda it: it)
    change(lambda it: paired(told, 2, it))
    told.end("table-1", "camelot-0001", "0-1")


@pytest.mark.parametrize(("decided", "overruled"), [("0-1", ""), ("1-0", "0-1"), ("1/2-1/2", "0-1")])
def test_the_tournament_follows_what_was_decided(told: Told, tmp_path: Path, decided: str, overruled: str) -> None:
    """The matter was decided for the board, and the standings still had the other result."""
    engine, now = open_database(str(tmp_path / "hall.sqlite3")), [0.0]
    kept = Tournaments(engine)
    keep_changed_later(told, kept)
    rulings = Rulings(kept, told.ledger, lambda: now[0])
    assert [game.kind for _, game in rulings.find_disputes()] == ["changed-later"]
    with pytest.raises(InputError, match="has changed: look at the list again"):
        rulings.decide_result("table-1", "camelot-0001", ArbiterDecision("0-1", ("1-0", "")), "Doe")
    before = rulings.decide_result("table-1", "camelot-0001", ArbiterDecision(decided, ("1-0", "0-1")), "Doe")
    assert (before.tournament, before.table.result) == ("open", "1-0")
    table = kept.load_tournament("open").at(1)[0]
    assert (table.result, table.source, table.overruled) == (decided, "Doe", overruled)
    assert rulings.find_disputes() == set()
    told.end("table-1", "camelot-0001", "0-0")
    assert [game.kind for _, game in rulings.find_disputes()] == ["contradicted"], "that nobody has decided on"
    engine.dispose()


def test_a_third_result_given_on_the_page_of_the_tournament_decides_too(told: Told, tmp_path: Path) -> None:
    """It was asked about at once, as what the board had said when the round was paired had been overruled."""
    engine = open_database(str(tmp_path / "hall.sqlite3"))
    kept = Tournaments(engine)
    keep_changed_later(told, kept)
    kept.change_tournament("open", lambda it: give_result(it, 1, 1, "1/2-1/2", "Doe", "1-0", told.ledger))
    assert Rulings(kept, told.ledger).find_disputes() == set()
    one = kept.load_tournament("open")
    assert one.at(1)[0] == replace(one.at(1)[0], result="1/2-1/2", source="Doe", overruled="0-1")
    engine.dispose()
