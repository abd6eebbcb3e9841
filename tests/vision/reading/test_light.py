"""How much brighter each cell is than its floor was, and whether a patch shows its old pattern in new light."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.reading.light import STEADY_GAIN, estimate_gains, patterns_alike

CENTRES = np.array([[x + 0.5, y + 0.5] for y in range(8) for x in range(8)])


def floors() -> npt.NDArray[np.float32]:
    return np.random.default_rng(1).uniform(60, 160, (64, 16, 16, 3)).astype(np.float32)


def test_a_lamp_at_one_side_is_a_slope_that_pieces_do_not_disturb() -> None:
    floor, empty = floors(), np.ones(64, bool)
    brighter = (1.1 + 0.05 * CENTRES[:, 0])[:, None, None, None].astype(np.float32)
    now = floor * brighter
    empty[::5] = False
    now[::5] = 20.0
    gains = estimate_gains(now, floor, empty, CENTRES)
    assert np.abs(gains - brighter[:, 0, 0]).max() < STEADY_GAIN


def test_a_flicker_is_the_same_everywhere_and_too_few_floors_say_nothing() -> None:
    floor = floors()
    flicker = estimate_gains(floor * np.float32(1.02), floor, np.ones(64, bool), CENTRES)
    assert np.ptp(flicker, axis=0).max() == 0.0 and np.abs(flicker - 1.02).max() < 0.01
    few = np.zeros(64, bool)
    few[:5] = True
    assert (estimate_gains(floor * np.float32(2.0), floor, few, CENTRES) == 1.0).all()


def test_a_pattern_is_known_in_other_light_and_a_plain_patch_has_none() -> None:
    floor, whole = floors(), np.ones((64, 16, 16), bool)
    assert patterns_alike(floor * np.float32(0.6) + 10, floor, whole).all()
    assert not patterns_alike(floor[::-1], floor, whole).any(), "another patch"
    plain = np.full_like(floor, 90.0)
    assert not patterns_alike(plain, plain, whole).any()
