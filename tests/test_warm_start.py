"""A program that starts warm is as one that was started anew: what it says, what it is given, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from server.board.setup.checkup import list_referees
from tests.patience import wait_until
from tests.programs import children, started

SERVER = [sys.executable, "-m", "server"]
PHONE = [sys.executable, "-u", "-m", "server", "phone", "--port", "0"]
"""It says something at once, and waits."""
ANEW = {"executable": sys.executable}
"""Said to Popen, though it is what it would take: such a start is no copy."""
ENTERED = "[serve]\nplyers = 2\n"
COMMANDS = [
    ["--version"],
    ["nonsense"],
    ["games", "list", "--record", "nowhere.sqlite3"],
    ["serve", "--help"],
    ["serve", "--profile", "nowhere.toml"],
    ["accounts", "--file", "accounts.toml", "add", "Ann", "--role", "arbiter"],
    ["accounts", "--file", "accounts.toml", "list"],
]


def ended(folder: Path, command: list[str], **more: Any) -> tuple[object, ...]:
    folder.mkdir(exist_ok=True)
    environment = os.environ | {"XDG_CONFIG_HOME": str(folder), "COLUMNS": "50"}
    (folder / "referee").mkdir(exist_ok=True)
    if command[:2] == ["serve", "--profile"]:
        (folder / "referee" / "config.toml").write_text(ENTERED)
    done = subprocess.run(
        [*SERVER, *command], cwd=folder, env=environment, input="a password\na password\n", text=True, check=False,
        capture_output=True, umask=-1, **more,
    )  # fmt: skip
    files = sorted((path.name, path.stat().st_mode) for path in folder.iterdir() if path.is_file())
    return done.returncode, done.stdout, done.stderr.replace(str(folder), ""), files


def test_it_says_the_same(tmp_path: Path) -> None:
    for command in COMMANDS:
        assert ended(tmp_path / "warm", command) == ended(tmp_path / "anew", command, **ANEW), command


def test_it_is_a_child_that_can_be_ended(tmp_path: Path) -> None:
    command = [*PHONE, "--out", str(tmp_path / "start.png")]
    for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, None)):
        with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.pid in children()
            assert process.stdout is not None and process.stdout.readline()
            process.send_signal(number)
            process.wait()
            assert process.returncode == code or (code is None and process.returncode >= 0)
        assert process.pid not in children()
        wait_until(lambda gone=process.pid: not Path(f"/proc/{gone}").exists())


def test_it_is_known_as_the_program(tmp_path: Path) -> None:
    """By its command line, as one sees who else has a device open."""
    held = tmp_path / "device"
    held.touch()
    command = [*PHONE, "--out", str(tmp_path / "start.png")]
    with held.open() as device, started(command, stdin=device, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline()
        assert Path(f"/proc/{process.pid}") in list_referees(str(held))
    assert not list_referees(str(held))


@pytest.mark.parametrize("name", ["PYTHONWARNINGS", "LC_ALL", "TZ", "LD_PRELOAD"])
def test_what_python_reads_first_is_read(name: str, tmp_path: Path) -> None:
    """Such a program is started anew: its command line is the one that was given."""
    command = [*PHONE, "--out", str(tmp_path / "start.png")]
    with started(command, env=os.environ | {name: ""}, stdout=subprocess.PIPE) as process:
        path = Path(f"/proc/{process.pid}/cmdline")
        wait_until(lambda: b"phone" in path.read_bytes().split(b"\0"))
