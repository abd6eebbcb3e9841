"""A piece that went and was captured before the board rested: where it went is known from what was seen meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import pytest

from engine.game import Move
from engine.games import load
from engine.hindsight import GLIMPSES, ply_shown
from engine.sight import Sight
from engine.verdicts import Doubtful, Played
from engine.witness import explain
from tests.engine.sights import changed, line, seen

CAMELOT = load("camelot", "wcf")
OPENING, QUICK = "D6-F8 D11-D9 G6-I8", "G10-G9 C6-E8-G8xG10xE12"
POSITIONS, MOVES = line(CAMELOT, f"{OPENING} {QUICK}")
BEFORE = POSITIONS[:-2], MOVES[:-2]
AT_REST = seen(CAMELOT, POSITIONS[-1].placement)


def glimpsed(change: str) -> Sight:
    """The board while hands moved, when only this had happened."""
    return seen(CAMELOT, changed(CAMELOT, BEFORE[0][-1].placement, change))


def told(glimpses: Callable[[], Sequence[Sight]] | None = None) -> Sequence[object] | None:
    """The moves that are believed, None if it is asked."""
    verdict = explain(CAMELOT, *BEFORE, AT_REST, *([glimpses] if glimpses else [])).verdict
    if isinstance(verdict, Played):
        return verdict.moves
    assert isinstance(verdict, Doubtful)
    return None


def test_the_board_at_rest_does_not_tell() -> None:
    assert told() is None


@pytest.mark.parametrize("count", range(GLIMPSES + 2))
def test_what_was_seen_often_enough_is_believed(count: int) -> None:
    seen_there = [glimpsed("G10-G9")] * count
    assert told(lambda: [glimpsed(""), *seen_there, AT_REST]) == (MOVES[-2:] if count >= GLIMPSES else None)


def test_a_piece_in_the_hand_is_not_believed() -> None:
    """It is at the edge of a cell over which it is carried, or the hand is strange there."""
    target = CAMELOT.board.index["G9"]
    plain = glimpsed("G10-G9")
    askew = [0.41 if cell == target else 0.0 for cell in range(len(plain.scores))]
    strange = [0.5 if cell == target else 0.0 for cell in range(len(plain.scores))]
    assert told(lambda: [replace(plain, askew=askew)] * GLIMPSES) is None
    assert told(lambda: [replace(plain, strange=strange)] * GLIMPSES) is None


def test_the_hand_may_hide_where_the_piece_came_from_but_once() -> None:
    plain, origin = glimpsed("G10-G9"), CAMELOT.board.index["G10"]
    hidden = replace(plain, strange=[0.8 if cell == origin else 0.0 for cell in range(len(plain.scores))])
    assert told(lambda: [hidden, plain]) == MOVES[-2:]
    assert told(lambda: [hidden] * GLIMPSES) is None


def test_once_is_enough_while_the_arm_is_elsewhere() -> None:
    plain, target = glimpsed("G10-G9"), CAMELOT.board.index["G9"]
    elsewhere, with_it = range(target + 30, len(plain.scores)), range(target, len(plain.scores))
    assert told(lambda: [replace(plain, hidden=elsewhere)]) == MOVES[-2:]
    assert told(lambda: [replace(plain, hidden=with_it)]) is None
    assert told(lambda: [plain]) is None  # where the hand is, is not known


def test_of_two_that_went_to_the_same_cell_the_one_that_still_stood_did_not() -> None:
    start = CAMELOT.start()
    plies = [cast(Move, CAMELOT.read(start, text)) for text in ("F7-F8", "D6-F8")]
    index = CAMELOT.board.index
    change = ((index["D6"], 0), (index["F7"], 0), (index["F8"], CAMELOT.look_of[start.placement[index["F7"]]]))
    assert ply_shown(CAMELOT, start, plies, change, [seen(CAMELOT, start.placement)] * GLIMPSES) is None
    for ply in plies:
        then = seen(CAMELOT, CAMELOT.play(start, ply).placement)
        assert ply_shown(CAMELOT, start, plies, change, [then] * GLIMPSES) == ply
        assert ply_shown(CAMELOT, start, plies, change, [then]) is None
        elsewhere = replace(then, hidden=[CAMELOT.board.index["K12"]])
        assert ply_shown(CAMELOT, start, plies, change, [elsewhere]) == ply


def test_if_two_plies_were_seen_it_is_asked() -> None:
    assert told(lambda: [glimpsed("G10-G9")] * GLIMPSES + [glimpsed("G10-F9")] * GLIMPSES) is None


def test_the_board_at_rest_is_no_evidence() -> None:
    assert told(lambda: [AT_REST] * GLIMPSES) is None


def test_glimpses_are_only_read_when_they_are_needed() -> None:
    def never() -> Sequence[Sight]:
        raise AssertionError

    positions, moves = BEFORE
    after = CAMELOT.play(positions[-1], MOVES[-2])
    assert explain(CAMELOT, positions, moves, seen(CAMELOT, after.placement), never).verdict == Played((MOVES[-2],))
