"""An arbiter gives time to a clock or takes some away, and overrules a flag that fell wrongly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.belief.verdicts import Doubtful
from engine.errors import InputError
from engine.game import Outcome
from engine.games import load
from engine.match.acts import Act, AddTime, Correct, Forfeit, NewGame, Press, Resign, Resume, SetPosition, Undo
from engine.match.arbiter import apply_act, check_flag_fall
from engine.match.clock import parse_control, seconds_left
from engine.match.clocked_match import with_clock
from engine.match.events import Event
from engine.match.referee import new_match
from engine.match.state import Match, Phase, number_changes
from engine.text.positions import to_json


def begun(text: str = "60s", *asked: tuple[float, Act], game: str = "camelot") -> Match:
    """A game whose clock runs since 0.0, after what was asked for."""
    match = with_clock(replace(new_match(load(game)), phase=Phase.PAUSED, ready=True), parse_control(text))
    for t, one in ((0.0, Resume()), *asked):
        match, _ = apply_act(match, one, t)
    return match


def left(match: Match, t: float) -> tuple[float, ...]:
    return seconds_left(match.clocks[-1], t)


def told(events: tuple[Event, ...]) -> list[str]:
    return [event.name for event in events]


def test_the_clock_that_runs_has_more_and_runs_on() -> None:
    match, events = apply_act(begun(), AddTime("white", 300.0, by="arbiter"), 10.0)
    said = {"side": "white", "seconds": 300.0, "left": 350.0, "spent": 10.0, "by": "arbiter"}
    said["clocks"] = {"white": 350.0, "black": 60.0}
    assert [event.to_json() for event in events] == [{"t": 10.0, "event": "time-added", **said}]
    assert (match.phase, left(match, 20.0)) == (Phase.PLAYING, (340.0, 60.0))
    match, _ = apply_act(match, AddTime("black", -45.0), 20.0)
    assert left(match, 20.0) == (340.0, 15.0)


def test_what_the_board_had_nearly_shown_is_not_forgotten() -> None:
    match = replace(begun(), pending=Doubtful(("no move",)))
    assert apply_act(match, AddTime("white", 5.0), 1.0)[0].pending == match.pending


def test_a_move_says_what_the_clock_shows_and_a_takeback_leaves_what_was_added() -> None:
    match = begun("60s+5s", (10.0, AddTime("white", 30.0)))
    match, events = apply_act(match, Correct(1, "J6-K6"), 20.0)
    assert [event.to_json().get("clock") for event in events] == [65.0 - 20.0 + 30.0 + 5.0]
    back, _ = apply_act(match, Undo(1), 25.0)
    assert left(back, 25.0) == (95.0, 65.0), "nothing of the turn, all of what was given"


def test_a_correction_leaves_what_was_added() -> None:
    match = begun("60s", (10.0, Correct(1, "J6-K6")), (15.0, Correct(2, "J11-H9")), (16.0, AddTime("black", 7.25)))
    after, _ = apply_act(match, Correct(1, "F7-F5"), 17.0)
    assert left(after, 17.0)[1] == 60.0 - 5.0 + 7.25
    assert {clock.added_s for clock in after.clocks} == {(0.0, 7.25)}


def test_stages_and_the_bonus_of_bronstein_are_those_of_play() -> None:
    match = begun("1/60s,30s", (5.0, AddTime("white", 100.0)), (10.0, Correct(1, "J6-K6")))
    assert left(match, 10.0)[0] == 60.0 - 10.0 + 100.0 + 30.0
    match = begun("60s bronstein 3s", (5.0, AddTime("white", 100.0)), (10.0, Correct(1, "J6-K6")))
    assert left(match, 10.0)[0] == 60.0 - 10.0 + 100.0 + 3.0


@pytest.mark.parametrize("by_a_press", [False, True])
def test_who_has_pressed_has_the_time_too(by_a_press: bool) -> None:
    asked = ((9.0, Press()),) if by_a_press else ()
    match, _ = apply_act(begun("60s", *asked), AddTime("white", 10.0), 10.0)
    after, _ = apply_act(match, Correct(1, "J6-K6"), 11.0)
    assert left(after, 11.0) == ((61.0, 58.0) if by_a_press else (59.0, 60.0))


def test_a_flag_that_fell_wrongly_is_overruled() -> None:
    over, _ = check_flag_fall(begun(), 60.5)
    assert over.outcome == Outcome("0-1", "time")
    after, events = apply_act(over, AddTime("white", 120.0, by="arbiter"), 70.0)
    assert told(events) == ["takeback", "time-added"]
    assert {(event.by, event.t) for event in events} == {("arbiter", 70.0)}
    assert (after.phase, after.outcome, left(after, 99.0)) == (Phase.SETUP, None, (119.5, 60.0))
    assert after.moves == over.moves


def test_a_flag_that_would_fall_again_at_once_is_not() -> None:
    over, _ = check_flag_fall(begun(), 60.5)
    for asked, needed in ((AddTime("white", 0.5), "0:00:01"), (AddTime("black", 90.0), "0:00:01")):
        with pytest.raises(InputError) as error:
            apply_act(over, asked, 70.0)
        assert str(error.value) == f"White’s flag would fall at once: it needs {needed} more, at least."
    assert left(apply_act(over, AddTime("white", 1.0), 70.0)[0], 70.0)[0] == 0.5


def test_that_the_arbiter_said_it_is_taken_back_too() -> None:
    over, _ = apply_act(begun(), Forfeit("black", "time", by="arbiter"), 10.0)
    after, _ = apply_act(over, AddTime("black", 30.0), 11.0)
    assert (after.outcome, left(after, 11.0)) == (None, (50.0, 90.0))


def test_another_end_stands() -> None:
    for ends in (Resign("white"), Forfeit("white", "absence")):
        over, _ = apply_act(begun(), ends, 10.0)
        with pytest.raises(InputError, match="add time: the game is over"):
            apply_act(over, AddTime("white", 30.0), 11.0)
    over, _ = check_flag_fall(begun(), 60.5)
    with pytest.raises(InputError, match="add time: the game is over"):
        apply_act(over, AddTime("black", -30.0), 61.0)


def test_nobody_is_left_with_nothing() -> None:
    for side in ("white", "black"):
        with pytest.raises(InputError, match="would have nothing left: say that it has lost on time instead"):
            apply_act(begun(), AddTime(side, -60.0), 0.0)


@pytest.mark.parametrize("seconds", [0.0, 0.0004, float("nan"), float("inf"), 1.1e8, -1.1e8])
def test_what_is_no_time(seconds: float) -> None:
    with pytest.raises(InputError, match="add time: seconds: a number"):
        apply_act(begun(), AddTime("white", seconds), 1.0)


def test_no_clock_shows_more_than_any_record_may_say() -> None:
    match, _ = apply_act(begun(), AddTime("white", 9e7), 1.0)
    with pytest.raises(InputError, match="no clock shows so much"):
        apply_act(match, AddTime("white", 9e7), 1.0)


def test_in_another_game_nothing_was_added() -> None:
    match, _ = apply_act(begun(), AddTime("white", 30.0), 1.0)
    assert apply_act(match, NewGame(), 2.0)[0].clocks[-1].added_s == (0.0, 0.0)


def test_who_decided_on_what_was_there_before_is_told_so() -> None:
    """Two arbiters give the same five minutes: the second comes too late."""
    match = begun()
    after, _ = apply_act(match, AddTime("white", 300.0), 1.0)
    assert number_changes(match, after).course > match.course


def test_of_three_a_side_whose_flag_fell_plays_on_and_its_turn_has_taken_what_it_had() -> None:
    match = begun("60s", game="tri-camelot")
    fallen, _ = check_flag_fall(match, 61.0)
    assert (fallen.side_to_move, left(fallen, 61.0)[0]) == ("red", 0.0)
    with pytest.raises(InputError, match="Blue’s flag would fall at once"):
        apply_act(fallen, AddTime("blue", 1.0), 62.0)
    after, events = apply_act(fallen, AddTime("blue", 11.0), 62.0)
    assert told(events) == ["takeback", "time-added"]
    assert (after.side_to_move, after.leavings, left(after, 62.0)) == ("blue", (), (10.0, 60.0, 60.0))


def test_of_three_a_side_that_gave_up_is_given_nothing_and_the_others_are() -> None:
    match, _ = apply_act(begun("60s", game="tri-camelot"), Resign("red"), 5.0)
    with pytest.raises(InputError, match="Red is out of the game already"):
        apply_act(match, AddTime("red", 30.0), 6.0)
    after, events = apply_act(match, AddTime("green", 30.0), 6.0)
    assert (told(events), left(after, 6.0)[1:]) == (["time-added"], (0.0, 90.0))
    back, _ = apply_act(after, Undo(), 7.0)
    assert left(back, 7.0)[1:] == (60.0, 90.0), "who comes back has what play had left"


@pytest.mark.parametrize("ply", ["", "I14-G16"])
def test_a_side_that_a_position_brings_back_has_the_time_that_it_had(ply: str) -> None:
    """Red, which is set to move, was out of time the moment the position stood."""
    said: list[tuple[float, Act]] = [(1.0, AddTime("red", 5.0)), (2.0, Correct(1, "F5-H7")), (9.0, Resign("red"))]
    said += [(10.0, Correct(2, ply))] if ply else []
    match = begun("60s", *said, game="tri-camelot")
    assert left(match, 11.0)[1] == 0.0
    reds = to_json(match.game, match.game.start()) | {"to_move": "red"}
    match, _ = apply_act(match, SetPosition(reds), 11.0)
    assert left(match, 11.0)[1] == 65.0
    match, _ = apply_act(replace(match, phase=Phase.PAUSED, ready=True), Resume(), 12.0)
    assert left(check_flag_fall(match, 20.0)[0], 20.0)[1] == 57.0
    played, _ = apply_act(match, Correct(len(match.moves) + 1, "D13-E14"), 20.0)
    again, _ = apply_act(played, Correct(1, "F5-H7"), 21.0)  # all since is told again
    assert [one.left_s for one in again.clocks] == [one.left_s for one in played.clocks]


def test_a_side_without_time_that_a_position_has_to_move_is_given_some_first() -> None:
    fallen, _ = check_flag_fall(begun("60s", game="tri-camelot"), 61.0)
    match, events = apply_act(fallen, SetPosition(to_json(fallen.game, fallen.game.start())), 62.0)
    assert (told(events), match.phase, left(match, 62.0)[0]) == (["position", "paused"], Phase.PAUSED, 0.0)
    after, _ = apply_act(match, AddTime("blue", 30.0), 63.0)
    assert left(after, 63.0)[0] == 30.0
