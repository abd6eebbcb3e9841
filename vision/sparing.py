"""What is read of a look at an arm that has just come to rest over the board: no more than what can be believed then.

Reading all that an arm and its shadow hide takes half a second, and would be held back.
"""

from __future__ import annotations

import numpy as np

from engine.witness import FEW_STRANGE, GONE
from vision.eyes import Eyes
from vision.floor import Flags


def worth_asking(eyes: Eyes, differs: Flags, mine: Flags, near: Flags) -> Flags | None:
    """Of the cells that differ at the last glance those that are worth reading; None for all of them.

    `mine` flags the pieces of the side to move, `near` what is near the arm. All, if a move may have been made away
    from the arm: then one of those has left its cell there, and another cell has changed as well. Otherwise the cells
    from which one seems to have been lifted, and what is beside them, as only there it can be seen that no hand hides
    it.
    """
    bare = eyes.bare(mine)
    away = differs & ~near & (bare & ~near).any()
    seen = eyes.explained(bare | away)
    if np.count_nonzero(away & (seen.looks != eyes.looks)) > 1:
        return None
    asked = bare & (seen.scores[:, 0] - seen.scores[:, 1:].max(axis=1) > GONE)
    asked[[c for cell in np.flatnonzero(asked).tolist() for c in eyes.board.steps[cell] if c >= 0]] = True
    asked &= differs
    return asked if np.count_nonzero(differs & ~asked) > FEW_STRANGE else None
