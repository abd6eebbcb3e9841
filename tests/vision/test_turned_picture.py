"""A picture that was seen before is known when it is turned or mirrored; others are not taken for one."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from vision.ground import Image
from vision.turned_picture import RENEWED_S, TurnedPicture

SIZE = (640, 480)


def table(seed: int) -> Image:
    """A board in the middle of a table with things around it, seen slantwise."""
    chance = np.random.default_rng(seed)
    coarse = chance.integers(40, 200, (6, 8)).astype(np.uint8)
    picture = np.asarray(cv2.resize(coarse, SIZE, interpolation=cv2.INTER_CUBIC), np.uint8)
    cv2.fillPoly(picture, [np.array([[220, 140], [440, 150], [520, 400], [120, 390]], np.int32)], (225,))
    return picture


TURNS: dict[str, Callable[[Image], Image]] = {
    "upside down": lambda picture: np.ascontiguousarray(picture[::-1, ::-1]),
    "mirrored": lambda picture: np.ascontiguousarray(picture[:, ::-1]),
    "lying": lambda picture: np.asarray(cv2.resize(np.ascontiguousarray(picture.T[::-1]), SIZE), np.uint8),
}


@pytest.mark.parametrize("turn", TURNS.values(), ids=list(TURNS))
def test_the_usual_picture_is_known_however_it_is_turned(turn: Callable[[Image], Image]) -> None:
    memory, picture = TurnedPicture(), table(1)
    assert not memory.is_turned(0.0, picture, board_found=True), "the first is the usual one"
    assert memory.is_turned(1.0, turn(picture), board_found=False)
    assert not memory.is_turned(2.0, picture, board_found=True), "and it stays that"


def test_another_table_is_no_turned_one() -> None:
    memory = TurnedPicture()
    memory.is_turned(0.0, table(1), board_found=True)
    assert not any(memory.is_turned(1.0, table(seed), board_found=False) for seed in range(2, 8))


def test_the_usual_picture_is_renewed_where_the_board_is_found_and_nowhere_else() -> None:
    first, second = table(1), table(2)
    turned = TURNS["upside down"](second)
    for board_found in (False, True):
        memory = TurnedPicture()
        memory.is_turned(0.0, first, board_found=True)
        memory.is_turned(RENEWED_S + 1.0, second, board_found=board_found)
        assert memory.is_turned(RENEWED_S + 2.0, turned, board_found=False) is board_found
