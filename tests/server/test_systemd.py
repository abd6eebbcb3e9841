"""The whole program under a manager that listens as systemd does, from its start to its end."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.systemd import Systemd
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.commands.test_serve import PROFILE, SESSION

MOST_END_S = 12.0
"""It took 0.7 to 1.2 s beside eight other programs on two processors. This leaves room for a busier machine, and none
for waiting out who is idle or reads nothing (server.web.site), or for the ninety seconds after which systemd kills."""


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(PATIENCE_S)
        yield listening


def environ(tmp_path: Path, within_s: float) -> dict[str, str]:
    return {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": f"{within_s * 1e6:.0f}"}


def drained(manager: socket.socket) -> list[bytes]:
    """What was said and not heard yet."""
    manager.setblocking(False)
    said = []
    try:
        while True:
            said.append(manager.recv(100))
    except BlockingIOError:
        manager.settimeout(PATIENCE_S)
        return said


def test_it_says_that_it_serves_that_it_goes_round_and_that_it_ends(tmp_path: Path, manager: socket.socket) -> None:
    command = [sys.executable, "-m", "server", "serve", "--profile", str(PROFILE), "--camera", str(SESSION), "--port"]
    command += ["0", "--record", str(tmp_path / "games.sqlite3"), "--realtime"]
    said = os.environ | environ(tmp_path, 0.5)
    with started(command, stdout=subprocess.PIPE, text=True, env=said) as process:
        assert process.stdout is not None
        assert manager.recv(100) == b"READY=1"
        assert [manager.recv(100) for _ in range(3)] == [b"WATCHDOG=1"] * 3
        line = process.stdout.readline()
        url = line.split("page is at ")[1].split()[0]
        assert re.match(r"http://\S+/", url)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.0)
        drained(manager)
        time.sleep(1.0)
        assert drained(manager) == [], "one that stands still says nothing"
        process.send_signal(signal.SIGCONT)
        assert manager.recv(100) == b"WATCHDOG=1"
        streams = [urllib.request.urlopen(f"{url}api/v1/events", timeout=PATIENCE_S) for _ in range(5)]  # noqa: S310
        asked = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
        ended_s = time.monotonic() - asked
        print(f"ended {ended_s:.2f} s after it was asked to, with {len(streams)} streams open")
        assert ended_s < MOST_END_S
        for stream in streams:
            stream.close()
        assert drained(manager)[-1] == b"STOPPING=1"


def test_half_of_the_time_is_waited_between_two_words(tmp_path: Path, manager: socket.socket) -> None:
    now = [100.0]
    systemd = Systemd(environ(tmp_path, 60.0), lambda: now[0])
    for now[0] in (100.0, 129.0, 130.0, 131.0, 160.0):
        systemd.notify_alive()
    assert drained(manager) == [b"WATCHDOG=1"] * 3


@pytest.mark.parametrize(
    "said",
    [{}, {"NOTIFY_SOCKET": "/nowhere"}, {"NOTIFY_SOCKET": "x", "WATCHDOG_USEC": "many"}, {"NOTIFY_SOCKET": "@x"}],
)
def test_without_a_manager_nothing_happens(said: dict[str, str]) -> None:
    systemd = Systemd(said)
    systemd.notify_ready()
    systemd.notify_alive()
    systemd.notify_stopping()


def test_the_watchdog_of_another_program_is_not_ours(tmp_path: Path, manager: socket.socket) -> None:
    systemd = Systemd(environ(tmp_path, 60.0) | {"WATCHDOG_PID": "1"})
    systemd.notify_alive()
    assert drained(manager) == []
