"""From what a person or a marker says to a view of the board: markers, named points, or four corners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.doubts import BEYOND, GRAIN, MIRRORED, cells_in_picture, check_turn, is_mirrored, on_grain
from calibration.lattice import Fit, assess_view, edges_for, refine_view
from calibration.markers import MarkerPlaces, detect_markers
from calibration.view import (
    FOCAL_GUESS,
    Energy,
    Floats,
    Image,
    Lens,
    View,
    focal_from,
    homography_of,
    rectangle_corners,
)
from engine.board import Board
from engine.errors import InputError

MARKED_FIT = 60
"""Below this score a profile is not written: grids shifted by half a cell score under 45, right ones over 80."""
MOST_SHIFT_CELLS = 0.3
"""The lattice may move what was given by this much; further away it found something else and what was given is kept.
In between a wide lens moves the grid by more."""
POINT_SPREAD_CELLS = 0.5
"""Named points that disagree with each other by more than this are refused: one of them is wrong. More
takes a misnamed cell, less refuses clicks that are a little off."""


@dataclass(frozen=True)
class Solution:
    """A view of one level with its quality. `error_cells` is the root mean square of what `by` was given or found."""

    view: View
    by: str
    error_cells: float
    fit: int
    worst: str
    doubt: str = ""
    """Why the fit is held down although the lines agree, and what to do; "" when it is not."""


def solve_by_markers(
    board: Board, image: Image, places: MarkerPlaces, level: int = 0, lens: Lens | None = None
) -> Solution:
    """The view that the printed markers of one level tell; two of the four are enough. `lens` if it is known."""
    seen = {number: px for number, px in detect_markers(image).items() if number in places}
    if len(seen) < 2:
        if is_mirrored(image, set(places)):
            raise InputError(f"markers: {MIRRORED}")
        names = ", ".join(str(n) for n in sorted(seen)) or "none"
        raise InputError(
            f"markers: found {names} of {sorted(places)}; show at least two, flat and sharp, or give --corners"
        )
    cells = np.concatenate([np.array(places[n]) for n in sorted(seen)])
    pixels = np.concatenate([seen[n] for n in sorted(seen)])
    return _solve_view(board, image, cells, pixels, "markers", level, lens)


def solve_by_points(
    board: Board, image: Image, points: Mapping[str, tuple[float, float]], level: int = 0, lens: Lens | None = None
) -> Solution:
    """The view that pixel centres of at least four named cells of one level tell (least squares)."""
    named = [name for name in points if board.levels[board.index[name]] == level]
    if len(named) < 4:
        raise InputError(f"points: {len(named)} cells of level {level + 1} given, at least four are needed")
    cells = np.array([board.centres_xy[board.index[name]] for name in named])
    pixels = np.array([points[name] for name in named], float)
    if np.linalg.matrix_rank(cells - cells.mean(axis=0), tol=1e-6) < 2:
        raise InputError("points: the cells lie on one line; name cells in all corners of the board")
    return _solve_view(board, image, cells, pixels, "points", level, lens)


def solve_by_corners(
    board: Board, image: Image, corners: Sequence[tuple[float, float]], level: int = 0, lens: Lens | None = None
) -> Solution:
    """The view through the corners of the bounding rectangle: A1, last file/rank 1, last/last, A/last rank."""
    return _solve_view(board, image, rectangle_corners(board.size_wh), np.array(corners, float), "corners", level, lens)


def _solve_view(
    board: Board, image: Image, cells: Floats, pixels: Floats, by: str, level: int, lens: Lens | None
) -> Solution:
    check_turn(cells, pixels)
    given = _view_through(board, image, cells, pixels, lens)
    energy = edges_for(board, given, image, level)
    refined = refine_near(board, given, image, level, lens, energy)
    shift = np.linalg.norm(refined.view.project_points(cells) - pixels, axis=1) / given.pitch_px(cells)
    rough = assess_view(board, given, image, level, energy)
    best = refined if float(shift.max()) <= MOST_SHIFT_CELLS and refined.score >= rough.score else rough
    if by == "corners":
        error = best.error_cells
    else:
        error = float(np.sqrt(np.mean(np.sum((best.view.locate_on_plane(pixels) - cells) ** 2, axis=1))))
    return hold_down_if_cut(board, make_solution(board, best, by, error, energy, level), level)


def hold_down_if_cut(board: Board, found: Solution, level: int = 0) -> Solution:
    """What was found, held down if the middle of a cell lies outside the picture: what stands there is never seen."""
    return found if cells_in_picture(board, found.view, level).all() else hold_down(found, BEYOND)


def hold_down(found: Solution, doubt: str) -> Solution:
    """What was found, with a fit too low to be taken, and why."""
    return replace(found, fit=min(found.fit, MARKED_FIT - 1), doubt=doubt)


def make_solution(
    board: Board, fit: Fit, by: str, error: float, energy: Energy, level: int = 0, doubt: str = ""
) -> Solution:
    """What was found, held down while it is in doubt."""
    doubt = doubt or (GRAIN if on_grain(board, fit.view, energy, level) else "")
    return Solution(fit.view, by, error, min(fit.score, MARKED_FIT - 1 if doubt else 100), fit.worst, doubt)


def refine_near(
    board: Board, view: View, image: Image, level: int = 0, lens: Lens | None = None, energy: Energy | None = None
) -> Fit:
    """`refine`, and with a known `lens` nothing but the place of the board is looked for."""
    if lens is None:
        return refine_view(board, view, image, level, energy=energy)
    found = refine_view(board, View(lens, view.size_cells, view.corners_px), image, level, energy, lens_known=True)
    return replace(found, view=View(lens, view.size_cells, found.view.corners_px))


def _view_through(board: Board, image: Image, cells: Floats, given_px: Floats, lens: Lens | None) -> View:
    """The view that brings board points `cells` to pixels, least squares; without a known lens an undistorted one."""
    h, w = image.shape[:2]
    pixels = given_px if lens is None else lens.undistort_pixels(given_px)
    if len(cells) == 4:
        matrix = cv2.getPerspectiveTransform(cells.astype(np.float32), pixels.astype(np.float32))
    else:
        matrix, _ = cv2.findHomography(cells, pixels, cv2.RANSAC, 0.01 * max(w, h))
    if matrix is None or not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-12:
        raise InputError("calibrate: no view of a board fits these places; three of them may lie on one line")
    homography = np.asarray(matrix, float)
    ends = np.column_stack([rectangle_corners(board.size_wh), np.ones(4)]) @ homography.T
    corners = ends[:, :2] / ends[:, 2:]
    try:
        focal = focal_from(homography_of(board.size_wh, corners), (w, h))
    except cv2.error:
        focal = FOCAL_GUESS * max(w, h)
    lens = lens or Lens((w, h), focal)
    view = View(lens, board.size_wh, tuple((float(x), float(y)) for x, y in lens.distort_pixels(corners)))
    misfit = np.linalg.norm(view.locate_on_plane(given_px) - cells, axis=1)
    if float(np.median(misfit)) > POINT_SPREAD_CELLS:
        text = "calibrate: the places given disagree by {cells} cells; is one misnamed?"
        raise InputError(text, cells=round(float(np.median(misfit)), 1))
    return view
