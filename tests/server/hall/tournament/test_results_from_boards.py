"""Results from the boards: the right game of the right board, whatever else is played there, and no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from server.hall.desk.database import open_database
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Distrust
from server.hall.desk.troubles import GameTrouble
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament.event import TABLES_OF_THREE, Seating, Tournament
from server.hall.tournament.games_played import RULINGS_READ_EVERY_S, Rulings, build_details
from server.hall.tournament.results import (
    award_points,
    check_result,
    is_played,
    report_letters,
    result_from_letters,
)
from server.hall.tournament.results_from_boards import (
    BEGUN_BEFORE,
    BROKEN,
    NAMES_DIFFER,
    OTHER_GAME,
    Flow,
    TableGame,
    can_change_result,
    change_by_arbiter,
    find_newest_finished,
    find_table_game,
    give_board,
    take_results,
)
from server.hall.tournament.tournament_store import Tournaments
from server.mqtt.wire import EventLink
from server.record.chain import encode_event, genesis_hash, hash_event
from tests.patience import wait_until
from tests.server.hall.tournament.events import made


class Told:
    """A hall's ledger into which boards tell their games."""

    def __init__(self, engine: sa.Engine) -> None:
        self.ledger = Ledger(engine)
        self._sent: dict[tuple[str, str], tuple[int, str]] = {}
        self.links: list[EventLink] = []

    def tell(self, board: str, game: str, event: str, /, **more: object) -> None:
        said = {"event": event} | more
        count, head = self._sent.get((board, game), (0, genesis_hash(game)))
        new = hash_event(head, encode_event(said))
        self.links = self.ledger.store_links([EventLink(board, game, count + 1, head, new, said)])
        self._sent[board, game] = (count + 1, new)

    def begin(self, board: str, game: str, at: str, /, **more: object) -> None:
        said = {"game": "camelot", "rules": "wcf", "begun": f"2026-11-24T{at}+00:00"}
        self.tell(board, game, "begin", **(said | more))

    def end(self, board: str, game: str, result: str) -> None:
        self.tell(board, game, "result", result=result, reason="castle")


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    engine = open_database(str(tmp_path / "hall.sqlite3"))
    yield Told(engine)
    engine.dispose()


def paired(told: Told, round_: int = 1, one: Tournament | None = None) -> Tournament:
    one = one or made(4, 3)
    after = find_newest_finished(told.ledger, one, or_played=True)
    return running.pair_round(one, round_, after, boards=["table-1", "table-2"])


def first(one: Tournament, told: Told) -> Seating:
    return take_results(one, told.ledger).at(one.paired)[0]


def test_the_first_game_after_the_pairing_is_the_one_of_the_table(told: Told) -> None:
    told.begin("table-1", "camelot-0001", "09:00:00")
    told.end("table-1", "camelot-0001", "0-1")
    one = paired(told)
    assert first(one, told).result == "", "the game before is none of this round"
    told.begin("table-1", "camelot-0002", "10:00:00")
    assert (first(one, told).game, first(one, told).result) == ("camelot-0002", "")
    told.end("table-1", "camelot-0002", "1-0")
    told.begin("table-1", "camelot-0003", "11:00:00")
    told.end("table-1", "camelot-0003", "0-1")
    table = first(one, told)
    assert (table.game, table.result, table.source) == ("camelot-0002", "1-0", "board"), "not what is played afterwards"
    assert take_results(one, told.ledger).at(1)[1].result == "", "nor elsewhere"


def test_a_table_of_three_has_the_result_of_its_board(told: Told) -> None:
    one = paired(told, one=made(7, 2, TABLES_OF_THREE))
    for board, result in (("table-1", "0-1-0"), ("table-2", "1/3-1/3-1/3")):
        told.begin(board, "tri-camelot-0001", "10:00:00", game="tri-camelot")
        told.end(board, "tri-camelot-0001", result)
    assert [table.result for table in take_results(one, told.ledger).at(1)] == ["0-1-0", "1/3-1/3-1/3", "bye"]


@pytest.mark.parametrize(("moved", "result"), [(False, "-:-"), (True, "0-0")])
def test_a_game_that_both_forfeit_is_one_only_if_it_was_begun(told: Told, moved: bool, result: str) -> None:
    one = paired(told)
    told.begin("table-1", "camelot-0001", "10:05")
    if moved:
        told.tell("table-1", "camelot-0001", "move", ply=1, side="white", notation="E6-E5")
    told.tell("table-1", "camelot-0001", "result", result="0-0", reason="absence", by="arbiter")
    taken = first(one, told)
    assert (taken.result, is_played(taken.result)) == (result, moved)
    assert award_points(taken.result, 2) == (0, 0)
    assert result_from_letters(*report_letters(taken.result)) == result


def test_a_table_of_three_whose_sides_all_forfeit_has_no_points(told: Told) -> None:
    check_result("0-0-0", 3)
    assert award_points("0-0-0", 3) == (0, 0, 0)


def test_a_game_that_was_broken_off_gives_way_to_the_next(told: Told) -> None:
    one = paired(told)
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.begin("table-1", "camelot-0002", "10:05:00")
    told.end("table-1", "camelot-0002", "1/2-1/2")
    assert (first(one, told).game, first(one, told).result) == ("camelot-0002", "1/2-1/2")


def test_games_begun_in_the_same_second_go_by_their_names(told: Told) -> None:
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.end("table-1", "camelot-0001", "0-1")
    one = paired(told)
    told.begin("table-1", "camelot-0002", "10:00:00")
    told.end("table-1", "camelot-0002", "1-0")
    assert first(one, told).result == "1-0"


def test_a_board_whose_clock_was_set_back_has_its_tables_game_all_the_same(told: Told, tmp_path: Path) -> None:
    """As a small computer without a battery does after each cut of its power; also when the hall was started anew."""
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.end("table-1", "camelot-0001", "0-1")
    one = paired(told)
    told.begin("table-1", "camelot-0002", "09:20:00")
    assert first(one, told).game == "camelot-0002"
    told.end("table-1", "camelot-0002", "1-0")
    assert first(one, told).result == "1-0"
    again = Ledger(engine := open_database(str(tmp_path / "hall.sqlite3")))
    assert take_results(one, again).at(1)[0].result == "1-0"
    for ledger in (told.ledger, again):
        last = ledger.last_played("table-1")
        assert last is not None and last.name == "camelot-0002"
    engine.dispose()


def test_a_result_that_is_taken_back_at_the_board_is_open_again(told: Told) -> None:
    one = paired(told)
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.tell("table-1", "camelot-0001", "move", ply=1)
    told.end("table-1", "camelot-0001", "1-0")
    one = take_results(one, told.ledger)
    told.tell("table-1", "camelot-0001", "takeback", plies=1)
    assert (first(one, told).result, first(one, told).source) == ("", "")
    told.end("table-1", "camelot-0001", "0-1")
    assert first(one, told).result == "0-1"


def test_a_result_after_which_a_position_is_set_at_the_board_is_open_again(told: Told) -> None:
    one = paired(told)
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.tell("table-1", "camelot-0001", "move", ply=1)
    told.end("table-1", "camelot-0001", "1-0")
    one = take_results(one, told.ledger)
    told.tell("table-1", "camelot-0001", "position", position={})
    assert can_change_result(told.links[0])
    assert (first(one, told).result, first(one, told).source) == ("", "")


def test_what_a_person_said_stays(told: Told) -> None:
    one = running.set_result(paired(told), 1, 1, "-:+", "Doe", "")
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.end("table-1", "camelot-0001", "1-0")
    assert (first(one, told).result, first(one, told).source) == ("-:+", "Doe")


def test_what_a_round_was_paired_by_stays(told: Told) -> None:
    one = paired(told)
    for board in ("table-1", "table-2"):
        told.begin(board, "camelot-0001", "10:00:00")
        told.tell(board, "camelot-0001", "move", ply=1)
        told.end(board, "camelot-0001", "1-0")
    one = paired(told, 2, take_results(one, told.ledger))
    told.tell("table-1", "camelot-0001", "takeback", plies=1)
    told.end("table-1", "camelot-0001", "0-1")
    after = take_results(one, told.ledger)
    assert [table.result for table in after.tables] == ["1-0", "1-0", "", ""]


def test_a_game_that_ends_otherwise_than_an_arbiter_had_said_is_a_dispute(told: Told, tmp_path: Path) -> None:
    """His word counts, and nobody was told; what he knew as he said it is none."""
    engine, now = open_database(str(tmp_path / "hall.sqlite3")), [0.0]
    kept = Tournaments(engine)
    kept.add_tournament(paired(told))
    rulings = Rulings(kept, told.ledger, lambda: now[0])

    def disputes(function: Callable[[Tournament], Tournament] = lambda it: it) -> set[tuple[str, GameTrouble]]:
        now[0] += RULINGS_READ_EVERY_S
        kept.change_tournament("open", lambda it: take_results(function(it), told.ledger))
        return rulings.find_disputes()

    for board in ("table-1", "table-2"):
        told.begin(board, "camelot-0001", "10:00:00")
        told.tell(board, "camelot-0001", "move", ply=1)
    disputes()
    assert disputes(lambda it: running.set_result(it, 1, 1, "1/2-1/2", "Doe", "")) == set(), "the game goes on"
    told.end("table-1", "camelot-0001", "1-0")
    told.end("table-2", "camelot-0001", "0-1")
    first = ("table-1", GameTrouble("contradicted", "camelot-0001"))
    assert disputes() == {first}
    assert rulings.describe_changed("table-1", "camelot-0001").items() >= {"says": "1-0", "counts": "1/2-1/2"}.items()
    assert disputes(lambda it: running.set_result(it, 1, 2, "1-0", "Doe", "0-1")) == {first}, "he knew it"
    told.end("table-2", "camelot-0001", "1/2-1/2")
    assert disputes() == {first, ("table-2", GameTrouble("contradicted", "camelot-0001"))}
    assert disputes(lambda it: running.set_result(it, 1, 2, "1/2-1/2", "Doe", "1-0")) == {first}
    assert disputes(lambda it: running.set_result(it, 1, 1, "1-0", "Doe", "1/2-1/2")) == set()
    engine.dispose()


@pytest.mark.parametrize(
    ("reason", "said", "plies", "counts"),
    [
        ("absence", "0-1", 0, "-:+"),
        ("absence", "1-0", 0, "+:-"),
        ("absence", "1-0", 1, "+:-"),
        ("absence", "0-1", 1, "0-1"),
        ("absence", "1-0", 2, "1-0"),
        ("resigned", "0-1", 0, "0-1"),
        ("absence", "0-0", 0, "-:-"),
    ],
)
def test_who_did_not_come_has_lost_without_playing(
    told: Told, tmp_path: Path, reason: str, said: str, plies: int, counts: str
) -> None:
    """Said at the board; a hall that begins anew knows it too. Who has made a move was there."""
    one = paired(told)
    told.begin("table-1", "camelot-0001", "10:00:00")
    for ply in range(1, plies + 1):
        told.tell("table-1", "camelot-0001", "move", ply=ply)
    told.tell("table-1", "camelot-0001", "result", result=said, reason=reason)
    anew = open_database(str(tmp_path / "hall.sqlite3"))
    for ledger in (told.ledger, Ledger(anew)):
        assert take_results(one, ledger).at(1)[0].result == counts
    anew.dispose()
    told.tell("table-1", "camelot-0001", "result", result="1/2-1/2", reason="ruling")
    assert take_results(one, told.ledger).at(1)[0].result == "1/2-1/2", "the arbiter has corrected it"


def test_what_counts_where_a_board_says_otherwise(told: Told, tmp_path: Path) -> None:
    """Once an arbiter has decided, or the next round was paired; and whoever has changed the tournament."""
    engine, now = open_database(str(tmp_path / "hall.sqlite3")), [0.0]
    kept = Tournaments(engine)
    kept.add_tournament(paired(told))
    rulings = Rulings(kept, told.ledger, lambda: now[0])

    def change(function: Callable[[Tournament], Tournament]) -> None:
        now[0] += RULINGS_READ_EVERY_S
        kept.change_tournament("open", lambda it: take_results(function(it), told.ledger))

    for board in ("table-1", "table-2"):
        told.begin(board, "camelot-0001", "10:00:00")
        told.tell(board, "camelot-0001", "move", ply=1)
        told.end(board, "camelot-0001", "1-0")
    change(lambda it: it)
    assert rulings.find_results() == {}
    change(lambda it: running.set_result(it, 1, 2, "+:-", "Doe", "1-0"))
    assert rulings.find_results() == {("table-2", "camelot-0001"): "+:-"}
    told.tell("table-1", "camelot-0001", "takeback", plies=1)
    told.end("table-1", "camelot-0001", "0-1")
    change(lambda it: it)
    assert rulings.find_results() == {("table-2", "camelot-0001"): "+:-"}, (
        "the board's word counts until the next round"
    )
    change(lambda it: paired(told, 2, it))
    told.tell("table-1", "camelot-0001", "takeback", plies=1)
    assert rulings.find_results()["table-1", "camelot-0001"] == "0-1"
    assert rulings.find_disputes() == {("table-1", GameTrouble("changed-later", "camelot-0001"))}
    assert rulings.describe_changed("table-1", "camelot-0002") == {}
    one, first = kept.load_tournament("open"), kept.load_tournament("open").at(1)[0]
    seated = [one.find_entrant(number).name for number in first.players]
    assert rulings.find_players("table-1", "camelot-0001") == seated
    change(lambda it: running.set_result(it, 1, 1, "1/2-1/2", "Doe", "0-1"))
    assert (rulings.find_results()["table-1", "camelot-0001"], rulings.find_disputes()) == ("1/2-1/2", set())
    engine.dispose()


def test_an_old_game_that_ends_late_is_not_the_next_rounds(told: Told) -> None:
    """Its result was said by an arbiter, and the round after it is paired before the board has ended it."""
    one = paired(told)
    told.begin("table-1", "camelot-0001", "10:00:00")
    one = take_results(one, told.ledger)
    for table in one.at(1):
        one = running.set_result(one, 1, table.table, "1-0", "Doe", "")
    one = paired(told, 2, one)
    told.end("table-1", "camelot-0001", "0-1")
    assert first(one, told).result == ""


def test_a_game_that_goes_on_while_a_round_is_paired_is_none_of_it(told: Told) -> None:
    """Who plays for fun until then has no name there. Pieces that are only put up are the table's game."""
    told.begin("table-1", "camelot-0001", "09:00:00")
    told.tell("table-1", "camelot-0001", "move", ply=1)
    told.begin("table-2", "camelot-0001", "09:00:00")
    one = paired(told)
    assert find_table_game(one, one.at(1)[0], told.ledger).misfit == BEGUN_BEFORE
    for board in ("table-1", "table-2"):
        told.end(board, "camelot-0001", "0-1")
    assert [table.result for table in take_results(one, told.ledger).at(1)] == ["", "0-1"]
    one = give_board(one, 1, 1, "table-1", told.ledger)
    assert first(one, told).result == "0-1", "an arbiter who names the board anew means its game"


def test_a_game_from_before_the_pairing_that_has_ended_is_named_until_an_arbiter_takes_it(told: Told) -> None:
    """As where a pairing was taken back and made again while its players had begun."""
    told.begin("table-1", "camelot-0001", "08:00:00")
    told.end("table-1", "camelot-0001", "0-1")
    told.begin("table-1", "camelot-0002", "09:00:00")
    told.tell("table-1", "camelot-0002", "move", ply=1)
    told.begin("table-2", "camelot-0001", "09:00:00")
    told.end("table-2", "camelot-0001", "0-1")
    one = paired(told)
    told.end("table-1", "camelot-0002", "1-0")
    one = take_results(one, told.ledger)
    found = find_table_game(one, one.at(1)[0], told.ledger)
    assert (found.game, found.result, found.misfit, found.can_take) == ("camelot-0002", "1-0", BEGUN_BEFORE, True)
    over = find_table_game(one, one.at(1)[1], told.ledger)
    assert (over.misfit, over.can_take) == ("", False), "what was over when the round was paired is nobody's"
    one = take_results(give_board(one, 1, 1, "table-1", told.ledger), told.ledger)
    assert (one.at(1)[0].game, one.at(1)[0].result) == ("camelot-0002", "1-0")
    one = give_board(one, 1, 2, "table-2", told.ledger)
    assert take_results(one, told.ledger).at(1)[1].result == "", "nor is it taken"


def test_a_game_that_says_that_it_is_of_this_round_is_offered_after_a_backup_was_restored(told: Told) -> None:
    """The round was not paired in the backup; the boards had ended it, and told so before it was paired again."""
    plan = running.pair_round(made(4, 3), 1, {}, boards=["table-1", "table-2"])
    for table, result in zip(plan.at(1), ("0-1", "1/2-1/2"), strict=True):
        for game in ("camelot-0001", "camelot-0002"):
            told.begin(table.board, game, "09:00:00")
            said = build_details(plan, table) | ({"round": "7.1"} if game == "camelot-0001" else {})
            told.tell(table.board, game, "details", details=said)
            told.tell(table.board, game, "move", ply=1)
            told.end(table.board, game, result if game == "camelot-0002" else "1-0")
    told.begin("table-2", "camelot-0003", "10:00:00")
    one = paired(told)
    told.begin("table-1", "camelot-0003", "11:00:00")
    one = take_results(one, told.ledger)
    assert [table.result for table in one.at(1)] == ["", ""], "not by itself"
    for table, result in zip(one.at(1), ("0-1", "1/2-1/2"), strict=True):
        found = find_table_game(one, table, told.ledger)
        assert found == TableGame("camelot-0002", result, BEGUN_BEFORE, can_take=True)
    turned = running.swap_sides(one, 1, 1)
    assert not find_table_game(turned, turned.at(1)[0], told.ledger).can_take, "with the other sides it is another's"
    for number, board in ((1, "table-1"), (2, "table-2")):
        one = take_results(give_board(one, 1, number, board, told.ledger), told.ledger)
    assert [(table.game, table.result) for table in one.at(1)] == [("camelot-0002", "0-1"), ("camelot-0002", "1/2-1/2")]
    again = paired(told, 2, one)
    assert not any(find_table_game(again, table, told.ledger).can_take for table in again.at(2)), "nor of the next"
    told.tell("table-1", "camelot-0003", "move", ply=1)
    assert find_table_game(one, one.at(1)[0], told.ledger).game == "camelot-0002"


def test_a_result_that_an_arbiter_opens_does_not_come_back_when_the_game_is_played_anew(told: Told) -> None:
    one = paired(told)
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.end("table-1", "camelot-0001", "1-0")
    one = take_results(one, told.ledger)
    one = running.set_result(one, 1, 1, "", "Doe", "1-0", find_newest_finished(told.ledger, one))
    told.begin("table-1", "camelot-0002", "10:30:00")
    assert (first(one, told).game, first(one, told).result) == ("camelot-0002", "")
    told.end("table-1", "camelot-0002", "0-1")
    one = take_results(one, told.ledger)
    assert (first(one, told).result, first(one, told).source) == ("0-1", "board")
    one = running.set_result(one, 1, 1, "1-0", "Doe", "0-1")
    one = running.set_result(one, 1, 1, "", "Doe", "1-0", find_newest_finished(told.ledger, one))
    assert first(one, told).result == "0-1", "what was said by hand gives way to the board"


def test_whoever_is_seated_or_named_rightly_has_at_once_the_result_that_waited(told: Told, tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "hall.sqlite3"))
    kept = Tournaments(engine)
    kept.add_tournament(one := paired(told))
    white, black = (one.find_entrant(number) for number in one.at(1)[0].players)
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.tell("table-1", "camelot-0001", "details", details={"players": {"white": black.name, "black": "Bert"}})
    told.end("table-1", "camelot-0001", "1-0")
    assert first(kept.load_tournament("open"), told).result == ""

    def changed(change: Callable[[Tournament], Tournament]) -> str:
        return change_by_arbiter(kept, "open", change, told.ledger, Distrust()).at(1)[0].result

    assert changed(lambda it: running.swap_sides(it, 1, 1)) == ""
    assert changed(lambda it: running.edit_player(it, white.number, replace(white, name="Bert"))) == "1-0"
    engine.dispose()


@pytest.mark.parametrize(
    ("names", "misfit"),
    [
        ({}, ""),
        ({"white": "FIRST", "black": "SECOND"}, ""),
        ({"white": "FIRST"}, ""),
        ({"white": "SECOND", "black": "FIRST"}, NAMES_DIFFER),
        ({"white": "Somebody else"}, NAMES_DIFFER),
    ],
)
def test_names_at_the_board_must_be_those_of_the_table(told: Told, names: dict[str, str], misfit: str) -> None:
    one = paired(told)
    table = one.at(1)[0]
    known = {"FIRST": one.find_entrant(table.players[0]).name, "SECOND": one.find_entrant(table.players[1]).name}
    told.begin("table-1", "camelot-0001", "10:00:00")
    players = {seat: " ".join(reversed(known.get(name, name).split(", "))).upper() for seat, name in names.items()}
    told.tell("table-1", "camelot-0001", "details", details={"players": players})
    told.end("table-1", "camelot-0001", "1-0")
    assert find_table_game(one, table, told.ledger).misfit == misfit
    assert first(one, told).result == ("" if misfit else "1-0")


def test_names_at_the_board_may_be_written_otherwise(told: Told) -> None:
    one = made(4, 3)
    named = (replace(one.entrants[0], name="X, Cäsar"), *one.entrants[1:])
    one = paired(told, one=replace(one, entrants=named))
    told.begin("table-1", "camelot-0001", "10:00:00")
    seat = one.seat_names[one.at(1)[0].players.index(1)]
    told.tell("table-1", "camelot-0001", "details", details={"players": {seat: "X, Ca\u0308sar"}})
    told.end("table-1", "camelot-0001", "1-0")
    assert first(one, told).result == "1-0"


def test_another_game_and_a_broken_record_are_not_taken(told: Told) -> None:
    one = paired(told)
    told.begin("table-1", "cam-0001", "10:00:00", game="cam")
    told.end("table-1", "cam-0001", "1-0")
    told.begin("table-2", "camelot-0001", "10:00:00")
    told.end("table-2", "camelot-0001", "1-0")
    event = {"event": "result", "result": "0-1"}
    told.ledger.store_links(
        [
            EventLink(
                "table-2",
                "camelot-0001",
                3,
                genesis_hash("x"),
                hash_event(genesis_hash("x"), encode_event(event)),
                event,
            )
        ]
    )
    assert [find_table_game(one, table, told.ledger).misfit for table in one.at(1)] == [OTHER_GAME, BROKEN]
    assert [table.result for table in take_results(one, told.ledger).at(1)] == ["", ""]


def test_the_thread_takes_what_came_before_it_and_what_comes(told: Told, tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "hall.sqlite3"))
    kept, heard, looked = Tournaments(engine), [], []

    def look() -> None:
        looked.append("rulings")
        raise OSError("disk I/O error")

    kept.add_tournament(paired(told))
    told.begin("table-1", "camelot-0001", "10:00:00")
    told.end("table-1", "camelot-0001", "1-0")
    flow = Flow(kept, told.ledger, heard.append, look=look)  # type: ignore[arg-type]
    flow.start()
    wait_until(lambda: kept.load_tournament("open").at(1)[0].result == "1-0")
    told.begin("table-2", "camelot-0001", "10:00:00")
    flow.note_links(told.links)
    told.end("table-2", "camelot-0001", "0-1")
    flow.note_links(told.links)
    wait_until(lambda: kept.load_tournament("open").at(1)[1].result == "0-1")
    flow.stop_updating()
    assert not flow.is_alive()
    assert ["open"] in heard
    assert looked  # what looks at rulings fails all the while, and results are taken over all the same
    engine.dispose()
