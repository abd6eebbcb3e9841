"""What people may ask for, in every phase: done as the table says or refused in one line; who asked is kept."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from engine.errors import InputError
from engine.game import Outcome
from engine.games import load
from engine.games import names as names_of_games
from engine.match.acts import (
    Act,
    AddTime,
    Adjourn,
    AgreeDraw,
    AsPlayed,
    BringBack,
    Choose,
    ClaimDraw,
    Correct,
    CountLost,
    Forfeit,
    Lose,
    NewGame,
    Pause,
    Press,
    PutBack,
    Resign,
    Resume,
    SetPosition,
    Settle,
    StandsSo,
    Undo,
)
from engine.match.arbiter import ACTS, apply_act, check_flag_fall, find_dropped
from engine.match.clock import parse_control, seconds_left
from engine.match.clocked_match import with_clock
from engine.match.events import Conflict, Event, Moved, Paused, PositionSet, Takeback
from engine.match.referee import camera_found, camera_moved, new_match
from engine.match.state import RESTING, Match, Phase
from engine.text.positions import to_json
from tests.engine.sights import line
from tests.engine.stand import stand

GAME = load("camelot", "wcf")
OPENING = "J6-K6 J11-H9"
START = to_json(GAME, GAME.start())

REFUSED: list[tuple[Act, set[Phase]]] = [
    (Undo(), {Phase.ADJOURNED}),
    (Correct(3, "F7-F5"), {Phase.ADJOURNED}),
    (SetPosition(START), {Phase.ADJOURNED}),
    (AsPlayed("F7-F4"), {Phase.ADJOURNED, Phase.OVER}),
    (AgreeDraw(), {Phase.OVER}),
    (ClaimDraw(), set(Phase)),
    (Resign("white"), {Phase.OVER}),
    (Forfeit("white", "absence"), {Phase.OVER}),
    (Pause(), {*RESTING, Phase.OVER}),
    (Adjourn(), {Phase.ADJOURNED, Phase.OVER}),
    (Press(), set(Phase)),  # without a clock; with one see test_clock
    (StandsSo(), set(Phase) - {Phase.SETUP}),
    (PutBack(), {*RESTING, Phase.OVER}),
    (Resume(), set(Phase) - RESTING),
    (Lose("slept", 60.0, "", ""), set(Phase)),  # without a clock
    (CountLost(), set(Phase)),
    (AddTime("white", 60.0), set(Phase)),  # without a clock; with one see test_added_time
    (BringBack(), set(Phase)),  # where no move was dropped
    (NewGame(), set()),
    (Settle("draw"), set(Phase)),
    (Choose(), set()),
]
"""Each act with the phases in which it cannot be; a claim never can, for there is nothing to claim here, and no game
before this one is open."""
SAID = {
    Undo: "takeback",
    Correct: "move",
    SetPosition: "position",
    AsPlayed: "move",
    AgreeDraw: "result",
    Resign: "left result",
    Forfeit: "left result",
    Pause: "paused",
    Adjourn: "adjourned",
    Press: "clock-pressed",
    StandsSo: "stands-so",
    PutBack: "",
    Choose: "",
    Resume: "resumed",
    NewGame: "new-game",
}
LEADS = {
    AgreeDraw: Phase.OVER,
    Resign: Phase.OVER,
    Forfeit: Phase.OVER,
    Pause: Phase.PAUSED,
    Adjourn: Phase.ADJOURNED,
    Undo: Phase.SETUP,
    SetPosition: Phase.SETUP,
    NewGame: Phase.SETUP,
    StandsSo: Phase.SETUP,
    PutBack: Phase.SETUP,
}
"""All others lead to play, or leave the game paused or waiting for the pieces to be set up."""


def playing(phase: Phase = Phase.PLAYING, notations: str = OPENING) -> Match:
    """A match after some moves, in `phase`."""
    positions, moves = line(GAME, notations)
    outcome = Outcome("1-0", "castle") if phase is Phase.OVER else None
    return Match(GAME, positions, moves, phase, outcome=outcome, ready=phase is not Phase.SETUP)


def names(events: tuple[Event, ...]) -> str:
    return " ".join(event.name for event in events)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize(("asked", "refused"), REFUSED, ids=lambda value: type(value).__name__)
def test_every_act_in_every_phase(phase: Phase, asked: Act, refused: set[Phase]) -> None:
    before = playing(phase)
    if phase in refused:
        with pytest.raises(InputError) as error:
            apply_act(before, asked, 5.0)
        assert "\n" not in str(error.value)
        return
    after, events = apply_act(before, replace(asked, by="arbiter"), 5.0)
    kind = type(asked)
    onward = phase if phase in {Phase.PAUSED, Phase.SETUP} else Phase.PLAYING
    resumed = Phase.SETUP if phase is Phase.ADJOURNED else Phase.PLAYING
    if kind is Choose:
        assert after.phase is phase
    elif kind in {SetPosition, Undo} and phase is Phase.PAUSED:
        assert after.phase is Phase.PAUSED
    elif kind is Correct and phase is Phase.OVER:  # what was written is put right, and no result that was said
        assert (after.phase, names(events)) == (Phase.OVER, "move result")
        return
    else:
        assert after.phase is (resumed if kind is Resume else LEADS.get(kind, onward))
    put_away = kind is NewGame and phase not in {Phase.OVER, Phase.ADJOURNED}
    assert names(events) == ("adjourned " if put_away else "") + SAID[kind]
    assert all((event.by, event.t) == ("arbiter", 5.0) for event in events)
    assert (after.outcome is not None) == (after.phase is Phase.OVER)


def test_the_table_has_every_act() -> None:
    assert set(ACTS) == {type(asked) for asked, _ in REFUSED}
    assert {kind.__name__ for kind in ACTS} == {kind.__name__ for kind in Act.__subclasses__()}


@pytest.mark.parametrize("name", names_of_games())
def test_what_cannot_stand_is_refused_with_the_reason_of_its_own_game(name: str) -> None:
    """It may be that the game has changed and the piece has gone: then how to write a move is no answer."""
    match = replace(new_match(load(name)), phase=Phase.PLAYING)
    cells = match.game.board.cells
    empty = [cell for cell, piece in zip(cells, match.position.placement, strict=True) if not piece]
    gone = f"{empty[0]}-{empty[1]}"
    for typed, why in ((gone, f"There is no piece on {empty[0]}."), ("nonsense", "'nonsense' is n")):
        with pytest.raises(InputError) as error:
            apply_act(match, AsPlayed(typed), 1.0)
        assert f"was not {typed}: {why}" in str(error.value)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (Undo(3), "undo: 3 plies asked, 2 have been played"),
        (Undo(0), "undo: 0 plies asked"),
        (Correct(4, "F7-F5"), "correct: there is no ply 4; 2 have been played"),
        (Correct(0, "F7-F5"), "correct: there is no ply 0"),
        (Correct(3, "F7-F6"), "“2. White” was not F7-F6: "),
        (Correct(3, "nonsense"), "“2. White” was not nonsense: 'nonsense' is no move"),
        (AsPlayed("nonsense"), "“2. White” was not nonsense: 'nonsense' is no move: write every landing"),
        (AsPlayed("J6-J5"), "“2. White” was not J6-J5: There is no piece on J6."),
        (SetPosition({"cells": {"Z9": "WN"}}), "position: cell 'Z9' is not on the camelot board"),
        (ClaimDraw(), "No draw can be claimed here: neither repetition"),
        (Resign("green"), "no side 'green', choose from white, black"),
        (Forfeit("white", "mood"), "forfeit: no reason 'mood', choose from time, absence, rules"),
        (NewGame("upside-down"), "upside-down"),
        (Resume(), "resume: the game is not paused"),
    ],
)
def test_what_cannot_be_done(asked: Act, message: str) -> None:
    with pytest.raises(InputError) as error:
        apply_act(playing(), asked, 1.0)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_who_resigns_has_lost() -> None:
    _, events = apply_act(playing(), Resign("black", by="player"), 7.0)
    assert [e.to_json() for e in events] == [
        {"t": 7.0, "event": "left", "by": "player", "side": "black", "why": "resigned"},
        {"t": 7.0, "event": "result", "by": "player", "result": "1-0", "reason": "resigned"},
    ]


def test_a_forfeit_says_why() -> None:
    after, _ = apply_act(playing(), Forfeit("white", "absence", by="arbiter"), 7.0)
    assert after.outcome == Outcome("0-1", "absence")


def test_three_players_go_on_without_one() -> None:
    game = load("tri-camelot")
    match = Match(game, (game.start(),), phase=Phase.PLAYING, ready=True)
    after, events = apply_act(match, Resign("red"), 1.0)
    assert names(events) == "left"
    assert after.phase is Phase.SETUP
    assert not any(game.seat_of[piece] == 1 for piece in after.position.placement)
    after, events = apply_act(after, Forfeit("green", "rules"), 2.0)
    assert names(events) == "left result"
    assert after.outcome is not None
    assert after.outcome.result == "1-0-0"


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_a_side_that_was_said_to_be_out_comes_back_alone(plies: int) -> None:
    game = load("tri-camelot")
    match = with_clock(Match(game, (game.start(),), phase=Phase.PLAYING, ready=True), parse_control("5m+2s"))
    for number in range(plies):
        move = game.write(match.position, game.moves(match.position)[0])
        match, _ = apply_act(match, Correct(number + 1, move), float(number))
    out, _ = apply_act(match, Resign("red"), 10.0)
    assert out.clocks[-1].left_s[1] == 0.0
    back, events = apply_act(out, Undo(), 11.0)
    assert [event.plies for event in events if isinstance(event, Takeback)] == [0]
    assert (back.positions, back.moves, back.leavings) == (match.positions, match.moves, ())
    assert (back.clocks[-1].left_s, back.clocks[-1].seat) == (match.clocks[-1].left_s, match.clocks[-1].seat)


def test_who_is_out_since_before_the_last_ply_stays_out_when_that_is_taken_back() -> None:
    game = load("tri-camelot")
    match, _ = apply_act(Match(game, (game.start(),), phase=Phase.PLAYING, ready=True), Resign("red"), 1.0)
    played, _ = apply_act(match, Correct(1, game.write(match.position, game.moves(match.position)[0])), 2.0)
    once, events = apply_act(played, Undo(), 3.0)
    assert [event.plies for event in events if isinstance(event, Takeback)] == [1]
    assert once.position == match.position
    assert apply_act(once, Undo(), 4.0)[0].position == game.start()


def test_undo_takes_plies_back() -> None:
    match, events = apply_act(playing(Phase.UNCLEAR), Undo(2), 1.0)
    assert [e.to_json() for e in events] == [
        {
            "t": 1.0,
            "event": "takeback",
            "by": "page",
            "plies": 2,
            "reason": {"rule": "person-said", "measured": None, "limit": None},
        }
    ]
    assert (match.phase, match.positions, match.note) == (Phase.SETUP, (GAME.start(),), None)


def test_undo_after_the_end_goes_on() -> None:
    game, position = stand("camelot wcf", "white", "WM F15 G16 A4, BM L13 L12")
    match = replace(new_match(game, position), phase=Phase.PLAYING, ready=True)
    match, events = apply_act(match, Correct(1, "F15-F16"), 1.0)
    assert names(events) == "move result"
    match, events = apply_act(match, Undo(), 2.0)
    assert names(events) == "takeback"
    assert (match.phase, match.outcome, match.position) == (Phase.SETUP, None, position)


@pytest.mark.parametrize("notations", ["", OPENING])
@pytest.mark.parametrize("said", [Resign("white"), AgreeDraw(), Forfeit("black", "absence")])
def test_a_result_that_people_said_is_taken_back_without_a_ply(said: Act, notations: str) -> None:
    before = playing(notations=notations)
    over, _ = apply_act(before, said, 1.0)
    assert over.phase is Phase.OVER
    match, events = apply_act(over, Undo(by="button"), 2.0)
    assert [(event.plies, event.by) for event in events if isinstance(event, Takeback)] == [(0, "button")]
    assert (match.phase, match.outcome, match.moves) == (Phase.SETUP, None, before.moves)


def test_a_loss_on_time_that_somebody_said_is_taken_back_alone() -> None:
    """It took the opponent's lawful last move back with it, and gave both sides their time again."""
    over, _ = apply_act(playing(), Forfeit("white", "time"), 1.0)
    match, events = apply_act(over, Undo(), 2.0)
    assert [event.plies for event in events if isinstance(event, Takeback)] == [0]
    assert (match.phase, match.moves) == (Phase.SETUP, playing().moves)


def test_a_flag_that_fell_is_taken_back_into_a_pause_until_there_is_time() -> None:
    begun = replace(playing(), clocks=())
    clocked = with_clock(begun, parse_control("10s"))
    clocked = replace(clocked, clocks=clocked.clocks * len(clocked.positions))
    before, _ = apply_act(clocked, Pause(), 0.0)
    running, _ = apply_act(before, Resume(), 0.0)
    over, events = check_flag_fall(replace(running, phase=Phase.PLAYING, ready=True), 11.0)
    assert over.outcome is not None, events
    match, events = apply_act(over, Undo(by="arbiter"), 20.0)
    assert [type(event) for event in events] == [Takeback, Paused]
    assert (match.phase, match.outcome, match.moves) == (Phase.PAUSED, None, over.moves)
    assert seconds_left(match.clocks[-1], 30.0)[match.position.seat] <= 0.0
    given, _ = apply_act(match, AddTime(match.side_to_move, 60.0), 40.0)
    assert (given.phase, given.outcome) == (Phase.PAUSED, None)
    assert seconds_left(given.clocks[-1], 50.0)[match.position.seat] > 50.0


def test_correcting_the_last_ply_and_the_next() -> None:
    match, events = apply_act(playing(), Correct(2, "G10-G9"), 4.0)
    assert [(e.ply, e.notation, e.corrected) for e in events if isinstance(e, Moved)] == [(2, "G10-G9", True)]
    assert match.moves == line(GAME, "J6-K6 G10-G9")[1]
    match, events = apply_act(match, Correct(3, "F7-F5"), 5.0)
    assert [(e.ply, e.corrected, e.confidence) for e in events if isinstance(e, Moved)] == [(3, False, 1.0)]


def test_a_past_ply_is_corrected_and_the_rest_stays() -> None:
    match, events = apply_act(playing(notations="J6-K6 J11-H9 F7-F5"), Correct(1, "C6-C5"), 4.0)
    assert [(e.ply, e.notation, e.corrected) for e in events if isinstance(e, Moved)] == [
        (1, "C6-C5", True),
        (2, "J11-H9", True),
        (3, "F7-F5", True),
    ]
    assert (match.positions, match.moves) == line(GAME, "C6-C5 J11-H9 F7-F5")


@pytest.mark.parametrize("said", [Resign("white"), AgreeDraw(), Forfeit("black", "absence"), Forfeit("white", "time")])
@pytest.mark.parametrize("ply", [1, 3])
def test_a_correction_changes_no_result_that_was_said(said: Act, ply: int) -> None:
    over, told = apply_act(playing(notations="J6-K6 J11-H9 F7-F5"), said, 4.0)
    match, events = apply_act(over, Correct(ply, "C6-C5"), 5.0)
    assert names(events) == "move " * (4 - ply) + names(told)
    assert (match.phase, match.outcome) == (Phase.OVER, over.outcome)
    assert match.moves[ply - 1] == line(GAME, "C6-C5")[1][0]
    assert apply_act(match, Undo(), 6.0)[0].outcome is None


def test_a_ply_that_the_flag_may_have_hidden_opens_the_game_again() -> None:
    over, _ = apply_act(playing(), Forfeit("white", "time"), 4.0)
    match, events = apply_act(over, Correct(3, "F7-F5"), 5.0)
    assert (match.phase, match.outcome, names(events)) == (Phase.PLAYING, None, "move")


def test_a_correction_brings_no_side_back_that_is_out() -> None:
    game = load("tri-camelot")
    match = with_clock(Match(game, (game.start(),), phase=Phase.PLAYING, ready=True), parse_control("5m+2s"))
    for number in range(6):
        move = game.write(match.position, game.moves(match.position)[0])
        match, _ = apply_act(match, Correct(number + 1, move), float(number))
        if number == 3:
            match, _ = apply_act(match, Resign("red"), 3.5)
    other = game.write(match.positions[1], list(game.moves(match.positions[1]))[-1])
    after, events = apply_act(match, Correct(2, other), 10.0)
    assert names(events) == "move move move left move move"
    assert [(one.ply, one.side, one.left_s) for one in after.leavings] == [
        (one.ply, one.side, one.left_s) for one in match.leavings
    ]
    assert after.position.seat == match.position.seat
    assert [clock.left_s[1] for clock in after.clocks[4:]] == [0.0, 0.0, 0.0]


def test_a_correction_leaves_a_position_that_was_set_later() -> None:
    _, position = stand("camelot wcf", "white", "WM F10 G16 A4, BM L13 L12")
    match, _ = apply_act(playing(), SetPosition(to_json(GAME, position)), 4.0)
    match, _ = apply_act(match, Correct(3, "F10-F11"), 5.0)
    after, events = apply_act(match, Correct(1, "C6-C5"), 6.0)
    assert names(events) == "move move position move"
    assert after.position == match.position


def test_what_does_not_fit_a_correction_is_named_and_dropped() -> None:
    match, events = apply_act(playing(notations="F7-F5 G10-G9 F5-F4 G9-G8"), Correct(1, "J6-K6"), 4.0)
    assert names(events) == "move move conflict"
    conflict = events[-1]
    assert isinstance(conflict, Conflict)
    assert (conflict.ply, conflict.notation, conflict.t) == (3, "F5-F4", 4.0)
    assert conflict.message
    assert len(match.moves) == 2


def test_what_a_correction_would_drop_is_known_before() -> None:
    match = playing(notations="F7-F5 G10-G9 F5-F4 G9-G8")
    lost = find_dropped(match, 1, "J6-K6")
    assert lost is not None
    assert lost.to_json() == {
        "plies": 2,
        "ply": 3,
        "number": 2,
        "side": "white",
        "notation": "F5-F4",
        "code": "no-piece",
        "text": "There is no piece on {cell}.",
        "values": {"cell": "F5"},
        "message": "There is no piece on F5.",
    }
    assert find_dropped(match, 4, "G9-H8") is None, "none comes after it"
    with pytest.raises(InputError, match=re.escape("“1. White” was not A1-A2")):
        find_dropped(match, 1, "A1-A2")


def test_dropped_moves_come_back_until_the_game_goes_on() -> None:
    match = playing(notations="F7-F5 G10-G9 F5-F4 G9-G8")
    corrected, _ = apply_act(match, Correct(1, "J6-K6"), 4.0)
    after, events = apply_act(corrected, BringBack(by="arbiter"), 5.0)
    assert names(events) == "move move move move brought-back"
    assert (after.positions, after.moves, after.phase, after.dropped) == (
        match.positions,
        match.moves,
        Phase.SETUP,
        None,
    )
    gone_on, _ = apply_act(corrected, Correct(3, "C6-C5"), 5.0)
    with pytest.raises(InputError, match="No move was dropped"):
        apply_act(gone_on, BringBack(), 6.0)
    ended, _ = apply_act(corrected, Resign("white"), 5.0)
    with pytest.raises(InputError, match="take the result back first"):
        apply_act(ended, BringBack(), 6.0)
    taken_back, _ = apply_act(ended, Undo(), 6.0)
    assert apply_act(taken_back, BringBack(), 7.0)[0].moves == match.moves


def test_a_move_that_is_not_lawful_stands_if_the_arbiter_says_so() -> None:
    match, events = apply_act(playing(Phase.TROUBLE), AsPlayed("F7-F4", by="arbiter"), 4.0)
    assert [(e.notation, e.as_played) for e in events if isinstance(e, Moved)] == [("F7-F4", "not-a-move")]
    index = GAME.board.index
    assert (match.position.placement[index["F7"]], bool(match.position.placement[index["F4"]])) == (0, True)
    assert match.side_to_move == "black"
    match, events = apply_act(match, Correct(1, "C6-C5"), 5.0)
    assert [(e.notation, e.as_played) for e in events if isinstance(e, Moved)][-1] == ("F7-F4", "not-a-move")


def test_a_lawful_move_is_not_flagged() -> None:
    _, events = apply_act(playing(), AsPlayed("F7-F5"), 4.0)
    assert [e.as_played for e in events if isinstance(e, Moved)] == [None]


def test_the_position_is_set() -> None:
    _, position = stand("camelot wcf", "black", "WM F10 G16 A4, BM L13 L12")
    match, events = apply_act(playing(), SetPosition(to_json(GAME, position)), 4.0)
    assert match.position == position
    assert len(match.moves) == 2
    assert isinstance(events[0], PositionSet)
    match, _ = apply_act(match, Undo(), 5.0)
    assert match.positions == line(GAME, "J6-K6")[0]


def test_a_draw_is_claimed_by_repetition() -> None:
    game = load("camelot", "wcf,repetition_claim=2")
    positions, moves = line(game, "J6-K6 J11-K11 K6-J6 K11-J11")
    match = Match(game, positions, moves, Phase.PLAYING, ready=True)
    after, events = apply_act(match, ClaimDraw(by="player"), 3.0)
    assert after.outcome == Outcome("1/2-1/2", "repetition")
    assert names(events) == "result"


def test_nothing_is_judged_in_a_pause_and_the_camera_may_move() -> None:
    paused, _ = apply_act(playing(), Pause(), 1.0)
    assert camera_moved(paused, 2.0) == (paused, ())
    assert camera_found(paused, 3.0, 90) == (paused, ())
    resumed, _ = apply_act(paused, Resume(), 4.0)
    assert (resumed.phase, resumed.ready, resumed.note) == (Phase.PLAYING, True, None)


def test_after_an_adjournment_the_position_must_stand_again() -> None:
    adjourned, _ = apply_act(playing(), Adjourn(), 1.0)
    resumed, _ = apply_act(adjourned, Resume(), 2.0)
    assert (resumed.phase, resumed.ready, resumed.moves) == (Phase.SETUP, False, playing().moves)


def test_a_new_game_begins_from_the_start() -> None:
    match, events = apply_act(playing(Phase.TROUBLE), NewGame(), 1.0)
    assert replace(match, before=None) == new_match(GAME)
    assert [event.to_json() for event in events] == [
        {"t": 1.0, "event": "adjourned", "by": "page"},
        {"t": 1.0, "event": "new-game", "by": "page", "after": "adjourned"},
    ]
    assert match.before is not None
    assert match.before.moves == playing().moves
