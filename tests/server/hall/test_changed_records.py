"""A record that was changed is seen, and named; what rests on it is no result until an arbiter has looked."""

from __future__ import annotations

import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from server.board.hall_link.publisher import Publisher
from server.hall.desk.database import open_database
from server.hall.desk.matters import Distrust, Matters
from server.hall.desk.monitor import FEWER_S
from server.hall.desk.standing import SETTLES_S
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament import people
from server.hall.tournament.event import Tournament
from server.hall.tournament.tournament_store import Tournaments
from server.mqtt.broker import broker_of
from tests.bench.hall_event_parts import Arbiter, EventBoard
from tests.patience import wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import Line, Mosquitto, hall, mosquitto
from tests.server.hall.test_hall_run import ask, post, stored
from tests.server.script import NAME, OPENING


def troubles(url: str, board: str = "table-1") -> list[str]:
    return cast(list[str], ask(f"{url}api/v1/hall/boards/{board}")["troubles"])


def matters(url: str) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], ask(f"{url}api/v1/hall/matters")["matters"])


@contextmanager
def told(
    folder: Path, broker: Mosquitto | Line, clock: Callable[[], float] = time.time, name: str = "table-1"
) -> Iterator[Table]:
    """A board that publishes, with the record that is in the folder."""
    table = Table(folder, begun="2026-11-25T10:00:00+00:00")
    publisher = Publisher(broker_of(broker.url), name, table.path, table.script.feed, NAME, clock=clock)
    publisher.start()
    try:
        yield table
    finally:
        publisher.stop_publishing()
        table.record.close_file()


def decide(url: str, kind: str) -> None:
    """Anna takes the matter of that kind on, and decides it."""
    (matter,) = [one for one in matters(url) if one["kind"] == kind]
    where, version = f"{url}api/v1/hall/matters/{matter['id']}", int(matter["version"])
    post(f"{where}/claim", {"version": version, "who": "Anna"})
    post(f"{where}/rule", {"version": version + 1, "who": "Anna", "ruling": "it is known"})


def all_matters(database: str, kind: str) -> list[str]:
    """How each matter of that kind stands, over ones too."""
    with closing(sqlite3.connect(database)) as open_:
        return [row[0] for row in open_.execute("SELECT state FROM matters WHERE kind = ? ORDER BY id", (kind,))]


def copied(there: Path, to: Path) -> None:
    to.mkdir()
    for file in there.glob("games.sqlite3*"):
        shutil.copy(file, to)


def test_a_copy_that_was_taken_back_is_seen_before_and_after_it_is_played_on(tmp_path: Path) -> None:
    """Shorter at first; and when another move is played on it, a fork."""
    for name in ("before", "now"):
        (tmp_path / name).mkdir()
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        with told(tmp_path / "now", broker) as table:
            table.play(OPENING[0])
            wait_until(lambda: stored(url) == [2])
            table.record.close_file()
            copied(tmp_path / "now", tmp_path / "copy")
        with told(tmp_path / "now", broker) as table:
            table.script.play(OPENING[0])
            for notation in OPENING[1:3]:
                table.play(notation)
            wait_until(lambda: stored(url) == [4])
        with told(tmp_path / "copy", broker) as table:
            table.script.play(OPENING[0])
            wait_until(lambda: "shorter" in troubles(url))
            table.play("G10-G9")
            wait_until(lambda: "chain" in troubles(url))
            wait_until(lambda: [one["kind"] for one in matters(url)] == ["chain"])
            assert stored(url) == [4], "what was stored stays"


def test_a_fork_that_is_longer_than_what_is_stored_is_one_to_a_hall_that_was_started_anew_too(
    tmp_path: Path,
) -> None:
    """It sends nothing that the hall could store, and must not look like a board whose events are late."""
    (tmp_path / "now").mkdir()
    database = str(tmp_path / "hall.sqlite3")
    with mosquitto(tmp_path) as broker:
        with hall(broker, database) as url, told(tmp_path / "now", broker) as table:
            wait_until(lambda: stored(url) == [1])
            copied(tmp_path / "now", tmp_path / "copy")
            for notation in OPENING[:2]:
                table.play(notation)
            wait_until(lambda: stored(url) == [3])
        with told(tmp_path / "copy", broker) as table:
            for notation in ("F7-F5", "G10-G9", "J6-K6", "J11-H9"):
                table.play(notation)
            for _ in range(2):
                with hall(broker, database) as url:
                    wait_until(
                        lambda: any("chain" in board["troubles"] for board in ask(f"{url}api/v1/hall/boards")["boards"])
                    )
                    assert stored(url) == [3]


def test_a_game_that_was_deleted_and_whose_name_was_given_again_is_seen(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        with told(tmp_path / "one", broker) as table:
            table.play(OPENING[0])
            wait_until(lambda: stored(url) == [2])
        with told(tmp_path / "other", broker) as table:
            table.play("F7-F5")
            wait_until(lambda: "chain" in troubles(url))


def test_two_boards_of_one_name_are_seen(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        with told(tmp_path / "one", broker) as table, told(tmp_path / "other", broker):
            wait_until(lambda: ask(f"{url}api/v1/hall/boards")["boards"])
            wait_until(lambda: "twins" in troubles(url))
            wait_until(lambda: "another program run as table-1" in str(table.script.feed.vitals.hall()))
            wait_until(lambda: [one["games"] for one in matters(url)] == [["camelot-0001"]])
        wait_until(lambda: "twins" not in troubles(url))
        assert "twins" in {one["kind"] for one in matters(url)}, "somebody has to look"


def test_two_boards_of_one_name_of_which_one_sees_nothing_open_one_matter_of_it(tmp_path: Path) -> None:
    """They speak in turn, several times a second."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    database = str(tmp_path / "hall.sqlite3")
    with (
        mosquitto(tmp_path) as broker,
        hall(broker, database) as url,
        told(tmp_path / "one", broker) as table,
        told(tmp_path / "other", broker),
    ):
        table.script.cannot_see()
        wait_until(lambda: {"twins", "cannot-see"} <= {one["kind"] for one in matters(url)})
        time.sleep(SETTLES_S)
        seen = len(all_matters(database, "cannot-see"))
        time.sleep(6.0)
        assert len(all_matters(database, "cannot-see")) == seen


@pytest.mark.parametrize("ahead_s", [600.0, -7200.0])
def test_a_board_whose_clock_is_wrong_is_seen_and_is_well_again_when_it_is_set(tmp_path: Path, ahead_s: float) -> None:
    off = [ahead_s]
    with (
        mosquitto(tmp_path) as broker,
        hall(broker, str(tmp_path / "hall.sqlite3")) as url,
        told(tmp_path, broker, lambda: time.time() + off[0]),
    ):
        wait_until(lambda: ask(f"{url}api/v1/hall/boards")["boards"])
        wait_until(lambda: troubles(url) == ["clock"])
        assert abs(int(str(ask(f"{url}api/v1/hall/boards/table-1")["skew"])) - ahead_s) < 30
        off[0] = 0.0
        wait_until(lambda: troubles(url) == [])


def test_a_wrong_clock_that_was_decided_stays_decided_until_it_was_right(tmp_path: Path) -> None:
    """Not so a cut of the board's line, nor a hall that begins anew while the board is away."""
    off, database = [-17_280_000.0], str(tmp_path / "hall.sqlite3")
    with mosquitto(tmp_path) as broker:
        line = Line(broker.port)
        with told(tmp_path, line, lambda: time.time() + off[0]):
            with hall(broker, database) as url:
                wait_until(lambda: [one["kind"] for one in matters(url)] == ["clock"])
                decide(url, "clock")
                time.sleep(SETTLES_S)
                for _ in range(2):
                    line.cut()
                    wait_until(lambda: not ask(f"{url}api/v1/hall/boards/table-1")["online"])
                    time.sleep(1.5)
                    line.mend()
                    wait_until(lambda: ask(f"{url}api/v1/hall/boards/table-1")["online"] and "clock" in troubles(url))
                    time.sleep(1.0)
                    assert all_matters(database, "clock") == ["ruled"]
                line.cut()
            with hall(broker, database) as url:
                time.sleep(SETTLES_S + 2.0)
                line.mend()
                wait_until(lambda: troubles(url) == ["clock"])
                time.sleep(1.0)
                assert all_matters(database, "clock") == ["ruled"]
                off[0] = 0.0
                wait_until(lambda: troubles(url) == [])
                wait_until(lambda: not lasts(database, "clock"))
                off[0] = 600.0
                wait_until(lambda: all_matters(database, "clock") == ["ruled", "open"])
        line.close()


def lasts(database: str, kind: str) -> bool:
    """Whether a trouble of that kind is there, as far as the queue knows."""
    with closing(sqlite3.connect(database)) as open_:
        return bool(open_.execute("SELECT 1 FROM matters WHERE kind = ? AND lasts", (kind,)).fetchall())


def test_a_copy_that_was_taken_back_is_decided_once_whatever_is_stored_after(tmp_path: Path) -> None:
    """What the board plays after it, its ruling too; a cut, another game, and a hall that begins anew."""
    (tmp_path / "now").mkdir()
    database, chance = str(tmp_path / "hall.sqlite3"), random.Random(1)
    with mosquitto(tmp_path) as broker:
        with hall(broker, database) as url:
            old = EventBoard(tmp_path / "now", "table-1", broker.url, "camelot")
            journal = old.begin()
            old.move(journal, chance)
            copy = old.copy(tmp_path / "copy")
            for _ in range(6):
                old.move(journal, chance)
            wait_until(lambda: stored(url) == [8])
            old.close()
            board = EventBoard(copy, "table-1", broker.url, "camelot")
            journal = board.begin()
            wait_until(lambda: [one["kind"] for one in matters(url)] == ["shorter"])
            time.sleep(SETTLES_S)
            decide(url, "shorter")
            journal.record.append_event(journal.name, {"t": 1.0, "event": "ruling", "id": "ruling-99-1", "who": "Anna"})
            for _ in range(2):
                board.move(journal, chance)
                time.sleep(FEWER_S + 1.5)
                assert all_matters(database, "shorter") == ["ruled"]
            journal = board.begin()
            board.move(journal, chance)
            time.sleep(FEWER_S + 1.5)
            assert all_matters(database, "shorter") == ["ruled"]
            board.close()
        with hall(broker, database) as url:
            time.sleep(SETTLES_S + 2.0)
            board = EventBoard(copy, "table-1", broker.url, "camelot")
            board.move(board.begin(), chance)
            wait_until(lambda: "shorter" in troubles(url))
            time.sleep(1.0)
            assert all_matters(database, "shorter") == ["ruled"]
            assert not matters(url) or [one["state"] for one in matters(url)] == ["ruled"]
            board.close()


def test_a_result_that_rests_on_a_changed_record_waits_for_an_arbiter(tmp_path: Path) -> None:
    """Also one that was taken before the copy came back."""
    (tmp_path / "now").mkdir()
    database = str(tmp_path / "hall.sqlite3")
    engine = open_database(database)
    tournaments = Tournaments(engine)
    made = Tournament("open", "Open", "swiss", 1, "camelot", boards=("table-1",), first="white")
    tournaments.add_tournament(running.enter_players(made, people.read_players("Anna\nBert\n", "players")))
    tournaments.change_tournament("open", lambda it: running.pair_round(it, 1, {}, boards=["table-1"]))

    def result() -> str:
        return tournaments.load_tournament("open").at(1)[0].result

    with mosquitto(tmp_path) as broker, hall(broker, database) as url:
        with told(tmp_path / "now", broker) as table:
            table.play(OPENING[0])
            wait_until(lambda: stored(url) == [2])
            table.record.close_file()
            copied(tmp_path / "now", tmp_path / "copy")
        with told(tmp_path / "now", broker) as table:
            table.record.append_event(NAME, {"t": 9.0, "event": "result", "result": "1-0", "reason": "resigned"})
            wait_until(lambda: result() == "1-0")
        with told(tmp_path / "copy", broker):
            wait_until(lambda: "shorter" in troubles(url))
            wait_until(lambda: not result())
            (row,) = cast(Any, ask(f"{url}api/v1/hall/tournaments/open"))["now"]
            assert row["misfit"] == "held"
            (matter,) = [one for one in matters(url) if one["kind"] == "shorter"]
            where, version = f"{url}api/v1/hall/matters/{matter['id']}", int(matter["version"])
            post(f"{where}/claim", {"version": version, "who": "Anna"})
            post(f"{where}/rule", {"version": version + 1, "who": "Anna", "ruling": "the sheet says 1-0 too"})
            wait_until(lambda: result() == "1-0")
    assert Matters(engine).find_distrust() == Distrust()
    engine.dispose()


def test_the_result_of_a_record_that_parted_is_the_arbiters_for_good(tmp_path: Path) -> None:
    """Also after the hall was started anew, when the board is away and nothing but the database says so."""
    for name in ("now", "other"):
        (tmp_path / name).mkdir()
    engine = open_database(database := str(tmp_path / "hall.sqlite3"))
    tournaments = Tournaments(engine)
    made = Tournament("open", "Open", "swiss", 1, "camelot", boards=("table-1", "table-2"), first="white")
    tournaments.add_tournament(running.enter_players(made, people.read_players("Anna\nBert\nCy\nDora\n", "players")))
    tournaments.change_tournament("open", lambda it: running.pair_round(it, 1, {}))

    def results() -> list[str]:
        return [table.result for table in tournaments.load_tournament("open").at(1)]

    def resign(table: Table, result: str) -> None:
        table.record.append_event(NAME, {"t": 9.0, "event": "result", "result": result, "reason": "resigned"})

    with mosquitto(tmp_path) as broker:
        with hall(broker, database) as url:
            with told(tmp_path / "now", broker) as table:
                table.play(OPENING[0])
                wait_until(lambda: stored(url) == [2])
                table.record.close_file()
                copied(tmp_path / "now", tmp_path / "copy")
            with told(tmp_path / "now", broker) as table:
                resign(table, "1-0")
                wait_until(lambda: results() == ["1-0", ""])
            with told(tmp_path / "copy", broker) as table:
                resign(table, "0-1")
                wait_until(lambda: "chain" in {one["kind"] for one in matters(url)} and not results()[0])
                wait_until(lambda: "chain" in troubles(url))
                for matter in matters(url):
                    where, version = f"{url}api/v1/hall/matters/{matter['id']}", int(matter["version"])
                    post(f"{where}/claim", {"version": version, "who": "Anna"})
                    post(f"{where}/rule", {"version": version + 1, "who": "Anna", "ruling": "0-1 counts"})
        assert not Matters(engine).find_distrust().held_boards
        with hall(broker, database) as url, told(tmp_path / "other", broker, name="table-2") as table:
            resign(table, "1-0")
            wait_until(lambda: results()[1] == "1-0")
            assert results() == ["", "1-0"], "what one board has stored is not believed again"
            (row, _) = cast(Any, ask(f"{url}api/v1/hall/tournaments/open"))["now"]
            assert row["misfit"] == "chain"
    engine.dispose()


def test_a_board_that_has_lost_its_record_opens_nothing_elsewhere_and_its_games_are_entered_by_hand(
    tmp_path: Path, chromium: Chrome
) -> None:
    """Its next games have names of games that are stored: nothing was said of them, or that one of before goes on."""
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    by_hand = "its record does not fit what was stored: enter the result by hand"
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        arbiter, old = Arbiter(url), EventBoard(tmp_path / "old", "table-1", broker.url, "camelot")

        def find_row(name: str) -> tuple[str, str]:
            (row,) = arbiter.ask(f"/{name}")["now"]
            return row["result"], row["misfit"]

        for name in ("first", "second"):
            players = "Anna\nBert" if name == "first" else "Cy\nDora"
            arbiter.ask(name=name, title=f"Club {name}", rounds=1, players=players, boards="table-1", first="white")
        arbiter.ask("/first/pair", round=1)
        seated = [one["name"] for one in arbiter.open_tables("first")[0]["players"]]
        old.play(seated, "0-1", random.Random(1), 6)
        wait_until(lambda: find_row("first") == ("0-1", ""))
        old.move(old.begin(), random.Random(1))
        wait_until(lambda: stored(url) == [9, 2])
        old.close()
        new = EventBoard(tmp_path / "new", "table-1", broker.url, "camelot")
        journal = new.begin()
        for _ in range(2):
            new.move(journal, random.Random(7))
        arbiter.ask("/second/pair", round=1)
        wait_until(lambda: [one["kind"] for one in matters(url)] == ["chain"])
        wait_until(lambda: find_row("second") == ("", "held"))
        concerned = {"tournament": "second", "title": "Club second", "round": 1, "table": 1}
        wait_until(lambda: matters(url)[0]["concerns"] == concerned)
        assert find_row("first") == ("0-1", ""), "that is over"
        chromium.get(f"{url}hall")
        wait_until(lambda: "Club second, Round 1, Table 1" in chromium.find_element(By.ID, "matters").text)
        where, version = f"{url}api/v1/hall/matters/{matters(url)[0]['id']}", int(matters(url)[0]["version"])
        post(f"{where}/claim", {"version": version, "who": "Anna"})
        post(f"{where}/rule", {"version": version + 1, "who": "Anna", "ruling": "a new disk"})
        new.end(journal, "1-0", {})
        wait_until(lambda: find_row("second") == ("", "chain"))
        chromium.get(f"{url}tournaments/second")
        wait_until(lambda: by_hand in chromium.find_element(By.TAG_NAME, "main").text)
        new.play(["Cy", "Dora"], "1-0", random.Random(9), 2)
        wait_until(lambda: ask(f"{url}api/v1/hall/boards/table-1")["state"]["name"] == "camelot-0002")  # type: ignore[index]
        wait_until(lambda: find_row("second") == ("", "chain"))
        assert find_row("first") == ("0-1", "")
        arbiter.ask("/second/result", round=1, table=1, result="1-0", was="", who="Anna")
        assert find_row("second") == ("1-0", "")
        new.close()
