"""Where things on and above the board appear in the picture: the pinhole camera with one lens distortion term.

The plane of a level is kept as the pixels of its bounding rectangle's corners, so that a person can read it and
drag it. The homography through those corners is exact on the plane; the direction of "up" follows from it and
from the focal length (Hartley & Zisserman, Multiple View Geometry, 2nd ed., section 8.1.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from engine.errors import InputError

Floats = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
Energy = npt.NDArray[np.float32]

USUAL_K1 = -0.04
"""Lens distortion assumed until the grid tells it: the middle of what plain webcams have."""
FOCAL_GUESS = 1.0
"""Focal length over picture width when the view says nothing about it: 53 degrees, a usual webcam."""
FOCAL_RANGE = (0.5, 3.0)
"""Focal lengths over picture width that a camera on a stand has: 90 to 19 degrees of view."""
LEAST_TRIANGLE_PX2 = 0.5
"""Three corners with so small a triangle between them lie on one line. The smallest board that is read has thousands;
what a homography through such corners looks like is rounding, and not the same on all processors."""


@dataclass(frozen=True)
class Lens:
    """A camera's picture size, focal length in pixels and radial distortion `k1` (OpenCV's first coefficient)."""

    size_wh: tuple[int, int]
    focal_px: float
    k1: float = 0.0

    @cached_property
    def camera_matrix(self) -> Floats:
        """The 3x3 camera matrix; the principal point is the middle of the picture."""
        w, h = self.size_wh
        return np.array([[self.focal_px, 0, w / 2], [0, self.focal_px, h / 2], [0, 0, 1.0]])

    def undistort_pixels(self, points_px: Floats) -> Floats:
        """Distorted pixels (N, 2) -> pixels of the ideal pinhole camera."""
        if self.k1 == 0.0:
            return np.asarray(points_px, float)
        dist = np.array([self.k1, 0, 0, 0.0])
        points = np.ascontiguousarray(points_px, float).reshape(-1, 1, 2)
        return np.asarray(cv2.undistortPoints(points, self.camera_matrix, dist, P=self.camera_matrix), float).reshape(
            -1, 2
        )

    def distort_pixels(self, points_px: Floats) -> Floats:
        """Pixels of the ideal pinhole camera (N, 2) -> distorted pixels."""
        if self.k1 == 0.0:
            return np.asarray(points_px, float)
        centre = np.array([self.size_wh[0] / 2, self.size_wh[1] / 2])
        rays = (np.asarray(points_px, float) - centre) / self.focal_px
        r2 = np.minimum((rays**2).sum(axis=1, keepdims=True), self._fold_r2)
        return np.asarray(centre + rays * (1 + self.k1 * r2) * self.focal_px, float)

    @property
    def _fold_r2(self) -> float:
        """Squared radius beyond which a negative k1 would fold the picture back onto itself."""
        return 1.0 / (3 * -self.k1) if self.k1 < 0 else np.inf


@dataclass(frozen=True)
class View:
    """One level of a board as one camera sees it. Board units are cells, z upwards; pixels include distortion."""

    lens: Lens
    size_cells: tuple[float, float]
    corners_px: tuple[tuple[float, float], ...]
    """Pixels of the bounding rectangle: A1, last file/rank 1, last/last, A/last rank."""

    @cached_property
    def projection_matrix(self) -> Floats:
        """3x4 projection of homogeneous board coordinates into undistorted pixels.

        Raises InputError when the corners do not show the face of a board.
        """
        corners = self.lens.undistort_pixels(np.array(self.corners_px, float))
        if not np.isfinite(corners).all() or _smallest_triangle(corners) < LEAST_TRIANGLE_PX2:
            raise InputError("corners: three of them lie on one line; give the four corners of the board")
        homography = homography_of(self.size_cells, corners)
        columns = np.linalg.solve(self.lens.camera_matrix, homography)
        scale = np.sqrt(np.linalg.norm(columns[:, 0]) * np.linalg.norm(columns[:, 1]))
        middle = columns @ np.array([self.size_cells[0] / 2, self.size_cells[1] / 2, 1.0])
        columns /= scale * np.sign(middle[2])
        up = np.cross(columns[:, 0], columns[:, 1])
        up /= max(np.linalg.norm(up), 1e-12)
        pose = np.column_stack([columns[:, 0], columns[:, 1], up, columns[:, 2]])
        if up @ (columns @ np.array([self.size_cells[0] / 2, self.size_cells[1] / 2, 1.0])) > 0:
            raise InputError("corners: the board would be seen from below; order them A1, last/1, last/last, A/last")
        return np.asarray(self.lens.camera_matrix @ pose, float)

    @cached_property
    def camera_xyz(self) -> Floats:
        """Where the camera is, in board units."""
        pose = np.linalg.solve(self.lens.camera_matrix, self.projection_matrix)
        return np.asarray(-np.linalg.solve(pose[:, :3], pose[:, 3]), float)

    def project_points(self, points_xyz: Floats) -> Floats:
        """Board points (N, 3) or (N, 2) on the plane -> pixels (N, 2)."""
        points = np.asarray(points_xyz, float)
        if points.shape[1] == 2:
            points = np.column_stack([points, np.zeros(len(points))])
        image = np.column_stack([points, np.ones(len(points))]) @ self.projection_matrix.T
        depth = np.where(np.abs(image[:, 2:]) < 1e-9, 1e-9, image[:, 2:])
        return self.lens.distort_pixels(image[:, :2] / depth)

    def locate_on_plane(self, points_px: Floats) -> Floats:
        """Pixels (N, 2) -> points of the board plane (N, 2), in cells."""
        homography = self.projection_matrix[:, [0, 1, 3]]
        straight = self.lens.undistort_pixels(np.asarray(points_px, float))
        ground = np.column_stack([straight, np.ones(len(straight))]) @ np.linalg.inv(homography).T
        return np.asarray(ground[:, :2] / ground[:, 2:], float)

    def pitch_px(self, points_xy: Floats) -> Floats:
        """Local size of a cell in pixels at board points (N, 2): the square root of its area."""
        return np.asarray(np.sqrt(np.abs(np.linalg.det(self._steps_px(points_xy)))), float)

    def narrowest_px(self, points_xy: Floats) -> Floats:
        """How many pixels a cell has across at board points (N, 2), in the direction in which it has the fewest."""
        return np.asarray(np.linalg.svd(self._steps_px(points_xy), compute_uv=False)[:, -1], float)

    def _steps_px(self, points_xy: Floats) -> Floats:
        """(N, 2, 2) the way in pixels of one cell along the files, and of one along the ranks, at board points."""
        points, half = np.asarray(points_xy, float), 0.25
        steps = [
            self.project_points(points + step) - self.project_points(points - step) for step in ([half, 0], [0, half])
        ]
        return np.stack(steps, axis=1) / (2 * half)


def mirror_view(view: View) -> View:
    """The view of the same board in the mirrored picture. The names of its files are exchanged with the sides."""
    w = view.lens.size_wh[0]
    a1, last, across, above = ((w - 1 - x, y) for x, y in view.corners_px)
    return View(view.lens, view.size_cells, (last, a1, above, across))


def rectangle_corners(size_cells: tuple[float, float]) -> Floats:
    """Corners (4, 2) of the bounding rectangle in cells, in the order of `View.corners_px`."""
    w, h = size_cells
    return np.array([[0, 0], [w, 0], [w, h], [0, h]], float)


def _smallest_triangle(corners_px: Floats) -> float:
    """Area in square pixels of the smallest triangle between three of four corners (4, 2)."""
    threes = (np.delete(corners_px, omitted, axis=0) for omitted in range(4))
    return min(abs(float(np.linalg.det(three[1:] - three[0]))) / 2 for three in threes)


def homography_of(size_cells: tuple[float, float], corners_px: Floats) -> Floats:
    """The 3x3 homography from the board plane to (undistorted) pixels through four corners."""
    matrix = cv2.getPerspectiveTransform(
        rectangle_corners(size_cells).astype(np.float32), np.asarray(corners_px, float).astype(np.float32)
    )
    return np.asarray(matrix, float)


def focal_from(homography: Floats, size_wh: tuple[int, int]) -> float:
    """Focal length in pixels at which the homography's axes are orthogonal and of equal length.

    A view straight from above does not tell (the equations degenerate); then FOCAL_GUESS times the width.
    """
    w, h = size_wh
    shift = np.array([[1, 0, -w / 2], [0, 1, -h / 2], [0, 0, 1.0]])
    m = shift @ homography
    m = m / np.linalg.norm(m)
    a, b = m[:, 0], m[:, 1]
    orthogonal = (a[0] * b[0] + a[1] * b[1], a[2] * b[2])
    equal = (a[0] ** 2 + a[1] ** 2 - b[0] ** 2 - b[1] ** 2, a[2] ** 2 - b[2] ** 2)
    numerator = -(orthogonal[0] * orthogonal[1] + equal[0] * equal[1])
    denominator = orthogonal[1] ** 2 + equal[1] ** 2
    longest = max(w, h)
    guess = FOCAL_GUESS * longest
    if numerator <= 0 or denominator * guess**2 < 1e-9 * abs(numerator):
        return guess
    focal = float(np.sqrt(numerator / denominator))
    return focal if FOCAL_RANGE[0] * longest < focal < FOCAL_RANGE[1] * longest else guess
