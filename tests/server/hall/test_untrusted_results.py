"""A result that the hall itself does not trust is shown to nobody as one: neither to spectators nor on its pages."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any, cast

from selenium.webdriver import Chrome

from tests.bench.hall_event_parts import Arbiter, EventBoard
from tests.browser import await_script
from tests.patience import wait_until
from tests.server.hall.parts import hall, mosquitto
from tests.server.hall.test_changed_records import decide, matters, troubles
from tests.server.hall.test_hall_run import ask

GAME = "camelot-0001"


def test_spectators_are_told_no_result_of_a_record_that_was_taken_back(tmp_path: Path, chromium: Chrome) -> None:
    """The game had ended 0-1; the copy of before ends 1-0. Held at first, then a fork: what counts is by hand."""
    live = tmp_path / "live"

    def watched() -> tuple[object, object]:
        rows = json.loads((live / "boards.json").read_text(encoding="utf-8"))["boards"]
        return next(((row["result"], row["reason"]) for row in rows), ("", ""))

    def shows(page: str, wanted: str) -> None:
        heading = "document.querySelector('#boards article h2')?.innerText.replaceAll('\\n', ' ')"
        chromium.get(page)
        await_script(chromium, f"{heading} === '{wanted}'")

    options = ("--spectators", str(live), "--delay", "0")
    (tmp_path / "now").mkdir()
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3"), *options) as url:
        arbiter, old = Arbiter(url), EventBoard(tmp_path / "now", "table-1", broker.url, "camelot")

        def result() -> str:
            return str(arbiter.ask("/open")["now"][0]["result"])

        wait_until(lambda: ask(f"{url}api/v1/hall/boards")["boards"])
        arbiter.ask(name="open", title="Open", rounds=2, players="Anna\nBert", boards="table-1", first="white")
        arbiter.ask("/open/pair", round=1)
        journal = old.begin()
        old.move(journal, random.Random(1))
        copy = old.copy(tmp_path / "copy")
        name = "document.querySelector('#boards .to-move')"
        for page in ("hall", "hall/table-1", "watch"):  # a style of the board's own page broke it after four letters
            chromium.get(f"{url}{page}")
            await_script(chromium, f"{name} && getComputedStyle({name}).display === 'block'")
        old.end(journal, "0-1", {})
        wait_until(lambda: result() == "0-1" and watched()[0] == "0-1")
        old.close()
        board = EventBoard(copy, "table-1", broker.url, "camelot")
        journal = board.resume(GAME)
        wait_until(lambda: "shorter" in troubles(url) and not result())
        wait_until(lambda: watched()[0] is None)
        board.end(journal, "1-0", {})
        wait_until(lambda: cast(Any, ask(f"{url}api/v1/hall/boards/table-1"))["state"]["result"] == "1-0")
        wait_until(lambda: watched() == (None, "undecided"))
        wait_until(lambda: ask(f"{url}api/v1/hall/boards/table-1")["result"] == "")
        shows(f"{url}watch", "table-1 not decided")
        shows(f"{url}hall/table-1", "table-1 not decided")
        wait_until(lambda: [one["kind"] for one in matters(url)] == ["chain"])
        assert sorted(matters(url)[0]["players"]) == ["Anna", "Bert"], "the table's, where the board was given no names"
        decide(url, "chain")
        time.sleep(2.0)
        assert watched() == (None, "undecided"), "the record fits no more than before"
        arbiter.ask("/open/result", round=1, table=1, result="0-1", was="", who="Anna")
        wait_until(lambda: watched() == ("0-1", "ruling"))
        wait_until(lambda: ask(f"{url}api/v1/hall/boards/table-1")["counts"] == "0-1")
        shows(f"{url}watch", "table-1 0-1 · decided by an arbiter")
        shows(f"{url}hall/table-1", "table-1 0-1")
        file = (live / "table-1" / f"{GAME}.jsonl").read_text(encoding="utf-8")
        assert '"1-0"' not in file, "nor by the game's file"
        board.close()


def test_a_record_is_trusted_again_when_another_board_only_had_its_name_for_a_moment(tmp_path: Path) -> None:
    """Also by a hall that begins anew, when the true board is at its next game or away."""
    database = str(tmp_path / "hall.sqlite3")
    for name in ("true", "wrong"):
        (tmp_path / name).mkdir()
    with mosquitto(tmp_path) as broker:
        with hall(broker, database) as url:
            arbiter = Arbiter(url)

            def row() -> tuple[str, str]:
                (found,) = arbiter.ask("/open")["now"]
                return found["result"], found["misfit"]

            true = EventBoard(tmp_path / "true", "table-1", broker.url, "camelot")
            wait_until(lambda: ask(f"{url}api/v1/hall/boards")["boards"])
            arbiter.ask(name="open", title="Open", rounds=2, players="Anna\nBert", boards="table-1", first="white")
            arbiter.ask("/open/pair", round=1)
            journal = true.begin()
            true.move(journal, random.Random(1))
            true.end(journal, "0-1", {})
            wait_until(lambda: row() == ("0-1", ""))
            true.close()
            wrong = EventBoard(tmp_path / "wrong", "table-1", broker.url, "camelot")
            journal = wrong.begin()
            wrong.move(journal, random.Random(2))
            wrong.move(journal, random.Random(2))
            wait_until(lambda: "chain" in {one["kind"] for one in matters(url)} and row() == ("", "held"))
            wrong.close()
            true = EventBoard(tmp_path / "true", "table-1", broker.url, "camelot")
            true.resume(GAME)
            wait_until(lambda: troubles(url) == [])
            assert row() == ("", "held"), "somebody has to look"
            for kind in {one["kind"] for one in matters(url)}:
                decide(url, kind)
            wait_until(lambda: row() == ("0-1", ""))
            true.close()
        with hall(broker, database) as url:
            arbiter = Arbiter(url)
            time.sleep(2.0)
            assert row() == ("0-1", "")
