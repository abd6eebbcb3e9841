"""The cheap renderer: exact places, repeatable bytes, every board of the family."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

import engine.games
from tests.render import cheap
from tests.render.scene import Camera, Hand, Scene, cell_xy, look_from, marker_corners
from tests.render.script import Recipe, stage_of
from tests.render.styles import SKINS, SLEEVES, light_named

GAMES = engine.games.names()


def scene_of(game: str, seed: int = 3, size_wh: tuple[int, int] = (480, 360)) -> Scene:
    stage, _ = stage_of(Recipe(game=game, plies=0, seed=seed, size_wh=size_wh))
    stage.set_up(stage.game.start())
    stage.quiet("start")
    return stage.frames[-1].scene


def test_same_scene_same_bytes() -> None:
    scene = scene_of("camelot")
    first = cheap.render(scene)
    cheap._piece.cache_clear()
    cheap._empty.cache_clear()
    assert np.array_equal(first.image, cheap.render(scene).image)


@pytest.mark.parametrize("game", GAMES)
def test_whole_board_and_every_piece_in_the_picture(game: str) -> None:
    scene = scene_of(game)
    shot = cheap.render(scene)
    board = scene.setting.board
    pixels = scene.camera.project(np.array([[*cell_xy(board, i), 0.0] for i in range(len(board.cells))]))
    assert (pixels > 0).all()
    assert (pixels < np.array(scene.camera.size_wh)).all()
    assert all(whole > 4 for whole in shot.whole)
    shown = set(np.unique(shot.labels).tolist())
    assert set(range(1, len(scene.pieces) + 1)) <= shown


@pytest.mark.parametrize("game", ["camelot", "tri-camelot", "cam-3d"])
def test_markers_lie_where_the_scene_says(game: str) -> None:
    scene = replace(scene_of(game, size_wh=(960, 720)), noise=1.0)
    image = cheap.render(replace(scene, pieces=())).image
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary, settings).detectMarkers(image)
    wanted = marker_corners(scene.setting.board)
    found = dict(zip(ids.ravel().tolist(), corners, strict=True))
    assert found.keys() == wanted.keys()
    for number, square in wanted.items():
        pixels = scene.camera.project(np.column_stack([square, np.zeros(4)]))
        assert np.abs(found[number][0] - pixels).max() < 1.0


def test_near_pieces_hide_far_ones() -> None:
    scene = scene_of("camelot")
    one = scene.pieces[0]
    toward = scene.camera.position[:2] - np.array(one.xyz[:2])
    x, y = np.array(one.xyz[:2]) + 0.45 * toward / np.linalg.norm(toward)
    before = replace(one, name="before", xyz=(float(x), float(y), 0.0))
    shot = cheap.render(replace(scene, pieces=(before, one)))
    near, far = ((shot.labels == label).sum() / shot.whole[label - 1] for label in (1, 2))
    assert near == 1.0
    assert far < 0.9


def test_a_hand_covers_the_piece_it_holds() -> None:
    scene = scene_of("camelot")
    one = replace(scene.pieces[5], xyz=(6.0, 8.0, 1.1))
    hand = Hand((6.0, 8.0, 1.8), -90.0, SKINS[1], SLEEVES[1], 6.0, 20.0)
    shot = cheap.render(replace(scene, pieces=(one,), hand=hand, held=one.name))
    assert (shot.labels == cheap.HAND_LABEL).sum() > 20 * (shot.labels == 1).sum()


@pytest.mark.parametrize("azimuth", [-90.0, 0.0, 90.0])
def test_an_arm_stays_an_arm(azimuth: float) -> None:
    """However near the camera the sleeve comes, it is not folded over the whole picture."""
    scene = scene_of("camelot", size_wh=(320, 240))
    camera = look_from(scene.setting.board, 40, azimuth, 60, size_wh=(320, 240), seed=1)
    hand = Hand((6.0, 13.0, 0.8), -90.0, SKINS[1], SLEEVES[1])
    shot = cheap.render(replace(scene, camera=camera, pieces=(), hand=hand))
    assert 0.02 < (shot.labels == cheap.HAND_LABEL).mean() < 0.35


def test_a_point_projected_into_a_render_comes_back_to_its_place() -> None:
    camera: Camera = look_from(engine.games.load("camelot").board, 40, 130, 55, size_wh=(640, 480), seed=4)
    points = np.array([[0.0, 0.0, 0.0], [12.0, 16.0, 0.0], [3.0, 9.0, 0.0]])
    assert np.allclose(camera.on_plane(camera.project(points)), points[:, :2], atol=1e-3)
    assert camera.position[2] > 0


def test_less_light_darker_picture() -> None:
    scene = scene_of("camelot")
    dim = replace(scene, light=replace(light_named("day", 3), gain=0.5))
    bright = replace(scene, light=light_named("day", 3))
    assert cheap.render(dim).image.mean() < 0.6 * cheap.render(bright).image.mean()
