"""Does the board stand as the game expects? Asked before anything is learned, for every cell by itself.

What each cell would be read as is asked from what all the others teach: the floor of its like, and the look of the
pieces that are expected elsewhere. So a piece that is missing, one too many or on the next cell stands out, as does a
hand, which is neither floor nor piece.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.floor import Flags
from vision.looks import Ints
from vision.read import Reader
from vision.scene import Scene

CHUNK = 24
"""Cells asked together: what they need is a third of a megabyte each."""


@dataclass(frozen=True)
class Standing:
    """(cells,) by how much the expected content scores better than any other, what it looks like best, and the share
    of it that nothing explains."""

    margin: npt.NDArray[np.float32]
    looks: Ints
    strange: npt.NDArray[np.float32]


def standing(reader: Reader, pieces: Ints) -> Standing:
    """How each cell of the picture that `reader` was made from agrees with `pieces`."""
    unbiased = copy(reader)
    unbiased.floor = copy(reader.floor)
    unbiased.floor.colour = reader.floor.clean
    unbiased.floor.known = np.zeros_like(reader.floor.known)
    labels = reader.look_table[pieces]
    count = len(pieces)
    margin, strange = np.zeros((2, count), np.float32)
    looks = np.zeros(count, np.int64)
    for first in range(0, count, CHUNK):
        active: Flags = np.zeros(count, bool)
        active[first : first + CHUNK] = True
        scene = Scene(unbiased, labels.copy(), active)
        for c in range(first, min(first + CHUNK, count)):
            scores, strange[c] = scene.alone(c)
            expected = float(scores[labels[c]])
            others = np.delete(scores, labels[c])
            margin[c] = expected - others.max()
            looks[c] = int(np.argmax(scores))
    return Standing(margin, looks, strange)
