"""A camera that was touched is followed, and an arm over the board does not move it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.find_rough import step_view
from calibration.lattice import grid_steps
from tests.render.scene import Scene
from tests.scenes.book import Row
from tests.vision.pictures import before_and_after, eyes_on, off_by, photograph, scene_of, true_views
from vision.reading.level_readers import LevelReaders
from vision.reading.track import SURE_SHARE, TrackedPicture, movement_certainty


def pushed(scene: Scene) -> Scene:
    """The same from a camera that somebody has touched."""
    return replace(scene, camera=scene.camera.turned(np.array([0.004, -0.005, 0.006]), np.array([0.05, 0.04, 0.0])))


def stays_under_hands(row: Row, hands: int) -> None:
    """So many of its hands over the start position do not move the camera, however many lines they hide."""
    game, scene = scene_of(row.recipe)
    eyes = eyes_on(game, scene)
    views = tuple(eyes.views)
    over = [frame.scene.hand for frame in row.staged()[0].frames if frame.scene.hand][:hands]
    assert len(over) == hands
    for hand in over:
        assert eyes.find_again(photograph(replace(scene, hand=hand))) is None
        assert tuple(eyes.views) == views


def comes_back(row: Row) -> None:
    """A camera that was pushed and comes back is found where it was."""
    game, scene = scene_of(row.recipe)
    eyes = eyes_on(game, scene)
    assert eyes.find_again(photograph(pushed(scene))) is not None
    back = eyes.find_again(photograph(replace(scene, seed=9)))
    assert back is not None
    assert back.fit is not None
    assert off_px(eyes, scene) < 2


def pieces_tell(row: Row) -> None:
    """Where the lines leave open by how many cells the camera was moved, the pieces tell."""
    game, scene = scene_of(row.recipe)
    eyes = eyes_on(game, scene)
    before, after = photograph(scene), photograph(pushed(scene))
    (was,), (now,) = eyes.views, true_views(pushed(scene))
    assert movement_certainty(game.board, TrackedPicture(before), was, TrackedPicture(after), now) > 2 * SURE_SHARE
    for step in grid_steps(game.board)[1:]:
        assert (
            movement_certainty(game.board, TrackedPicture(before), was, TrackedPicture(after), step_view(now, step)) < 0
        )
    moved = eyes.find_again(after)
    assert moved is not None
    assert moved.fit is not None
    apart_px = np.linalg.norm(np.array(eyes.views[0].corners_px) - np.array(now.corners_px), axis=1)
    assert apart_px.max() < now.pitch_px(np.array([[6.0, 6.0]]))[0] / 5


def far_board_stays(row: Row, note: str) -> None:
    """After the bump no board is drawn away from its place, the farthest and smallest neither."""
    eyes, bumped = before_and_after(row.staged()[0], note)
    moved = eyes.find_again(photograph(bumped))
    assert moved is not None
    assert moved.fit is not None
    for level, view in enumerate(eyes.views):
        assert off_by(view, bumped, level).max() < 0.1, level


def bump_while_the_lamp_goes_on(row: Row) -> None:
    """Learned in the dark, and bumped as the light comes on."""
    game, scene = scene_of(row.recipe)
    dark = replace(scene.light, main=scene.light.main * 0.25, around=scene.light.around * 0.85)
    eyes = eyes_on(game, replace(scene, light=dark))
    moved = eyes.find_again(photograph(pushed(scene)))
    assert moved is not None
    assert moved.fit is not None
    assert off_px(eyes, pushed(scene)) < 3


def off_px(eyes: LevelReaders, scene: Scene) -> float:
    """By how many pixels the farthest of all levels' corners is off."""
    both = zip(eyes.views, true_views(scene), strict=True)
    return max(
        float(np.linalg.norm(np.array(found.corners_px) - np.array(true.corners_px), axis=1).max())
        for found, true in both
    )
