"""A command that writes a file keeps what was there under its name: it may have been somebody's only copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.record.store import open_record
from tests.server.record.test_archive import played
from tests.server.test_hostile_formats import run


@pytest.mark.parametrize("command", ["verify", "match", "report"])
def test_what_was_there_is_kept_beside(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, record, database = tmp_path / "file.txt", tmp_path / "games.sqlite3", tmp_path / "hall.sqlite3"
    with open_record(record) as opened:
        played(opened, "camelot", 6)
    new = ("tournament", "new", "open", "--rounds", "1", "--database", database, "--begins", "2026-11-24")
    assert run(*new) == 0
    ways: dict[str, tuple[object, ...]] = {
        "verify": ("verify", "--record", record, "--write-witness", out),
        "match": ("match", "random", "random", "--game", "camette", "--games", "2", "--nodes", "1", "--record", out),
        "report": ("tournament", "report", "open", "--database", database, "-o", out),
    }
    out.write_text("the only copy", encoding="utf-8")
    for _ in range(2):
        assert run(*ways[command]) == 0
    assert out.with_name("file.txt.before-1").read_text(encoding="utf-8") == "the only copy"
    assert out.with_name("file.txt.before-2").read_text(encoding="utf-8") == out.read_text(encoding="utf-8") != ""
    assert "is file.txt.before-1 now" in capsys.readouterr().err
