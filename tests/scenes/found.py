"""Boards that are found in a picture without help; a good score where no board is would be worse than none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.find_board import find_by_itself
from calibration.view import rectangle_corners
from engine.errors import InputError
from tests.bench import bench_find
from tests.bench.bench_find import Outcome, Sample
from tests.render import cheap
from tests.render.scene import Standing, level_origin
from tests.render.stage import CARRIED
from tests.scenes.book import Row
from tests.vision.pictures import scene_of


def sample(row: Row) -> Sample:
    """The start position of a scene, with the hand over it if there is one, and where each level's corners are."""
    game, scene = scene_of(row.recipe)
    if row.hand:
        pieces = tuple(_put(row, one) for one in scene.pieces)
        scene = replace(scene, pieces=pieces, hand=row.hand, held=row.holds or None, seed=1)  # noise of a later picture
    corners = []
    for level in range(max(game.board.levels) + 1):
        rim = rectangle_corners(game.board.size_wh) + np.array(level_origin(game.board, level))
        corners.append(scene.camera.project(np.column_stack([rim, np.zeros(4)])))
    return Sample(game, row.recipe.markers, cheap.render(scene).image, corners)


def _put(row: Row, piece: Standing) -> Standing:
    x, y, turn = row.stands[piece.name]
    return replace(piece, xyz=(x, y, CARRIED if piece.name == row.holds else 0.0), turn_deg=turn)


def outcome(row: Row) -> Outcome:
    """What is found in the picture of a scene."""
    return bench_find.found(sample(row))


def found(row: Row) -> None:
    """The board is found where it is, with a good score."""
    assert outcome(row).state == "found"


def not_wrong(row: Row) -> None:
    """The board is found where it is or refused."""
    assert outcome(row).state != "wrong"


def missing_levels_are_counted(row: Row, level: int) -> None:
    """With one level painted over, the refusal says how many are seen and what to do."""
    one = sample(row)
    low, high = one.corners_px[level].min(axis=0).astype(int), one.corners_px[level].max(axis=0).astype(int)
    one.image[low[1] : high[1], low[0] : high[0]] = 120
    looks = [one.game.looks[one.game.look_of[piece]] for piece in one.game.start().placement]
    with pytest.raises(InputError, match=r"of the 3 levels of the board are seen.*--points"):
        find_by_itself(one.game.board, one.image, looks)
