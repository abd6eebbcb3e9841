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
UNCHANGED = -14.0
"""Score of every other look of a cell that plainly shows what stood there."""


@dataclass(frozen=True)
class Reading:
    """What one picture shows. All arrays are indexed by cell."""

    scores: Table
    """(cells, looks) log-likelihood up to a constant per cell."""
    looks: Ints
    """(cells,) the likeliest look of each cell."""
    changed: Flags
    """(cells,) does not show what stood there when it was last remembered, or shows it otherwise."""
    unexplained: npt.NDArray[np.float32]
    """(cells,) probability that the cell shows neither floor nor any piece: a hand, a cup, a fallen piece."""
    offset_cells: npt.NDArray[np.float32]
    """(cells,) how far off its middle, in cells, a piece stands that has come since; 0 where none has."""
    light: float
    """Brightness over that of the last remembered picture."""
