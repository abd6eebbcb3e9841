"""What an arbiter says of the end of a game: for one side, for all, of one on the board and of one of before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from device.text import compose_text
from engine.errors import InputError
from engine.game import Outcome
from engine.games import load
from engine.match.acts import EVERYBODY, AgreeDraw, Correct, Forfeit, Resign, SetPosition, Undo
from engine.match.arbiter import apply_act
from engine.match.course import find_last_move, is_position_set
from engine.match.settling import build_settled, list_endings
from engine.match.state import Match, Phase
from engine.text.positions import to_json
from engine.text.records import read_pgn
from engine.text.replay import replay_record
from tests.engine.match.test_arbiter import names, playing


@pytest.mark.parametrize(
    ("how", "result", "why"),
    [
        ("draw", "1/2-1/2", "agreement"),
        ("draw-ruling", "1/2-1/2", "ruling"),
        ("white", "0-1", "resigned"),
        ("white-time", "0-1", "time"),
        ("black-absence", "1-0", "absence"),
        ("black-rules", "1-0", "rules"),
        ("all-absence", "0-0", "absence"),
        ("all-rules", "0-0", "rules"),
        ("unfinished", "*", "unfinished"),
    ],
)
def test_an_arbiter_says_how_a_game_of_before_ended(how: str, result: str, why: str) -> None:
    known = list_endings(playing())
    assert how in known
    said = build_settled(how, playing(), 1.0, known)
    assert (said.result, said.why) == (result, why)


def test_of_three_an_arbiter_says_who_won_or_that_nobody_did() -> None:
    game = load("tri-camelot")
    match = Match(game, (game.start(),), phase=Phase.PLAYING, ready=True)
    known = list_endings(match)
    results = {how: build_settled(how, match, 1.0, known).result for how in known}
    assert (results["red-wins"], results["all-rules"], results["draw-ruling"]) == ("0-1-0", "0-0-0", "1/3-1/3-1/3")
    assert "red" not in known
    assert "red-time" not in known
    two, _ = apply_act(match, Resign("red"), 1.0)
    assert [how for how in list_endings(two) if how in game.seats] == ["blue", "green"], "one of two that are left lost"


@pytest.mark.parametrize(
    ("gone", "result"), [("blue", "0-1/2-1/2"), ("red", "1/2-0-1/2"), ("green", "1/2-1/2-0"), ("", "1/3-1/3-1/3")]
)
def test_of_three_those_draw_who_are_still_in_the_game(gone: str, result: str) -> None:
    game = load("tri-camelot")
    match = Match(game, (game.start(),), phase=Phase.PLAYING, ready=True)
    if gone:
        match, _ = apply_act(match, Resign(gone), 2.0)
    over, _ = apply_act(match, AgreeDraw(), 3.0)
    assert over.outcome == Outcome(result, "agreement")
    text = f'[Variant "tri-camelot"]\n\n{f"{{[%left {gone} resigned]}}" if gone else ""} {result}\n'
    (record,) = read_pgn(text)
    assert (record.result, replay_record(record).fault) == (result, None)
    (lied,) = read_pgn(text.replace(f" {result}", " 1/2-1/2"))
    assert replay_record(lied).fault is not None, "three have played"


@pytest.mark.parametrize(("name", "result"), [("camelot", "0-0"), ("tri-camelot", "0-0-0")])
def test_every_side_may_forfeit_and_that_is_taken_back_whole(name: str, result: str) -> None:
    game = load(name)
    match = Match(game, (game.start(),), phase=Phase.PLAYING, ready=True)
    over, events = apply_act(match, Forfeit(EVERYBODY, "absence", by="arbiter"), 3.0)
    assert (names(events), over.outcome, over.phase) == ("result", Outcome(result, "absence"), Phase.OVER)
    assert apply_act(over, Undo(), 4.0)[0].outcome is None
    with pytest.raises(InputError, match="Only one clock runs"):
        apply_act(match, Forfeit(EVERYBODY, "time"), 3.0)


def test_a_position_ends_no_game_that_people_have_ended_nor_is_an_empty_board_one() -> None:
    """A program that sent `{"cells": {}}` made a draw of a game that nobody had come to."""
    over, _ = apply_act(playing(), Forfeit(EVERYBODY, "absence"), 3.0)
    won = {"game": "camelot", "to_move": "white", "cells": {"C6": "WN", "D6": "WM"}}
    with pytest.raises(InputError, match="take that back first"):
        apply_act(over, SetPosition(won), 4.0)
    for match in (playing(), over):
        with pytest.raises(InputError, match="an empty board"):
            apply_act(match, SetPosition(won | {"cells": {}}), 4.0)
    assert apply_act(playing(), SetPosition(won), 4.0)[0].outcome == Outcome("1-0", "captured-all")
    goes_on = won | {"cells": {"C6": "WN", "D6": "WM", "F11": "BM", "G11": "BN"}}
    assert apply_act(over, SetPosition(goes_on), 4.0)[0].outcome is None


def test_the_last_move_is_shown_as_long_as_it_led_to_what_stands() -> None:
    match = playing()
    plies = len(match.moves)
    assert find_last_move(match) == match.moves[-1]
    other = replace(match.position, seat=1 - match.position.seat)
    match, _ = apply_act(match, SetPosition(to_json(match.game, other), by="arbiter"), 2.0)
    assert find_last_move(match) is None and compose_text(replace(match, phase=Phase.PLAYING))[1] == ""
    (shown, *_) = match.game.moves(match.position)
    match, _ = apply_act(match, Correct(plies + 1, match.game.write(match.position, shown)), 3.0)
    assert find_last_move(match) == shown
    assert [is_position_set(match, ply) for ply in range(1, plies + 2)] == [False] * (plies - 1) + [True, False]


def test_what_all_have_forfeited_stays_so_when_a_move_is_corrected() -> None:
    over, _ = apply_act(playing(), Forfeit(EVERYBODY, "rules"), 3.0)
    after, events = apply_act(over, Correct(1, "C6-C5"), 4.0)
    assert (names(events), after.outcome) == ("move move result", Outcome("0-0", "rules"))
