"""verify accuses no honest record, whenever the program was killed, and passes none whose frame was changed."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.cli import main
from server.exits import ANSWER_IS_NO
from server.record.evidence import EVIDENCE, folder_of, picture_names
from server.record.store import open_record
from tests.server.record.test_archive import played, refused, run
from tests.server.record.test_evidence import GAME, refereed

KILLED = """
import os, sys
from pathlib import Path
from tests.server.board.live.seen_once import SeenOnce, film
from tests.server.record.test_evidence import refereed
SeenOnce().take_frame(film()[0])
unlink, left = Path.unlink, 0
def dying(path, missing_ok=False):
    global left
    unlink(path, missing_ok)
    left -= path.suffix == ".jpg"
    if not left:
        os._exit(9)
Path.unlink = dying
for name in sys.argv[2:]:
    if not (child := os.fork()):
        left = int(name)
        refereed(Path(sys.argv[1], name), 300_000)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
"""The service in games with little room for pictures; each ends, as by kill -9, when so many were removed."""
DELETED = """
import os, sys
from pathlib import Path
from server import record
from server.cli import main
unlink = Path.unlink
def dying(path, missing_ok=False):
    unlink(path, missing_ok)
    if path.suffix == ".jpg":
        os._exit(9)
Path.unlink = dying
main(["games", "delete", sys.argv[2], "--yes", "--record", sys.argv[1]])
"""
FLIPS = int(os.environ.get("FLIPS", "160"))
"""Of single bits in the schema; `make attack` asks for more."""
HEADER = 100
"""Bytes of an SQLite file before its schema."""


def test_a_kill_while_pictures_make_room_leaves_an_honest_record(tmp_path: Path) -> None:
    removed = ["1", "2", "3"]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), *removed], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["9", "9", "9"], done.stderr
    for name in removed:
        file = tmp_path / name
        status, said = run("verify", "--record", file)
        assert status == 0 and said.startswith(f"{file}: ok, 1 games\n")


def test_a_kill_while_a_game_is_deleted_leaves_an_honest_record(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    refereed(file)
    done = subprocess.run([sys.executable, "-c", DELETED, str(file), GAME], capture_output=True, check=False)
    assert done.returncode == 9, done.stderr
    status, said = run("verify", "--record", file)
    assert (status, said) == (0, f"{file}: ok, 0 games\n")


def test_what_is_not_announced_is_missed(tmp_path: Path) -> None:
    """Intention first: a picture may be gone only where the record says so."""
    file = tmp_path / "games.sqlite3"
    events = refereed(file, 300_000)
    named = {name for event in events if event["event"] == EVIDENCE for name in picture_names(event)}
    left = [path for path in folder_of(file).iterdir() if path.stem in named]
    left[0].unlink()
    status, said = run("verify", "--record", file)
    assert status == ANSWER_IS_NO
    assert left[0].stem in said


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("frame") / "games.sqlite3"
    with open_record(path) as record:
        played(record, "camelot", 4)
        record._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


@pytest.fixture
def copy(file: Path, tmp_path: Path) -> Iterator[Path]:
    yield Path(shutil.copy(file, tmp_path / "copy.sqlite3"))


SCHEMA = [
    ("UPDATE sqlite_master SET sql = replace(sql, 'previous', 'prev') WHERE name = 'events'", "table events is not"),
    ("UPDATE sqlite_master SET sql = replace(sql, 'begun TEXT', 'begun TEXX') WHERE name = 'summaries'", "summaries"),
    ("UPDATE sqlite_master SET sql = replace(sql, 'ABORT', 'IGNORE') WHERE name = 'events_stay'", "events_stay"),
    ("UPDATE sqlite_master SET sql = replace(sql, 'BEFORE', 'AFTER') WHERE name = 'events_stand'", "events_stand"),
    ("DELETE FROM sqlite_master WHERE name = 'events_stand'", "trigger events_stand is missing"),
    ("UPDATE sqlite_master SET tbl_name = 'summaries' WHERE name = 'events_stay'", "events_stay"),
    ("UPDATE sqlite_master SET name = CAST(x'ff41' AS TEXT), sql = replace(sql, 'events_stay', CAST(x'ff41' AS TEXT))"
     " WHERE name = 'events_stay'", "damaged"),
    ("CREATE TRIGGER sly AFTER INSERT ON summaries BEGIN DELETE FROM places; END", "trigger sly does not belong there"),
    ("PRAGMA user_version = 2", "damaged"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "said"), SCHEMA, ids=[str(number) for number in range(len(SCHEMA))])
def test_a_changed_frame_is_found(copy: Path, capsys: pytest.CaptureFixture[str], statement: str, said: str) -> None:
    db = sqlite3.connect(copy)
    db.execute("PRAGMA writable_schema = ON")
    db.execute(statement)
    db.commit()
    db.close()
    status, out = answered(capsys, "verify", copy)
    assert status in {ANSWER_IS_NO, 2}
    assert said in out


def test_another_text_encoding_is_found(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = bytearray(copy.read_bytes())
    data[59] = 3
    copy.write_bytes(data)
    assert answered(capsys, "verify", copy)[0] in {ANSWER_IS_NO, 2}


@pytest.mark.parametrize("column", ["begun", "rules", "plies", "head", "details", "another"])
@pytest.mark.parametrize("value", ["NULL", "x'80'"])
def test_a_list_of_games_that_holds_something_else_is_damaged(
    copy: Path, capsys: pytest.CaptureFixture[str], column: str, value: str
) -> None:
    """As one flipped bit makes it, past the rules of the table."""
    db = sqlite3.connect(copy)
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE name = 'summaries'")
    db.commit()
    db.close()
    db = sqlite3.connect(copy)
    if column == "another":
        db.execute("ALTER TABLE summaries ADD COLUMN another TEXT")
    else:
        db.execute(f"UPDATE summaries SET {column} = {value}")  # noqa: S608
    db.commit()
    db.close()
    for command in ("games list", f"games show {GAME}", "verify"):
        answered(capsys, command, copy)
    assert answered(capsys, "games list", copy)[0] == 2
    assert answered(capsys, "verify", copy)[0] == ANSWER_IS_NO


def answered(capsys: pytest.CaptureFixture[str], command: str, path: Path) -> tuple[int, str]:
    """Exit code and all that was said; any other end than an exit is a fault of the program."""
    with pytest.raises(SystemExit) as stopped:
        main([*command.split(), "--record", str(path)])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert said.err.count("\n") == (stopped.value.code == 2)
    return int(stopped.value.code or 0), said.out + said.err


def content(path: Path) -> list[object]:
    """All that a record says, however the file is laid out."""
    db = sqlite3.connect(path)
    tables = ("sqlite_master", "events", "summaries", "places")
    found = [
        db.execute(f"SELECT {'type, name, tbl_name, sql' if table == tables[0] else '*'} FROM {table}").fetchall()  # noqa: S608
        for table in tables
    ]
    found += db.execute("PRAGMA encoding").fetchone()
    db.close()
    return found


@pytest.mark.parametrize("where", ["frame", "anywhere"])
def test_any_flipped_bit_is_found_or_harmless(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    """In the file's header and in all that says what its tables are, or anywhere; with a word, never a traceback."""
    whole, honest, found = file.read_bytes(), content(file), 0
    start = int.from_bytes(whole[105:107], "big")
    frame = [*range(HEADER), *range(HEADER, HEADER + 40), *range(start, 4096)]
    places, flips = (frame, 2 * FLIPS // 7) if where == "frame" else (range(len(whole)), 5 * FLIPS // 7)
    chance = random.Random(None if "FLIPS" in os.environ else 4)  # at length, each run falls elsewhere
    for number in range(flips):
        data = bytearray(whole)
        data[chance.choice(places)] ^= 1 << chance.randrange(8)
        path = tmp_path / f"{number}.sqlite3"
        path.write_bytes(data)
        for command in ("games list", f"games show {GAME}"):
            answered(capsys, command, path)
        path.write_bytes(data)
        for rest in ("-wal", "-shm"):
            path.with_name(path.name + rest).unlink(missing_ok=True)
        status, _ = answered(capsys, "verify", path)
        found += status != 0
        if status == 0:
            assert content(path) == honest
    print(f"{flips} flips in {where}, {found} of them found, the others change nothing that the record says")
    assert found > (flips / 3 if where == "frame" else 0)


def test_a_copy_without_its_journal_is_not_called_ok(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, empty = tmp_path / "games.sqlite3", tmp_path / "copied.sqlite3"
    with open_record(file):  # its tables are in its journal until the first event
        shutil.copy(file, empty)
        assert "referee backup" in refused(capsys, "verify", "--record", empty)
    empty.write_bytes(b"")
    assert "referee backup" in refused(capsys, "verify", "--record", empty)
