"""The record: what was appended is there, once and in order, whatever happens to the program."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.errors import InputError
from server.record.schema import SCHEMA_VERSION
from server.record.store import open_record
from tests.server.full_disk import files_of_at_most

WRITER = """
import sys
from server.record.store import open_record
record = open_record(sys.argv[1])
done = len(record.read_events("game"))
while True:
    done += 1
    assert record.append_event("game", {"event": "move", "ply": done}) == done
    print(done, flush=True)
"""
KILLS = int(os.environ.get("KILLS", "12"))
"""`make soak` asks for 500."""


def test_events_come_back_as_they_were(tmp_path: Path) -> None:
    events: list[dict[str, object]] = [{"t": 1.5, "event": "move", "captured": ["E8"]}, {"t": 2, "event": "ö"}]
    with open_record(tmp_path / "games.db") as record:
        assert [record.append_event("a", event) for event in events] == [1, 2]
        record.append_event("b", {"event": "ready"})
    with open_record(tmp_path / "games.db") as record:
        assert record.read_events("a") == events
        assert record.read_events("none") == []
        assert record.event_counts() == {"a": 2, "b": 1}
        assert record.find_broken_event("a") is None


def test_killed_at_any_moment_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    path, chance, last = tmp_path / "games.db", random.Random(1), 0
    for _ in range(KILLS):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        first = int(writer.stdout.readline())
        assert first == last + 1
        time.sleep(chance.uniform(0, 0.05))
        writer.send_signal(signal.SIGKILL)
        told = [first, *(int(line) for line in writer.stdout.read().splitlines() if line)]
        writer.stdout.close()
        writer.wait()
        with open_record(path) as record:
            events = record.read_events("game")
            assert record.find_broken_event("game") is None
        last = len(events)
        assert [event["ply"] for event in events] == list(range(1, last + 1))
        assert last in {told[-1], told[-1] + 1}  # killed between the commit and the line that tells of it


def test_the_record_is_append_only(tmp_path: Path) -> None:
    with open_record(tmp_path / "games.db") as record:
        record.append_event("a", {"event": "ready"})
    database = sqlite3.connect(tmp_path / "games.db")
    for change in ("UPDATE events SET event = '{}'", "DELETE FROM events"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            database.execute(change)
    database.close()


@pytest.mark.parametrize(
    "change", ["UPDATE events SET event = '{}' WHERE number = 2", "DELETE FROM events WHERE number = 2"]
)
def test_the_chain_shows_where_a_record_was_changed(tmp_path: Path, change: str) -> None:
    with open_record(tmp_path / "games.db") as record:
        for ply in range(1, 4):
            record.append_event("a", {"ply": ply})
    database = sqlite3.connect(tmp_path / "games.db")
    database.executescript(f"DROP TRIGGER events_stand; DROP TRIGGER events_stay; {change};")
    database.close()
    with open_record(tmp_path / "games.db") as record:
        assert record.find_broken_event("a") == 2


def test_a_file_of_another_kind_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear referee, this is not a record, but a letter.")
    with pytest.raises(InputError, match=r"letter\.txt: file is not a database"):
        open_record(path)
    assert path.read_text().startswith("Dear referee")


def test_a_record_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "games.db")
    database.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    database.close()
    with pytest.raises(InputError, match="is newer than"):
        open_record(tmp_path / "games.db")


def test_a_full_disk_stops_the_game_in_a_line_and_loses_nothing(tmp_path: Path) -> None:
    path, done = tmp_path / "games.db", 0
    with open_record(path) as record:
        with files_of_at_most(200_000), pytest.raises(InputError, match="all before is kept") as stopped:
            while True:
                done = record.append_event("game", {"event": "move", "text": "x" * 500})
        assert "\n" not in str(stopped.value)
        assert done > 5
        assert record.append_event("game", {"event": "move"}) == done + 1
    with open_record(path) as record:
        assert len(record.read_events("game")) == done + 1
        assert record.find_broken_event("game") is None


def test_a_disk_that_may_only_be_read_is_said_in_a_line(tmp_path: Path) -> None:
    with open_record(tmp_path / "games.db") as record:
        record.append_event("game", {"event": "ready"})
        record._db.execute("PRAGMA query_only = ON")
        with pytest.raises(InputError, match="is read-only: make it writable; all before is kept"):
            record.append_event("game", {"event": "move"})
        assert record.find_broken_event("game") is None


def test_a_disk_that_fails_at_the_beginning_is_said_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unable to open database file: its folder must be there and writable"):
        open_record(tmp_path / "nowhere" / "games.db")
    with files_of_at_most(0), pytest.raises(InputError, match="must be there and writable, with space"):
        open_record(tmp_path / "games.db")


def test_a_clock_set_back_changes_no_order(tmp_path: Path) -> None:
    with open_record(tmp_path / "games.db") as record:
        for t in (5.0, 3.0, 4.0):
            record.append_event("game", {"t": t, "event": "move"})
        assert [event["t"] for event in record.read_events("game")] == [5.0, 3.0, 4.0]
        assert record.find_broken_event("game") is None
