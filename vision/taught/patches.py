"""The square of board that each cell covers, cut out of a level's ground picture, alike for every cell."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import Floats
from vision.ground import MARGIN_CELLS, SAMPLES_PER_CELL, Picture, take_samples

SIDE = SAMPLES_PER_CELL
"""Samples of a patch each way: one cell."""
BLUR = (5, 5)
"""Over so many samples, a third of a cell, patches are smoothed before they are compared with the past: what is left of
shake and of grain after registration is smaller."""

Patches = npt.NDArray[np.float32]
"""(cells, SIDE, SIDE, 3), BGR levels."""


@dataclass(frozen=True)
class PicturePatches:
    """Patches of one picture: as seen, and smoothed."""

    sharp: Patches
    smooth: Patches


class Cutter:
    """Where the patches of a level lie in its ground picture."""

    def __init__(self, centres_xy: Floats, shape: tuple[int, int]) -> None:
        """`centres_xy` (cells, 2) in cells; `shape` is the ground picture's."""
        corner = np.floor((np.asarray(centres_xy, float) - 0.5 + MARGIN_CELLS) * SAMPLES_PER_CELL + 0.5).astype(int)
        steps = np.arange(SIDE)
        rows = (corner[:, 1, None] + steps).clip(0, shape[0] - 1)
        columns = (corner[:, 0, None] + steps).clip(0, shape[1] - 1)
        self._index = rows[:, :, None] * shape[1] + columns[:, None, :]

    def cut_patches(self, picture: Picture) -> PicturePatches:
        """The patches of a ground picture (rows, columns, 3)."""
        smooth = np.asarray(cv2.blur(picture, BLUR), np.float32)
        return PicturePatches(take_samples(picture, self._index), take_samples(smooth, self._index))
