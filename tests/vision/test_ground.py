"""What looks ask of whole boards again and again says the same as numpy's own functions, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from vision.ground import find_median_colours, sum_channels, take_samples

CHANCE = np.random.default_rng(5)
PATCHES = CHANCE.uniform(0, 255, (7, 6, 4, 3)).astype(np.float32)


@pytest.mark.parametrize("rows", [6, 5, 1])
@pytest.mark.parametrize("columns", [4, 3, 1])
def test_medians_are_those_of_each_channel(rows: int, columns: int) -> None:
    patches = PATCHES[:, :rows, :columns]
    wanted = np.median(patches.reshape(len(patches), -1, 3), axis=1)
    found = find_median_colours(patches)
    assert found.dtype == np.float32
    assert (found == wanted).all()


def test_there_is_a_median_of_no_patches() -> None:
    assert find_median_colours(PATCHES[:0]).shape == (0, 3)


def test_sums_are_those_of_three_channels() -> None:
    assert (sum_channels(PATCHES) == PATCHES.sum(axis=-1)).all()


def test_samples_are_taken_where_they_are_asked_for() -> None:
    picture = CHANCE.uniform(0, 255, (9, 8, 3)).astype(np.float32)
    sample_at = CHANCE.integers(0, 72, (5, 2, 3))
    assert (take_samples(picture, sample_at) == picture.reshape(-1, 3)[sample_at]).all()
