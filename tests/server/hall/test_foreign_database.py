"""A database of something else, in the place of a record or of a hall's database: it is named, and left as it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import InputError
from server.hall.desk.database import close_database, open_database
from server.record.store import open_record
from server.record.verifying import find_record_faults
from tests.server.record.test_archive import played
from tests.server.test_hostile_formats import run


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("open_now", [False, True])
def test_a_hall_leaves_a_record_as_it_is(tmp_path: Path, *, open_now: bool) -> None:
    """Also one into which a game is being played."""
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        played(record, "camelot", 4)
        if open_now:
            with pytest.raises(InputError, match="no hall's database, it has events, places, summaries"):
                open_database(str(file), by_hall=True)
    before = files_of(tmp_path)
    with pytest.raises(InputError, match="no hall's database, it has events, places, summaries: name another"):
        open_database(str(file), by_hall=True)
    assert files_of(tmp_path) == before
    with open_record(file) as record:
        assert find_record_faults(record, tmp_path) == ([], 1)


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_both_leave_another_database_as_it_is(tmp_path: Path, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(file)) as other:
        other.execute(f"PRAGMA journal_mode = {mode}")
        other.execute("CREATE TABLE bookmarks (address TEXT)")
        other.commit()
    before = files_of(tmp_path)
    with pytest.raises(InputError, match="no hall's database, it has bookmarks"):
        open_database(str(file), by_hall=True)
    with pytest.raises(InputError, match="is another database, and no record: name another file"):
        open_record(file)
    assert run("tournament", "list", "--database", file) == 2
    assert run("games", "import", tmp_path / "none.pgn", "--record", file) == 2
    assert capsys.readouterr().err.count("\n") == 2
    assert files_of(tmp_path) == before


def test_a_record_is_not_begun_in_a_halls_database(tmp_path: Path) -> None:
    file = tmp_path / "hall.sqlite3"
    close_database(open_database(str(file), by_hall=True))
    before = file.read_bytes()
    with pytest.raises(InputError, match="is another database, and no record"):
        open_record(file)
    assert file.read_bytes() == before
