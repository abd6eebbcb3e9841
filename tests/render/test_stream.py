"""A recording streamed: every picture in order, held long enough, never twice the same bytes."""

from __future__ import annotations

import numpy as np

from tests.render.script import Recipe
from tests.render.stream import FPS, HANDS_S, QUIET_S, drawn, stream

SMALL = Recipe(seed=4, plies=2, size_wh=(320, 240), troubled=False)


def test_pictures_are_held_as_long_as_they_are_quiet() -> None:
    shots = list(drawn(SMALL))
    numbers = [number for number, _ in stream(shots)]
    assert numbers == sorted(numbers)
    for number, (kind, _) in enumerate(shots):
        assert numbers.count(number) == round((HANDS_S if kind == "moving" else QUIET_S) * FPS)


def test_times_run_evenly_and_noise_is_fresh() -> None:
    frames = [frame for _, frame in stream(drawn(SMALL))]
    assert [frame.t for frame in frames] == [i / FPS for i in range(len(frames))]
    first, second = frames[0].image.astype(int), frames[1].image.astype(int)
    assert 1.0 < np.abs(first - second).mean() < 6.0


def test_same_seed_same_stream() -> None:
    a, b = (list(stream(drawn(SMALL), seed=9)) for _ in range(2))
    assert all(np.array_equal(x.image, y.image) for (_, x), (_, y) in zip(a, b, strict=True))
