"""A camera that is gone for a while: no picture, the same one for ever, darkness, something over the lens."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from tests.render.camera.conditions import Conditions
from tests.render.camera.spells import Spells, chance

Image = npt.NDArray[np.uint8]

DARK = 0.012
"""What is left of the light in darkness."""
COVERED_LEVELS = (6.0, 40.0)
"""A covered lens: one colour, this bright, a little brighter where light creeps in."""


class Gone:
    """When and how the camera of a film is gone."""

    def __init__(self, conditions: Conditions, seed: int) -> None:
        self._cause = conditions.gone
        self._spells = Spells(conditions.gone_every_s, conditions.gone_s, seed, "gone")
        self._colour = chance(seed, "cover").uniform(*COVERED_LEVELS, 3)

    def cause(self, t: float) -> str:
        """no-picture, frozen, dark, covered, or nothing."""
        return self._cause if self._cause and self._spells.share(t) >= 0 else ""

    def seen(self, image: Image, t: float) -> Image:
        """The picture in darkness or behind a cover."""
        cause = self.cause(t)
        if cause == "dark":
            return np.asarray(cv2.convertScaleAbs(image, alpha=DARK), np.uint8)
        if cause == "covered":
            h, w = image.shape[:2]
            slope = np.linspace(0.5, 1.5, w, dtype=np.float32)[None, :, None] * self._colour.astype(np.float32)
            return np.asarray(np.broadcast_to(slope.round().astype(np.uint8), (h, w, 3)), np.uint8)
        return image
