"""Were the pieces put up again? After a long game most of the board has changed: that is seen as before a first game.

Eyes that have learned a board while pieces left and came misread a cell or two when all of it changes at once. The
check of the start position learns nothing before and looks at every cell by itself: it misreads others. A cell that
only one of the two doubts has no veto.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.match.state import Match
from vision.reading.appearance import Ints
from vision.sight.seeing import SeenBoard
from vision.watch.beginning import BeginCheck, Beginning, Begun

MANY_CELLS = 8
"""The start position is looked for where it is so many cells from the last one: four plies. From nearer it is judged
like all else. Raising it asks about starts that are misread in a cell, lowering it takes time in games of few plies."""
MOSTLY_START = 0.75
"""... and so much of that shows the start position already. In filmed evenings one to six of thirty such cells were
misread. Raising it asks about starts that stand, lowering it takes time for boards that are something else."""


DOUBTED = 0.02
"""... and so many of all cells may seem wrong to the check, if they do not to the eyes: the start holds at 98 %.
Raising it begins games from boards that are not set up, lowering it asks about starts that stand: in one film of nine
the check doubted three cells of 160, all of them right."""


class RepeatedLooks:
    """What the looks at a board that nothing explains have done so far. Mutable."""

    def __init__(self) -> None:
        self._beginning = Beginning()
        self._refuted_t = -1.0
        """When the start was seen not to stand: until something stirs it does not."""

    def advance_check(
        self, match: Match, looks: Ints, unseen: Sequence[int], seen: SeenBoard, anew: BeginCheck
    ) -> Begun | None:
        """Do the next part of the check, if the start may stand; what it came to where it surely stands. Of `unseen`
        looks no piece is known to the eyes: they may take one for any other."""
        rested_t = seen.t - float(np.min(seen.still_s))
        start, now = (
            np.array([match.game.look_of[piece] for piece in position.placement])
            for position in (match.first_position, match.position)
        )
        apart, odd = int((start != now).sum()), (looks != start) & ~(np.isin(start, unseen) & (looks > 0))
        if rested_t < self._refuted_t or apart < MANY_CELLS or odd.sum() > (1 - MOSTLY_START) * apart:
            return None
        begun = self._beginning.advance_check(seen, anew)
        if begun is not None and (odd[list(begun.wrong)].any() or len(begun.wrong) > DOUBTED * len(start)):
            self._refuted_t = seen.t
            return None
        return begun
