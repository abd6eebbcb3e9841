"""A reading in the engine's plain numbers: what each cell looks like, and which cells say nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from engine.belief.sight import NO_LOOK, Sight
from vision.reading.appearance import Ints
from vision.reading.level import Reading
from vision.sight.seeing import SeenBoard
from vision.sight.stillness import Flags

UNSEEN = 6.0
"""Score against any other content of a cell that is not seen than what stood there: a move is not believed by what
nobody sees. Raising it lets hidden cells rule moves out; at 2 a lifted piece is taken for one that was put down."""
UNREAD = 4.0
"""The same for a cell that is seen and was not among those read in time: it has changed less than they have. Raising it
lets cells that nobody has read rule moves out; lowering it makes a lamp that changes the whole board hold up a move."""
SURELY_SEEN = 0.2
"""Share of a cell that nothing explains, up to which it is seen beside a resting arm: floor and pieces in their usual
pose stay under it."""
SURELY_AS_BEFORE = 12.0
"""A cell that has changed is learned as still showing what it did, as soon as it is seen, if that leads by so much.
What leads by less may be half of a movement that noise draws out: it is learned when it has been at rest for a second
and no hand is near. Raising it reads cells again that a shadow has crossed; lowering it learns a piece that leaves."""
FLOOR_SHADES = np.linspace(0.6, 1.0, 9)
"""A floor beside a hand is shaded so far. With darker shades more arms pass for shaded floors, with fewer a lifted
piece whose cell lies in the hand's shadow is not told. Guessed, and tried on the films of ARM_LEAD."""
ARM_LEAD = 8.0
"""Grey levels by which a cell that seems empty is nearer to the colour of an arm than to any floor to be under it.
Raising it lights hints of pieces that lie under an arm over maple, lowering it puts out those of pieces that were
lifted beside an arm of the floor's colour. On films of 18 pieces under arms of three skins such cells were ahead by 17
and more, on 24 lifted pieces of another renderer by 5 at most."""
ARM_SAMPLES = 200
"""Blocks of an arm that a cell is held against. Raising it takes longer and tells no more, lowering it may leave out
some of the shades of a round arm. Guessed."""
SCORE_DECIMALS = 2
"""Of scores, and of shares and lengths in cells: a hundredth of a nat decides nothing, and traces replay exactly."""


def hidden_cells(reading: Reading, expected: Ints, seen: SeenBoard) -> Flags:
    """(cells,) that say nothing: not readable, beside a resting arm and neither empty nor as before, or empty and of
    the colour of an arm.

    What shows its floor, or the piece that stood there, is seen; what seems to have come may still be held.
    """
    best = reading.scores.argmax(axis=1)  # cells beside one that shows another look are not always settled with it
    came = ((reading.looks > 0) & (reading.looks != expected)) | ((best > 0) & (best != expected))
    hidden = ~seen.readable | (seen.reached & (came | (reading.unexplained > SURELY_SEEN)))
    return np.asarray(hidden | _find_arm_coloured(seen, (best == 0) & (expected > 0), (best == 0) & (expected == 0)))


def _find_arm_coloured(seen: SeenBoard, emptied: Flags, bare: Flags) -> Flags:
    """(cells,) of the `emptied` ones that are more like an arm than like any `bare` cell that none is near: a bare arm
    over a floor of its own brightness looks like the cell of a piece that was lifted."""
    like, floors = np.zeros_like(emptied), bare & seen.readable & ~seen.reached
    if not (len(seen.arm) and emptied.any() and floors.any()):
        return like
    shaded = np.multiply.outer(FLOOR_SHADES, seen.middles[floors]).reshape(-1, 3)
    arm = seen.arm[:: max(1, len(seen.arm) // ARM_SAMPLES)]
    for cell in np.flatnonzero(emptied):
        from_floor, from_arm = (np.linalg.norm(known - seen.middles[cell], axis=1).min() for known in (shaded, arm))
        like[cell] = from_arm + ARM_LEAD < from_floor
    return like


def held_cells(reading: Reading, within_grasp: Flags) -> tuple[tuple[int, int], ...]:
    """Cells that have changed within the grasp of an arm, each like no look: what seems to stand there may be held."""
    return tuple((cell, NO_LOOK) for cell in flagged_cells(reading.changed & within_grasp))


def half_shown_cells(reading: Reading, expected: Ints) -> Flags:
    """(cells,) that have changed and do not surely show what is expected there."""
    others = reading.scores.copy()
    every = np.arange(len(expected))
    others[every, expected] = -np.inf
    return np.asarray(reading.changed & (reading.scores[every, expected] - others.max(axis=1) < SURELY_AS_BEFORE))


def left_unread(reading: Reading, unread: Flags, expected: Ints) -> Reading:
    """A reading without the cells that there was no time for: they are probably as they were."""
    if not unread.any():
        return reading
    scores, looks = reading.scores.copy(), reading.looks.copy()
    scores[unread] = -UNREAD
    scores[unread, expected[unread]] = 0.0
    looks[unread] = expected[unread]
    return replace(reading, scores=scores, looks=looks)


def sight_of(t: float, reading: Reading, expected: Ints, unseen: Flags) -> Sight:
    """What a reading shows; cells that are `unseen` are as they were, or hardly anything else."""
    scores = reading.scores.astype(np.float64)
    scores[unseen] = -UNSEEN
    scores[unseen, expected[unseen]] = 0.0
    unexplained = np.where(unseen, 0.0, reading.unexplained)
    offset_cells = np.where(unseen, 0.0, reading.offset_cells)
    return Sight(
        t,
        _round_scores(scores).tolist(),
        _round_scores(unexplained).tolist(),
        offset_cells=_round_scores(offset_cells).tolist(),
        hidden=flagged_cells(unseen),
    )


def flagged_cells(flags: Flags) -> tuple[int, ...]:
    """The cells that are flagged."""
    return tuple(int(cell) for cell in np.flatnonzero(flags))


def _round_scores(numbers: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    return np.asarray(np.round(numbers.astype(np.float64), SCORE_DECIMALS), np.float64)
