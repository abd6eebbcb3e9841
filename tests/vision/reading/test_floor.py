"""The remembered floor: what of it is measured, and what it takes in."""

from __future__ import annotations

import numpy as np

from vision.reading.floor import MEAN_RATE, Floor, measure_slopes

CHANCE = np.random.default_rng(6)
CENTRES = np.array([(f + 0.5, r + 0.5) for r in range(3) for f in range(3)])
SHAPE = (112, 112)
"""Of three by three cells with a margin of two cells around them."""


def test_slopes_are_the_gradients_of_the_steepest_channel() -> None:
    patches = CHANCE.uniform(0, 255, (5, 8, 6, 3)).astype(np.float32)
    down, across = (np.abs(np.gradient(patches, axis=axis)).max(axis=-1) for axis in (1, 2))
    assert (measure_slopes(patches) == np.maximum(down, across)).all()
    assert (measure_slopes(patches[0]) == measure_slopes(patches)[0]).all()
    assert measure_slopes(patches[:0]).shape == (0, 8, 6)


def test_known_floor_follows_what_is_seen_free_and_nothing_else() -> None:
    first, later = CHANCE.uniform(50, 200, (2, *SHAPE, 3)).astype(np.float32)
    covered = np.zeros(SHAPE, bool)
    covered[40:50, 40:50] = True
    lattice = np.array([(f, r) for r in range(3) for f in range(3)])
    floor = Floor(first, CENTRES, lattice, covered.ravel())
    before = floor.colour.copy()
    free = np.zeros(SHAPE, bool)
    free[:60] = True
    free[45:] &= ~covered[45:]
    floor.learn_samples(later, free.ravel())
    seen, old, new = later.reshape(-1, 3), (free & ~covered).ravel(), (free & covered).ravel()
    assert (floor.colour[old] == before[old] + np.float32(MEAN_RATE) * (seen[old] - before[old])).all()
    assert (floor.colour[new] == seen[new]).all()
    assert (floor.colour[~free.ravel()] == before[~free.ravel()]).all()
    assert (floor.known == (~covered.ravel() | new)).all()
