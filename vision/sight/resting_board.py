"""Has anything stirred since the last frame that was looked into? Asked of a few pixels, while the board is at rest.

One pixel for every block of the board and its margin, without looking where the board is: what answers in a
twentieth of the time of the full way need not be sure, it must only miss nothing that covers a cell.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from calibration.view import View
from vision.ground import MARGIN_CELLS, Image
from vision.sight.align import Affine
from vision.sight.stillness import BLOCKS_PER_CELL, Flags

STIRS_TIMES, STIRS_LEVELS = 2.0, 2.0
"""A cell stirs when its pixels differ by more than so many times what they usually do between two frames, and by so
many grey levels more: sixteen pixels of white noise reach 1.6 times in one cell of a thousand. A hand differs by 30
levels. Raising them lets dark sleeves on dark tables wait for the next frame that is looked into anyway, lowering them
looks into more frames in which nothing happens."""
FULL_WHITE = 255.0
EVERY_S, INTO_S = 0.095, 0.45
"""Seconds between two frames that are asked, ten a second see every hand come, and after which a frame is looked into
whatever it shows: that keeps noise and light up to date."""
QUIET_FOLLOWS = 0.2
"""Share of a new frame in what is usual."""


class RestingBoard:
    """The board as the last frame that was looked into showed it. Mutable."""

    def __init__(self, views: Sequence[View], size_wh: tuple[int, int]) -> None:
        self._points = np.concatenate([_block_middles_px(view) for view in views])
        """(cells, blocks, 2) pixels of the calibrated picture."""
        self._most = np.array(size_wh) - 1
        self._at = (np.zeros(0, np.intp), np.zeros(0, np.intp))
        self._before = np.zeros((0, 1), np.float32)
        self._asked_t = self._into_t = 0.0
        self._usual = np.zeros(0, np.float32)

    def remember_frame(self, t: float, image: Image, moved: Affine) -> None:
        """`image` was looked into; it shows the board `moved` from where it was calibrated."""
        self._asked_t = self._into_t = t
        there = np.round(self._points @ moved[:, :2].T + moved[:, 2]).astype(np.intp).clip(0, self._most)
        self._at = there[..., 1], there[..., 0]
        self._before = self._sample_levels(image)

    def can_skip_frame(self, t: float, image: Image) -> bool:
        """Whether a frame of a board at rest need not be looked into."""
        if t - self._asked_t < EVERY_S:
            return True
        self._asked_t = t
        return t - self._into_t < INTO_S and not self.has_changed(image)

    def has_changed(self, image: Image) -> bool:
        """Whether some cell differs from the remembered frame by more than it usually does, light apart."""
        now = self._sample_levels(image)
        gain = float(np.median((now + 4.0) / (self._before + 4.0)))
        off = np.abs(now - np.minimum(gain * self._before, FULL_WHITE)).mean(axis=1)
        middle = float(np.median(off))
        usual = self._usual if len(self._usual) else np.full_like(off, middle)
        stirred: Flags = off > STIRS_TIMES * np.maximum(usual, middle) + STIRS_LEVELS
        self._usual = np.where(stirred, usual, usual + np.float32(QUIET_FOLLOWS) * (off - usual))
        return bool(stirred.any())

    def _sample_levels(self, image: Image) -> npt.NDArray[np.float32]:
        """(cells, blocks) grey levels."""
        return np.asarray(image[self._at].sum(axis=-1, dtype=np.float32) / 3)


def _block_middles_px(view: View) -> npt.NDArray[np.float32]:
    """The middles of the blocks of each cell of the board and its margin: (cells, blocks, 2) pixels."""
    columns, rows = (round(n + 2 * MARGIN_CELLS) for n in view.size_cells)
    per = BLOCKS_PER_CELL
    x, y = (((np.arange(n * per) + 0.5) / per - MARGIN_CELLS).reshape(n, per) for n in (columns, rows))
    grid = np.stack(np.broadcast_arrays(x[None, :, None, :], y[:, None, :, None]), axis=-1)
    return np.asarray(view.project_points(grid.reshape(-1, 2)).reshape(rows * columns, per * per, 2), np.float32)
