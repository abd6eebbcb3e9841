"""Who plays whom: Swiss, round robins as FIDE's tables have them, tables of three; and how they stand."""

from __future__ import annotations

import random
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from engine.errors import InputError
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament import pairing_gacrux as fide
from server.hall.tournament import trf
from server.hall.tournament.event import ROUND_ROBIN, SWISS, TABLES_OF_THREE, Tournament, check_tournament
from server.hall.tournament.standings import compute_standings
from tests.server.hall.tournament.events import made, through

REPORTS = Path(__file__).parents[3] / "data" / "reports"
BERGER = {
    4: [[(1, 4), (2, 3)], [(4, 3), (1, 2)], [(2, 4), (3, 1)]],
    6: [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ],
}
"""FIDE's handbook, C.05, annex 1."""


def pairs_of(one: Tournament) -> Counter[frozenset[int]]:
    return Counter(frozenset(pair) for table in one.tables for pair in combinations(table.players, 2))


@pytest.mark.parametrize("players", BERGER)
def test_a_round_robin_is_paired_by_the_tables_of_fide(players: int) -> None:
    one = through(made(players, players - 1, ROUND_ROBIN), random.Random(1))
    assert [[table.players for table in one.at(round_ + 1)] for round_ in range(players - 1)] == BERGER[players]
    assert set(pairs_of(one).values()) == {1}


def test_of_an_odd_number_everybody_is_left_out_once_in_a_round_robin() -> None:
    one = through(made(7, 7, ROUND_ROBIN), random.Random(1))
    assert sorted(table.players[0] for table in one.tables if table.is_bye) == list(range(1, 8))
    assert len(pairs_of(one)) == 21


@pytest.mark.parametrize("players", [12, 17])
def test_in_a_swiss_nobody_meets_anybody_twice_and_sides_alternate(players: int) -> None:
    one = through(made(players, 6), random.Random(players))
    assert set(pairs_of(one).values()) == {1}
    for number in range(1, players + 1):
        sides = [table.players.index(number) for table in one.tables if number in table.players and not table.is_bye]
        assert abs(sides.count(0) - sides.count(1)) <= 2
        assert all(sides[at : at + 3] not in ([0, 0, 0], [1, 1, 1]) for at in range(len(sides)))
    byes = [table.players[0] for table in one.tables if table.is_bye]
    assert len(byes) == (6 if players % 2 else 0) == len(set(byes))


def test_equal_scores_meet_where_they_can() -> None:
    one = through(made(16, 5), random.Random(5), 3)
    scores = {number: fide.sum_points(one, number, 3) for number in range(1, 17)}
    after = running.pair_round(one, 4, {})
    apart = [abs(scores[table.players[0]] - scores[table.players[1]]) for table in after.at(4)]
    assert sum(apart) <= 2
    assert [table.table for table in after.at(4)] == list(range(1, 9))


def test_no_lawful_pairing_is_said_in_a_line() -> None:
    one = through(made(4, 5), random.Random(1), 3)
    with pytest.raises(InputError, match="round 4 cannot be paired"):
        running.pair_round(one, 4, {})


def test_the_exercise_of_fide_has_the_points_and_ranks_of_its_report() -> None:
    one = trf.read_tournament(
        (REPORTS / "fide-exercise-swiss.trf").read_text(encoding="utf-8"), "fide", "camelot", "exercise"
    )
    rows = compute_standings(one).rows
    assert [(row.entrant.name, row.points) for row in rows[:6]] == [
        ("Charline", "6½"),
        ("Franck", "6"),
        ("Bruno", "6"),
        ("Alyx", "6"),
        ("David", "6"),
        ("Stephan", "4½"),
    ]
    assert compute_standings(one).tie_breaks == ("BH/C1", "BH", "SB", "WIN")
    charline = rows[0]
    # Each opponent's points at the end; without the worst, Lais'.
    assert charline.tie_breaks[:2] == ("41", "44.5")
    assert charline.cells == ("11w½", "6b1", "8w1", "4b½", "2w0", "16b1", "1w½", "14w1", "10b1")
    paul = next(row for row in rows if row.entrant.name == "Paul")
    assert paul.cells[2:4] == ("12b-", "–")


def test_the_crosstable_of_a_round_robin_is_square() -> None:
    text = (REPORTS / "fide-exercise-round-robin.trf").read_text(encoding="utf-8")
    one = trf.read_tournament(text, "fide", "camelot", "exercise")
    table = compute_standings(one)
    assert one.system == ROUND_ROBIN
    assert table.columns == ("1", "2", "3", "4", "5", "6")
    assert [row.cells[at] for at, row in enumerate(table.rows)] == ["×"] * 6
    worth = {"1": "0", "0": "1", "½": "½", "+": "-", "-": "+"}
    for a, b in combinations(range(6), 2):
        assert worth[table.rows[a].cells[b]] == table.rows[b].cells[a]


@pytest.mark.parametrize("players", [9, 26, 31])
def test_three_at_a_table_meet_once_and_have_every_side(players: int) -> None:
    one = through(made(players, 3 if players == 9 else 6, TABLES_OF_THREE), random.Random(players))
    assert set(pairs_of(one).values()) == {1}
    byes = Counter(table.players[0] for table in one.tables if table.is_bye)
    assert sum(byes.values()) == one.rounds * (players % 3)
    assert max(byes.values(), default=1) == 1
    for number in range(1, players + 1):
        sides = Counter(table.players.index(number) for table in one.tables if number in table.players)
        assert max(sides.values()) - min(sides[side] for side in range(3)) <= 3
    assert all(len(table.players) in {1, 3} for table in one.tables)


def test_tables_of_three_share_a_point_and_are_ranked_by_it() -> None:
    one = running.pair_round(made(6, 2, TABLES_OF_THREE), 1, {})
    one = running.set_result(one, 1, 1, "0-1-0", "Doe", "")
    one = running.set_result(one, 1, 2, "1/3-1/3-1/3", "Doe", "")
    table = compute_standings(one)
    assert [row.points for row in table.rows] == ["1", "⅓", "⅓", "⅓", "0", "0"]
    assert table.rows[0].entrant.number == one.at(1)[0].players[1]
    with pytest.raises(InputError, match="1-0-0"):
        running.set_result(one, 1, 1, "1-0", "Doe", "0-1-0")


def test_a_game_has_as_many_seats_as_the_system() -> None:
    with pytest.raises(InputError, match="3 players a table"):
        check_tournament(Tournament("open", "Open", SWISS, 3, "tri-camelot"))


def test_where_the_library_is_missing_one_line_says_how_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    played = through(made(6, 3), random.Random(1), 1)
    for name in ("pairingdutch", "tiebreak", "chessjson"):
        monkeypatch.setitem(sys.modules, f"gacrux.{name}", None)
    for asked in (lambda: running.pair_round(played, 2, {}), lambda: compute_standings(played)):
        with pytest.raises(InputError, match="pip install gacrux"):
            asked()
