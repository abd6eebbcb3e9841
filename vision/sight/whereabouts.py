"""Where the board has come to rest after a small bump of the camera, and where its lines are there.

The tracker (vision.sight.align) follows a bump by shift, turn and scale alone. That is where the grid is shown; once
nothing lies over the board its lines are looked at too, or what each bump leaves would add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.lattice import assess_view
from calibration.relocate import LEAST_FIT, Views, farthest_px
from calibration.solve import refine_near
from calibration.view import View
from engine.board import Board
from vision.ground import Image
from vision.sight.align import STAYED, Affine, Place, carry_by_affine

RESTS_PX, ELSEWHERE_PX = 0.7, 1.0
"""Camera pixels between two frames under which the board is at rest, and by which it must rest elsewhere to be said to
be there. Raising the second shows the grid beside the cells, lowering it draws it anew for what is only noise."""
LINES_ASIDE_CELLS = 0.2
"""Lines that are farther from where the tracker has the board are not its own: a bump by 0.45 cell leaves 0.1."""


@dataclass(frozen=True)
class Whereabouts:
    """`here` is where the board was seen to rest last, a view a level, `moved` its motion from `views` to there, and
    `drawn` where it was when it was last drawn onto its lines."""

    views: Views
    here: Views
    drawn: Views
    moved: Affine

    def follow_frame(self, before: Place, now: Place) -> Whereabouts:
        """After one more frame: a place that shakes, or that the board only passes through, is none."""
        if not (now.is_found and before.is_found):
            return self
        was, here = (tuple(carry_by_affine(view, place.moved) for view in self.views) for place in (before, now))
        if farthest_px(was, here) > RESTS_PX:
            return self
        return replace(self, here=here if farthest_px(here, self.here) > ELSEWHERE_PX else self.here, moved=now.moved)

    def is_undrawn(self, now: Place) -> bool:
        """Whether the board rests elsewhere than when it was last drawn onto its lines, `now` too."""
        return now.moved is self.moved and farthest_px(self.here, self.drawn) > ELSEWHERE_PX

    def draw_onto_lines(self, board: Board, image: Image) -> Whereabouts:
        """The same, `moved` drawn onto the lines in `image` where they do not agree with it and would with the other.

        Lines are drawn aside by rows of pieces: while they agree the tracker is believed.
        """
        held = replace(self, drawn=self.here)
        there = [carry_by_affine(view, self.moved) for view in self.views]
        if _lines_agree(board, there, image):
            return held
        found = [refine_near(board, view, image, level, view.lens).view for level, view in enumerate(there)]
        pitch = min(float(view.pitch_px(np.array([view.size_cells]) / 2)[0]) for view in there)
        moved = _fit_affine(self.views, found)
        drawn = [carry_by_affine(view, moved) for view in self.views]
        near = farthest_px(drawn, there) < LINES_ASIDE_CELLS * pitch
        return replace(held, moved=moved) if near and _lines_agree(board, drawn, image) else held


def unmoved_whereabouts(views: Views) -> Whereabouts:
    """Where the board is in the picture that `views` are of."""
    return Whereabouts(views, views, views, STAYED)


def _fit_affine(views: Views, others: Sequence[View]) -> Affine:
    """The motion that brings the corners of views nearest to those of others."""
    one, other = (np.concatenate([np.array(view.corners_px) for view in group]) for group in (views, others))
    return np.asarray(np.linalg.lstsq(np.column_stack([one, np.ones(len(one))]), other, rcond=None)[0].T, float)


def _lines_agree(board: Board, views: Sequence[View], image: Image) -> bool:
    """Whether the lines of all levels are seen where these views have them."""
    return min(assess_view(board, view, image, level).score for level, view in enumerate(views)) >= LEAST_FIT
