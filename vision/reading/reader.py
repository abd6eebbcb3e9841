"""Reads the cells of all levels of a board: what each shows, by its fellows in the picture and by its own past.

Vision knows no rules: the caller says what is believed to stand on the board, the reader says what a picture shows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from calibration.view import View
from engine.board import Board
from vision.ground import Picture, ground_of
from vision.reading.change import Nats, Neighbourhood, change_nats
from vision.reading.features import features_of
from vision.reading.fellows import Fellows, Ints, Table
from vision.reading.patches import SIDE, Cut, Cutter
from vision.reading.reading import PLAIN_CHANGE, PLAIN_SCORE, Flags, Reading

STIRRED_BY_ITSELF = -4.0
"""Nats against a change of a cell over which nothing has passed since it was taken in: things do not move by
themselves, but a hand may go by between two frames. Lower misses what moved unseen, higher believes shadows."""
PLAIN_BY, PLAIN_BELOW = 4.0, -4.0
"""A cell that shows what stood there by so much, and has changed by less, is said to be plainly unchanged: traces stay
small. Lowering the first or raising the second loses doubts."""
ROUNDS = 2
"""The picture is read so many times, each time taught by what was read the time before: a ply leaves two cells and more
mislabelled in the first."""
OFF_LEVELS = 12.0
"""Grey levels by which a sample of a piece differs from the floor around it at least."""
MIDDLE = slice(SIDE // 4, -(SIDE // 4))
HALF_ODD = 0.5
HALF = (np.arange(SIDE) + 0.5) / SIDE - 0.5


class _Level:
    """The cells of one level. Mutable."""

    def __init__(self, board: Board, view: View, cells: Ints, looks: int) -> None:
        centres = np.array(board.centres_xy)[cells]
        castles = {board.index[name] for names in board.castles.values() for name in names}
        floor = np.array([len(board.directions) if int(c) in castles else board.tones[int(c)] for c in cells])
        floor = np.unique(floor, return_inverse=True)[1].astype(np.int64)
        self.cells = cells
        self.cutter = Cutter(centres, ground_of(view).shape)
        self.around = Neighbourhood(centres)
        self.fellows = Fellows(floor, looks)
        self.floor = floor
        self.before: Cut | None = None
        self.stood = np.zeros(len(cells), np.int64)
        self.known = np.zeros(len(cells), bool)
        """Cells of which it is taken in how they looked."""
        self.now: Cut | None = None
        self.light = 1.0

    def changed(self, cut: Cut, seen: Flags) -> Nats:
        """(cells,) nats for a change since each cell was taken in."""
        if self.before is None:
            return np.zeros(len(self.cells), np.float32)
        compared = seen & self.known
        light = self.around.light(cut.sharp, self.before.sharp, compared)
        self.light = float(1 / np.median(light)) if compared.any() else 1.0
        return change_nats(cut, self.before, light, compared)

    def take_in(self, looks: Ints, cells: Flags) -> None:
        """So these cells look with these looks in them."""
        if self.now is None:
            return
        if self.before is None:
            self.before = Cut(self.now.sharp.copy(), self.now.smooth.copy())
        for before, now in ((self.before.sharp, self.now.sharp), (self.before.smooth, self.now.smooth)):
            before[cells] = now[cells]
        self.stood = np.where(cells, looks, self.stood)
        self.known = self.known | cells

    def offsets(self, looks: Ints, settled: Flags) -> Nats:
        """(cells,) how far each piece's middle is off where those that are `settled` have theirs, in cells."""
        out = np.zeros(len(self.cells), np.float32)
        if self.now is None or not (settled & (looks > 0)).any():
            return out
        middles = np.full((len(self.cells), 2), np.nan)
        for floor in np.unique(self.floor):
            here = self.floor == floor
            bare = self.now.smooth[here & (looks == 0)]
            if not len(bare):
                continue
            typical = np.median(bare, axis=0)
            for cell in np.flatnonzero(here & (looks > 0)).tolist():
                apart = np.maximum(np.abs(self.now.smooth[cell] - typical).max(axis=2) - OFF_LEVELS, 0.0)
                total = float(apart.sum())
                if total > 0:
                    middles[cell] = (apart.sum(axis=0) @ HALF) / total, (apart.sum(axis=1) @ HALF) / total
        usual = np.nanmedian(middles[settled & (looks > 0)], axis=0)
        pieces = (looks > 0) & ~np.isnan(middles[:, 0])
        out[pieces] = np.linalg.norm(middles[pieces] - usual, axis=1)
        return out


class Reader:
    """The cells of a board. Mutable: it keeps how they looked."""

    def __init__(self, board: Board, views: Sequence[View], looks: int) -> None:
        """`looks` counts the looks of the game, empty among them."""
        self._count, self._looks = len(board.cells), looks
        levels = np.array(board.levels)
        parts = [(view, np.flatnonzero(levels == k)) for k, view in enumerate(views)]
        self._levels = [_Level(board, view, cells, looks) for view, cells in parts]

    @property
    def stood(self) -> Ints:
        """(cells,) the looks that are taken in."""
        out = np.zeros(self._count, np.int64)
        for level in self._levels:
            out[level.cells] = level.stood
        return out

    def read(
        self,
        pictures: Sequence[Picture],
        clear: Flags,
        passed: Flags,
        believed: Ints,
        *,
        by_past: bool = True,
        rounds: int = ROUNDS,
    ) -> Reading:
        """What ground pictures, one a level, show in the cells that are `clear`.

        `passed` (cells,) flags those over which something has passed since they were taken in; `believed` (cells,) are
        the looks that teach. Unless `by_past` every cell is told by its fellows alone.
        """
        looks = np.asarray(believed).copy()
        scores = np.zeros((self._count, self._looks), np.float32)
        odd, change, offset = np.zeros((3, self._count), np.float32)
        for level, picture in zip(self._levels, pictures, strict=True):
            mine, seen = level.cells, clear[level.cells]
            level.now = cut = level.cutter.cut(picture)
            features = features_of(cut.sharp)
            nats = level.changed(cut, seen) + np.where(passed[mine], 0.0, STIRRED_BY_ITSELF)
            for _ in range(rounds):
                table, unlike = level.fellows.compare(features, looks[mine], seen)
                rows = _with_past(table, nats, level.stood, level.known) if by_past else table
                looks[mine] = np.where(seen & (unlike < HALF_ODD), rows.argmax(axis=1), looks[mine])
            scores[mine], odd[mine] = table * (1 - unlike)[:, None], unlike
            change[mine] = np.where(level.known, nats * (1 - unlike), 0.0)
            offset[mine] = level.offsets(looks[mine], seen & (nats < 0))
        changed = clear & ((change > 0) | (looks != self.stood))
        every = np.arange(self._count)
        others = np.where(np.arange(self._looks) == looks[:, None], -np.inf, scores).max(axis=1)
        if by_past:
            plain = ~changed & (scores[every, looks] - others > PLAIN_BY) & (change < PLAIN_BELOW)
            scores[plain], change[plain] = PLAIN_SCORE, PLAIN_CHANGE
            scores[every[plain], looks[plain]] = 0.0
        light = float(np.median([level.light for level in self._levels]))
        return Reading(scores, change, looks, changed, odd, np.where(changed, offset, 0.0).astype(np.float32), light)

    def typical_colours(self, looks: Ints) -> npt.NDArray[np.float32]:
        """(looks, 3) the median BGR of the cells that are taken to hold each look, in the pictures read last; 0 for none."""
        cuts = [(level.now.sharp, looks[level.cells]) for level in self._levels if level.now is not None]
        patches, held = (np.concatenate(parts) for parts in zip(*cuts, strict=True))
        middle = patches[:, MIDDLE, MIDDLE].reshape(len(patches), -1, 3)
        out = np.zeros((self._looks, 3), np.float32)
        for look in np.unique(held).tolist():
            out[look] = np.median(middle[held == look].reshape(-1, 3), axis=0)
        return out

    def take_in(self, looks: Ints, cells: Flags) -> None:
        """The pictures that were read last are how these `cells` look from now on, and hold these `looks`."""
        for level in self._levels:
            mine = level.cells
            level.take_in(looks[mine], cells[mine])

    def learn(self, looks: Ints, clear: Flags) -> None:
        """The pictures that were read last show what these looks look like."""
        for level in self._levels:
            if level.now is not None:
                level.fellows.learn(features_of(level.now.sharp), looks[level.cells], clear[level.cells])


def _with_past(table: Table, nats: Nats, stood: Ints, known: Flags) -> npt.NDArray[np.float32]:
    """Scores by looks and by change, to teach by: what differs from what stood there has changed."""
    other = np.arange(table.shape[1]) != stood[:, None]
    return np.asarray(table + np.where(other & known[:, None], nats[:, None], 0.0), np.float32)
