"""What arbiters do: late players, withdrawals, byes, results that were wrong, pairings taken back."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine.errors import InputError
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament import people
from server.hall.tournament.event import ROUND_ROBIN, TABLES_OF_THREE, Entrant, check_tournament
from server.hall.tournament.standings import compute_standings
from tests.server.hall.tournament.events import made, played, through


def points_of(one: object, name: str) -> str:
    return next(row.points for row in compute_standings(one).rows if row.entrant.name.startswith(name))  # type: ignore[arg-type]


def test_who_comes_late_begins_with_the_next_round_and_has_the_next_number() -> None:
    one = through(made(8, 4), random.Random(1), 1)
    one = running.enter_players(one, [Entrant(0, "Late, Lena", 2500)])
    assert (one.entrants[-1].number, one.entrants[-1].since) == (9, 2)
    one = through(one, random.Random(2), 2)
    assert not any(9 in table.players for table in one.at(1))
    assert any(9 in table.players for table in one.at(2))
    assert next(row.cells[0] for row in compute_standings(one).rows if row.entrant.number == 9) == "–"


def test_before_the_first_round_numbers_go_by_rating() -> None:
    one = running.enter_players(made(4, 3), [Entrant(0, "Strong, Susi", 2600), Entrant(0, "Weak, Willi")])
    one = running.set_absence(one, 5, 1, "half")
    one = running.pair_round(one, 1, {})
    assert [entrant.name for entrant in one.entrants][:1] == ["Strong, Susi"]
    assert [entrant.number for entrant in one.entrants] == [1, 2, 3, 4, 5, 6]
    assert one.absences[0].number == 1, "the bye stays with the person"
    assert not any(1 in table.players for table in one.at(1))


def test_who_withdraws_is_paired_no_more_and_may_come_back() -> None:
    one = through(made(8, 5), random.Random(1), 2)
    one = through(running.withdraw_player(one, 3), random.Random(2), 3)
    assert not any(3 in table.players for table in one.at(3))
    one = through(running.withdraw_player(one, 3, back=True), random.Random(3), 4)
    assert any(3 in table.players for table in one.at(4))
    assert [(absence.round, absence.number, absence.worth) for absence in one.absences] == [(3, 3, "zero")]


def test_who_withdraws_before_the_first_round_was_never_there() -> None:
    one = running.set_absence(made(4, 3), 4, 2, "half")
    one = running.withdraw_player(one, 2)
    assert [(entrant.number, entrant.name) for entrant in one.entrants] == [
        (1, "Family01, Given"),
        (2, "Family03, Given"),
        (3, "Family04, Given"),
    ]
    assert one.absences[0].number == 3


def test_in_a_round_robin_who_withdrew_loses_without_playing() -> None:
    one = through(made(4, 3, ROUND_ROBIN), random.Random(1), 1)
    one = running.pair_round(running.withdraw_player(one, 4), 2, {}, boards=["table-1", "table-2"])
    assert [(table.players, table.result, table.board) for table in one.at(2)] == [
        ((4, 3), "-:+", ""),
        ((1, 2), "", "table-1"),
    ]
    with pytest.raises(InputError, match="takes no more players"):
        running.enter_players(one, [Entrant(0, "Late")])


def test_byes_are_worth_what_was_said() -> None:
    one = made(6, 3)
    for number, worth in ((1, "half"), (2, "zero"), (3, "full")):
        one = running.set_absence(one, number, 1, worth)
    one = running.set_absence(running.set_absence(one, 4, 1, "half"), 4, 1, "")
    one = played(running.pair_round(one, 1, {}), random.Random(1))
    assert [points_of(one, f"Family0{number}") for number in (1, 2, 3)] == ["½", "0", "1"]
    with pytest.raises(InputError, match="round 1: one that is to be paired, 2 to 3"):
        running.set_absence(one, 1, 1, "half")
    with pytest.raises(InputError, match=r"^bye: round 3: all 3 rounds are paired, so no bye can be given any more$"):
        running.set_absence(through(made(4, 3), random.Random(1), 3), 1, 3, "half")


def test_a_result_is_changed_by_who_saw_what_stood_there() -> None:
    one = running.set_result(running.pair_round(made(4, 3), 1, {}), 1, 1, "1-0", "Doe", "")
    with pytest.raises(InputError, match="its result is 1-0 by now"):
        running.set_result(one, 1, 1, "0-1", "Roe", "")
    one = running.set_result(one, 1, 1, "0-1", "Roe", "1-0")
    assert (one.at(1)[0].result, one.at(1)[0].source) == ("0-1", "Roe")
    one = running.set_result(one, 1, 1, "", "Roe", "0-1")
    assert (one.at(1)[0].result, one.at(1)[0].source) == ("", "")
    for result in ("2-0", "1-0-0", "x", "W-L"):
        with pytest.raises(InputError, match="result"):
            running.set_result(one, 1, 1, result, "Doe", "")


def test_after_the_next_round_is_paired_a_result_may_be_corrected_but_not_opened() -> None:
    one = through(made(8, 3), random.Random(1), 2)
    was = one.at(1)[0].result
    with pytest.raises(InputError, match="the next round is paired"):
        running.set_result(one, 1, 1, "", "Doe", was)
    assert running.set_result(one, 1, 1, "-:+", "Doe", was).at(1)[0].result == "-:+"


def test_a_round_is_paired_once_and_only_when_all_results_are_known() -> None:
    one = running.pair_round(made(6, 3), 1, {})
    with pytest.raises(InputError, match="1 rounds are paired: look again"):
        running.pair_round(one, 1, {})
    with pytest.raises(InputError, match="results of round 1 are missing at table 1"):
        running.pair_round(one, 2, {})
    assert running.unpair_round(one, 1).tables == ()
    one = running.set_result(one, 1, 1, "1-0", "Doe", "")
    with pytest.raises(InputError, match="it has results"):
        running.unpair_round(one, 1)
    with pytest.raises(InputError, match="too few"):
        running.pair_round(made(1, 3), 1, {})


def test_tables_have_the_boards_in_their_order_and_byes_none() -> None:
    one = running.pair_round(made(7, 3), 1, {"table-2": "then"}, boards=["table-1", "table-2"])
    assert [(table.board, table.after) for table in one.at(1)] == [
        ("table-1", ""),
        ("table-2", "then"),
        ("", ""),
        ("", ""),
    ]
    one = running.assign_board(one, 1, 3, "table-1", "later")
    assert [(table.board, table.after) for table in one.at(1)][:3] == [
        ("", ""),
        ("table-2", "then"),
        ("table-1", "later"),
    ]
    with pytest.raises(InputError, match="nobody plays there"):
        running.assign_board(one, 1, 4, "table-9", "")
    assert sorted(["table-10", "b", "table-9"], key=running.board_order) == ["b", "table-9", "table-10"]


@pytest.mark.parametrize("result", ["1-1-0", "1-1-1", "0-1-1", "1-0", "1/2-1/2", "1/2-1/2-1/2"])
def test_a_table_of_three_has_one_point(result: str) -> None:
    one = running.pair_round(made(3, 2, TABLES_OF_THREE), 1, {})
    with pytest.raises(InputError, match="1-0-0 or 1/3-1/3-1/3") as fault:
        running.set_result(one, 1, 1, result, "Doe", "")
    assert "\n" not in str(fault.value)
    for right in ("0-1-0", "1/3-1/3-1/3", "1/2-0-1/2"):
        assert running.set_result(one, 1, 1, right, "Doe", "").at(1)[0].result == right


def test_a_table_of_two_has_at_most_one_point() -> None:
    one = running.pair_round(made(2, 2), 1, {})
    for wrong in ("1:1", "+:+", "1:="):
        with pytest.raises(InputError, match="at most one point"):
            running.set_result(one, 1, 1, wrong, "Doe", "")
    for right in ("=:0", "0:0", "-:-", "1/2-1/2"):
        assert running.set_result(one, 1, 1, right, "Doe", "").at(1)[0].result == right


def test_players_are_read_from_lines() -> None:
    found = people.read_players("# name; rating\nMuster, Anna; 1900; FM; GER; 123\n\nRoe\t1500\nOnly name\n", "players")
    assert [(one.name, one.rating, one.title, one.federation, one.fide_id) for one in found] == [
        ("Muster, Anna", 1900, "FM", "GER", 123),
        ("Roe", 1500, "", "", 0),
        ("Only name", 0, "", "", 0),
    ]
    for text in ("", "A; strong", "A; 9999", "; 1", "A;1;2;3;4;5", "A" * 61, "A; 1; LONG"):
        with pytest.raises(InputError, match="players") as fault:
            people.read_players(text, "players")
        assert "\n" not in str(fault.value)
    with pytest.raises(InputError, match="is entered already"):
        running.enter_players(made(3, 3), [Entrant(0, "family01, given")])


def test_two_people_of_one_name_are_entered_as_the_refusal_says() -> None:
    """It named neither the line of the file nor what to do."""
    text = "Smith, John; 1900\n# another one\nsmith, john; 1500; ; ENG; 77\n"
    with pytest.raises(
        InputError, match=r"^players: line 3: player smith, john: .* club behind it: smith, john \(1980\)$"
    ):
        people.read_players(text, "players")
    one = running.enter_players(made(3, 3), people.read_players("Smith, John; 1900", "players"))
    with pytest.raises(InputError, match=r"^players: line 1: player Smith, John: is entered already"):
        people.read_players("Smith, John; 1500", "players", one.entrants)
    both = running.enter_players(one, people.read_players("Smith, John (1980); 1500", "players", one.entrants))
    assert [entrant.name for entrant in both.entrants[3:]] == ["Smith, John", "Smith, John (1980)"]


APART, WHOLE = "O\u0308, Nfd", "Ö, Nfd"


def test_a_name_is_the_same_however_its_letters_are_written() -> None:
    """A Mac writes ö as two characters: both looked the same in every list, and were two players."""
    one = running.enter_players(made(3, 3), people.read_players(f"{APART}; 1500", "players"))
    assert one.entrants[3].name == WHOLE
    with pytest.raises(InputError, match="is entered already"):
        running.enter_players(one, [Entrant(0, WHOLE)])
    with pytest.raises(InputError, match="is entered already"):
        running.edit_player(one, 1, Entrant(0, APART.upper()))
    assert running.withdraw_player(one, 4, was=APART).entrants == one.entrants[:3]
    assert check_tournament(replace(one, title=APART)).title == WHOLE


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Ann\x00a", "character 4 is U.0000"),
        ("\u202eanna", "character 1 is U.202E"),
        ("x" * 61, "at most 60 characters"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        running.enter_players(made(3, 3), [Entrant(0, name)])


def test_a_player_who_was_entered_wrongly_is_put_right_and_keeps_the_number() -> None:
    one = through(made(8, 4), random.Random(1), 1)
    after = running.edit_player(one, 3, people.parse_player(["Петрова, Ольга", "2015", "WFM", "RUS", "12345678901"]))
    changed = after.find_entrant(3)
    assert (changed.name, changed.rating, changed.title, changed.fide_id) == (
        "Петрова, Ольга",
        2015,
        "WFM",
        12345678901,
    )
    assert after.tables == one.tables
    with pytest.raises(InputError, match="is entered already"):
        running.edit_player(one, 3, people.parse_player([one.find_entrant(4).name.upper(), "", "", "", ""]))


def test_who_began_with_each_others_pieces_sits_so_and_the_next_round_knows_it() -> None:
    one = running.pair_round(made(8, 4), 1, {})
    before = one.at(1)[0].players
    one = running.swap_sides(one, 1, 1)
    assert one.at(1)[0].players == before[::-1]
    assert running.exchange_players(one, 1, *before).at(1)[0].players == before, "two of one table, by their numbers"
    one = running.set_result(one, 1, 1, "1-0", "arbiter", "")
    with pytest.raises(InputError, match="take that back first"):
        running.swap_sides(one, 1, 1)
    row = next(row for row in compute_standings(played(one, random.Random(1))).rows if row.entrant.number == before[1])
    assert row.cells == (f"{before[0]}w1",)


def test_two_exchange_their_seats_and_who_is_late_plays_who_has_the_bye() -> None:
    one = running.pair_round(made(7, 4), 1, {})
    (bye,) = next(table.players for table in one.at(1) if table.is_bye)
    first = one.at(1)[0].players[0]
    swapped = running.exchange_players(one, 1, first, bye)
    assert (swapped.at(1)[0].players[0], swapped.at(1)[3].players) == (bye, (first,))
    assert sorted(number for table in swapped.at(1) for number in table.players) == list(range(1, 8))
    late = running.enter_players(one, [Entrant(0, "Late, Lena", 2500)])
    with pytest.raises(InputError, match="plays only who has the bye"):
        running.exchange_players(late, 1, first, 8)
    seated = running.exchange_players(late, 1, 8, bye)
    assert (seated.at(1)[3].players, seated.at(1)[3].result, seated.find_entrant(8).since) == ((bye, 8), "", 1)
    assert len(running.pair_round(played(seated, random.Random(2)), 2, {}).at(2)) == 4
    for wrong in ((first, first), (20, 21)):
        with pytest.raises(InputError):
            running.exchange_players(late, 1, *wrong)
