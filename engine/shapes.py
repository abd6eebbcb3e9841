"""Builders of boards from the few lines that a game file writes: rows of squares, stacked levels, hexagons."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import sqrt

from engine.board import Board

SQUARE_DIRECTIONS = tuple((df, dr, 0) for df, dr in product((-1, 0, 1), repeat=2) if (df, dr) != (0, 0))
CUBE_DIRECTIONS = tuple((df, dr, dv) for df, dr, dv in product((-1, 0, 1), repeat=3) if (df, dr, dv) != (0, 0, 0))
HEXAGON_DIRECTIONS = ((0, 2, 0), (0, -2, 0), (1, 1, 0), (1, -1, 0), (-1, 1, 0), (-1, -1, 0))

HEXAGON_CORNER = 1 / sqrt(3)
"""Centre to corner of a hexagon whose neighbours are one cell apart."""
HEXAGON_OUTLINE_XY = tuple(
    (x * HEXAGON_CORNER, y) for x, y in ((-1.0, 0.0), (-0.5, -0.5), (0.5, -0.5), (1.0, 0.0), (0.5, 0.5), (-0.5, 0.5))
)


def square_board(rows: Mapping[int, str], castles: Mapping[str, tuple[str, ...]], levels: int = 1) -> Board:
    """Squares with eight directions, or `levels` of them lying square over square with twenty-six.

    `rows` gives for each rank its files, "C-J" or "D". With more than one level a cell's name begins with its level.
    """
    lattice = [
        (file, rank, level) for level in range(levels) for rank in sorted(rows) for file in _file_range(rows[rank])
    ]
    return Board(
        cells=tuple((str(v + 1) if levels > 1 else "") + f"{chr(65 + f)}{r}" for f, r, v in lattice),
        lattice=tuple(lattice),
        centres_xy=tuple((f + 0.5, r - 0.5) for f, r, _ in lattice),
        directions=CUBE_DIRECTIONS if levels > 1 else SQUARE_DIRECTIONS,
        castles=castles,
    )


def hexagon_board(rows: Mapping[int, str], castles: Mapping[str, tuple[str, ...]]) -> Board:
    """Hexagons in columns, a file each; `rows` gives for each rank the letters of its files. Neighbours on a file
    differ by two ranks and lie one cell apart.
    """
    lattice = [(ord(letter) - 65, rank, 0) for rank in sorted(rows) for letter in rows[rank]]
    return Board(
        cells=tuple(f"{chr(65 + f)}{r}" for f, r, _ in lattice),
        lattice=tuple(lattice),
        centres_xy=tuple((HEXAGON_CORNER + f * sqrt(3) / 2, r / 2) for f, r, _ in lattice),
        directions=HEXAGON_DIRECTIONS,
        outline_xy=HEXAGON_OUTLINE_XY,
        castles=castles,
    )


def _file_range(files: str) -> range:
    """Numbers of the files in "C-J" or "D"; A is 0."""
    return range(ord(files[0]) - 65, ord(files[-1]) - 64)
