"""Fitting a view to the lines of the board: the borders of cells are edges or drawn lines in any look of board.

From a rough view (corners a few pixels off) the true one is found as in model-based edge tracking (Harris, "Tracking
with rigid models", 1992): sample the cell borders, look for the strongest edge across each, and solve for the corners
and the lens distortion that bring the model there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import FOCAL_RANGE, USUAL_K1, Floats, Lens, View, focal_from, homography_of
from engine.board import Board

SAMPLES_PER_EDGE = 4
REACHES = (0.3, 0.2, 0.12, 0.08)
"""Cells searched across a border in each round; a start 3 px off at 45 px a cell is 0.07 cell off."""
STEPS = 13
ROUND_CELLS = 3.5
"""Edges are looked for so far round the board: a grid that is three cells off is compared too."""
MAX_K1 = 0.3
K1_CLAIM = 0.5
"""What the lens distortion that is usual weighs against what the borders say: a border is found within 0.03 cell, and
k1 of a webcam is within 0.1 of the usual. Six times as much takes a third off the error of such lenses and trebles it
at -0.25."""
LEAST_SPREAD_CELLS = 0.1
"""An edge this far off counts half, or further off where most are. With less the near half of a board that fits well
outweighed the far half."""
GOOD_CELLS = 0.08
"""A border whose edge lies within this of where it should be agrees. More lets wrong grids fit, less refuses right ones
whose lens or paper is not quite straight."""


Ends = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True)
class Lattice:
    """Border samples of one level: points and normals on the board plane, (N, 2) each; `rim` marks the outline."""

    points: Floats
    normals: Floats
    rim: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Fit:
    """A refined view, how far its borders are from the edges found (root mean square, cells), and a score 0-100."""

    view: View
    error_cells: float
    score: int
    worst: str
    """The cell whose borders fit worst."""
    better: tuple[float, float] = (0.0, 0.0)
    """The step in cells by which the whole grid would agree better; (0, 0) where it is at its place."""
    rival: tuple[float, float] = (0.0, 0.0)
    """The step in cells that speaks most against this place."""
    lead: float = 0.0
    """Of the borders that would not be any after that step, how many more agree than of the new ones (-1..1)."""


@lru_cache(maxsize=32)
def board_lattice(board: Board, level: int = 0) -> Lattice:
    """All cell borders of a level, each once."""
    cells = np.array([xy for xy, plane in zip(board.centres_xy, board.levels, strict=True) if plane == level])
    return _sample_borders(np.array(list(_cell_borders(board, cells).values())))


def inner_lattice(board: Board, cells: Floats, but: Floats) -> Lattice | None:
    """The borders between two of `cells`, centres (N, 2) of the board's outline, that are none of the cells `but`; None
    if there are none."""
    others = _cell_borders(board, but)
    lines = [row for ends, row in _cell_borders(board, cells).items() if ends not in others and row[4] > 1]
    return _sample_borders(np.array(lines)) if lines else None


@lru_cache(maxsize=32)
def shifted_lattices(board: Board, level: int = 0) -> tuple[Lattice, npt.NDArray[np.int64], Floats]:
    """Borders of a level as it is and after each of `steps`, which samples belong to each: (steps, N), and the share
    of the borders that are none as it is: (steps,)."""
    cells = np.array([xy for xy, plane in zip(board.centres_xy, board.levels, strict=True) if plane == level])
    numbers: dict[Ends, int] = {}
    rows: list[Floats] = []
    members = []
    for step in grid_steps(board):
        mine = _cell_borders(board, cells + np.array(step))
        for key, row in mine.items():
            if key not in numbers:
                numbers[key] = len(rows)
                rows.append(row)
        edges = np.array([numbers[key] for key in mine])
        members.append((edges[:, None] * SAMPLES_PER_EDGE + np.arange(SAMPLES_PER_EDGE)).ravel())
    own = np.isin(np.array(members), members[0])
    return _sample_borders(np.array(rows)), np.array(members), 1.0 - own.mean(axis=1)


def grid_steps(board: Board) -> list[tuple[float, float]]:
    """No step; one, two and three cells across each border; one between two borders.

    Three ranks of pieces hide so many borders that a grid three cells off looks better than one that is two off.
    """
    ends = np.array(board.outline_xy)
    across = ends + np.roll(ends, -1, axis=0)
    ways = [np.zeros(2), *(n * way for way in across for n in (1, 2, 3)), *(across + np.roll(across, -1, axis=0))]
    return [(float(x), float(y)) for x, y in ways]


def _cell_borders(board: Board, cells: Floats) -> dict[Ends, Floats]:
    """The borders of cells with these centres: rounded ends -> ends and the number of cells it belongs to."""
    edges: dict[Ends, Floats] = {}
    for x, y in cells:
        outline = [(x + dx, y + dy) for dx, dy in board.outline_xy]
        for one, other in zip(outline, outline[1:] + outline[:1], strict=True):
            ends = sorted(
                [(round(one[0] * 1000), round(one[1] * 1000)), (round(other[0] * 1000), round(other[1] * 1000))]
            )
            edge = edges.setdefault((ends[0], ends[1]), np.array([*one, *other, 0]))
            edge[4] += 1
    return edges


def _sample_borders(lines: Floats) -> Lattice:
    """Samples of borders, one a row: x, y of both ends, number of cells."""
    start, end = lines[:, :2], lines[:, 2:4]
    share = (np.arange(SAMPLES_PER_EDGE) + 0.5) / SAMPLES_PER_EDGE
    points = (start[:, None] + (end - start)[:, None] * share[None, :, None]).reshape(-1, 2)
    along = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
    normals = np.repeat(np.column_stack([-along[:, 1], along[:, 0]]), SAMPLES_PER_EDGE, axis=0)
    return Lattice(points, normals, np.repeat(lines[:, 4] == 1, SAMPLES_PER_EDGE))


def refine_view(
    board: Board,
    view: View,
    image: npt.NDArray[np.uint8],
    level: int = 0,
    energy: npt.NDArray[np.float32] | None = None,
    *,
    lens_known: bool = False,
) -> Fit:
    """The view that agrees best with the edges of `image`, near `view`; `energy` if they are known, see `edges_for`."""
    grid = board_lattice(board, level)
    energy = edges_for(board, view, image, level) if energy is None else energy
    best = view
    for reach in REACHES:
        offsets, weights = found_across(best, grid, energy, reach)
        best = _solve_corners(best, grid, offsets, weights, lens_known=lens_known)
    return _assess_energy(board, best, energy, level)


def assess_view(
    board: Board,
    view: View,
    image: npt.NDArray[np.uint8],
    level: int = 0,
    energy: npt.NDArray[np.float32] | None = None,
) -> Fit:
    """How well the view agrees with the edges of `image`, as it is."""
    energy = edges_for(board, view, image, level) if energy is None else energy
    return _assess_energy(board, view, energy, level)


def edges_for(board: Board, view: View, image: npt.NDArray[np.uint8], level: int = 0) -> npt.NDArray[np.float32]:
    """`edge_energy` at the size that the cells have in `view`; the dearest step, and the same for all views near it."""
    grid = board_lattice(board, level)
    pitch = float(np.median(view.pitch_px(grid.points)))
    px = view.project_points(grid.points)
    low, high = px.min(axis=0) - ROUND_CELLS * pitch, px.max(axis=0) + ROUND_CELLS * pitch
    h, w = image.shape[:2]
    (x0, y0), (x1, y1) = np.clip([low, high], 0, [w, h]).astype(int).tolist()
    energy = np.zeros((h, w), np.float32)
    if x1 > x0 and y1 > y0:
        energy[y0:y1, x0:x1] = edge_energy(image[y0:y1, x0:x1], pitch)
    return energy


USUAL_SHARE = 0.7
"""Share of borders that agree on a right grid with pieces standing on it: 0.75 to 0.97 on the reference pictures."""
SHIFTED_SCORE = 40
"""A grid that agrees better when shifted by a cell is none, however many of its lines lie on lines."""
SHIFT_MARGIN = 0.015
"""By how much of all borders: a row of Camelot's is 0.04 and more; what a hand lays over the rim is less."""


def _assess_energy(board: Board, view: View, energy: npt.NDArray[np.float32], level: int) -> Fit:
    """Quality of a view over the strength of edges."""
    grid, shifts, new = shifted_lattices(board, level)
    offsets, weights = found_across(view, grid, energy, REACHES[0])
    agree = (weights > 0.1) & (np.abs(offsets) < GOOD_CELLS)
    shares = agree[shifts].mean(axis=1)
    own = shifts[0]
    near = offsets[own][agree[own]]
    error = float(np.sqrt(np.mean(near**2))) if len(near) else 1.0
    here = np.flatnonzero(np.array(board.levels) == level)
    away = np.abs(grid.points[own][None] - np.array(board.centres_xy)[here][:, None]).max(axis=2)
    misses = (away < 0.6) @ ~agree[own] / (away < 0.6).sum(axis=1)
    worst = board.cells[int(here[int(np.argmax(misses))])]
    score = round(100 * min(1.0, float(shares[0]) / USUAL_SHARE))
    leads = (shares[0] - shares[1:]) / new[1:]
    rival, best = 1 + int(np.argmin(leads)), int(np.argmax(shares))
    fit = Fit(view, error, score, worst, rival=grid_steps(board)[rival], lead=float(leads.min()))
    if float(shares[best]) <= float(shares[0]) + SHIFT_MARGIN:
        return fit
    return replace(fit, score=min(score, SHIFTED_SCORE), better=grid_steps(board)[best])


def edge_energy(image: npt.NDArray[np.uint8], pitch_px: float) -> npt.NDArray[np.float32]:
    """Strength of edges, blurred so that the two sides of a drawn line become one ridge."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32), (0, 0), 0.8)
    gx, gy = cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)
    strength = cv2.sqrt(cv2.magnitude(gx, gy))
    return np.asarray(cv2.GaussianBlur(strength, (0, 0), max(1.0, 0.045 * pitch_px)), np.float32)


def found_across(view: View, grid: Lattice, energy: npt.NDArray[np.float32], reach: float) -> tuple[Floats, Floats]:
    """For each border sample how far across the strongest edge lies (cells) and how clear it is (0..1)."""
    offsets = np.linspace(-reach, reach, STEPS)
    points = grid.points[:, None, :] + grid.normals[:, None, :] * offsets[None, :, None]
    pixels = view.project_points(points.reshape(-1, 2)).astype(np.float32).reshape(len(grid.points), STEPS, 2)
    profile = cv2.remap(energy, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    at = profile.argmax(axis=1)
    inner = at.clip(1, STEPS - 2)
    rows = np.arange(len(at))
    left, top, right = profile[rows, inner - 1], profile[rows, inner], profile[rows, inner + 1]
    bend = left - 2 * top + right
    shift = np.where(np.abs(bend) > 1e-6, 0.5 * (left - right) / np.where(np.abs(bend) > 1e-6, bend, 1), 0).clip(-1, 1)
    where = offsets[inner] + shift * (offsets[1] - offsets[0])
    low = profile.min(axis=1)
    clear = (profile.max(axis=1) - low) / (profile.max(axis=1) + 1e-3)
    clear[(at == 0) | (at == STEPS - 1)] = 0
    return where.astype(float), clear.astype(float)


def _solve_corners(view: View, grid: Lattice, offsets: Floats, weights: Floats, *, lens_known: bool) -> View:
    """Gauss-Newton over eight corner coordinates and k1, with Cauchy weights against false edges."""
    normal_px = view.project_points(grid.points + 0.05 * grid.normals) - view.project_points(
        grid.points - 0.05 * grid.normals
    )
    length = np.linalg.norm(normal_px, axis=1, keepdims=True)
    unit = normal_px / np.maximum(length, 1e-9)
    target = (view.project_points(grid.points) * unit).sum(axis=1) + offsets * length[:, 0] / 0.1
    pitch = length[:, 0] / 0.1
    params = np.append(np.array(view.corners_px).ravel(), view.lens.k1)
    free = 8 if lens_known else 9
    # The view bends little within a round: one Jacobian serves all its steps.
    jacobian = np.empty((len(pitch), free))
    start = view.project_points(grid.points)
    for k in range(free):
        step = 0.5 if k < 8 else 0.005
        moved = params.copy()
        moved[k] += step
        jacobian[:, k] = ((_with_params(view, moved).project_points(grid.points) - start) * unit).sum(axis=1) / (
            step * pitch
        )
    damping = np.diag(np.append(np.full(8, 1e-6), np.full(free - 8, 1e-2)))
    usual = USUAL_K1 * view.lens.focal_px**2 / max(view.lens.size_wh) ** 2
    for _ in range(4):
        now = _with_params(view, params)
        residual = (target - (now.project_points(grid.points) * unit).sum(axis=1)) / pitch
        spread = 1.5 * float(np.median(np.abs(residual[weights > 0.1]))) if (weights > 0.1).any() else 0.0
        if not weights.any():  # no line is seen near any border: nothing tells where it should go
            return view
        w = weights / (1 + (residual / max(spread, LEAST_SPREAD_CELLS)) ** 2)
        normal = (jacobian * w[:, None]).T @ jacobian + damping * w.sum() / len(w)
        pull = (jacobian * w[:, None]).T @ residual
        if not lens_known:
            normal[8, 8] += K1_CLAIM
            pull[8] += K1_CLAIM * (usual - params[8])
        params[:free] += np.linalg.solve(normal, pull)
        params[8] = params[8].clip(-MAX_K1, MAX_K1)
    return with_focal(_with_params(view, params))


def _with_params(view: View, params: Floats) -> View:
    corners = tuple((float(params[2 * i]), float(params[2 * i + 1])) for i in range(4))
    lens = Lens(view.lens.size_wh, view.lens.focal_px, float(params[8]))
    return View(lens, view.size_cells, corners)


def with_focal(view: View) -> View:
    """The same view with the focal length that its (straightened) corners tell."""
    lens = view.lens
    straight = lens.undistort_pixels(np.array(view.corners_px))
    focal = focal_from(homography_of(view.size_cells, straight), lens.size_wh)
    longest = max(lens.size_wh)
    if not FOCAL_RANGE[0] * longest < focal < FOCAL_RANGE[1] * longest:
        return view
    # k1 counts in units of the focal length: keep the same bending of the picture.
    return View(Lens(lens.size_wh, focal, lens.k1 * (focal / lens.focal_px) ** 2), view.size_cells, view.corners_px)
