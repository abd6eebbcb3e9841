"""What is measured of a film is what was put into it."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from engine.errors import InputError
from tests.bench.measure_film import Image, measured, table

CORNERS = ((80, 60), (239, 60), (239, 179), (80, 179))


def pictures(sd: float, swing: float = 0.0, hand: bool = False, count: int = 48) -> Iterator[Image]:
    """A textured picture with white noise; every sixth is brighter; a hand crosses the board in the last third."""
    rng = np.random.default_rng(1)
    scene = cv2.GaussianBlur(rng.uniform(20, 220, (240, 320)), (0, 0), 1)
    for n in range(count):
        image = scene * (1 + swing * (n % 6 == 0)) + rng.normal(0, sd, scene.shape)
        if hand and n >= 2 * count // 3:
            image[90:150, 60 + 4 * n - 128 : 90 + 4 * n - 128] = 250
        yield cv2.cvtColor(np.clip(image.round(), 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)


def test_the_noise_of_a_film_is_measured() -> None:
    found = measured(pictures(2.0), CORNERS)
    assert found.noise_sd[0] == pytest.approx(2.0, rel=0.1)
    assert found.jump_p99[0] == pytest.approx(2.576 * 2 * 2**0.5, abs=1)
    assert abs(found.time[0]) < 0.15 and all(abs(one[0]) < 0.1 for one in found.space)
    assert found.moving == 0 and found.still_spells == (47,)
    assert found.shift_px[1] < 0.1


def test_movement_and_jumps_are_measured() -> None:
    found = measured(pictures(0.5, swing=0.1, hand=True), CORNERS)
    assert found.moving_on_board == pytest.approx(1 / 3, abs=0.05)
    assert found.still_spells == (31,)
    assert found.jumps == pytest.approx(1 / 3, abs=0.05) and found.largest_jump == pytest.approx(0.1, abs=0.02)


def test_a_table_has_a_column_a_film() -> None:
    one = measured(pictures(1.0), CORNERS)
    lines = table({"this": one, "those": (one, one)}).splitlines()
    assert lines[0] == "| | this | those |"
    assert all(line.count("|") == 4 for line in lines)


def test_a_film_without_rest_says_so() -> None:
    with pytest.raises(InputError, match="at rest"):
        measured((np.full((240, 320, 3), 255 * (n % 2), np.uint8) for n in range(30)), CORNERS)
