"""A reading in the engine's plain numbers: what each cell looks like, and which cells say nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.belief.sight import Sight
from vision.reading.fellows import Ints
from vision.reading.reading import Reading
from vision.sight.stillness import Flags

SURELY_SEEN = 0.2
"""Share of a cell that nothing explains, up to which it is seen beside a resting arm: floor and pieces in their usual
pose stay under it."""
SCORE_DECIMALS = 2
"""Of scores, and of shares and lengths in cells: a hundredth of a nat decides nothing, and traces replay exactly."""


def hidden(reading: Reading, expected: Ints, readable: Flags, reached: Flags) -> Flags:
    """(cells,) that say nothing: not readable, or beside a resting arm and neither empty nor as before.

    What shows its floor, or the piece that stood there, is seen; what seems to have come may still be held.
    """
    best = reading.scores.argmax(axis=1)  # cells beside one that shows another look are not always settled with it
    came = ((reading.looks > 0) & (reading.looks != expected)) | ((best > 0) & (best != expected))
    return np.asarray(~readable | (reached & (came | (reading.unexplained > SURELY_SEEN))))


def sight_of(t: float, reading: Reading, unseen: Flags) -> Sight:
    """What a reading shows; of cells that are `unseen` nothing is known."""
    scores, change = reading.scores.astype(np.float64), reading.change.astype(np.float64)
    scores[unseen], change[unseen] = 0.0, 0.0
    unexplained = np.where(unseen, 0.0, reading.unexplained)
    offset_cells = np.where(unseen, 0.0, reading.offset_cells)
    return Sight(
        t,
        _rounded(scores).tolist(),
        _rounded(unexplained).tolist(),
        offset_cells=_rounded(offset_cells).tolist(),
        hidden=flagged(unseen),
        change=_rounded(change).tolist(),
    )


def flagged(flags: Flags) -> tuple[int, ...]:
    """The cells that are flagged."""
    return tuple(int(cell) for cell in np.flatnonzero(flags))


def _rounded(numbers: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    return np.asarray(np.round(numbers.astype(np.float64), SCORE_DECIMALS), np.float64)
