"""A program that is ended while its record takes nothing: what was said is kept, and written by the next start."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from server.board.live import unwritten
from server.board.live.unwritten import UnwrittenEvent
from server.record.evidence import folder_of
from server.record.store import open_record
from server.record.verifying import find_record_faults
from tests.patience import PATIENCE_S, wait_until
from tests.programs import started
from tests.server.commands.test_serve import PROFILE, SESSION

WAITING = 5
"""Steps of what is said that are to wait when the program is ended."""


def serve(file: Path) -> list[str | Path]:
    command = [sys.executable, "-m", "server", "serve", "--profile", PROFILE, "--camera", SESSION, "--realtime"]
    return [*command, "--record", file, "--port", "0"]


def waiting(url: str) -> int:
    with urllib.request.urlopen(f"{url}healthz", timeout=PATIENCE_S) as answer:  # noqa: S310  # ours
        return int(json.load(answer)["record_waiting"])


def ended_while_held(file: Path) -> tuple[int, str]:
    """Exit code and last words of a referee that is ended while another program holds its record."""
    with started(serve(file), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().split("page is at ")[1].split()[0]
        with closing(sqlite3.connect(file, isolation_level=None, timeout=PATIENCE_S)) as other:
            other.execute("BEGIN IMMEDIATE")
            wait_until(lambda: waiting(url) >= WAITING)
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=PATIENCE_S)[1]
            other.execute("ROLLBACK")
        return process.returncode, said.splitlines()[-1]


def ended_after_its_start(file: Path) -> tuple[int, str]:
    """The same of one that is ended as soon as its page is there."""
    with started(serve(file), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while "page is at" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=PATIENCE_S)[1]
        return process.returncode, said


def test_what_is_not_written_is_no_success_and_the_next_start_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    code, said = ended_while_held(file)
    kept = tmp_path / "games.sqlite3.unwritten-1"
    assert code == 2, "it looked like success"
    lines = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert lines and f"the last {len(lines)} things said are not in it, they are kept in {kept}" in said
    with open_record(file) as record:
        before = record.read_events("camelot-0001")
    code, said = ended_after_its_start(file)
    assert code == 0, said
    assert f"{kept}: the {len(lines)} things said last time" in said
    assert not kept.exists()
    with open_record(file) as record:
        events = record.read_events("camelot-0001")
        assert events[: len(before) + len(lines)] == before + [line["event"] for line in lines]
        assert find_record_faults(record, folder_of(file))[0] == []


ENDED = """
import json, queue, shutil, sqlite3, subprocess, sys
from contextlib import closing, suppress
from pathlib import Path
from server.board.live.service import Service
from server.board.live.unwritten import UnwrittenError, restore_lines
from server.record import store
from server.record.journal import Journal
from server.record.store import open_record
from server.web.feed import Feed
from tests.server.board.live.seen_once import FRAMES, SeenOnce, film

# The kernel lets nobody make a disk read-only on which a file is being written; SQLite answers as if it were.
opened, connect = [], store._connect_file
store._connect_file = lambda path: opened.append(connect(path)) or opened[-1]
disk = Path(sys.argv[1])
filler = disk / "filler"

def begin(file, trouble):
    if trouble == "full":
        with closing(sqlite3.connect(file)) as db:  # its journal has room of its own for a while
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with suppress(OSError), filler.open("wb", 0) as out:
            while out.write(b"0" * 4096):
                pass
    elif trouble == "read-only":
        opened[-1].execute("PRAGMA query_only = ON")
    elif trouble in ("overwritten", "damaged"):
        for name in ("old", "good"):
            with sqlite3.connect(disk / name) as copy, sqlite3.connect(file) as db:
                db.backup(copy)
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with sqlite3.connect(disk / "old") as old:
            old.executescript("DROP TRIGGER events_stay; DELETE FROM events; DELETE FROM summaries; DELETE FROM places")
        old.close()
        if trouble == "overwritten":
            shutil.copyfile(disk / "old", file)
        else:
            with file.open("r+b") as spoilt:
                spoilt.seek(4096)
                spoilt.write(b"\\x55" * (file.stat().st_size - 4096))
    else:
        file.rename(disk / "elsewhere")

def end(file, trouble):
    if trouble == "full":
        filler.unlink()
    elif trouble == "gone":
        (disk / "elsewhere").rename(file)
    elif trouble in ("overwritten", "damaged"):
        for name in ("games.sqlite3-wal", "games.sqlite3-shm"):
            (disk / name).unlink(missing_ok=True)
        shutil.copyfile(disk / "good", file)

def play(file, trouble):
    watcher, inbox, shown, said = SeenOnce(), queue.Queue(), iter(film()), ""
    with open_record(file) as record:
        journal = Journal(record, "game")
        journal.begin_game(watcher.match)
        service = Service(watcher, journal, Feed(), inbox=inbox)

        def taken():
            if trouble and service.frames == 20:
                begin(file, trouble)
            if service.frames == FRAMES:
                raise KeyboardInterrupt
            inbox.put(next(shown))

        inbox.put(next(shown))
        with suppress(KeyboardInterrupt):
            service.run_loop(taken)
        try:
            service.release_all()
        except UnwrittenError as error:
            said = str(error)
    if trouble:
        end(file, trouble)
        with open_record(file) as record:
            for _ in range(2):
                restore_lines(file, record, None)
    with open_record(file) as record:
        return said, record.read_events("game")

def troubled(trouble):
    opened.clear()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "none", disk], check=True)
    said, kept = play(disk / "games.sqlite3", trouble)
    return {"said": said, "kept": kept, "free": play(disk / "free.sqlite3", "")[1]}

print(json.dumps({trouble: troubled(trouble) for trouble in sys.argv[2:]}))
"""


TROUBLES = {"full": "full", "read-only": "read-only", "gone": "gone", "overwritten": "gone", "damaged": "gone"}
"""What comes over the file -> how it is said in a word. Overwritten by an older copy, as `cp` does, or damaged: both in
the very file that is being written."""


@pytest.fixture(scope="module")
def all_came(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The disk, and what came of the game under each trouble: one process, that sees its pictures once."""
    disk = tmp_path_factory.mktemp("disk")
    own = ["unshare", "--user", "--map-root-user", "--mount"]
    command = [*own, sys.executable, "-c", ENDED, str(disk), *TROUBLES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return disk, json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("trouble", TROUBLES)
def test_it_is_kept_where_the_disk_takes_nothing(all_came: tuple[Path, dict[str, Any]], trouble: str) -> None:
    disk, came = all_came[0], all_came[1][trouble]
    assert f"takes nothing ({TROUBLES[trouble]})" in came["said"]
    place = str(disk) if trouble != "full" else tempfile.gettempdir() + "/camelot-referee-"
    assert f"they are kept in {place}" in came["said"]
    assert len(came["free"]) > 5
    assert came["kept"] == came["free"]


def line(after: int, head: str, notation: str) -> UnwrittenEvent:
    return UnwrittenEvent("game", after, head, {"event": "note", "text": notation}, sealed=False)


def test_what_does_not_follow_the_record_is_left_where_it_is(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A game that has gone on without it is not mended by guesses."""
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        record.append_event("game", {"event": "begin"})
        head = record.read_hashes("game")[0]
        kept = unwritten.save_lines(file, [line(1, head, "one"), line(1, head, "two")])
        record.append_event("game", {"event": "note", "text": "another"})
        unwritten.restore_lines(file, record, None)
        assert kept is not None and kept.exists()
        assert "has gone on in the record without it" in caplog.text
        assert [event.get("text") for event in record.read_events("game")] == [None, "another"]


def test_a_try_that_was_cut_off_is_ended_and_nothing_is_written_twice(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        record.append_event("game", {"event": "begin"})
        head = record.read_hashes("game")[0]
        unwritten.save_lines(file, [line(1, head, "one"), line(1, head, "two")])
        record.append_event("game", {"event": "note", "text": "one"})
        unwritten.restore_lines(file, record, None)
        unwritten.restore_lines(file, record, None)
        assert [event.get("text") for event in record.read_events("game")] == [None, "one", "two"]


def test_where_no_folder_takes_it_that_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    assert unwritten.save_lines(tmp_path / "gone" / "games.sqlite3", [line(1, "", "one")]) is None
