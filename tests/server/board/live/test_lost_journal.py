"""What SQLite keeps beside the record is taken away or written over in a game: nothing that was told is lost."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from server.board.upkeep import held
from server.disk import OF_DATABASE
from server.record.evidence import folder_of
from server.record.store import open_record, read_record
from server.record.verifying import find_record_faults
from server.web.feed import Feed
from tests.server.board.live.test_held_record import play, told

SPOILT_AT, KILLED_AT = 30, (31, 60, 90)
"""Frames of the film: plies are played before the first, and between all of them."""
QUIET = (14, 20, 26)
"""Frames between which nothing is written."""


def spoil_journal(file: Path, how: str) -> None:
    journal = Path(f"{file}-wal")
    assert journal.stat().st_size
    if how == "removed":
        journal.unlink()
    elif how == "all removed":
        for ending in OF_DATABASE:
            Path(f"{file}{ending}").unlink()
    elif how == "replaced":
        shutil.copy(journal, f"{journal}.new")
        Path(f"{journal}.new").replace(journal)
    else:
        journal.write_bytes(b'[Event "?"]\n' * 20)


@pytest.mark.parametrize("how", ["removed", "all removed", "replaced", "written over"])
def test_nothing_that_was_told_is_lost(tmp_path: Path, how: str) -> None:
    """Whenever the program is killed after that: a copy of what lies in the folder then has all that was told."""
    free, file = tmp_path / "free.sqlite3", tmp_path / "games.sqlite3"
    expected, said = play(free, lambda *_: None), dict[int, list[str]]()

    def taken(number: int, feed: Feed) -> None:
        if number == SPOILT_AT:
            spoil_journal(file, how)
        if number in KILLED_AT:
            said[number] = told(feed)
            (tmp_path / str(number)).mkdir()
            left = [str(file), *filter(os.path.exists, [f"{file}-wal"])]  # by another program: as SQLite's locks stay
            subprocess.run(["cp", *left, str(tmp_path / str(number))], check=True)

    assert play(file, taken) == expected
    for number in KILLED_AT:
        with open_record(tmp_path / str(number) / file.name) as record:
            kept = [(event["event"], event.get("notation")) for event in record.read_events("game")]
            assert record.find_broken_event("game") is None
        events = [json.loads(text) for text in said[number]]
        assert [one for event in events if (one := (event["event"], event.get("notation"))) not in kept] == []
    assert len(said[90]) > len(said[31]) > 0
    with open_record(file) as record:
        assert find_record_faults(record, folder_of(file)) == ([], 1)


@pytest.mark.parametrize("how", ["journal", "record"])
def test_it_is_noticed_while_nothing_is_written(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the next picture: a -wal of before in its place would be played into the record by the next start."""
    monkeypatch.setattr(held, "SAID_AFTER_S", 0.0)
    monkeypatch.setattr(held, "RETRY_S", 0.0)
    file, said = tmp_path / "games.sqlite3", dict[int, tuple[object, bool]]()
    journal, old = Path(f"{file}-wal"), tmp_path / "old"
    shutil.copy(__file__, old)
    stale = old.read_bytes()

    def taken(number: int, feed: Feed) -> None:
        if number == QUIET[0]:
            (old.replace(journal) if how == "journal" else file.rename(tmp_path / "elsewhere"))
        kind = feed.vitals.to_json(feed.newest_snapshot or {}, file)["record"]
        said[number] = kind, journal.read_bytes() == stale
        if number == QUIET[1] and how == "record":
            (tmp_path / "elsewhere").rename(file)

    play(file, taken)
    if how == "journal":
        assert said[QUIET[0]] == ("ok", True) and said[QUIET[1]] == ("ok", False), "another one was begun"
    else:
        assert said[QUIET[0]][0] == "ok" and said[QUIET[1]][0] == "gone" and said[QUIET[2]][0] == "ok"
    with open_record(file) as record:
        assert find_record_faults(record, folder_of(file)) == ([], 1)


def test_what_others_do_with_the_file_is_no_alarm(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Readers come and go, and others write and move the journal into the file."""
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        for number in range(5):
            record.append_event("game", {"event": "note", "text": str(number)})
            with read_record(file) as reader:
                assert len(reader.read_events("game")) == number + 1
            with open_record(file) as other:
                other.append_event("other", {"event": "note", "text": "another"})
            with closing(sqlite3.connect(file)) as shell:
                shell.execute(f"PRAGMA wal_checkpoint({('PASSIVE', 'RESTART', 'TRUNCATE')[number % 3]})")
        assert len(record.read_events("game")) == 5
    assert caplog.text == ""


def test_who_reads_meanwhile_has_the_game_wait(tmp_path: Path) -> None:
    """What a reader kept in the journal goes into the file before another journal is begun."""
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        record.append_event("game", {"event": "note", "text": "one"})
        with closing(sqlite3.connect(file, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM events").fetchall()
            record.append_event("game", {"event": "note", "text": "two"})
            Path(f"{file}-wal").unlink()
        record.append_event("game", {"event": "note", "text": "three"})
        assert Path(f"{file}-wal").exists()
        assert [event["text"] for event in record.read_events("game")] == ["one", "two", "three"]
