"""`kill -9` while somebody thinks, or just after a first ply: the next run goes on as if there had been none."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import games
from engine.match.acts import Lose
from engine.match.arbiter import apply_act
from engine.match.carried import CarriedOver, carry_over, note_carried
from engine.match.clock import parse_control, seconds_left, start_clock
from engine.match.clocked_match import with_clock
from engine.match.events import AnotherGame, Takeback, TimeLost
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from server.board.life_sign import SIGN_EVERY_S, LifeSigns, path_beside, read_sign, recall_match
from server.record.journal import build_begin_event
from server.record.store import open_record
from server.record.traces.trace import Trace, build_header
from tests.server.board.live.test_hung_camera import SESSION
from tests.server.board.setup.streams import mjpeg
from tests.server.board.upkeep.test_lost_time import ask, move, serving, shown, start_clocks
from tests.server.bundled import picture_of
from tests.server.commands.test_serve import GAME
from vision.frames import load_picture
from vision.ground import Image

CAMELOT = games.load("camelot", "wcf")
CONTROL_S, THOUGHT_S = 300.0, 2 * SIGN_EVERY_S


class Board:
    """A camera over a board on which `ply` plies were made."""

    def __init__(self) -> None:
        self.ply = 0
        self._stills = [load_picture(SESSION / f"frame_{picture_of(ply):04}.jpg") for ply in range(2)]
        self._dice = np.random.default_rng(1)

    def picture(self) -> Image:
        still = self._stills[self.ply]
        return np.clip(still + self._dice.normal(0.0, 2.0, still.shape[:2])[..., None], 0, 255).astype(np.uint8)


def test_what_was_thought_before_a_kill_is_not_given_back_and_what_passed_then_is_asked_about(tmp_path: Path) -> None:
    board = Board()
    move(tmp_path, 0.0, 0.0)
    with mjpeg("127.0.0.1", lambda _: board.picture()) as (camera, _):
        with serving(tmp_path, camera) as url:
            start_clocks(url)
            shown(url, lambda now: now["clocks"]["left"]["white"] < CONTROL_S - THOUGHT_S)
        killed = time.time()
        with serving(tmp_path, camera) as url:
            asked = shown(url, lambda now: now["phase"] == "paused")
            away = time.time() - killed
            note = asked["note"]
            assert (note["event"], note["kind"]) == ("time-lost", "stopped")
            assert 0 < note["seconds"] < away + SIGN_EVERY_S + 1
            left = asked["clocks"]["left"]["white"]
            assert left < CONTROL_S - THOUGHT_S + SIGN_EVERY_S + 1, "it is not given back"
            ask(url, "count-lost", asked)
            shown(url, lambda now: now["clocks"]["running"] == "white" and now["clocks"]["left"]["white"] <= left)
            counted = shown(url, lambda now: now["phase"] == "playing")["clocks"]["left"]["white"]
            assert counted < left - note["seconds"] + 0.1
    with open_record(tmp_path / "games.sqlite3") as record:
        told = [event["event"] for event in record.read_events(GAME)]
    assert told.count("time-lost") == told.count("time-counted") == 1


@pytest.mark.parametrize("how", ["pause", "adjourn"])
def test_what_was_thought_before_a_rest_is_not_given_back_by_a_restart(how: str, tmp_path: Path) -> None:
    board = Board()
    move(tmp_path, 0.0, 0.0)
    with mjpeg("127.0.0.1", lambda _: board.picture()) as (camera, _):
        with serving(tmp_path, camera) as url:
            start_clocks(url)
            thought = shown(url, lambda now: now["clocks"]["left"]["white"] < CONTROL_S - 2.0)
            ask(url, how, thought)
            rests = shown(url, lambda now: now["clocks"]["running"] is None)
        for _ in range(2):
            with serving(tmp_path, camera) as url:
                again = shown(url, lambda now: now["phase"] == rests["phase"])
                assert again["clocks"] == rests["clocks"]
        with serving(tmp_path, camera) as url:
            ask(url, "resume", shown(url, lambda now: now["phase"] == rests["phase"]))
            goes_on = shown(url, lambda now: now["clocks"]["running"] == "white")
            assert goes_on["clocks"]["left"]["white"] <= rests["clocks"]["left"]["white"]


def test_a_first_ply_that_is_put_back_after_a_restart_is_taken_back(tmp_path: Path) -> None:
    board = Board()
    move(tmp_path, 0.0, 0.0)
    with mjpeg("127.0.0.1", lambda _: board.picture()) as (camera, _):
        with serving(tmp_path, camera, "--pictures", "5") as url:
            shown(url, lambda now: now["phase"] == "playing")
            board.ply = 1
            shown(url, lambda now: now["ply"] == 1)
        with serving(tmp_path, camera, "--pictures", "5") as url:
            shown(url, lambda now: now["phase"] == "playing" and now["ply"] == 1)
            board.ply = 0
            assert shown(url, lambda now: now["ply"] == 0)["name"] == GAME
    with open_record(tmp_path / "games.sqlite3") as record:
        assert list(record.event_counts()) == [GAME]
        told = [event["event"] for event in record.read_events(GAME)]
    assert Takeback.name in told
    assert AnotherGame.name not in told


class Now:
    """Clocks that the test sets."""

    def __init__(self) -> None:
        self.steady, self.date = 100.0, 1.7e9

    def signs(self, record: Path) -> LifeSigns:
        return LifeSigns(record, self.read_date, lambda: self.steady)

    def read_date(self) -> float:
        return self.date


SIGN = '{"game":"one","ply":0,"last":"","date":%s,"running":true,"carried":{"spent_s":%s,"loose":0}}'
NO_DATE, NO_TIME = SIGN % ("NaN", "1"), SIGN % ("1", "Infinity")


def thinking(plies: int = 0, t: float = 10.0) -> Match:
    """A match whose clock has run since `t`."""
    match = with_clock(new_match(CAMELOT), parse_control("5m"))
    for _ in range(plies):
        move = CAMELOT.moves(match.position)[0]
        after = CAMELOT.play(match.position, move)
        clock = replace(match.clocks[-1], seat=after.seat)
        match = replace(match, positions=(*match.positions, after), moves=(*match.moves, move))
        match = replace(match, clocks=(*match.clocks, clock), moved_t=t)
    running = start_clock(match.clocks[-1], t)
    return replace(match, phase=Phase.PLAYING, ready=True, clocks=(*match.clocks[:-1], running))


def folded(match: Match) -> Match:
    """As its record alone would have it after a restart."""
    stopped = replace(match.clocks[-1], since=None)
    return replace(match, phase=Phase.SETUP, moved_t=None, loose=0, clocks=(*match.clocks[:-1], stopped))


def test_the_sign_is_written_where_something_changed_and_now_and_then_while_a_clock_runs(tmp_path: Path) -> None:
    now, file = Now(), tmp_path / "games.sqlite3"
    signs, match = now.signs(file), thinking()
    written = 0
    for step in range(200):
        now.steady += 0.25
        now.date += 0.25
        before = read_sign(file)
        signs.keep_sign(GAME, match, 10.0 + step / 4)
        written += read_sign(file) != before
    assert written == 50 / SIGN_EVERY_S
    signs.keep_sign(GAME, replace(match, phase=Phase.PAUSED), 60.0)
    sign = read_sign(file)
    assert sign is not None
    assert not sign.running
    assert path_beside(file).stat().st_mode & 0o077 == 0


def test_a_game_that_is_paused_or_over_or_stands_otherwise_takes_nothing_over(tmp_path: Path) -> None:
    now, file, match = Now(), tmp_path / "games.sqlite3", thinking(1)
    now.signs(file).keep_sign(GAME, match, 12.0)
    sign, nothing = read_sign(file), (CarriedOver(), None)
    written = replace(folded(match).clocks[-1], spent_s=7.5)  # by the record: what had been thought when it was paused
    for phase in (Phase.PAUSED, Phase.ADJOURNED, Phase.OVER):
        rests = replace(folded(match), phase=phase, clocks=(*match.clocks[:-1], written))
        carried, lost = recall_match(rests, GAME, sign, now.read_date)
        assert (carry_over(rests, carried), lost) == (rests, None)
    assert recall_match(folded(match), "camelot-0002", sign, now.read_date) == nothing
    assert recall_match(folded(thinking(2)), GAME, sign, now.read_date) == nothing
    assert recall_match(folded(match), GAME, None, now.read_date) == nothing


@pytest.mark.parametrize("away_s", [3.0, -3600.0])
def test_a_restart_asks_about_the_time_away(tmp_path: Path, away_s: float) -> None:
    now, file, match = Now(), tmp_path / "games.sqlite3", replace(thinking(1), loose=1)
    now.signs(file).keep_sign(GAME, match, 12.0)
    now.date += away_s
    carried, lost = recall_match(folded(match), GAME, read_sign(file), now.read_date)
    assert carried == CarriedOver(2.0, 1)
    assert isinstance(lost, Lose)
    assert (lost.kind, lost.seconds) == ("stopped" if away_s > 0 else "set", pytest.approx(away_s))
    after, events = apply_act(carry_over(folded(match), carried), lost, 0.0)
    assert after.phase is Phase.PAUSED
    assert isinstance(events[0], TimeLost)
    assert events[0].spent == 2.0
    assert seconds_left(after.clocks[-1], 50.0)[after.position.seat] == pytest.approx(CONTROL_S - 2.0)


def test_a_trace_begins_with_what_was_carried_over() -> None:
    match = thinking()
    carried = note_carried(match, 10.0 + THOUGHT_S)
    header = build_header(match, [build_begin_event(match)], carried)
    assert Trace(header, ()).initial_match.clocks[-1].spent_s == THOUGHT_S


@pytest.mark.parametrize("text", ["", "[]", "{}", "{", '{"game":1}', '{"ply":1e999}', "\0" * 600, NO_DATE, NO_TIME])
def test_a_sign_that_cannot_be_read_is_none(text: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "games.sqlite3"
    assert read_sign(file) is None
    path_beside(file).write_text(text, encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert read_sign(file) is None
    assert len(caplog.records) == 1


def test_a_disk_that_takes_no_sign_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    now, file = Now(), tmp_path / "games.sqlite3"
    path_beside(file).mkdir()
    signs = now.signs(file)
    for _ in range(3):
        now.steady += SIGN_EVERY_S
        signs.keep_sign(GAME, thinking(), 10.0)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
