"""A film of a recording: its pictures as a camera streams them under given conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from tests.render.camera.conditions import Conditions
from tests.render.stream import FIELDS, Shot
from vision.frames import Frame


def film(
    shots: Iterable[Shot], conditions: Conditions, seed: int, corners_px: npt.ArrayLike
) -> Iterator[tuple[int, Frame]]:
    """Frames as they come from the camera, each with the number of the recorded picture that it shows.

    `corners_px` (4, 2) are the corners of the board (of all its levels) in the first picture: movement is put beside
    it or far from it.
    """
    rng = np.random.default_rng(seed)
    fields: list[np.ndarray] = []
    count = 0
    for number, (kind, image) in enumerate(shots):
        fields = fields or [rng.normal(0, conditions.noise_sd, image.shape).astype(np.float32) for _ in range(FIELDS)]
        held_s = conditions.hands_s if kind == "moving" else conditions.quiet_s
        for _ in range(max(1, round(held_s * conditions.fps))):
            dy, dx = (int(v) for v in rng.integers(0, 1000, 2))
            noise = np.roll(fields[int(rng.integers(FIELDS))], (dy, dx), (0, 1))
            bright = image * np.float32(1 + rng.normal(0, conditions.flicker))
            yield number, Frame(count / conditions.fps, np.clip(bright + noise, 0, 255).astype(np.uint8))
            count += 1
