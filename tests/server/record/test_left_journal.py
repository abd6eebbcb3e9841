"""A `-wal` that a killed service left is played into the record that it is of, and into no other file."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import InputError
from server.record.playing import has_own_journal
from server.record.store import open_record, read_record, require_record
from server.waits import Unwritable

KILLED = """
import os, sys
from server.record.store import open_record
record = open_record(sys.argv[1])
for number in range(int(sys.argv[3])):
    record.append_event(sys.argv[2], {"event": "move", "said": "x" * 900, "ply": number})
os._exit(9)
"""
WAITING = """
import sys
from server.record.store import open_record
with open_record(sys.argv[1]) as record:
    record.append_event("waiting", {"event": "begin"})
    print("open", flush=True)
    sys.stdin.readline()
"""


def killed(path: Path, game: str, events: int) -> Path:
    """A record into which a program wrote so many more events before it was killed; the journal lies beside it."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), game, str(events)], check=False)
    assert done.returncode == 9
    journal = path.with_name(path.name + "-wal")
    assert journal.stat().st_size
    return journal


def contents(path: Path) -> dict[str, int]:
    """The games of a record with how many events each has; all as they were written."""
    with open_record(path) as record:
        counts = record.event_counts()
        assert [record.find_broken_event(game) for game in counts] == [None] * len(counts)
        assert record.find_damage() is None
    return counts


def test_the_journal_of_a_killed_program_is_its_records_own(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    for more in (3, 40):
        killed(path, "tonight", more)
    assert contents(path) == {"tonight": 43}
    assert not list(tmp_path.glob("*before-*"))


def test_what_only_the_journal_has_is_in_the_record(tmp_path: Path) -> None:
    """A reader kept SQLite from moving it into the file."""
    path = tmp_path / "games.sqlite3"
    killed(path, "tonight", 3)
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM events").fetchone()
        killed(path, "tonight", 5)
        shutil.copy(path, tmp_path / "alone.sqlite3")
        shutil.copy(f"{path}-wal", tmp_path / "alone.sqlite3-wal")
    assert contents(tmp_path / "alone.sqlite3") == {"tonight": 8}


@pytest.mark.parametrize("read", [open_record, read_record, require_record])
@pytest.mark.parametrize("what", ["of the evening before", "another record"])
def test_a_journal_of_another_time_is_kept_aside(
    tmp_path: Path, what: str, read: object, capsys: pytest.CaptureFixture[str]
) -> None:
    path, copy = tmp_path / "games.sqlite3", tmp_path / "copy.sqlite3"
    if what == "another record":
        killed(copy, "theirs", 30)
        contents(copy)  # so that it needs no journal
        expected = {"theirs": 30}
    else:
        killed(path, "before", 19)
        contents(path)
        shutil.copy(path, copy)
        expected = {"before": 19}
    killed(path, "tonight", 60)
    shutil.copy(copy, path)
    as_it_was = path.read_bytes()
    assert callable(read)
    opened = read(path)
    if not isinstance(opened, Path):
        opened.close_file()
    assert path.read_bytes() == as_it_was
    assert "is kept as games.sqlite3.before-1-wal" in capsys.readouterr().err
    assert (tmp_path / "games.sqlite3.before-1-wal").stat().st_size
    assert contents(path) == expected


def test_what_was_kept_aside_once_is_there_after_the_second_time(tmp_path: Path) -> None:
    path, copy = tmp_path / "games.sqlite3", tmp_path / "copy.sqlite3"
    killed(copy, "theirs", 30)
    contents(copy)
    kept = []
    for _ in range(2):
        kept.append(killed(path, "tonight", 60).read_bytes())
        shutil.copy(copy, path)
        assert contents(path) == {"theirs": 30}
        path.unlink()
    assert [(tmp_path / f"games.sqlite3.before-{number}-wal").read_bytes() for number in (1, 2)] == kept


def test_a_record_that_is_put_where_one_is_in_use_is_not_written_into(tmp_path: Path) -> None:
    path, other = tmp_path / "games.sqlite3", tmp_path / "other.sqlite3"
    killed(other, "theirs", 30)
    contents(other)
    as_it_was = other.read_bytes()
    program = [sys.executable, "-c", WAITING, str(path)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as using:
        assert using.stdin is not None and using.stdout is not None
        assert using.stdout.readline() == "open\n"
        path.rename(tmp_path / "mine.sqlite3")
        other.rename(path)
        for read in (read_record, open_record, require_record):
            with pytest.raises(InputError, match="another file was put in its place"):
                read(path)
        using.stdin.write("\n")
    assert path.read_bytes() == as_it_was


def test_whoever_plays_writes_nothing_into_a_record_that_is_put_there(tmp_path: Path) -> None:
    path, other = tmp_path / "games.sqlite3", tmp_path / "other.sqlite3"
    killed(other, "theirs", 30)
    contents(other)
    as_it_was = other.read_bytes()
    with open_record(path) as record:
        record.append_event("mine", {"event": "begin"})
        record.follow_game("mine")
        path.rename(tmp_path / "mine.sqlite3")
        other.rename(path)
        with pytest.raises(Unwritable):
            record.append_event("mine", {"event": "move"})
        with pytest.raises(InputError, match="another file was put in its place"):
            read_record(path)
        path.rename(other)
        (tmp_path / "mine.sqlite3").rename(path)
        record.append_event("mine", {"event": "move"})
    assert other.read_bytes() == as_it_was
    assert contents(path) == {"mine": 2}


def test_a_file_that_cannot_be_read_alone_waits_for_its_journal(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    killed(path, "tonight", 5)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + bytes(4096) + whole[8192:])  # a power cut while SQLite moved a page into the file
    assert has_own_journal(path, look_whether_whole=True)
