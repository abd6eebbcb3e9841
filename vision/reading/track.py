"""Following the board when the camera is bumped: where did the corners go?

Points of the last understood picture are followed into the new one (Lucas-Kanade), a homography is fitted to them,
and the view moved by it is then drawn onto the lines of the board.
"""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from calibration.find_rough import step_view
from calibration.lattice import Fit, assess_view, grid_steps, refine_view
from calibration.view import Floats, View, rectangle_corners
from engine.board import Board

Grey = npt.NDArray[np.uint8]

MOST_POINTS = 400
LEAST_TRACKED = 40
LEAST_TRACKED_SHARE = 0.4
"""Share of the followed points that must agree on one movement: hands and moved pieces leave over half."""
AROUND_PX, PLAIN_PATCH_SD, EVENED_SD = 12.0, 3.0, 32.0
"""Evening out: over which radius, the spread in grey levels under which a place is plain, and that of the outcome. A
board that was bumped while the lamp went on was otherwise found a cell off."""
MOVED_PX = 0.7
"""What moved less than this did not move: sensor noise alone moves corners by 0.2 px. Under hands that rest over drawn
boards the points that agree moved by 0.4 px at most, after a bump by 3.9 and more."""
SURE_SHARE = 0.08
"""Sureness of a place that the lines leave open, as where a board's frame is no wider than a cell: 0.15 and more at 160
right places in 60 drawn games, under hands and in other light too, -0.17 and less one cell and more beside them."""
NO_HOMOGRAPHY = np.eye(3)
"""The movement of a camera that was not touched."""


class TrackedPicture:
    """A picture in which points are followed, or from which."""

    def __init__(self, image: npt.NDArray[np.uint8]) -> None:
        """From a BGR picture."""
        self.grey: Grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)

    @cached_property
    def evened_grey(self) -> Grey:
        """The picture without its light, each place against what is around: points are known again under a lamp."""
        picture = self.grey.astype(np.float32)
        off = picture - cv2.GaussianBlur(picture, (0, 0), AROUND_PX)
        spread = np.sqrt(cv2.GaussianBlur(off * off, (0, 0), AROUND_PX))
        return np.asarray(cv2.convertScaleAbs(off / (spread + PLAIN_PATCH_SD), alpha=EVENED_SD, beta=128.0), np.uint8)


def measure_movement(before: TrackedPicture, after: TrackedPicture, view: View) -> Floats | None:
    """The 3x3 homography from one picture into the next of the board and what lies on it.

    NO_HOMOGRAPHY if it is where it was.

    None when too few points could be followed.
    """
    points = cv2.goodFeaturesToTrack(before.grey, MOST_POINTS, 0.01, 8, mask=_board_mask(before.grey, view))
    if points is None or len(points) < LEAST_TRACKED:
        return None
    found, ok, _ = cv2.calcOpticalFlowPyrLK(
        before.evened_grey, after.evened_grey, points, np.empty_like(points), winSize=(25, 25), maxLevel=5
    )
    good = ok.ravel() == 1
    if good.sum() < LEAST_TRACKED:
        return None
    matrix, inliers = cv2.findHomography(points[good], found[good], cv2.RANSAC, 2.0)
    if matrix is None or float(inliers.mean()) < LEAST_TRACKED_SHARE:
        return None
    went = np.linalg.norm(found[good] - points[good], axis=-1)
    return NO_HOMOGRAPHY if float(np.median(went[inliers.ravel() == 1])) < MOVED_PX else np.asarray(matrix, float)


def movement_certainty(board: Board, before: TrackedPicture, was: View, after: TrackedPicture, now: View) -> float:
    """By how much two pictures of the board are more alike (-1..1) if it went from `was` to `now` than cells beside.

    Pieces and frame tell what the lines of the board may leave open: all lines lie on lines one cell further too.
    """
    mask = _board_mask(before.grey, was)
    old = before.evened_grey[mask > 0].astype(np.float64)

    def likeness_at(place: View) -> float:
        there, here = (np.array(view.corners_px, np.float32) for view in (place, was))
        back = cv2.warpPerspective(after.evened_grey, cv2.getPerspectiveTransform(there, here), mask.shape[::-1])
        return float(np.corrcoef(old, back[mask > 0])[0, 1])

    return likeness_at(now) - max(likeness_at(step_view(now, step)) for step in grid_steps(board)[1:])


def follow_view(board: Board, level: int, view: View, moved: Floats, image: npt.NDArray[np.uint8]) -> Fit:
    """The view after the picture moved by the homography `moved`, drawn onto the board's lines in `image`.

    A board that stayed is where it was: an arm that hides its lines would only draw the view away. So may lines that
    are hardly seen: the farthest board of Cam 3-D in dim light fitted less well when it was drawn onto them.
    """
    if moved is NO_HOMOGRAPHY:
        return assess_view(board, view, image, level)
    there = carry_by_homography(view, moved)
    drawn = refine_view(board, there, image, level, lens_known=True)
    return max(drawn, assess_view(board, there, image, level), key=lambda fit: fit.score)


def carry_by_homography(view: View, moved: Floats) -> View:
    """The view after the picture moved by the homography `moved`, wherever the board's lines are."""
    corners = np.array(view.corners_px, np.float64).reshape(-1, 1, 2)
    there = np.asarray(cv2.perspectiveTransform(corners, moved), float).reshape(-1, 2)
    return View(view.lens, view.size_cells, tuple((float(x), float(y)) for x, y in there))


def _board_mask(picture: Grey, view: View) -> Grey:
    """Flags of where the board is seen."""
    mask = np.zeros(picture.shape, np.uint8)
    outline = view.project_points(rectangle_corners(view.size_cells)).astype(np.int32)
    cv2.fillConvexPoly(mask, cv2.convexHull(outline), 255)
    return mask
