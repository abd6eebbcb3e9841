"""A board somewhere in a picture: a rough view of it from grid and outline, and that view drawn onto its lines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.find_grid import GridPlace, find_grids, place_board, shape_of
from calibration.find_lines import Plane, Segments, distort_points, find_planes, find_segments
from calibration.lattice import Fit, board_lattice, edge_energy, edges_for, with_focal
from calibration.solve import refine_near
from calibration.view import FOCAL_GUESS, USUAL_K1, Energy, Image, Lens, View, rectangle_corners
from engine.board import Board

SEARCH_PX, LEVELS_SEARCH_PX = 800, 1280
"""Pictures are searched at this width: a Camelot board seen from 35 degrees still has 12 px a cell at its far end.
Levels that lie side by side are smaller in the picture."""
MOST_ENLARGED = 1.25
"""Smaller pictures are enlarged so far for the search: the detector of line segments shrinks what it gets to 0.8 and
loses the short borders of small cells. Raising it costs time, lowering it to 1 finds no board in some. Fitted on three
films of boards of grained wood, 640 pixels wide and 18 to 24 a cell at the far end: the board is found in two of nine
frames at their own size, in all nine at 1.25 as at 1.6 and at 2. Of 41 starts of another outsider's renderer, shrunk
to 512 pixels and with noise of 5 grey levels, 39 are found and 38 at their own size."""
SMALL_PITCH_PX = 20
MOST_PLANES = 6
"""Among the best supported two in all trials; each costs 30 ms and more."""
TRIES = 3
"""Vanishing points are drawn by lot; where pieces or grain hide the lines the first draw may miss them."""
WEAKER = 0.7
"""A plane with less than this part of the best one's support is tried only while nothing was found. More
is quicker and may take the table for the board; less tries more planes, each of which takes time."""
MOST_STEPS = 4
"""Three ranks of pieces hide the outline from the rough search by as much."""
BESIDE_CELLS = 36
"""Levels that lie beside each other are looked for so far: two boards of eight cells and as much between them."""
BESIDE_PX = 10
"""Pixels a cell of the table as seen from above: a border is a pixel wide then."""
BESIDE_TRIES = 2
ALL_SHOWN = 0.999
"""A place is taken only if the picture shows all of its cells; this is 1 but for rounding. Of the corners of its
rectangle, where a board of Cam 3-D has no cells, it need not show any."""
BESIDE_OTHERS = 0.9
"""... and if so much of them is beside the levels that are found already. More refuses boards that lie close, whose
rectangles overlap where no cells are; less takes one across two levels for a third."""
SHARED_CELLS = 0.5
"""Cells of two levels whose middles lie nearer to each other than this cover each other. Raising it refuses levels that
lie close, lowering it takes one for another level that is drawn half-way between the lines of a known one. Guessed."""
NEAR_HORIZON = 0.2
"""The table further away than five times the board is not looked at."""
BLOB_CELLS = 0.5
"""So much of the table round a level must be empty: a row less would fit too."""
EDGE_PX = 2.0
"""The outline of a level that is found lies as near as this to where it was found."""
SURE_MARK, LIKELY, LEAST_WORTH = 0.2, 0.15, 0.03
"""Worth of an outline: right places have 0.1 to 0.35 (0.1 under a hand and a mug, 0.04 where ranks of pieces lie along
two sides of it or the cloth round it has a weave), wrong planes mostly under 0.01, but one that the grain of wood tells
had 0.13. What is worth the last is drawn onto the lines and judged by them: raising it sees no board where one is,
lowering it looks longer where none is."""


def search_places(board: Board, image: Image, others: Sequence[View] = ()) -> list[View]:
    """Rough views, the likeliest first, within a third of a cell, any of the sides that look the same in front: where
    pieces hide the rows of a board it seems to lie in the bare middle too, on a grid twice as fine.

    Where `others` show a level of the board already, no other one is looked for.
    """
    h, w = image.shape[:2]
    scale = min(MOST_ENLARGED, (LEVELS_SEARCH_PX if max(board.levels) else SEARCH_PX) / max(h, w))
    small = _scale_image(image, scale)
    lines = find_segments(np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8))
    directions = shape_of(board).directions
    angle = abs((directions[1] - directions[0] + np.pi / 2) % np.pi - np.pi / 2)
    energy = edge_energy(np.asarray(small, np.uint8), SMALL_PITCH_PX)
    for other in others:
        lines = _remove_level(other, scale, lines, energy)
    places: list[GridPlace] = []
    for seed in range(TRIES):
        _add_places(places, board, find_planes(lines, float(angle), seed)[:MOST_PLANES], lines, energy)
        if _best_worth(places) > SURE_MARK:
            break
    places.sort(key=lambda place: -place.worth)
    views = [_view_of_place(board, place, (w, h)) for place in places if place.worth >= LEAST_WORTH]
    return [view for at, view in enumerate(views) if not any(_is_same_place(view, before) for before in views[:at])]


def _add_places(
    places: list[GridPlace], board: Board, found_planes: Sequence[Plane], lines: Segments, energy: Energy
) -> None:
    """Add the places on these planes, the strongest first, until one is good enough."""
    for plane in found_planes:
        likely = plane.support > WEAKER * found_planes[0].support
        if _best_worth(places) > (SURE_MARK if likely else LIKELY):
            break
        for grid in find_grids(plane, lines, board):
            if _best_worth(places) < SURE_MARK:
                places.append(place_board(board, grid, energy))


def _best_worth(places: Sequence[GridPlace]) -> float:
    return max((place.worth for place in places), default=-1.0)


def _is_same_place(one: View, other: View) -> bool:
    """Whether two views have the same board in the same place, from whichever side."""
    apart = np.linalg.norm(np.array(one.corners_px)[:, None] - np.array(other.corners_px)[None], axis=2)
    return bool((apart.min(axis=1) < other.pitch_px(rectangle_corners(other.size_cells)).max()).all())


def share_cells(board: Board, one: View, other: View) -> bool:
    """Whether a level seen in `one` would lie on cells of a level seen in `other`; levels lie apart on the table."""
    centres = np.array([xy for xy, level in zip(board.centres_xy, board.levels, strict=True) if level == 0])
    mine, others = one.project_points(centres), other.project_points(centres)
    apart = np.linalg.norm(mine[:, None] - others[None], axis=2)
    return bool((apart < SHARED_CELLS * other.pitch_px(centres)).any())


def search_beside(board: Board, view: View, image: Image, others: Sequence[View]) -> list[View]:
    """Where on the table of `view` more levels of the board may lie, the likeliest first, apart from `others`.

    The plane and the width of a cell are known: the picture is looked at from above, and the grid is laid everywhere.
    """
    # How a level's own lines bend tells little of the picture further away.
    view = with_focal(View(_usual_lens(view.lens.size_wh), view.size_cells, view.corners_px))
    reach = np.arange(-BESIDE_CELLS, BESIDE_CELLS, 1 / BESIDE_PX)
    half = np.array(board.size_wh) / 2
    x, y = np.meshgrid(reach + half[0], reach + half[1])
    points = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    depth = points @ view.projection_matrix[2, :3] + view.projection_matrix[2, 3]
    px = np.where(depth[:, None] > NEAR_HORIZON * np.median(depth), view.project_points(points), -1.0)
    px = px.astype(np.float32).reshape(len(reach), len(reach), 2)
    energy = edge_energy(image, float(np.median(view.pitch_px(rectangle_corners(board.size_wh)))))
    for other in others:
        _wipe_level(other, energy)
    flat = cv2.remap(energy, px[..., 0], px[..., 1], cv2.INTER_LINEAR)
    out: list[tuple[float, View]] = []
    table = np.ones_like(energy)
    shown = cv2.remap(table, px[..., 0], px[..., 1], cv2.INTER_NEAREST)
    for other in others:
        _wipe_level(other, table)
    free = cv2.remap(table, px[..., 0], px[..., 1], cv2.INTER_NEAREST)
    for turn in range(2):
        template = np.ascontiguousarray(np.rot90(_draw_template(board), turn))
        answer = cv2.matchTemplate(flat, template, cv2.TM_CCOEFF_NORMED)
        h, w = template.shape
        cells = np.ascontiguousarray(np.rot90(_draw_cells(board), turn))
        for of_table, least in ((shown, ALL_SHOWN), (free, BESIDE_OTHERS)):
            share = cv2.matchTemplate(of_table, cells, cv2.TM_CCORR) / cells.sum()
            answer[share < least] = -1.0  # even grey is like anything
        for _ in range(BESIDE_TRIES):
            _, worth, _, (column, row) = cv2.minMaxLoc(answer)
            middle = half - BESIDE_CELLS + np.array([column + w / 2, row + h / 2]) / BESIDE_PX
            corners = rectangle_corners(board.size_wh) - half
            corners = corners @ np.array([[0.0, 1.0], [-1.0, 0.0]]) if turn else corners
            seen = view.project_points(corners + middle)
            if worth > 0:
                out.append((worth, View(view.lens, view.size_cells, tuple((float(x), float(y)) for x, y in seen))))
            answer[max(0, row - h // 2) : row + h // 2, max(0, column - w // 2) : column + w // 2] = -1.0
    return [found for _, found in sorted(out, key=lambda pair: -pair[0])]


def _blank_template(board: Board) -> npt.NDArray[np.float32]:
    """A level as seen from above, with the table round it, before anything is drawn."""
    w, h = (round(BESIDE_PX * (side + 2 * BLOB_CELLS)) for side in board.size_wh)
    return np.zeros((h, w), np.float32)


@lru_cache(maxsize=8)
def _draw_cells(board: Board) -> npt.NDArray[np.float32]:
    """The cells of a level as seen from above: 1 there, 0 where the table is."""
    out = _blank_template(board)
    for centre, level in zip(board.centres_xy, board.levels, strict=True):
        if level == 0:
            outline = (np.array(board.outline_xy) + centre + BLOB_CELLS) * BESIDE_PX
            cv2.fillPoly(out, [np.round(outline).astype(np.int32)], 1.0)
    return out


@lru_cache(maxsize=8)
def _draw_template(board: Board) -> npt.NDArray[np.float32]:
    """The borders of a level as seen from above, with the empty table round it."""
    out = _blank_template(board)
    h, w = out.shape
    for column, row in (
        np.round(BESIDE_PX * (board_lattice(board).points + BLOB_CELLS)).astype(int).clip(0, [w - 1, h - 1])
    ):
        out[row, column] = 1.0
    return np.asarray(cv2.GaussianBlur(out, (0, 0), 1.0), np.float32)


def _wipe_level(other: View, energy: Energy, scale: float = 1.0) -> npt.NDArray[np.float32]:
    """Wipe the edges of a level that is found already out of `energy`; its rim in pixels."""
    rim_px = (other.project_points(rectangle_corners(other.size_cells)) * scale).astype(np.float32)
    cv2.fillConvexPoly(energy, np.round(rim_px).astype(np.int32), 0.0)
    return rim_px


def _remove_level(other: View, scale: float, lines: Segments, energy: Energy) -> Segments:
    """The segments outside of a level that is found already; `energy` is cleared there."""
    h, w = energy.shape
    rim_px = _wipe_level(other, energy, scale)
    middles = distort_points(lines.middle_points) * max(w, h) + [w / 2, h / 2]
    out = [cv2.pointPolygonTest(rim_px, (float(x), float(y)), measureDist=True) < -EDGE_PX for x, y in middles]
    return Segments(lines.ends[out], lines.length[out], lines.px)


def fit_rough_view(board: Board, rough: View, image: Image, lens: Lens | None, energy: Energy | None = None) -> Fit:
    """The view near a rough one, moved to where the outline agrees; `energy` if it is known, see `edges_for`."""
    energy = edges_for(board, rough, image) if energy is None else energy
    fit = refine_near(board, rough, image, lens=lens, energy=energy)
    for _ in range(MOST_STEPS):
        if fit.better == (0.0, 0.0):
            break
        fit = refine_near(board, step_view(fit.view, fit.better), image, lens=lens, energy=energy)
    return fit


def step_view(view: View, step: tuple[float, float]) -> View:
    """The view with the grid moved by `step` cells."""
    corners = view.project_points(rectangle_corners(view.size_cells) + step)
    return View(view.lens, view.size_cells, tuple((float(x), float(y)) for x, y in corners))


def _scale_image(image: Image, scale: float) -> Image:
    """The picture in the size of the search; halves first, which is quick, then linear."""
    while scale <= 0.5:
        image, scale = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)), scale * 2
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR), np.uint8)


def _view_of_place(board: Board, found: GridPlace, size_wh: tuple[int, int]) -> View:
    """The view that a place in the picture means."""
    longest = max(size_wh)
    seen = np.column_stack([rectangle_corners(board.size_wh), np.ones(4)]) @ found.matrix.T
    corners = distort_points(seen[:, :2] / seen[:, 2:]) * longest + np.array(size_wh) / 2
    return with_focal(View(_usual_lens(size_wh), board.size_wh, tuple((float(x), float(y)) for x, y in corners)))


def _usual_lens(size_wh: tuple[int, int]) -> Lens:
    """The lens of a plain webcam."""
    return Lens(size_wh, FOCAL_GUESS * max(size_wh), USUAL_K1 * FOCAL_GUESS**2)
