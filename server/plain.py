"""What was read of a picture in the engine's plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.sight import Sight
from vision.eyes import WIDESPREAD
from vision.read import Reading
from vision.settle import Look

DECIMALS = 2
"""Of scores, and of shares and lengths in cells: a hundredth of a nat decides nothing."""


def sight_of(look: Look, reading: Reading, reached: Sequence[bool], rested: bool) -> Sight:
    """A look and its reading; `reached` are the cells near an arm."""
    return replace(
        plain(look.t, reading),
        patient=look.patient,
        unsteady=float(reading.changed.mean()) > WIDESPREAD,
        rested=rested,
        moving_s=look.moving_s,
        reached=reached,
    )


def plain(t: float, reading: Reading) -> Sight:
    """A reading alone. Its numbers are rounded before anything is judged, so that a trace of them gives the same."""
    scores, strange, askew = (
        np.round(numbers.astype(np.float64), DECIMALS).tolist()
        for numbers in (reading.scores, reading.strange, reading.askew)
    )
    return Sight(t, scores, strange, askew=askew)
