"""What looks like a board found and is none to play on: a mirrored picture, a grid on the grain of the wood, one
that reaches beyond the picture, and the board of another game."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.lattice import (
    GOOD_CELLS,
    REACHES,
    SAMPLES_PER_EDGE,
    Lattice,
    board_lattice,
    edges_for,
    found_across,
    inner_lattice,
)
from calibration.markers import detect_markers
from calibration.view import Energy, Floats, Image, View
from engine import games
from engine.board import Board
from engine.errors import InputError

MIRRORED = "the picture is mirrored: turn off mirroring in the camera's settings, or write mirrored: before the camera"
GRAIN = (
    "lines through the middle of the cells are as clear as those between them: wood grain may be taken for the board"
)
BEYOND = "part of the board is outside the picture: move the camera until all of it is seen"
OTHER_BOARD = "the lines are those of another game's board: choose the game that it is for"
SQUARE = 4
"""Corners of a square cell; half a hexagon is no cell."""
AS_CLEAR = 0.6
"""Lines through the middle of the cells that have this share of what those between them have, counted and weighed by
how clear they are, may be them. Right grids had 0.05 to 0.15 on drawn boards and 0.19 to 0.28 on photographs; drawn
ones that were half a cell off 15 and more."""
FEWEST_MARKERS = 2
MOSTLY_ALIKE = 0.35
"""Boards that differ in more than this share of the larger one's cells are told apart by their fit alone. Higher costs
more time, lower leaves out Camelot's and Camblam's."""
SEEN_NATS, UNSEEN_NATS = float(np.log(0.75 / 0.08)), float(np.log(0.25 / 0.92))
"""Nats that a border between two cells says for its being one, where a clear edge lies along all of it and where none
does: so many are seen of right boards, and so many on bare wood or paper. The rim of a board says nothing: frames lie
there."""
LEAST_NATS = 0.55
"""The other board is taken to be likelier by so much a border in which the two differ. Of 153 drawn boards that were
named rightly it was 0.32 at most, of 41 named wrongly that fitted all the same 0.76 and more. Raising it lets boards of
another game pass, lowering it doubts right ones whose lines are hidden by pieces."""
FARTHEST = 4
"""Cells by which another board's corner may lie beside this one's: so many ranks more Camelot has than Camblam. More
only takes time, with fewer Camblam's grid over one end of Camelot's board is not held against it."""
RIM_OFF_CELLS = 0.15
"""A border is seen where its edge lies so near: at the rim of a small picture a right grid is off more than within.
With 0.08 a right board of Chivalry 30 pixels a cell wide had none; more takes grain and frames for borders."""
Cells = frozenset[tuple[int, int]]
"""Places in the lattice, in cells."""


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


def find_likelier_game(board: Board, view: View, image: Image) -> str:
    """The game whose board the lines in the picture are rather than those of `board`, seen by `view`; "" for none."""
    energy = edges_for(board, view, image)
    best = (LEAST_NATS, "")
    for name, more, less in _list_rivals(board):
        (for_it, count), (against, others) = (_weigh_borders(view, one, energy) for one in (more, less))
        if count + others:
            best = max(best, ((for_it - against) / (count + others), name))
    return best[1]


def _weigh_borders(view: View, lattice: Lattice | None, energy: npt.NDArray[np.float32]) -> tuple[float, int]:
    """How many nats the picture says for these borders, and how many there are."""
    if lattice is None:
        return 0.0, 0
    offsets, weights = found_across(view, lattice, energy, REACHES[0])
    agree = (weights > 0.1) & (np.abs(offsets) < RIM_OFF_CELLS)
    whole = np.asarray(agree.reshape(-1, SAMPLES_PER_EDGE).all(axis=1), bool)
    return float(np.where(whole, SEEN_NATS, UNSEEN_NATS).sum()), len(whole)


@lru_cache(maxsize=16)
def _list_rivals(board: Board) -> tuple[tuple[str, Lattice | None, Lattice | None], ...]:
    """Other games' boards as they may lie in the lattice of this one: the game, the borders that only it has, and those
    that only this one has."""
    if not _is_square_lattice(board):
        return ()
    own, found = _cells_of(board), []
    for name in games.names():
        other = games.load(name).board
        if _is_square_lattice(other) and other.cells != board.cells:
            for lies in _list_places(own, _cells_of(other)):
                more, less = (inner_lattice(board, _centres(a), _centres(b)) for a, b in ((lies, own), (own, lies)))
                found.append((name, more, less))
    return tuple(found)


def _is_square_lattice(board: Board) -> bool:
    return len(board.outline_xy) == 4 and not any(board.levels)


def _cells_of(board: Board) -> Cells:
    return frozenset((round(x - 0.5), round(y - 0.5)) for x, y in board.centres_xy)


def _centres(cells: Cells) -> Floats:
    return np.array(sorted(cells), float) + 0.5


def _list_places(own: Cells, other: Cells) -> Iterator[Cells]:
    """The `other` board in each place where it is mostly, but not wholly, alike."""
    seen: set[Cells] = set()
    for turned in (other, frozenset((y, x) for x, y in other)):
        for dx in range(-FARTHEST, FARTHEST + 1):
            for dy in range(-FARTHEST, FARTHEST + 1):
                lies = frozenset((x + dx, y + dy) for x, y in turned)
                if lies not in seen and 0 < len(own ^ lies) <= MOSTLY_ALIKE * max(len(own), len(lies)):
                    seen.add(lies)
                    yield lies
