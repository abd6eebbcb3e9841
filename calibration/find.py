"""Finding the board by itself: by its markers, else by the grid and the outline that every board of a game has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.find_grid import Place, grids, place, shape_of
from calibration.find_lines import USUAL_K1, bent, planes, segments
from calibration.find_side import best_side
from calibration.lattice import edge_energy, edges_for, steps, with_focal
from calibration.markers import detect, places
from calibration.solve import GOOD_FIT, Image, Solution, by_markers, refined_near
from calibration.view import FOCAL_GUESS, Lens, View, rectangle
from engine.board import Board
from engine.errors import InputError

SEARCH_PX = 800
"""Pictures are searched at this width: a Camelot board seen from 35 degrees still has 12 px a cell at its far end."""
SMALL_PITCH_PX = 20
MOST_PLANES = 6
"""Among the best supported two in all trials; each costs 30 ms and more."""
TRIES = 3
"""Vanishing points are drawn by lot; where pieces or grain hide the lines the first draw may miss them."""
WEAKER = 0.7
"""A plane with less than this part of the best one's support is tried only while nothing was found."""
MOST_STEPS = 4
"""Three ranks of pieces hide the outline from the rough search by as much."""
RIGHT_FIT = 85
"""A grid that fits so well is taken; else its neighbours are tried too, and the best is in doubt. Of 41 drawn pictures
40 right grids had 98 and more, and one with four lines over three ranks had 76."""
SURE, LEAST_WORTH = 0.2, 0.05
"""Worth of an outline: right places have 0.1 to 0.35 (0.1 under a hand and a mug), wrong planes under 0.01."""


def by_itself(board: Board, image: Image, looks: Sequence[str] | None, lens: Lens | None = None) -> list[Solution]:
    """The views of all levels of `board`, found without help. `looks` says what stands on each cell at the start.

    InputError when no board is seen. A side that `looks` does not settle is told by a fit under GOOD_FIT.
    """
    levels = range(max(board.levels) + 1)
    seen = detect(image)
    if all(len(seen.keys() & places(board, level).keys()) > 1 for level in levels):
        return [by_markers(board, image, places(board, level), level, lens) for level in levels]
    if len(levels) > 1:
        raise InputError(f"the board has {len(levels)} levels: they are found by markers only; or give --points")
    return [by_grid(board, image, looks, lens)]


def by_grid(board: Board, image: Image, looks: Sequence[str] | None, lens: Lens | None = None) -> Solution:
    """The view that the grid of the board and its outline tell, named so that `looks` stand on the cells."""
    found = search(board, image)
    if found is None:
        raise InputError(
            "no board is seen: show all of it, flat and well lit, or give --markers, --corners or --points"
        )
    best = _settled(board, found, image, looks, lens)
    for step in steps(board)[1:]:
        if looks is None or (not best.doubt and best.fit >= RIGHT_FIT):
            break
        other = _settled(board, _stepped(found, step), image, looks, lens)
        best = max(best, other, key=lambda solution: (not solution.doubt, solution.fit))
    if best.doubt or best.fit >= RIGHT_FIT:
        return best
    doubt = "too few of the lines that are seen are the board's: give --markers or --corners"
    return replace(best, fit=min(best.fit, GOOD_FIT - 1), doubt=doubt)


def _settled(board: Board, rough: View, image: Image, looks: Sequence[str] | None, lens: Lens | None) -> Solution:
    """The view near a rough one, moved to where the outline agrees, with its sides named."""
    energy = edges_for(board, rough, image)
    fit = refined_near(board, rough, image, lens=lens, energy=energy)
    for _ in range(MOST_STEPS):
        if fit.better == (0.0, 0.0):
            break
        fit = refined_near(board, _stepped(fit.view, fit.better), image, lens=lens, energy=energy)
    view, sure = best_side(board, fit.view, image, energy, looks) if looks else (fit.view, False)
    if sure:
        return Solution(view, "grid", fit.error_cells, fit.score, fit.worst)
    doubt = "which side is which is not sure: set up the start position"
    return Solution(view, "grid", fit.error_cells, min(fit.score, GOOD_FIT - 1), fit.worst, doubt)


def _stepped(view: View, step: tuple[float, float]) -> View:
    """The view with the grid moved by `step` cells."""
    corners = view.project(rectangle(view.size_cells) + step)
    return View(view.lens, view.size_cells, tuple((float(x), float(y)) for x, y in corners))


def search(board: Board, image: Image) -> View | None:
    """A rough view, within a third of a cell, any of the sides that look the same in front; None where no board is."""
    h, w = image.shape[:2]
    scale = min(1.0, SEARCH_PX / max(h, w))
    small = _smaller(image, scale)
    lines = segments(np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8))
    directions = shape_of(board).directions
    angle = abs((directions[1] - directions[0] + np.pi / 2) % np.pi - np.pi / 2)
    energy = edge_energy(np.asarray(small, np.uint8), SMALL_PITCH_PX)
    best: Place | None = None
    for seed in range(TRIES):
        found_planes = planes(lines, float(angle), seed)[:MOST_PLANES]
        for plane in found_planes:
            likely = plane.support > WEAKER * found_planes[0].support
            if best is not None and best.worth > (SURE if likely else LEAST_WORTH):
                break
            for grid in grids(plane, lines, board):
                if best is None or best.worth < SURE:
                    found = place(board, grid, energy)
                    best = found if best is None or found.worth > best.worth else best
        if best is not None and best.worth > SURE:
            break
    return None if best is None or best.worth < LEAST_WORTH else _view(board, best, (w, h))


def _smaller(image: Image, scale: float) -> Image:
    """The picture scaled down; halves first, which is quick, then linear."""
    while scale <= 0.5:
        image, scale = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)), scale * 2
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR), np.uint8)


def _view(board: Board, found: Place, size_wh: tuple[int, int]) -> View:
    """The view that a place in the picture means."""
    longest = max(size_wh)
    seen = np.column_stack([rectangle(board.size_wh), np.ones(4)]) @ found.matrix.T
    corners = bent(seen[:, :2] / seen[:, 2:]) * longest + np.array(size_wh) / 2
    lens = Lens(size_wh, FOCAL_GUESS * longest, USUAL_K1 * FOCAL_GUESS**2)
    return with_focal(View(lens, board.size_wh, tuple((float(x), float(y)) for x, y in corners)))
