"""Text from outside that is no text: refused at the door of each way in, and what got past it loses no listener."""

from __future__ import annotations

import json
import logging
import os
import pty
import queue
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient

from engine.errors import InputError
from engine.match.acts import Act
from server.board.pages.app import create_app
from server.board.setup.sources import permit_lights
from server.board.setup.within import AllowedAddresses
from server.commands.serve import command as serve_command
from server.mqtt.broker import broker_of
from server.record.store import open_record
from server.settings import load_settings
from server.web.access.accounts import Accounts, Door, create_account, write_accounts
from server.web.access.login import _own_path
from server.web.access.visitors import Visitors
from server.web.feed import Feed
from server.web.site import Site
from tests.patience import PATIENCE_S
from tests.server.board.pages.test_app import Stream
from tests.server.record.test_archive import played
from tests.server.script import Script
from tests.server.served import serve_app

BODIES = [
    b'{"ply": 1, "notation": "\\ud800"}',
    b'{"ply": 1, "notation": "E6-\\uDFFFE5", "by": "page"}',
    b'{"\\ud800": 1}',
    b'{"ply": ' + b"9" * 5000 + b', "notation": "E6-E5"}',
    b'{"ply": NaN, "notation": "E6-E5"}',
    b"[" * 16000,
    b'{"notation":' + b"[" * 40 + b"]" * 40 + b"}",
]


@pytest.fixture
def feed() -> Feed:
    return Feed()


@pytest.fixture
def script(feed: Feed) -> Script:
    return Script(feed)


@pytest.fixture
def site(feed: Feed, script: Script) -> Iterator[Site]:
    site = serve_app(create_app(feed, print, script.game))
    yield site
    feed.end_listeners()
    site.stop_server()


@pytest.mark.parametrize("path", ["correct", "as-played", "undo", "position"])
@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_bodies_that_are_no_text_are_refused_at_one_door(
    script: Script, inbox: queue.SimpleQueue[Act], path: str, body: bytes
) -> None:
    client = create_app(script.feed, inbox.put, script.game).test_client()
    answer = client.post(f"/api/v1/{path}", data=body, content_type="application/json")
    assert (answer.status_code, answer.content_type) == (422, "application/problem+json")
    assert answer.get_json()["detail"].startswith("body: ")
    assert inbox.empty()


@pytest.mark.parametrize("body", [*BODIES, b'{"name": "\\ud800", "password": "x"}', b"\xff\xfe[", b'"\xed\xa0\x80"'])
def test_a_login_that_is_no_text_is_refused(tmp_path: Path, script: Script, body: bytes) -> None:
    write_accounts(
        tmp_path / "accounts.json", Accounts().with_account(create_account("Ann", "arbiter", "correct horse"))
    )
    client: FlaskClient = create_app(
        script.feed, print, script.game, visitors=Visitors(door=Door(tmp_path / "accounts.json"))
    ).test_client()
    assert client.post("/login", data=body, content_type="application/json").status_code == 422


def test_a_failing_event_ends_no_stream(
    site: Site, feed: Feed, script: Script, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever listens goes on listening, and whoever comes later hears the rest too."""
    early = Stream(site, "/api/v1/events?snapshots=1")
    with caplog.at_level(logging.ERROR):
        for strange in ({"event": "note", "text": "\ud800"}, {"event": "note", "text": object()}, {"event": {1, 2}}):
            feed.publish_event(strange)
        feed.update_snapshot({"ply": 0, "note": "\udfff"})
        feed.update_snapshot({"ply": 1, "note": b"bytes"})
    script.play("E6-E5")
    late = Stream(site, "/api/v1/events?snapshots=1", {"Last-Event-ID": f"{feed.run}-0"})
    for stream in (early, late):
        event: dict[str, object] = {}
        while event.get("notation") != "E6-E5":
            _, event = stream.next_event()
        stream.close()
    assert caplog.text.count("cannot be told") >= 3


def test_a_snapshot_that_cannot_be_told_is_passed_over(feed: Feed, caplog: pytest.LogCaptureFixture) -> None:
    feed.update_snapshot({"ply": 1, "note": "\ud800"})
    messages, last_id, version = feed.read_news(0, 0)
    assert messages == []
    assert "cannot be told" in caplog.text
    assert feed.read_news(last_id, version)[0] == [], "it is not tried again and again"
    feed.update_snapshot({"ply": 2})
    assert [json.loads(message.text) for message in feed.read_news(last_id, version)[0]] == [{"ply": 2}]


@pytest.mark.parametrize(
    "arguments",
    [
        (b"games", b"show", b"a\xffb"),
        (b"check", b"\xff.pgn"),
        (b"why", b"camelot", b"E6-\xed\xa0\x80"),
        (b"accounts", b"add", b"A\xff", b"--role", b"player", b"--no-password"),
    ],
)
def test_arguments_that_are_no_text_are_one_line(tmp_path: Path, arguments: tuple[bytes, ...]) -> None:
    for locale in ("C.UTF-8", "C"):
        environ = os.environ | {"LC_ALL": locale, "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-m", "server", *arguments], capture_output=True, env=environ, check=False
        )
        assert done.returncode == 2
        assert b"not valid text" in done.stderr
        assert done.stderr.count(b"\n") == 1
    assert not list(tmp_path.rglob("*"))


def test_settings_and_environment_too(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    for said, why in (
        ("a = " + "[" * 3000 + "]" * 3000, "nested"),
        ("[serve]\nport = inf", "serve.port"),
        ("a = " + "9" * 5000, "thousands of digits is too large"),
    ):
        file.write_text(said)
        with pytest.raises(InputError, match=why):
            load_settings("serve", serve_command, {"CAMELOT_REFEREE_SETTINGS": str(file)})
    file.write_text("")
    environ = {"CAMELOT_REFEREE_SETTINGS": str(file), "CAMELOT_REFEREE_SERVE_CAMERA": "rtsp://\udcff"}
    with pytest.raises(InputError, match="CAMELOT_REFEREE_SERVE_CAMERA: not valid text"):
        load_settings("serve", serve_command, environ)


def test_names_and_passwords_of_accounts_too() -> None:
    for name, password in (("A\ud800", "correct horse"), ("Ann", "correct \udcff horse")):
        with pytest.raises(InputError, match="not valid text"):
            create_account(name, "player", password)


@pytest.mark.parametrize("place", ["Event", "White", "move", "file"])
def test_text_of_a_stranger_does_not_steer_the_terminal(tmp_path: Path, place: str) -> None:
    """At a real terminal, for which nothing is left out: titles, bells, clearing, the direction of writing."""
    odd = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e"
    said = {name: odd if name == place else "x" for name in ("Event", "White", "move")}
    path = tmp_path / (f"{odd}.pgn" if place == "file" else "game.pgn").replace("/", "")
    tags = f'[Event "{said["Event"]}"]\n[Variant "camelot"]\n[Rules "wcf"]\n[White "{said["White"]}"]\n[Result "*"]\n'
    path.write_text(f"{tags}\n1. E6-C8{said['move']} *\n", encoding="utf-8")
    for command in (["check", str(path)], ["games", "import", str(path), "--record", str(tmp_path / "r.sqlite3")]):
        seen, shown = pty.openpty()
        subprocess.run([sys.executable, "-m", "server", *command], stdout=shown, stderr=shown, check=False)
        os.close(shown)
        text = os.read(seen, 100_000).decode()
        os.close(seen)
        assert text.strip()
        assert not set(text) & set("\x1b\x07\u009b\u202e"), text


ENGINE = """import sys
for line in sys.stdin:
    if line.startswith("ugi") and not line.startswith("uginewgame"):
        print("id name \\x1b]0;owned\\x07\\u202e", "ugiok", sep="\\n", flush=True)
    elif line.startswith("isready"):
        print("readyok", flush=True)
    elif line.startswith("go"):
        print("bestmove nonsense", flush=True)
"""


def test_the_name_of_an_engine_does_not_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE, encoding="utf-8")
    engine = f"{sys.executable} {tmp_path / 'engine.py'}"
    command = [sys.executable, "-m", "server", "match", engine, "random", "--games", "2", "--nodes", "10"]
    done = subprocess.run(command, capture_output=True, check=True)
    said = done.stdout.decode()
    assert "x1b]0;owned" in said, "the name is not in what is said"
    assert not set(said) & set("\x1b\x07\u202e"), said


def test_the_name_of_a_game_in_a_record_makes_no_line_of_its_own(tmp_path: Path) -> None:
    """Who may write the file names a game so that `verify` seems to find no fault."""
    path, name = tmp_path / "games.sqlite3", "x\ngames.sqlite3: ok, 9 games\x1b[2J"
    with open_record(path) as record:
        played(record, "camelot", 4)
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TRIGGER events_stand")
        for change in ("events SET game", "summaries SET name", "places SET game"):
            db.execute(f"UPDATE {change} = ?", (name,))  # one of the three above
        db.commit()
    for command in (["verify"], ["games", "list"], ["backup", str(tmp_path / "copy.sqlite3")]):
        done = subprocess.run(
            [sys.executable, "-m", "server", *command, "--record", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        assert not [line for line in said.splitlines() if line.startswith("games.sqlite3: ok")], said
        assert "\x1b" not in said


@pytest.mark.parametrize("odd", ["http://[", "//[::1", "http://a:99999/", "http://\u2100/", "["])
def test_addresses_that_cannot_be_read_are_no_faults(site: Site, odd: str) -> None:
    """Where a page leads to, who sends a change, which host is meant, and which broker; anybody may write these."""
    where = urlsplit(site.url)

    def status(method: str, path: str, headers: dict[str, str]) -> int:
        line = HTTPConnection(str(where.hostname), where.port, PATIENCE_S)
        line.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            line.putheader(name, value.encode("latin-1", "ignore"))
        line.endheaders()
        found = line.getresponse().status
        line.close()
        return found

    change = {"Origin": odd, "Content-Type": "application/json", "Content-Length": "0"}
    assert status("POST", "/api/v1/undo", change) == 403
    assert status("GET", "/", {"Host": odd}) in {400, 421}
    assert _own_path(odd) == "/"
    for read in (broker_of, lambda url: permit_lights(url, AllowedAddresses())):
        with pytest.raises(InputError):
            read(odd)
