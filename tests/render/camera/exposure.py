"""Light and what the camera makes of it: lamp, clouds, exposure, white balance, bands, gamma, vignetting."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from tests.render.camera.conditions import Conditions
from tests.render.camera.spells import Spells, chance

Image = npt.NDArray[np.uint8]

METERED_EVERY = 12
"""Exposure is metered on each so-many-th pixel."""
EAGER = 9.0
"""How much more exposure changes than the mean brightness that it follows: cameras weigh the middle, and overshoot."""
STEPS = 0.35
"""How often exposure takes a step."""
BY_HAND = 0.02
"""Mean brightness that changes by this much is something new in the picture; less is let be."""
DRIFT_S, WHITE_S, CLOUDS_S = 45.0, 30.0, 25.0
"""Time of one swing of what drifts."""
LAMP_S = 0.45
"""Part of the time between two switchings for which the lamp is off."""
LAMP_COLOUR = np.array([1.12, 1.0, 0.9])
"""What is left when it is off is bluer."""
MADE_UP, MADE_UP_S = 0.5, 1.5
"""What a camera makes up for of a lost lamp (as a power), and how soon; noise grows with it."""
LEAST, LIGHTLESS = 0.2, 0.05
"""A camera leaves at least so much of a white thing's brightness; unless less than the second is left of the light."""
FULL = 200
"""In maps of factors, the value that stands for 1."""


class Exposure:
    """Everything that changes brightness and colour, frame by frame."""

    def __init__(self, conditions: Conditions, seed: int) -> None:
        self._c = conditions
        self._rng = chance(seed, "exposure")
        self._flicker = chance(seed, "flicker")
        self._phases = chance(seed, "drift").uniform(0, 2 * np.pi, 4)
        self._lamp = Spells(conditions.lamp_every_s, LAMP_S * conditions.lamp_every_s, seed, "lamp")
        self._usual = 0.0
        self._gain = 1.0
        self._corners: npt.NDArray[np.float32] | None = None
        self.noise_gain = 1.0
        """How much stronger the sensor's noise is in this light."""

    def seen(self, image: Image, t: float) -> Image:
        """The picture as it is exposed at `t`."""
        colours = self._lit(t) * self._white(t) * self._exposed(image, t)
        colours = colours * (1 + self._flicker.normal(0, 1) * self._c.flicker)
        if self._c.lamp > LIGHTLESS:
            colours = colours * max(1.0, LEAST ** (1 / self._c.gamma) / float(colours.mean()))
        toned = cv2.LUT(image, self._table(colours))
        if self._c.bands or self._c.vignetting:
            toned = cv2.multiply(toned, self._map(image.shape[:2], t), scale=1 / FULL)
        return np.asarray(toned, np.uint8)

    def lamp_off_s(self, t: float) -> float:
        """For how long the lamp has been off; negative while it is on."""
        _, since = self._lamp.last(t)
        return since if self._c.lamp < 1 and 0 <= since < self._lamp.length_s else -1.0

    def _lit(self, t: float) -> npt.NDArray[np.float64]:
        """What lamp and clouds leave, per colour, after the camera has made up for a part of it."""
        light = np.ones(3)
        self.noise_gain = 1.0
        off_s = self.lamp_off_s(t)
        if off_s >= 0:
            made_up = self._c.lamp ** (-MADE_UP * min(off_s / MADE_UP_S, 1.0))
            light = light * self._c.lamp * made_up * LAMP_COLOUR
            self.noise_gain = made_up
        if self._c.clouds:
            slow = np.sin(2 * np.pi * t / CLOUDS_S + self._phases[0]) - np.sin(self._phases[0])
            light = light * (1 - self._c.clouds * np.clip(slow, 0, 1))
        return light

    def _white(self, t: float) -> npt.NDArray[np.float64]:
        if not self._c.white_drift:
            return np.ones(3)
        blue = np.sin(2 * np.pi * t / WHITE_S + self._phases[1])
        red = np.sin(2 * np.pi * t / (1.4 * WHITE_S) + self._phases[2])
        return 1 + self._c.white_drift * np.array([blue, 0.0, red])

    def _exposed(self, image: Image, t: float) -> float:
        drift = 1 + self._c.exposure_drift / 2 * np.sin(2 * np.pi * t / DRIFT_S + self._phases[3])
        if self._c.exposure_swing:
            mean = float(image[::METERED_EVERY, ::METERED_EVERY].mean())
            self._usual = self._usual or mean
            off = (self._usual - mean) / max(self._usual, 1.0)
            most = self._c.exposure_swing
            aimed = 1 + float(np.clip(EAGER * off, -most, most)) if abs(off) * EAGER > BY_HAND else 1.0
            if self._rng.random() < STEPS:
                step = float(self._rng.uniform(0.4, 1.0)) * (aimed - self._gain)
                self._gain += float(np.clip(step, -most * self._gain, most * self._gain))
        return float(drift * self._gain)

    def _table(self, colours: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
        levels = np.linspace(0, 1, 256)[:, None] * colours
        shown = 255 * np.clip(levels, 0, 1) ** self._c.gamma
        return np.asarray(np.round(shown), np.uint8).reshape(256, 1, 3)

    def _map(self, shape: tuple[int, int], t: float) -> Image:
        """Factors of each pixel: dark corners, and bands that wander down."""
        h, w = shape
        if self._corners is None:
            y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
            self._corners = (1 - self._c.vignetting * ((x**2 + y**2) / 2) ** 1.5).astype(np.float32)
        rows = np.arange(h) / h / self._c.bands_rows - self._c.bands_hz * t
        bands = 1 + self._c.bands * np.sin(2 * np.pi * rows)
        factors = cv2.convertScaleAbs(self._corners * bands.astype(np.float32)[:, None], alpha=FULL)
        return np.asarray(cv2.merge([factors] * 3), np.uint8)
