"""Each place has its own clock: what happens elsewhere, and what happens to all at once, does not touch it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.filmed import FPS, SIZE_WH, Sat, at, board, clean, grainy, named, put
from vision.ground import Image
from vision.sight.seeing import READ_S
from vision.sight.stillness import BLOCK, BLOCKS_PER_CELL, Clocks, average_still

GAME, SCENE = board()


def clocks_of(sat: Sat) -> Clocks:
    return sat.seeing.levels[0].clocks


def near(sat: Sat, *names: str, within: float) -> np.ndarray:
    """(R, C) blocks so near to the middle of one of the cells, in cells."""
    rows, columns = clocks_of(sat).seen.shape
    x, y = np.meshgrid(np.arange(columns) / BLOCKS_PER_CELL - 2, np.arange(rows) / BLOCKS_PER_CELL - 2)
    apart = [np.hypot(x - cx, y - cy) for cx, cy in (at(GAME, name) for name in names)]
    return np.asarray(np.min(apart, axis=0) < within)


def test_a_piece_that_goes_restarts_its_own_clock_only() -> None:
    sat = Sat(GAME, SCENE)
    sat.show(SCENE, 1.0)
    clocks = clocks_of(sat)
    then = sat.seeing.t
    sat.show(put(GAME, SCENE, "F7"), 0.2)
    restarted = clocks.seen & (clocks.since > then)
    assert restarted[near(sat, "F7", within=0.2)].all()
    away = ~near(sat, "F7", "F8", "F6", "G7", "E7", "E8", "G8", "F9", within=1.0)
    assert restarted[away].mean() < 0.005


names = st.sampled_from([GAME.board.cells[c] for c, piece in enumerate(GAME.start().placement) if piece])


@settings(max_examples=8, deadline=None, derandomize=True)
@given(names)
def test_whichever_goes_cells_far_from_it_stay_readable(name: str) -> None:
    sat = Sat(GAME, SCENE)
    before = sat.show(SCENE, 0.8)
    after = sat.show(put(GAME, SCENE, name), 0.1)
    far = np.array([np.hypot(*(at(GAME, cell) - at(GAME, name))) > 2.5 for cell in GAME.board.cells])
    assert before.readable.all()
    assert named(GAME, far & ~after.readable) == []
    assert (after.still_s[far] > before.still_s[far]).all()
    assert after.still_s[sat.index(name)] < before.still_s[sat.index(name)]


def test_a_cell_is_readable_soon_after_it_has_come_to_rest() -> None:
    sat = Sat(GAME, SCENE)
    sat.show(SCENE, 1.0)
    moved = put(GAME, SCENE, "F7", "F8")
    waits = [not seen.readable[sat.index("F8")] for seen in sat.each(moved, 1.0)]
    assert waits[0]
    assert sum(waits) / FPS <= READ_S + 2 / FPS
    assert not any(waits[sum(waits) :])


@pytest.mark.parametrize("gain", [0.75, 1.25])
def test_exposure_that_swings_is_no_movement(gain: float) -> None:
    sat = Sat(GAME, SCENE)
    dim = np.asarray(cv2.convertScaleAbs(clean(SCENE), alpha=0.7), np.uint8)  # nothing is overexposed
    sat.show(dim, 1.0)
    then = sat.seeing.t
    other = np.asarray(cv2.convertScaleAbs(dim, alpha=gain), np.uint8)
    for image in (other, dim, other, dim):
        seen = sat.show(image, 0.2)
        assert seen.readable.all()
    assert (seen.still_s > sat.seeing.t - then).all()


def test_slow_drift_is_no_movement() -> None:
    """Dusk, and a shadow that wanders over half the board in half a minute."""
    sat = Sat(GAME, SCENE)
    image = clean(SCENE).astype(np.float32)
    x = np.linspace(0, 1, SIZE_WH[0], dtype=np.float32)[None, :, None]
    sat.show(SCENE, 0.5)
    then = sat.seeing.t
    for step in range(60):
        shadow = 1 - 0.3 * np.clip((step / 60 - x) * 2, 0, 1) - 0.15 * step / 60
        seen = sat.show(np.asarray(image * shadow, np.uint8), 0.5)
    assert named(GAME, seen.still_s < sat.seeing.t - then) == []


def test_jumps_of_a_codec_cost_no_cell_its_clock() -> None:
    """In every frame one of a hundred blocks of eight pixels is renewed, and differs by five times the usual."""
    sat = Sat(GAME, SCENE)
    chance = np.random.default_rng(3)

    def jumped(image: Image) -> Image:
        shown = image.astype(np.float32)
        for _ in range(SIZE_WH[0] * SIZE_WH[1] // 6400):
            row, column = int(chance.integers(60)) * 8, int(chance.integers(80)) * 8
            shown[row : row + 8, column : column + 8] += float(chance.choice([-8.0, 8.0]))
        return np.asarray(shown.clip(0, 255), np.uint8)

    sat.show(SCENE, 1.0)
    then = sat.seeing.t
    for _ in range(30):
        seen = sat.show(jumped(clean(SCENE)), 1 / FPS)
        assert named(GAME, ~seen.readable) == []
    assert named(GAME, seen.still_s < 0.5 * (sat.seeing.t - then)) == []


def test_a_change_that_no_single_frame_shows_is_found_by_several() -> None:
    """A dark piece leaves dark wood in a picture whose blocks are off by up to as much in every frame."""
    blocks, changed = (20, 30), np.zeros((20, 30), bool)
    changed[::4, ::4] = True
    chance = np.random.default_rng(6)
    clocks = Clocks(np.ones(blocks, bool))

    def frame(step: float) -> np.ndarray:
        noisy = 100 + chance.normal(0, 3.0, (*blocks, 3)) + step * changed[..., None]
        return np.asarray(np.kron(noisy, np.ones((BLOCK, BLOCK, 1))), np.float32)

    for number in range(40):
        clocks.add_picture(number / FPS, frame(0.0))
    then = clocks.since.copy()
    clocks.add_picture(40 / FPS, frame(20.0))
    assert (clocks.since > then)[changed].mean() < 0.5
    for number in range(41, 49):
        clocks.add_picture(number / FPS, frame(20.0))
    restarted = clocks.since > then
    assert restarted[changed].mean() > 0.8
    assert restarted[~changed].mean() < 0.01


@pytest.mark.parametrize("sd", [2.0, 8.0])
def test_the_mean_has_less_noise_than_a_frame(sd: float) -> None:
    sat = Sat(GAME, SCENE, sd)
    sat.show(SCENE, 1.0)
    truth = sat.seeing.levels[0].ground.resample_image(clean(SCENE))
    frame = sat.seeing.levels[0].ground.resample_image(grainy(clean(SCENE), 1, sd))
    clocks = clocks_of(sat)
    seen = cv2.resize(clocks.seen.astype(np.uint8), truth.shape[1::-1], interpolation=cv2.INTER_NEAREST) > 0
    assert np.abs(clocks.mean - truth)[seen].mean() < 0.6 * np.abs(frame - truth)[seen].mean()


def test_shaking_that_is_registered_is_no_movement() -> None:
    sat = Sat(GAME, SCENE)
    sat.show(SCENE, 1.0)
    chance = np.random.default_rng(4)
    for _ in range(20):
        dx, dy = chance.uniform(-1.5, 1.5, 2)
        shaken = cv2.warpAffine(
            clean(SCENE),
            np.array([[1, 0, dx], [0, 1, dy]]),
            SIZE_WH,
            flags=cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_REPLICATE,
        )
        seen = sat.show(np.asarray(shaken, np.uint8), 1 / FPS)
    assert seen.place.is_found
    assert named(GAME, ~seen.readable) == []


def test_what_is_out_of_the_picture_has_no_say() -> None:
    """A board that is half out of the picture: the blocks out there do not count as seen."""
    camera = SCENE.camera.turned(np.array([0.0, 0.4, 0.0]), np.zeros(3))
    sat = Sat(GAME, replace(SCENE, camera=camera))
    assert 0.3 < clocks_of(sat).seen.mean() < 0.95


def test_a_board_of_any_size_has_clocks() -> None:
    """The ground picture of a board of hexagons is no whole number of blocks."""
    clocks = Clocks(np.ones((20, 16), bool))
    picture = np.full((20 * BLOCK + 3, 16 * BLOCK + 1, 3), 90.0, np.float32)
    for number in range(4):
        clocks.add_picture(number / FPS, picture)
    assert clocks.mean.shape == picture.shape
    assert clocks.mean == pytest.approx(picture)
    assert not clocks.moving.any()


def test_colours_that_jump_start_every_clock_anew_and_are_no_noise() -> None:
    """Followed slowly they would count as noise for seconds, and deafen the board meanwhile."""
    sat = Sat(GAME, SCENE)
    sat.learned()
    before = sat.seeing.measured_noise.typical_deviation
    image = clean(SCENE).astype(np.float32)
    jumped = image.copy()
    jumped[..., 2] -= np.minimum(0.35 * image[..., 2], 25)  # reds, and of bright things not in proportion
    seen = sat.show(np.asarray(jumped, np.uint8), 0.25)
    assert seen.readable.all()
    assert not seen.hands
    assert sat.seeing.measured_noise.typical_deviation < 1.5 * before
    sat.show(np.asarray(jumped, np.uint8), 1.0)
    assert sat.seeing.measured_noise.typical_deviation < 1.5 * before


NOISE_LEVELS = 12.0


def noisy(image: Image, seed: int) -> Image:
    """A picture with white noise."""
    noise = np.random.default_rng(seed).normal(0, NOISE_LEVELS, image.shape)
    return np.asarray(np.rint(image + noise).clip(0, 255), np.uint8)


def off_levels(one: Image, other: Image) -> float:
    """How far two pictures are apart, in grey levels."""
    return float(np.sqrt(np.mean((one.astype(float) - other) ** 2)))


def moved(image: Image, px: float) -> Image:
    """What a camera that has been turned a little shows."""
    size = (image.shape[1], image.shape[0])
    shift = np.array([[1.0, 0.0, px], [0.0, 1.0, 0.0]])
    return np.asarray(cv2.warpAffine(image, shift, size, borderMode=cv2.BORDER_REFLECT), np.uint8)


def test_the_mean_of_a_still_picture_has_little_of_the_noise_of_each() -> None:
    image = clean(SCENE)
    mean = average_still(noisy(image, 0), (noisy(image, seed) for seed in range(1, 25)))
    assert off_levels(mean, image) < NOISE_LEVELS / 3


def test_what_comes_and_goes_is_shown_as_in_the_picture_that_is_asked_for() -> None:
    image = clean(SCENE)
    covered = image.copy()
    hand = slice(100, 200), slice(150, 300)
    covered[hand] = (90, 120, 180)
    later = average_still(noisy(image, 0), (noisy(covered if seed > 6 else image, seed) for seed in range(1, 25)))
    before = average_still(noisy(covered, 0), (noisy(image, seed) for seed in range(1, 25)))
    inside = slice(110, 190), slice(160, 290)
    assert off_levels(later[inside], image[inside]) < 1.5 * NOISE_LEVELS
    assert off_levels(before[inside], covered[inside]) < 1.5 * NOISE_LEVELS


def test_a_picture_alone_or_of_a_camera_that_moves_stays_as_it_is() -> None:
    image = clean(SCENE)
    assert average_still(image, ()) is image
    assert average_still(image, (np.ascontiguousarray(image[::2, ::2]),)) is image
    assert average_still(image, (noisy(moved(image, 0.5 * seed), seed) for seed in range(1, 25))) is image
    assert average_still(image[:2, :2], (image[:2, :2],)).shape == (2, 2, 3)
