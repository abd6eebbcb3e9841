"""Who withdraws: before the first round off the list, after it no more paired; and what is said is what happened."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engine.errors import InputError
from server.cli import main
from server.hall.desk.database import open_database
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament.tournament_store import Tournaments
from tests.server.hall.tournament.events import made, through


def test_before_the_first_round_the_command_names_who_was_taken_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It named who had the number afterwards."""
    database = str(tmp_path / "hall.sqlite3")
    kept = Tournaments(engine := open_database(database))
    kept.add_tournament(made(5, 3))

    def run(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as left:
            main(["tournament", *words, "--database", database])
        said = capsys.readouterr()
        return int(str(left.value.code or 0)), said.out + said.err

    assert run("withdraw", "open", "1") == (0, "Family01, Given is taken off the list: enter them again to play\n")
    assert [one.name[:8] for one in kept.load_tournament("open").entrants] == [f"Family0{at}" for at in range(2, 6)]
    code, said = run("withdraw", "open", "1", "--back")
    assert code == 2 and "Family02, Given has not withdrawn" in said
    run("pair", "open", "1")
    assert run("withdraw", "open", "1") == (0, "1 Family02, Given: plays no further round\n")
    assert run("withdraw", "open", "1", "--back") == (0, "1 Family02, Given: plays again\n")
    engine.dispose()


def test_a_number_that_is_somebody_elses_by_now_takes_nobody_off() -> None:
    one = made(5, 3)
    after = running.withdraw_player(one, 1, was="Family01, Given")
    with pytest.raises(InputError, match="player 1: is Family02, Given by now, not Family01, Given: look again"):
        running.withdraw_player(after, 1, was="Family01, Given")


def test_who_has_withdrawn_does_not_withdraw_later() -> None:
    """It was paired for rounds that it had left before."""
    one = running.withdraw_player(through(made(8, 5), random.Random(1), 1), 3)
    one = through(one, random.Random(1), 2)
    with pytest.raises(InputError, match="has withdrawn already, after round 1"):
        running.withdraw_player(one, 3)
