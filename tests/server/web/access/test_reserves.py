"""What strangers use up leaves something for who has an account, and what those use leaves some for arbiters."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import AsyncIterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask import Flask, g

from server.board.pages.app import create_app
from server.web import streams
from server.web.access.accounts import Accounts, Door, add_key, create_account, write_accounts
from server.web.access.login import MOST_FROM_ONE, MOST_OF_ALL, MOST_WITH_NEW, Attempts
from server.web.access.visitors import Visitors
from server.web.feed import Feed
from server.web.problems import Problem
from server.web.streams import Places
from server.web.turns import Turns
from tests.patience import PATIENCE_S, wait_until
from tests.server.script import Script
from tests.server.served import serve_app

JSON = {"Content-Type": "application/json"}
LOGINS = int(os.environ.get("LOGINS", "3"))
"""Of the arbiter while the flood goes on; `make attack` asks for 200. Each waits for others' passwords to be hashed."""


async def nothing() -> AsyncIterator[bytes]:
    """A stream without an end that says nothing."""
    yield b""


def opened(app: Flask, places: Places, address: str, role: str = "") -> bool:
    """Whether there was a place."""
    with app.test_request_context("/api/v1/spectator/events", environ_base={"REMOTE_ADDR": address}):
        if role:
            g.account = create_account(f"{role} at {address}", role, "")
        else:
            g.stranger = True
        try:
            places.open_stream(nothing(), "text/event-stream")
        except Problem:
            return False
    return True


def test_strangers_and_spectators_leave_streams_for_arbiters() -> None:
    app, places = Flask(__name__), Places(40, 20)
    assert sum(opened(app, places, f"10.0.0.{one}") for one in range(4) for _ in range(20)) == 30
    assert sum(opened(app, places, f"10.0.1.{one}", "spectator") for one in range(30)) == 5
    assert sum(opened(app, places, "10.0.2.1", "arbiter") for _ in range(30)) == 5


@pytest.mark.parametrize("logged_in", ["key", "visit"])
def test_accounts_get_a_stream_of_a_board_that_is_shown_to_anybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged_in: str
) -> None:
    """Three addresses without accounts kept everybody out of what spectators see, where other sites show the board."""
    monkeypatch.setattr(streams, "MOST_LISTENERS", 40)
    monkeypatch.setattr(streams, "LISTENERS_OF_ONE", 20)
    accounts, headers = Accounts(), dict[str, dict[str, str]]()
    for role in ("spectator", "player", "arbiter"):
        account, key = add_key(create_account(role, role, "correct horse"))
        accounts, headers[role] = accounts.with_account(account), {"Authorization": f"Bearer {key}"}
    write_accounts(tmp_path / "accounts.json", accounts)
    script = Script(Feed())
    visitors = Visitors(door=Door(tmp_path / "accounts.json"), sites=("https://club.example",))
    app = create_app(script.feed, print, script.game, visitors=visitors)

    def follow(address: str, role: str = "") -> int:
        client, where = app.test_client(), {"REMOTE_ADDR": address}
        if role and logged_in == "visit":
            said = {"name": role, "password": "correct horse"}
            assert client.post("/login", json=said, environ_base=where).status_code == 200
        sent = headers[role] if role and logged_in == "key" else {}
        return client.get("/api/v1/spectator/events", headers=sent, environ_base=where).status_code

    strangers = [follow(f"10.0.0.{number // 12}") for number in range(36)]
    assert strangers == [200] * 30 + [503] * 6
    assert [follow("10.0.1.1", role) for role in headers] == [200] * 3
    assert follow("10.0.1.1") == 503


def test_one_address_without_an_account_has_half_of_the_streams_at_most() -> None:
    app, places = Flask(__name__), Places(40, 20)
    assert sum(opened(app, places, "10.0.0.1") for _ in range(40)) == 20


def test_wrong_passwords_of_others_keep_no_one_out_where_he_was_in() -> None:
    attempts = Attempts()
    attempts.note_success("10.0.0.1", "Ann")
    for one in range(100):
        attempts.note_failure(f"10.0.1.{one % 8}", "Ann" if one % 2 else f"guess {one}")
    assert not attempts.must_wait("10.0.0.1", "Ann")
    assert not attempts.must_wait("10.0.0.9", "Bob"), "an address that has not failed"
    assert attempts.must_wait("10.0.1.1", "Bob")
    assert attempts.must_wait("10.0.0.9", "Ann"), "where nobody was in before"


def test_even_who_was_in_before_does_not_guess_without_an_end() -> None:
    attempts = Attempts()
    attempts.note_success("10.0.0.1", "Ann")
    for _ in range(MOST_FROM_ONE):
        attempts.note_failure("10.0.0.1", "Ann")
    assert attempts.must_wait("10.0.0.1", "Ann")


@pytest.mark.parametrize(("failed", "waits"), [(MOST_OF_ALL, False), (MOST_WITH_NEW, True)])
def test_of_all_there_is_an_end(failed: int, waits: bool) -> None:
    attempts = Attempts()
    for one in range(failed):
        attempts.note_failure(f"10.0.{one}.1", f"guess {one}")
    assert attempts.must_wait("10.1.0.1", "Ann") is waits


def test_who_was_in_before_has_his_turn_before_those_who_wait() -> None:
    turns, done, is_working, go_on = Turns("log in", 4), list[str](), threading.Event(), threading.Event()

    def work(asker: str, goes_first: bool) -> None:
        with turns.wait_for_turn(asker, goes_first=goes_first):
            is_working.set()
            assert go_on.wait(PATIENCE_S)
            done.append(asker)

    threads = [threading.Thread(target=work, args=[f"10.0.1.{one // 2}", False]) for one in range(4)]
    threads.append(threading.Thread(target=work, args=["Ann", True]))
    for number, one in enumerate(threads, start=1):
        one.start()
        wait_until(lambda number=number: len(turns._askers) == number)
        assert is_working.wait(PATIENCE_S)
    with pytest.raises(Problem), turns.wait_for_turn("10.0.1.9"):
        pass
    go_on.set()
    for one in threads:
        one.join()
    assert done.index("Ann") == 1, done


def test_the_arbiter_logs_in_always_while_others_do_nothing_else(tmp_path: Path) -> None:
    """With wrong passwords and a right one, from more addresses than there are places."""
    accounts = (
        Accounts()
        .with_account(create_account("Ann", "arbiter", "correct horse"))
        .with_account(create_account("Bob", "player", "battery staple"))
    )
    write_accounts(tmp_path / "accounts.json", accounts)
    script = Script(Feed())
    app = create_app(script.feed, print, script.game, visitors=Visitors(door=Door(tmp_path / "accounts.json")))
    site, is_over = serve_app(app), threading.Event()
    where = urlsplit(site.url)

    def login(number: int, name: str, password: str) -> int:
        line = HTTPConnection(str(where.hostname), where.port, PATIENCE_S, (f"127.0.0.{number}", 0))
        line.request("POST", "/login", json.dumps({"name": name, "password": password}), JSON)
        status = line.getresponse().status
        line.close()
        return status

    def flood(number: int) -> None:
        while not is_over.is_set():
            login(2 + number % 3, *(("Bob", "battery staple") if number % 2 else ("Ann", "a guess")))

    floods = [threading.Thread(target=flood, args=[number]) for number in range(12)]
    assert login(1, "Ann", "correct horse") == 200
    for one in floods:
        one.start()
    try:
        assert [login(1, "Ann", "correct horse") for _ in range(LOGINS)] == [200] * LOGINS
    finally:
        is_over.set()
        for one in floods:
            one.join()
        script.feed.end_listeners()
        site.stop_server()
