"""One look at the board as the engine gets it: plain numbers, whatever saw it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

NO_LOOK = -1
"""What a cell holds that is like no look: a head that leans over it, half a hand."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One still look at the board, in plain numbers.

    `scores[cell][look]` is a log-likelihood up to a constant per cell; `unexplained[cell]` the share of the cell that
    no look explains; `unsteady` that much of the board looks otherwise than before (light, blur), `patient` that the
    same picture has been standing long enough to ignore what merely lies there, `rested` that it has been standing
    longer than hands pause. `moving_s` seconds went by between when it was last known what stands in the
    cells that have changed, and the rest.
    `offset_cells[cell]` says how far off the middle, in cells, a piece stands that has come there; `clear` that no hand
    is over the board. The cells `hidden` are not seen: something moves or lies over them.
    `afresh`: nothing has been understood for long, and the picture was read by itself; `stirred`: something has
    moved since the look before, so that it is another picture. `otherwise` are cells that one of two witnesses plainly
    reads otherwise than they stood, with the look that it reads there or NO_LOOK.
    `hand_beside`: an arm rests beside the board, and may hold a piece. `assumed`: a recording is over, and its last
    picture is taken to stand on.
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
    afresh: bool = False
    stirred: bool = False
    otherwise: Collection[tuple[int, int]] = ()
    hand_beside: bool = False
    assumed: bool = False

    @property
    def is_hand_near(self) -> bool:
        """Whether a hand is over the board, or rests beside it."""
        return not self.clear or self.hand_beside

    @property
    def may_accuse(self) -> bool:
        """Whether anybody may be accused of what it shows: not if it was read by itself, or perhaps amid a capture."""
        return not (self.afresh or self.assumed)


class InMotion:
    """Looks taken while something moved, worked out once, when they are first asked for."""

    def __init__(self, work_out: Callable[[], Sequence[Sight]] = tuple) -> None:
        self._work_out = work_out
        self.seen: Sequence[Sight] | None = None
        """None as long as nobody has asked."""

    def __call__(self) -> Sequence[Sight]:
        """The looks."""
        if self.seen is None:
            self.seen = self._work_out()
        return self.seen
