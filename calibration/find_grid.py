"""The grid of a board on a plane: its pitch and phase from the segments, its place from the outline.

In metric coordinates the borders of cells lie on evenly spaced parallel lines; a periodogram gives spacing and phase.
Which cell is which follows from the outline: of all places and turns of the board on that endless grid, the one under
whose borders the picture has most edges and beside whose rim it has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from calibration.find_lines import Plane, Segments, distort_points
from calibration.view import Floats
from engine.board import Board

PERIODS_PER_WIDTH = (5.0, 110.0)
"""Lines of one direction over the picture's width: 5 for an 8x8 board out of the picture, 110 for 7 px each."""
PERIOD_STEP = 1.004
MOST_LINES = 200
"""Segments of one direction that are looked at, the longest."""
RATIO_STEPS = 12
"""Spacings of two directions may differ by this many steps (5 %): the focal length is a guess until now."""
NEARLY = (0.5, 0.72, 1.0)
"""Wider spacings are tried too when they explain the segments this well beside the best one: all borders of a grid lie
on the lines of one half as wide, and so may the edge of the sheet it is printed on."""
REACH_CELLS = 26
"""Half the side of the endless grid that is looked at."""
ALONG = 5
ACROSS = np.array([-0.26, -0.08, 0.0, 0.08, 0.26])
"""Where a border is looked for across it: on it, within what the lens may bend, and beside it."""
FAINT_LINE = 1.5
"""Strength of edge that is noise: the square root of a gradient of two grey levels."""
ABSENT = 0.12
"""A border whose ridge is weaker than this speaks against a cell there. More loses boards with faint lines, less lets a
grid reach over the edge of the board."""


Reals = npt.NDArray[np.float32]


@dataclass(frozen=True)
class GridShape:
    """What a board's grid is made of, in cells: two steps between neighbours, and the borders each cell owns."""

    basis: Floats
    """(2, 2), a step a row."""
    edges: Floats
    """(n / 2, 2, 2): ends of the borders that a cell owns; the opposite ones are its neighbours'."""
    directions: Floats
    """Angles of the borders, radians."""
    spacing: float
    """Distance of the parallel lines that the borders of one direction lie on."""
    turns: int
    """Turns of the grid onto itself."""


@dataclass(frozen=True)
class GridPlace:
    """A homography from board coordinates of level 0 to picture widths, and how well the outline agrees there."""

    matrix: Floats
    worth: float


@lru_cache(maxsize=32)
def shape_of(board: Board) -> GridShape:
    """The grid of `board`."""
    corners = np.array(board.outline_xy)
    ends = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    half = len(corners) // 2
    across = 2 * ends.mean(axis=1)[:half]
    way = ends[:half, 1] - ends[:half, 0]
    angles = np.arctan2(way[:, 1], way[:, 0])
    normal = np.array([-np.sin(angles[0]), np.cos(angles[0])])
    centres = np.array([xy for xy, v in zip(board.centres_xy, board.levels, strict=True) if v == 0])
    lines = np.unique(np.round((centres @ normal)[:, None] + (ends[[0, half], 0] @ normal)[None], 6))
    spacing = min(b - a for a, b in pairwise(lines))
    return GridShape(across[:2], ends[:half], angles, spacing, len(corners))


def find_grids(plane: Plane, lines: Segments, board: Board) -> list[Floats]:
    """Homographies from an endless grid of the board's shape (origin at a crossing of lines) to picture widths.

    The widest grid first: a board may seem to lie on a finer one, not on a wider one.
    """
    shape = shape_of(board)
    flat, weights, angle = _on_plane(plane, lines)
    # The first direction of the board lies along the plane's x.
    normals = [np.array([-np.sin(a), np.cos(a)]) for a in shape.directions - shape.directions[0]]
    few, many = PERIODS_PER_WIDTH
    periods = np.exp(-np.arange(np.log(few), np.log(many), np.log(PERIOD_STEP)))
    waves = []
    for n, a in zip(normals, shape.directions - shape.directions[0], strict=True):
        turned = np.abs((angle - a + np.pi / 2) % np.pi - np.pi / 2)
        mine = np.argsort(np.where(turned < 0.06, -weights, 0))[:MOST_LINES]
        mine = mine[turned[mine] < 0.06]
        offset = flat[mine] @ n
        # The edge of a table is long, but it is one edge.
        worth = np.minimum(weights[mine], 2 * np.median(weights[mine])) if len(mine) else weights[mine]
        phase = (2 * np.pi * offset[None] / periods[:, None]).astype(np.float32)
        waves.append((np.cos(phase) @ worth + 1j * (np.sin(phase) @ worth)) / max(float(worth.sum()), 1e-9))
    if not all(np.abs(w).max() > 0.05 for w in waves):
        return []
    window = np.ones(2 * RATIO_STEPS + 1)
    strength = sum(cv2.dilate(np.abs(w)[:, None].astype(np.float32), window[:, None])[:, 0] for w in waves)
    return [
        _grid_homography(plane, shape, normals, waves, periods, at) for at in _widest_spacings(np.asarray(strength))
    ]


def _widest_spacings(strength: Floats) -> list[int]:
    """Where spacings begin to explain the segments well enough, the widest first."""
    out: list[int] = []
    for share in NEARLY:
        first = int(np.flatnonzero(strength >= share * strength.max())[0])
        at = first + int(np.argmax(strength[first : first + RATIO_STEPS]))
        if all(abs(at - other) > RATIO_STEPS for other in out):
            out.append(at)
    return out


def _on_plane(plane: Plane, lines: Segments) -> tuple[Floats, Floats, Floats]:
    """Middles on the plane (N, 2), lengths and angles of the segments that lie before the horizon."""
    back = np.linalg.inv(plane.to_picture)
    ends = np.concatenate([lines.ends, np.ones((*lines.ends.shape[:2], 1))], axis=2) @ back.T
    ahead = (ends[..., 2] > 0.15 * np.median(ends[..., 2])).all(axis=1)
    ends = ends[ahead][..., :2] / ends[ahead][..., 2:]
    way = ends[:, 1] - ends[:, 0]
    return ends.mean(axis=1), lines.length[ahead], np.arctan2(way[:, 1], way[:, 0])


def _grid_homography(
    plane: Plane, shape: GridShape, normals: list[Floats], waves: list[Floats], periods: Floats, at: int
) -> Floats:
    """The endless grid with the spacing number `at`, each of the first two directions with its own best one near it."""
    near = slice(max(0, at - RATIO_STEPS), at + RATIO_STEPS + 1)
    rows, phases, sizes = [], [], []
    for normal, wave in zip(normals[:2], waves[:2], strict=True):
        k = near.start + int(np.argmax(np.abs(wave[near])))
        rows.append(normal)
        phases.append(np.angle(wave[k]) / (2 * np.pi) * periods[k])
        sizes.append(periods[k] / shape.spacing)
    # A grid point g has normal . g = spacing x integer on both; the plane point p has normal . p = size x that + phase.
    turn = shape.directions[0]
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    mix = np.linalg.solve(np.array(rows), np.diag(sizes) @ np.array(rows) @ turned)
    origin = np.linalg.solve(np.array(rows), np.array(phases))
    affine = np.eye(3)
    affine[:2, :2], affine[:2, 2] = mix, origin
    return np.asarray(plane.to_picture @ affine)


def place_board(board: Board, grid: Floats, energy: npt.NDArray[np.float32]) -> GridPlace:
    """Where on an endless grid the board lies, from the outline; `energy` is the strength of edges in the picture."""
    shape = shape_of(board)
    middle = np.linalg.solve(grid, [0.0, 0.0, 1.0])
    centre = np.linalg.solve(shape.basis.T, middle[:2] / middle[2]).round() @ shape.basis
    starts = [np.zeros(2), *(-np.array(board.outline_xy[: 2 if shape.turns == 6 else 1]))]
    best = GridPlace(grid, -1.0)
    for start in starts:
        origin = centre + start
        borders = _border_clearness(shape, grid, origin, energy)
        for turn in range(shape.turns):
            template, low, turned = _turned_template(board, turn)
            answer = sum(
                cv2.filter2D(b - ABSENT, -1, t, anchor=(0, 0), borderType=cv2.BORDER_CONSTANT)
                for b, t in zip(borders, template, strict=True)
            )
            _, worth, _, (column, row) = cv2.minMaxLoc(np.asarray(answer, np.float32))
            worth /= float(sum(t.sum() for t in template)) * (1 - ABSENT)
            if worth > best.worth:
                first = np.array([column - REACH_CELLS - low[0], row - REACH_CELLS - low[1]]) @ shape.basis + origin
                shift = np.eye(3)
                shift[:2, :2], shift[:2, 2] = turned, first - turned @ np.array(board.centres_xy[0])
                best = GridPlace(np.asarray(grid @ shift), float(worth))
    return best


def _border_clearness(shape: GridShape, grid: Floats, origin: Floats, energy: npt.NDArray[np.float32]) -> list[Reals]:
    """For each border a cell owns, how clear it is (0..1) on every cell of the endless grid, (row, column)."""
    steps = np.arange(-REACH_CELLS, REACH_CELLS + 1)
    column, row = np.meshgrid(steps, steps)
    cells = (column[..., None] * shape.basis[0] + row[..., None] * shape.basis[1] + origin).reshape(-1, 2)
    h, w = energy.shape
    middles = np.column_stack([cells, np.ones(len(cells))]) @ grid.T
    middles_px = middles[:, :2] / np.where(middles[:, 2:] > 1e-6, middles[:, 2:], np.nan) * max(w, h)
    seen = np.flatnonzero((np.abs(np.nan_to_num(middles_px, nan=1e6)) < np.array([0.55 * w, 0.55 * h])).all(axis=1))
    out = []
    for one, other in shape.edges:
        share = (np.arange(ALONG) + 0.5) / ALONG
        along = one + (other - one) * share[:, None]
        normal = np.array([one[1] - other[1], other[0] - one[0]]) / np.linalg.norm(other - one)
        points = cells[seen, None, None] + along[:, None] + ACROSS[:, None] * normal
        there = points.reshape(-1, 2) @ grid[:, :2].T + grid[:, 2]
        depth = np.where(there[:, 2:] > 1e-6, there[:, 2:], np.nan)
        px = np.nan_to_num(distort_points(there[:, :2] / depth) * max(w, h) + [w / 2, h / 2], nan=-1e4).clip(-1e4, 1e4)
        px = px.astype(np.float32).reshape(len(seen), -1, 2)
        values = cv2.remap(energy, px[..., 0], px[..., 1], cv2.INTER_LINEAR).reshape(len(seen), ALONG, len(ACROSS))
        on = values[:, :, 1:4].mean(axis=1).max(axis=1)
        off = values[:, :, [0, 4]].mean(axis=(1, 2))
        clear = np.zeros(len(cells), np.float32)
        clear[seen] = ((on - off) / (on + off + FAINT_LINE)).clip(0, 1)
        out.append(clear.reshape(column.shape))
    return out


def _turned_template(board: Board, turn: int) -> tuple[list[Reals], tuple[int, int], Floats]:
    """The borders of a turned board, one array for each border a cell owns; where its first cell is; the 2x2 turn."""
    shape = shape_of(board)
    angle = 2 * np.pi * turn / shape.turns
    turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    centres = np.array([xy for xy, v in zip(board.centres_xy, board.levels, strict=True) if v == 0])
    to_index = np.linalg.inv(shape.basis.T)
    cells = np.round((centres - centres[0]) @ turned.T @ to_index.T).astype(int)
    beyond = [np.round(to_index @ (one + other)).astype(int) for one, other in shape.edges]
    every = np.concatenate([cells, *(cells - step for step in beyond)])
    low, size = every.min(axis=0), np.ptp(every, axis=0) + 1
    out = []
    for step in beyond:
        borders = np.zeros((size[1], size[0]), np.float32)
        for owners in (cells - low, cells - step - low):
            borders[owners[:, 1], owners[:, 0]] = 1
        out.append(borders)
    return out, (int(low[0]), int(low[1])), turned
