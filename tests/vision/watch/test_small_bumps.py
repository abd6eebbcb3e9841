"""A bump of the camera by less than half a cell: followed, and the grid is shown where the board is then."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.profile import Profile
from engine.match.events import CameraFound, CameraMoved, Event, Ready, SetUp
from engine.match.referee import new_match
from tests.examples import choose_rows
from tests.render.scene import Scene
from tests.vision.filmed import FPS, Watched, board, clean, grainy, handed, moves, put
from tests.vision.pictures import off_by, true_views
from vision.frames import Frame
from vision.sight.whereabouts import unmoved_whereabouts
from vision.watch.watcher import Watcher

GAME, SCENE = board()
RIGHT_CELLS, ADDED_CELLS = 0.1, 0.15
"""By so much a grid may lie beside the farthest cell: after a bump, and after many."""
WAYS = [(0.1, 0.0), (0.0, 0.44), (-0.33, 0.1), (0.3, 0.33), (-0.44, 0.0), (0.0, -0.2)]
"""Cells across and along the picture."""


def bumped(scene: Scene, cells: tuple[float, float]) -> Scene:
    """The scene seen by a camera that was turned a little."""
    view = true_views(scene)[0]
    pitch = float(np.median(view.pitch_px(np.array(GAME.board.centres_xy))))
    x, y = np.array(cells) * pitch / scene.camera.matrix[0][0]
    turn = np.asarray(cv2.Rodrigues(np.array([-y, x, 0.0]))[0])
    rx, ry, rz = cv2.Rodrigues(turn @ scene.camera.rotation)[0][:, 0].tolist()
    tx, ty, tz = (turn @ np.array(scene.camera.tvec)).tolist()
    return replace(scene, camera=replace(scene.camera, rvec=(rx, ry, rz), tvec=(tx, ty, tz)))


def shown_off(watcher: Watcher, scene: Scene) -> float:
    """By how many cells the grid that is shown lies beside the farthest cell."""
    return float(off_by(watcher.views[0], scene).max())


@pytest.mark.parametrize("cells", choose_rows(WAYS, 3))
def test_the_grid_lies_on_the_cells_after_a_bump_between_two_plies(cells: tuple[float, float]) -> None:
    watched = Watched(GAME, SCENE)
    watched.show(SCENE, 1.5)
    first = put(GAME, SCENE, "F7", "F8")
    assert moves(watched.show(first, 1.5)) == ["F7-F8"]
    events = watched.show(bumped(first, cells), 1.0)
    assert shown_off(watched.watcher, bumped(first, cells)) < RIGHT_CELLS
    second = bumped(put(GAME, first, "F10", "F9"), cells)
    events += watched.show(second, 1.5)
    assert moves(events) == ["F10-F9"]
    assert not [event for event in events if isinstance(event, CameraMoved)], "the tracker holds it: nothing is lost"
    assert shown_off(watched.watcher, second) < RIGHT_CELLS


@pytest.mark.parametrize("cells", choose_rows(WAYS[:4], 2, first=2))
def test_a_referee_that_is_started_after_a_bump_finds_the_board_by_itself(cells: tuple[float, float]) -> None:
    """Cells were named that had to be set up, on a board that stood right a third of a cell beside its profile."""
    after = bumped(SCENE, cells)
    watcher = Watcher(Profile(GAME.name, tuple(true_views(SCENE)), (97,), "drawn"), new_match(GAME))
    events = [e for n in range(round(4 * FPS)) for e in watcher.take_frame(Frame(n / FPS, grainy(clean(after), n)))]
    assert [event for event in events if isinstance(event, Ready)]
    assert not [event for event in events if isinstance(event, SetUp)]
    assert shown_off(watcher, after) < RIGHT_CELLS
    assert shown_off(watcher, after) < 0.5 * float(np.hypot(*cells)), "nearer than the profile has it"


def test_a_bump_before_the_game_is_followed_too() -> None:
    watched = Watched(GAME, SCENE)
    wrong = put(GAME, SCENE, "F7", "F9")
    wrong = put(GAME, wrong, "F10", "F8")
    assert [event for event in watched.show(wrong, 1.5) if isinstance(event, SetUp)]
    after = bumped(SCENE, (0.33, 0.2))
    events = watched.show(bumped(wrong, (0.33, 0.2)), 1.5) + watched.show(after, 2.5)
    assert [event for event in events if isinstance(event, Ready)]
    assert shown_off(watched.watcher, after) < RIGHT_CELLS


def test_bumps_that_add_up_to_two_cells_are_followed() -> None:
    watched, here = Watched(GAME, SCENE), SCENE
    watched.show(SCENE, 1.5)
    for number in range(1, 6):
        after = bumped(SCENE, (0.4 * number, 0.0))
        watched.show(after, 1.0)
        assert shown_off(watched.watcher, after) < ADDED_CELLS, number
        here = after
    assert moves(watched.show(put(GAME, here, "F7", "F8"), 1.5)) == ["F7-F8"]


def test_lamps_and_hands_move_no_grid() -> None:
    watched = Watched(GAME, SCENE)
    watched.show(SCENE, 1.5)
    views, events = watched.watcher.views, list[Event]()
    for strength in (0.5, 1.4, 1.0):
        lit = replace(SCENE, light=replace(SCENE.light, main=strength))
        events += watched.film([(lit, 1.5), (handed(GAME, lit, "G8"), 1.0), (lit, 1.0)])
    assert not [event for event in events if isinstance(event, CameraMoved | CameraFound)]
    assert watched.watcher.views is views


def test_a_place_that_lines_contradict_is_drawn_onto_them() -> None:
    """Motion that the tracker cannot describe adds up."""
    image, views = grainy(clean(SCENE), 1, 1.0), tuple(true_views(SCENE))
    pitch = float(np.median(views[0].pitch_px(np.array(GAME.board.centres_xy))))
    aside = tuple(replace(v, corners_px=tuple((x + 0.15 * pitch, y) for x, y in v.corners_px)) for v in views)
    drawn = unmoved_whereabouts(aside).draw_onto_lines(GAME.board, image)
    put_right = np.array(aside[0].corners_px) @ drawn.moved[:, :2].T + drawn.moved[:, 2]
    assert np.linalg.norm(put_right - views[0].corners_px, axis=1).max() < 0.07 * pitch
    right = unmoved_whereabouts(views)
    assert right.draw_onto_lines(GAME.board, image).moved is right.moved, "a place that lines confirm stays"
