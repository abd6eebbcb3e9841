"""A whole event in a hall, by real boards, brokers and databases, to the site; and its page in a browser."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TypeVar

import pytest
from selenium.common.exceptions import ElementNotInteractableException, StaleElementReferenceException
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

from server.cli import main
from tests.bench.hall_event import event
from tests.bench.hall_event_parts import Arbiter, EventBoard
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.pages.test_accessibility import faults
from tests.server.hall.parts import hall, mosquitto

T = TypeVar("T")


@pytest.mark.parametrize("postgresql", [False, True], ids=["sqlite", "postgresql"])
def test_a_swiss_by_boards_is_exported_as_it_was_played(tmp_path: Path, postgresql: bool, chromium: Chrome) -> None:
    """`python -m tests.bench.hall_event` plays 64 players and 7 rounds; here they are fewer."""
    told = event(tmp_path / "site", 10, 3, postgresql, plies=4)
    assert (told.games, told.tables) == (9, 12)
    chromium.get((tmp_path / "site" / "index.html").as_uri())
    chromium.get_log("browser")  # type: ignore[no-untyped-call]  # what pages before this one left there
    rows = chromium.find_elements(By.CSS_SELECTOR, ".standings tbody tr")
    assert [row.find_element(By.TAG_NAME, "th").text for row in rows] == [row["name"] for row in told.standings]
    assert "Standings after round 3" in chromium.find_element(By.TAG_NAME, "body").text
    assert faults(chromium) == []
    chromium.find_element(By.LINK_TEXT, "Round 3").click()
    assert faults(chromium) == []
    chromium.find_element(By.LINK_TEXT, "Replay").click()
    assert len(chromium.find_elements(By.CSS_SELECTOR, "svg .piece")) == 28
    said = [entry for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]  # type: ignore[no-untyped-call]
    assert said == []


def test_an_arbiter_runs_a_tournament_on_the_page(tmp_path: Path, chromium: Chrome) -> None:
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url, ExitStack() as ending:
        boards = [
            ending.enter_context(closing(EventBoard(tmp_path, f"table-{number}", broker.url, "camelot")))
            for number in (1, 2)
        ]
        wait_until(lambda: len(ask(f"{url}api/v1/hall/boards")["boards"]) == 2)
        chromium.get(f"{url}tournaments")
        assert faults(chromium) == []
        begin(chromium)
        wait_until(lambda: chromium.current_url.endswith("/tournaments/club"))

        def text() -> str:
            return steadily(lambda: chromium.find_element(By.TAG_NAME, "body").text)

        def click(what: str) -> None:
            wait_until(lambda: chromium.find_elements(By.XPATH, f"//button[text()='{what}']"), what)
            steadily(lambda: chromium.find_element(By.XPATH, f"//button[text()='{what}']").click())

        wait_until(lambda: chromium.find_element(By.TAG_NAME, "body").get_attribute("data-ready"))
        click("Pair round 1")
        wait_until(lambda: len(results(chromium)) == 2)
        tables = ask(f"{url}api/v1/hall/tournaments/club")["now"]
        names = [one["name"] for one in tables[0]["players"]]
        boards[0].play(names, "1-0", random.Random(1), 2)
        wait_until(lambda: results(chromium)[0] == "1-0")
        boards[1].play(["Somebody", "Else"], "0-1", random.Random(1), 2)
        chromium.refresh()
        wait_until(lambda: "other names at the board" in text())
        assert results(chromium)[1] == ""
        assert faults(chromium) == []
        white = ask(f"{url}api/v1/hall/tournaments/club")["now"][1]["players"][0]
        steadily(lambda: click_swap(chromium))
        wait_until(lambda: ask(f"{url}api/v1/hall/tournaments/club")["now"][1]["players"][1] == white)
        wait_until(lambda: results(chromium)[1:] == [""])
        steadily(lambda: choose(selects(chromium)[1], "1/2-1/2"))
        wait_until(lambda: "Standings after round 1" in text())
        wait_until(lambda: results(chromium) == ["1-0", "1/2-1/2"])
        steadily(lambda: chromium.find_element(By.CSS_SELECTOR, "[data-ask$='/withdraw']").click())
        wait_until(lambda: "withdrawn after round 1" in text())
        chromium.find_element(By.NAME, "players").send_keys("Late, Lena; 1500")
        click("Enter")
        wait_until(lambda: "from round 2" in text())
        click("Pair round 2")
        wait_until(lambda: "Pair round 3" in text())
        assert [one["name"] for one in ask(f"{url}api/v1/hall/tournaments/club")["players"]][-1] == "Late, Lena"
        for file, begins in (("report.trf", b"012 club"), ("site.zip", b"PK")):
            with urllib.request.urlopen(f"{url}tournaments/club/{file}", timeout=PATIENCE_S) as answer:  # noqa: S310
                assert answer.read().startswith(begins)


def test_a_large_tournament_is_shown_part_by_part_and_searched(tmp_path: Path, chromium: Chrome) -> None:
    """401 players were 29,756 nodes on one page, and on a phone no result and no button was inside the window."""
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        arbiter = Arbiter(url)
        names = (f"Müller-Lüdenscheidt{number}, Karl-Friedrich; {2400 - number}" for number in range(401))
        with pytest.raises(urllib.error.HTTPError, match="422"):
            arbiter.ask(name="big", rounds=9, tie_breaks="WIN,NOTHING")
        arbiter.ask(name="big", rounds=9, players="\n".join(names), tie_breaks="WIN, SB")
        arbiter.ask("/big/pair", round=1)
        for table in range(1, 31):
            arbiter.ask("/big/result", round=1, table=table, result="1-0", was="")
        inside = "return [...document.querySelectorAll('#live :is(select, button, a, th, .points)')].filter((one) => "
        inside += "one.getClientRects().length && one.getBoundingClientRect().right > innerWidth + 1).length"
        size = {"height": 844, "deviceScaleFactor": 1, "mobile": False}
        for part in ("round", "standings", "crosstable", "players"):
            for width in (1366, 390):
                chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size | {"width": width})
                chromium.get(f"{url}tournaments/big?part={part}")
                count = "return document.evaluate('count(//node())', document, null, 1).numberValue"
                assert chromium.execute_script(count) < 3000, part  # type: ignore[no-untyped-call]
                assert part == "crosstable" or chromium.execute_script(inside) == 0, (part, width)  # type: ignore[no-untyped-call]
                wait_until(lambda: not chromium.execute_script("return 'stale' in document.body.dataset"))
                assert faults(chromium) == []
        chromium.execute_script("document.body.toggleAttribute('data-stale', true)")  # type: ignore[no-untyped-call]
        assert faults(chromium) == [], "what may be old is still read"
        chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        chromium.get(f"{url}tournaments/big")
        drawn(chromium)
        tables = chromium.find_elements(By.CSS_SELECTOR, "[data-table]")
        assert [one.get_attribute("data-table") for one in tables[:2]] == ["31", "32"], "what is open comes first"
        assert "30 of 200 results" in chromium.find_element(By.TAG_NAME, "body").text
        chromium.find_element(By.NAME, "q").send_keys("lüdenscheidt173,\n")
        wait_until(lambda: len(chromium.find_elements(By.CSS_SELECTOR, "[data-table]")) == 1)
        for link, leads_to in (("Players", "part=players"), ("Further", "page=2"), ("Change", "edit=")):
            drawn(chromium)
            chromium.find_element(By.LINK_TEXT, link).click()
            wait_until(lambda leads_to=leads_to: leads_to in chromium.current_url)
        drawn(chromium)
        field = chromium.find_element(By.NAME, "name")
        before = field.get_attribute("value")
        field.clear()
        field.send_keys("Петрова, Ольга")
        chromium.find_element(By.CSS_SELECTOR, "#edited button").click()
        wait_until(lambda: not chromium.find_elements(By.ID, "edited"))
        known = [str(one["name"]) for one in ask(f"{url}api/v1/hall/tournaments/big")["players"]]
        assert "Петрова, Ольга" in known and before not in known


def test_who_asks_for_the_files_many_times_at_once_keeps_nobody_waiting(tmp_path: Path) -> None:
    """A few are packed, one after the other; the others are told to come again, and pages go on."""
    many = 12
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        arbiter = Arbiter(url)
        names = (f"Müller-Lüdenscheidt{number}, Karl-Friedrich; {2400 - number}" for number in range(401))
        arbiter.ask(name="big", rounds=3, players="\n".join(names))
        arbiter.ask("/big/players", players="\n".join(f"{'Late' * 10}{number}" for number in range(401)))
        assert len(ask(f"{url}api/v1/hall/tournaments/big")["players"]) == 802
        players = "\n".join(f"Player {number}; {2000 - number}" for number in range(40))
        arbiter.ask(name="open", rounds=3, players=players, boards=" ".join(f"table-{n}" for n in range(1, 201)))
        arbiter.ask("/open/pair", round=1)
        start = threading.Barrier(many)

        def fetched(_: int) -> int:
            start.wait()
            try:
                with urllib.request.urlopen(f"{url}tournaments/open/site.zip", timeout=PATIENCE_S) as answer:  # noqa: S310
                    with zipfile.ZipFile(io.BytesIO(answer.read())) as files:
                        assert "open/index.html" in files.namelist()
                    return int(answer.status)
            except urllib.error.HTTPError as error:
                return error.code

        with ThreadPoolExecutor(many) as pool:
            asked = [pool.submit(fetched, number) for number in range(many)]
            assert ask(f"{url}api/v1/hall/tournaments")["tournaments"] == ["big", "open"]
            statuses = {one.result() for one in asked}
        assert statuses == {200, 503}


def choose(field: WebElement, text: str) -> None:
    """As a person does: the list is turned to, and has all that may be chosen."""
    field.send_keys("")
    assert [option.text for option in Select(field).options][:4] == ["–", "1-0", "0-1", "1/2-1/2"]
    Select(field).select_by_visible_text(text)


def steadily(act: Callable[[], T]) -> T:
    """What is done to a page that may be drawn anew in the same moment: then it is done to the new one."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return act()
        except (StaleElementReferenceException, ElementNotInteractableException):
            assert time.monotonic() < end


def begin(chromium: Chrome) -> None:
    """Fill the form of a new tournament."""
    chromium.find_element(By.NAME, "name").send_keys("club")
    rounds = chromium.find_element(By.NAME, "rounds")
    rounds.clear()
    rounds.send_keys("3")
    chromium.find_element(By.NAME, "players").send_keys("A, Anna; 2000\nB, Bert; 1900\nC, Carl; 1800\nD, Dora; 1700")
    chromium.find_element(By.CSS_SELECTOR, "form button").click()


def selects(chromium: Chrome) -> list[WebElement]:
    return list(chromium.find_elements(By.CSS_SELECTOR, ".tables select[data-ask$='/result']"))


def click_swap(chromium: Chrome) -> None:
    chromium.find_elements(By.CSS_SELECTOR, "button.swap")[-1].click()


def drawn(chromium: Chrome) -> None:
    """Until the page has asked for what it missed, and is drawn anew."""
    wait_until(lambda: chromium.find_element(By.TAG_NAME, "body").get_attribute("data-ready"))


def results(chromium: Chrome) -> list[str]:
    """What is chosen at the tables of the page, without those that are drawn anew meanwhile."""
    script = "return [...document.querySelectorAll(\".tables select[data-ask$='/result']\")].map((one) => one.value)"
    found: list[str] = chromium.execute_script(script)  # type: ignore[no-untyped-call]
    return found


def ask(url: str) -> dict[str, list[dict[str, object]]]:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310  # our own address
        said: dict[str, list[dict[str, object]]] = json.load(answer)
        return said


def test_the_commands_run_a_tournament(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = ["--database", str(tmp_path / "hall.sqlite3")]

    def run(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as left:
            main(["tournament", *arguments, *database])
        said = capsys.readouterr()
        return int(str(left.value.code or 0)), said.out + said.err

    players = tmp_path / "players.txt"
    players.write_text("A; 2000\nB; 1900\nC; 1800\nD; 1700\nE; 1600\n", encoding="utf-8")
    assert run("new", "open", "--rounds", "3", "--first", "white", "--begins", "2026-11-24")[0] == 0
    assert run("enter", "open", str(players)) == (0, "open: 5 players\n")
    assert run("bye", "open", "5", "1", "half")[0] == 0
    assert run("pair", "open", "1")[0] == 0
    assert run("result", "open", "1", "1", "1-0")[0] == 0
    assert run("result", "open", "1", "1", "--", "-:+", "--was", "1-0")[0] == 0, "what is behind -- was taken for more"
    assert run("result", "open", "1", "1", "1-0", "--was", "-:+")[0] == 0
    code, said = run("pair", "open", "2")
    assert (code, said.count("\n")) == (2, 1) and "results of round 1 are missing at table 2" in said
    assert run("result", "open", "1", "2", "0-1")[0] == 0
    assert run("exchange", "open", "1", "3", "4")[0] == 2, "what has a result stays"
    assert run("change", "open", "3", "Ç; 1810; FM")[0] == 0
    assert run("change", "open", "3", "a")[1].count("\n") == 1
    assert run("withdraw", "open", "2")[0] == 0
    assert run("enter", "open", "--player", "F", "--rating", "1500")[0] == 0
    (tmp_path / "pairs").write_text("3\n1 4\n5 6\n3 0\n", encoding="utf-8")
    assert run("pair", "open", "2", "--pairs", str(tmp_path / "pairs"))[0] == 0
    assert run("pair", "open", "2", "--undo")[0] == 0
    assert run("pair", "open", "2")[0] == 0
    assert run("board", "open", "2", "1", "table-7")[0] == 0
    code, said = run("show", "open", "--json")
    shown = json.loads(said)
    assert shown["rounds"][1]["tables"][0]["board"] == "table-7"
    assert shown["standings"]["rows"][0]["points"] == "1"
    assert "after round 1" in run("show", "open")[1]
    assert run("report", "open", "-o", str(tmp_path / "open.trf"))[0] == 0
    assert run("import", str(tmp_path / "open.trf"), "again")[0] == 0
    assert run("list")[1].count("\n") == 2
    assert run("export", "open", str(tmp_path / "site"), "--language", "fr")[0] == 0
    assert "Classement après la ronde 1" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert run("remove", "again", "--yes")[0] == 0
    for wrong in (
        ("new", "A B", "--rounds", "3"),
        ("new", "x", "--rounds", "3", "--tie-breaks", "LUCK"),
        ("new", "x", "--rounds", "3", "--game", "tri-camelot"),
        ("show", "nowhere"),
        ("enter", "open"),
        ("export", "open", str(tmp_path / "site"), "--delay", "5"),
        ("result", "open", "9", "1", "1-0"),
    ):
        code, said = run(*wrong)
        assert (code, said.count("\n")) == (2, 1), wrong


def test_the_site_follows_with_delay(tmp_path: Path) -> None:
    """As a program, beside whoever changes the tournament: nothing younger than the delay is in the folder."""
    database = ["--database", str(tmp_path / "hall.sqlite3")]
    command = [sys.executable, "-m", "server", "tournament"]
    players = tmp_path / "players.txt"
    players.write_text("A\nB\nC\nD\n", encoding="utf-8")
    for arguments in (["new", "open", "--rounds", "3"], ["enter", "open", str(players)]):
        subprocess.run([*command, *arguments, *database], check=True, capture_output=True)
    site, delay_s = tmp_path / "site", 1.5
    following = [
        *command,
        "export",
        "open",
        str(site),
        *database,
        "--follow",
        "--every",
        "0.2",
        "--delay",
        str(delay_s / 60),
    ]
    with subprocess.Popen(following, stdout=subprocess.DEVNULL) as process:
        wait_until((site / "index.html").exists)
        asked = time.time()
        subprocess.run([*command, "pair", "open", "1", *database], check=True, capture_output=True)
        wait_until((site / "round-1.html").exists)
        assert (time.time() - asked) >= delay_s
        process.terminate()
