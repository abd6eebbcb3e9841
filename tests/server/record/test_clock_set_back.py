"""The computer's clock set back or forward decides nothing: games and pictures are in the order in which they came."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from engine import games
from engine.errors import InputError
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.events import Adjourned, Moved, Result, Resumed
from engine.match.referee import new_match
from engine.match.state import Phase
from server.board import resuming
from server.record.details import Details, find_latest_details
from server.record.evidence import Store, folder_of
from server.record.imports import add_games
from server.record.journal import Journal, find_unfinished, next_name
from server.record.store import Record, open_record
from server.record.verifying import find_record_faults
from tests.programs import started
from tests.server.commands.test_serve import PROFILE, SESSION
from tests.server.record.reading import read_games

DATES = ("2026-11-21T19:30:00", "1970-01-01T00:00:07", "2098-01-01T00:00:00", "", "2026-11-21T19:31:00")
"""A Pi without a clock begins in 1970; somebody who sets it by hand may miss the year."""
NOW, BACK, FORWARD = "2026-11-21 19:30:00", "1970-01-02 00:00:07", "2098-01-01 00:00:00"
"""What the machine's clock says at one start of the program after the other."""


def begun(record: Record, date: str, moves: int = 1) -> str:
    match = new_match(games.load("camelot", "wcf"))
    journal = Journal(record, next_name(record, "camelot"))
    journal.begin_game(match, date)
    said = (
        Moved(1.0, 1, "white", "E6-E5", "E6", "E5", (), 1.0),
        Moved(2.0, 2, "black", "E11-E12", "E11", "E12", (), 1.0),
    )
    journal.write_events(said[:moves])
    return journal.name


def test_the_last_game_that_was_begun_goes_on_whatever_the_clock_said(tmp_path: Path) -> None:
    with open_record(tmp_path / "games.sqlite3") as record:
        for date in DATES:
            name = begun(record, date)
            assert find_unfinished(record, "camelot", "wcf") == name
            assert record.list_summaries()[0].name == name
        assert [summary.begun for summary in record.list_summaries()] == list(reversed(DATES))


def test_a_service_started_with_the_clock_set_back_goes_on_with_its_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = new_match(games.load("camelot", "wcf"))
    with open_record(tmp_path / "games.sqlite3") as record:
        begun(record, "2026-11-21T19:30:00", moves=1)
        monkeypatch.setattr(resuming, "format_now", lambda: "1970-01-01T00:00:07")
        _, journal = resuming.resume_game(record, fresh, fresh=True)
        journal.write_events([Moved(1.0, 1, "white", "F6-F5", "F6", "F5", (), 1.0)])
        match, again = resuming.resume_game(record, fresh, fresh=False)
        assert again.name == journal.name == "camelot-0002"
        assert len(match.moves) == 1
    assert "Going on with camelot-0002" in capsys.readouterr().out


def test_a_game_that_was_adjourned_is_taken_up_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After another game was begun nothing took it up any more, though the page had said that it goes on."""
    fresh, folder = new_match(games.load("camelot", "wcf")), tmp_path / "pictures"
    with open_record(tmp_path / "games.sqlite3") as record:
        adjourned = Journal(record, begun(record, "2026-11-21T19:30:00", moves=2))
        adjourned.write_events([Adjourned(3.0)])
        begun(record, "2026-11-21T20:30:00", moves=1)
        match, journal = resuming.resume_game(record, fresh, fresh=False, taken_up=adjourned.name)
        assert (journal.name, len(match.moves), match.phase) == (adjourned.name, 2, Phase.ADJOURNED)
        assert match.recalled
        journal.write_events([Resumed(4.0), Moved(5.0, 3, "white", "F6-F5", "F6", "F5", (), 1.0)])
        assert find_record_faults(record, folder) == ([], 2)
        for name, why in (("camelot-0009", "no such game"), ("../x", "no such game")):
            with pytest.raises(InputError, match=why):
                resuming.resume_game(record, fresh, fresh=False, taken_up=name)
        other = new_match(games.load("cam"))
        own, kept = tmp_path / "board.toml", tmp_path / "board.toml.before-1"
        for how in ("set up its board first", f"referee serve --profile {kept} --take-up {adjourned.name}`"):
            with pytest.raises(InputError, match=r"it is camelot \(wcf\), this profile is for cam .*" + re.escape(how)):
                resuming.resume_game(record, other, fresh=False, taken_up=adjourned.name, profile=own)
            shutil.copy(SESSION / "profile.toml", kept)
        journal.write_events([Result(6.0, "1-0", "resignation")])
        _, last = resuming.resume_game(record, fresh, fresh=False, taken_up=adjourned.name)
        assert last.name == "camelot-0003"
    assert f"{adjourned.name} is over" in capsys.readouterr().out


def test_a_clock_that_is_asked_for_is_the_next_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It was dropped without a word where a game without a clock went on, and no later game had one."""
    fresh = with_clock(new_match(games.load("camelot", "wcf")), parse_control("90s+3s"))
    with open_record(tmp_path / "games.sqlite3") as record:
        begun(record, "2026-11-21T19:30:00", moves=1)
        match, _ = resuming.resume_game(record, fresh, fresh=False)
    assert (match.clocks, match.next_control) == ((), parse_control("90s+3s"))
    assert "without a clock and goes on so; 90s+3s is for the next game" in capsys.readouterr().out


def test_who_plays_an_unplayed_game_is_known_under_another_clock(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh = new_match(games.load("camelot", "wcf"))
    named = Details(players=(("white", "Ann"), ("black", "Ben")))
    with open_record(tmp_path / "games.sqlite3") as record:
        before = Journal(record, begun(record, "2026-11-21T19:30:00", moves=0))
        before.write_note(named.to_event(0.0, "page"))
        match, journal = resuming.resume_game(record, with_clock(fresh, parse_control("10m+5s")), fresh=False)
        assert find_latest_details(record.read_events(journal.name), fresh.game.seats) == named
    assert match.clocks[0].control == parse_control("10m+5s")
    assert f"{journal.name} takes its place with 10m+5s" in capsys.readouterr().out


def test_the_real_program_with_its_clock_set_back_and_forward(tmp_path: Path) -> None:
    """The game begun last goes on, not the one with the latest date."""
    file = tmp_path / "games.sqlite3"
    assert "(camelot-0001)" in served(file, NOW, "--new")
    assert "(camelot-0002)" in served(file, BACK, "--new")
    assert "(camelot-0002)" in served(file, FORWARD), "the clock decided which game goes on"
    with open_record(file) as record:
        assert find_record_faults(record, folder_of(file)) == ([], 2)
        dates = [str(record.read_events(name)[0]["begun"])[:10] for name in sorted(record.event_counts())]
        assert dates == [NOW[:10], BACK[:10]], "the clock was really set"


def served(file: Path, clock: str, *more: str) -> str:
    """What the program says first, with the machine's clock set."""
    command = ["faketime", "-m", clock, sys.executable, "-m", "server", "serve", "--profile", str(PROFILE)]
    command += ["--camera", str(SESSION), "--port", "0", "--record", str(file), *more]
    environ = os.environ | {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "TZ": "UTC"}
    with started(command, stdout=subprocess.PIPE, text=True, env=environ, start_new_session=True) as process:
        assert process.stdout is not None
        said = ""
        try:
            while "page is at" not in said:
                line = process.stdout.readline()
                assert line, said
                said += line
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    return said


def test_games_out_of_files_are_no_game_to_go_on_with(tmp_path: Path) -> None:
    """They were played elsewhere and earlier, whatever date they bring."""
    text = tmp_path / "old.pgn"
    text.write_text('[Event "old"]\n[Date "2099.01.01"]\n[Variant "camelot"]\n[Rules "wcf"]\n\n1. E6-E5 1-0\n')
    with open_record(tmp_path / "games.sqlite3") as record:
        mine = begun(record, "2026-11-21T19:30:00")
        add_games(record, read_games(text))
        assert find_unfinished(record, "camelot", "wcf") == mine
        assert [summary.name for summary in record.list_summaries()] == [mine, "old"]


def test_pictures_go_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    """Also after a restart, when only the files are known."""
    times = iter((1_700_000_000, 5, 4_000_000_000, 6, 7))
    store = Store(tmp_path, 10**9, lambda: next(times) * 10**9)
    names = [store.add_picture(bytes([number]) * 1000) for number in range(5)]
    stamps = [(tmp_path / f"{name}.jpg").stat().st_mtime_ns for name in names]
    assert all(one < other for one, other in pairwise(stamps))
    again = Store(tmp_path, 2500, lambda: 8)
    names.append(again.add_picture(b"x" * 1000))
    assert again.choose_surplus(()) == names[:4]


def test_a_record_of_the_second_version_keeps_its_order(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        names = [begun(record, date) for date in sorted(DATES)]
    db = sqlite3.connect(file)
    db.executescript("DROP TABLE places; PRAGMA user_version = 2;")
    db.close()
    with open_record(file) as record:
        assert [summary.name for summary in record.list_summaries()] == names[::-1]
        assert all(record.find_broken_event(name) is None for name in names)
        assert begun(record, "1970-01-01") == record.list_summaries()[0].name
