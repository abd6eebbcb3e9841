"""What one picture shows of each cell, in nats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.reading.fellows import Ints, Table

Flags = npt.NDArray[np.bool_]

COVERED = 0.45
"""Probability that a cell shows neither floor nor piece, from which it counts as covered. Raising it reads hands as
pieces, lowering it waits beside shadows."""
FEW_COVERED = 2
"""So many covered cells are a shadow on a printed castle or a fallen piece, not a hand: a hand that reaches a piece
covers eight cells and more."""
PLAIN_SCORE, PLAIN_CHANGE = -8.0, -10.0
"""Score of every other look of a cell that plainly shows what stood there, and its log-likelihood ratio of a change."""


@dataclass(frozen=True)
class Reading:
    """What one picture shows. All arrays are indexed by cell."""

    scores: Table
    """(cells, looks) log-likelihood of each look by how the cell looks, up to a constant per cell."""
    change: npt.NDArray[np.float32]
    """(cells,) log-likelihood ratio that the cell holds something else than when it was last taken in."""
    looks: Ints
    """(cells,) the likeliest look of each cell."""
    changed: Flags
    """(cells,) does not show what stood there when it was last taken in, or shows it otherwise."""
    unexplained: npt.NDArray[np.float32]
    """(cells,) probability that the cell shows neither floor nor any piece: a hand, a cup, a fallen piece."""
    offset_cells: npt.NDArray[np.float32]
    """(cells,) how far off its middle, in cells, a piece stands that has come since; 0 where none has."""
    light: float
    """Brightness over that of the last picture that was taken in."""
