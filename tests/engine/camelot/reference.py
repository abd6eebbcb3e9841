"""The Camelot family straight from the rules text, slowly: every path is walked leap by leap, then the duties are held.

Shares nothing with the engine but the names of cells and sides: a cell is its coordinates, a path is a list of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

Cell = tuple[int, int, int]
"""File, rank, level."""
Pieces = dict[Cell, tuple[int, str]]
"""What stands where: the side's number and "N" or "M"."""
Walk = tuple[tuple[Cell, ...], tuple[Cell, ...]]
"""Landings from the first cell on, and the pieces taken in order."""
Shown = tuple[Cell, Cell, frozenset[Cell]]

SQUARE = tuple((f, r, 0) for f, r in product((-1, 0, 1), repeat=2) if (f, r) != (0, 0))
SPACE = tuple(way for way in product((-1, 0, 1), repeat=3) if any(way))
HEXAGON = ((0, 2, 0), (0, -2, 0), (1, 1, 0), (1, -1, 0), (-1, 1, 0), (-1, -1, 0))


class TooManyError(Exception):
    """A position has more paths than are worth walking."""


@dataclass(frozen=True)
class Book:
    """A board and what its rules say where games of the family differ."""

    cells: frozenset[Cell]
    ways: tuple[Cell, ...]
    castles: tuple[frozenset[Cell], ...]
    """Each side's own castle; a side wins on the next side's and never enters any other."""
    charge_must_capture: bool = True
    castle_moves: int = 0
    castle_ends_jumps: bool = True
    most_paths: int = 20_000

    def goal(self, side: int) -> frozenset[Cell]:
        return self.castles[(side + 1) % len(self.castles)]

    def barred(self, side: int) -> frozenset[Cell]:
        others = [c for owner, c in enumerate(self.castles) if owner not in (side, (side + 1) % len(self.castles))]
        return frozenset().union(*others)


@dataclass(frozen=True)
class Leap:
    over: Cell
    land: Cell


def go(cell: Cell, way: Cell, far: int) -> Cell:
    return cell[0] + way[0] * far, cell[1] + way[1] * far, cell[2] + way[2] * far


class Mover:
    """One piece on its way: the board without it and without what it has taken."""

    def __init__(self, book: Book, pieces: Pieces, start: Cell) -> None:
        self.book, self.start = book, start
        self.side, self.kind = pieces[start]
        self.others = {cell: piece for cell, piece in pieces.items() if cell != start}
        self.goal, self.home = book.goal(self.side), book.castles[self.side]
        self.allowed = book.cells - book.barred(self.side)
        self.walked = 0

    def leaps(self, cell: Cell, left: Pieces, friendly: bool) -> Iterator[Leap]:
        for way in self.book.ways:
            over, land = go(cell, way, 1), go(cell, way, 2)
            if over in left and (left[over][0] == self.side) is friendly and land in self.allowed and land not in left:
                yield Leap(over, land)

    def jumps(self, path: tuple[Cell, ...], left: Pieces, taken: tuple[Cell, ...]) -> Iterator[Walk]:
        """Every chain of jumps that cannot go on. The piece is removed at once."""
        self.walked += 1
        if self.walked > self.book.most_paths:
            raise TooManyError
        ended = bool(taken) and path[-1] in self.goal and self.book.castle_ends_jumps
        onward = [] if ended else list(self.leaps(path[-1], left, friendly=False))
        if taken and not onward:
            yield path, taken
        for leap in onward:
            rest = {cell: piece for cell, piece in left.items() if cell != leap.over}
            yield from self.jumps((*path, leap.land), rest, (*taken, leap.over))

    def canters(self, path: tuple[Cell, ...]) -> Iterator[tuple[Cell, ...]]:
        """Every path of one or more canters that comes to no cell twice; entering the enemy castle ends it."""
        self.walked += 1
        if self.walked > self.book.most_paths:
            raise TooManyError
        if len(path) > 1:
            yield path
            if path[-1] in self.goal:
                return
        for leap in self.leaps(path[-1], self.others, friendly=True):
            if leap.land not in path and leap.land not in self.home:
                yield from self.canters((*path, leap.land))

    def can_jump_from(self, cell: Cell) -> bool:
        """Whether a canter to `cell` could be followed by a jump; in the enemy castle the move has ended."""
        return cell not in self.goal and any(True for _ in self.leaps(cell, self.others, friendly=False))

    def pure_jumps(self) -> list[Walk]:
        return list(self.jumps((self.start,), self.others, ()))

    def charges(self) -> list[Walk]:
        if self.kind != "N":
            return []
        return [
            walk
            for path in self.canters((self.start,))
            if path[-1] not in self.goal
            for walk in self.jumps(path, self.others, ())
        ]

    def pure_canters(self) -> list[Walk]:
        return [
            (path, ())
            for path in self.canters((self.start,))
            if not (self.kind == "N" and self.book.charge_must_capture and any(self.can_jump_from(c) for c in path[1:]))
        ]

    def plain(self) -> list[Walk]:
        lands = (go(self.start, way, 1) for way in self.book.ways)
        return [
            ((self.start, land), ())
            for land in lands
            if land in self.allowed and land not in self.others and land not in self.home
        ]

    def castle_steps(self) -> list[Walk]:
        return [walk for walk in self.plain() if walk[0][1] in self.goal]


def walks(book: Book, pieces: Pieces, side: int, castle_moves_made: int = 0) -> list[Walk]:
    """Every path of every lawful move."""
    movers = [Mover(book, pieces, cell) for cell, (owner, _) in pieces.items() if owner == side]
    inside = [mover for mover in movers if mover.start in mover.goal]
    movers = [mover for mover in movers if mover.start not in mover.goal]
    home = [mover for mover in movers if mover.start in mover.home]
    if home:
        leaving = out_of_castle(home)
        if leaving:
            return leaving
    movers = [mover for mover in movers if mover not in home]
    jumps = [walk for mover in movers for walk in mover.pure_jumps()]
    charges = [walk for mover in movers for walk in mover.charges()]
    if jumps:
        return jumps + charges
    quiet = [walk for mover in movers for walk in mover.pure_canters() + mover.plain()]
    castle = (
        [walk for mover in inside for walk in mover.castle_steps()] if castle_moves_made < book.castle_moves else []
    )
    return charges + quiet + castle


def out_of_castle(home: list[Mover]) -> list[Walk]:
    """Duty (a): out by a jump if one can, or by a charge; otherwise by a plain move or a canter."""

    def out(mover: Mover, found: list[Walk]) -> list[Walk]:
        return [walk for walk in found if walk[0][-1] not in mover.home]

    jumps = [walk for mover in home for walk in out(mover, mover.pure_jumps())]
    charges = [walk for mover in home for walk in out(mover, mover.charges())]
    if jumps:
        return jumps + charges
    return charges + [walk for mover in home for walk in out(mover, mover.pure_canters() + mover.plain())]


def results(paths: list[Walk]) -> set[Shown]:
    """What a camera can tell apart of those moves."""
    return {(path[0], path[-1], frozenset(taken)) for path, taken in paths}
