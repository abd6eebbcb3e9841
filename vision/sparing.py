"""What is read of a look at an arm that has just come to rest over the board: no more than what can be believed then.

Reading all that an arm and its shadow hide takes half a second, and would be held back.
"""

from __future__ import annotations

import numpy as np

from engine.witness import FEW_STRANGE
from vision.eyes import Eyes
from vision.floor import Flags


def worth_asking(eyes: Eyes, differs: Flags, near: Flags) -> Flags:
    """Of the cells that differ at the last glance those that must be read; `near` flags what is near the arm.

    All, if a piece may have left its cell away from the arm. Otherwise those from which a piece has surely been lifted,
    and what is beside them, as only there it can be seen that no hand hides it.
    """
    bare = eyes.bare()
    if (bare & ~near).any() and np.count_nonzero(differs & ~near) > 1:
        return differs
    asked = bare & (eyes.explained(bare).looks == 0)
    asked[[c for cell in np.flatnonzero(asked).tolist() for c in eyes.board.steps[cell] if c >= 0]] = True
    asked &= differs
    return asked if np.count_nonzero(differs & ~asked) > FEW_STRANGE else differs
