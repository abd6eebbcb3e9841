"""Whether an arm reaches over the board from beside it, however still it is.

A hand that pauses with its piece over a cell looks like a move: nothing on the board is odd. But what has changed since
the board was last understood then goes on from the board to far beside it, or to the edge of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.view import View
from vision.ground import Image
from vision.settle import Small, reduced

CHANGED_LEVELS = 6.0
"""Grey levels by which a reduced pixel differs, light apart. In 10 games drawn at 30 frames a second all 297 looks at
resting arms were told with it; with 10 two of them seemed to end before the edge of the picture."""
BESIDE_CELLS = 2.0
"""Area beside the board, in cells: every one of those arms had more than 4."""
EDGE_CELLS = 4.0
"""Area of a change that goes to the edge of the picture: every one of those arms had more than 8."""
MARGIN_CELLS = 1.5
"""So far beside the board pieces on it are seen, and their shadows."""
THIN = np.ones((3, 3), np.uint8)
"""Changes thinner than this are rims of what stands where it stood, seen from where the camera was pushed to."""
GAP_PX = 5
"""Gaps that a sleeve of the table's colour leaves, closed in the reduced picture."""
STILL_PX = 0.25
"""A board that is found nearer than this, in the reduced picture, has not moved."""
LIGHT_WH = (16, 12)
"""Fields of the picture in each of which the light may have changed otherwise."""
LIGHT_AROUND = 5
"""An arm is narrower than half of so many fields: their median is the light."""


class Surroundings:
    """The picture in which the board was last understood. Mutable, owned by the main loop."""

    def __init__(self) -> None:
        self._clear: tuple[Small, tuple[View, ...]] | None = None

    def clear(self, image: Image, views: Sequence[View]) -> None:
        """Nobody reaches over the board in this picture, where it is seen from `views`."""
        self._clear = reduced(image), tuple(views)

    def forget(self) -> None:
        """The light is another: until the board is understood again nothing is known."""
        self._clear = None

    def reached(self, image: Image, views: Sequence[View], cells: int) -> bool:
        """Whether something reaches over the board, which is seen from `views` now and has so many cells."""
        if self._clear is None:
            return False
        now = reduced(image)
        scale = now.shape[1] / image.shape[1]
        changed, known = _changed(now, *self._clear, views, scale)
        board = np.zeros_like(now)
        for view in views:
            cv2.fillConvexPoly(board, np.round(np.array(view.corners_px) * scale).astype(np.int32), 1)
        cell = cv2.countNonZero(board) / cells
        margin = round(MARGIN_CELLS * cell**0.5)
        around = cv2.dilate(board, np.ones((2 * margin + 1, 2 * margin + 1), np.uint8))
        edge = known - cv2.erode(known, THIN, borderType=cv2.BORDER_CONSTANT, borderValue=0)
        count, parts, stats, _ = cv2.connectedComponentsWithStats(changed)
        places = (edge > 0, board > 0, around == 0)
        at_edge, over, beside = (np.bincount(parts[place], minlength=count) for place in places)
        large = stats[:, cv2.CC_STAT_AREA] > EDGE_CELLS * cell
        reaches = (over > 0) & (((at_edge > 0) & large) | (beside > BESIDE_CELLS * cell))
        return bool(reaches[1:].any())


def _changed(
    now: Small, before: Small, was: Sequence[View], views: Sequence[View], scale: float
) -> tuple[Small, Small]:
    """Flags (h, w) of what differs between two reduced pictures, and of what both show.

    Smooth changes of the light are left out, and where the camera is now is taken into account.
    """
    known = np.ones_like(before)
    old, new = (np.array(seen[0].corners_px, np.float32) * np.float32(scale) for seen in (was, views))
    pushed = float(np.abs(old - new).max()) > STILL_PX
    if pushed:
        way, size = cv2.getPerspectiveTransform(old, new), before.shape[::-1]
        before = np.asarray(cv2.warpPerspective(before, way, size), np.uint8)
        known = np.asarray(cv2.warpPerspective(known, way, size, flags=cv2.INTER_NEAREST), np.uint8)
    fields = [cv2.resize(one, LIGHT_WH, interpolation=cv2.INTER_AREA).astype(np.float32) + 1 for one in (now, before)]
    light = cv2.resize(cv2.medianBlur(fields[1] / fields[0], LIGHT_AROUND), now.shape[::-1])
    differ = cv2.absdiff(now * light, before.astype(np.float32)) / np.maximum(light, 1)
    flags = cv2.threshold(differ, CHANGED_LEVELS, 1, cv2.THRESH_BINARY)[1].astype(np.uint8)
    if pushed:
        flags = np.asarray(cv2.morphologyEx(flags, cv2.MORPH_OPEN, THIN), np.uint8)
    joined = np.asarray(cv2.morphologyEx(flags, cv2.MORPH_CLOSE, np.ones((GAP_PX, GAP_PX), np.uint8)), np.uint8)
    return joined * known, known
