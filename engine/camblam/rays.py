"""Lines of cells on a board: what lies in each direction until the board ends.

Nothing here knows a piece; chess-like games look along these lines for slides, runs, shots and threats.
"""

from __future__ import annotations

from engine.board import Board

RayCells = tuple[int, ...]
"""Cells in the order in which they are met, the starting cell not among them."""

RAYS_ORTHOGONAL = ((0, 1, 0), (1, 0, 0), (0, -1, 0), (-1, 0, 0))
RAYS_DIAGONAL = ((1, 1, 0), (1, -1, 0), (-1, -1, 0), (-1, 1, 0))
RayStep = tuple[int, int, int]


def trace_line(board: Board, cell: int, step: RayStep) -> RayCells:
    """The cells from `cell` on, one `step` (file, rank, level) after the other, up to the edge."""
    met: list[int] = []
    f, r, v = board.lattice[cell]
    while (following := board.at.get((f + step[0], r + step[1], v + step[2]))) is not None:
        met.append(following)
        f, r, v = board.lattice[following]
    return tuple(met)


def trace_lines(board: Board, steps: tuple[RayStep, ...]) -> tuple[tuple[RayCells, ...], ...]:
    """For each cell, its line in each of `steps`; lines without a cell are left out."""
    return tuple(
        tuple(found for step in steps if (found := trace_line(board, cell, step))) for cell in range(len(board.cells))
    )


def list_neighbours(board: Board, steps: tuple[RayStep, ...]) -> tuple[tuple[int, ...], ...]:
    """For each cell, the cells one step away."""
    return tuple(tuple(found[0] for found in around) for around in trace_lines(board, steps))


def find_line_between(board: Board, origin: int, target: int) -> RayCells:
    """The straight line (orthogonal or diagonal) from `origin` up to and with `target`, () where there is none."""
    for step in RAYS_ORTHOGONAL + RAYS_DIAGONAL:
        found = trace_line(board, origin, step)
        if target in found:
            return found[: found.index(target) + 1]
    return ()
