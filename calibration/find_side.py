"""Which way round a board lies that looks the same from several sides: told by the pieces of the start position."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from calibration.find_grid import shape_of
from calibration.view import Floats, View, rectangle
from engine.board import Board

COLOUR_OF_LOOK = {
    "light": (0.5, 1.5, 0.7),
    "dark": (-0.5, -1.5, -0.7),
    "blue": (1.4, -0.7, -0.7),
    "green": (-0.7, 1.4, -0.7),
    "red": (-0.7, -0.7, 1.4),
}
"""Where a piece of that look lies from the colour of its board, blue green red; all equally long.
Green tells light from dark best: a red or a blue set has little of it, whatever the lamp."""
HEIGHTS = (0.1, 0.2, 0.3, 0.4)
"""Heights in cells at which a piece is looked at: over its foot, up to its head."""
NOISE = 5.0
"""Grey levels by which pieces of one look differ anyway."""
CLEAR = 1.0
"""A side is told by that many standard errors between the looks: seven white and seven red pieces in candle light
reach 2, a whole set of Camelot 4 to 20; it is only asked where the start position stands."""
STANDS = 0.75
"""A start position stands there when a cell that should be taken has more edges than an empty one this often:
0.77 to 1 for start positions, 0.4 to 0.67 for other ones."""


def turns(board: Board) -> list[Floats]:
    """The turns of the plane, 3x3 on board coordinates, that bring the outline of `board` onto itself."""
    centres = np.array([xy for xy, level in zip(board.centres_xy, board.levels, strict=True) if level == 0])
    middle = centres.mean(axis=0)
    names = {tuple(xy) for xy in np.round(centres, 3) + 0.0}
    out = []
    for number in range(len(board.outline_xy)):
        angle = 2 * np.pi * number / len(board.outline_xy)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        if {tuple(xy) for xy in np.round((centres - middle) @ turn.T + middle, 3) + 0.0} == names:
            matrix = np.eye(3)
            matrix[:2, :2], matrix[:2, 2] = turn, middle - turn @ middle
            out.append(matrix)
    return out


def turned(view: View, turn: Floats) -> View:
    """The view of the same board, named as if it were turned on the table."""
    corners = np.column_stack([rectangle(view.size_cells), np.ones(4)]) @ turn.T
    pixels = view.project(corners[:, :2])
    return View(view.lens, view.size_cells, tuple((float(x), float(y)) for x, y in pixels))


def best_side(
    board: Board,
    view: View,
    image: npt.NDArray[np.uint8],
    energy: npt.NDArray[np.float32],
    looks: Sequence[str],
) -> tuple[View, bool]:
    """Of the views named from each side the one under which the pieces stand as in `looks`, and whether that is sure.

    `energy` is the strength of edges in `image`, as `edges_for` has it. `looks` has a look a cell, "empty" for none.
    """
    sides = [turned(view, turn) for turn in turns(board)]
    if len(sides) == 1:
        return sides[0], True
    worth = [_agreement(board, side, image, looks) for side in sides]
    order = np.argsort(worth)[::-1]
    best = sides[order[0]]
    clear = min(worth[order[0]], worth[order[0]] - worth[order[1]]) > CLEAR
    return best, bool(clear and stands(board, best, energy, looks) > STANDS)


def stands(board: Board, view: View, energy: npt.NDArray[np.float32], looks: Sequence[str]) -> float:
    """How often a cell that `looks` fills has more edges in its middle than one that it leaves empty (0.5: chance)."""
    taken = np.array([look != "empty" for look, level in zip(looks, board.levels, strict=True) if level == 0])
    centres = np.array([xy for xy, level in zip(board.centres_xy, board.levels, strict=True) if level == 0])
    near = [(0.22 * i, 0.22 * j, z) for i in (-1, 0, 1) for j in (-1, 0, 1) for z in (0.05, 0.3)]
    points = (np.column_stack([centres, np.zeros(len(centres))])[:, None] + np.array(near)).reshape(-1, 3)
    px = view.project(points).astype(np.float32).reshape(len(centres), -1, 2)
    amount = cv2.remap(energy, px[..., 0], px[..., 1], cv2.INTER_LINEAR).mean(axis=1)
    if taken.all() or not taken.any():
        return 0.5
    return float((amount[taken][:, None] > amount[~taken][None]).mean())


def _agreement(board: Board, view: View, image: npt.NDArray[np.uint8], looks: Sequence[str]) -> float:
    """How far the pieces have the colours of their looks, in standard errors of the mean."""
    here = np.array([level == 0 for level in board.levels])
    centres = np.array(board.centres_xy)[here]
    wanted = [look for look, level in zip(looks, board.levels, strict=True) if level == 0]
    piece = np.array([look in COLOUR_OF_LOOK for look in wanted])
    if piece.sum() < 4 or (~piece).sum() < 4:
        return 0.0
    ring = [(0.0, 0.0), (0.09, 0.0), (-0.09, 0.0), (0.0, 0.09), (0.0, -0.09)]
    points = np.array([[[x + dx, y + dy, z] for dx, dy in ring for z in HEIGHTS] for x, y in centres])
    px = view.project(points.reshape(-1, 3)).astype(np.float32).reshape(len(centres), -1, 2)
    colour = cv2.remap(image, px[..., 0], px[..., 1], cv2.INTER_LINEAR).mean(axis=1)
    ground = np.column_stack([_chequer(board, centres), centres])
    slope = np.linalg.lstsq(ground[~piece], colour[~piece], rcond=None)[0]
    off = (colour - ground @ slope)[piece]
    named = np.array([look for look in wanted if look in COLOUR_OF_LOOK])
    sides = [off[named == look] @ np.array(COLOUR_OF_LOOK[look]) for look in sorted(set(named))]
    spread = np.sqrt(sum(float(((side - side.mean()) ** 2).sum()) for side in sides) / len(named))
    return float(sum(side.mean() for side in sides) / np.hypot(spread, NOISE) * np.sqrt(len(named)) / len(sides))


def _chequer(board: Board, centres: Floats) -> Floats:
    """Which of the two (squares) or three (hexagons) colours a chequered board has there, one column a colour."""
    shape = shape_of(board)
    steps = np.round(np.linalg.solve(shape.basis.T, (centres - centres[0]).T)).astype(int)
    colours = shape.turns // 2
    return np.asarray(np.eye(colours)[(steps[0] - steps[1]) % colours])
