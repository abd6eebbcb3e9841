"""Reads the cells of all levels from a picture that teaches itself: by its fellows in it, and by its own past.

This is how the board is read where what was remembered of it explains nothing any more: in another light, after
something lay before the camera. Vision knows no rules: the caller says what is believed to stand on the board.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from calibration.view import View
from engine.board import Board
from vision.ground import Picture, ground_of
from vision.reading.appearance import Ints
from vision.reading.floor import Flags
from vision.reading.level import Reading
from vision.taught.change import Nats, Neighbourhood, change_nats
from vision.taught.features import Features, features_of
from vision.taught.looks_by_floor import Contrasts, LooksByFloor, LookTable
from vision.taught.patches import SIDE, Cutter, PicturePatches

READING_ROUNDS = 2
"""The picture is read so many times, each time taught by what was read the time before: a ply leaves two cells and more
mislabelled in the first."""
PIECE_LEVELS = 12.0
"""Grey levels by which a sample of a piece differs from the floor around it at least."""
HALF_ODD = 0.5
"""A cell that is more probably no look than one is left as it is believed: it teaches nothing."""
MIDDLE_CELLS = (np.arange(SIDE) + 0.5) / SIDE - 0.5
"""Where each sample of a patch lies, from its middle."""


class _Level:
    """The cells of one level. Mutable."""

    def __init__(self, board: Board, view: View, cells: Ints, looks: int) -> None:
        centres = np.array(board.centres_xy)[cells]
        castles = {board.index[name] for names in board.castles.values() for name in names}
        floor = np.array([len(board.directions) if int(c) in castles else board.tones[int(c)] for c in cells])
        self.floor = np.unique(floor, return_inverse=True)[1].astype(np.int64)
        self.cells = cells
        self.cutter = Cutter(centres, ground_of(view).shape)
        self.around = Neighbourhood(centres)
        self.fellows = LooksByFloor(self.floor, looks)
        self.before: PicturePatches | None = None
        self.stood = np.zeros(len(cells), np.int64)
        self.known = np.zeros(len(cells), bool)
        """Cells of which it is taken in how they looked."""

    def measure_change(self, cut: PicturePatches, seen: Flags) -> tuple[Nats, float]:
        """(cells,) nats for a change since each cell was taken in, and the brightness over that of then."""
        if self.before is None:
            return np.zeros(len(self.cells), np.float32), 1.0
        compared = seen & self.known
        light = self.around.light_factors(cut.sharp, self.before.sharp, compared)
        brighter = float(1 / np.median(light)) if compared.any() else 1.0
        return change_nats(cut, self.before, light, compared), brighter

    def learn_cells(self, cut: PicturePatches, looks: Ints, cells: Flags) -> None:
        """So these `cells` look with these looks in them."""
        self.fellows.learn_features(features_of(cut.sharp), looks, cells)
        if self.before is None:
            self.before = PicturePatches(cut.sharp.copy(), cut.smooth.copy())
        for before, now in ((self.before.sharp, cut.sharp), (self.before.smooth, cut.smooth)):
            before[cells] = now[cells]
        self.stood = np.where(cells, looks, self.stood)
        self.known = self.known | cells

    def piece_offsets(self, cut: PicturePatches, looks: Ints, settled: Flags) -> Nats:
        """(cells,) how far each piece's middle is off where those that are `settled` have theirs, in cells."""
        out = np.zeros(len(self.cells), np.float32)
        if not (settled & (looks > 0)).any():
            return out
        middles = np.full((len(self.cells), 2), np.nan)
        for floor in np.unique(self.floor):
            here = self.floor == floor
            bare = cut.smooth[here & (looks == 0)]
            if not len(bare):
                continue
            typical = np.median(bare, axis=0)
            for cell in np.flatnonzero(here & (looks > 0)).tolist():
                apart = np.maximum(np.abs(cut.smooth[cell] - typical).max(axis=2) - PIECE_LEVELS, 0.0)
                total = float(apart.sum())
                if total > 0:
                    middles[cell] = (
                        (apart.sum(axis=0) @ MIDDLE_CELLS) / total,
                        (apart.sum(axis=1) @ MIDDLE_CELLS) / total,
                    )
        seen = settled & (looks > 0) & ~np.isnan(middles[:, 0])
        if seen.any():
            pieces = (looks > 0) & ~np.isnan(middles[:, 0])
            out[pieces] = np.linalg.norm(middles[pieces] - np.median(middles[seen], axis=0), axis=1)
        return out


class TaughtReader:
    """The cells of a board. Mutable: it keeps how they looked."""

    def __init__(self, board: Board, views: Sequence[View], looks: int) -> None:
        """`looks` counts the looks of the game, empty among them."""
        self._count, self._looks = len(board.cells), looks
        levels = np.array(board.levels)
        parts = [(view, np.flatnonzero(levels == k)) for k, view in enumerate(views)]
        self._levels = [_Level(board, view, cells, looks) for view, cells in parts]

    def read_cells(self, pictures: Sequence[Picture], clear: Flags, believed: Ints, *, places: bool = False) -> Reading:
        """What ground pictures, one a level, show in the cells that are `clear`; `believed` (cells,) looks teach.

        How far off their middles pieces stand is only measured where their `places` are asked for: it takes a quarter
        of the time."""
        looks = np.asarray(believed).copy()
        scores = np.zeros((self._count, self._looks), np.float32)
        odd, change, offset = np.zeros((3, self._count), np.float32)
        stood, brighter = np.zeros(self._count, np.int64), list[float]()
        patches = [level.cutter.cut_patches(picture) for level, picture in zip(self._levels, pictures, strict=True)]
        shown = [features_of(cut.sharp) for cut in patches]
        for level, cut in zip(self._levels, patches, strict=True):
            mine, seen = level.cells, clear[level.cells]
            nats, light = level.measure_change(cut, seen)
            brighter.append(light)
            change[mine], stood[mine] = np.where(level.known, nats, 0.0), level.stood
        lent: Contrasts = {}
        for _ in range(READING_ROUNDS):
            taught = looks.copy()
            for level, features in zip(self._levels, shown, strict=True):
                mine, seen = level.cells, clear[level.cells]
                table, unlike = level.fellows.compare_features(features, taught[mine], seen, lent)
                rows = _with_past(table, change[mine], level.stood, level.known)
                scores[mine], odd[mine] = rows * (1 - unlike)[:, None], unlike
                looks[mine] = np.where(seen & (unlike < HALF_ODD), rows.argmax(axis=1), taught[mine])
            lent = self._measure_lent(shown, clear, looks)
            if not lent and np.array_equal(looks, taught):
                break  # the same again would teach the same
        if places:
            for level, cut in zip(self._levels, patches, strict=True):
                mine = level.cells
                offset[mine] = level.piece_offsets(cut, looks[mine], clear[mine] & (change[mine] < 0))
        changed = clear & ((change > 0) | (looks != stood))
        return Reading(
            scores,
            looks,
            changed,
            np.where(clear, odd, 0.0).astype(np.float32),
            np.where(changed, offset, 0.0).astype(np.float32),
            float(np.median(brighter)),
        )

    def _measure_lent(self, shown: Sequence[Features], clear: Flags, looks: Ints) -> Contrasts:
        """How looks that only some levels have seen differ from empty cells there; none where all have seen the same:
        the first piece of a side that comes to a level is like nothing on it."""
        known = [level.fellows.known_looks for level in self._levels]
        missed = np.any(known, axis=0) & ~np.all(known, axis=0)
        told = [
            level.fellows.measure_contrasts(features, looks[level.cells], clear[level.cells])
            for level, features in zip(self._levels, shown, strict=True)
            if missed.any()
        ]
        of_look = {look: [one[look] for one in told if look in one] for look in np.flatnonzero(missed).tolist()}
        return {look: np.mean(found, axis=0).astype(np.float32) for look, found in of_look.items() if found}

    def learn_cells(self, pictures: Sequence[Picture], looks: Ints, cells: Flags) -> None:
        """So these `cells` look, and hold these `looks`."""
        for level, picture in zip(self._levels, pictures, strict=True):
            level.learn_cells(level.cutter.cut_patches(picture), looks[level.cells], cells[level.cells])

    def knows_looks(self, looks: Ints) -> Flags:
        """(cells,) whether each of these `looks` has been seen on the level of its cell: a level may begin with the
        pieces of one side alone, and those of the other are like nothing there."""
        known = np.zeros(self._count, bool)
        for level in self._levels:
            known[level.cells] = level.fellows.known_looks[looks[level.cells]]
        return known


def _with_past(table: LookTable, nats: Nats, stood: Ints, known: Flags) -> npt.NDArray[np.float32]:
    """Scores by looks and by change: what differs from what stood there has changed."""
    other = np.arange(table.shape[1]) != stood[:, None]
    rows = np.asarray(table + np.where(other & known[:, None], nats[:, None], 0.0), np.float32)
    return np.asarray(rows - rows.max(axis=1, keepdims=True), np.float32)
