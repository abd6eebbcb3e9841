"""What the page of all boards counts: no result is shown as open, and no board is forgotten, whatever was restarted."""

from __future__ import annotations

import json
import random
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from engine.match.acts import Resume
from server.hall.desk.standing import SETTLES_S
from server.mqtt import wire
from tests.bench.hall_event_parts import Arbiter, EventBoard
from tests.examples import choose_rows
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.board.hall_link.test_commands import Commanded, send
from tests.server.hall.parts import Listener, Mosquitto, hall, mosquitto, start_hall
from tests.server.hall.test_changed_records import decide, matters, told
from tests.server.hall.test_hall_run import ask, stored
from tests.server.script import OPENING

OVER = {"t": 9.0, "event": "result", "result": "1-0", "reason": "resigned"}


def summary(chromium: Chrome) -> str:
    return chromium.find_element(By.ID, "summary").text


def shown(url: str) -> dict[str, dict[str, Any]]:
    rows = cast(list[dict[str, Any]], ask(f"{url}api/v1/hall/boards")["boards"])
    return defaultdict(dict, {row["board"]: row for row in rows})


@contextmanager
def playing(folder: Path, broker: Mosquitto, name: str = "table-1") -> Iterator[Table]:
    (folder / name).mkdir(exist_ok=True)
    table = Table(folder / name, begun=datetime.now(UTC).isoformat(timespec="seconds"))
    publisher = table.publisher(broker, name)
    try:
        yield table
    finally:
        publisher.stop_publishing()
        table.record.close_file()


def finish(table: Table) -> None:
    """As its record has it; its state does not say so, as one that a broker kept from before does not."""
    table.play(OPENING[0])
    table.record.append_event("camelot-0001", OVER)


def test_results_count_although_their_boards_are_off_and_the_broker_has_forgotten_them(
    tmp_path: Path, chromium: Chrome
) -> None:
    database = str(tmp_path / "hall.sqlite3")
    with mosquitto(tmp_path) as broker:
        with hall(broker, database) as url:
            with playing(tmp_path, broker) as one, playing(tmp_path, broker, "table-2") as other:
                finish(one)
                finish(other)
                wait_until(lambda: stored(url) == [3, 3])
            wait_until(lambda: [row["online"] for row in shown(url).values()] == [False, False])
            chromium.get(f"{url}hall")
            wait_until(lambda: "2 of 2 games over" in summary(chromium))
        broker.kill()
        broker.start()
        with hall(broker, database) as url:
            chromium.get(f"{url}hall")
            wait_until(lambda: "2 of 2 games over · matters: 0 · boards not heard: 2" in summary(chromium))
            assert chromium.find_element(By.ID, "boards").text.count("not connected") == 2
            tile = chromium.find_element(By.CSS_SELECTOR, "#boards article")
            name, said = (tile.find_element(By.TAG_NAME, which).rect for which in ("a", "p"))
            assert said["y"] >= name["y"] + name["height"] - 1, "below its name, not run into it"


def test_a_board_that_does_not_come_back_after_a_power_cut_is_a_matter(tmp_path: Path) -> None:
    """In the middle of a game, and neither the hall nor the broker heard of it since they were started anew."""
    database = str(tmp_path / "hall.sqlite3")
    with mosquitto(tmp_path) as broker:
        with playing(tmp_path, broker) as table:
            with hall(broker, database) as url:
                table.play(OPENING[0])
                wait_until(lambda: stored(url) == [2])
            broker.kill()
        broker.start()
        with hall(broker, database) as url:
            wait_until(lambda: [(one["board"], one["kind"]) for one in matters(url)] == [("table-1", "offline")])
            with playing(tmp_path, broker):
                wait_until(lambda: not matters(url))


@pytest.mark.parametrize("kept", choose_rows([wire.ONLINE, wire.OFFLINE, ""], 2))
def test_what_a_broker_had_kept_of_the_round_before_hides_nothing_after_a_power_cut(tmp_path: Path, kept: str) -> None:
    """It writes what it keeps once in a while, or when it ends: the board is away, in a game that is under way."""
    database, chance = str(tmp_path / "hall.sqlite3"), random.Random(1)
    with mosquitto(tmp_path) as broker:
        process, first = start_hall(broker, database)
        listener = Listener(broker, "camelot/table-1/state")
        board = EventBoard(tmp_path, "table-1", broker.url, "camelot")
        board.play(["Anna", "Bert"], "1-0", chance, 2)
        wait_until(lambda: (shown(first)["table-1"].get("state") or {}).get("result") == "1-0")
        wait_until(lambda: stored(first) == [5])
        (before, *_) = [state for state in reversed(listener.on("state")) if b'"1-0"' in state]
        arbiter = Arbiter(first)
        arbiter.ask(name="open", rounds=1, players="Anna\nBert", boards="table-1")
        arbiter.ask("/open/pair", round=1)
        journal = board.begin()
        for _ in range(4):
            board.move(journal, chance)
        wait_until(lambda: (shown(first)["table-1"].get("state") or {}).get("ply") == 4)
        board.close()
        out = json.loads(listener.on("state")[-1]) | {"name": "camelot-0002", "head": ""}
        out |= {"clocks": {"left": {"white": 0, "black": 9}, "running": "white"}}
        listener.client.publish("camelot/table-1/state", json.dumps(out), qos=1, retain=True).wait_for_publish(30)
        wait_until(lambda: {one["kind"] for one in matters(first)} == {"flag", "offline"})
        listener.close()
        process.kill()
        process.communicate()
        broker.kill()
        broker.start()
        listener = Listener(broker)
        if kept:
            listener.client.publish("camelot/table-1/available", kept, qos=1, retain=True).wait_for_publish(30)
            listener.client.publish("camelot/table-1/state", before, qos=1, retain=True).wait_for_publish(30)
        with hall(broker, database) as url:
            away = {"flag", "silent" if kept == wire.ONLINE else "offline"}
            wait_until(lambda: {one["kind"] for one in matters(url)} == away)
            time.sleep(SETTLES_S + 1.0)
            assert {(one["kind"], one["game"]) for one in matters(url)} == {(one, "camelot-0002") for one in away}
            assert shown(url)["table-1"]["state"] is None, "that was the round before"
            assert shown(url)["table-1"]["result"] == ""
            board = EventBoard(tmp_path, "table-1", broker.url, "camelot")
            board.begin()
            wait_until(lambda: not matters(url))
            board.close()
        listener.close()


def test_a_board_whose_matter_waits_is_one_with_problems_until_it_is_decided(tmp_path: Path, chromium: Chrome) -> None:
    """Its clock is right again, and still no result of it is taken."""
    off = [-17_280_000.0]
    with (
        mosquitto(tmp_path) as broker,
        hall(broker, str(tmp_path / "hall.sqlite3")) as url,
        told(tmp_path, broker, lambda: time.time() + off[0]),
    ):
        chromium.get(f"{url}hall")
        queue = chromium.find_element(By.ID, "matters")
        wait_until(lambda: "its clock is wrong (-200 days)" in queue.text)
        off[0] = 0.0
        wait_until(lambda: shown(url)["table-1"]["troubles"] == [])
        time.sleep(1.0)  # the page is told, and draws
        chromium.find_element(By.CSS_SELECTOR, "[data-only=troubles]").click()
        (tile,) = chromium.find_elements(By.CSS_SELECTOR, "#boards article")
        assert (tile.get_attribute("class"), tile.is_displayed()) == ("ill", True)
        assert tile.find_element(By.CLASS_NAME, "troubles").text == "its clock is wrong"
        decide(url, "clock")
        wait_until(lambda: not tile.is_displayed())


def test_what_somebody_took_on_and_left_goes_when_its_trouble_has_passed(tmp_path: Path, chromium: Chrome) -> None:
    database = str(tmp_path / "hall.sqlite3")
    with mosquitto(tmp_path) as broker, hall(broker, database) as url, playing(tmp_path, broker) as table:
        table.play(OPENING[0])
        table.script.cannot_see()
        wait_until(lambda: [one["kind"] for one in matters(url)] == ["cannot-see"])
        chromium.get(f"{url}hall")
        assert send(f"{url}api/v1/hall/matters/{matters(url)[0]['id']}/claim", {"version": 1, "who": "Anna"}) == 200
        table.script.seen_again()
        wait_until(lambda: shown(url)["table-1"]["troubles"] == [])
        time.sleep(SETTLES_S)
        assert [one["owner"] for one in matters(url)] == ["Anna"], "she sees to it"
        with closing(sqlite3.connect(database)) as open_, open_:
            open_.execute("UPDATE matters SET lease = 1.0")
        wait_until(lambda: not chromium.find_elements(By.CSS_SELECTOR, "#matters li"))
        assert matters(url) == []


def test_a_new_game_that_has_not_begun_hides_no_result(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        board = EventBoard(tmp_path, "table-1", broker.url, "camelot")
        board.play(["Anna", "Bert"], "1-0", random.Random(1), 2)
        wait_until(lambda: shown(url)["table-1"].get("result") == "1-0")
        board.begin()
        wait_until(lambda: (shown(url)["table-1"]["state"] or {}).get("name") == "camelot-0002")
        assert shown(url)["table-1"]["result"] == "1-0"
        board.close()


def test_the_results_of_a_round_are_counted_by_its_tables(tmp_path: Path, chromium: Chrome) -> None:
    """Said by hand or by a board, and open again with the next round although the boards still show the last game."""
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        boards = [EventBoard(tmp_path, f"table-{n}", broker.url, "camelot") for n in (1, 2)]
        arbiter = Arbiter(url)
        arbiter.ask(name="open", title="Club open", rounds=3, players="A\nB\nC\nD", boards="table-1 table-2")
        chromium.get(f"{url}hall")
        arbiter.ask("/open/pair", round=1)
        wait_until(lambda: "Club open, round 1: 0 of 2 results" in summary(chromium))
        players = [one["name"] for one in arbiter.open_tables("open")[0]["players"]]
        boards[0].play(players, "1-0", random.Random(1), 2)
        wait_until(lambda: "round 1: 1 of 2 results" in summary(chromium))
        arbiter.ask("/open/result", round=1, table=2, result="+:-", was="", who="Doe")
        wait_until(lambda: "round 1: 2 of 2 results" in summary(chromium))
        arbiter.ask("/open/pair", round=2)
        wait_until(lambda: "round 2: 0 of 2 results" in summary(chromium))
        for board in boards:
            board.close()


def test_beside_who_plays_stands_the_result_of_their_game_and_not_of_another_tournament(
    tmp_path: Path, chromium: Chrome
) -> None:
    """The round of the one waits for another table, and the other plays at the board that it no longer needs."""
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        board, arbiter = EventBoard(tmp_path, "table-1", broker.url, "camelot"), Arbiter(url)

        def play(name: str, result: str) -> list[str]:
            names = [one["name"] for one in arbiter.open_tables(name)[0]["players"]]
            board.play(names, result, random.Random(1), 2)
            wait_until(lambda: arbiter.ask(f"/{name}")["now"][0]["result"] == result)
            return names

        arbiter.ask(name="first", rounds=3, players="A\nB\nC\nD", boards="table-1")
        arbiter.ask("/first/pair", round=1)
        play("first", "1-0")
        arbiter.ask(name="other", rounds=3, players="E\nF", boards="table-1")
        arbiter.ask("/other/pair", round=1)
        assert ask(f"{url}api/v1/hall/rounds")["rounds"][0]["boards"] == {}  # type: ignore[index]
        names = play("other", "0-1")
        chromium.get(f"{url}hall")
        tile = "return document.querySelector('[data-board=table-1]')?.textContent ?? ''"
        wait_until(lambda: all(one in chromium.execute_script(tile) for one in ("0-1", *names)))  # type: ignore[no-untyped-call]
        assert "1-0" not in chromium.execute_script(tile)  # type: ignore[no-untyped-call]
        journal = board.begin()
        board.move(journal, random.Random(1))
        wait_until(lambda: "0-1" not in chromium.execute_script(tile), "the next game there is none of the round")  # type: ignore[no-untyped-call]
        board.close()


LATE_ANSWER = """
const asked = window.fetch;
window.fetch = async (address, ...more) => {
  const answer = await asked(address, ...more);
  if (String(address).endsWith("/hall/boards") && !window.failed) {
    window.failed = true;
    return new Response("", { status: 503 });
  }
  if (String(address).endsWith("/hall/boards")) {
    const text = await answer.text();
    if (!window.gone) await new Promise((go) => (window.go = go)); // a page that has waited too long asks once more
    return new Response(text, { status: 200 });
  }
  return answer;
};
"""


def test_an_answer_that_is_late_does_not_undo_what_was_told_since(tmp_path: Path, chromium: Chrome) -> None:
    """And one that fails is asked for again: the page would be empty, and calm."""
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        board = EventBoard(tmp_path, "table-1", broker.url, "camelot")
        board.begin()
        wait_until(lambda: shown(url)["table-1"].get("state"))
        script = chromium.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LATE_ANSWER})
        try:
            chromium.get(f"{url}hall")
            wait_until(lambda: chromium.execute_script("return Boolean(window.go)"))
            board.play(["Anna", "Bert"], "1-0", random.Random(1), 2)
            wait_until(lambda: "1 of 1 games over" in summary(chromium))
            chromium.execute_script("window.gone = true; window.go()")
            wait_until(lambda: chromium.find_element(By.TAG_NAME, "body").get_attribute("data-ready") == "yes")
            assert "1 of 1 games over" in summary(chromium)
        finally:
            chromium.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
            board.close()


SEATS = "return [...document.querySelectorAll('#boards article > span')].map((one) => one.textContent)"


def _seated(chromium: Chrome, names: list[str]) -> bool:
    return chromium.execute_script(SEATS) == names  # type: ignore[no-untyped-call,no-any-return]


def test_a_board_that_changes_to_a_game_of_three_shows_all_three(tmp_path: Path, chromium: Chrome) -> None:
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        chromium.get(f"{url}hall")
        for game, names in (("camelot", ["A", "B"]), ("tri-camelot", ["C", "D", "E"]), ("cam", ["F", "G"])):
            (tmp_path / game).mkdir()
            board = EventBoard(tmp_path / game, "table-1", broker.url, game)
            board.play(names, "1-0" if len(names) == 2 else "1-0-0", random.Random(1), 2)

            wait_until(partial(_seated, chromium, names), f"{game}: {names}")
            board.close()


def alarm(chromium: Chrome) -> str:
    return cast(str, chromium.execute_script("return document.getElementById('alarm').textContent"))  # type: ignore[no-untyped-call]


def test_what_the_page_has_told_aloud_goes_when_its_matter_does(tmp_path: Path, chromium: Chrome) -> None:
    """It stayed until something newer took its place, while another matter waited; and its going makes no sound."""
    asks = "the referee asks which move was made"
    with (
        mosquitto(tmp_path) as broker,
        hall(broker, str(tmp_path / "hall.sqlite3")) as url,
        playing(tmp_path, broker) as first,
        playing(tmp_path, broker, "table-2") as second,
    ):
        chromium.get(f"{url}hall")
        wait_until(lambda: len(chromium.find_elements(By.CSS_SELECTOR, "#boards article")) == 2)
        wait_until(lambda: chromium.find_element(By.TAG_NAME, "body").get_attribute("data-ready"))
        first.play(OPENING[0])
        first.script.unclear()
        wait_until(lambda: alarm(chromium) == f"table-1: {asks}")
        second.play(OPENING[0])
        second.script.unclear()
        wait_until(lambda: alarm(chromium) == f"table-2: {asks}")
        second.play(OPENING[1])
        wait_until(lambda: alarm(chromium) == "")
        assert [one["board"] for one in matters(url)] == ["table-1"], "one waits yet"


def test_a_board_that_was_paused_from_here_is_shown_so_and_goes_on_from_here(tmp_path: Path, chromium: Chrome) -> None:
    """After a minute nothing of it was shown, and the button had gone with the matter."""
    with mosquitto(tmp_path) as broker:
        table = Commanded(tmp_path, broker)
        (tmp_path / "boards.toml").write_text('[table-1]\nurl = "http://127.0.0.1:9/board"\n', encoding="utf-8")
        with hall(broker, str(tmp_path / "hall.sqlite3"), "--boards", str(tmp_path / "boards.toml")) as url:
            table.play(OPENING[0])
            table.script.paused()
            chromium.get(f"{url}hall")
            wait_until(lambda: "Paused" in chromium.find_element(By.ID, "boards").text)
            chromium.get(f"{url}hall/table-1")
            wait_until(lambda: "Paused" in chromium.find_element(By.ID, "boards").text)
            assert not chromium.find_element(By.CSS_SELECTOR, "#orders [value=pause]").is_displayed()
            link = chromium.find_element(By.CSS_SELECTOR, "#orders a")
            assert (link.text, link.get_attribute("href")) == ("The board's own page", "http://127.0.0.1:9/board")
            goes_on = chromium.find_element(By.CSS_SELECTOR, "#orders [value=resume]")
            goes_on.click()
            fault = chromium.find_element(By.ID, "order-fault")
            wait_until(lambda: fault.text == "Say who you are first.")
            chromium.find_element(By.ID, "who").send_keys("Anna")
            goes_on.click()
            assert table.inbox.get(timeout=PATIENCE_S).asked == Resume(by="arbiter")
            wait_until(lambda: "Go on" in chromium.find_element(By.ID, "orders-sent").text)
            assert fault.text == ""
        table.line.stop_publishing()
    table.record.close_file()


def test_a_board_that_moved_to_another_hall_is_taken_off_the_queue(tmp_path: Path, chromium: Chrome) -> None:
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        with playing(tmp_path, broker) as table:
            table.play(OPENING[0])
            table.script.unclear()
            wait_until(lambda: [one["kind"] for one in matters(url)] == ["doubt"])
            chromium.get(f"{url}hall")
            wait_until(lambda: chromium.find_elements(By.CSS_SELECTOR, "#matters li button"))
            where = f"{url}api/v1/hall/matters/{matters(url)[0]['id']}"
            assert send(f"{where}/claim", {"version": 1, "who": "Anna"}) == 200
            assert send(f"{where}/left", {"version": 2, "who": "Anna"}) == 409, "it is connected"
            assert send(f"{where}/release", {"version": 2, "who": "Anna"}) == 200
        wait_until(lambda: {one["kind"] for one in matters(url)} == {"doubt", "offline"})
        chromium.execute_script("document.getElementById('who').value = 'Anna'")  # type: ignore[no-untyped-call]
        wait_until(lambda: len(chromium.find_elements(By.CSS_SELECTOR, "#matters li")) == 2)
        chromium.find_element(By.CSS_SELECTOR, "#matters li button").click()
        left = "//button[text()='This board has left the hall']"
        wait_until(lambda: chromium.find_elements(By.XPATH, left))
        chromium.find_element(By.XPATH, left).click()
        wait_until(lambda: matters(url) == [])


def test_a_board_that_has_left_the_hall_is_in_no_trouble_and_comes_back_by_itself(
    tmp_path: Path, chromium: Chrome
) -> None:
    """Its game was over, so no matter waited in which to say it, and its tile was red for good."""
    database, tile = str(tmp_path / "hall.sqlite3"), "[data-board=table-1]"

    def said() -> str:
        read = "return document.querySelector(arguments[0])?.textContent ?? ''"
        return str(chromium.execute_script(read, tile))  # type: ignore[no-untyped-call]

    with mosquitto(tmp_path) as broker:
        with hall(broker, database) as url:
            with playing(tmp_path, broker):
                wait_until(lambda: shown(url)["table-1"].get("online"))
                chromium.get(f"{url}hall/table-1")
                wait_until(lambda: chromium.find_elements(By.CSS_SELECTOR, tile))
                assert send(f"{url}api/v1/hall/boards/table-1/left", {}) == 409, "it is connected"
            wait_until(lambda: "not connected" in said())
            chromium.find_element(By.ID, "left").click()
            wait_until(lambda: "left the hall: " in said())
            chromium.get(f"{url}hall")
            wait_until(lambda: "left the hall: " in said() and "not connected" not in said())
            assert "boards not heard: 0" in chromium.find_element(By.ID, "summary").text
        with hall(broker, database) as url:
            chromium.get(f"{url}hall")
            wait_until(lambda: "left the hall: " in said(), "also for a hall that was started anew")
            with playing(tmp_path, broker):
                wait_until(lambda: "left the hall: " not in said())
            wait_until(lambda: "not connected" in said(), "it has not left again")
