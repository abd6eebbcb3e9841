"""Where the board has come to rest after a small bump of the camera, and where its lines are there.

The tracker (vision.sight.align) follows a bump by shift, turn and scale alone. That is where the grid is shown; once
nothing lies over the board it is drawn onto the lines, or what each bump leaves would add up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.lattice import assess
from calibration.relocate import LEAST_FIT, farthest_px
from calibration.solve import refined_near
from calibration.view import View
from engine.board import Board
from vision.ground import Image
from vision.sight.align import STAYED, Affine, Place, carried

Views = tuple[View, ...]

RESTS_PX, FOLLOWED_PX = 0.7, 1.0
"""Camera pixels between two frames under which the board is at rest, and by which it must rest elsewhere to be said to
be there. Raising the second shows the grid beside the cells, lowering it draws it anew for what is only noise."""
NEAR_CELLS = 0.2
"""Lines that are farther from where the tracker has the board are not its own: a bump by half a cell leaves 0.11."""


@dataclass(frozen=True)
class Whereabouts:
    """`here` is where the board was seen to rest last, a view a level, `moved` its motion from `views` to there, and
    `drawn` where it was when it was last drawn onto its lines."""

    views: Views
    here: Views
    drawn: Views
    moved: Affine

    def follow(self, before: Place, now: Place) -> Whereabouts:
        """After one more frame: a place that shakes, or that the board only passes through, is none."""
        if not (now.found and before.found):
            return self
        was, here = (tuple(carried(view, place.moved) for view in self.views) for place in (before, now))
        if farthest_px(was, here) > RESTS_PX:
            return self
        return replace(self, here=here if farthest_px(here, self.here) > FOLLOWED_PX else self.here, moved=now.moved)

    def is_undrawn(self, now: Place) -> bool:
        """Whether the board rests elsewhere than when it was last drawn onto its lines, `now` too."""
        return now.moved is self.moved and farthest_px(self.here, self.drawn) > FOLLOWED_PX

    def draw(self, board: Board, image: Image) -> Whereabouts:
        """The same with `moved` drawn onto the lines in `image`, if these are seen and agree better there."""
        held = replace(self, drawn=self.here)
        there = [carried(view, self.moved) for view in self.views]
        fits = [refined_near(board, view, image, level, view.lens) for level, view in enumerate(there)]
        pitch = min(float(view.pitch_px(np.array([view.size_cells]) / 2)[0]) for view in there)
        found = [fit.view for fit in fits]
        if min(fit.score for fit in fits) < LEAST_FIT or farthest_px(found, there) > NEAR_CELLS * pitch:
            return held
        moved = _between(self.views, found)
        if _worst(board, [carried(v, moved) for v in self.views], image) < _worst(board, there, image):
            return held
        return replace(held, moved=moved)


def unmoved(views: Views) -> Whereabouts:
    """Where the board is in the picture that `views` are of."""
    return Whereabouts(views, views, views, STAYED)


def _between(views: Views, others: list[View]) -> Affine:
    """The motion that brings the corners of views nearest to those of others."""
    one, other = (np.concatenate([np.array(view.corners_px) for view in group]) for group in (views, others))
    return np.asarray(np.linalg.lstsq(np.column_stack([one, np.ones(len(one))]), other, rcond=None)[0].T, float)


def _worst(board: Board, views: list[View], image: Image) -> int:
    """The poorest fit of the levels."""
    return min(assess(board, view, image, level).score for level, view in enumerate(views))
