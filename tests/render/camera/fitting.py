"""How large a film is, and where in it the recorded picture lies: scaled, with more of the table round it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from tests.render.camera.conditions import Conditions

Image = npt.NDArray[np.uint8]

BLURRED = 0.03
"""What lies round the recorded picture is drawn out from its edge, blurred by this part of its width."""


@dataclass(frozen=True)
class Fitting:
    """From pictures of `recorded_wh` to frames of `size_wh`, the picture at (left, top) as large as `inner_wh`."""

    recorded_wh: tuple[int, int]
    size_wh: tuple[int, int]
    inner_wh: tuple[int, int]
    left: int
    top: int

    def corners(self, points_px: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Points (..., 2) of the recorded picture in the film, as long as nothing has moved the camera."""
        scale = np.array(self.inner_wh) / np.array(self.recorded_wh)
        return np.asarray((np.asarray(points_px, float) + 0.5) * scale - 0.5 + [self.left, self.top], float)

    def image(self, recorded: Image) -> Image:
        """The frame of a recorded picture."""
        if self.size_wh == self.recorded_wh and self.inner_wh == self.size_wh:
            return recorded
        shrinks = self.inner_wh[0] < self.recorded_wh[0]
        inner = cv2.resize(recorded, self.inner_wh, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
        if self.inner_wh == self.size_wh:
            return np.asarray(inner, np.uint8)
        (w, h), (iw, ih) = self.size_wh, self.inner_wh
        right, bottom = w - iw - self.left, h - ih - self.top
        frame = cv2.copyMakeBorder(inner, self.top, bottom, self.left, right, cv2.BORDER_REPLICATE)
        small = cv2.resize(frame, (w // 8, h // 8), interpolation=cv2.INTER_AREA)
        round_it = cv2.resize(cv2.GaussianBlur(small, (0, 0), BLURRED * w / 8), (w, h))
        round_it[self.top : self.top + ih, self.left : self.left + iw] = inner
        return np.asarray(round_it, np.uint8)


def fitting(conditions: Conditions, recorded_wh: tuple[int, int]) -> Fitting:
    """Where the pictures of a recording lie in its film. Sizes are even, as codecs want them."""
    rw, rh = recorded_wh
    if conditions.width_px == 0 and conditions.room == 1.0:
        return Fitting(recorded_wh, recorded_wh, recorded_wh, 0, 0)
    w = conditions.width_px or rw
    size = (w // 2 * 2, round(w * rh / rw) // 2 * 2)
    inner = (round(size[0] * conditions.room), round(size[1] * conditions.room))
    return Fitting(recorded_wh, size, inner, (size[0] - inner[0]) // 2, (size[1] - inner[1]) // 2)
