"""Whole copies of a record: taken while it is written, verified, put back; and names that survive a power cut."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import InputError
from server.exits import ANSWER_IS_NO
from server.record import store as records
from server.record.copies import copy_record
from server.record.evidence import Store, folder_of
from server.record.playing import claim_record
from server.record.store import open_record
from server.record.traces.trace import open_trace
from server.waits import describe_failure
from server.web.access.accounts import Accounts, write_accounts
from tests.programs import started
from tests.server.full_disk import files_of_at_most
from tests.server.record.test_archive import played, refused, run
from tests.server.record.test_evidence import GAME, refereed

TALKER = """
import sys
from server.record.store import open_record
from server.record.traces.trace import open_trace
record = open_record(sys.argv[1])
while True:
    print(record.append_event(sys.argv[2], {"event": "note", "text": "x" * 200}), flush=True)
"""
"""Writes into a game what moves nothing, as fast as can be."""
HOLDER = """
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
db.execute("ROLLBACK")
"""
"""Another program that holds the record until it is told to let go."""


def test_a_backup_while_the_game_is_written_is_whole(tmp_path: Path) -> None:
    path, told = tmp_path / "games.db", 0
    with open_record(path) as record:
        name = played(record, "camelot", 2)
    with started([sys.executable, "-c", TALKER, str(path), name], stdout=subprocess.PIPE, text=True) as talker:
        assert talker.stdout is not None
        try:
            for number in range(5):
                told = int(talker.stdout.readline())
                out = tmp_path / f"copy-{number}.db"
                assert run("backup", out, "--record", path) == (0, f"{out}: ok, 1 games\n")
                with open_record(out) as copy:
                    assert len(copy.read_events(name)) >= told
        finally:
            talker.kill()


def test_backup_and_restore_bring_back_games_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "games.sqlite3", tmp_path / "copies" / "copy.sqlite3"
    out.parent.mkdir()
    refereed(file)
    with open_record(file) as live:  # its journal holds what the file does not have yet
        played(live, "camblam", 4)
        assert run("backup", out, "--record", file) == (0, f"{out}: ok, 2 games\n")
        pictures = {path.name for path in folder_of(file).iterdir()}
        assert {path.name for path in folder_of(out).iterdir()} == pictures
        events = live.read_events(GAME)
    assert sorted(path.name for path in out.parent.iterdir()) == ["copy.sqlite3", "copy.sqlite3-pictures"]
    assert "is a database" in refused(capsys, "backup", out, "--record", file)
    run("games", "delete", GAME, "--yes", "--record", file)
    with claim_record(file):
        assert "another referee" in refused(capsys, "restore", out, "--record", file)
    status, said = run("restore", out, "--record", file)
    assert status == 0
    assert f"{file}: ok, 2 games" in said
    with open_record(file) as record:
        assert record.read_events(GAME) == events
    assert {path.name for path in folder_of(file).iterdir()} == pictures
    assert run("verify", "--record", file)[0] == 0
    aside = tmp_path / "games.sqlite3.before-1"
    with open_record(aside) as record:
        assert list(record.event_counts()) == ["camblam-0001"]
    assert "is the record itself" in refused(capsys, "restore", file, "--record", file)


def test_a_backup_into_a_folder_that_is_missing_names_that(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_record(tmp_path / "games.db") as record:
        played(record, "camelot", 2)
    said = refused(capsys, "backup", tmp_path / "stick" / "games.db", "--record", tmp_path / "games.db")
    assert said == f"referee: {tmp_path / 'stick'}: there is no such folder\n"


def test_a_copy_for_which_there_is_no_room_calls_no_record_damaged(tmp_path: Path) -> None:
    """Whoever was told so would put an older copy in the place of a good record."""
    file, copy = tmp_path / "games.sqlite3", tmp_path / "copy.sqlite3"
    refereed(file)
    with files_of_at_most(8192), pytest.raises(InputError) as told:
        copy_record(file, copy)
    assert str(told.value).startswith(f"record {file} or its copy {copy}: the record's disk")
    assert not list(tmp_path.glob("copy*"))
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    assert "is full: free some space" in describe_failure("games.sqlite3", full)
    assert "damaged" in describe_failure("games.sqlite3", sqlite3.DatabaseError("database disk image is malformed"))


def test_a_spoilt_copy_is_not_put_in_place(tmp_path: Path) -> None:
    file, out = tmp_path / "games.sqlite3", tmp_path / "copy.sqlite3"
    with open_record(file) as record:
        played(record, "camelot", 4)
    run("backup", out, "--record", file)
    whole = file.read_bytes()
    db = sqlite3.connect(out)
    db.execute("DROP TRIGGER events_stand")
    db.execute("UPDATE events SET event = replace(event, '\"t\":9.0', '\"t\":9.1')")
    db.commit()
    db.close()
    status, said = run("restore", out, "--record", file)
    assert status == ANSWER_IS_NO
    assert "not as it was written" in said
    assert file.read_bytes() == whole
    status, said = run("backup", tmp_path / "another.sqlite3", "--record", out)
    assert status == ANSWER_IS_NO
    assert sorted(path.name for path in tmp_path.iterdir() if "another" in path.name) == []


def test_names_of_files_are_flushed_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a power cut a renamed file may be missing although it was flushed: its folder was not."""
    flushed: list[int] = []
    fsync = os.fsync

    def seen(handle: int) -> None:
        found = os.fstat(handle)
        if stat.S_ISDIR(found.st_mode):
            flushed.append(found.st_ino)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", seen)
    Store(tmp_path / "pictures", 10**9).add_picture(b"picture")
    assert flushed == [(tmp_path / "pictures").stat().st_ino]
    write_accounts(tmp_path / "accounts.json", Accounts())
    assert flushed[1:] == [tmp_path.stat().st_ino]


def test_another_program_that_holds_the_record_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file manager's preview, a copy tool, somebody's SQL shell: the game waits, says so, and loses nothing."""
    monkeypatch.setattr(records, "PATIENCE_S", 0.05)
    path, said = tmp_path / "games.sqlite3", list[str]()
    command = [sys.executable, "-c", HOLDER, str(path)]
    with open_record(path) as record:
        record.append_event("game", {"event": "ready"})
        with started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdin is not None and holder.stdout is not None
            assert holder.stdout.readline() == "held\n"

            def let_go(message: str) -> None:
                said.append(message)
                if len(said) == 1 and holder.stdin is not None:
                    holder.stdin.write("now\n")
                    holder.stdin.flush()

            record.on_wait = let_go
            assert record.append_event("game", {"event": "move", "ply": 1}) == 2
        assert said == ["the record is held by another program: the game waits for it, and nothing is lost"]
        assert record.append_event("game", {"event": "move", "ply": 2}) == 3
    with open_record(path) as record:
        assert [event["event"] for event in record.read_events("game")] == ["ready", "move", "move"]


def test_one_that_never_lets_go_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "PATIENCE_S", 0.05)
    monkeypatch.setattr(records, "LONGEST_LOCK_S", 0.2)
    path = tmp_path / "games.sqlite3"
    with open_record(path) as record, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match="end the program that holds it"):
            record.append_event("game", {"event": "move"})
        other.execute("ROLLBACK")
        assert record.append_event("game", {"event": "move"}) == 1


def test_copies_and_traces_are_their_owners_alone(tmp_path: Path) -> None:
    """Whatever the umask lets others do: a record holds names and pictures of people."""
    record, copy, own = (tmp_path / name for name in ("a.sqlite3", "copy.sqlite3", "own.sqlite3"))
    with open_record(record) as opened:
        played(opened, "camelot", 1)
    before = os.umask(0)
    try:
        run("backup", copy, "--record", record)
        copy_record(record, own)
        with open_trace(tmp_path / "trace.jsonl") as plain, open_trace(tmp_path / "trace.jsonl.gz") as packed:
            plain({"in": "tick"})
            packed({"in": "tick"})
    finally:
        os.umask(before)
    for file in tmp_path.iterdir():
        if file.is_file() and file.name != "a.sqlite3":
            assert file.stat().st_mode & 0o077 == 0, file


def test_a_record_that_is_gone_is_not_begun_anew_by_itself(tmp_path: Path) -> None:
    """Its journal is given to no other file, neither an empty one nor a copy that is put in its place."""
    file, out = tmp_path / "games.sqlite3", tmp_path / "copy.sqlite3"
    refereed(file)
    assert run("backup", out, "--record", file)[0] == 0
    with open_record(file) as record:
        played(record, "camblam", 4)
        journal = (tmp_path / "games.sqlite3-wal").read_bytes()
    file.rename(tmp_path / "elsewhere")
    (tmp_path / "games.sqlite3-wal").write_bytes(journal)
    for _ in range(2):
        with pytest.raises(InputError, match=r"games\.sqlite3-wal.*put it back"):
            open_record(file)
        assert (tmp_path / "games.sqlite3-wal").read_bytes() == journal
        file.touch()
    code, said = run("restore", out, "--record", file)
    assert (code, said) == (0, f"{tmp_path / 'games.sqlite3.before-1'}: the record from before\n{file}: ok, 1 games\n")
    assert (tmp_path / "games.sqlite3.before-1-wal").read_bytes() == journal
    file.unlink()
    with pytest.raises(InputError, match=r"move away what is left: games\.sqlite3-pictures"):
        open_record(file)
    folder_of(file).rename(tmp_path / "aside")
    open_record(file).close_file()


def test_a_record_that_was_cut_off_after_its_header_is_not_begun_anew(tmp_path: Path) -> None:
    """SQLite takes what is left for a file into which nothing was written yet."""
    file = tmp_path / "games.sqlite3"
    with closing(sqlite3.connect(file)) as empty:
        empty.execute("PRAGMA journal_mode = WAL")
    assert file.stat().st_size > 0
    folder_of(file).mkdir()
    (folder_of(file) / "picture.jpg").write_bytes(b"1")
    with pytest.raises(InputError, match=r"is missing or empty, and games\.sqlite3-pictures beside it"):
        open_record(file)
    folder_of(file).rename(tmp_path / "aside")
    open_record(file).close_file()
