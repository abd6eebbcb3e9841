"""A disk without room is said at the start, on page and display, and not first by the ply that it did not take."""

from __future__ import annotations

import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import pytest

from calibration import profile as profiles
from device.lights import LedFrame, draw_match
from device.mapfile import load_default_map
from device.port import LedPort
from device.protocols import load_protocol
from device.text import COLUMNS, ROOM_TEXTS
from engine import games
from engine.match.acts import Mode
from engine.match.referee import new_match
from server.board.disk_room import LOOK_EACH_S, DiskRoom
from server.board.live.heart import Heart
from server.waits import DISK_TROUBLES, NEARLY_FULL
from server.web.feed import Feed
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.commands.test_serve import PROFILE, SESSION, get
from vision.watch.watcher import Watcher

FULL = DISK_TROUBLES[sqlite3.SQLITE_FULL][1]
SERVED = """
mount -t tmpfs -o size=8M none "$1" && head -c "$2" /dev/zero > "$1/filler"
exec "$3" -m server serve --profile "$4" --camera "$5" --port 0 --record "$1/games.sqlite3"
"""
"""The program, with its record on a disk of 8 MB in which so many bytes are taken."""


@pytest.mark.parametrize(
    ("taken", "said", "record"), [(5_000_000, NEARLY_FULL, "ok"), (7_600_000, FULL, "full")], ids=["3 MB", "full"]
)
def test_the_page_says_it_at_the_start(tmp_path: Path, taken: int, said: str, record: str) -> None:
    arguments = (str(tmp_path), str(taken), sys.executable, str(PROFILE), str(SESSION))
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SERVED, "sh", *arguments]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        heard = ""
        while not (found := re.search(r"http://\S+", heard)):
            line = process.stdout.readline()
            assert line, heard
            heard += line
        health = json.loads(get(f"{found[0]}healthz"))
        while health["status"] == "starting":
            health = json.loads(get(f"{found[0]}healthz"))
        assert json.loads(get(f"{found[0]}api/v1/game"))["disk"] == said
        assert health["record"] == record
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)


def test_it_is_looked_at_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage, now, free = namedtuple("usage", "free"), [0.0], [3_000_000]
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(free[0]))
    room = DiskRoom(tmp_path / "games.sqlite3", lambda: now[0])
    assert room.describe_trouble() == NEARLY_FULL
    free[0] = 900_000
    assert room.describe_trouble() == NEARLY_FULL
    now[0] += LOOK_EACH_S
    assert room.describe_trouble() == FULL
    now[0], free[0] = now[0] + LOOK_EACH_S, 1_000_000_000
    assert room.describe_trouble() is None


@pytest.mark.parametrize(("trouble", "line"), [(FULL, "disk is full"), (NEARLY_FULL, "disk nearly full")])
def test_the_display_says_it_until_the_first_ply(monkeypatch: pytest.MonkeyPatch, trouble: str, line: str) -> None:
    """In the place of what everybody knows; what asks for something, or warns, stays."""
    game = games.load("camelot", "wcf")
    match, leds = new_match(game), load_default_map("camelot", game.board)
    feed, shown = Feed(), list[LedFrame]()
    port = LedPort("screen:", lambda: load_protocol("screen", leds), print)
    monkeypatch.setattr(port, "show_frame", shown.append)
    heart = Heart(feed, "standard", lambda: Mode.TRAINING)
    heart.use_port(port, "", Watcher(profiles.load_profile(SESSION / "profile.toml"), match))
    heart.mark_begun()
    frame = draw_match(match)
    heart.show_leds(frame, match)
    feed.vitals.disk = lambda: trouble
    heart.show_leds(frame, match)
    asks = replace(frame, text=("Confirm again?", "yes"))
    heart.show_leds(asks, match)
    heart.close()
    assert [one.text for one in shown] == [("Set up", "the pieces"), ("Set up", line), asks.text]
    assert {len(text) <= COLUMNS for text in ROOM_TEXTS} == {True}
