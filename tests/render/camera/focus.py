"""A lens that hunts for focus now and then."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from tests.render.camera.conditions import Conditions
from tests.render.camera.spells import Spells

Image = npt.NDArray[np.uint8]

USUAL_WIDTH = 640.0
LEAST_PX = 0.3
"""Less blur is none."""
LARGE_PX = 4.0
"""More blur is made in a smaller picture."""
TURNS = 1.5
"""A lens goes through focus so often before it stays."""


class Focus:
    """The blur of a film's frames."""

    def __init__(self, conditions: Conditions, seed: int) -> None:
        self._worst_px = conditions.focus_px
        self._spells = Spells(conditions.focus_every_s, conditions.focus_s, seed, "focus")

    def blur_px(self, t: float) -> float:
        """Spread of the blur in a film 640 wide."""
        share = self._spells.share(t) if self._worst_px else -1.0
        return self._worst_px * abs(float(np.sin(np.pi * TURNS * share))) if share >= 0 else 0.0

    def seen(self, image: Image, t: float) -> Image:
        """The picture as sharp as it is at `t`."""
        sigma = self.blur_px(t) * image.shape[1] / USUAL_WIDTH
        if sigma < LEAST_PX:
            return image
        if sigma < LARGE_PX:
            return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)
        h, w = image.shape[:2]
        small = cv2.resize(image, (w // 4, h // 4), interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.resize(cv2.GaussianBlur(small, (0, 0), sigma / 4), (w, h)), np.uint8)
