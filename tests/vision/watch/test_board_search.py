"""A board that nothing explains is searched once more: it may lie elsewhere than is believed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.profile import Profile
from calibration.relocate import farthest_px
from calibration.view import View
from engine.match.referee import new_match
from tests.render.script import Recipe
from tests.vision.pictures import photograph, scene_of, true_views
from tests.vision.watch.test_second_witness import at_rest
from vision.sight.seeing import Seeing
from vision.watch.board_search import STAYED_PX, BoardSearch
from vision.watch.story import Story

RECIPE = Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=(640, 480))
ASIDE_PX = 14.0
"""Half a cell."""


def test_a_board_half_a_cell_from_where_it_is_believed_is_found_once_for_each_rest() -> None:
    game, scene = scene_of(RECIPE)
    image, views = photograph(scene), true_views(scene)
    aside = [replace(view, corners_px=_moved(view)) for view in views]
    searched = BoardSearch(Story(new_match(game), None), Profile(game.name, tuple(views), (97,)))
    seeing = Seeing(game.board, aside, image)
    seen = at_rest(20.0)
    found = searched.find_after_all(seen, seeing, image)
    assert found is not None
    assert farthest_px(found.views, views) < 2.0
    assert searched.find_after_all(replace(seen, t=21.0, still_s=seen.still_s + 1.0), seeing, image) is None
    stirred = replace(seen, t=30.0, still_s=np.full(len(game.board.cells), 2.0))
    assert searched.find_after_all(stirred, seeing.move_to(found.views, image), image) is None, (
        "it lies where it is believed"
    )


def _moved(view: View) -> tuple[tuple[float, float], ...]:
    assert ASIDE_PX > STAYED_PX
    return tuple((x + ASIDE_PX, y) for x, y in view.corners_px)
