"""What looks like a board found and is none to play on: a mirrored picture, a grid on the grain of the wood, and one
that reaches beyond the picture."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from calibration.lattice import GOOD_CELLS, REACHES, Lattice, board_lattice, found_across
from calibration.markers import detect_markers
from calibration.view import Floats, View
from engine.board import Board
from engine.errors import InputError

Image = npt.NDArray[np.uint8]
Energy = npt.NDArray[np.float32]
MIRRORED = "the picture is mirrored: turn off mirroring in the camera's settings, or write mirrored: before the camera"
GRAIN = (
    "lines through the middle of the cells are as clear as those between them: wood grain may be taken for the board"
)
BEYOND = "part of the board is outside the picture: move the camera until all of it is seen"
SQUARE = 4
"""Corners of a square cell; half a hexagon is no cell."""
AS_CLEAR = 0.6
"""Lines through the middle of the cells that have this share of what those between them have, counted and weighed by
how clear they are, may be them. Right grids had 0.05 to 0.15 on drawn boards and 0.19 to 0.28 on photographs; drawn
ones that were half a cell off 15 and more."""
FEWEST_MARKERS = 2


def cells_in_picture(board: Board, view: View, level: int) -> npt.NDArray[np.bool_]:
    """(cells of the level,) whether the middle of each lies in the camera's picture."""
    places_px = view.project_points(np.array(board.centres_xy)[np.array(board.levels) == level])
    return np.asarray(((places_px >= 0) & (places_px < view.lens.size_wh)).all(axis=1))


def is_mirrored(image: Image, wanted: set[int]) -> bool:
    """Whether the picture shows those markers in a mirror: as they are they are found in no other picture."""
    return len(detect_markers(np.ascontiguousarray(cv2.flip(image, 1))).keys() & wanted) >= FEWEST_MARKERS


def check_turn(cells: Floats, pixels: Floats) -> None:
    """InputError if places `cells` (N, 2) of a board go round the other way in the picture than seen from above."""
    matrix, _ = cv2.findHomography(cells, pixels)
    if matrix is None:
        return
    middle = np.array([*cells.mean(axis=0), 1.0]) @ matrix.T
    # The determinant of the map at the middle: rows count downwards, so that of a picture is negative.
    if float(np.linalg.det(matrix)) / float(middle[2]) ** 3 > 0:
        raise InputError(
            "calibrate: the places given go round the wrong way: {mirrored}; or two of them are exchanged",
            mirrored=MIRRORED,
        )


def on_grain(board: Board, view: View, energy: Energy, level: int = 0) -> bool:
    """Whether the lines of a grid may be those of the wood; `energy` as `edges_for` has it. Never on hexagons."""
    if len(board.outline_xy) != SQUARE:
        return False
    grid = board_lattice(board, level)
    for axis in (0, 1):
        across = np.abs(grid.normals[:, axis]) > np.abs(grid.normals[:, 1 - axis])
        own = Lattice(grid.points[across], grid.normals[across], grid.rim[across])
        step = np.zeros(2)
        step[axis] = 0.5
        inside = ~own.rim
        middles = [Lattice(own.points[inside] + sign * step, own.normals[inside], own.rim[inside]) for sign in (-1, 1)]
        clear = max(_mean_clearness(view, one, energy) for one in middles)
        if clear > AS_CLEAR * _mean_clearness(view, own, energy):
            return True
    return False


def _mean_clearness(view: View, grid: Lattice, energy: Energy) -> float:
    """The mean of how clear the lines at a grid's places are; lines elsewhere count nothing."""
    offsets, weights = found_across(view, grid, energy, REACHES[0])
    return float(np.mean(weights * (np.abs(offsets) < GOOD_CELLS)))
