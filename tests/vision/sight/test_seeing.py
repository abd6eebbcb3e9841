"""What is hidden is not learned, and what cannot be read keeps the look that is known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.filmed import SIZE_WH, Sat, at, board, clean, handed, named, put, sat
from vision.ground import MARGIN_CELLS, SAMPLES_PER_CELL, Picture

GAME, SCENE = board()
SAME_LEVELS = 4.0
"""Of the mean over a cell."""


def patch(picture: Picture, name: str, half: float = 0.4) -> Picture:
    """The floor of a cell."""
    x, y = (at(GAME, name) + MARGIN_CELLS) * SAMPLES_PER_CELL
    reach = round(half * SAMPLES_PER_CELL)
    return picture[round(y) - reach : round(y) + reach, round(x) - reach : round(x) + reach]


def apart(one: Picture, other: Picture, name: str) -> float:
    """By how many grey levels two pictures differ in a cell."""
    return float(np.abs(patch(one, name) - patch(other, name)).mean())


def known(here: Sat) -> Picture:
    level = here.seeing.levels[0]
    assert level.known is not None
    return level.known


def test_a_piece_held_over_a_cell_is_not_learned_there() -> None:
    here = sat(GAME, SCENE)
    before = known(here).copy()
    seen = here.show(handed(GAME, SCENE, "F9", holds="F7"), 2.0)
    shown = seen.readable & ~seen.reached
    here.seeing.learn_readable(shown, whole=bool(shown.all()))
    assert not shown[here.index("F9")]
    assert apart(known(here), before, "F9") < SAME_LEVELS


def test_what_the_caller_does_not_vouch_for_keeps_its_look() -> None:
    here = sat(GAME, SCENE)
    before = known(here).copy()
    moved = put(GAME, SCENE, "F7", "F8")
    seen = here.show(moved, 1.0)
    shown = seen.readable.copy()
    shown[[here.index("F7"), here.index("F8")]] = False
    here.seeing.learn_readable(shown, whole=False)
    assert apart(known(here), before, "F7") < SAME_LEVELS
    assert apart(known(here), before, "F8") < SAME_LEVELS
    after = here.show(moved, 0.5)
    assert after.touched[[here.index("F7"), here.index("F8")]].all(), "still to be read"


def test_unreadable_cells_show_the_known_picture() -> None:
    here = sat(GAME, SCENE)
    before = known(here).copy()
    seen = here.show(handed(GAME, SCENE, "F9"), 0.1)
    (picture,) = here.seeing.relit_pictures(seen.readable)
    hidden = named(GAME, ~seen.readable)
    assert "F9" in hidden
    for name in hidden:
        assert apart(picture, before, name) < SAME_LEVELS, name


def test_what_was_understood_is_no_longer_touched() -> None:
    here = sat(GAME, SCENE)
    moved = put(GAME, SCENE, "F7", "F8")
    seen = here.show(moved, 0.5)
    assert {"F7", "F8"} <= set(named(GAME, seen.touched))
    here.seeing.learn_readable(seen.readable, whole=True)
    again = here.show(moved, 0.5)
    assert named(GAME, again.touched) == []
    assert not again.hands


def test_a_hand_leaves_its_trace_until_it_is_read() -> None:
    """Where it was, something may have happened."""
    here = sat(GAME, SCENE)
    here.show(handed(GAME, SCENE, "F9"), 0.5)
    seen = here.show(SCENE, 0.5)
    assert seen.readable.all()
    assert not seen.hands
    assert "F9" in named(GAME, seen.touched)


def test_a_known_board_that_nobody_touches_is_not_touched() -> None:
    here = sat(GAME, SCENE)
    assert named(GAME, here.show(SCENE, 2.0).touched) == []


@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.floats(0.7, 1.05), st.tuples(*[st.floats(0.9, 1.05)] * 3))
def test_pictures_come_in_the_light_in_which_the_board_is_known(gain: float, tint: tuple[float, float, float]) -> None:
    here = Sat(GAME, SCENE)
    dim = np.asarray(cv2.convertScaleAbs(clean(SCENE), alpha=0.8), np.uint8)
    seen = here.show(dim, 1.0)
    here.seeing.learn_readable(seen.readable, whole=True)
    other = np.asarray(np.clip(dim * gain * np.array(tint), 0, 255), np.uint8)
    seen = here.show(other, 0.5)
    (picture,) = here.seeing.relit_pictures(seen.readable)
    off = [apart(picture, known(here), name) for name in GAME.board.cells]
    assert max(off) < SAME_LEVELS


@pytest.mark.parametrize("shift", [(2.0, -1.0), (-3.0, 2.5)])
def test_a_board_that_moved_a_little_shows_the_same(shift: tuple[float, float]) -> None:
    here = sat(GAME, SCENE)
    moved = cv2.warpAffine(
        clean(SCENE), np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), SIZE_WH, borderMode=cv2.BORDER_REPLICATE
    )
    seen = here.show(np.asarray(moved, np.uint8), 0.5)
    (picture,) = here.seeing.relit_pictures(seen.readable)
    assert seen.readable.all()
    assert max(apart(picture, known(here), name) for name in GAME.board.cells) < SAME_LEVELS


def test_every_cell_counts_as_touched_once_a_person_says_so() -> None:
    here = sat(GAME, SCENE)
    here.seeing.mark_touched()
    assert here.seeing.observe_board().touched.all()
