"""`referee hall` as a program: under blows on both databases, what it asks boards for, and its page in a browser."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from engine.errors import InputError
from server.board.hall_link.publisher import Publisher
from server.cli import main
from server.hall.desk.addresses import Address, fetch_from_board
from server.hall.desk.hall_vitals import HallVitals
from server.hall.probe import explain_unreachable
from server.mqtt.broker import broker_of
from server.web.tls import ensure_certificate
from tests.bench.bench_hall_trouble import measure
from tests.bench.hall_load import load
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import Mosquitto, hall, mosquitto
from tests.server.script import OPENING

BLOWS = {False: ("broker", "boards", "mischief"), True: ("hall", "database")}
"""Whether on PostgreSQL -> what is done to it; `make soak` does all to both."""


@pytest.mark.parametrize("postgresql", [False, True], ids=["sqlite", "postgresql"])
def test_nothing_is_lost_or_doubled_whatever_is_killed(postgresql: bool) -> None:
    figures = load(4, 25, 4, postgresql, BLOWS[postgresql])
    assert figures.events >= 40
    assert set(figures.recoveries_s) == set(BLOWS[postgresql])


def ask(url: str) -> dict[str, object]:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310  # our own address
        said: dict[str, object] = json.load(answer)
        return said


def post(url: str, body: dict[str, object]) -> None:
    asked = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
    urllib.request.urlopen(asked, timeout=PATIENCE_S).close()  # noqa: S310


def stored(url: str) -> list[object]:
    rows = ask(f"{url}api/v1/hall/games")["games"]
    return [row["events"] for row in rows] if isinstance(rows, list) else []


def test_a_broker_that_does_not_know_the_halls_account_is_named_with_what_to_do(tmp_path: Path) -> None:
    """What the client says when it gives up stood in its place, within the same second."""
    with mosquitto(tmp_path, "allow_anonymous false") as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:

        def why() -> str:
            return str(cast(dict[str, str], ask(f"{url}healthz")["why"]).get("broker"))

        wait_until(lambda: "does not know the hall's account" in why())
        for _ in range(20):
            assert "Not authorized" in why() and "CAMELOT_REFEREE_HALL_PASSWORD" in why()
            time.sleep(0.1)


def test_two_halls_with_one_account_are_told_of_each_other(tmp_path: Path) -> None:
    """They throw each other out without end, and each said that the broker had closed the line."""
    accounts = tmp_path / "passwords"
    accounts.write_text("hall:secret\n", encoding="utf-8")
    subprocess.run(["mosquitto_passwd", "-U", accounts], check=True)
    taken = f"allow_anonymous false\npassword_file {accounts}\nuse_username_as_clientid true"
    with mosquitto(tmp_path, taken) as broker:
        one = cast(Mosquitto, SimpleNamespace(url=broker.url.replace("//", "//hall:secret@")))
        with hall(one, str(tmp_path / "a.sqlite3")) as url, hall(one, str(tmp_path / "b.sqlite3")) as other:
            for page in (url, other):
                wait_until(lambda page=page: "another hall uses this" in json.dumps(ask(f"{page}healthz")["why"]))  # type: ignore[misc]
        with hall(one, str(tmp_path / "a.sqlite3")) as url:
            wait_until(lambda: not ask(f"{url}healthz")["why"])


def test_a_line_that_breaks_again_and_again_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """Two halls of one account filled the log, two lines a second each, for as long as both ran."""
    now = [0.0]
    vitals = HallVitals("hall", steady=lambda: now[0])
    for _ in range(40):
        vitals.broker_connected()
        now[0] += 0.5
        vitals.broker_lost("the broker has closed it")
        vitals.update_faults()
    said = [record.message for record in caplog.records]
    assert len(said) == 2 and "another hall uses this" in said[1]
    vitals.broker_connected()
    now[0] += 60
    vitals.update_faults()
    vitals.broker_lost("the broker has closed it")
    assert len(caplog.records) == 3, "a new one"


def test_an_address_without_tls_for_a_port_with_it_is_named(tmp_path: Path) -> None:
    tls = ensure_certificate(tmp_path, ["localhost"])
    with mosquitto(tmp_path, f"allow_anonymous true\ncertfile {tls.cert}\nkeyfile {tls.key}") as broker:
        with hall(broker, str(tmp_path / "hall.sqlite3")) as url:
            wait_until(lambda: "write mqtts://" in json.dumps(ask(f"{url}healthz")["why"]))
        assert explain_unreachable(broker_of(broker.url.replace("mqtt:", "mqtts:"))) != ""
    with mosquitto(tmp_path) as broker:
        assert explain_unreachable(broker_of(broker.url)) == ""


def test_a_full_disk_is_said_with_where_to_make_room() -> None:
    vitals = HallVitals("store", place="/srv/hall.sqlite3")
    vitals.database_failed(sqlite3.OperationalError("database or disk is full"))
    vitals.update_faults()
    assert "database or disk is full: make room on the disk of /srv/hall.sqlite3" in {
        fault.why for fault in vitals.current_faults()
    }


def two_boards(folder: Path, broker: Mosquitto) -> tuple[list[Table], list[Publisher]]:
    tables, publishers = [], []
    for name in ("table-1", "table-2"):
        (folder / name).mkdir()
        tables.append(Table(folder / name))
        publishers.append(tables[-1].publisher(broker, name))
    return tables, publishers


def test_the_page_shows_all_boards_in_their_order_and_what_is_wrong(tmp_path: Path, chromium: Chrome) -> None:
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        chromium.get(f"{url}hall")
        tables, publishers = two_boards(tmp_path, broker)

        def names() -> list[str]:
            tiles = chromium.find_elements(By.CSS_SELECTOR, "#boards article")
            return [str(tile.get_attribute("data-board")) for tile in tiles if tile.is_displayed()]  # type: ignore[no-untyped-call]

        def text() -> str:
            return chromium.find_element(By.ID, "boards").text

        wait_until(lambda: names() == ["table-1", "table-2"])
        tables[0].script.details = {"players": {"white": "Anna"}, "ratings": {"white": "1720"}}
        for table in tables:
            table.play(OPENING[0])
        wait_until(lambda: "Anna (1720)" in text())
        tables[1].script.cannot_see()
        wait_until(lambda: "the camera does not see the board" in text())
        wait_until(lambda: "0 of 2 games over · matters: 1" in chromium.find_element(By.ID, "summary").text)
        chromium.find_element(By.CSS_SELECTOR, "[data-only=troubles]").click()
        assert names() == ["table-2"]
        chromium.find_element(By.CSS_SELECTOR, "[data-only=all]").click()
        decide(chromium, url)
        chromium.get(f"{url}hall/table-1")
        wait_until(lambda: OPENING[0] in chromium.find_element(By.ID, "hall-moves").text)
        wait_until(lambda: f"Last move: {OPENING[0]}" in text())
        assert len(chromium.find_elements(By.CSS_SELECTOR, "[data-board=table-1] svg .piece")) == 28
        for publisher in publishers:
            publisher.stop_publishing()
        wait_until(lambda: "not connected" in text())
        for table in tables:
            table.record.close_file()


def test_every_page_says_that_the_hall_hears_nothing_and_is_calm_again(tmp_path: Path, chromium: Chrome) -> None:
    """The broker is gone, frozen, and back: on the boards' page and the tournaments', and to programs."""
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:

        def said() -> str:
            return chromium.find_element(By.ID, "hall-faults").text

        def ready() -> int:
            try:
                return int(urllib.request.urlopen(f"{url}readyz", timeout=PATIENCE_S).status)  # noqa: S310
            except urllib.error.HTTPError as error:
                return error.code

        wait_until(lambda: ready() == 200)
        for page in ("hall", "tournaments"):
            chromium.get(f"{url}{page}")
            wait_until(lambda: not said())
            broker.kill()
            wait_until(lambda: "hears nothing" in said())
            assert ready() == 503
            health = ask(f"{url}healthz")
            assert (health["status"], health["faults"]) == ("degraded", ["broker"])
            wait_until(lambda: "refused" in str(ask(f"{url}healthz")["why"]))  # at first it has only closed the line
            broker.start()
            wait_until(lambda: not said())
        os.kill(broker.pid, signal.SIGSTOP)
        wait_until(lambda: "carries nothing" in said())
        os.kill(broker.pid, signal.SIGCONT)
        wait_until(lambda: not said())
        assert ready() == 200
        with urllib.request.urlopen(f"{url}metrics", timeout=PATIENCE_S) as answer:  # noqa: S310
            assert b"referee_hall_broker_ok 1.0" in answer.read()


def press_button(chromium: Chrome) -> None:
    """Press the button of the first matter once it is there: the list is built anew whenever something comes."""
    press = "const button = document.querySelector('#matters button'); button?.click(); return Boolean(button);"
    wait_until(lambda: chromium.execute_script(press))  # type: ignore[no-untyped-call]


def decide(chromium: Chrome, url: str) -> None:
    """Take the matter and decide it as a person would; who is second is told so."""
    (matter,) = cast(list[dict[str, object]], ask(f"{url}api/v1/hall/matters")["matters"])
    assert (matter["board"], matter["kind"], matter["state"]) == ("table-2", "cannot-see", "open")
    press_button(chromium)
    wait_until(lambda: chromium.find_element(By.ID, "matters-fault").text == "Say who you are first.")
    chromium.find_element(By.ID, "who").send_keys("Anna")
    press_button(chromium)
    wait_until(lambda: chromium.find_elements(By.CSS_SELECTOR, "#matters input"))
    body = json.dumps({"version": matter["version"], "who": "Bert"}).encode()
    second = urllib.request.Request(  # noqa: S310  # our own address
        f"{url}api/v1/hall/matters/{matter['id']}/claim", body, {"Content-Type": "application/json"}
    )
    with pytest.raises(urllib.error.HTTPError, match="409"):
        urllib.request.urlopen(second, timeout=PATIENCE_S)  # noqa: S310
    chromium.find_element(By.CSS_SELECTOR, "#matters input").send_keys("go on")
    press_button(chromium)
    wait_until(lambda: "go on – sent, not in its record yet" in chromium.find_element(By.ID, "matters").text)
    assert not chromium.find_elements(By.CSS_SELECTOR, "#matters button"), "and nobody has to do anything about it"
    (ruling,) = cast(list[dict[str, object]], ask(f"{url}api/v1/hall/boards/table-2/rulings")["rulings"])
    assert (ruling["owner"], ruling["ruling"]) == ("Anna", "go on")


def test_a_trouble_at_a_board_comes_to_the_arbiters_page_and_goes() -> None:
    """How soon, `python -m tests.bench.bench_hall_trouble` measures."""
    assert len(measure(4, 3)) == 3


def test_other_names_than_this_machines_are_refused(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        asked = urllib.request.Request(f"{url}hall", headers={"Host": "evil.example"})  # noqa: S310  # our own address
        with pytest.raises(urllib.error.HTTPError, match="421"):
            urllib.request.urlopen(asked, timeout=PATIENCE_S)  # noqa: S310


@pytest.mark.parametrize(
    "arguments",
    [
        ["hall"],
        ["hall", "--broker", "x"],
        ["hall", "--broker", "mqtt://127.0.0.1", "--database", "/nowhere/x"],
        ["hall", "--broker", "mqtt://127.0.0.1", "--boards", "/nowhere/x", "--port", "0"],
        ["hall", "--broker", "mqtt://127.0.0.1", "--host", "0.0.0.0"],  # noqa: S104  # refused: nobody has an account
        ["serve", "--hall", "mqtt://127.0.0.1"],
        ["serve", "--hall", "mqtt://127.0.0.1", "--board-name", "a/b"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_used_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert (left.value.code, capsys.readouterr().err.count("\n")) == (2, 1)


@pytest.mark.parametrize("word", ["-", "2-0"])
def test_a_result_that_is_none_is_answered_with_all_that_may_be_said(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["tournament", "result", "open", "1", "4", "--", word])
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "1/2-1/2" in said and "1-0-0" in said and "open where none is to stand" in said


def test_a_board_that_sends_the_hall_elsewhere_is_not_followed(tmp_path: Path) -> None:
    """Its answer might lead the hall, with its key, to any other address."""
    led: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            led.append(self.path)
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_address[1]}/led")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Not on the terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(InputError, match="302"):
            fetch_from_board(Address(f"http://127.0.0.1:{server.server_address[1]}", "key"), "/api/v1/camera.jpg")
        server.shutdown()
    assert led == ["/api/v1/camera.jpg"]


def test_what_an_arbiter_says_while_the_database_takes_nothing_is_refused_in_words(tmp_path: Path) -> None:
    """And the hall says at once what is wrong, to everybody."""
    database = tmp_path / "hall.sqlite3"
    body = {"name": "open", "rounds": 1, "system": "swiss", "players": "Anna\nBert"}

    with mosquitto(tmp_path) as broker, hall(broker, str(database)) as url:
        wanted = f"{url}api/v1/hall/tournaments"
        holds = sqlite3.connect(database, isolation_level=None)
        holds.execute("BEGIN IMMEDIATE")
        with pytest.raises(urllib.error.HTTPError) as refused:
            post(wanted, body)
        assert refused.value.code == 503
        assert "database refuses it" in json.load(refused.value)["detail"]
        assert ask(f"{url}healthz")["faults"] == ["database"]
        holds.rollback()
        holds.close()
        wait_until(lambda: ask(f"{url}healthz")["faults"] == [])
        post(wanted, body)
        assert ask(wanted)["tournaments"] == ["open"]
        with pytest.raises(urllib.error.HTTPError) as refused:
            post(f"{wanted}/open/tell", {"round": 1})
        assert json.load(refused.value)["detail"] == "body: 'round' is not known here: an empty object, {}"
