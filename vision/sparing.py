"""What is read of a look at an arm that has just come to rest over the board: no more than what can be believed then.

Reading all that an arm and its shadow hide takes half a second, and would be held back.
"""

from __future__ import annotations

import numpy as np

from engine.witness import FEW_STRANGE, GONE
from vision.eyes import Eyes
from vision.floor import Flags


def worth_asking(eyes: Eyes, differs: Flags, mine: Flags, near: Flags) -> Flags:
    """Of the cells that differ at the last glance those that must be read.

    `mine` flags the pieces of the side to move, `near` what is near the arm. All, if one of those may have left its
    cell away from the arm. Otherwise the cells from which one seems to have been lifted, and what is beside them, as
    only there it can be seen that no hand hides it.
    """
    bare = eyes.bare(mine)
    if (bare & ~near).any() and np.count_nonzero(differs & ~near) > 1:
        return differs
    scores = eyes.explained(bare).scores
    asked = bare & (scores[:, 0] - scores[:, 1:].max(axis=1) > GONE)
    asked[[c for cell in np.flatnonzero(asked).tolist() for c in eyes.board.steps[cell] if c >= 0]] = True
    asked &= differs
    return asked if np.count_nonzero(differs & ~asked) > FEW_STRANGE else differs
