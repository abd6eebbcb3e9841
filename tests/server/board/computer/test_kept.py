"""What people set of the computer beside a game is in its record: a power cut does not take it away."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.games import load
from engine.match.acts import Mode
from engine.match.events import AnotherGame
from engine.match.referee import new_match
from server.board.computer.kept import computer_of
from server.board.live.notices import mode_of
from server.record.journal import GameBook, Journal
from server.record.store import open_record
from tests.patience import PATIENCE_S, wait_until
from tests.programs import started
from tests.server.bundled import still_film
from tests.server.commands.test_serve import PROFILE


def start_position(folder: Path) -> Path:
    """A recording of the board as it stands before the first move."""
    return folder if folder.exists() else still_film(folder, 0)


@contextmanager
def life(record: Path, *more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A service on the board as it stands at the start, with the address of its page."""
    command = [sys.executable, "-m", "server", "serve", "--profile", str(PROFILE), "--port", "0", "--pictures", "0"]
    command += ["--camera", str(start_position(record.parent / "film")), "--record", str(record), *more]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        while "page is at " not in line:
            assert line, "the service ended before its page was there"
            line = process.stdout.readline()
        yield line.split("page is at ")[1].split()[0], process
        process.kill()


def game(url: str) -> dict[str, dict[str, object]]:
    with urllib.request.urlopen(f"{url}api/v1/game", timeout=PATIENCE_S) as answer:  # noqa: S310  # our own address
        return dict(json.load(answer))


def until_advised(url: str) -> dict[str, dict[str, object]]:
    end = time.monotonic() + PATIENCE_S
    while not (now := game(url))["advice"]:
        assert time.monotonic() < end, now
        time.sleep(0.1)
    return now


def wish(url: str, path: str, body: dict[str, object]) -> None:
    data = json.dumps(body).encode()
    asked = urllib.request.Request(f"{url}api/v1/{path}", data, {"Content-Type": "application/json"})  # noqa: S310
    urllib.request.urlopen(asked, timeout=PATIENCE_S).close()  # noqa: S310  # our own address


def test_the_computer_and_the_tutor_go_on_after_a_kill(tmp_path: Path) -> None:
    record = tmp_path / "games.sqlite3"
    with life(record) as (url, process):
        wish(url, "opponent", {"side": "white", "level": 3})
        wish(url, "tutor", {"teach": True})
        until_advised(url)
        process.kill()
    with life(record) as (url, _):
        now = until_advised(url)
        assert now["advice"]["side"] == "white" and now["advice"]["move"]
        assert (now["tutor"]["best"], now["tutor"]["teach"]) == (False, True)
        wish(url, "opponent", {"side": "white", "level": None})
    with life(record) as (url, _):
        assert game(url)["advice"] is None, "people play it again"


def test_a_game_that_was_made_a_tournament_stays_one(tmp_path: Path) -> None:
    record = tmp_path / "games.sqlite3"
    with life(record, "--pictures", "10") as (url, process):
        wish(url, "mode", {"mode": "tournament"})
        wait_until(lambda: game(url)["mode"] == "tournament")
        process.kill()
    with life(record, "--pictures", "10") as (url, _):
        assert game(url)["mode"] == "tournament"


def test_the_next_game_has_it_in_its_own_record(tmp_path: Path) -> None:
    match = new_match(load("camelot"))
    with open_record(tmp_path / "games.sqlite3") as record:
        first = Journal(record, "camelot-0001")
        first.begin_game(match)
        for level in (3, 5):
            record.append_event(first.name, {"t": 1.0, "event": "computer", "levels": {"black": level}, "best": True})
        book = GameBook(first)
        book.write_event(AnotherGame(7.0, "adjourned"), match)
        events = record.read_events("camelot-0002")
    kept = computer_of(events, match.game.seats)
    assert kept is not None and (kept.levels, kept.best, kept.teach) == ({"black": 5}, True, False)
    assert events[-1]["t"] == 7.0


@pytest.mark.parametrize("levels", [None, [], {"red": 3}, {"black": 99}, {"black": "x"}])
def test_a_record_of_another_program_seats_nobody(levels: object) -> None:
    kept = computer_of([{"event": "computer", "levels": levels}], ("white", "black"))
    assert kept is not None and kept.levels == {}
    assert computer_of([{"event": "move"}], ("white", "black")) is None


def test_a_mode_of_the_record_never_makes_a_tournament_less() -> None:
    switched = [{"event": "mode", "mode": mode} for mode in ("tournament", "training")]
    assert mode_of(switched[:1], Mode.TRAINING) is Mode.TOURNAMENT
    assert mode_of(switched, Mode.TRAINING) is Mode.TRAINING
    assert mode_of(switched, Mode.TOURNAMENT) is Mode.TOURNAMENT
