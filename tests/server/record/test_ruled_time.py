"""Time that an arbiter has given to a clock, in the record and in the text of a game; a flag that was overruled."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine import games
from engine.errors import InputError
from engine.match.acts import Act, AddTime, Correct, Forfeit, Resume, SetPosition, Undo
from engine.match.arbiter import apply_act, check_flag_fall
from engine.match.clock import parse_control, seconds_left
from engine.match.clocked_match import with_clock
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from engine.text.positions import to_json
from server.record.archive import as_jsonl, as_pgn
from server.record.journal import build_begin_event, fold_events
from tests.server.record.reading import read_games

Events = list[dict[str, object]]
NAME = "camelot-0001"


def recorded(*asked: tuple[float, Act | None], game: str = "camelot", clock: str = "60s") -> tuple[Match, Events]:
    """A game after what was asked for, None where time only went by, and its record."""
    match = with_clock(replace(new_match(games.load(game)), phase=Phase.PAUSED, ready=True), parse_control(clock))
    events: Events = [build_begin_event(match)]
    for t, one in ((0.0, Resume()), *asked):
        match, told = check_flag_fall(match, t) if one is None else apply_act(match, one, t)
        events += [json.loads(json.dumps(event.to_json())) for event in told]
    return match, events


def moves_of(text: str) -> str:
    return " ".join(text.split("\n\n")[1].split())


def test_the_record_gives_back_what_each_clock_shows() -> None:
    match, events = recorded(
        (10.0, Correct(1, "J6-K6")),
        (15.0, AddTime("white", 30.5)),
        (70.0, None),
        (80.0, AddTime("black", 45.25, by="arbiter")),
    )
    assert [event["event"] for event in events[-4:]] == ["left", "result", "takeback", "time-added"]
    folded = fold_events(events, NAME)
    assert (folded.phase, folded.outcome, folded.moves) == (Phase.SETUP, None, match.moves)
    assert seconds_left(folded.clocks[-1], 0.0) == seconds_left(match.clocks[-1], 99.0) == (80.5, 45.25)


def test_a_game_that_the_clock_has_ended_still_ends_without_that_ruling() -> None:
    _, events = recorded((61.0, None))
    assert fold_events(events, NAME).phase is Phase.OVER


def test_of_three_the_turn_whose_flag_fell_goes_on_after_a_restart_too() -> None:
    match, events = recorded((61.5, None), game="tri-camelot")
    folded = fold_events(events, NAME)
    for one, left in ((match, 8.5), (folded, 10.0)):  # a record does not say by how much it was too late
        after, _ = apply_act(one, AddTime("blue", 10.0), 70.0)
        assert (after.side_to_move, seconds_left(after.clocks[-1], 70.0)[0]) == ("blue", left)


@pytest.mark.parametrize(
    "wrong",
    [{"side": "pink"}, {"seconds": "much"}, {"seconds": 1e300}, {"spent": None}, {"seconds": None}],
    ids=str,
)
def test_what_is_no_such_ruling_is_refused_in_a_line(wrong: dict[str, object], tmp_path: Path) -> None:
    _, events = recorded((10.0, AddTime("white", 30.0)))
    kept = {key: value for key, value in (events[-1] | wrong).items() if value is not None}
    file = tmp_path / "game.jsonl"
    file.write_text(as_jsonl([*events[:-1], kept]), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_games(file)
    assert "\n" not in str(refused.value)


def test_a_text_says_it_where_it_was_and_can_be_read_again(tmp_path: Path) -> None:
    match, events = recorded(
        (1.0, AddTime("black", 5.0)),
        (10.0, Correct(1, "J6-K6")),
        (15.0, AddTime("white", 300.0)),
        (20.0, Correct(2, "J11-H9")),
        (21.0, AddTime("black", -15.0)),
    )
    text = as_pgn(NAME, events)
    said = (
        "{Before the first move: Black was given 0:00:05 and has 0:01:05 (",
        "1. J6-K6 {[%clk 0:00:50]} {After 1. White: White was given 0:05:00 and has 0:05:50 (",
        "1... J11-H9 {[%clk 0:00:55]} {After 1. Black: Black was docked 0:00:15 and has 0:00:40 (",
    )
    places = [moves_of(text).index(part) for part in said]
    assert places == sorted(places)
    file, again = tmp_path / "game.pgn", tmp_path / "game.jsonl"
    file.write_text(text, encoding="utf-8")
    again.write_text(as_jsonl(events), encoding="utf-8")
    ((_, taken),) = read_games(file)
    assert fold_events(taken, NAME).moves == match.moves
    ((_, taken),) = read_games(again)
    assert fold_events(taken, NAME).clocks[-1].added_s == match.clocks[-1].added_s
    assert as_pgn(NAME, taken) == text


def test_moves_that_are_taken_back_take_no_ruling_with_them() -> None:
    _, events = recorded(
        (10.0, Correct(1, "J6-K6")),
        (20.0, Correct(2, "J11-H9")),
        (21.0, AddTime("white", 60.0)),
        (22.0, Undo(1)),
    )
    told = moves_of(as_pgn(NAME, events))
    assert told.startswith("1. J6-K6 {[%clk 0:00:50]} {After 1. Black: White was given 0:01:00 and has 0:01:49 (")
    assert "J11-H9" not in told.replace("Taken back: 1. J11-H9", "")


def test_what_was_given_before_a_position_was_set_stands_before_its_first_move() -> None:
    game = games.load("camelot")
    position = to_json(game, game.start())
    _, events = recorded(
        (5.0, AddTime("white", 60.0)),
        (10.0, Correct(1, "J6-K6")),
        (20.0, SetPosition(position)),
        (30.0, Correct(2, "J6-K6")),
    )
    told = moves_of(as_pgn(NAME, events))
    assert told.index("{Before the first move: White was given 0:01:00 and has") < told.index(" 1. J6-K6")


def test_a_side_that_was_out_by_a_mistake_is_not_said_to_have_left() -> None:
    match, events = recorded(
        (10.0, Correct(1, "J6-K6")), (11.0, Forfeit("black", "time")), (12.0, AddTime("black", 1.0))
    )
    assert match.outcome is None
    assert "%left" not in as_pgn(NAME, events)
