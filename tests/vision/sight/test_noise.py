"""The noise of a camera is measured as it is, at the size of block that stillness is judged by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.vision.filmed import SIZE_WH, SKIN, Sat, board, clean, grainy
from vision.ground import Image
from vision.sight.stillness import Clocks, Flags, block_means

WITHIN = 0.3
FRAMES = 60


def watched(picture: Callable[[int], Image]) -> Clocks:
    """The clocks of a board after some frames, given by number."""
    sat = Sat(*board())
    for number in range(FRAMES):
        sat.seeing.take_frame(number / 15, picture(number))
    return sat.seeing.levels[0].clocks


def truly_off(picture: Callable[[int], Image], chosen: Flags | None = None) -> float:
    """By how much a still block differs from its own mean in the middle case, from what is drawn."""
    sat = Sat(*board())
    level = sat.seeing.levels[0]
    blocks = np.stack([block_means(level.ground.resample_image(picture(number))) for number in range(FRAMES)])
    off = np.abs(blocks - blocks.mean(axis=0)).max(axis=3)
    return float(np.median(off[:, level.clocks.seen if chosen is None else chosen]))


@pytest.mark.parametrize("sd", [3.0, 6.0, 12.0])
def test_white_noise_is_measured(sd: float) -> None:
    image = clean(board()[1])
    found = watched(lambda number: grainy(image, number, sd)).noise.typical_deviation
    assert found == pytest.approx(truly_off(lambda number: grainy(image, number, sd)), rel=WITHIN)


def test_blotches_count_as_they_are() -> None:
    """Noise of one pixel hardly remains in a block, that of a blotch as wide as a block does."""
    image = clean(board()[1])

    def blotched(number: int) -> Image:
        small = np.random.default_rng(number).normal(0, 3, (60, 80, 3))
        wide = small.repeat(8, axis=0).repeat(8, axis=1)
        return np.asarray(np.clip(image + wide, 0, 255), np.uint8)

    blotches = watched(blotched).noise.typical_deviation
    assert blotches == pytest.approx(truly_off(blotched), rel=WITHIN)
    assert blotches > 2 * watched(lambda number: grainy(image, number)).noise.typical_deviation


def test_the_dark_may_have_more_noise_than_the_light() -> None:
    image = clean(board()[1]).copy()
    image[:, : SIZE_WH[0] // 2] //= 3  # a shadow over half of it
    spread = np.interp(image.mean(axis=2, keepdims=True), [60, 160], [12.0, 4.0]) / 3.0

    def dark_noise(number: int) -> Image:
        noise = grainy(np.full_like(image, 128), number).astype(float) - 128
        return np.asarray(np.clip(image + spread * noise, 0, 255), np.uint8)

    clocks = watched(dark_noise)
    level = clocks.blocks.mean(axis=2)
    flat = np.zeros_like(level)
    usual = clocks.noise.usual_deviation(level, flat)
    for low, high in ((32, 96), (160, 256)):
        here = clocks.seen & (level >= low) & (level < high)
        assert float(np.median(usual[here])) == pytest.approx(truly_off(dark_noise, here), rel=2 * WITHIN)
    assert float(usual[clocks.seen & (level < 80)].mean()) > 1.5 * float(usual[clocks.seen & (level > 180)].mean())


@pytest.mark.parametrize("share", [0.15, 0.25, 0.33])
def test_a_sleeve_that_moves_over_a_share_of_the_board_does_not_move_it(share: float) -> None:
    image = clean(board()[1])
    width = round(share * 430)  # so wide is the board in the picture
    x, y = np.arange(SIZE_WH[0])[None, :, None], np.arange(SIZE_WH[1])[:, None, None]
    spread: list[float] = []
    sat = Sat(*board())
    for number in range(FRAMES):
        shown = image.copy()
        if number >= FRAMES // 2:
            left = round(250 + 100 * np.sin(0.25 * (number - FRAMES // 2)))
            folds = np.array(SKIN) + 15 * np.sin((x - left) / 9 + y / 23)
            shown[:, left : left + width] = folds[:, left : left + width].astype(np.uint8)
        sat.seeing.take_frame(number / 15, grainy(shown, number))
        spread.append(sat.seeing.measured_noise.typical_deviation)
    assert max(spread[FRAMES // 2 :]) < 2 * spread[FRAMES // 2 - 1]


def test_a_lamp_that_dims_is_followed_within_a_second() -> None:
    """The camera makes up for it with gain, and with noise."""
    image = clean(board()[1])
    clocks = watched(lambda number: grainy(image, number, 3.0 if number < FRAMES - 15 else 9.0))
    assert clocks.noise.typical_deviation == pytest.approx(
        truly_off(lambda number: grainy(image, number, 9.0)), rel=WITHIN
    )
