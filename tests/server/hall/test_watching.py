"""Spectators of a hall: the page /watch in a browser and through nginx, and a crowd of them (`make bench-watch`)."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from server.hall.desk.database import open_database, read_database_name
from server.hall.desk.hall_vitals import HallVitals
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Matters
from server.hall.desk.orders import Orders
from server.hall.desk.standing import Boards
from server.hall.pages.hall_app import Desk, Watched, hall_app
from server.hall.proxy_site import nginx_site
from server.hall.tournament.games_played import Rulings
from server.hall.tournament.tournament_store import Tournaments
from server.web.access.accounts import Accounts, Door, create_account, write_accounts
from server.web.access.visitors import Visitors
from server.web.feed import Feed
from tests.bench.bench_hall_spectators import watch
from tests.bench.hall_event_parts import EventBoard
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import Listener, free_port, hall, mosquitto, nginx
from tests.server.script import NAME, OPENING


def test_the_page_for_spectators_shows_tables_in_their_order_and_how_late_it_is(
    tmp_path: Path, chromium: Chrome
) -> None:
    options = ("--spectators", str(tmp_path / "live"), "--delay", "0.1")
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3"), *options) as url:
        boards = [EventBoard(tmp_path, f"table-{number}", broker.url, "camelot") for number in (1, 10, 2)]
        for board in boards:
            board.begin()
        listed = tmp_path / "live" / "boards.json"
        wait_until(lambda: listed.exists() and len(json.loads(listed.read_text(encoding="utf-8"))["boards"]) == 3)
        chromium.get(f"{url}watch")
        wait_until(lambda: len(chromium.find_elements(By.CSS_SELECTOR, "#boards article h2")) == 3)
        names = [one.get_attribute("data-board") for one in chromium.find_elements(By.CSS_SELECTOR, "#boards article")]
        assert names == ["table-1", "table-2", "table-10"]
        assert chromium.find_element(By.ID, "late").text == "0.1 min later than at the boards"
        for board in boards:
            board.close()


def test_many_spectators_through_nginx_and_none_early() -> None:
    seen = watch(100, 2, 10, 8, 1.5)
    assert seen.checks >= 20
    assert seen.received > seen.checks


def test_the_page_for_spectators_through_nginx(tmp_path: Path, chromium: Chrome) -> None:
    tmp_path.chmod(0o755)
    live, port, table = tmp_path / "live", free_port(), Table(tmp_path)
    options = ("--spectators", str(live), "--delay", "0")
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3"), *options) as url:
        heard = Listener(broker)
        site = nginx_site("localhost", f"127.0.0.1:{port}", live, url.rstrip("/"), cache=tmp_path / "cache")
        with nginx(tmp_path, site, port):
            publisher = table.publisher(broker)
            table.play(OPENING[0])
            chromium.get(f"http://127.0.0.1:{port}/watch")

            def text() -> str:
                return chromium.find_element(By.ID, "boards").text

            wait_until(lambda: f"Last move: {OPENING[0]}" in text())
            table.play(OPENING[1])
            chromium.refresh()
            wait_until(lambda: f"Last move: {OPENING[1]}" in text())
            assert len(chromium.find_elements(By.CSS_SELECTOR, "[data-board=table-1] svg .piece")) == 28
            wait_until(lambda: b'"sequence":3' in (tmp_path / "live" / "table-1" / f"{NAME}.jsonl").read_bytes())
            for name in (f"http://127.0.0.1:{port}", url.rstrip("/")):
                file = f"{name}/live/table-1/{NAME}.jsonl"
                lines = urllib.request.urlopen(file, timeout=PATIENCE_S).read().splitlines()  # noqa: S310
                events = [json.loads(line)["event"]["event"] for line in lines if b'"sequence"' in line]
                assert events == ["begin", "move", "move"]
                rest = urllib.request.Request(file, headers={"Range": f"bytes={len(lines[0]) + 1}-"})  # noqa: S310
                with urllib.request.urlopen(rest, timeout=PATIENCE_S) as answer:  # noqa: S310
                    assert (answer.status, answer.read().splitlines()) == (206, lines[1:])
                for outside in ("/live/../hall.sqlite3", "/live/table-1/.now.json.new", "/live/%2e%2e/hall.sqlite3"):
                    with pytest.raises(urllib.error.HTTPError, match=r"40[034]"):
                        urllib.request.urlopen(name + outside, timeout=PATIENCE_S)  # noqa: S310
            publisher.stop_publishing()
        heard.close()
    table.record.close_file()


def test_with_accounts_what_is_late_is_anybodys_and_the_rest_the_arbiters(tmp_path: Path) -> None:
    (tmp_path / "live").mkdir()
    accounts = tmp_path / "accounts.json"
    write_accounts(accounts, Accounts().with_account(create_account("Anna", "arbiter", "correct horse")))
    engine = open_database(str(tmp_path / "hall.sqlite3"))
    ledger = Ledger(engine)
    boards, matters = Boards(ledger), Matters(engine)
    orders = Orders(matters, boards, ledger, lambda board, command: False)
    visitors = Visitors(door=Door(accounts))
    watched = Watched(Feed(), tmp_path / "live")
    vitals = HallVitals(read_database_name(engine))
    decide = Rulings(Tournaments(engine), ledger).decide_result
    desk = Desk(Feed(), boards, ledger, matters, orders, vitals, lambda: None, lambda *_: {}, lambda *_: [], decide)
    client = hall_app(desk, visitors, {}, list, watched).test_client()
    (tmp_path / "live" / "boards.json").write_text("{}", encoding="utf-8")
    for address in ("/watch", "/live/boards.json"):
        with client.get(address) as answer:
            assert answer.status_code == 200
    for address in ("/hall", "/api/v1/hall/boards", "/api/v1/hall/events", "/api/v1/hall/matters", "/metrics"):
        assert client.get(address).status_code in {303, 401}
    engine.dispose()
