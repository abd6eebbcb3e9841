"""What the engine is told: hidden cells say nothing, and beside a resting arm only what is plain is believed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.belief.sight import NO_LOOK
from vision.reading.level import Reading
from vision.sight.align import STAYED, Place
from vision.sight.seeing import SeenBoard
from vision.watch.sighted import (
    SURELY_AS_BEFORE,
    SURELY_SEEN,
    UNSEEN,
    flagged_cells,
    half_shown_cells,
    held_cells,
    hidden_cells,
    sight_of,
)

LOOKS = 3
NONE = np.zeros(4, bool)


def reading(looks: list[int], unexplained: float = 0.0) -> Reading:
    """A reading that is sure of the look of each cell."""
    found = np.array(looks)
    scores = np.full((len(looks), LOOKS), -20.0, np.float32)
    scores[np.arange(len(looks)), found] = 0.0
    odd = np.full(len(looks), unexplained, np.float32)
    return Reading(scores, found, found > 0, odd, np.full(len(looks), 0.3, np.float32), 1.0)


def flags(*cells: int) -> np.ndarray:
    out = NONE.copy()
    out[list(cells)] = True
    return out


EXPECTED = np.array([1, 0, 2, 0])
WHERE_IT_WAS = Place(STAYED, 1.0, 0.0, 1.0, 0.0)


def seen(readable: np.ndarray, reached: np.ndarray) -> SeenBoard:
    """The board beside an arm that rests near the cells that are `reached`."""
    return SeenBoard(1.0, readable, np.ones(4), ~NONE, reached, NONE, hands=True, place=WHERE_IT_WAS)


def test_what_cannot_be_read_is_hidden() -> None:
    assert flagged_cells(hidden_cells(reading([1, 0, 2, 0]), EXPECTED, seen(~flags(2), NONE))) == (2,)


def test_what_came_within_the_grasp_of_an_arm_is_like_no_piece_yet() -> None:
    assert held_cells(reading([1, 0, 2, 0]), flags(1, 2)) == ((2, NO_LOOK),)
    assert held_cells(reading([1, 0, 2, 0]), NONE) == ()


def test_half_of_a_movement_is_not_surely_as_before() -> None:
    """What looks as ever is; what has changed and leads by a little is left open, and so is what seems another."""
    found = reading([1, 0, 2, 0])
    assert flagged_cells(half_shown_cells(found, EXPECTED)) == ()
    found.scores[2, 0] = found.scores[2, 2] - SURELY_AS_BEFORE / 2
    assert flagged_cells(half_shown_cells(found, EXPECTED)) == (2,)
    assert flagged_cells(half_shown_cells(reading([1, 1, 2, 0]), EXPECTED)) == (1,)


def test_beside_a_resting_arm_a_floor_is_seen() -> None:
    """A man that was lifted is gone, whoever rests beside its cell."""
    assert flagged_cells(hidden_cells(reading([0, 0, 0, 0]), EXPECTED, seen(~NONE, ~NONE))) == ()


@pytest.mark.parametrize("shade", [1.0, 0.7])
def test_a_cell_of_the_colour_of_an_arm_was_not_left_by_its_piece(shade: float) -> None:
    """A bare arm over maple: the piece behind the one that was lifted was said to be in the hand."""
    maple, skin = np.array([120.0, 165.0, 190.0]), np.array([118.0, 150.0, 205.0])
    over = replace(seen(~NONE, flags(0)), middles=np.stack([skin, maple, shade * maple, maple]), arm=skin[None] + 1.0)
    assert flagged_cells(hidden_cells(reading([0, 0, 0, 0]), EXPECTED, over)) == (0,)


def test_beside_a_resting_arm_what_stood_there_is_seen() -> None:
    assert flagged_cells(hidden_cells(reading([1, 0, 2, 0]), EXPECTED, seen(~NONE, ~NONE))) == ()


def test_beside_a_resting_arm_what_came_may_still_be_held() -> None:
    assert flagged_cells(hidden_cells(reading([1, 2, 1, 0]), EXPECTED, seen(~NONE, ~NONE))) == (1, 2)
    assert flagged_cells(hidden_cells(reading([1, 2, 1, 0]), EXPECTED, seen(~NONE, flags(1)))) == (1,)


def test_beside_a_resting_arm_what_nothing_explains_is_hidden() -> None:
    odd = reading([1, 0, 2, 0], SURELY_SEEN + 0.1)
    assert flagged_cells(hidden_cells(odd, EXPECTED, seen(~NONE, flags(0, 3)))) == (0, 3)
    assert flagged_cells(hidden_cells(odd, EXPECTED, seen(~NONE, NONE))) == ()


def test_hidden_cells_are_as_they_were_or_hardly_anything_else() -> None:
    sight = sight_of(2.0, reading([2, 1, 0, 0], 0.5), EXPECTED, flags(0, 1))
    assert sight.scores[0] == [-UNSEEN, 0.0, -UNSEEN]
    assert sight.scores[1] == [0.0, -UNSEEN, -UNSEEN]
    assert sight.scores[2] == [0.0, -20.0, -20.0]
    assert list(sight.unexplained) == [0.0, 0.0, 0.5, 0.5]
    assert list(sight.offset_cells)[:2] == [0.0, 0.0]
    assert sight.hidden == (0, 1)
    assert sight.t == 2.0


cells = st.lists(st.integers(0, LOOKS - 1), min_size=4, max_size=4)


@settings(max_examples=60, deadline=None)
@given(cells, cells, st.sets(st.integers(0, 3)))
def test_what_is_hidden_changes_nothing_that_is_said(one: list[int], other: list[int], away: set[int]) -> None:
    """Whatever lies there: two readings that agree where the board is seen say the same."""
    unseen = flags(*away)
    same = np.where(unseen, other, one).tolist()
    assert sight_of(1.0, reading(one), EXPECTED, unseen) == sight_of(1.0, reading(same), EXPECTED, unseen)


@settings(max_examples=60, deadline=None)
@given(cells, st.sets(st.integers(0, 3)), st.sets(st.integers(0, 3)))
def test_more_arms_hide_more(looks: list[int], near: set[int], more: set[int]) -> None:
    few = hidden_cells(reading(looks), EXPECTED, seen(~NONE, flags(*near)))
    many = hidden_cells(reading(looks), EXPECTED, seen(~NONE, flags(*near, *more)))
    assert not (few & ~many).any()


def test_beside_a_resting_arm_scores_alone_make_a_piece_that_came() -> None:
    """The network may score a cell as a piece that the explanation around it leaves empty."""
    found = reading([1, 0, 2, 0])
    found.scores[1] = [0.0, 9.0, -1.0]
    assert flagged_cells(hidden_cells(found, EXPECTED, seen(~NONE, ~NONE))) == (1,)
    assert flagged_cells(hidden_cells(found, EXPECTED, seen(~NONE, NONE))) == ()
