"""Pieces of a film have the shapes of the pages; a piece without a drawing is a counter with its letter."""

from __future__ import annotations

import numpy as np
import pytest

from engine.explain.wording import words_of
from engine.games import load
from server.record.exports.stamps import draw_piece

COLOURS = ("#fffdf6", "#4b4436", "#4b4436")
SIDE_PX = 45


def drawn(drawing: str, letter: str = "") -> np.ndarray:
    return np.asarray(draw_piece(drawing, letter, SIDE_PX, *COLOURS), np.uint8)


def test_a_man_and_a_knight_are_told_by_their_shape() -> None:
    kinds = words_of(load("camelot", "wcf")).kinds
    man, knight = (drawn(kinds[code].drawing)[..., 3] > 128 for code in ("WM", "WN"))
    assert not man[0].any() and not man[:, 0].any()
    assert man[9, 22] and man[36, 10] and not man[26, 12]  # head, foot, and nothing beside the neck
    assert not knight[9, 26] and knight[26, 12] and np.mean(man != knight) > 0.1


@pytest.mark.parametrize("drawing", ["", "<g></g>"])
def test_without_a_drawing_there_is_a_counter_with_its_letter(drawing: str) -> None:
    plain, lettered = drawn(drawing, ""), drawn(drawing, "Q")
    assert plain[22, 22, 3] == 255 and plain[2, 2, 3] == 0
    assert (plain[15:30, 15:30] != lettered[15:30, 15:30]).any()
