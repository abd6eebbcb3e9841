"""Pieces do not move by themselves: whether a hand has been over the board counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.belief.decision import update_belief
from engine.belief.memory import Memory
from engine.belief.numbers import load_default_numbers
from engine.belief.sight import InMotion
from engine.belief.verdicts import Played, Still
from engine.games import load
from tests.engine.sights import cells, move_named, seen

CAMELOT = load("camelot", "wcf")
START = CAMELOT.start()
MOVE = move_named(CAMELOT, START, "E6-E5")
AFTER = CAMELOT.play(START, MOVE).placement
FAINT = 4.0


def chance_of_the_ply(visited: bool) -> float:
    """How probable a ply is whose two cells are read faintly."""
    faint = dict.fromkeys(cells(CAMELOT, "E6 E5"), FAINT)
    sight = replace(seen(CAMELOT, AFTER, faint=faint), clear=True)
    opinion, _ = update_belief(CAMELOT, (START,), (), sight, Memory(visited=visited), InMotion())
    return sum(share for share, one in opinion.best if one.verdict == Played((MOVE,)))


def test_a_faint_ply_is_more_probable_after_a_hand_was_there() -> None:
    assert chance_of_the_ply(visited=False) < 0.5
    assert chance_of_the_ply(visited=True) > load_default_numbers().say


def test_a_plain_ply_is_believed_though_no_hand_was_seen() -> None:
    """A hand may go by between two frames, or take the piece with tongs."""
    opinion, _ = update_belief(CAMELOT, (START,), (), replace(seen(CAMELOT, AFTER), clear=True), Memory(), InMotion())
    assert opinion.verdict == Played((MOVE,))
    assert opinion.probability > 0.99


@pytest.mark.parametrize("hand", [{"clear": False}, {"unsteady": True}])
def test_a_hand_is_remembered_until_the_board_is_understood_without_it(hand: dict[str, bool]) -> None:
    rest = replace(seen(CAMELOT, START.placement), clear=True)
    _, memory = update_belief(CAMELOT, (START,), (), replace(rest, **hand), Memory(), InMotion())
    assert memory.visited
    opinion, memory = update_belief(CAMELOT, (START,), (), rest, memory, InMotion())
    assert opinion.verdict == Still()
    assert not memory.visited
