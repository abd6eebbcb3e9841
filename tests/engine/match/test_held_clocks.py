"""Nobody's time runs before the first move, or until somebody starts the clocks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games import load
from engine.match.acts import Correct, NewGame, Press, Resume, Undo
from engine.match.arbiter import apply_act, check_flag_fall
from engine.match.clock import parse_control, running_seat, seconds_left
from engine.match.clocked_match import with_clock
from engine.match.referee import new_match
from engine.match.state import Match, Phase

FULL_S = 180.0


def about_to_begin(*, held: bool = True) -> Match:
    """The pieces stand, the clocks are full."""
    match = replace(new_match(load("camelot", "wcf")), phase=Phase.PLAYING, ready=True)
    return with_clock(match, parse_control("3m"), held=held)


def test_the_first_move_costs_nothing_and_starts_the_clock_of_the_other() -> None:
    waiting, events = check_flag_fall(about_to_begin(), 1000.0)
    assert (waiting.phase, events, seconds_left(waiting.clocks[-1], 1000.0)[0]) == (Phase.PLAYING, (), FULL_S)
    moved, events = apply_act(waiting, Correct(1, "E6-E5"), 1000.0)
    assert [event.to_json().get("clock") for event in events] == [FULL_S]
    assert running_seat(moved.clocks[-1]) == 1
    assert seconds_left(moved.clocks[-1], 1010.0) == (FULL_S, FULL_S - 10.0)


@pytest.mark.parametrize("side", [None, "white", "black"])
def test_whoever_presses_starts_the_clocks(side: str | None) -> None:
    started, events = apply_act(about_to_begin(), Press(side, by="arbiter"), 50.0)
    assert [event.to_json() for event in events] == [{"t": 50.0, "event": "clocks-started", "by": "arbiter"}]
    assert running_seat(started.clocks[-1]) == 0
    assert seconds_left(started.clocks[-1], 60.0)[0] == FULL_S - 10.0
    _, events = apply_act(started, Press(by="button"), 61.0)
    assert [event.name for event in events] == ["clock-pressed"]


def test_they_wait_again_where_the_first_move_is_taken_back_and_in_the_next_game() -> None:
    moved, _ = apply_act(about_to_begin(), Correct(1, "E6-E5"), 5.0)
    back, _ = apply_act(moved, Undo(1), 6.0)
    assert back.clocks[-1].held
    started, _ = apply_act(about_to_begin(), Press(), 5.0)
    following, _ = apply_act(started, NewGame(), 6.0)
    assert following.clocks[-1].held


def test_in_a_game_whose_record_does_not_hold_them_the_clock_runs_as_soon_as_the_pieces_stand() -> None:
    match, _ = apply_act(replace(about_to_begin(held=False), phase=Phase.PAUSED), Resume(), 5.0)
    assert running_seat(match.clocks[-1]) == 0
