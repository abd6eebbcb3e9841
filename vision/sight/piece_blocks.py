"""Which blocks of a level's picture a piece in each cell covers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.ground import MARGIN_CELLS
from vision.reading.footprint import Footprints
from vision.sight.stillness import BLOCK, BLOCKS_PER_CELL


def block_middles(rows: int, columns: int) -> npt.NDArray[np.float64]:
    """(rows, columns, 2) where the middle of each block lies, in cells."""
    x, y = np.meshgrid(
        (np.arange(columns) + 0.5) / BLOCKS_PER_CELL - MARGIN_CELLS,
        (np.arange(rows) + 0.5) / BLOCKS_PER_CELL - MARGIN_CELLS,
    )
    return np.stack([x, y], axis=-1)


def body_blocks(
    prints: Footprints, shape: tuple[int, int], radius: float, height: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each cell the flat indices of the blocks that a piece in it covers (cells, most), -1 beyond, and how many."""
    inside = prints.piece_silhouette(radius, height) > 0.5
    columns = shape[1] // BLOCK
    found = []
    for samples in prints.sample_at:
        at = samples[inside]
        row, column = at // shape[1] // BLOCK, at % shape[1] // BLOCK
        found.append(np.unique(np.minimum(row, shape[0] // BLOCK - 1) * columns + np.minimum(column, columns - 1)))
    most = max(map(len, found))
    index = np.full((len(found), most), -1, np.int64)
    for c, blocks in enumerate(found):
        index[c, : len(blocks)] = blocks
    return index, np.array([len(blocks) for blocks in found])
