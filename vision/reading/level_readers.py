"""All levels of a board through one camera: readings of the whole board, and what to do when everything changes.

Vision knows no rules: the caller says what stands on the board, these eyes say what a picture shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.lattice import Fit, assess_view
from calibration.view import View
from engine.board import Board
from vision.ground import Image, Picture, ground_of
from vision.reading.appearance import Ints
from vision.reading.floor import Flags
from vision.reading.level import Reader, Reading
from vision.reading.outlines import BodySize, fit_outlines
from vision.reading.track import (
    MOVED_PX,
    NO_HOMOGRAPHY,
    SURE_SHARE,
    TrackedPicture,
    carry_by_homography,
    follow_view,
    measure_movement,
    movement_certainty,
)

WIDESPREAD = 0.25
"""Share of changed cells from which it is not the pieces that changed: a move changes up to 0.12 with its shadows."""
LOST_FIT = 45
"""A followed grid that scores less than this is not the board."""


@dataclass(frozen=True)
class CameraShift:
    """The camera was bumped; `fit` is the score of the board found again, None if it was not."""

    fit: int | None


class LevelReaders:
    """Readers of all levels. Mutable, owned by the main loop."""

    def __init__(
        self,
        board: Board,
        views: Sequence[View],
        look_of: Sequence[int],
        image: Image,
        pieces: Sequence[int],
        pictures: Sequence[Picture] | None = None,
    ) -> None:
        """Learn the board and its pieces from `image`, or from its ground `pictures`, which show `pieces`."""
        self.board = board
        self._look_of = np.array(look_of, np.int64)
        self.views = list(views)
        levels = np.array(board.levels)
        centres = np.array(board.centres_xy)
        self._cells = [np.flatnonzero(levels == level) for level in range(len(views))]
        lattice = np.array([(f, r) for f, r, _ in board.lattice])
        all_pieces = np.asarray(pieces)
        self._readers = [
            Reader(view, centres[cells], lattice[cells], look_of, picture, all_pieces[cells].tolist())
            for view, cells, picture in zip(
                views, self._cells, pictures or [ground_of(view).resample_image(image) for view in views], strict=True
            )
        ]
        if len(self._readers) > 1:  # each level shows some pieces, and of some only a part
            outlines = fit_outlines([reader.evidence for reader in self._readers], look_of)
            for reader in self._readers:
                reader.take_outlines(outlines)
        for reader in self._readers:
            for other in self._readers:
                reader.borrow_looks(other)
        self._reference = (TrackedPicture(image), tuple(self.views))

    def expect_unseen_pieces(self) -> list[BodySize]:
        """From now on what looks like no side that was seen may be a piece of one of which none was. The largest piece
        of each level."""
        for reader in self._readers:
            reader.guess_unseen_looks()
        return [reader.largest_outline for reader in self._readers]

    @property
    def unseen_looks(self) -> list[int]:
        """The looks of which no piece was seen."""
        known = [template for reader in self._readers for template in reader.templates.values()]
        seen = {int(self._look_of[one.piece]) for one in known if not one.is_guess}
        return sorted({*self._look_of.tolist()} - seen - {0})

    def read_image(self, image: Image) -> Reading:
        """What a still picture shows."""
        self.compare_pictures([reader.ground.resample_image(image) for reader in self._readers])
        return self.explain_cells(self.changed_cells())

    @property
    def level_readers(self) -> list[tuple[npt.NDArray[np.intp], Reader]]:
        """The cells of each level, and who reads them."""
        return list(zip(self._cells, self._readers, strict=True))

    def compare_pictures(self, pictures: Sequence[Picture]) -> None:
        """Compare ground pictures, one a level, with what is remembered; `changed_cells` and `explain_cells` tell."""
        for reader, picture in zip(self._readers, pictures, strict=True):
            reader.compare_picture(picture)

    def changed_cells(self, *, keen: bool = False) -> Flags:
        """Cells that looked otherwise at the last glance than when the board was last understood."""
        return self._join_flags([reader.changed_cells(keen=keen) for reader in self._readers])

    @property
    def grey_changes(self) -> npt.NDArray[np.float32]:
        """(cells,) grey levels by which each differs from what is remembered."""
        out = np.zeros(len(self.board.cells), np.float32)
        for cells, reader in self.level_readers:
            out[cells] = reader.grey_changes
        return out

    def explain_cells(self, asked: Flags) -> Reading:
        """What the last look shows in the cells `asked`; the others are taken to be as before."""
        parts = zip(self._readers, self._cells, strict=True)
        return self._join_readings([reader.explain_cells(asked[cells]) for reader, cells in parts])

    def _join_flags(self, parts: Sequence[Flags]) -> Flags:
        """Flags of all cells from those of each level."""
        flags = np.zeros(len(self.board.cells), bool)
        for cells, part in zip(self._cells, parts, strict=True):
            flags[cells] = part
        return flags

    def _join_readings(self, parts: Sequence[Reading]) -> Reading:
        count = len(self.board.cells)
        scores = np.zeros((count, parts[0].scores.shape[1]), np.float32)
        looks, changed = np.zeros(count, np.int64), np.zeros(count, bool)
        unexplained, offset_cells = np.zeros((2, count), np.float32)
        for cells, part in zip(self._cells, parts, strict=True):
            scores[cells], looks[cells] = part.scores, part.looks
            changed[cells], unexplained[cells], offset_cells[cells] = part.changed, part.unexplained, part.offset_cells
        light = float(np.median([part.light for part in parts]))
        return Reading(scores, looks, changed, unexplained, offset_cells, light)

    def learn_pieces(self, image: Image, pieces: Sequence[int]) -> None:
        """The last picture read (`image`) shows `pieces`."""
        placed = np.asarray(pieces)
        for cells, reader in zip(self._cells, self._readers, strict=True):
            reader.learn_pieces(placed[cells].tolist())
        self._reference = (TrackedPicture(image), tuple(self.views))

    @property
    def learned_pieces(self) -> list[int]:
        """What was learned last: the piece number of each cell, 0 empty."""
        placed = np.zeros(len(self.board.cells), np.int64)
        for cells, reader in zip(self._cells, self._readers, strict=True):
            placed[cells] = reader.pieces
        return [int(piece) for piece in placed]

    @property
    def learned_looks(self) -> Ints:
        """The look of each cell as learned last."""
        return self._look_of[self.learned_pieces]

    @property
    def light_changed(self) -> bool:
        """Whether the last picture read is lit quite differently."""
        return any(reader.light_changed for reader in self._readers)

    def same_pattern_cells(self) -> Flags:
        """Cells whose piece shows the same pattern as when the board was last understood, whatever the light."""
        return self._join_flags([reader.same_pattern_cells() for reader in self._readers])

    def adopt_light(self, doubtful: Flags) -> None:
        """Take the light of the last picture read for the new one; cells in `doubtful` keep what was remembered."""
        for cells, reader in zip(self._cells, self._readers, strict=True):
            reader.adopt_light(doubtful[cells])

    def find_again(self, image: Image) -> CameraShift | None:
        """After widespread change: None if the board is where it was, else whether it was found where it went.

        Movement is counted from the last picture that was understood: one taken during the shock is blurred and would
        pass its error on.
        """
        (before, views), after = self._reference, TrackedPicture(image)
        # Of levels side by side each is followed by itself: what the picture does there says little of elsewhere.
        followed = [measure_movement(before, after, view) for view in views]
        known = [found for found in followed if found is not None]
        if not known:
            score = min(assess_view(self.board, view, image, k).score for k, view in enumerate(self.views))
            return CameraShift(None) if score < LOST_FIT else None
        moves = [known[0] if found is None else found for found in followed]
        if all(move is NO_HOMOGRAPHY for move in moves) and max(map(_corner_distance_px, views, self.views)) < MOVED_PX:
            return None
        fits = [
            follow_view(self.board, k, view, m, image) for k, (view, m) in enumerate(zip(views, moves, strict=True))
        ]

        def is_sure(fit: Fit, view: View) -> bool:
            lines = fit.score >= LOST_FIT
            return lines and (
                fit.lead > 0 or movement_certainty(self.board, before, view, after, fit.view) > SURE_SHARE
            )

        good = [is_sure(fit, view) for fit, view in zip(fits, views, strict=True)]
        return self._judge_shifts(
            fits, good, [carry_by_homography(view, move) for view, move in zip(views, moves, strict=True)]
        )

    def _judge_shifts(self, fits: Sequence[Fit], good: Sequence[bool], pictured: Sequence[View]) -> CameraShift | None:
        """What `find_again` answers when each level was followed, `good` where its lines are surely there.

        `pictured` is where each level went if it went with the picture: one whose lines are not seen well, in the dark
        or far away, is looked for there.
        """
        shifts = [_corner_distance_px(fit.view, view) for fit, view in zip(fits, self.views, strict=True)]
        if max(shifts) < MOVED_PX or (any(good) and max(s for s, g in zip(shifts, good, strict=True) if g) < MOVED_PX):
            return None
        if not any(good):
            return CameraShift(None)
        self.look_from([fit.view if g else view for fit, view, g in zip(fits, pictured, good, strict=True)])
        return CameraShift(min(fit.score for fit, g in zip(fits, good, strict=True) if g))

    def look_from(self, views: Sequence[View]) -> None:
        """The board was found at `views`."""
        self.views = list(views)
        for reader, view in zip(self._readers, self.views, strict=True):
            reader.look_from(view)


def _corner_distance_px(one: View, other: View) -> float:
    """Largest distance between the corners of two views, in pixels."""
    return float(np.linalg.norm(np.array(one.corners_px) - np.array(other.corners_px), axis=1).max())
