"""Tournaments in the database: what is read is what was kept, and nobody writes over anybody; on both databases."""

from __future__ import annotations

import os
import random
import threading
from dataclasses import replace

import pytest
import sqlalchemy as sa

from engine.errors import InputError
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament.event import Entrant, Tournament
from server.hall.tournament.tournament_store import Tournaments
from tests.server.hall.tournament.events import made, through

RACES = int(os.environ.get("RESULTS_AT_ONCE", "3"))


def test_what_is_read_is_what_was_kept(database: sa.Engine) -> None:
    one = made(9, 4, place="Örtchen", first="black")
    one = replace(one, tie_breaks=("DE", "BH"), boards=("table-2", "table-1"))
    one = running.set_absence(one, 3, 2, "half")
    kept = Tournaments(database)
    kept.add_tournament(one)
    assert kept.load_tournament("open") == one
    after = kept.change_tournament("open", lambda it: running.withdraw_player(through(it, random.Random(1), 2), 4))
    assert after.version == 2
    assert Tournaments(database).load_tournament("open") == after
    with pytest.raises(InputError, match="already"):
        kept.add_tournament(one)
    kept.add_tournament(replace(one, name="other", place="O\u0308rtchen"))
    assert kept.load_tournament("other").place == "Örtchen"
    assert kept.list_names() == ["open", "other"]
    kept.remove_tournament("open")
    assert kept.list_names() == ["other"] and kept.load_tournament("other").entrants == one.entrants
    with pytest.raises(InputError, match="none of that name"):
        kept.load_tournament("open")


def test_what_changes_nothing_is_no_change(database: sa.Engine) -> None:
    kept = Tournaments(database)
    kept.add_tournament(made(4, 3))
    assert kept.change_tournament("open", lambda it: it).version == 1


def test_what_cannot_be_used_changes_nothing(database: sa.Engine) -> None:
    kept = Tournaments(database)
    for wrong in (
        {"name": "a/b"},
        {"rounds": 0},
        {"system": "knock-out"},
        {"begins": "yesterday"},
        {"begins": "2026-13-40"},
        {"begins": "2026-02-29"},
        {"ends": "2026-11-23"},
        {"title": "x" * 61},
    ):
        with pytest.raises(InputError):
            kept.add_tournament(replace(made(4, 3), **wrong))  # type: ignore[arg-type]
    kept.add_tournament(made(4, 3))
    with pytest.raises(InputError):
        kept.change_tournament("open", lambda it: running.enter_players(it, [Entrant(0, "")]))
    assert kept.load_tournament("open") == made(4, 3)


def test_of_two_arbiters_who_pair_at_once_one_is_told_to_look_again(database: sa.Engine) -> None:
    kept = Tournaments(database)
    for number in range(RACES):
        kept.add_tournament(replace(made(8, 3), name=f"open-{number}"))
        start, told = threading.Barrier(2), []

        def arbiter(name: str = f"open-{number}", start: threading.Barrier = start, told: list[str] = told) -> None:
            mine = Tournaments(database)
            start.wait()
            try:
                mine.change_tournament(name, lambda it: running.pair_round(it, 1, {}))
            except InputError as error:
                told.append(str(error))

        _at_once([arbiter, arbiter])
        assert len(told) == 1 and "look again" in told[0]
        assert len(kept.load_tournament(f"open-{number}").at(1)) == 4


def test_results_that_come_at_once_are_all_kept(database: sa.Engine) -> None:
    kept = Tournaments(database)
    kept.add_tournament(running.pair_round(made(24, 3), 1, {}))

    def say(table: int) -> Tournament:
        return Tournaments(database).change_tournament(
            "open", lambda it: running.set_result(it, 1, table, "1-0", "Doe", "")
        )

    _at_once([lambda table=table: say(table) for table in range(1, 13)])  # type: ignore[misc]
    after = kept.load_tournament("open")
    assert [table.result for table in after.at(1)] == ["1-0"] * 12
    assert after.version == 13


def _at_once(functions: list[object]) -> None:
    threads = [threading.Thread(target=function) for function in functions]  # type: ignore[arg-type]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
