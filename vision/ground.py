"""The board plane seen from straight above: one small resampled picture that everything later reads from.

Whatever the side and height of the camera, a point of this picture is a point of the board, so cells, pieces and
their shadows keep their places when the camera is bumped and only the map into the picture changes.
"""

from __future__ import annotations

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


@dataclass(frozen=True)
class Ground:
    """The map from the ground picture into a camera picture reduced by `shrink`."""

    map_xy: npt.NDArray[np.float32]
    shrink: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the ground picture."""
        return self.map_xy.shape[0], self.map_xy.shape[1]

    def take(self, image: Image, moved: Floats | None = None) -> Picture:
        """The ground picture (rows, columns, 3) float32 of a full-size BGR picture.

        `moved` (2, 3) leads from the pixels of the calibrated picture to those of this one.
        """
        if self.shrink > 1:
            h, w = image.shape[:2]
            small_wh = w // self.shrink, h // self.shrink
            whole = image[
                : small_wh[1] * self.shrink, : small_wh[0] * self.shrink
            ]  # by whole pixels: a fifth of the time
            small = cv2.resize(whole, small_wh, interpolation=cv2.INTER_AREA)
        else:
            small = image
        flat = cv2.remap(small, self._map(moved), None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]  # cv2's stubs do not know that map2 may be None
        return np.asarray(flat, np.float32)

    def _map(self, moved: Floats | None) -> npt.NDArray[np.float32]:
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
    pixels = view.project(np.column_stack([x.ravel(), y.ravel()]))
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
