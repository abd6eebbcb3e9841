"""How much a cell changes within itself otherwise than its bare floor does: a piece has edges, light has none.

Lamps leave a corner of a board darker and varnish shines; both change a cell slowly from one side to the other. Its
pattern is that of the floor, and what goes evenly over it is left out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.ground import SAMPLES_PER_CELL
from vision.reading.level import Reader

RIM = 2
"""Samples at the border of a cell that are left out: lines of the board lie there, and what leans in from beside it."""
BLACK_LEVEL = 8.0
"""Grey levels added before ratios are taken: noise in the dark is no edge."""


def measure_edges(reader: Reader, floor: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """(cells,) spread of the logarithm of the picture over a `floor` within each cell, without what a plane explains.

    A share of the light: pieces in the middle case have 0.1 and more, bare cells 0.01 to 0.05.
    """
    picture, bare = reader.floor.tiles_of(reader.picture), reader.floor.tiles_of(floor)
    inner = np.s_[:, RIM : SAMPLES_PER_CELL - RIM, RIM : SAMPLES_PER_CELL - RIM]
    size = SAMPLES_PER_CELL - 2 * RIM
    off = (np.log(picture[inner] + BLACK_LEVEL) - np.log(bare[inner] + BLACK_LEVEL)).reshape(
        len(picture), size * size, 3
    )
    y, x = np.mgrid[:size, :size]
    plane = np.column_stack([np.ones(size * size), x.ravel(), y.ravel()])
    off = off - np.einsum("ij,njk->nik", plane @ np.linalg.pinv(plane), off)
    return np.asarray(np.sqrt((off**2).mean(axis=(1, 2))), np.float32)
