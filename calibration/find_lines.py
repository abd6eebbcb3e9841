"""The plane of a board from the straight edges in one picture: line segments, vanishing points, and planes they allow.

A board's cell borders run in two (squares) or three (hexagons) directions, so most long edges of the picture point to
two or three vanishing points (Hartley & Zisserman, Multiple View Geometry, 2nd ed., section 8.6). Two of them, at a
known angle on the table, give the plane and the focal length.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import USUAL_K1, Floats

FOCALS = np.geomspace(0.55, 2.6, 25)
"""Focal lengths tried, in picture widths."""
ANGLE_PX = 0.7
"""Ends of detected segments are off by about this much: what a short one may turn."""
ANGLE_RAD = 0.012
MOST_SEGMENTS, PAIRS, POINTS = 700, 300, 6
CROSSED_PX = 5
"""An edge of a cell ends as near as this to one that runs across it; grain of wood mostly does not."""
WAYS = 12
"""Directions are told apart in so many steps of half a turn; edges two steps apart run across each other."""
SQUARE_OFF_RAD = 0.12
"""Two directions may miss their angle on the table by this much before the lens distortion is known."""


@dataclass(frozen=True)
class Segments:
    """Line segments in picture widths about the middle of the picture: `ends` (N, 2, 2), `length` (N,)."""

    ends: Floats
    length: Floats
    px: float
    """One pixel of the picture they were found in."""

    @property
    def middle_points(self) -> Floats:
        """Middles of the segments, (N, 2)."""
        return np.asarray(self.ends.mean(axis=1))

    @property
    def unit_directions(self) -> Floats:
        """Unit directions of the segments, (N, 2)."""
        way = self.ends[:, 1] - self.ends[:, 0]
        return np.asarray(way / np.linalg.norm(way, axis=1, keepdims=True))


@dataclass(frozen=True)
class Plane:
    """A plane seen at `focal` picture widths: columns of `axes` (3, 2) are its x and y as the camera sees them.

    The origin is where the middle of the picture meets the plane; `support` is the length of segments it explains.
    """

    axes: Floats
    focal: float
    support: float

    @property
    def to_picture(self) -> Floats:
        """3x3 homography from the plane to picture widths about the middle."""
        matrix = np.column_stack([self.axes, [0.0, 0.0, 1.0]])
        return np.asarray(np.diag([self.focal, self.focal, 1.0]) @ matrix)


def find_segments(grey: npt.NDArray[np.uint8]) -> Segments:
    """The straight edges of a grey picture that meet others, longest first, the usual lens distortion taken out."""
    found = cv2.createLineSegmentDetector().detect(grey)[0]
    h, w = grey.shape
    longest = float(max(h, w))
    if found is None:
        return Segments(np.zeros((0, 2, 2)), np.zeros(0), 1 / longest)
    ends = np.asarray(found, float).reshape(-1, 2, 2)
    ends = (ends[_find_crossed(ends, (h, w))] - [w / 2, h / 2]) / longest
    ends = ends / (1 + USUAL_K1 * (ends**2).sum(axis=2, keepdims=True))
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    order = np.argsort(-length)[:MOST_SEGMENTS]
    return Segments(ends[order], length[order], 1 / longest)


def _find_crossed(ends_px: Floats, size_hw: tuple[int, int]) -> npt.NDArray[np.bool_]:
    """Which segments (N, 2, 2) end at one that runs across them."""
    way = ends_px[:, 1] - ends_px[:, 0]
    ways = (np.arctan2(way[:, 1], way[:, 0]) / np.pi * WAYS).astype(int) % WAYS
    corners = np.round(ends_px).astype(np.int32)
    x, y = corners.reshape(-1, 2).T
    x, y = x.clip(0, size_hw[1] - 1), y.clip(0, size_hw[0] - 1)
    out = np.zeros(len(ends_px), bool)
    for number in range(WAYS):
        drawn = np.zeros(size_hw, np.uint8)
        cv2.polylines(drawn, list(corners[ways == number]), isClosed=False, color=1, thickness=2 * CROSSED_PX + 1)
        apart = np.abs((ways - number + WAYS // 2) % WAYS - WAYS // 2) > 1
        out |= apart & (drawn[y, x].reshape(-1, 2) > 0).any(axis=1)
    return out


def distort_points(points: Floats) -> Floats:
    """Points (N, 2), in picture widths about the middle, as a lens of the usual distortion shows them."""
    return np.asarray(points * (1 + USUAL_K1 * (points**2).sum(axis=1, keepdims=True)))


def find_planes(lines: Segments, angle_rad: float, seed: int = 0) -> list[Plane]:
    """Planes on which two bundles of segments run at `angle_rad` to each other, best supported first."""
    if len(lines.length) < 8:
        return []
    points = _vanishing_points(lines, np.random.default_rng(seed))
    agrees = [segments_towards(lines, point) for point in points]
    out = []
    for i, one in enumerate(points):
        for j in range(i + 1, len(points)):
            fitted = _plane_axes(one, points[j], angle_rad)
            if fitted is not None:
                support = float((lines.length * (agrees[i] | agrees[j])).sum())
                weaker = min(float((lines.length * agrees[k]).sum()) for k in (i, j))
                out.append(Plane(*fitted, support + weaker))
    return sorted(out, key=lambda plane: -plane.support)


def segments_towards(lines: Segments, point: Floats) -> npt.NDArray[np.bool_]:
    """Which segments point to a homogeneous point of the picture."""
    way = point[:2] - point[2] * lines.middle_points
    way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
    along = lines.unit_directions
    off = np.abs(way[:, 0] * along[:, 1] - way[:, 1] * along[:, 0])
    return np.asarray(off < ANGLE_RAD + ANGLE_PX * lines.px / lines.length)


def _vanishing_points(lines: Segments, rng: np.random.Generator) -> list[Floats]:
    """Where most segments point to, one bundle taken away after the other."""
    ends = np.concatenate([lines.ends, np.ones((*lines.ends.shape[:2], 1))], axis=2)
    rows = np.cross(ends[:, 0], ends[:, 1])
    rows /= np.linalg.norm(rows[:, :2], axis=1, keepdims=True)
    left = lines.length.copy()
    out = []
    for _ in range(POINTS):
        if left.max() <= 0 or (left > 0).sum() < 4:
            break
        share = left**2 / (left**2).sum()
        a, b = rng.choice(len(left), (2, PAIRS), p=share)
        found = np.cross(rows[a], rows[b])
        found = found[np.linalg.norm(found, axis=1) > 1e-6]
        if not len(found):
            break
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        best = found[int(np.argmax(_support_lengths(lines, left, found)))]
        for _ in range(2):
            mine = segments_towards(lines, best) & (left > 0)
            weighted = rows[mine] * lines.length[mine, None]
            best = np.linalg.svd(weighted, full_matrices=False)[2][-1] if mine.sum() > 2 else best
        out.append(best)
        left = np.where(segments_towards(lines, best), 0.0, left)
    return out


def _support_lengths(lines: Segments, weights: Floats, points: Floats) -> Floats:
    """Length of the segments that point to each of the homogeneous points."""
    # Single precision: this is the dearest step, and an angle off by a millionth supports as well.
    point, (x, y) = points.astype(np.float32), lines.middle_points.astype(np.float32).T
    along_x, along_y = lines.unit_directions.astype(np.float32).T
    way_x, way_y = point[:, :1] - point[:, 2:] * x, point[:, 1:2] - point[:, 2:] * y
    across = way_x * along_y - way_y * along_x
    tolerance = (ANGLE_RAD + ANGLE_PX * lines.px / lines.length).astype(np.float32)
    return np.asarray((across**2 < tolerance**2 * (way_x**2 + way_y**2)) @ weights)


def _plane_axes(one: Floats, other: Floats, angle_rad: float) -> tuple[Floats, float] | None:
    """Axes (3, 2), x towards `one`, and the focal length at which the two run at the angle; None if at no usual one."""
    a = np.column_stack([np.outer(1 / FOCALS, one[:2]), np.full(len(FOCALS), one[2])])
    b = np.column_stack([np.outer(1 / FOCALS, other[:2]), np.full(len(FOCALS), other[2])])
    cosine = np.abs((a * b).sum(axis=1)) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    off = np.abs(np.arccos(cosine.clip(0, 1)) - angle_rad)
    # A view from above fits any focal length: a webcam's is the most likely.
    at = int(np.argmin(off + 0.03 * np.abs(np.log(FOCALS))))
    if off[at] > SQUARE_OFF_RAD:
        return None
    x = a[at] / np.linalg.norm(a[at])
    y = b[at] - (b[at] @ x) * x
    y /= np.linalg.norm(y)
    if np.cross(x, y)[2] > 0:  # the face of the board looks at the camera
        y = -y
    return np.column_stack([x, y]), float(FOCALS[at])
