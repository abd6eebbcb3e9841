"""Which part of a cell no piece of another cell can lean over, however tall it is.

A reader takes every piece to lean as one in the middle of the board does, and knows no outline higher than the patches
are. Before a camera that hangs over the board that is wrong: under its foot nothing leans, at the far edge twice as
much, and a chess king may be half as high again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vision.ground import MARGIN_CELLS, SAMPLES_PER_CELL
from vision.reading.appearance import Ints
from vision.reading.floor import Flags
from vision.reading.footprint import NEIGHBOUR_CELLS, TALLEST
from vision.reading.level import Reader
from vision.reading.scene import Scores

TALLER = (1.0, 1.4, 1.8)
"""A piece that is as high as any outline that is tried may be so many times as high: chess kings are up to 1.8 cells,
and the height of a camera straight above a board is known to a third at best. Kings on photographs leaned as far as 1.0
and 1.7 have it. Each is tried: with more a piece may lean over all of a cell, which then says nothing; with less it
covers some of what is asked."""
LEANED_SHARE = 0.5
"""A cell of whose base more than this lies behind a piece that has come is leaned over. Lowering it asks one witness
alone about more cells, raising it takes the head of a tall piece for a piece on the cell behind it. Guessed."""

LEANED_NATS = 2.0
"""Of a cell over which a piece leans that has come since it was last known what stands there, pieces that seem to have
come say no more: the head of the other one may be all that is seen. Raising it tells of men where nobody put any,
behind knights that have just come, and doubts all plies that follow; lowering it misses men that came with them. It is
less than what is plain (engine.belief.memory.CLEARLY). Chosen on one film of an outsider's renderer, where seven plies
of ten were lost, and none is. On 21 drawn films of three games from 33, 42 and 52 degrees, which nobody had looked at,
114 of the 117 cells that it quietened held nothing, and all 168 plies were said."""


def clear_of_others(reader: Reader, pieces: Ints, taller: float) -> Flags:
    """(cells, samples of a base) that no piece of another cell may cover; the highest are so much `taller`."""
    prints, centres = reader.prints, reader.centres_xy
    at = prints.sample_at.reshape(len(pieces), -1)[:, reader.base]
    row, column = np.divmod(at, reader.ground.shape[1])
    points = (np.stack([column, row], axis=-1) + 0.5) / SAMPLES_PER_CELL - MARGIN_CELLS
    clear = np.ones(at.shape, bool)
    for j in np.flatnonzero(pieces).tolist():
        radius, height = reader.outlines[int(pieces[j])]
        high = min(height * taller if height >= TALLEST else height, prints.camera_height / 2)
        lean = (centres[j] - prints.foot_xy) * high / (prints.camera_height - high)
        near = np.flatnonzero(np.abs(centres - centres[j]).max(axis=1) <= NEIGHBOUR_CELLS)
        near = near[near != j]
        off = points[near] - centres[j]
        along = (off @ lean / max(float(lean @ lean), 1e-9)).clip(0.0, 1.0)
        clear[near] &= np.linalg.norm(off - along[..., None] * lean, axis=-1) > radius
    return clear


def find_leaned_over(levels: Sequence[tuple[npt.NDArray[np.intp], Reader]], came: Ints) -> Flags:
    """(cells,) that pieces which have come to other cells hide for the most part; `came` (cells,) has their looks, 0
    where none has. `levels` are the cells of each level, and who reads them."""
    leaned = np.zeros(len(came), bool)
    for cells, reader in levels:
        highest = {
            int(reader.look_table[piece]): piece
            for piece, _ in sorted(reader.outlines.items(), key=lambda known: known[1][1])
        }
        pieces = np.array([highest.get(int(look), 0) for look in came[cells]], np.int64)
        if pieces.any():
            leaned[cells] = clear_of_others(reader, pieces, 1.0).mean(axis=1) < 1 - LEANED_SHARE
    return leaned


def limit_leaned_scores(scores: Scores, expected: Ints, leaned: Flags) -> Scores:
    """Scores (cells, looks) in which cells that are `leaned` over say little of pieces but those `expected` there."""
    every = np.arange(len(expected))
    most = np.repeat((scores[every, expected] + LEANED_NATS)[:, None], scores.shape[1], axis=1)
    most[~leaned], most[:, 0] = np.inf, np.inf
    return np.minimum(scores, most)
