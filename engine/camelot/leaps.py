"""Steps, canters and jumps as one seat sees them: what each cell offers, computed once from the board.

A leap is told by the piece in its middle: over a friend it is a canter, over an enemy a jump. Every leap that exists
around one piece is therefore decided by that piece's neighbours alone. `NeighbourTable` remembers for one cell what
follows from each state of its neighbours, which is what makes listing quick (engine/camelot/listing.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Self, TypeVar

from engine.board import Board
from engine.game import Result

EMPTY, MAN, KNIGHT, OTHER = range(4)
"""What stands on a cell, in a seat's view of a placement."""

STATE_EMPTY, STATE_OWN, STATE_OTHER = 0, 1, 2
"""Digits of `Seat.states`: two bits a cell, the first cell of the board highest."""

AXES_AT_ONCE = 4
"""Axes through a cell that one memory covers: eight neighbours have at most 6561 states, the 26 of three levels
have too many to remember and are looked up in parts."""

Pair = tuple[int, int]
OwnAnswer = tuple[tuple[Result, ...], tuple[Pair, ...], tuple[Pair, ...], tuple[Pair, ...]]
OtherAnswer = tuple[tuple[int, ...], tuple[int, ...]]
Answer = TypeVar("Answer")


def find_middle(board: Board, a: int, b: int) -> int:
    """The cell between the ends of a leap, -1 if `b` is no leap away from `a`."""
    leaps = board.leaps[a]
    return board.steps[a][leaps.index(b)] if b in leaps else -1


@dataclass(frozen=True)
class Seat:
    """The board for one player: `home` is its own castle, `goal` the one it wins on, `shut` it never enters."""

    board: Board
    home: frozenset[int]
    goal: frozenset[int]
    shut: frozenset[int]
    goal_ends_jumps: bool = True

    @cached_property
    def open_hops(self) -> tuple[tuple[Pair, ...], ...]:
        """For each cell its leaps as (cell leapt over, landing), by name of the landing; none from the goal."""
        return tuple(() if cell in self.goal else hops for cell, hops in enumerate(self._all_hops))

    @cached_property
    def chain_hops(self) -> tuple[tuple[Pair, ...], ...]:
        """The same for a piece that is in a chain of jumps."""
        return self.open_hops if self.goal_ends_jumps else self._all_hops

    @cached_property
    def _all_hops(self) -> tuple[tuple[Pair, ...], ...]:
        board = self.board
        return tuple(
            tuple(
                sorted(
                    (
                        (over, land)
                        for over, land in zip(board.steps[cell], board.leaps[cell], strict=True)
                        if over >= 0 and land >= 0 and land not in self.shut
                    ),
                    key=lambda hop: board.cells[hop[1]],
                )
            )
            for cell in range(len(board.cells))
        )

    @cached_property
    def quiet_cells(self) -> frozenset[int]:
        """Cells that a plain step or a canter may land on."""
        return frozenset(range(len(self.board.cells))) - self.home - self.shut

    @cached_property
    def plain_steps(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the cells that a plain step may reach from it; none from the goal."""
        return tuple(
            () if cell in self.goal else tuple(near for near in steps if near in self.quiet_cells)
            for cell, steps in enumerate(self.board.steps)
        )

    @cached_property
    def _opposite_axes(self) -> tuple[tuple[int, int], ...]:
        """Indices of each pair of opposite directions."""
        directions = self.board.directions
        opposite = [directions.index((-f, -r, -v)) for f, r, v in directions]
        return tuple((there, back) for there, back in enumerate(opposite) if there < back)

    @cached_property
    def around_own(self) -> AxisParts[OwnNeighbourTable]:
        """What follows from the neighbours when a piece of this seat stands on a cell."""
        return self._build_parts(OwnNeighbourTable)

    @cached_property
    def around_other(self) -> AxisParts[OtherNeighbourTable]:
        """The same when another's piece stands there."""
        return self._build_parts(OtherNeighbourTable)

    def _build_parts(self, kind: type[Memory]) -> AxisParts[Memory]:
        axes = self._opposite_axes
        parts = -(-len(axes) // AXES_AT_ONCE)
        cells = range(len(self.board.cells))
        return tuple(tuple(kind.build_masked(self, cell, axes[part::parts]) for cell in cells) for part in range(parts))


class NeighbourTable(dict[int, Answer], Generic[Answer]):
    """State of the neighbours of one cell -> what it allows; worked out when first met."""

    def __init__(self, seat: Seat, cell: int, pairs: Iterable[Pair]) -> None:
        super().__init__()
        self.seat = seat
        self.cell = cell
        self.pairs = tuple(pairs)

    @classmethod
    def build_masked(cls, seat: Seat, cell: int, axes: Iterable[Pair]) -> tuple[int, Self]:
        """The mask of the neighbours along `axes`, and their memory."""
        steps = seat.board.steps[cell]
        pairs = [(steps[there], steps[back]) for there, back in axes]
        last = len(seat.board.cells) - 1
        mask = sum(3 << 2 * (last - near) for pair in pairs for near in pair if near >= 0)
        return mask, cls(seat, cell, pairs)

    def list_pair_states(self, key: int) -> list[tuple[Pair, Pair]]:
        """Each pair of neighbours opposite each other, both ways round, with their states in `key`."""
        last = len(self.seat.board.cells) - 1
        both = []
        for a, b in self.pairs:
            if a >= 0 and b >= 0:
                state_a, state_b = key >> 2 * (last - a) & 3, key >> 2 * (last - b) & 3
                both += [((a, b), (state_a, state_b)), ((b, a), (state_b, state_a))]
        return both

    def find_empty_cells(self, key: int) -> set[int]:
        """The neighbours that are empty in `key`."""
        last = len(self.seat.board.cells) - 1
        cells = (cell for pair in self.pairs for cell in pair if cell >= 0)
        return {cell for cell in cells if key >> 2 * (last - cell) & 3 == STATE_EMPTY}


class OwnNeighbourTable(NeighbourTable[OwnAnswer]):
    """(plain steps of the piece, links, starts, gates). A canter over it joins two empty cells (link), or brings a
    piece of its own side to an empty cell (start: piece, landing), or leads from an empty cell into the goal (gate).
    """

    def __missing__(self, key: int) -> OwnAnswer:
        seat = self.seat
        empty = self.find_empty_cells(key)
        plains = tuple((self.cell, near, (), 0) for near in seat.plain_steps[self.cell] if near in empty)
        links, starts, gates = [], [], []
        for (a, b), (state_a, state_b) in self.list_pair_states(key):
            if state_b != STATE_EMPTY or b not in seat.quiet_cells or a in seat.goal:
                continue
            if state_a == STATE_OWN:
                starts.append((a, b))
            elif state_a == STATE_EMPTY and a in seat.quiet_cells:
                if b in seat.goal:
                    gates.append((a, b))
                elif a < b:
                    links.append((a, b))
        found = self[key] = (plains, tuple(links), tuple(starts), tuple(gates))
        return found


class OtherNeighbourTable(NeighbourTable[OtherAnswer]):
    """(jumpers, offers): the pieces of this seat that can jump over it, and the empty cells from which one could
    that had come there by a canter.
    """

    def __missing__(self, key: int) -> OtherAnswer:
        seat = self.seat
        jumpers, offers = [], []
        for (a, b), (state_a, state_b) in self.list_pair_states(key):
            if state_b != STATE_EMPTY or b in seat.shut or a in seat.goal:
                continue
            if state_a == STATE_OWN:
                jumpers.append(a)
            elif state_a == STATE_EMPTY and a in seat.quiet_cells:
                offers.append(a)
        found = self[key] = (tuple(jumpers), tuple(offers))
        return found


Memory = TypeVar("Memory", OwnNeighbourTable, OtherNeighbourTable)
AxisParts = tuple[tuple[tuple[int, Memory], ...], ...]
"""For each part of the axes and each cell: the mask of its neighbours in the states, and its memory."""
