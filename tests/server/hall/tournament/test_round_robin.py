"""Round robins: as many rounds as the players need, and a day without a game is no point and no win."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import InputError
from server.cli import main
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament import trf
from server.hall.tournament.event import ABSENCES, ROUND_ROBIN, Entrant, Tournament
from server.hall.tournament.standings import compute_standings
from tests.server.hall.tournament.events import made, through


def round_robin(players: int, rounds: int = 0, times: int = 1) -> Tournament:
    return replace(made(players, rounds, ROUND_ROBIN), times=times)


def whole(one: Tournament) -> Tournament:
    return through(one, random.Random(1), one.last_round)


def test_a_free_day_is_no_point_and_no_win() -> None:
    one = running.pair_round(round_robin(3), 1, {})
    (free,) = (table.players[0] for table in one.at(1) if table.is_bye)
    one = running.set_result(one, 1, 1, "1-0", "Doe", "")
    row = next(row for row in compute_standings(one).rows if row.entrant.number == free)
    assert row.points == "0" and set(row.tie_breaks[2:]) == {"0"}, "neither a win nor points of Koya's"
    line = next(line for line in trf.write_tournament(one).splitlines() if line.startswith(f"001 {free:>4} "))
    assert line[80:84] == " 0.0" and line[91:99] == "0000 - Z"


def test_all_points_of_a_round_robin_are_those_of_its_games() -> None:
    one = whole(round_robin(5))
    assert one.paired == 5
    report = trf.write_tournament(one)
    assert sum(float(line[80:84]) for line in report.splitlines() if line.startswith("001")) == 10
    back = trf.read_tournament(report, "again", "camelot", "report")
    assert (back.system, back.rounds, sum(table.is_bye for table in back.tables)) == (ROUND_ROBIN, 5, 5)
    assert [row.points for row in compute_standings(back).rows] == [row.points for row in compute_standings(one).rows]
    assert trf.write_tournament(back) == report


def test_a_bye_of_a_swiss_is_a_point_as_before() -> None:
    one = through(made(5, 3), random.Random(1), 1)
    assert " 0000 - U" in trf.write_tournament(one)


@pytest.mark.parametrize(
    ("players", "rounds", "times", "last", "noted"),
    [(4, 0, 1, 3, ""), (5, 0, 1, 5, ""), (4, 0, 2, 6, ""), (4, 6, 1, 6, "")]
    + [(3, 7, 1, 3, "3 players meet each other once in 3 rounds: the tournament has so many, not 7")]
    + [(5, 4, 1, 5, "5 players meet each other once in 5 rounds: the tournament has so many, not 4")],
)
def test_the_rounds_follow_from_the_players(players: int, rounds: int, times: int, last: int, noted: str) -> None:
    one = round_robin(players, rounds, times)
    assert one.last_round == last
    after = running.pair_round(one, 1, {})
    assert "; ".join(map(str, running.pairing_notes(one, after, ()))) == noted
    games = Counter(frozenset(table.players) for table in whole(one).tables if not table.is_bye)
    assert len(games) == players * (players - 1) // 2 and len(set(games.values())) == 1
    assert after.rounds == whole(one).paired == last
    with pytest.raises(InputError, match=f"the tournament has {last} rounds"):
        running.pair_round(whole(one), last + 1, {})


def test_everybody_twice_is_with_the_other_colour() -> None:
    seatings = [table.players for table in whole(round_robin(4, times=2)).tables]
    assert len(set(seatings)) == len(seatings) == 12


def test_who_comes_after_the_pairing_was_taken_back_makes_the_rounds_more() -> None:
    one = running.unpair_round(running.pair_round(round_robin(6, 10), 1, {}), 1)
    one = running.enter_players(one, [Entrant(0, "Late, Lena")])
    assert running.pair_round(one, 1, {}).rounds == 14, "everybody twice, as was said at first"


def test_too_many_for_a_round_robin_are_refused_in_a_line() -> None:
    with pytest.raises(InputError, match="60 players would need 59 rounds") as fault:
        running.pair_round(round_robin(60), 1, {})
    assert "\n" not in str(fault.value)


def test_the_command_needs_no_rounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["tournament", *words, "--database", str(tmp_path / "hall.sqlite3")])
        said = capsys.readouterr()
        return int(str(left.value.code or 0)), said.out, said.err

    assert run("new", "rr", "--system", "round-robin")[0] == 0
    assert run("new", "swiss") == (2, "", "referee: tournament swiss: say with --rounds how many rounds it has\n")
    assert run("new", "swiss", "--rounds", "3", "--times", "2")[0] == 2
    assert run("new", "other", "--system", "round-robin", "--rounds", "7")[0] == 0
    for name in ("rr", "other"):
        for player in ("A", "B", "C"):
            run("enter", name, "--player", player)
    assert "round 0 of 3" in run("list")[1]
    assert run("pair", "rr", "1")[2].startswith("no board for table 1: ")
    assert run("pair", "other", "1")[2].startswith(
        "3 players meet each other once in 3 rounds: the tournament has so many, not 7\n"
    )


@pytest.mark.parametrize("worth", ABSENCES)
def test_a_round_robin_grants_no_bye_and_says_what_to_do(worth: str) -> None:
    """One of a whole point was taken, and became a loss by absence when the round was paired."""
    with pytest.raises(InputError, match=r"a round robin has none.*: pair the round, then give the game .* -:\+$"):
        running.set_absence(round_robin(4), 1, 1, worth)
    assert running.set_absence(round_robin(4), 1, 1, "").absences == (), "one of before can be taken back"
