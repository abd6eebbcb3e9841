"""The lost hour: the computer sleeps, or its date is set, while a game clock runs: said, asked, and written down."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from server.board.upkeep.lost_time import HELD_UP_S, LEAST_S, LostTime, TimeSources
from server.record.journal import fold_events
from server.record.store import open_record
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.board.live.test_hung_camera import Film
from tests.server.board.setup.streams import mjpeg
from tests.server.commands.test_serve import GAME, PROFILE

HOUR = 3600.0


class Times:
    """Three clocks that the test moves; without `awake_or_not` the system has no such clock."""

    def __init__(self, knows_sleep: bool = True) -> None:
        self.now = {"steady": 100.0, "awake_or_not": 5000.0, "date": 1.7e9}
        through = (lambda: self.now["awake_or_not"]) if knows_sleep else None
        self.lost = LostTime(TimeSources(lambda: self.now["steady"], through, lambda: self.now["date"]))

    def go_on(self, **seconds: float) -> tuple[str, float] | None:
        """A quarter of a second goes by, and what is named besides."""
        for name in self.now:
            self.now[name] += 0.25 + seconds.get(name, 0.0)
        found = self.lost.find_lost_span()
        return found and (found.kind, found.seconds)


@pytest.mark.parametrize("knows_sleep", [True, False])
def test_clocks_that_do_not_agree_tell_what_happened(knows_sleep: bool) -> None:
    times = Times(knows_sleep)
    assert times.go_on() is None
    asleep = times.go_on(awake_or_not=HOUR, date=HOUR)
    assert asleep == ("slept" if knows_sleep else "unknown", HOUR)
    assert times.go_on() is None, "said once"
    assert times.go_on(date=HOUR) == ("set" if knows_sleep else "unknown", HOUR)
    assert times.go_on(date=-HOUR) == ("set", -HOUR)
    assert times.go_on(date=LEAST_S - 0.1) is None
    held = HELD_UP_S - 1.0
    assert times.go_on(steady=held, awake_or_not=held, date=held) is None, "a machine that is overloaded"
    assert times.go_on(steady=HOUR, awake_or_not=HOUR, date=HOUR) == ("stopped", HOUR + 0.25)
    both = times.go_on(steady=HOUR, awake_or_not=2 * HOUR, date=2 * HOUR)
    assert both == ("stopped", (2 * HOUR if knows_sleep else HOUR) + 0.25)


def test_clocks_between_which_the_program_was_held_up_or_the_computer_slept_are_read_again() -> None:
    times, held = Times(), [HOUR, 0.0, 0.0, HOUR, 0.0, 0.0]

    def date() -> float:
        for name in times.now if len(held) > 3 else ("awake_or_not", "date"):  # held up first, asleep then
            times.now[name] += held[0]
        return times.now["date"] - held.pop(0)

    lost = LostTime(TimeSources(lambda: times.now["steady"], lambda: times.now["awake_or_not"], date))
    assert lost.find_lost_span() is None, "held up: all clocks went on"
    found = lost.find_lost_span()
    assert found is not None
    assert (found.kind, found.seconds) == ("slept", HOUR)


def test_a_date_that_creeps_is_never_told() -> None:
    times = Times()
    assert not any(times.go_on(date=0.1) for _ in range(1000))


def test_a_date_that_no_calendar_has_is_told_all_the_same() -> None:
    assert Times().go_on(date=1e15) == ("set", 1e15)


WITH_CLOCKS = """
import json, sys, time
from pathlib import Path
from server.board.upkeep import lost_time
moved = Path(sys.argv.pop(1))
def by(name):
    return json.loads(moved.read_text())[name]
lost_time.CLOCKS = lost_time.TimeSources(
    time.monotonic, lambda: time.monotonic() + by("slept"), lambda: time.time() + by("slept") + by("set")
)
from server.cli import main
main(sys.argv[1:])
"""
"""The service as it is, with clocks that a file moves: a computer that tests run on must not sleep."""


@contextmanager
def serving(folder: Path, camera: str, *terms: str, before: str = "", pids: list[int] | None = None) -> Iterator[str]:
    """The page's address; `before` is done first of all, and `pids` then has the process."""
    command = [sys.executable, "-c", before + WITH_CLOCKS, str(folder / "moved.json"), "serve"]
    command += ["--profile", str(PROFILE), "--port", "0", "--camera", camera]
    command += ["--record", str(folder / "games.sqlite3"), *(terms or ("--clock", "5m"))]
    with started(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if pids is not None:
            pids.append(process.pid)
        try:
            line = process.stdout.readline()
            while not (found := re.search(r"http://\S+", line)):
                assert line
                line = process.stdout.readline()
            yield found[0]
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def move(folder: Path, slept: float, date: float) -> None:
    new = folder / "new.json"
    new.write_text(json.dumps({"slept": slept, "set": date}), encoding="utf-8")
    new.rename(folder / "moved.json")


def shown(url: str, holds: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """What the page shows once something holds of it."""
    end = time.monotonic() + PATIENCE_S
    while True:
        with urllib.request.urlopen(f"{url}api/v1/game", timeout=PATIENCE_S) as answer:  # noqa: S310  # our own address
            game = dict(json.load(answer))
        if holds(game):
            return game
        assert time.monotonic() < end, game
        time.sleep(0.05)


def ask(url: str, act: str, now: dict[str, Any]) -> None:
    on = {"game": now["name"], "ply": now["ply"], "state": now["state"]}
    request = urllib.request.Request(  # noqa: S310  # our own address
        f"{url}api/v1/{act}", json.dumps({"on": on}).encode(), {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(request, timeout=PATIENCE_S).close()  # noqa: S310


def start_clocks(url: str) -> None:
    """As the button of the page: until then nobody's time runs, though the pieces stand and names may be entered."""
    now = shown(url, lambda now: now["phase"] == "playing")
    time.sleep(1.5)
    later = shown(url, lambda now: now["phase"] == "playing")
    assert (later["clocks"]["running"], later["clocks"]["left"]) == (None, {"white": 300.0, "black": 300.0})
    ask(url, "press", now)


def test_a_service_that_is_stopped_for_a_while_charges_nobody_before_it_has_asked(tmp_path: Path) -> None:
    film, pids = Film(), list[int]()
    move(tmp_path, 0.0, 0.0)
    with mjpeg("127.0.0.1", lambda _: film.picture()) as (camera, _), serving(tmp_path, camera, pids=pids) as url:
        start_clocks(url)
        before = shown(url, lambda now: now["clocks"]["running"] == "white")["clocks"]["left"]["white"]
        os.kill(pids[0], signal.SIGSTOP)
        time.sleep(HELD_UP_S + 2.0)
        os.kill(pids[0], signal.SIGCONT)
        asked = shown(url, lambda now: now["phase"] == "paused")
        assert asked["note"]["kind"] == "stopped"
        lost = asked["note"]["seconds"]
        assert lost >= HELD_UP_S
        left = asked["clocks"]["left"]["white"]
        assert left > before - HELD_UP_S, "not counted before anybody was asked"
        ask(url, "count-lost", asked)
        counted = shown(url, lambda now: now["phase"] == "playing")["clocks"]["left"]["white"]
        assert counted <= left - lost + 0.1


def test_a_service_whose_computer_sleeps_or_is_set_says_so_asks_and_keeps_both_times(tmp_path: Path) -> None:
    film = Film()
    move(tmp_path, 0.0, 0.0)
    with mjpeg("127.0.0.1", lambda _: film.picture()) as (camera, _), serving(tmp_path, camera) as url:
        start_clocks(url)
        shown(url, lambda now: now["phase"] == "playing" and now["clocks"]["running"] == "white")
        move(tmp_path, 60.0, 0.0)
        slept = shown(url, lambda now: now["phase"] == "paused")
        assert (slept["note"]["kind"], round(slept["note"]["seconds"])) == ("slept", 60)
        assert slept["clocks"]["running"] is None
        before = slept["clocks"]["left"]["white"]
        assert before > 240, "it was not counted before anybody was asked"
        ask(url, "count-lost", slept)
        counted = shown(url, lambda now: now["phase"] == "playing")
        assert counted["clocks"]["left"]["white"] <= before - 59
        move(tmp_path, 60.0, -HOUR)
        back = shown(url, lambda now: now["phase"] == "paused")
        assert (back["note"]["kind"], round(back["note"]["seconds"])) == ("set", -HOUR)
        ask(url, "resume", back)
        onward = shown(url, lambda now: now["phase"] == "playing")
        assert onward["clocks"]["left"]["white"] > 180, "a date says nothing of how long somebody thought"
        move(tmp_path, 60.0 + HOUR, -HOUR)
        ask(url, "count-lost", shown(url, lambda now: now["phase"] == "paused"))
        over = shown(url, lambda now: now["phase"] == "over")
        assert over["outcome"] == {"result": "0-1", "reason": "time", "said": True}
    with open_record(tmp_path / "games.sqlite3") as record:
        events = record.read_events(GAME)
    told = [event for event in events if event["event"] == "time-lost"]
    assert [(event["kind"], round(float(str(event["seconds"])))) for event in told] == [
        ("slept", 60),
        ("set", -HOUR),
        ("slept", HOUR),
    ]
    assert all(event["before"] and event["now"] and event["t"] for event in told), "both times are kept"
    assert str(told[1]["now"]) < str(told[1]["before"])
    assert [event["event"] for event in events].count("time-counted") == 2
    assert fold_events(events, GAME).outcome is not None
