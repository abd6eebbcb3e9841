"""Where two games may be a table's, or what is wrong with a record is none of a table's: nothing is taken unsaid."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from server.hall.desk.matters import Distrust
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament.event import NOTHING_ELSEWHERE, Elsewhere, Tournament
from server.hall.tournament.games_played import build_details
from server.hall.tournament.results_from_boards import (
    BEGUN_BEFORE,
    BROKEN,
    HELD,
    NAMES_DIFFER,
    TableGame,
    find_newest_finished,
    find_table_game,
    give_board,
    give_result,
    take_results,
)
from tests.server.hall.tournament.events import made
from tests.server.hall.tournament.test_results_from_boards import Told, paired, told

__all__ = ["told"]  # a fixture

OLD, NEW = "camelot-0001", "camelot-0002"


def move(told: Told, game: str, *, named: Tournament | None = None, board: str = "table-1") -> None:
    """A game is begun there, and somebody moves."""
    told.begin(board, game, "09:00:00")
    if named is not None:
        (table, *_) = [one for one in named.at(1) if one.board == board]
        told.tell(board, game, "details", details=build_details(named, table))
    told.tell(board, game, "move", ply=1)


def paired_again(told: Told, *, named: bool = True) -> Tournament:
    """A round whose pairing was taken back and made again while its players had begun; their game ends, and they play
    another one."""
    plan = paired(told)
    move(told, OLD, named=plan if named else None)
    one = paired(told)
    told.end("table-1", OLD, "1/2-1/2")
    move(told, NEW, named=plan if named else None)
    return take_results(one, told.ledger)


@pytest.mark.parametrize("named", [True, False])
def test_which_of_two_games_counts_is_asked_until_an_arbiter_has_said_so(told: Told, named: bool) -> None:
    one = paired_again(told, named=named)
    asked = TableGame(OLD, "1/2-1/2", BEGUN_BEFORE, can_take=True, later=NEW)
    assert find_table_game(one, one.at(1)[0], told.ledger) == asked
    told.end("table-1", NEW, "0-1")
    one = take_results(one, told.ledger)
    assert one.at(1)[0].result == "", "nothing is taken without a word"
    assert find_table_game(one, one.at(1)[0], told.ledger) == asked
    for game, result in ((OLD, "1/2-1/2"), (NEW, "0-1")):
        said = take_results(give_board(one, 1, 1, "table-1", told.ledger, game), told.ledger)
        assert (said.at(1)[0].game, said.at(1)[0].result) == (game, result)
        assert find_table_game(said, said.at(1)[0], told.ledger) == TableGame(game, result)


def test_a_result_by_hand_answers_which_of_two_games_counts(told: Told) -> None:
    one = paired_again(told)
    told.end("table-1", NEW, "0-1")
    one = take_results(give_result(one, 1, 1, "0-1", "Doe", "", told.ledger), told.ledger)
    assert (one.at(1)[0].game, one.at(1)[0].result, one.at(1)[0].source) == (NEW, "0-1", "Doe")


def test_who_is_told_to_play_at_the_board_where_others_played_for_fun_is_asked_nothing(told: Told) -> None:
    plan = running.pair_round(made(4, 3), 1, {}, boards=["table-1", "table-2"])
    move(told, OLD)
    one = paired(told)
    told.end("table-1", OLD, "1/2-1/2")
    move(told, NEW, named=plan)
    told.end("table-1", NEW, "0-1")
    assert take_results(one, told.ledger).at(1)[0].result == "0-1"


def test_whoever_opens_a_result_is_not_asked_about_that_game_when_the_next_is_played(told: Told) -> None:
    one = paired(told)
    move(told, OLD, named=one)
    told.end("table-1", OLD, "1-0")
    one = take_results(one, told.ledger)
    one = give_result(one, 1, 1, "", "Doe", "1-0", told.ledger)
    move(told, NEW, named=one)
    told.end("table-1", NEW, "0-1")
    assert take_results(one, told.ledger).at(1)[0].result == "0-1"


@pytest.mark.parametrize(("held", "misfit"), [(False, BROKEN), (True, HELD)])
@pytest.mark.parametrize("is_under_way", [True, False])
def test_a_table_whose_board_plays_on_a_record_that_parted_says_so(
    told: Told, held: bool, misfit: str, is_under_way: bool
) -> None:
    """Its games are stored nowhere: the page said nothing, or that a game of before goes on there."""
    move(told, OLD)
    told.end("table-1", OLD, "0-1")
    if is_under_way:  # as the result of the last one that is stored was taken back
        move(told, NEW)
    one = paired(told)
    its = frozenset({("table-1", OLD)})
    distrust = Distrust(its if held else frozenset(), its, frozenset({"table-1"}))
    assert find_table_game(one, one.at(1)[0], told.ledger, distrust) == TableGame("", "", misfit)
    assert take_results(one, told.ledger, None, distrust).at(1)[0].result == ""
    one = give_result(one, 1, 1, "1-0", "Doe", "", told.ledger)
    one = take_results(one, told.ledger, None, distrust)
    assert (one.at(1)[0].result, one.at(1)[0].game) == ("1-0", "")
    told.begin("table-1", "camelot-0003", "11:00:00")
    told.end("table-1", "camelot-0003", "0-1")
    again = take_results(paired(told), told.ledger)
    assert find_table_game(again, again.at(1)[0], told.ledger).misfit == "", "it has come to names of its own"


def test_a_new_record_opens_no_result_of_a_tournament_that_is_over_or_has_left_the_board(told: Told) -> None:
    """What is wrong with the very game of the table opens it as before, while the board is no other tournament's."""
    over = made(4, 1)
    one = running.pair_round(over, 1, find_newest_finished(told.ledger, over), boards=["table-1", "table-2"])
    for board in ("table-1", "table-2"):
        move(told, OLD, board=board)
        told.end(board, OLD, "1-0")
    one = take_results(one, told.ledger)

    def results(at: Tournament, game: str, elsewhere: Elsewhere = NOTHING_ELSEWHERE) -> list[str]:
        its = frozenset({("table-1", game)})
        held = Distrust(its, its, frozenset({"table-1"}))
        return [table.result for table in take_results(at, told.ledger, None, held, elsewhere).at(1)]

    found = told.ledger.find_game("table-1", OLD)
    assert found is not None
    left = Elsewhere(after={"table-1": found.place})
    longer = replace(one, rounds=3)
    assert results(one, NEW) == ["1-0", "1-0"]
    assert results(one, OLD) == ["", "1-0"], "a copy of it that was taken back, as ever"
    assert results(longer, NEW) == ["", "1-0"], "it goes on"
    assert [results(at, game, left) for at in (one, longer) for game in (OLD, NEW)] == [["1-0", "1-0"]] * 4
    later = partial(find_table_game, one, one.at(1)[0], told.ledger, Distrust(frozenset({("table-1", NEW)})))
    assert later().misfit == "", "and the page does not say so of it"


def test_names_of_the_round_before_are_no_trouble_until_somebody_moves(told: Told) -> None:
    """A board that begins its next game by itself goes on with the names that it has."""
    one = paired(told)
    told.begin("table-1", OLD, "09:00:00")
    told.tell("table-1", OLD, "details", details={"players": {"white": "Zoe", "black": "Yan"}})
    assert find_table_game(one, one.at(1)[0], told.ledger) == TableGame()
    told.tell("table-1", OLD, "move", ply=1)
    assert find_table_game(one, one.at(1)[0], told.ledger) == TableGame(OLD, "", NAMES_DIFFER)
