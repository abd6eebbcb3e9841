"""The web server against those who are slow, strange or many; and over TLS with its own certificate."""

from __future__ import annotations

import json
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from engine.errors import InputError
from server.board.pages.app import create_app
from server.web import site as web
from server.web import tls
from server.web.access.accounts import Accounts, create_account, write_accounts
from server.web.access.visitors import Visitors
from server.web.connections import SHARE_OF_ONE
from server.web.guard import LARGEST_BODY
from server.web.site import LEFT_UNREAD_S, Site
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.script import OPENING, Script
from tests.server.served import serve_app

SESSION = Path(__file__).parents[2] / "data" / "sessions" / "camelot_a"
UNIT = Path(__file__).parents[3] / "server" / "deploy" / "camelot-referee.service"
PASSWORD = "correct horse"  # noqa: S105  # of an account that lives for one test
STALLED = 300
BEFORE_ASYNCIO_S = 30.0
"""asyncio itself gives a handshake up after 60 s: what takes less is ours."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site gives up soon whoever keeps it waiting."""
    monkeypatch.setattr(web, "REQUEST_S", 0.3)
    monkeypatch.setattr(web, "IDLE_S", 1)


@pytest.fixture
def site(script: Script) -> Iterator[Site]:
    site = serve_app(create_app(script.feed, print, script.game))
    yield site
    script.feed.end_listeners()
    site.stop_server()


def connect(site: Site, said: str | bytes = b"") -> socket.socket:
    parts = urlsplit(site.url)
    connection = socket.create_connection((parts.hostname, parts.port), PATIENCE_S)
    connection.sendall(said.encode() if isinstance(said, str) else said)
    return connection


def heard(connection: socket.socket) -> bytes:
    """Everything until the other side closes."""
    said = b""
    with connection:
        while piece := connection.recv(65536):
            said += piece
    return said


HOST = "Host: localhost\r\n"
JSON = HOST + "Content-Type: application/json\r\n"


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "said",
    [
        "",
        "GET / HT",
        f"GET /healthz HTTP/1.1\r\n{HOST}",
        f"GET /healthz HTTP/1.1\r\n{HOST}\r\nGET /hea",
    ],
)
def test_who_sends_no_whole_request_is_given_up(site: Site, said: str) -> None:
    try:
        answered = heard(connect(site, said))
    except ConnectionResetError:
        answered = b""
    assert answered.count(b"HTTP/1.1 200") == said.count("\r\n\r\n")


@pytest.mark.usefixtures("impatient")
def test_a_body_that_does_not_come_is_not_awaited(site: Site) -> None:
    said = heard(connect(site, f"POST /api/v1/undo HTTP/1.1\r\n{JSON}Content-Length: 10\r\n\r\n{{"))
    assert said.startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (f"POST /api/v1/undo HTTP/1.1\r\n{JSON}Content-Length: 99999999\r\n\r\n" + "x" * (LARGEST_BODY + 1), 413),
        (f"GET /{'x' * 200_000} HTTP/1.1\r\n{HOST}\r\n", 400),
        (f"GET / HTTP/1.1\r\n{HOST}Host: evil.example\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (f"GET / HTTP/1.1\r\n{HOST}X: a\r\n b\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 400),
        (f"GET / HTTP/1.1\r\n{HOST}X: \0\r\n\r\n", 400),
        ("\x16\x03\x01 no http at all\r\n\r\n", 400),
        (f"GET /static/../app.py HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n", 404),
        (f"GET /static/%2e%2e/app.py HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n", 404),
        (f"GET /static/..%2fapp.py HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n", 404),
        (f"GET /api/v1/evidence/..%2f..%2fx/1/before.jpg HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n", 404),
        (f"GET /%ff%00 HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n", 404),
        (f"GET /healthz HTTP/1.0\r\n{HOST}\r\n", 200),
    ],
)
def test_strange_requests_get_an_answer(site: Site, said: str, status: int) -> None:
    with connect(site, said) as connection:
        assert connection.recv(65536).split(b" ")[1] == str(status).encode()


def test_a_header_that_imitates_another_is_dropped(script: Script) -> None:
    site = serve_app(create_app(script.feed, print, script.game, visitors=Visitors(proxy="127.0.0.1")))
    with connect(site, f"GET /healthz HTTP/1.1\r\n{HOST}X_Forwarded_Host: evil.example\r\n\r\n") as connection:
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
    site.stop_server()


def test_a_chunked_body_counts_too(site: Site) -> None:
    request = f"POST /api/v1/undo HTTP/1.1\r\n{JSON}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert heard(connect(site, request + "2\r\n{}\r\n0\r\n\r\n")).startswith(b"HTTP/1.1 202")
    long = f"{LARGEST_BODY + 100:x}\r\n" + " " * (LARGEST_BODY + 100) + "\r\n0\r\n\r\n"
    assert heard(connect(site, request + long)).startswith(b"HTTP/1.1 413")


def test_who_sends_far_too_much_reads_that_it_is_too_much(site: Site) -> None:
    """A connection that is closed while somebody still sends looks to him as if the line had broken."""
    with connect(site, f"POST /api/v1/undo HTTP/1.1\r\n{JSON}Content-Length: 40000000\r\n\r\n") as connection:
        connection.sendall(bytes(40_000_000))
        assert connection.recv(65536).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("length", [30_000, 100_000])
@pytest.mark.parametrize("sent", [True, False])
def test_a_body_that_is_too_long_is_refused_at_once(site: Site, length: int, *, sent: bool) -> None:
    """Whether it has come whole, or only its length is known; the connection ends as soon as it has come."""
    begun = time.monotonic()
    with connect(site, f"POST /api/v1/undo HTTP/1.1\r\n{JSON}Content-Length: {length}\r\n\r\n") as connection:
        if sent:
            connection.sendall(bytes(length))
        with connection.makefile("rb") as answer:
            assert answer.readline().startswith(b"HTTP/1.1 413")
            headers = dict(line.lower().split(b": ") for line in iter(answer.readline, b"\r\n"))
            assert headers[b"connection"] == b"close\r\n"
            assert b"413" in answer.read(int(headers[b"content-length"]))
            assert time.monotonic() - begun < LEFT_UNREAD_S / 2
            if not sent:
                connection.sendall(bytes(length))
            assert answer.read() == b""
    assert time.monotonic() - begun < LEFT_UNREAD_S / 2


def test_who_does_not_read_stops_nobody(site: Site, script: Script) -> None:
    """Hundreds follow and read nothing, while far more than fits into their connections is told."""
    ask = f"GET /api/v1/events?snapshots=1 HTTP/1.1\r\n{HOST}\r\n"
    stalled = [connect(site, ask) for _ in range(STALLED)]
    with connect(site, ask) as listener, listener.makefile("rb") as lines:
        assert lines.readline().startswith(b"HTTP/1.1 200")
        for number in range(200):
            script.feed.publish_event({"event": "note", "n": number, "text": "x" * 10_000})
        while not (line := lines.readline()).startswith(b'data: {"event": "note", "n": 199'):
            assert line
        script.play(OPENING[0])
        while b'"move"' not in lines.readline():
            pass
        assert heard(connect(site, f"GET /healthz HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n")).startswith(
            b"HTTP/1.1 200"
        )
    for connection in stalled:
        connection.close()


def test_who_leaves_frees_the_place(site: Site) -> None:
    def open_streams() -> bytes:
        said = heard(connect(site, f"GET /metrics HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n"))
        (count,) = re.findall(rb"\nreferee_open_streams (\S+)", said)
        return bytes(count)

    assert heard(connect(site, f"HEAD /api/v1/events HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n"))
    followers = [connect(site, f"GET /api/v1/events HTTP/1.1\r\n{HOST}\r\n") for _ in range(5)]
    assert all(follower.recv(12) == b"HTTP/1.1 200" for follower in followers)
    assert open_streams() == b"5.0"
    for follower in followers:
        follower.close()
    while open_streams() != b"0.0":
        time.sleep(0.02)


def test_more_connections_than_one_address_may_have_are_closed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "MOST_CONNECTIONS", 3 * SHARE_OF_ONE)
    ask = f"GET /api/v1/events HTTP/1.1\r\n{HOST}\r\n"
    kept = [connect(site, ask) for _ in range(3)]
    assert all(connection.recv(12) == b"HTTP/1.1 200" for connection in kept)
    with pytest.raises(ConnectionError), connect(site) as late:
        late.sendall(ask.encode())
        if late.recv(12) == b"":
            raise ConnectionResetError
    for connection in kept:
        connection.close()


def test_who_connects_and_begins_no_encryption_makes_way(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "MOST_CONNECTIONS", 3 * SHARE_OF_ONE)
    monkeypatch.setattr(web, "REQUEST_S", PATIENCE_S)
    site = serve_app(create_app(script.feed, print, script.game), tls=tls.ensure_certificate(tmp_path, ["localhost"]))
    trusted = ssl.create_default_context(cafile=tmp_path / "certificate.pem")
    silent = [connect(site) for _ in range(10)]
    for connection in silent:
        connection.settimeout(BEFORE_ASYNCIO_S)
    assert [heard(connection) for connection in silent[:7]] == [b""] * 7
    with trusted.wrap_socket(connect(site), server_hostname="localhost") as late:
        late.sendall(f"GET /healthz HTTP/1.1\r\n{HOST}\r\n".encode())
        assert late.recv(12) == b"HTTP/1.1 200"
    for connection in silent[7:]:
        connection.close()
    site.stop_server()


@pytest.mark.usefixtures("impatient")
def test_who_begins_no_encryption_is_given_up(script: Script, tmp_path: Path) -> None:
    site = serve_app(create_app(script.feed, print, script.game), tls=tls.ensure_certificate(tmp_path, ["localhost"]))
    silent = connect(site)
    silent.settimeout(BEFORE_ASYNCIO_S)
    assert heard(silent) == b""
    site.stop_server()


def test_the_own_certificate_is_kept_until_it_does_not_do(tmp_path: Path) -> None:
    made = tls.ensure_certificate(tmp_path / "new", ["192.168.0.7", "referee.local"])
    assert (tmp_path / "new" / "certificate.key").stat().st_mode & 0o777 == 0o600
    first = tls.format_fingerprint(made)
    assert re.fullmatch(r"([0-9A-F]{2}:){31}[0-9A-F]{2}", first)
    assert tls.format_fingerprint(tls.ensure_certificate(tmp_path / "new", ["referee.local"])) == first
    assert tls.format_fingerprint(tls.ensure_certificate(tmp_path / "new", ["other.local"])) != first
    with pytest.raises(InputError, match="both must be PEM and belong together"):
        tls.load_certificate(tmp_path / "new" / "certificate.key", tmp_path / "new" / "certificate.pem")
    (tmp_path / "new" / "certificate.pem").write_text("nonsense", encoding="utf-8")
    with pytest.raises(InputError, match="remove it"):
        tls.ensure_certificate(tmp_path / "new", [])


def test_the_service_for_other_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the system runs it by its unit: every network, own certificate, login over TLS; nothing secret in the log."""
    unit = (
        UNIT.read_text(encoding="utf-8").replace("/var/lib/", f"{tmp_path}/var/").replace("/etc/", f"{tmp_path}/etc/")
    )
    for name, value in re.findall(r"^Environment=(\w+)=(.*)$", unit, re.MULTILINE):
        monkeypatch.setenv(name, value)
    kept, settings = tmp_path / "var" / "camelot-referee", tmp_path / "etc" / "camelot-referee" / "settings.toml"
    write_accounts(kept / "accounts.json", Accounts().with_account(create_account("Ann", "arbiter", PASSWORD)))
    settings.parent.mkdir(parents=True)
    settings.write_text(
        f'[serve]\nprofile = "{SESSION}/profile.toml"\nhost = "0.0.0.0"\ntls = "own"\n', encoding="utf-8"
    )
    settings.parent.chmod(0o555)
    (program,) = re.findall(r"^ExecStart=\S+/referee (.*)$", unit, re.MULTILINE)
    command = [sys.executable, "-m", "server", *program.split(), "--port", "0", "--camera", f"{SESSION}/frame_0001.jpg"]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        said = process.stdout.readline() + process.stdout.readline()
        assert "Fingerprint" in said
        port = int(re.findall(r"https://\S+:(\d+)/", said)[0])
        url = f"https://127.0.0.1:{port}"
        trust = ssl.create_default_context(cafile=kept / "certificate.pem")
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{url}/api/v1/game", context=trust, timeout=PATIENCE_S)  # noqa: S310  # our own address
        body = json.dumps({"name": "Ann", "password": PASSWORD}).encode()
        headers = {"Content-Type": "application/json"}
        login = urllib.request.Request(f"{url}/login", body, headers)  # noqa: S310  # our own address
        with urllib.request.urlopen(login, context=trust, timeout=PATIENCE_S) as answer:  # noqa: S310  # our own address
            cookies = answer.headers.get_all("Set-Cookie")
        assert all("Secure" in cookie for cookie in cookies)
        visit = next(cookie.split(";")[0] for cookie in cookies if cookie.startswith("visit="))
        game = urllib.request.Request(f"{url}/api/v1/game", headers={"Cookie": visit})  # noqa: S310  # our own address
        with urllib.request.urlopen(game, context=trust, timeout=PATIENCE_S) as answer:  # noqa: S310  # our own address
            assert json.load(answer)["game"] == "camelot"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
        log = process.stderr.read()
    messages = [json.loads(line)["message"] for line in log.splitlines()]
    assert "Ann has logged in from 127.0.0.1" in messages
    assert PASSWORD not in log and visit.removeprefix("visit=") not in log
    assert (kept / "games.sqlite3").exists()
