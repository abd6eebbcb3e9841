"""A capture that ends on the cell where it began shows nothing but what it took: so does the beginning of another one,
as people take off first and move afterwards. While a hand may go on, nothing is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from engine.belief.decision import update_belief
from engine.belief.memory import Memory
from engine.belief.sight import InMotion
from engine.belief.verdicts import Covered, Doubtful, Played, Verdict
from engine.game import Game, Move, Position
from engine.match.events import Moved, Unclear
from tests.engine.match.test_same_position import Watched
from tests.engine.sights import cells, changed, explain, move_named, seen
from tests.engine.stand import stand

PIECES = "WN J6, WM I7 C6 K6 I8 D6 D5, BM I6 B10 C11 D11 E11"
RETURNING, INSTEAD, REPLY = "J6-H8-J8-H6xJ6", "J6xH6", "C11-C12"
HAND_S = 0.75
HAND = "I9 H10 I10 J10 I11"
"""Where a hand lies: beside none of the pieces that may take."""


def begin() -> tuple[Game, Position]:
    return stand("camelot wcf", "white", PIECES)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param({}, Covered, id="a hand is over the board"),
        pytest.param({"patient": True, "rested": True}, Covered, id="it does not stir"),
        pytest.param({"rested": True, "hidden": HAND}, Covered, id="it hides cells elsewhere"),
        pytest.param({"clear": True, "rested": True, "hand_beside": True}, Covered, id="it rests beside the board"),
        pytest.param(
            {"clear": True, "rested": True, "hand_beside": True, "assumed": True}, Doubtful, id="the recording is over"
        ),
        pytest.param({"clear": True}, Doubtful, id="it has just gone"),
        pytest.param({"clear": True, "rested": True, "patient": True, "hidden": "K7"}, Doubtful, id="beside the piece"),
        pytest.param({"clear": True, "rested": True, "patient": True, "hidden": "H8"}, Doubtful, id="beside a rival"),
        pytest.param({"clear": True, "rested": True, "patient": True, "hidden": HAND}, Played, id="a cup elsewhere"),
        pytest.param({"clear": True, "rested": True}, Played, id="the board is left alone"),
    ],
)
def test_what_may_be_the_beginning_of_another_capture_waits_for_the_hand(given: dict[str, Any], told: type) -> None:
    game, position = begin()
    sight = replace(
        seen(game, changed(game, position.placement, "I6-")),
        moving_s=HAND_S,
        **{**given, "hidden": tuple(cells(game, given.get("hidden", "")))},
    )
    opinion = explain(game, (position,), (), sight)
    assert isinstance(opinion.verdict, told)
    if told is Played:
        assert opinion.verdict == Played((move_named(game, position, RETURNING),))
    else:
        assert opinion.reason.rule in ("capture-begun", "cells-not-seen")


def told_under_hand(game: Game, positions: Sequence[Position], moves: Sequence[Move], changes: str) -> Verdict:
    """What is said of a board on which that has changed since the last position, while a hand is over it."""
    sight = replace(seen(game, changed(game, positions[-1].placement, changes)), moving_s=HAND_S)
    return explain(game, positions, moves, sight).verdict


def test_what_can_be_no_other_capture_is_said_under_the_hand() -> None:
    game, position = stand("camelot wcf", "black", "BN E9 C11, BM D10, WM E8 F7 F8 J6")
    verdict = told_under_hand(game, (position,), (), "E8- F7- F8-")
    assert verdict == Played((move_named(game, position, "E9xE7xG7xE9"),))


def test_a_piece_of_the_other_side_in_a_hand_tells_that_the_capture_was_whole() -> None:
    game, position = begin()
    assert told_under_hand(game, (position,), (), "I6- C11-") == Played((move_named(game, position, RETURNING),))


def test_a_piece_that_was_seen_to_come_back_is_put_right_under_the_hand() -> None:
    game, position = begin()
    landed = move_named(game, position, INSTEAD)
    verdict = told_under_hand(game, (position, game.play(position, landed)), (landed,), "H6-J6")
    assert verdict == Played((move_named(game, position, RETURNING),), replaces=1)


@pytest.mark.parametrize("seen_off", [False, True])
def test_a_capture_whose_piece_was_seen_off_its_cell_is_said_as_soon_as_the_hand_is_gone(seen_off: bool) -> None:
    game, position = begin()
    sight = replace(seen(game, changed(game, position.placement, "I6-")), moving_s=HAND_S, clear=True)
    stood = ((frozenset(cells(game, "J6")), frozenset[int]()),) if seen_off else ()
    opinion, _ = update_belief(game, (position,), (), sight, Memory(stood=stood), InMotion())
    assert isinstance(opinion.verdict, Played) is seen_off


@pytest.mark.parametrize("held_s", [1.0, 4.0])
def test_who_takes_off_first_is_not_told_that_the_piece_came_back(held_s: float) -> None:
    board = Watched(*begin())
    position = board.state.match.position
    board.stand_for(position.placement, HAND_S, "H6 I6 J6")
    board.stand_for(changed(board.state.match.game, position.placement, "I6-"), held_s, HAND)
    board.play(position, INSTEAD, 1.5)
    assert [(one.notation, one.corrected) for one in board.told if isinstance(one, Moved)] == [(INSTEAD, False)]
    assert not [one for one in board.told if isinstance(one, Unclear)]


@pytest.mark.parametrize("pause_s", [0.5, 1.5])
def test_a_capture_that_came_back_is_said_once_the_hand_is_gone_or_somebody_goes_on(pause_s: float) -> None:
    board = Watched(*begin())
    after = board.play(board.state.match.position, RETURNING, pause_s)
    said = [one.notation for one in board.told if isinstance(one, Moved)]
    assert said == ([RETURNING] if pause_s > 1.0 else [])
    board.play(after, REPLY, 1.5)
    assert board.said() == [RETURNING, REPLY]
    assert not [one for one in board.told if isinstance(one, Unclear)]
