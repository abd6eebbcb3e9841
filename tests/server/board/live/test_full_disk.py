"""A disk that is full, can only be read, or is gone, in the middle of a game: it goes on, and nothing is lost.

On a real file system of a few megabytes, in a process with mounts of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PLAYED = """
import json, subprocess, sys
from contextlib import suppress
from pathlib import Path
from server.record.evidence import folder_of
from server.record.store import open_record
from server.record.verifying import faults_of
from server.record import store
from server.board.upkeep import held
from tests.server.board.live.test_held_record import play

held.SAID_AFTER_S, held.RETRY_S = 0.0, 0.01
# The kernel lets nobody make a disk read-only on which a file is being written; SQLite answers as if it were.
opened, connect = [], store._connected
store._connected = lambda path: opened.append(connect(path)) or opened[-1]
disk, trouble = Path(sys.argv[1]), sys.argv[2]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "none", disk], check=True)
file, filler, said, waiting, heard = disk / "games.sqlite3", disk / "filler", [], [], {}

def begin():
    if trouble == "full":
        with suppress(OSError), filler.open("wb", 0) as out:
            while out.write(b"0" * 4096):
                pass
    elif trouble == "read-only":
        opened[0].execute("PRAGMA query_only = ON")
    else:
        file.rename(disk / "elsewhere")

def end():
    if trouble == "full":
        filler.unlink()
    elif trouble == "read-only":
        opened[0].execute("PRAGMA query_only = OFF")
    else:
        (disk / "elsewhere").rename(file)

def taken(number, feed):
    heard[number] = len(feed.news(0)[0])
    vital = feed.vitals.to_json(feed.snapshot or {}, file)
    said.append([(feed.snapshot or {}).get("record"), vital["record"], vital["record_waiting"]])
    if number == 20:
        begin()
    if number == 90:
        end()

kept = play(file, taken)
with open_record(file) as record:
    faults = faults_of(record, folder_of(file))[0]
free = play(disk / "free.sqlite3", lambda number, feed: None)
print(json.dumps({"kept": kept, "free": free, "faults": faults, "said": said, "heard": heard}))
"""


@pytest.mark.parametrize(
    ("trouble", "words"), [("full", "is full"), ("read-only", "only be read"), ("gone", "not in its place")]
)
def test_the_game_goes_on_and_all_is_written_when_the_disk_takes_it(tmp_path: Path, trouble: str, words: str) -> None:
    own = ["unshare", "--user", "--map-root-user", "--mount"]
    done = subprocess.run(
        [*own, sys.executable, "-c", PLAYED, str(tmp_path), trouble], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    came = json.loads(done.stdout.splitlines()[-1])
    assert came["faults"] == []

    def game(events: list[dict[str, object]]) -> list[dict[str, object]]:
        return [event for event in events if not str(event["event"]).startswith("evidence")]

    assert game(came["kept"]) == game(came["free"])
    assert len(game(came["free"])) > 5
    assert came["heard"]["90"] <= came["heard"]["21"] + 1, "told before it was written"
    during, after = came["said"][30:89], came["said"][-1]
    assert any(words in (said or "") and kind == trouble and waiting > 0 for said, kind, waiting in during), during
    assert after == [None, "ok", 0]
    most = max(waiting for _, _, waiting in came["said"])
    assert most <= 2 * len(came["kept"]), "frames in which nothing happened wait as well"
