"""What opens something stays where it belongs: passwords of cameras, visits that were ended, guesses at an account."""

from __future__ import annotations

import logging
import queue
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from calibration import profile as profiles
from engine import games
from engine.match.acts import Act
from server.board.live.camera import Camera, CameraGone
from server.board.pages.app import create_app
from server.logs import JsonLines, start_logging
from server.masking import mask_passwords
from server.record.traces import session
from server.web.access import login
from server.web.access.accounts import Accounts, Door, create_account, write_accounts
from server.web.access.visitors import Visitors
from tests.patience import PATIENCE_S
from tests.server.commands.test_serve import PROFILE
from tests.server.script import Script
from tests.server.web.access.test_rights import enter, token
from vision.frames import CameraLost, Frame

SECRET, NAME = "hunter2/x@y", "admin"
ADDRESS = f"rtsp://{NAME}:{SECRET}@192.0.2.7:554/stream"
PASSWORD = "correct horse"  # noqa: S105  # of accounts that live for one test


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (ADDRESS, "rtsp://…@192.0.2.7:554/stream"),
        ("camera http://a:b@c/: gone", "camera http://…@c/: gone"),
        ("http://cam/snap?user=admin&password=hunter2&size=1", "http://cam/snap?user=…&password=…&size=1"),
        ("http://cam/snap?PWD=x&channel=2", "http://cam/snap?PWD=…&channel=2"),
        ("http://cam/plain and http://a:b@c/d", "http://cam/plain and http://…@c/d"),
        ("Ann@home says E6-C8", "Ann@home says E6-C8"),
    ],
)
def test_an_address_is_shown_without_what_opens_it(said: str, shown: str) -> None:
    assert mask_passwords(said) == shown


def test_a_lost_camera_is_told_without_its_password() -> None:
    """The message goes to the page of every player, into the record and into the log."""
    said: queue.Queue[object] = queue.Queue()

    def opened() -> Iterator[Frame]:
        raise CameraLost(f"camera {ADDRESS}: gives no more pictures")

    eye = Camera(ADDRESS, 8.0, said.put, opened, realtime=False)
    eye.start_capture()
    item = said.get(timeout=PATIENCE_S)
    eye.close()
    assert isinstance(item, CameraGone)
    assert "hunter2" not in item.message
    assert "192.0.2.7" in item.message


def test_logs_and_errors_hide_it(capsys: pytest.CaptureFixture[str]) -> None:
    for as_json in (True, False):
        start_logging(as_json=as_json)
        logging.getLogger("x").warning("camera %s is lost", ADDRESS)
        try:
            raise CameraLost(ADDRESS)
        except CameraLost:
            logging.getLogger("x").exception("a fault")
    start_logging(as_json=False)
    said = capsys.readouterr().err
    assert "hunter2" not in said
    assert said.count("192.0.2.7") >= 4
    assert JsonLines().format(logging.makeLogRecord({"msg": ADDRESS})).count("hunter2") == 0
    done = subprocess.run(
        [sys.executable, "-m", "server", "calibrate", "--game", "camelot", "--camera", "http://a:hunter2@127.0.0.1:1/",
         "--out", "x"], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "hunter2" not in done.stderr.splitlines()[-1]


def test_a_session_that_is_sent_to_others_does_not_have_it(tmp_path: Path) -> None:
    profile = replace(profiles.load_profile(PROFILE), source=ADDRESS)
    game = games.load(profile.game, profile.rules)
    session.create_session(tmp_path / "session", profile, game, game.start())
    said = (tmp_path / "session" / session.PROFILE).read_text()
    assert "hunter2" not in said
    assert profiles.load_profile(tmp_path / "session" / session.PROFILE).source == mask_passwords(ADDRESS)


def test_watch_and_doctor_hide_it(tmp_path: Path) -> None:
    for command in (["watch", "--json", "--profile", str(PROFILE)], ["doctor"], ["doctor", "--json"]):
        done = subprocess.run(
            [sys.executable, "-m", "server", *command, "--camera", "http://a:hunter2@127.0.0.1:1/video"],
            capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert "hunter2" not in done.stdout + done.stderr.replace("[ERROR", "")


@pytest.fixture(scope="module")
def accounts() -> Accounts:
    known = Accounts()
    for name, role in (("Ann", "arbiter"), ("Bob", "player")):
        known = known.with_account(create_account(name, role, PASSWORD))
    return known


@pytest.fixture
def file(tmp_path: Path, accounts: Accounts) -> Path:
    write_accounts(tmp_path / "accounts.json", accounts)
    return tmp_path / "accounts.json"


def test_a_visit_that_was_ended_stays_ended_over_a_restart(
    file: Path, script: Script, inbox: queue.SimpleQueue[Act]
) -> None:
    client = create_app(script.feed, inbox.put, script.game, visitors=Visitors(door=Door(file))).test_client()
    assert enter(client, "Ann").status_code == 200
    copied = client.get_cookie("visit")
    assert copied is not None
    assert client.post("/logout", json={}, headers=token(client)).status_code == 200
    for _ in range(2):  # the program is started again
        thief = create_app(script.feed, inbox.put, script.game, visitors=Visitors(door=Door(file))).test_client()
        thief.set_cookie("visit", copied.value)
        assert thief.get("/api/v1/game").status_code == 401
        assert enter(thief, "Bob").status_code == 200
        assert thief.get("/api/v1/game").status_code == 200
    kept = [path for path in file.parent.iterdir() if path != file]
    assert [path.stat().st_mode & 0o777 for path in kept] == [0o600]


def test_a_spoilt_list_of_ended_visits_locks_nobody_in_or_out(
    file: Path, script: Script, inbox: queue.SimpleQueue[Act]
) -> None:
    client = create_app(script.feed, inbox.put, script.game, visitors=Visitors(door=Door(file))).test_client()
    enter(client, "Ann")
    client.post("/logout", json={}, headers=token(client))
    (kept,) = (path for path in file.parent.iterdir() if path != file)
    kept.write_bytes(kept.read_bytes() + b"\xff\xfe half a li")
    client = create_app(script.feed, inbox.put, script.game, visitors=Visitors(door=Door(file))).test_client()
    assert enter(client, "Ann").status_code == 200
    assert client.get("/api/v1/game").status_code == 200


def guess(client: object, name: str, password: str, address: str) -> int:
    answer = client.post(  # type: ignore[attr-defined]  # a FlaskClient
        "/login", json={"name": name, "password": password}, environ_base={"REMOTE_ADDR": address}
    )
    return int(answer.status_code)


def test_guesses_at_one_account_from_many_addresses_are_limited(
    file: Path, script: Script, inbox: queue.SimpleQueue[Act], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login, "MOST_OF_ALL", 1000)
    client = create_app(script.feed, inbox.put, script.game, visitors=Visitors(door=Door(file))).test_client()
    assert guess(client, "Ann", PASSWORD, "198.51.100.1") == 200, "she logs in at her tablet"
    answers = [guess(client, "Ann", f"guess {n}", f"192.0.2.{n}") for n in range(30)]
    assert answers == [403] * login.MOST_ON_ONE + [429] * (30 - login.MOST_ON_ONE)
    assert guess(client, "Ann", PASSWORD, "192.0.2.200") == 429, "also with the right password"
    assert guess(client, "Bob", PASSWORD, "192.0.2.201") == 200, "nobody else has to wait"
    assert guess(client, "Ann", PASSWORD, "198.51.100.1") == 200, "nor she, where she was in before"


def test_addresses_of_one_network_count_as_one(file: Path, script: Script, inbox: queue.SimpleQueue[Act]) -> None:
    """Who has one IPv6 address has 2^64 of them."""
    client = create_app(script.feed, inbox.put, script.game, visitors=Visitors(door=Door(file))).test_client()
    answers = [guess(client, f"name {n}", "guess", f"2001:db8:1:2::{n:x}") for n in range(8)]
    assert answers == [403] * login.MOST_FROM_ONE + [429] * (8 - login.MOST_FROM_ONE)
    assert guess(client, "Ann", PASSWORD, "2001:db8:1:3::1") == 200
