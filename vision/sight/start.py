"""Does the board stand as the game expects? Asked before anything is learned, for every cell by itself.

What each cell would be read as is asked from what all the others teach: the floor of its like, and the look of the
pieces that are expected elsewhere. So a piece that is missing, one too many or on the next cell stands out, as does a
hand, which is neither floor nor piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.board import Board
from vision.floor import Flags
from vision.looks import Ints
from vision.read import Reader
from vision.scene import Scene

CHUNK = 24
"""Cells asked together: what they need is a third of a megabyte each."""
MISSING_BELOW, STRAY_BELOW = -3.0, -8.5
"""An empty cell fits better than the piece that should stand there by this much, or a piece better than it.
In 26 drawn starts under several disturbances a missing piece had -3.7 and less, right ones -1.3 and more; a piece too
many had -9.5 and less in 24, -5.8 and -6.2 in two. Brown wood in another grain looks like a white piece by up to -7.2
on film. Raising them calls more boards not set up, lowering them calls some ready that are not."""
OTHER_SIDE_BELOW = -8.0
"""A piece looks like one of another side by this much. A wooden knight in its own shadow had -5.6 on film; two
pieces of two sides that were exchanged -8.9 and -18.5."""
SURELY = 1.5
"""In the middle case a piece must be seen, and be of its side, by this much: an empty board has 0.3 and less, those
starts 4 and more."""
INEXPLICABLE, SHADED, FEW_SHADED = 0.85, 0.6, 2
"""Share of a cell's base that neither floor nor piece explains: a hand leaves nothing explained of a cell. The long
shadow of a row of pieces on a cell beside it had 0.75, a printed castle 0.53; more than so many cells with so much are
a hand as well."""
TWO_SIDES = 3
"""Looks of a game of two: empty, light, dark."""
BODY = 0.6


@dataclass(frozen=True)
class Standing:
    """(cells,) by how much it scores better that something stands there, or nothing, as expected, than the other; that
    it is of the expected side than of another; and the share of it that nothing explains."""

    margin: npt.NDArray[np.float32]
    side: npt.NDArray[np.float32]
    strange: npt.NDArray[np.float32]


def standing(reader: Reader, pieces: Ints) -> Standing:
    """How each cell of the picture that `reader` was made from agrees with `pieces`."""
    unbiased = copy(reader)
    unbiased.floor = copy(reader.floor)
    unbiased.floor.colour = unbiased.floor.clean = reader.floor.without_itself()
    unbiased.floor.known = np.zeros_like(reader.floor.known)
    labels = reader.look_table[pieces]
    count = len(pieces)
    margin, side, strange = np.zeros((3, count), np.float32)
    for first in range(0, count, CHUNK):
        active: Flags = np.zeros(count, bool)
        active[first : first + CHUNK] = True
        scene = Scene(unbiased, labels.copy(), active)
        for c in range(first, min(first + CHUNK, count)):
            scores, strange[c] = scene.alone(c)
            filled = float(scores[1:].max() - scores[0])
            margin[c] = filled if labels[c] else -filled
            others = np.delete(scores[1:], labels[c] - 1) if labels[c] else scores[:0]
            side[c] = scores[labels[c]] - others.max(initial=-np.inf) if len(others) else np.inf
    return Standing(margin, side, strange)


def wrong_cells(
    board: Board, readers: Sequence[tuple[npt.NDArray[np.intp], Reader]], pieces: Sequence[int]
) -> list[int]:
    """Cells of the first picture that do not agree with `pieces`; all occupied ones if the sides are exchanged."""
    placed = np.asarray(pieces, np.int64)
    wrong: list[int] = []
    levels = [(standing(reader, placed[cells]), cells) for cells, reader in readers]
    for found, cells in levels:
        plain = ~_printed(board, cells, placed)
        limit = np.where(placed[cells] > 0, MISSING_BELOW, STRAY_BELOW)
        off = (found.margin < limit) | (found.side < OTHER_SIDE_BELOW) | _covered(found.strange * plain)
        off &= plain
        wrong += cells[off].tolist()
    if not any(_shown(found, placed[cells]) for found, cells in levels):
        return np.flatnonzero(placed).tolist()
    if not wrong and any(_exchanged(reader, placed[cells]) for cells, reader in readers):
        wrong = np.flatnonzero(placed).tolist()
    return sorted(wrong)


def _covered(strange: npt.NDArray[np.float32]) -> Flags:
    """Cells over which a hand lies."""
    shaded = strange > SHADED
    return np.asarray(shaded if int(shaded.sum()) > FEW_SHADED else strange > INEXPLICABLE)


def _shown(found: Standing, pieces: Ints) -> bool:
    """Whether pieces stand there at all, and of sides that can be told apart: an empty board looks like its own."""
    filled = pieces > 0
    if not filled.any():
        return False
    return bool(np.median(found.margin[filled]) > SURELY and np.median(found.side[filled]) > SURELY)


def _printed(board: Board, cells: npt.NDArray[np.intp], placed: Ints) -> Flags:
    """Castles in which nothing should stand: what is printed in them is like no other cell."""
    castles = {board.index[name] for names in board.castles.values() for name in names}
    return np.array([int(c) in castles and not placed[c] for c in cells])


def _exchanged(reader: Reader, pieces: Ints) -> bool:
    """Whether the pieces called light are darker than those called dark (two sides only)."""
    looks = reader.look_table[pieces]
    if reader.look_count != TWO_SIDES or not ((looks == 1).any() and (looks == TWO_SIDES - 1).any()):
        return False
    base = reader.prints.silhouette(0.25, 0.3) > BODY
    brightness = reader.patches[:, base].mean(axis=(1, 2))
    return bool(np.median(brightness[looks == 1]) < np.median(brightness[looks == TWO_SIDES - 1]))
