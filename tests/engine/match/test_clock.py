"""Clocks: the time controls as text, what each kind gives and takes, flags, and what takebacks give back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.belief.opinion import Opinion
from engine.belief.verdicts import Still
from engine.errors import InputError
from engine.game import Game, Outcome
from engine.games import load
from engine.match.acts import Act, Adjourn, Correct, NewGame, Pause, Press, Resign, Resume, Undo
from engine.match.arbiter import apply_act, check_flag_fall
from engine.match.clock import (
    Clock,
    Stage,
    build_next_turn,
    choose_control,
    create_clock,
    format_time,
    has_flag_fallen,
    parse_control,
    running_seat,
    seconds_after_move,
    seconds_left,
    start_clock,
    stop_clock,
    turn_seconds,
)
from engine.match.clocked_match import with_clock
from engine.match.events import Event, Moved, Paused
from engine.match.referee import apply_opinion, camera_found, camera_moved, new_match
from engine.match.state import Match, Phase
from tests.engine.sights import GIVEN
from tests.engine.stand import stand

GAME = load("camelot", "wcf")


def running(text: str) -> Clock:
    return start_clock(create_clock(parse_control(text), 2), 0.0)


def after_moves(text: str, *seconds: float) -> Clock:
    """The clock after moves of the one side, each after so many seconds; the other answers at once."""
    clock, t = running(text), 0.0
    for spent in seconds:
        t += spent
        for _ in range(2):
            clock = start_clock(build_next_turn(clock, seconds_after_move(clock, t), 1 - clock.seat), t)
    return clock


@pytest.mark.parametrize(
    ("text", "stages"),
    [
        ("60m", (Stage(0, 3600.0),)),
        ("60m+30s", (Stage(0, 3600.0, "+", 30.0),)),
        ("40/150m,60m+30s", (Stage(40, 9000.0), Stage(0, 3600.0, "+", 30.0))),
        ("40/2h, 20/1h, 15m", (Stage(40, 7200.0), Stage(20, 3600.0), Stage(0, 900.0))),
        ("5m delay 3s", (Stage(0, 300.0, "delay", 3.0),)),
        ("90s bronstein 2s", (Stage(0, 90.0, "bronstein", 2.0),)),
    ],
)
def test_a_time_control_is_read_as_its_stages(text: str, stages: tuple[Stage, ...]) -> None:
    assert parse_control(text).stages == stages


@pytest.mark.parametrize(
    "text", ["", "soon", "0m", "0/40m", "40/", "5m+", "5m delay", "60m,30m", "40/90m,,", "-5m", "5 m"]
)
def test_what_is_no_time_control(text: str) -> None:
    with pytest.raises(InputError, match=r"clock '.*': .*; write|clock '.*': every stage") as error:
        parse_control(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("5m+3", "clock '5m+3': 3 has no unit; write 5m+3s"),
        ("5+3", "clock '5+3': 5 has no unit; write 5m+3s"),
        ("40/150m,60 delay 3s", "clock '40/150m,60 delay 3s': 60 has no unit; write 60m delay 3s"),
        ("101h", "clock '101h': 101h is longer than 100 hours; write a shorter time"),
        ("40/90m, 99999h+30s", "clock '40/90m, 99999h+30s': 99999h+30s is longer than 100 hours; write a shorter time"),
    ],
)
def test_what_is_wrong_with_a_clock_that_is_asked_for_is_named(text: str, wrong: str) -> None:
    with pytest.raises(InputError) as error:
        choose_control(text)
    assert str(error.value) == wrong


def test_the_longest_clock_may_be_asked_for_and_a_longer_one_of_a_record_is_read() -> None:
    assert choose_control("100h").stages == (Stage(0, 360_000.0),)
    assert parse_control("99999h").stages[0].main_s > 360_000.0


@pytest.mark.parametrize(
    ("text", "seconds", "rest"),
    [
        ("60s", (10.0, 20.0), 30.0),
        ("60s+5s", (10.0, 20.0), 60.0 + 15.0 - 30.0),
        ("60s delay 5s", (10.0, 3.0), 55.0),
        ("60s bronstein 5s", (10.0, 3.0), 55.0),
        ("2/60s,30s", (10.0,), 50.0),
        ("2/60s,30s", (10.0, 20.0), 60.0),
        ("2/60s,30s", (10.0, 20.0, 5.0), 55.0),
        ("2/60s,30s+5s", (10.0, 20.0), 65.0),
        ("2/60s", (10.0, 20.0), 90.0),
        ("2/60s", (10.0, 20.0, 1.0, 1.0), 148.0),
    ],
)
def test_time_is_left_as_stages_increment_and_delay_say(text: str, seconds: tuple[float, ...], rest: float) -> None:
    assert after_moves(text, *seconds).left_s[0] == pytest.approx(rest)


def test_a_clock_counts_down_after_its_delay_until_it_is_stopped() -> None:
    clock = running("60s delay 5s")
    assert [seconds_left(clock, t)[0] for t in (0.0, 5.0, 6.0, 65.0)] == [60.0, 60.0, 59.0, 0.0]
    assert [has_flag_fallen(clock, t) for t in (64.9, 65.0)] == [False, True]
    stopped = stop_clock(clock, 30.0)
    assert (turn_seconds(stopped, 99.0), has_flag_fallen(stopped, 999.0)) == (30.0, False)
    assert seconds_left(start_clock(stopped, 100.0), 110.0)[0] == 60.0 - 35.0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3600.0, "1:00:00"), (59.01, "0:01:00"), (0.2, "0:00:01"), (0.0, "0:00:00"), (-3.0, "0:00:00")],
)
def test_times_are_written_as_clocks_show_them(seconds: float, text: str) -> None:
    assert format_time(seconds) == text


def begun(text: str, game: Game = GAME) -> Match:
    """A match whose start position was seen at 1.0."""
    match, _ = apply_opinion(with_clock(new_match(game), parse_control(text)), Opinion(Still(), 1.0, GIVEN), 1.0, 97)
    return match


def do(match: Match, *acts: tuple[float, Act]) -> tuple[Match, list[Event]]:
    events: list[Event] = []
    for t, asked in acts:
        match, said = apply_act(match, asked, t)
        events.extend(said)
    return match, events


def test_the_accepted_move_presses_the_clock() -> None:
    match, events = do(begun("60s+5s"), (11.0, Correct(1, "J6-K6")), (14.0, Correct(2, "J11-H9")))
    assert [event.clock for event in events if isinstance(event, Moved)] == [60.0, 67.0]
    assert seconds_left(match.clocks[-1], 24.0) == (50.0, 67.0)


def test_a_takeback_gives_the_time_back() -> None:
    match, _ = do(begun("60s"), (11.0, Correct(1, "J6-K6")), (14.0, Correct(2, "J11-H9")), (20.0, Undo(2)))
    assert seconds_left(match.clocks[-1], 25.0) == (60.0, 60.0), "stopped until the position stands"
    match, _ = apply_opinion(match, Opinion(Still(), 1.0, GIVEN), 25.0, 97)
    assert seconds_left(match.clocks[-1], 26.0) == (59.0, 60.0)
    assert len(match.clocks) == 1


def test_a_correction_keeps_the_times() -> None:
    match, events = do(
        begun("60s"), (11.0, Correct(1, "J6-K6")), (14.0, Correct(2, "J11-H9")), (20.0, Correct(1, "C6-C5"))
    )
    assert [event.clock for event in events if isinstance(event, Moved)] == [50.0, 57.0, 50.0, 57.0]
    assert seconds_left(match.clocks[-1], 21.0) == (43.0, 57.0), "what White has thought since is not given back"
    match, _ = do(match, (22.0, Correct(2, "J11-H9")))
    assert seconds_left(match.clocks[-1], 23.0) == (41.0, 57.0), "nor by saying once more what was played"
    match, _ = do(match, (24.0, Correct(2, "E11-E12")))
    assert seconds_left(match.clocks[-1], 25.0) == (49.0, 57.0), "another move, another turn"


def test_pauses_and_a_blind_camera_cost_nothing() -> None:
    match, events = do(begun("60s"), (6.0, Pause()), (106.0, Resume()))
    assert [event.spent for event in events if isinstance(event, Paused)] == [5.0]
    match, _ = camera_moved(match, 107.0)
    match, _ = camera_found(match, 200.0, 90)
    assert seconds_left(match.clocks[-1], 201.0) == (60.0 - 5.0 - 1.0 - 1.0, 60.0)
    match, _ = do(match, (202.0, Adjourn()), (900.0, Resume()))
    assert match.phase is Phase.SETUP
    assert seconds_left(match.clocks[-1], 999.0) == (52.0, 60.0)
    match, _ = apply_opinion(match, Opinion(Still(), 1.0, GIVEN), 1000.0, 97)
    assert seconds_left(match.clocks[-1], 1001.0) == (51.0, 60.0)


def test_who_oversteps_the_time_loses() -> None:
    match = begun("60s")
    assert check_flag_fall(match, 60.9) == (match, ())
    match, events = check_flag_fall(match, 61.0)
    assert [(event.name, event.by) for event in events] == [("left", "clock"), ("result", "clock")]
    assert (match.phase, match.outcome) == (Phase.OVER, Outcome("0-1", "time"))
    assert check_flag_fall(match, 99.0) == (match, ())


def test_the_flag_falls_and_the_other_could_not_win() -> None:
    game, position = stand("camelot wcf", "white", "WM F10 G16 A4, BM L13")
    match = with_clock(replace(new_match(game, position), phase=Phase.PLAYING, ready=True), parse_control("60s"))
    match, _ = do(match, (1.0, Pause()), (2.0, Resume()))
    match, _ = check_flag_fall(match, 99.0)
    assert match.outcome == Outcome("1/2-1/2", "time-material")


def test_of_three_players_the_others_play_on_when_one_oversteps() -> None:
    game = load("tri-camelot")
    match = begun("60s", game)
    match, _ = apply_act(match, Correct(1, game.write(match.position, game.moves(match.position)[0])), 11.0)
    assert seconds_left(match.clocks[-1], 21.0) == (50.0, 50.0, 60.0)
    match, events = check_flag_fall(match, 71.0)
    assert [event.name for event in events] == ["left"]
    assert (match.side_to_move, match.phase) == ("green", Phase.SETUP)
    assert seconds_left(match.clocks[-1], 72.0) == (50.0, 0.0, 60.0)
    match, _ = apply_opinion(match, Opinion(Still(), 1.0, GIVEN), 80.0, 97)
    assert seconds_left(match.clocks[-1], 81.0) == (50.0, 0.0, 59.0)
    match, _ = apply_act(match, Resign("green"), 82.0)
    assert match.phase is Phase.OVER


def test_a_new_game_has_full_clocks_of_the_same_control() -> None:
    match, _ = do(begun("60s"), (11.0, Correct(1, "J6-K6")))
    again = with_clock(new_match(GAME), parse_control("60s"))
    over, _ = apply_act(match, Resign("white"), 20.0)
    assert over.clocks[-1].since is None
    assert apply_act(over, NewGame(), 30.0)[0] == again


def test_whoever_presses_without_having_moved_costs_the_other_nothing() -> None:
    """Pressed by mistake, and moved 13 s later: black was out of time before its first turn had begun."""
    match, _ = do(begun("12s"), (2.0, Press()))
    assert check_flag_fall(match, 6.9) == (match, ())
    assert seconds_left(match.clocks[-1], 6.9) == (11.0, pytest.approx(7.1))
    match, events = check_flag_fall(match, 7.0)
    assert [event.to_json() for event in events] == [{"t": 7.0, "event": "press-withdrawn", "side": "white"}]
    assert seconds_left(match.clocks[-1], 8.0) == (5.0, 12.0)
    match, events = check_flag_fall(match, 13.0)
    assert match.outcome == Outcome("0-1", "time"), "the time is that of the side that did not move"


def test_the_press_of_one_of_three_starts_the_clock_of_the_next_who_plays() -> None:
    game = load("tri-camelot")
    match, _ = do(begun("60s", game), (2.0, Resign(game.seats[1])))
    match, _ = apply_opinion(match, Opinion(Still(), 1.0, GIVEN), 3.0, 97)
    match, _ = do(match, (4.0, Press()))
    assert match.side_to_move == game.seats[0]
    assert running_seat(match.clocks[-1]) == 2
    assert seconds_left(match.clocks[-1], 6.0)[2] == 58.0


def test_while_people_are_asked_which_move_it_was_the_other_side_loses_no_more_than_the_press_holds() -> None:
    match, _ = do(begun("12s"), (2.0, Press()))
    match = replace(match, phase=Phase.UNCLEAR)
    match, events = check_flag_fall(match, 40.0)
    assert not events
    match, _ = do(match, (40.0, Correct(1, "J6-K6")))
    assert (match.outcome, seconds_left(match.clocks[-1], 40.0)) == (None, (11.0, 7.0))


def test_the_next_game_is_played_with_the_clock_that_was_asked_for() -> None:
    without = replace(new_match(GAME), phase=Phase.PLAYING, next_control=parse_control("90s"))
    match, _ = do(without, (11.0, Correct(1, "J6-K6")))
    assert match.clocks == ()
    assert apply_act(match, NewGame(), 30.0)[0].clocks == with_clock(new_match(GAME), parse_control("90s")).clocks
    other = replace(begun("60s"), next_control=parse_control("90s"))
    match, _ = do(other, (11.0, Correct(1, "J6-K6")))
    assert match.clocks[0].control.text == "60s"
    begun_again, _ = do(match, (30.0, NewGame()), (31.0, NewGame()))
    assert [clock.control.text for clock in begun_again.clocks] == ["90s"]
