"""One look at the board as the engine gets it: plain numbers, whatever saw it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sight:
    """One still look at the board, in plain numbers.

    `scores[cell][look]` is the log-likelihood of each look by how the cell looks, up to a constant per cell;
    `change[cell]` the log-likelihood ratio that it holds something else than when it was last taken in, without any
    (): nothing is known of that. `unexplained[cell]` is the probability that no look explains the cell. `unsteady` says
    that much of the board looks otherwise than before (light, blur), `patient` that the same picture has been standing
    long enough to ignore what merely lies there, `rested` that it has been standing longer than hands pause.
    `moving_s` seconds went by between when it was last known what stands in the cells that have changed, and the rest.
    `offset_cells[cell]` says how far off the middle, in cells, a piece stands that has come there; `clear` that no hand
    is over the board. The cells `hidden` are not seen: something moves or lies over them. `stirred`: something has
    moved since the look before, which is then taken in for good, and it has `passed` over these cells; else this is
    another look at the same.
    """

    t: float
    scores: Sequence[Sequence[float]]
    unexplained: Sequence[float] = ()
    patient: bool = False
    unsteady: bool = False
    rested: bool = False
    moving_s: float = math.inf
    offset_cells: Sequence[float] = ()
    clear: bool = False
    hidden: Collection[int] = ()
    change: Sequence[float] = ()
    stirred: bool = False
    passed: Collection[int] = ()
