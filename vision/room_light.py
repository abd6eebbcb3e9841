"""Has the light in the room changed? Told by the cells that no LED lights, for those that one does.

How such a cell looks unlit was seen before it was lit; where a lamp has gone or come since, it would look otherwise by
as much as the cells around it do.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.board import Board
from vision.glow import FOLLOWS, Flags, Float32s
from vision.ground import Image

LEVEL_POINTS = 16
"""Pixels of a cell whose median colour is its brightness."""
ROOM_NOISE_LEVELS = 4.0
"""Added to levels before their ratio is taken: in the dark it is noise."""
LAMP_SHARE = 0.06
"""By such a share the median cell must have changed: exposure that follows a sleeve does it, noise does not. Less is
dusk or drift, which is followed anyway."""
TELLING_CELLS, LIKE_ALL = 12, 0.3
"""So many unlit cells around one tell how its light has changed, unless they have changed by such a share more or less
than the whole board: then a hand is over them."""


class RoomLight:
    """How bright each cell is. Mutable."""

    def __init__(self, board: Board) -> None:
        centres = np.array(board.centres_xy)
        self._nearest = np.argsort(((centres[:, None] - centres[None]) ** 2).sum(axis=2), axis=1)
        self._then: Float32s | None = None
        """(cells, 3) the brightness of each when it was last unlit, or when the light in the room last changed."""

    def measure_change(self, levels: Float32s, unlit: Flags) -> Float32s | None:
        """By which factors (cells, 3) the light of each cell has changed, given the median colours `levels` (cells, 3)
        of this picture; None where it has not, or too few cells are `unlit` to tell."""
        if self._then is None or int(unlit.sum()) < TELLING_CELLS:
            self._then = levels.copy()
            return None
        ratio = (levels + ROOM_NOISE_LEVELS) / (self._then + ROOM_NOISE_LEVELS)
        everywhere = np.median(ratio[unlit], axis=0)
        if np.abs(everywhere - 1).max() < LAMP_SHARE:
            self._then[unlit] += FOLLOWS * (levels - self._then)[unlit]
            return None
        factors = np.ones_like(levels)
        for cell in np.flatnonzero(~unlit):
            order = self._nearest[cell]
            here = np.median(ratio[order[unlit[order]][:TELLING_CELLS]], axis=0)
            factors[cell] = here if np.abs(here / everywhere - 1).max() < LIKE_ALL else everywhere
        self._then = np.where(unlit[:, None], levels, self._then * factors).astype(np.float32)
        return factors

    def see_unlit(self, levels: Float32s) -> None:
        """No cell is lit."""
        self._then = levels.copy()


def points_of(box: tuple[slice, slice], inside: Flags) -> npt.NDArray[np.intp]:
    """(2, LEVEL_POINTS) rows and columns of pixels spread over a cell."""
    rows, columns = np.nonzero(inside)
    if not len(rows):
        rows, columns = np.zeros((2, 1), np.intp)
    chosen = np.linspace(0, len(rows) - 1, LEVEL_POINTS).astype(np.intp)
    return np.array([rows[chosen] + box[0].start, columns[chosen] + box[1].start])


def levels_of(image: Image, points: npt.NDArray[np.intp]) -> Float32s:
    """(cells, 3) the median colours at points (cells, 2, LEVEL_POINTS)."""
    return np.asarray(np.median(image[points[:, 0], points[:, 1]], axis=1), np.float32)
