"""What the pictures of a table are like, measured on drawn ones that were spoilt by a known amount, and what helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.view import Lens, View
from engine.game import Game
from server.board.certify.advice import list_advice
from server.board.certify.quality import Measured, Pictures
from tests.bench.takes import true_corners
from tests.render import cheap
from tests.render.camera.conditions import Conditions
from tests.render.camera.film import film
from tests.render.script import Recipe, bare_stage
from vision.frames import Frame
from vision.ground import Image

GOOD = Recipe(seed=5, size_wh=(960, 720))
Spoilt = Callable[[Image, int], Image]


@cache
def still(recipe: Recipe) -> tuple[Image, Game, tuple[View, ...]]:
    """A picture of the start position, without noise."""
    stage = bare_stage(recipe)
    stage.set_up(stage.game.start())
    stage.quiet("start")
    camera = stage.cameras[0]
    lens = Lens(recipe.size_wh, camera.matrix[0][0], camera.dist[0])
    views = tuple(View(lens, stage.game.board.size_wh, corners) for corners in true_corners(stage))
    return cheap.render(replace(stage.frames[0].scene, noise=0.0)).image, stage.game, views


def measured(recipe: Recipe = GOOD, spoil: Spoilt = lambda image, number: image, fps: float = 8.0) -> Measured:
    """What is measured of three seconds of it, each frame noisy and then spoilt."""
    image, game, views = still(recipe)
    pictures = Pictures(game, views)
    for number in range(24):
        noise = np.random.default_rng(number).normal(0, 2.0, image.shape[:2])[..., None]
        frame = Frame(number / fps, spoil(np.clip(image + noise, 0, 255).astype(np.uint8), number))
        pictures.detect_motion(frame)
    pictures.measure_board(frame, game.start().placement)
    return pictures.summarize_measures()


def test_a_good_table_needs_no_advice() -> None:
    found = measured()
    assert list_advice(found) == ()
    assert found.noise == pytest.approx(2.0, abs=0.5)
    assert found.angle_deg == pytest.approx(GOOD.elevation, abs=6)
    assert found.rate == pytest.approx(8.0)


def shaken(image: Image, number: int) -> Image:
    return np.roll(image, 2 * (number % 2), axis=1)


def noisy(image: Image, number: int) -> Image:
    noise = np.random.default_rng(1000 + number).normal(0, 9.0, image.shape[:2])[..., None]
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def dazzled(image: Image, number: int) -> Image:
    out = image.copy()
    out[200:500, 300:600] = 255
    return out


def one_sided(image: Image, number: int) -> Image:
    slope = np.linspace(0.1, 1.0, image.shape[1])[None, :, None] ** 2
    return (image * slope).astype(np.uint8)


@pytest.mark.parametrize(
    ("key", "spoil"),
    [
        ("light", lambda image, number: (image * 0.2).astype(np.uint8)),
        ("blur", lambda image, number: cv2.GaussianBlur(image, (0, 0), 5)),
        ("noise", noisy),
        ("shake", shaken),
        ("glare", dazzled),
        ("uneven", one_sided),
    ],
)
def test_what_spoils_a_picture_is_named(key: str, spoil: Spoilt) -> None:
    assert key in [one.key for one in list_advice(measured(spoil=spoil))]


@pytest.mark.parametrize(
    ("key", "recipe"),
    [
        ("angle", replace(GOOD, elevation=26.0)),
        ("cell", replace(GOOD, size_wh=(320, 240))),
        ("contrast", replace(GOOD, look="walnut", pieces="maple_black")),
    ],
)
def test_a_camera_or_board_that_makes_it_hard_is_named(key: str, recipe: Recipe) -> None:
    found = measured(recipe)
    assert key in [one.key for one in list_advice(found)], found


def test_a_slow_camera_is_named() -> None:
    assert "rate" in [one.key for one in list_advice(measured(fps=3.0))]


def test_a_piece_that_comes_and_a_lamp_that_goes_stir_and_noise_does_not() -> None:
    """Whatever the brightness of all flickers by."""
    image, game, views = still(GOOD)
    stage = bare_stage(GOOD)
    stage.set_up(game.start())
    stage.quiet("start")
    stage.put(stage.at(game.board.index["F7"]), game.board.index["F8"])
    stage.quiet("moved")
    other = cheap.render(replace(stage.frames[1].scene, noise=0.0)).image
    shots = [("quiet", image), ("quiet", other), ("quiet", (other * 0.7).astype(np.uint8))]
    pictures = Pictures(game, views)
    conditions = Conditions(quiet_s=4.0, flicker=0.012)
    stirred = [round(f.t, 3) for _, f in film(shots, conditions, 3, true_corners(stage)) if pictures.detect_motion(f)]
    assert stirred == [4.0, 8.0]
