"""The geometry of a game: cells, where they lie on the table, and which way a piece can step from each.

Squares, hexagons and stacked levels differ only in coordinates and directions; nothing else in the program
knows what kind of board it is looking at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

SQUARE_OUTLINE_XY = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
"""Corners of a square cell about its centre, in cells."""
HEXAGON_CORNERS = 6
CELL_NAME = re.compile(r"(\d?)([A-Z])(\d+)")
"""Level, file and rank in a cell's name; games of others may name their cells otherwise."""


@dataclass(frozen=True, eq=False)
class Board:
    """Named cells with coordinates. A cell's index is the same in scores, LEDs and placements.

    `centres_xy` are in cells on the plane of the cell's level: x along the files, y along the ranks, so that the
    lower left corner of the bounding rectangle is (0, 0). `lattice` holds the integer (file, rank, level) that
    the rules count in; `directions` are single steps on that lattice.
    """

    cells: tuple[str, ...]
    lattice: tuple[tuple[int, int, int], ...]
    centres_xy: tuple[tuple[float, float], ...]
    directions: tuple[tuple[int, int, int], ...]
    outline_xy: tuple[tuple[float, float], ...] = SQUARE_OUTLINE_XY
    castles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Cell name -> index."""
        return MappingProxyType({name: i for i, name in enumerate(self.cells)})

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The plane that each cell lies on, counted from 0."""
        lowest = min(level for _, _, level in self.lattice)
        return tuple(level - lowest for _, _, level in self.lattice)

    @cached_property
    def tones(self) -> tuple[int, ...]:
        """Shade of each cell, not its neighbours': 0 or 1 chequered, 0 to 2 on hexagons, where two would touch."""
        if len(self.outline_xy) == HEXAGON_CORNERS:
            return tuple((file - (rank - file) // 2) % 3 for file, rank, _ in self.lattice)
        return tuple(sum(where) % 2 for where in self.lattice)

    @cached_property
    def at(self) -> Mapping[tuple[int, int, int], int]:
        """Lattice coordinate -> index of the cell there."""
        return MappingProxyType({where: i for i, where in enumerate(self.lattice)})

    @cached_property
    def size_wh(self) -> tuple[float, float]:
        """Width and height of the bounding rectangle of one level, in cells."""
        reach_x = max(x for x, _ in self.outline_xy)
        reach_y = max(y for _, y in self.outline_xy)
        return (max(x for x, _ in self.centres_xy) + reach_x, max(y for _, y in self.centres_xy) + reach_y)

    @cached_property
    def steps(self) -> tuple[tuple[int, ...], ...]:
        """For each cell, the index of its neighbour in each direction, -1 where the board ends."""
        return tuple(
            tuple(self.at.get((f + df, r + dr, v + dv), -1) for df, dr, dv in self.directions)
            for f, r, v in self.lattice
        )

    @cached_property
    def leaps(self) -> tuple[tuple[int, ...], ...]:
        """For each cell, the index of the cell exactly two steps away in each direction, -1 off the board."""
        return tuple(
            tuple(self.at.get((f + 2 * df, r + 2 * dr, v + 2 * dv), -1) for df, dr, dv in self.directions)
            for f, r, v in self.lattice
        )
