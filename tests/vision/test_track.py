"""An arm over the board does not move the camera, however many lines of the board it hides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.find_rough import stepped
from calibration.lattice import steps
from tests.render.scene import Hand, Scene
from tests.render.script import Recipe, stage_of
from tests.tools.bench_vision import drawn_recipe
from tests.vision.pictures import before_and_after, eyes_on, off_by, photograph, scene_of, true_views
from vision.track import SURE, Seen, sureness

RECIPES = (
    Recipe(game="cam-3d", look="lines", pieces="white_black", light="day2", seed=10618, size_wh=(1280, 960)),
    Recipe(game="tri-camelot", look="lines", pieces="yellow_blue", light="office", seed=10605, size_wh=(960, 720)),
    Recipe(look="green", pieces="yellow_blue", light="day2", seed=10610, size_wh=(960, 720)),
)


def hands_over(recipe: Recipe, number: int) -> list[Hand]:
    """The first hands of a drawn game, which come from every side that is played from."""
    frames = stage_of(replace(recipe, plies=6))[0].frames
    return [frame.scene.hand for frame in frames if frame.scene.hand][:number]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.game)
def test_hands_do_not_move_the_camera(recipe: Recipe) -> None:
    game, scene = scene_of(recipe)
    eyes = eyes_on(game, scene)
    views = tuple(eyes.views)
    for hand in hands_over(recipe, 6):
        assert eyes.find_again(photograph(replace(scene, hand=hand))) is None
        assert tuple(eyes.views) == views


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.game)
def test_a_camera_that_comes_back_is_found_where_it_was(recipe: Recipe) -> None:
    game, scene = scene_of(recipe)
    eyes = eyes_on(game, scene)
    assert eyes.find_again(photograph(pushed(scene))) is not None
    back = eyes.find_again(photograph(replace(scene, seed=9)))
    assert back is not None
    assert back.fit is not None
    for found, true in zip(eyes.views, true_views(scene), strict=True):
        assert np.linalg.norm(np.array(found.corners_px) - np.array(true.corners_px), axis=1).max() < 2


def test_where_the_lines_leave_it_open_the_pieces_tell() -> None:
    """The lines of drawn game 11699 lie on lines one cell further too, the frame being no wider than a cell."""
    recipe = drawn_recipe(11699)
    game, scene = scene_of(recipe)
    eyes = eyes_on(game, scene)
    before, after = photograph(scene), photograph(pushed(scene))
    (was,), (now,) = eyes.views, true_views(pushed(scene))
    assert sureness(game.board, Seen(before), was, Seen(after), now) > 2 * SURE
    for step in steps(game.board)[1:]:
        assert sureness(game.board, Seen(before), was, Seen(after), stepped(now, step)) < 0
    moved = eyes.find_again(after)
    assert moved is not None
    assert moved.fit is not None
    apart_px = np.linalg.norm(np.array(eyes.views[0].corners_px) - np.array(now.corners_px), axis=1)
    assert apart_px.max() < now.pitch_px(np.array([[6.0, 6.0]]))[0] / 5


def pushed(scene: Scene) -> Scene:
    """The same from a camera that somebody has touched."""
    return replace(scene, camera=scene.camera.turned(np.array([0.004, -0.005, 0.006]), np.array([0.05, 0.04, 0.0])))


def test_a_far_board_is_not_drawn_away_from_its_place() -> None:
    """The farthest board of drawn game 11374 is small: its lines once drew it a tenth of a cell and more off."""
    eyes, bumped = before_and_after(11374, "after bump")
    moved = eyes.find_again(photograph(bumped))
    assert moved is not None
    assert moved.fit is not None
    for level, view in enumerate(eyes.views):
        assert off_by(view, bumped, level).max() < 0.1, level
