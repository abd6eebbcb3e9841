"""What the page of all boards counts: no result is shown as open, and no board is forgotten, whatever was restarted."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.bench.hall_event_parts import Arbiter, EventBoard
from tests.patience import wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import Mosquitto, hall, mosquitto
from tests.server.hall.test_changed_records import matters
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
