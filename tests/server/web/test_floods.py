"""Floods by people without a login or with the lowest role: others are still answered, the arbiter first of all."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from server.board.pages.app import create_app
from server.record import exports
from server.web import site as web
from server.web import streams
from server.web.access.accounts import Account, Accounts, Door, add_key, create_account, write_accounts
from server.web.access.login import MOST_HASHING
from server.web.access.visitors import Visitors
from server.web.arrivals import Arrival, Arrivals
from server.web.connections import SHARE_OF_ONE, Connections, network_of
from server.web.guard import PICTURES
from server.web.site import Site
from server.web.turns import OF_ONE
from tests.patience import PATIENCE_S
from tests.server.past import NAME, fill
from tests.server.script import Script
from tests.server.served import serve_app

PASSWORD = "correct horse"  # noqa: S105  # of accounts that live for one test


@dataclass
class Hall:
    """A site with accounts, and a key of each."""

    site: Site
    keys: dict[str, str]

    def ask(self, path: str, who: str = "", method: str = "GET", body: object = None) -> tuple[int, bytes]:
        """Status and body of an answer."""
        with self.asked(path, who, method, body) as connection:
            answer = connection.getresponse()
            return answer.status, answer.read()

    def asked(self, path: str, who: str = "", method: str = "GET", body: object = None) -> Connection:
        """A connection that has asked and not heard yet."""
        connection = Connection(urlsplit(self.site.url).netloc, timeout=PATIENCE_S)
        headers = {"Authorization": f"Bearer {self.keys[who]}"} if who else {}
        headers |= {"Content-Type": "application/json"} if body is not None else {}
        said = body if isinstance(body, str) else json.dumps(body) if body is not None else None
        connection.request(method, path, said, headers)
        return connection

    def connect(self, said: str = "") -> socket.socket:
        """A connection of which only this is known."""
        parts = urlsplit(self.site.url)
        connection = socket.create_connection((parts.hostname, parts.port), PATIENCE_S)
        connection.sendall(said.encode())
        return connection


class Connection(http.client.HTTPConnection):
    """One that closes at the end of a block."""

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@pytest.fixture
def hall(script: Script, tmp_path: Path) -> Iterator[Hall]:
    accounts, keys = Accounts(), {}
    for name, role in (("Ann", "arbiter"), ("Bob", "player"), ("Cid", "player"), ("guest", "spectator")):
        account, keys[name] = add_key(create_account(name, role, PASSWORD))
        accounts = accounts.with_account(account)
    write_accounts(tmp_path / "accounts.json", accounts)
    fill(tmp_path / "games.sqlite3")
    door = Door(tmp_path / "accounts.json")
    app = create_app(script.feed, print, script.game, record=tmp_path / "games.sqlite3", visitors=Visitors(door=door))
    site = serve_app(app)
    yield Hall(site, keys)
    script.feed.end_listeners()
    site.stop_server()


def test_idle_connections_from_one_address_keep_nobody_out(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "MOST_CONNECTIONS", 10 * SHARE_OF_ONE)
    with ExitStack() as held:
        for said in ("", "GET / HT") * 20:
            held.enter_context(hall.connect(said))
        for _ in range(30):
            assert hall.ask("/healthz")[0] in {200, 503}  # 503: it has no picture yet
            assert hall.ask("/api/v1/me", "Ann")[0] == 200


def test_who_comes_from_elsewhere_waits_for_one_of_a_flood_and_not_for_all() -> None:
    """In one turn of the loop 40 of one address have come, and then one of another."""
    let_in: list[str] = []

    class Guest(asyncio.Protocol):
        network = ""

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            let_in.append(transport.get_extra_info("peername")[0])

        def close_now(self) -> None:
            raise AssertionError("there is room for all")

    async def flooded() -> None:
        listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        where, crowd = listening.getsockname(), Connections(lambda: 1000)
        flood = [socket.create_connection(where, PATIENCE_S, ("127.0.0.2", 0)) for _ in range(40)]
        flood.append(socket.create_connection(where, PATIENCE_S, ("127.0.0.3", 0)))

        def make(arrival: Arrival) -> Guest:
            guest = Guest()
            crowd.replace_guest(arrival, guest)
            return guest

        arrivals = Arrivals(listening, crowd, make, None, PATIENCE_S)
        arrivals.start_accepting()
        while len(let_in) < len(flood):
            await asyncio.sleep(0)
        arrivals.stop_accepting()
        for connection in flood:
            connection.close()

    asyncio.run(flooded())
    assert let_in.index("127.0.0.3") == 1


class Visitor:
    """A connection without a socket."""

    def __init__(self, address: str) -> None:
        self.network, self.left = network_of(address), False

    def close_now(self) -> None:
        self.left = True


def test_the_one_that_has_waited_longest_makes_way_and_who_is_answered_never() -> None:
    crowd = Connections(lambda: 8)
    flood = [Visitor("10.0.0.1") for _ in range(40)]
    assert all(crowd.admit_guest(one) for one in flood)
    assert [one.left for one in flood] == [True] * 38 + [False] * 2
    for one in flood[-2:]:
        crowd.mark_busy(one)
    assert not crowd.admit_guest(Visitor("10.0.0.1"))
    others = [Visitor(f"10.0.1.{number}") for number in range(6)]
    assert all(crowd.admit_guest(one) for one in others)
    late = Visitor("10.0.2.1")
    assert crowd.admit_guest(late)
    assert [one.left for one in others] == [True] + [False] * 5
    for one in (*flood, *others, late):
        crowd.remove_guest(one)
        crowd.remove_guest(one)
    assert crowd.admit_guest(Visitor("10.0.0.1"))


def test_a_network_of_ipv6_is_one_address() -> None:
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1") != network_of("2001:db8:0:1::1")


def test_who_may_send_no_picture_is_answered_before_it_is_read(hall: Hall) -> None:
    """Eighteen uploads that never end: each is refused before it has come, and holds no place of the phone's."""
    head = (
        f"POST {PICTURES}?phone=a HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\nContent-Length: 900000\r\n"
    )
    with ExitStack() as held:
        keys = ("", f"Authorization: Bearer {hall.keys['guest']}\r\n", "Authorization: Bearer none\r\n") * 6
        uploads = [held.enter_context(hall.connect(f"{head}{key}\r\n\xff")) for key in keys]
        for slow in uploads:  # all at once, as what is left of one is waited for a while
            assert slow.recv(12) in {b"HTTP/1.1 401", b"HTTP/1.1 403"}
        status, said = hall.ask(PICTURES, "Ann", "POST", {})
        assert status == 409, said  # another camera is used: it got that far


def test_one_account_leaves_streams_for_others(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    places = (("/api/v1/spectator/events", "guest", "Bob"), ("/api/v1/camera.mjpeg", "Bob", "Cid"))
    assert streams.LISTENERS_OF_ONE * 2 <= streams.MOST_LISTENERS
    with ExitStack() as held:
        path, one, other = places[1]
        for _ in range(streams.PICTURES_OF_ONE):
            assert held.enter_context(hall.asked(path, one)).getresponse().status == 200
        assert hall.ask(path, one)[0] == 503
        assert held.enter_context(hall.asked(path, other)).getresponse().status == 200


def test_right_passwords_in_a_flood_hold_few_threads(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, hashing = threading.Event(), threading.Event()

    def slow(_: Accounts, _name: str, _password: str) -> Account | None:
        hashing.set()
        assert go_on.wait(PATIENCE_S)
        return None

    monkeypatch.setattr(Accounts, "check_password", slow)
    login = {"name": "Bob", "password": PASSWORD}
    with ExitStack() as held:
        flood = [held.enter_context(hall.asked("/login", method="POST", body=login)) for _ in range(24)]
        assert hashing.wait(PATIENCE_S)
        assert hall.ask("/api/v1/me", "Ann")[0] == 200
        go_on.set()
        statuses = [connection.getresponse().status for connection in flood]
    assert statuses.count(503) >= 24 - MOST_HASHING - statuses.count(429)
    assert statuses.count(403) <= OF_ONE


def test_exports_are_drawn_one_at_a_time(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, drawing, together = threading.Event(), threading.Event(), threading.Semaphore(1)

    def slow(_: str, _events: object) -> bytes:
        assert together.acquire(blocking=False)
        drawing.set()
        assert go_on.wait(PATIENCE_S)
        together.release()
        return b"GIF89a"

    monkeypatch.setitem(exports.FORMATS, "gif", slow)
    with ExitStack() as held:
        flood = [held.enter_context(hall.asked(f"/games/{NAME}/export.gif", "Bob")) for _ in range(8)]
        assert drawing.wait(PATIENCE_S)
        assert hall.ask("/api/v1/me", "Ann")[0] == 200
        assert hall.ask(f"/games/{NAME}/export.pgn", "Cid")[0] == 200
        go_on.set()
        statuses = [connection.getresponse().status for connection in flood]
    assert sorted(statuses) == [200] * OF_ONE + [503] * (8 - OF_ONE)


@pytest.mark.parametrize("said", ["[" * 16000, '{"name":' * 2000, '"' + "\\ud800" * 2000 + '"'])
def test_deep_nesting_at_the_login_is_a_line_and_no_traceback(
    hall: Hall, caplog: pytest.LogCaptureFixture, said: str
) -> None:
    status, answer = hall.ask("/login", method="POST", body=said)
    assert status in {400, 422}
    assert len(answer) < 500
    assert "Traceback" not in caplog.text
