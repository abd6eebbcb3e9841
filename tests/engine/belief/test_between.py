"""Which of several first plies was played, when the board at rest cannot tell: what was seen while hands moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from engine.belief.sight import Sight
from engine.belief.verdicts import Doubtful, Played
from engine.games import load
from tests.engine.sights import changed, explain, line, seen

CAMELOT = load("camelot", "wcf")
OPENING, QUICK = "D6-F8 D11-D9 G6-I8", "G10-G9 C6-E8-G8xG10xE12"
POSITIONS, MOVES = line(CAMELOT, f"{OPENING} {QUICK}")
BEFORE = POSITIONS[:-2], MOVES[:-2]
AT_REST = seen(CAMELOT, POSITIONS[-1].placement)


def shown(change: str) -> Sight:
    """The board while hands moved, when only this had happened."""
    return seen(CAMELOT, changed(CAMELOT, BEFORE[0][-1].placement, change))


def told(moving: Callable[[], Sequence[Sight]] = tuple) -> Sequence[object] | None:
    """The moves that are believed, None if it is asked."""
    verdict = explain(CAMELOT, *BEFORE, AT_REST, moving).verdict
    if isinstance(verdict, Played):
        return verdict.moves
    assert isinstance(verdict, Doubtful)
    return None


def test_the_board_at_rest_does_not_tell() -> None:
    assert told() is None


@pytest.mark.parametrize("count", range(4))
def test_what_was_seen_often_enough_is_believed(count: int) -> None:
    """One look may show a piece that is carried over a cell."""
    seen_there = [shown("G10-G9")] * count
    assert told(lambda: [shown(""), *seen_there, AT_REST]) == (MOVES[-2:] if count >= 2 else None)


def test_what_is_hidden_in_a_look_says_nothing() -> None:
    plain, target = shown("G10-G9"), CAMELOT.board.index["G9"]
    assert told(lambda: [replace(plain, hidden=(target,))] * 3) is None


def test_if_two_plies_were_seen_it_is_asked() -> None:
    assert told(lambda: [shown("G10-G9")] * 2 + [shown("G10-F9")] * 2) is None


def test_the_board_at_rest_is_no_evidence() -> None:
    assert told(lambda: [AT_REST] * 3) is None


def test_looks_in_motion_are_only_read_when_they_are_needed() -> None:
    def never() -> Sequence[Sight]:
        raise AssertionError

    positions, moves = BEFORE
    after = CAMELOT.play(positions[-1], MOVES[-2])
    assert explain(CAMELOT, positions, moves, seen(CAMELOT, after.placement), never).verdict == Played((MOVES[-2],))
