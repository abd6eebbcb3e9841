"""Which cells are read when more have changed than one look has time for: each in its turn.

A lamp changes every cell at once. What was read in an earlier look and has not stirred since still counts, so that no
cell waits for ever behind others that have changed more.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.reading.appearance import Ints
from vision.reading.level import Reading
from vision.reading.level_readers import LevelReaders
from vision.sight.seeing import SeenBoard
from vision.sight.stillness import Flags
from vision.watch.schedule import ROUNDING_S
from vision.watch.sighted import left_unread

MOST_READ = 36
"""Cells read in one look at most, unless all have been still for a second; the others are as they were read before, or
say nothing. A move with its captures and shadows changes twelve, a hand beside it as many; each takes 2 to 4 ms. Chosen
on drawn games, plain, under noise and under a lamp: one look in twenty takes over 198 to 218 ms, with 60 cells 249 to
267. A game under six hard disturbances came out the same with both in five, with two plies fewer in the sixth. Raising
it makes looks dearer, lowering it shows later what was lifted and what happened under lamps."""


class CellReader:
    """Reads cells, and remembers what was read of which. Mutable."""

    def __init__(self) -> None:
        self._last: Reading | None = None
        self._read_t = np.zeros(0)

    def forget_readings(self) -> None:
        """What was read says nothing any more: the board was learned, or its light."""
        self._last = None

    def read_cells(
        self, eyes: LevelReaders, differs: Flags, seen: SeenBoard, expected: Ints, *, everything: bool
    ) -> tuple[Reading, Flags]:
        """What the cells that differ show, and (cells,) of which of them nothing is known; `everything` reads all."""
        if self._last is None:
            self._read_t = np.full(len(differs), -np.inf)
        holds = differs & (seen.still_s + ROUNDING_S >= seen.t - self._read_t)
        asked = differs if everything else self._choose_cells(differs, holds, eyes)
        reading = eyes.explain_cells(asked)
        kept = holds & ~asked
        if self._last is not None and kept.any():
            reading = _restore_cells(reading, self._last, kept)
        unread = differs & ~asked & ~kept
        self._read_t[asked] = seen.t
        # A cell that is covered for a look and not read in it keeps what was read of it before.
        self._last = reading if self._last is None else _restore_cells(reading, self._last, ~asked)
        return left_unread(reading, unread, expected), unread

    def _choose_cells(self, differs: Flags, holds: Flags, eyes: LevelReaders) -> Flags:
        """Those that are read in this look: such as have not been read first, and of them those that changed most."""
        if int(differs.sum()) <= MOST_READ:
            return differs
        order = np.lexsort((-eyes.grey_changes, holds, ~differs))
        chosen = np.zeros_like(differs)
        chosen[order[:MOST_READ]] = True
        return chosen & differs


def _restore_cells(reading: Reading, before: Reading, kept: Flags) -> Reading:
    """A reading in which the cells `kept` are as in the one before."""

    rows = kept[:, None]
    return replace(
        reading,
        scores=np.where(rows, before.scores, reading.scores),
        looks=np.where(kept, before.looks, reading.looks),
        changed=np.where(kept, before.changed, reading.changed),
        unexplained=np.where(kept, before.unexplained, reading.unexplained),
        offset_cells=np.where(kept, before.offset_cells, reading.offset_cells),
    )
