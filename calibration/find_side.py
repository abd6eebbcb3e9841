"""Which way round a board lies that looks the same from several sides: told by the pieces of the start position."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from calibration.find_grid import shape_of
from calibration.view import Floats, View, rectangle_corners
from engine.board import Board

AnyPicture = npt.NDArray[np.uint8] | npt.NDArray[np.float32]

COLOUR_OF_LOOK = {
    "light": (0.5, 1.5, 0.7),
    "dark": (-0.5, -1.5, -0.7),
    "blue": (1.4, -0.7, -0.7),
    "green": (-0.7, 1.4, -0.7),
    "red": (-0.7, -0.7, 1.4),
}
"""Where a piece of that look lies from the colour of its board, blue green red; all equally long.
Green tells light from dark best: a red or a blue set has little of it, whatever the lamp."""
EDGES_AT = np.array([(0.22 * i, 0.22 * j, z) for i in (-1, 0, 1) for j in (-1, 0, 1) for z in (0.05, 0.3)])
COLOURS_AT = np.array(
    [
        (radius * np.cos(angle), radius * np.sin(angle), z)
        for radius, count in ((0.0, 1), (0.1, 4), (0.2, 8))
        for angle in np.arange(count) * 2 * np.pi / count
        for z in (0.1, 0.2, 0.3, 0.4)
    ]
)
"""Where a piece is looked at, in cells from the middle of its own: over its foot, up to its head. What is printed in
its middle covers less than half of them, so that the middle colour is the piece's own: where five points in the middle
were looked at, white counters with black letters passed for black ones. Wider ones miss slender pieces."""
SAME_GROUPS = 3.0
"""Ways to name levels and sides that group the cells as well as this, in logarithms of likelihood, are told apart by
their colours. Levels named wrongly were 6 to 80 worse in 30 of 30 drawn pictures, under 3 where an arm hid a level or
white stood on white; a board's other side is as good."""
EDGE_NOISE = 0.05
"""How much two cells with the same on them differ in their edges anyway."""
NOISE = 5.0
"""Grey levels by which pieces of one look differ anyway."""
CLEAR = 2.0
"""A side is told by that many standard errors between the looks, where the start position stands. Of 138 drawn starts,
in the evening and of yellow against blue too, the least had 3.8; of 196 positions from games none that was named
wrongly had over 3.3. Raising it asks for the side of boards whose sides are of like colour, lowering it believes
colours that chance has made."""
SAME_PLACE = 0.01
"""Cells within which two places are one."""
FEWEST = 4
"""Pieces, and free cells of a level, that are needed to tell colours."""
STANDS = 0.75
"""A start position stands there when a cell that should be taken has more edges than an empty one this often:
0.77 to 1 for start positions, 0.4 to 0.67 for other ones. More asks for the side of boards that are set up, less
believes to know it from a position in which the pieces are gone."""
COLOURS_ALONE = 8.0
"""Beyond this colours need no edges: flat pieces have hardly more of them than a chequered board, and a hand and its
shadow hide them. More asks for the side of boards that are set up so (of 484 drawn starts 19 had too few edges, 15 of
them 14 to 52 of this; three under a hand had 9.6 and more); less may believe a position in which pieces have changed
sides: of 384 from games none that was named wrongly had over 5."""


def board_turns(board: Board) -> list[Floats]:
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


def turn_view(view: View, turn: Floats) -> View:
    """The view of the same board, named as if it were turned on the table."""
    corners = np.column_stack([rectangle_corners(view.size_cells), np.ones(4)]) @ turn.T
    pixels = view.project_points(corners[:, :2])
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
    sides = [turn_view(view, turn) for turn in board_turns(board)]
    if len(sides) == 1:
        return sides[0], True
    cells = [cells_shown(board, [side], image, energy, looks) for side in sides]
    best, sure = _by_colour(cells, looks, range(len(sides)))
    return sides[best], sure


def fits_mirror(
    board: Board,
    view: View,
    image: npt.NDArray[np.uint8],
    energy: npt.NDArray[np.float32],
    looks: Sequence[str],
) -> bool:
    """Whether the pieces stand as in `looks` in a mirror, and not as it is; never where both are the same."""
    reflected = _mirror_looks(board, looks)
    if reflected is None:
        return False
    sides = [cells_shown(board, [turn_view(view, turn)], image, energy, looks) for turn in board_turns(board)]
    as_it_is, in_mirror = (max(colour_agreement(cells, named) for cells in sides) for named in (looks, reflected))
    return in_mirror > max(as_it_is, 0.0) + CLEAR


def shows_mirror(board: Board, looks: Sequence[str]) -> bool:
    """Whether a mirrored picture of `looks` shows something else than a true one, from whichever side it is seen.

    Of most boards with two players it does not: a start position with a left half like its right one looks the same.
    """
    reflected = _mirror_looks(board, looks)
    if reflected is None:
        return True  # its own outline does not fit
    centres = np.column_stack([np.array(board.centres_xy), np.ones(len(looks))])
    return all(
        _looks_at_places(board, (centres @ turn.T)[:, :2], reflected) != list(looks) for turn in board_turns(board)
    )


def _mirror_looks(board: Board, looks: Sequence[str]) -> list[str] | None:
    """The look of each cell in a mirror; None where the board is not its own mirror image."""
    centres = np.array(board.centres_xy)
    return _looks_at_places(board, np.column_stack([board.size_wh[0] - centres[:, 0], centres[:, 1]]), looks)


def _looks_at_places(board: Board, places: Floats, looks: Sequence[str]) -> list[str] | None:
    """The look of each cell where it comes from the cell of its level at `places` (N, 2); None where there is none."""
    levels = np.array(board.levels)
    apart = np.linalg.norm(places[:, None] - np.array(board.centres_xy)[None], axis=2)
    apart[levels[:, None] != levels[None]] = np.inf
    return None if float(apart.min(axis=1).max()) > SAME_PLACE else [looks[c] for c in apart.argmin(axis=1)]


def best_named(
    board: Board,
    named: Sequence[tuple[View, ...]],
    image: npt.NDArray[np.uint8],
    energy: npt.NDArray[np.float32],
    looks: Sequence[str],
) -> tuple[tuple[View, ...], bool]:
    """The one of several ways to name the levels of a board, a view each, and whether it is sure; see `best_side`."""
    cells = [cells_shown(board, views, image, energy, looks) for views in named]
    alike = [group_likelihood(one, looks) for one in cells]
    likely = [n for n, worth in enumerate(alike) if worth > max(alike) - SAME_GROUPS]
    best, sure = _by_colour(cells, looks, likely)
    # All of it turned is grouped alike, with the colours the wrong way round; other levels may have them right.
    return named[best], sure and all(colour_agreement(cells[n], looks) < 0 for n in likely if n != best)


def _by_colour(cells: Sequence[Floats], looks: Sequence[str], likely: Sequence[int]) -> tuple[int, bool]:
    """Which of the `likely` ways to name what is seen has the pieces in their colours, and whether it is sure."""
    worth = sorted(((colour_agreement(cells[n], looks), n) for n in likely), reverse=True)
    clear = min(worth[0][0], worth[0][0] - (worth[1][0] if len(worth) > 1 else 0.0))
    standing = _standing_share(cells[worth[0][1]], looks)
    return worth[0][1], clear > COLOURS_ALONE or (clear > CLEAR and standing > STANDS)


def cells_shown(
    board: Board,
    views: Sequence[View],
    image: npt.NDArray[np.uint8],
    energy: npt.NDArray[np.float32],
    looks: Sequence[str],
) -> Floats:
    """For each cell the amount of edges in its middle, and how far it is from the colour of the bare board: (N, 4).

    A filled cell is held against all of the board's colours together, as its piece has hardly anything of the one that
    it stands on; against that one alone, pieces of one look were as far apart as the board's colours are. Of several
    levels each is held against its own light: a white piece on one under a lamp was farther from its bare board than a
    black one on another in the dark."""
    bare = np.array(looks) == "empty"
    out, lit = np.zeros((len(bare), 4)), np.ones(len(bare))
    for level, view in enumerate(views):
        here = np.flatnonzero(np.array(board.levels) == level)
        centres = np.array(board.centres_xy)[here]
        out[here, 0] = _sample_picture(energy, view, centres, EDGES_AT).mean(axis=1)
        colour = np.median(_sample_picture(image, view, centres, COLOURS_AT), axis=1)
        columns = _chequer_columns(board, centres)
        ground = np.column_stack([columns, centres])
        slope = np.linalg.lstsq(ground[bare[here]], colour[bare[here]], rcond=None)[0]
        mixed = np.column_stack([np.full_like(columns, 1 / columns.shape[1]), centres])
        out[here, 1:] = colour - np.where(bare[here, None], ground, mixed) @ slope
        lit[here] = max(float((ground @ slope).mean()), 1.0)
    out[:, 1:] *= (lit.mean() / lit)[:, None]
    return out


def _standing_share(cells: Floats, looks: Sequence[str]) -> float:
    """How often a cell that `looks` fills has more edges in its middle than one that it leaves empty (0.5: chance)."""
    taken = np.array(looks) != "empty"
    if taken.all() or not taken.any():
        return 0.5
    amount = cells[:, 0]
    return float((amount[taken][:, None] > amount[~taken][None]).mean())


def group_likelihood(cells: Floats, looks: Sequence[str]) -> float:
    """How much alike cells of one look are: the logarithm of the likelihood with a normal distribution for each look.

    It does not know which look is which.
    """
    within = np.diag(np.square([EDGE_NOISE, NOISE, NOISE, NOISE]))
    for look in set(looks):
        group = cells[np.array(looks) == look]
        within = within + (group - group.mean(axis=0)).T @ (group - group.mean(axis=0)) / len(cells)
    return float(-len(cells) / 2 * np.linalg.slogdet(within)[1])


def colour_agreement(cells: Floats, looks: Sequence[str]) -> float:
    """How far the pieces have the colours of their looks, in standard errors of the mean."""
    named = np.array([look if look in COLOUR_OF_LOOK else "" for look in looks])
    if min((named != "").sum(), (named == "").sum()) < FEWEST:
        return 0.0
    sides = [cells[named == look, 1:] @ np.array(COLOUR_OF_LOOK[look]) for look in sorted(set(named) - {""})]
    count = sum(map(len, sides))
    spread = np.sqrt(sum(float(((side - side.mean()) ** 2).sum()) for side in sides) / count)
    return float(sum(side.mean() for side in sides) / np.hypot(spread, NOISE) * np.sqrt(count) / len(sides))


def _sample_picture(picture: AnyPicture, view: View, centres: Floats, near: Floats) -> Floats:
    """`picture` at the points `near` (M, 3) each of the centres (N, 2): (N, M) or (N, M, 3)."""
    points = (np.column_stack([centres, np.zeros(len(centres))])[:, None] + near).reshape(-1, 3)
    px = view.project_points(points).astype(np.float32).reshape(len(centres), -1, 2)
    return np.asarray(cv2.remap(picture, px[..., 0], px[..., 1], cv2.INTER_LINEAR), float)


def _chequer_columns(board: Board, centres: Floats) -> Floats:
    """Which of the two (squares) or three (hexagons) colours a chequered board has there, one column a colour."""
    shape = shape_of(board)
    steps = np.round(np.linalg.solve(shape.basis.T, (centres - centres[0]).T)).astype(int)
    colours = shape.turns // 2
    return np.asarray(np.eye(colours)[(steps[0] - steps[1]) % colours])
