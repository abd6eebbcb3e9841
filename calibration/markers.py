"""The printed ArUco markers: where they lie on a board, and finding them in a picture."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import Floats
from engine.board import Board

DICTIONARY = cv2.aruco.DICT_4X4_50
SIDE_CELLS, INSET_CELLS = 1.6, 0.2
"""A marker is 1.6 cells square, its outer sides 0.2 cell from the edge of the bounding rectangle."""
LEAST_SIDE_PX = 12
"""Markers smaller than this in the picture place a corner worse than a tenth of a cell."""

MarkerPlaces = Mapping[int, tuple[tuple[float, float], ...]]
"""Marker id -> its four corners in cells, in ArUco's order: upper left first, clockwise, as White sees them."""


def marker_places(board: Board, level: int = 0) -> MarkerPlaces:
    """Where this board's printed markers lie: in its free corners, or outside the grid where there are none.

    Ids 0-3 are at the A1, last-file/rank-1, last/last and A/last-rank corners of level 0, 4-7 of level 1, ...
    """
    w, h = board.size_wh
    inside = all(_is_free(board, level, x, y) for x, y in _lower_left(w, h, INSET_CELLS))
    inset = INSET_CELLS if inside else -(SIDE_CELLS + INSET_CELLS)
    out = {}
    for number, (x, y) in enumerate(_lower_left(w, h, inset)):
        far_x, far_y = x + SIDE_CELLS, y + SIDE_CELLS
        out[4 * level + number] = ((x, far_y), (far_x, far_y), (far_x, y), (x, y))
    return out


def _lower_left(w: float, h: float, inset: float) -> list[tuple[float, float]]:
    """Lower left corners of the four markers, in the order of their ids."""
    right, top = w - inset - SIDE_CELLS, h - inset - SIDE_CELLS
    return [(inset, inset), (right, inset), (right, top), (inset, top)]


def _is_free(board: Board, level: int, x: float, y: float) -> bool:
    """Whether no cell lies under a marker with its lower left corner at (x, y)."""
    reach_x = max(dx for dx, _ in board.outline_xy)
    reach_y = max(dy for _, dy in board.outline_xy)
    for (cx, cy), plane in zip(board.centres_xy, board.levels, strict=True):
        apart = cx + reach_x <= x or cx - reach_x >= x + SIDE_CELLS
        apart = apart or cy + reach_y <= y or cy - reach_y >= y + SIDE_CELLS
        if plane == level and not apart:
            return False
    return True


def detect_markers(image: npt.NDArray[np.uint8]) -> dict[int, Floats]:
    """Markers in a BGR picture: id -> corner pixels (4, 2). Costs 16 ms at 1920x1080: not for every frame."""
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), settings)
    corners, ids, _ = detector.detectMarkers(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    if ids is None:
        return {}
    found = {}
    for number, square in zip(ids.ravel().tolist(), corners, strict=True):
        pixels = np.asarray(square, float).reshape(4, 2)
        if np.linalg.norm(pixels - np.roll(pixels, 1, axis=0), axis=1).min() >= LEAST_SIDE_PX:
            found[int(number)] = pixels
    return found
