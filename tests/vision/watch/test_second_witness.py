"""When a board is read afresh, and what is then said by both witnesses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine import games
from tests.render.script import Recipe
from tests.vision.pictures import photograph, scene_of, true_views
from vision.reading.footprint import TALLEST
from vision.reading.level import Reading
from vision.reading.level_readers import LevelReaders
from vision.sight.align import STAYED, Place
from vision.sight.leaning import LEANED_NATS
from vision.sight.seeing import Seeing, SeenBoard
from vision.watch.second_witness import LOST_S, SecondWitness, measure_joint_doubt

RECIPE = Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=(640, 480))
WHERE_IT_WAS = Place(STAYED, share=1.0, error=0.0, gain=1.0, shift_px=0.0)


@pytest.fixture(scope="module")
def witness() -> SecondWitness:
    """One by whom nothing has been understood since the beginning."""
    return SecondWitness(games.load("camelot"), true_views(scene_of(RECIPE)[1]))


def at_rest(t: float) -> SeenBoard:
    """A board on which something has changed, and that has been still since."""
    cells = len(games.load("camelot").board.cells)
    every, none = np.ones(cells, bool), np.zeros(cells, bool)
    touched = none.copy()
    touched[:2] = True
    return SeenBoard(t, every, np.full(cells, t), touched, none, none, hands=False, place=WHERE_IT_WAS)


def test_a_still_board_that_is_not_understood_is_read_afresh(witness: SecondWitness) -> None:
    assert witness.is_needed(at_rest(LOST_S + 0.1))
    assert not witness.is_needed(at_rest(LOST_S - 0.1))


def test_whoever_thinks_with_a_piece_in_the_air_is_not_asked(witness: SecondWitness) -> None:
    """A hand that rested over the board for three seconds had it read without the piece, and a question put."""
    assert not witness.is_needed(replace(at_rest(5.0), hands=True))


def test_what_hangs_from_a_hand_beside_the_board_is_not_read_afresh(witness: SecondWitness) -> None:
    """A piece that was taken back from an unlawful cell was said as a ply while a hand held it over another."""
    calm = at_rest(5.0)
    assert not witness.is_needed(replace(calm, within_grasp=calm.touched))
    assert witness.is_needed(replace(calm, within_grasp=~calm.touched))


def test_cells_that_have_just_been_touched_are_not_read_afresh(witness: SecondWitness) -> None:
    """However long the rest of the board has been at rest: half of a ply was learned as what stands there."""
    calm = at_rest(5.0)
    still = np.where(calm.touched, 0.5, 5.0)
    assert not witness.is_needed(replace(calm, still_s=still))


def test_a_lamp_that_changes_all_of_the_board_is_no_arm(witness: SecondWitness) -> None:
    calm = at_rest(5.0)
    assert witness.is_needed(replace(calm, hands=True, touched=np.ones_like(calm.touched)))


def test_nothing_is_read_afresh_where_nothing_has_changed_or_the_board_is_not_found(witness: SecondWitness) -> None:
    calm = at_rest(5.0)
    assert not witness.is_needed(replace(calm, touched=np.zeros_like(calm.touched)))
    assert not witness.is_needed(replace(calm, place=replace(WHERE_IT_WAS, seen=0.0)))


def test_many_plies_change_many_cells_and_another_light_changes_all(witness: SecondWitness) -> None:
    cells = len(games.load("camelot").board.cells)
    otherwise, few, most = np.zeros(cells, bool), np.zeros(cells, bool), np.ones(cells, bool)
    otherwise[:16] = True
    few[: cells // 4] = True
    assert witness.is_board_known(otherwise, few)
    assert not witness.is_board_known(otherwise, most)
    assert not witness.is_board_known(most, most)
    otherwise[4:] = False
    assert witness.is_board_known(otherwise, most)


def read(looks: list[int], unexplained: list[float], nats: float = 9.0) -> Reading:
    """Cells that look like one of three each, by so many nats."""
    scores = np.full((len(looks), 3), -nats, np.float32)
    scores[np.arange(len(looks)), looks] = 0.0
    none, odd = np.zeros(len(looks), np.float32), np.array(unexplained, np.float32)
    return Reading(scores, np.array(looks), np.ones(len(looks), bool), odd, none, 1.0)


def test_what_is_plainly_remembered_explains_a_cell_that_is_like_no_other() -> None:
    """A bare cell behind a knight is like no other bare cell, and it plainly is the floor that is remembered."""
    own = read([0, 0, 2], [0.7, 0.7, 0.1], nats=2.0)
    remembered = read([0, 2, 2], [0.1, 0.1, 0.4])
    heard = np.ones(3, bool)
    assert measure_joint_doubt(own, remembered, heard).tolist() == pytest.approx([0.1, 0.7, 0.4])
    assert measure_joint_doubt(own, remembered, ~heard).tolist() == pytest.approx([0.7, 0.7, 0.1])
    faintly = read([0, 2, 2], [0.1, 0.1, 0.4], nats=3.0)
    assert measure_joint_doubt(own, faintly, heard).tolist() == pytest.approx([0.7, 0.7, 0.4])
    as_before = replace(faintly, changed=np.zeros(3, bool))
    assert measure_joint_doubt(own, as_before, heard).tolist() == pytest.approx([0.1, 0.7, 0.4])


def test_the_head_of_a_piece_that_has_come_is_no_man_behind_it_until_that_cell_is_learned(
    witness: SecondWitness,
) -> None:
    """A knight landed before an empty cell that was not learned with it, and a man was to be taken off there."""
    game, scene = scene_of(RECIPE)
    image, views, cells = photograph(scene), true_views(scene), len(game.board.cells)
    eyes = LevelReaders(game.board, views, game.look_of, image, list(game.start().placement))
    eyes.level_readers[0][1].outlines = dict.fromkeys(eyes.level_readers[0][1].outlines, (0.3, TALLEST))
    seeing = Seeing(game.board, views, image)
    seeing.take_frame(0.0, image)
    start = np.array([game.look_of[piece] for piece in game.start().placement])
    landed, behind, every = game.board.index["F9"], game.board.index["F10"], np.ones(cells, bool)
    empty = np.where(start == start[behind], 0, start)  # so that the cell behind is a bare one
    witness.learn_cells(seeing, eyes, empty, every)
    expected = np.where(np.arange(cells) == landed, start[behind], empty)
    scores = np.full((cells, len(game.looks)), -9.0, np.float32)
    scores[np.arange(cells), expected] = 0.0
    scores[behind] -= 9.0
    scores[behind, start[behind]] = 0.0
    none = np.zeros(cells, np.float32)
    reading = Reading(scores, scores.argmax(axis=1), every, none, none, 1.0)

    def lead() -> float:
        """By how much the cell behind looks like a man's."""
        both = witness.combine_readings(reading, at_rest(9.0), seeing, eyes, expected, np.zeros(cells, bool)).scores
        return float(both[behind, start[behind]] - both[behind, 0])

    witness.learn_cells(seeing, eyes, expected, np.arange(cells) != behind)
    assert lead() == pytest.approx(LEANED_NATS)
    witness.learn_cells(seeing, eyes, expected, np.arange(cells) == behind)
    assert lead() == pytest.approx(9.0)
