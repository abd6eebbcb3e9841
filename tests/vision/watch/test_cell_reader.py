"""More cells have changed than one look has time for: each is read in its turn, and what was read is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.render.script import Recipe
from tests.vision.pictures import eyes_on, photograph, scene_of
from vision.ground import ground_of
from vision.reading.level_readers import LevelReaders
from vision.sight.align import STAYED, Place
from vision.sight.seeing import SeenBoard
from vision.watch.cell_reader import MOST_READ, CellReader

RECIPE = Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=(960, 720))
GAME, SCENE = scene_of(RECIPE)
COUNT = len(GAME.board.cells)
EXPECTED = np.array([GAME.look_of[piece] for piece in GAME.start().placement])
ALL = np.ones(COUNT, bool)


def frame(t: float, still_s: float) -> SeenBoard:
    """Every cell has been still for so long."""
    nothing = np.zeros(COUNT, bool)
    return SeenBoard(t, ALL, np.full(COUNT, still_s), ALL, nothing, nothing, False, Place(STAYED, 1.0, 0.0, 1.0, 0.0))


def under_another_lamp() -> LevelReaders:
    """Eyes that know the board, and look at it in a light from the other side."""
    eyes = eyes_on(GAME, SCENE)
    image = photograph(SCENE)
    ramp = np.linspace(1.5, 0.6, image.shape[1])[None, :, None]
    lit = np.clip(image * ramp, 0, 255).astype(np.uint8)
    eyes.compare_pictures([ground_of(view).resample_image(lit) for view in eyes.views])
    return eyes


def test_after_some_looks_nothing_is_left_unread() -> None:
    eyes, turns = under_another_lamp(), CellReader()
    looks = range(1, -(-COUNT // MOST_READ) + 1)
    left = [int(turns.read_cells(eyes, ALL, frame(n / 10, n / 10), EXPECTED, everything=False)[1].sum()) for n in looks]
    assert left == [max(0, COUNT - n * MOST_READ) for n in looks]


def test_what_was_read_is_kept_while_it_does_not_stir() -> None:
    eyes, turns = under_another_lamp(), CellReader()
    first, unread = turns.read_cells(eyes, ALL, frame(0.1, 0.1), EXPECTED, everything=False)
    second, _ = turns.read_cells(eyes, ALL, frame(0.2, 0.2), EXPECTED, everything=False)
    assert (second.scores[~unread] == first.scores[~unread]).all()


def test_what_a_hand_covers_for_a_look_is_kept() -> None:
    """Learned as it was before, a piece that has left would go on standing there."""
    eyes, turns = under_another_lamp(), CellReader()
    first, unread = turns.read_cells(eyes, ALL, frame(0.1, 0.1), EXPECTED, everything=False)
    turns.read_cells(eyes, unread & (np.cumsum(unread) <= MOST_READ), frame(0.2, 0.2), EXPECTED, everything=False)
    third, _ = turns.read_cells(eyes, ALL, frame(0.3, 0.3), EXPECTED, everything=False)
    assert (third.scores[~unread] == first.scores[~unread]).all()


def test_what_has_stirred_is_not_kept() -> None:
    """Every cell moved between the looks: those that were read first say nothing of what they show now."""
    eyes, turns = under_another_lamp(), CellReader()
    turns.read_cells(eyes, ALL, frame(0.1, 0.1), EXPECTED, everything=False)
    _, unread = turns.read_cells(eyes, ALL, frame(0.5, 0.1), EXPECTED, everything=False)
    assert int(unread.sum()) == COUNT - MOST_READ


def test_a_board_at_rest_is_read_at_once() -> None:
    eyes, turns = under_another_lamp(), CellReader()
    reading, unread = turns.read_cells(eyes, ALL, frame(2.0, 1.5), EXPECTED, everything=True)
    assert not unread.any()
    assert (reading.looks == EXPECTED).mean() > 0.9


def test_what_was_learned_in_between_is_not_kept() -> None:
    eyes, turns = under_another_lamp(), CellReader()
    turns.read_cells(eyes, ALL, frame(0.1, 0.1), EXPECTED, everything=False)
    turns.forget_readings()
    _, unread = turns.read_cells(eyes, ALL, frame(0.2, 0.2), EXPECTED, everything=False)
    assert int(unread.sum()) == COUNT - MOST_READ


def test_few_cells_are_all_read() -> None:
    eyes, turns = under_another_lamp(), CellReader()
    few = np.arange(COUNT) < MOST_READ
    reading, unread = turns.read_cells(eyes, few, frame(0.1, 0.1), EXPECTED, everything=False)
    assert not unread.any()
    assert replace(reading).scores.shape[0] == COUNT
