"""The board plane seen from straight above: one small resampled picture that everything later reads from.

Whatever the side and height of the camera, a point of this picture is a point of the board, so cells, pieces and
their shadows keep their places when the camera is bumped and only the map into the picture changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import Floats, View

Image = npt.NDArray[np.uint8]
Picture = npt.NDArray[np.float32]

SAMPLES_PER_CELL = 16
"""Cells are 35 to 60 px wide in the reference recordings (1280x960), so a sample is two to four pixels: the noise
of a still camera averages out and the shape of a piece (0.6 cell wide) is still ten samples wide."""
MARGIN_CELLS = 2.0
"""How far the ground picture reaches beyond the board: pieces on the far edge lean out by up to 1.5 cells."""


RIM_PX = 2
"""Pixels around the board's outline that are reduced with it: a curved lens bends the outline by less."""


@dataclass(frozen=True)
class Ground:
    """The map from the ground picture into a camera picture reduced by `shrink`."""

    map_xy: npt.NDArray[np.float32]
    shrink: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the ground picture."""
        return self.map_xy.shape[0], self.map_xy.shape[1]

    def resample_image(self, image: Image, moved: Floats | None = None) -> Picture:
        """The ground picture (rows, columns, 3) float32 of a full-size BGR picture.

        `moved` (2, 3) leads from the pixels of the calibrated picture to those of this one.
        """
        where = self._move_map(moved)
        small, corner = self._reduce_image(image, where)
        whole, parts = cv2.convertMaps(where - corner, None, cv2.CV_16SC2)  # type: ignore[call-overload]  # cv2's stubs do not know that map2 may be None
        flat = cv2.remap(small, whole, parts, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(flat, np.float32)

    def _reduce_image(self, image: Image, where: npt.NDArray[np.float32]) -> tuple[Image, npt.NDArray[np.float32]]:
        """The part of a picture that `where` reaches, reduced by `shrink`, and its upper left corner x, y.

        The mean of each square, and then the middle ones: the same numbers as by area, in a third of the time.
        """
        h, w = (n // self.shrink for n in image.shape[:2])
        rim = np.concatenate([where[0], where[-1], where[:, 0], where[:, -1]])
        (left, top), (right, bottom) = np.floor(rim.min(axis=0)) - RIM_PX, np.ceil(rim.max(axis=0)) + RIM_PX
        x0, x1 = int(np.clip(left, 0, w - 1)), int(np.clip(right, 1, w))
        y0, y1 = int(np.clip(top, 0, h - 1)), int(np.clip(bottom, 1, h))
        part = image[y0 * self.shrink : y1 * self.shrink, x0 * self.shrink : x1 * self.shrink]
        if self.shrink > 1:
            even = cv2.blur(part, (self.shrink, self.shrink))
            middles = cv2.resize(even, (x1 - x0, y1 - y0), interpolation=cv2.INTER_NEAREST_EXACT)
            part = np.asarray(middles, np.uint8)
        return np.asarray(part, np.uint8), np.array([x0, y0], np.float32)

    def _move_map(self, moved: Floats | None) -> npt.NDArray[np.float32]:
        """The map after a motion of the picture, in pixels of the reduced one."""
        if moved is None:
            return self.map_xy
        half = 0.5 * self.shrink - 0.5
        shift = (moved[:, :2] @ [half, half] + moved[:, 2] - half) / self.shrink
        reduced = np.column_stack([moved[:, :2], shift])
        return np.asarray(cv2.transform(self.map_xy, reduced), np.float32)


def ground_of(view: View) -> Ground:
    """The ground picture of one level as `view` sees it."""
    w, h = view.size_cells
    columns = round((w + 2 * MARGIN_CELLS) * SAMPLES_PER_CELL)
    rows = round((h + 2 * MARGIN_CELLS) * SAMPLES_PER_CELL)
    x, y = np.meshgrid(
        (np.arange(columns) + 0.5) / SAMPLES_PER_CELL - MARGIN_CELLS,
        (np.arange(rows) + 0.5) / SAMPLES_PER_CELL - MARGIN_CELLS,
    )
    pixels = view.project_points(np.column_stack([x.ravel(), y.ravel()]))
    pitch = float(np.median(view.pitch_px(np.array([[w / 2, h / 2]]))))
    shrink = max(1, int(pitch / SAMPLES_PER_CELL + 0.5))
    pixels = (pixels + 0.5) / shrink - 0.5
    return Ground(pixels.reshape(rows, columns, 2).astype(np.float32), shrink)


def samples_at(points_xy: Floats, shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Flat indices into a ground picture of `shape` of board points (..., 2), clipped to its edge."""
    where = np.floor((points_xy + MARGIN_CELLS) * SAMPLES_PER_CELL).astype(np.int64)
    columns = where[..., 0].clip(0, shape[1] - 1)
    rows = where[..., 1].clip(0, shape[0] - 1)
    return np.asarray(rows * shape[1] + columns, np.int64)


# Looks ask for these of whole boards again and again. Written as below they take a quarter of the time and less of what
# numpy's own indexing, `median` and `sum` over the short last axis take, and give the same numbers to the last bit.


def take_samples(picture: Picture, sample_at: npt.NDArray[np.int64]) -> Picture:
    """The samples (..., 3) of a ground picture at flat indices (...)."""
    return picture.reshape(-1, 3).take(sample_at, axis=0)


def sum_channels(colours: Picture) -> Picture:
    """The sums (...) of the three channels of colours (..., 3)."""
    return np.asarray(colours[..., 0] + colours[..., 1] + colours[..., 2])


def find_median_colours(patches: Picture) -> Picture:
    """The median colour (N, 3) of each of N patches (N, ..., 3), channel by channel."""
    ordered = np.sort(np.moveaxis(patches.reshape(len(patches), math.prod(patches.shape[1:-1]), 3), 1, 2), axis=2)
    half = ordered.shape[2] // 2
    return np.asarray(ordered[..., half] if ordered.shape[2] % 2 else ordered[..., half - 1 : half + 1].mean(axis=2))
