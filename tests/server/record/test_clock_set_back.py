"""The computer's clock set back or forward decides nothing: games and pictures are in the order in which they came."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import urllib.request
from itertools import pairwise
from pathlib import Path

import pytest

from engine import games
from engine.match.events import Moved
from engine.match.referee import new_match
from server.record.evidence import Store
from server.record.imports import add, read_games
from server.record.journal import Journal, next_name, unfinished
from server.record.store import Record, open_record
from server.table import resuming
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.commands.test_serve import PROFILE, SESSION

DATES = ("2026-11-21T19:30:00", "1970-01-01T00:00:07", "2098-01-01T00:00:00", "", "2026-11-21T19:31:00")
"""A Pi without a clock begins in 1970; somebody who sets it by hand may miss the year."""
FAR_BACK_S = 30 * 365 * 86400
FAKED = f"""
import sys, time
from datetime import UTC, datetime
real = time.time
time.time = lambda: real() - {FAR_BACK_S}
time.time_ns = lambda: int(time.time() * 1e9)
from server import cli
from server.table import resuming, table
resuming.today = table.today = lambda: datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds")
cli.main(sys.argv[1:])
"""
"""The program as it runs where the clock is thirty years behind."""


def begun(record: Record, date: str, moves: int = 1) -> str:
    match = new_match(games.load("camelot", "wcf"))
    journal = Journal(record, next_name(record, "camelot"))
    journal.begin(match, date)
    said = (
        Moved(1.0, 1, "white", "E6-E5", "E6", "E5", (), 1.0),
        Moved(2.0, 2, "black", "E11-E12", "E11", "E12", (), 1.0),
    )
    journal.write(said[:moves])
    return journal.name


def test_the_last_game_that_was_begun_goes_on_whatever_the_clock_said(tmp_path: Path) -> None:
    with open_record(tmp_path / "games.sqlite3") as record:
        for date in DATES:
            name = begun(record, date)
            assert unfinished(record, "camelot", "wcf") == name
            assert record.summaries()[0].name == name
        assert [summary.begun for summary in record.summaries()] == list(reversed(DATES))


def test_a_service_started_with_the_clock_set_back_goes_on_with_its_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = new_match(games.load("camelot", "wcf"))
    with open_record(tmp_path / "games.sqlite3") as record:
        begun(record, "2026-11-21T19:30:00", moves=1)
        monkeypatch.setattr(resuming, "today", lambda: "1970-01-01T00:00:07")
        _, journal = resuming.resumed(record, fresh, True)
        journal.write([Moved(1.0, 1, "white", "F6-F5", "F6", "F5", (), 1.0)])
        match, again = resuming.resumed(record, fresh, False)
        assert again.name == journal.name == "camelot-0002"
        assert len(match.moves) == 1
    assert "Going on with camelot-0002" in capsys.readouterr().out


def test_the_real_program_with_its_clock_set_back(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        begun(record, "2026-11-21T19:30:00")
    for arguments, name in (("--new", "camelot-0002"), ("", "camelot-0002")):
        command = [sys.executable, "-c", FAKED, "serve", "--profile", str(PROFILE), "--camera", str(SESSION)]
        command += ["--port", "0", "--record", str(file), *filter(None, [arguments])]
        with started(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                said = ""
                while "page is at" not in said:
                    line = process.stdout.readline()
                    assert line, said
                    said += line
                assert f"({name})" in said
                if arguments:
                    wait_for_a_move(said.split("page is at ")[1].split(" ")[0])
            finally:
                process.terminate()
    with open_record(file) as record:
        assert record.summary("camelot-0002") is not None
        assert record.events("camelot-0002")[0]["begun"] < "2026"  # type: ignore[operator]  # a date


def wait_for_a_move(url: str) -> None:
    with urllib.request.urlopen(f"{url}api/v1/events", timeout=PATIENCE_S) as stream:  # noqa: S310  # our own address
        while True:
            line = stream.readline().decode()
            assert line
            if line.startswith("data: ") and json.loads(line.removeprefix("data: ")).get("event") == "move":
                return


def test_games_out_of_files_are_no_game_to_go_on_with(tmp_path: Path) -> None:
    """They were played elsewhere and earlier, whatever date they bring."""
    text = tmp_path / "old.pgn"
    text.write_text('[Event "old"]\n[Date "2099.01.01"]\n[Variant "camelot"]\n[Rules "wcf"]\n\n1. E6-E5 1-0\n')
    with open_record(tmp_path / "games.sqlite3") as record:
        mine = begun(record, "2026-11-21T19:30:00")
        add(record, read_games(text))
        assert unfinished(record, "camelot", "wcf") == mine
        assert [summary.name for summary in record.summaries()] == [mine, "old"]


def test_pictures_go_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    """Also after a restart, when only the files are known."""
    times = iter((1_700_000_000, 5, 4_000_000_000, 6, 7))
    store = Store(tmp_path, 10**9, lambda: next(times) * 10**9)
    names = [store.put(bytes([number]) * 1000) for number in range(5)]
    stamps = [(tmp_path / f"{name}.jpg").stat().st_mtime_ns for name in names]
    assert all(one < other for one, other in pairwise(stamps))
    again = Store(tmp_path, 2500, lambda: 8)
    names.append(again.put(b"x" * 1000))
    assert again.surplus(()) == names[:4]


def test_a_record_of_the_second_version_keeps_its_order(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        names = [begun(record, date) for date in sorted(DATES)]
    db = sqlite3.connect(file)
    db.executescript("DROP TABLE places; PRAGMA user_version = 2;")
    db.close()
    with open_record(file) as record:
        assert [summary.name for summary in record.summaries()] == names[::-1]
        assert all(record.broken_at(name) is None for name in names)
        assert begun(record, "1970-01-01") == record.summaries()[0].name
