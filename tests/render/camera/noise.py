"""Noise of the sensor: white or in blotches, alike at every brightness or stronger where it is dark."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from tests.render.camera.conditions import Conditions
from tests.render.camera.spells import chance

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

FIELDS = 3
"""Fields of noise, drawn once; each frame takes a window of one of them, perhaps mirrored."""
SPARE = 127
"""By so many pixels they are larger than a picture."""
LARGEST = 900
"""Larger fields repeat what they have: drawing them would take seconds."""
SHARED = 0.65
"""Of the noise of a pixel, what its colours have in common (a part of the variance): demosaicing mixes them."""
MIDDLE_GREY = 128.0
DARK_POWER = 0.8
"""A sensor's noise in the picture grows with (middle grey / level) to this: sd 4.5 on light cells (180), 10 on dark
ones (70) and 19 on a dark table (30), as makers report at gain 4."""
DARKEST = 14.0
"""Below it noise grows no more."""


class Noise:
    """Of pictures of one size."""

    def __init__(self, conditions: Conditions, seed: int) -> None:
        self._conditions = conditions
        self._rng = chance(seed, "noise")
        self._white: list[Floats] = []
        self._blotches: list[Floats] = []
        self._held: Floats | None = None
        levels = np.maximum(np.arange(256, dtype=np.float32), DARKEST)
        table = (MIDDLE_GREY / levels) ** (DARK_POWER * conditions.noise_dark)
        self._by_level = cv2.merge([table.reshape(1, 256)] * 3).astype(np.float32)

    def over(self, image: Image, gain: float = 1.0) -> Image:
        """The picture with fresh noise, at so many times the usual gain."""
        noise = self._fresh(image.shape[:2], gain)
        if noise is None:
            return image
        if self._conditions.noise_dark:
            noise = cv2.multiply(noise, cv2.LUT(image, self._by_level))
        return np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), np.uint8)

    def _fresh(self, shape: tuple[int, int], gain: float) -> Floats | None:
        """Noise at middle grey of this frame."""
        c = self._conditions
        white = blotches = None
        if c.noise_sd > 0:
            self._white = self._white or [self._field(shape, 0.0) for _ in range(FIELDS)]
            white = self._window(self._white, shape)
        if c.blotch_sd > 0:
            self._blotches = self._blotches or [self._field(shape, c.blotch_px) for _ in range(FIELDS)]
            blotches = self._window(self._blotches, shape)
            if self._held is not None and c.blotch_hold:
                fresh = float(np.sqrt(1 - c.blotch_hold**2))
                blotches = np.asarray(cv2.addWeighted(self._held, c.blotch_hold, blotches, fresh, 0), np.float32)
            self._held = blotches
        if white is None or blotches is None:
            only, sd = (white, c.noise_sd) if blotches is None else (blotches, c.blotch_sd)
            return None if only is None else np.asarray(cv2.multiply(only, gain * sd), np.float32)
        return np.asarray(cv2.addWeighted(white, gain * c.noise_sd, blotches, gain * c.blotch_sd, 0), np.float32)

    def _window(self, fields: list[Floats], shape: tuple[int, int]) -> Floats:
        y, x = (int(v) for v in self._rng.integers(0, SPARE, 2))
        field = fields[int(self._rng.integers(FIELDS))]
        return field[y : y + shape[0], x : x + shape[1]]

    def _field(self, shape: tuple[int, int], wide_px: float) -> Floats:
        """Noise of sd 1 whose spots are so wide (0: single pixels); colours vary in spots twice as wide."""
        whole = (shape[0] + SPARE, shape[1] + SPARE)
        h, w = (min(side, LARGEST) for side in whole)
        shared, own = (self._rng.standard_normal((h, w, n), np.float32) for n in (1, 3))
        if wide_px:
            shared = cv2.GaussianBlur(shared[..., 0], (0, 0), wide_px / 2.355)[..., None]
            own = cv2.GaussianBlur(own, (0, 0), 2 * wide_px / 2.355)
            shared, own = shared / shared.std(), own / own.std()
        field = np.asarray(np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * own, np.float32)
        return np.asarray(cv2.copyMakeBorder(field, 0, whole[0] - h, 0, whole[1] - w, cv2.BORDER_WRAP), np.float32)
