"""A disk that is full, can only be read, or is gone, in the middle of a game: it goes on, and nothing is lost.

On a real file system of a few megabytes, in a process with mounts of its own.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from server.record.store import open_record
from server.waits import Unwritable
from tests.server.record.test_archive import played

PLAYED = """
import json, shutil, sqlite3, subprocess, sys
from contextlib import closing, suppress
from pathlib import Path
from server.record.evidence import folder_of
from server.record.store import open_record
from server.record.verifying import find_record_faults
from server.record import store
from server.board.upkeep import held
from tests.server.board.live.test_held_record import play

held.SAID_AFTER_S, held.RETRY_S = 0.0, 0.01
# The kernel lets nobody make a disk read-only on which a file is being written; SQLite answers as if it were.
opened, connect = [], store._connect_file
store._connect_file = lambda path: opened.append(connect(path)) or opened[-1]
disk = Path(sys.argv[1])
file, filler = disk / "games.sqlite3", disk / "filler"

def begin(trouble):
    if trouble == "full":
        with closing(sqlite3.connect(file)) as db:  # its journal has room of its own for a while
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with suppress(OSError), filler.open("wb", 0) as out:
            while out.write(b"0" * 4096):
                pass
    elif trouble == "read-only":
        opened[0].execute("PRAGMA query_only = ON")
    elif trouble == "overwritten":
        with sqlite3.connect(disk / "good") as copy, sqlite3.connect(file) as db:
            db.backup(copy)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copyfile(disk / "old", file)
    else:
        file.rename(disk / "elsewhere")

def end(trouble):
    if trouble == "full":
        filler.unlink()
    elif trouble == "read-only":
        opened[0].execute("PRAGMA query_only = OFF")
    elif trouble == "overwritten":
        shutil.copyfile(disk / "good", file)
    else:
        (disk / "elsewhere").rename(file)

def troubled(trouble):
    opened.clear()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "none", disk], check=True)
    said, heard = [], {}

    def taken(number, feed):
        heard[number] = len(feed.read_news(0)[0])
        vital = feed.vitals.to_json(feed.newest_snapshot or {}, file)
        said.append([(feed.newest_snapshot or {}).get("record"), vital["record"], vital["record_waiting"]])
        if number == 2:
            with sqlite3.connect(disk / "old") as copy, sqlite3.connect(file) as db:
                db.backup(copy)
        if number == 20:
            begin(trouble)
        if number == 90:
            end(trouble)

    kept = play(file, taken)
    with open_record(file) as record:
        faults = find_record_faults(record, folder_of(file))[0]
    free = play(disk / "free.sqlite3", lambda number, feed: None)
    return {"kept": kept, "free": free, "faults": faults, "said": said, "heard": heard}

print(json.dumps({trouble: troubled(trouble) for trouble in sys.argv[2:]}))
"""


TROUBLES = {
    "full": ("full", "is full"),
    "read-only": ("read-only", "is read-only"),
    "gone": ("gone", "is gone from its place"),
    "overwritten": ("gone", "another file is where"),
}
"""What comes -> its kind, and how it is said. Overwritten is by an older copy, in the very file that is written."""


@pytest.fixture(scope="module")
def all_came(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of the game under each trouble: one process, that sees its pictures once."""
    own = ["unshare", "--user", "--map-root-user", "--mount"]
    command = [*own, sys.executable, "-c", PLAYED, str(tmp_path_factory.mktemp("disk")), *TROUBLES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("trouble", TROUBLES)
def test_the_game_goes_on_and_all_is_written_when_the_disk_takes_it(all_came: dict[str, Any], trouble: str) -> None:
    came, (wanted, words) = all_came[trouble], TROUBLES[trouble]
    assert came["faults"] == []

    def game(events: list[dict[str, object]]) -> list[dict[str, object]]:
        return [event for event in events if not str(event["event"]).startswith("evidence")]

    assert game(came["kept"]) == game(came["free"])
    assert len(game(came["free"])) > 5
    assert came["heard"]["90"] <= came["heard"]["21"] + 1, "told before it was written"
    during, after = came["said"][30:89], came["said"][-1]
    assert any(words in (said or "") and kind == wanted and waiting > 0 for said, kind, waiting in during), during
    assert after == [None, "ok", 0]
    most = max(waiting for _, _, waiting in came["said"])
    assert most <= 2 * len(came["kept"]), "frames in which nothing happened wait as well"


def test_a_record_that_was_cut_off_is_called_so(tmp_path: Path) -> None:
    """It was taken for a disk that does not answer, and people looked after its cable."""
    path = tmp_path / "games.sqlite3"
    with open_record(path) as record, closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM events").fetchall()  # as long as it reads, the newest is in the journal alone
        name = played(record, "camelot", 4)
        os.truncate(path, 4096)
        Path(f"{path}-wal").write_bytes(b"")
        with pytest.raises(Unwritable, match="is cut short: put a copy of it back"):
            record.append_event(name, {"t": 40.0, "event": "paused"})


FAILED = """
import sqlite3, subprocess, sys
from pathlib import Path
from server.record.store import open_record
from server.waits import Unwritable
from tests.server.record.test_archive import played

disk, image = Path(sys.argv[1]), Path(sys.argv[2])
subprocess.run(["mount", "-o", "loop", image, disk], check=True)
with open_record(disk / "games.sqlite3") as record:
    played(record, "camelot", 4)
    subprocess.run(["mount", "-o", "remount,abort", disk], check=True)
    try:
        played(record, "camelot", 4)
    except Unwritable as waits:
        print(waits.kind, waits.says, sep=": ")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a disk of its own")
def test_a_disk_that_failed_and_that_the_system_made_read_only_is_called_so(tmp_path: Path) -> None:
    """A real one: the file is open for writing, so SQLite speaks of an I/O error, as of a disk that was pulled out."""
    disk, image = tmp_path / "disk", tmp_path / "image"
    disk.mkdir()
    with image.open("wb") as file:
        file.truncate(16_000_000)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    command = ["unshare", "--mount", sys.executable, "-c", FAILED, str(disk), str(image)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "failed to setup loop device" in done.stderr or "Operation not permitted" in done.stderr:
        pytest.skip(done.stderr.splitlines()[0])
    assert done.stdout == "read-only: the record's disk is read-only: make it writable\n", done.stderr
