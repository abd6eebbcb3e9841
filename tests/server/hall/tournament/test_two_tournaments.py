"""Two tournaments of one hall at the same boards: a board is one open table's, and a game the result of one table."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.errors import InputError
from server.cli import main
from server.hall.desk.database import open_database
from server.hall.desk.matters import Distrust
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament.event import ROUND_ROBIN, Tournament
from server.hall.tournament.results_from_boards import Flow, change_by_arbiter, find_newest_finished, take_results
from server.hall.tournament.tournament_store import Tournaments
from tests.server.hall.tournament.events import made
from tests.server.hall.tournament.test_results_from_boards import Told

BOARDS = [f"table-{number}" for number in range(1, 6)]


def both(kept: Tournaments) -> None:
    """`open` and `rr`, two tables a round each."""
    kept.add_tournament(made(4, 3))
    kept.add_tournament(replace(made(4, 3, ROUND_ROBIN), name="rr"))


def pair(kept: Tournaments, told: Told, name: str, round_: int = 1, *, blind: bool = False) -> Tournament:
    """The next round; `blind` as by a program that has looked at the other tournament too early."""

    def change(it: Tournament) -> Tournament:
        after = find_newest_finished(told.ledger, it, or_played=True)
        if blind:
            return running.pair_round(it, round_, after, boards=BOARDS[:2])
        return running.pair_round(it, round_, after, boards=BOARDS, elsewhere=kept.find_elsewhere(name))

    return kept.change_tournament(name, change)


def boards_of(one: Tournament) -> list[str]:
    return [table.board for table in one.at(one.paired)]


def change(kept: Tournaments, told: Told, name: str, function: Callable[[Tournament], Tournament]) -> Tournament:
    return change_by_arbiter(kept, name, function, told.ledger, Distrust())


def test_each_is_given_boards_of_its_own(database: sa.Engine) -> None:
    kept, told = Tournaments(database), Told(database)
    both(kept)
    assert boards_of(pair(kept, told, "open")) == ["table-1", "table-2"]
    assert boards_of(pair(kept, told, "rr")) == ["table-3", "table-4"]
    for name in ("open", "rr"):
        for table in (1, 2):
            won = partial(running.set_result, round_=1, table=table, result="1-0", source="Doe", was="")
            change(kept, told, name, won)
    assert boards_of(pair(kept, told, "rr", 2)) == ["table-1", "table-2"], "what is played is free again"
    after = pair(kept, told, "open", 2)
    assert boards_of(after) == ["table-3", "table-4"]


def test_a_board_is_taken_from_no_other_tournament_by_hand(database: sa.Engine) -> None:
    kept, told = Tournaments(database), Told(database)
    both(kept)
    pair(kept, told, "open")
    pair(kept, told, "rr")
    with pytest.raises(InputError, match="board table-2: table 2 of open, round 1 has it and no result yet") as fault:
        change(kept, told, "rr", lambda it: running.assign_board(it, 1, 1, "table-2", ""))
    assert "\n" not in str(fault.value)
    change(kept, told, "open", lambda it: running.set_result(it, 1, 2, "1-0", "Doe", ""))
    change(kept, told, "rr", lambda it: running.assign_board(it, 1, 1, "table-2", ""))
    with pytest.raises(InputError, match="table 1 of rr, round 1 has it"):
        change(kept, told, "open", lambda it: running.set_result(it, 1, 2, "", "Doe", "1-0"))


def test_who_looked_too_early_is_refused_by_the_database(database: sa.Engine) -> None:
    kept, told = Tournaments(database), Told(database)
    both(kept)
    pair(kept, told, "open", blind=True)
    with pytest.raises(InputError, match="board table-1: table 1 of open, round 1 has it"):
        pair(kept, told, "rr", blind=True)
    assert kept.load_tournament("rr").paired == 0


def test_two_halls_that_pair_at_once_give_no_board_twice(database: sa.Engine) -> None:
    kept, told = Tournaments(database), Told(database)
    both(kept)
    start, faults = threading.Barrier(2), []

    def arbiter(name: str) -> None:
        mine = Tournaments(database)
        start.wait()
        try:
            pair(mine, told, name)
        except InputError as error:
            faults.append(str(error))

    threads = [threading.Thread(target=arbiter, args=(name,)) for name in ("open", "rr")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    given = boards_of(kept.load_tournament("open")) + boards_of(kept.load_tournament("rr"))
    assert faults == [] and sorted(given) == BOARDS[:4]


def test_a_game_is_the_result_of_one_table_whoever_else_has_its_board(database: sa.Engine) -> None:
    """As in a database of before: both tables have the board, and both halls hear that its game is over."""
    kept, told = Tournaments(database), Told(database)
    for name in ("open", "rr"):
        one = replace(made(2, 3), name=name)
        kept.add_tournament(running.pair_round(one, 1, {}, boards=["table-1"]))
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.end("table-1", "camelot-0001", "1-0")
    flows = [Flow(Tournaments(database), told.ledger, lambda _: None) for _ in range(2)]
    threads = [threading.Thread(target=flow.update_tournaments) for flow in flows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [kept.load_tournament(name).at(1)[0].result for name in ("open", "rr")] == ["1-0", ""]
    with pytest.raises(InputError, match="another tournament"):
        kept.change_tournament("rr", lambda it: take_results(it, told.ledger))
    told.begin("table-1", "camelot-0002", "11:00:00")
    told.end("table-1", "camelot-0002", "0-1")
    flows[0].update_tournaments()
    assert [kept.load_tournament(name).at(1)[0].result for name in ("open", "rr")] == ["1-0", "0-1"]


def won_at_one(database: sa.Engine) -> tuple[Tournaments, Told, Flow]:
    """Two tournaments, of which the first has its first result from the first board."""
    kept, told = Tournaments(database), Told(database)
    both(kept)
    pair(kept, told, "open")
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.tell("table-1", "camelot-0001", "move", ply=1)
    told.end("table-1", "camelot-0001", "1-0")
    flow = Flow(kept, told.ledger, lambda _: None)
    flow.update_tournaments()
    return kept, told, flow


def test_a_result_taken_back_at_the_board_opens_its_table_though_the_board_is_given_on(database: sa.Engine) -> None:
    kept, told, flow = won_at_one(database)
    assert boards_of(pair(kept, told, "rr")) == ["table-1", "table-3"]
    told.tell("table-1", "camelot-0001", "takeback", plies=1)
    flow.update_tournaments()
    assert kept.load_tournament("open").at(1)[0].result == ""
    told.end("table-1", "camelot-0001", "0-1")
    flow.update_tournaments()
    assert [kept.load_tournament(name).at(1)[0].result for name in ("open", "rr")] == ["0-1", ""]


def test_a_game_opened_again_takes_not_the_next_game_of_its_board(database: sa.Engine) -> None:
    """Nor does it keep the results of other tournaments from being taken."""
    kept, told, flow = won_at_one(database)
    pair(kept, told, "rr")
    told.begin("table-1", "camelot-0002", "11:00:00")
    told.tell("table-1", "camelot-0001", "takeback", plies=1)
    assert flow.update_tournaments() == ["rr", "open"]
    tables = [kept.load_tournament(name).at(1)[0] for name in ("open", "rr")]
    assert [(table.game, table.result) for table in tables] == [("camelot-0001", ""), ("camelot-0002", "")]


def test_the_command_says_which_boards_were_not_given_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = open_database(str(tmp_path / "hall.sqlite3"))
    kept, told = Tournaments(engine), Told(engine)
    both(kept)
    for board in BOARDS[:3]:
        told.begin(board, "camelot-0001", "09:00:00")
    engine.dispose()
    said = {}
    for name in ("open", "rr"):
        with pytest.raises(SystemExit):
            main(["tournament", "pair", name, "1", "--database", str(tmp_path / "hall.sqlite3")])
        said[name] = capsys.readouterr()
    assert said["open"].err == ""
    assert said["rr"].err.splitlines() == [
        f"board table-{number} is not given out: table {number} of open, round 1 has it and no result yet"
        for number in (1, 2)
    ]
    assert "table-3" in said["rr"].out
