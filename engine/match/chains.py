"""How a capture that is under way may go on from the cell that its piece stands on: what is to be taken off by now, and
where it may end. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import islice

from engine.belief.candidates import MOST_PATHS
from engine.belief.verdicts import Unfinished
from engine.game import Game, Move, Position, result_of


@dataclass(frozen=True, slots=True)
class WayOn:
    """What remains of a capture: `remove` are the cells that were surely jumped and where a piece stands still, `ends`
    those where it may end, `notation` all of it where that is settled, else what all ways begin with."""

    notation: str
    remove: tuple[int, ...]
    ends: tuple[int, ...] = ()


def find_way_on(game: Game, position: Position, begun: Unfinished, landing: int) -> WayOn:
    """What remains of a capture that began in `position` and whose piece rests on `landing`, be it origin or end.

    A cell may be reached in several ways, and passed before the end: only what all of them jump was surely jumped.
    """
    written, gone = game.write(position, begun.move), set(begun.move.taken) - set(begun.remove)
    ways = _list_ways(game, position, begun.move.origin, landing, gone)
    further = [(move, legs) for move, legs in ways if legs < len(move.path) - 1]
    if not further:
        return WayOn(written, begun.remove) if begun.go_on < 0 else WayOn(written, (), (begun.go_on,))
    first, legs = further[0]
    jumped = set.intersection(*(set(_list_jumped(move, made)) for move, made in ways))
    remove = tuple(cell for cell in _list_jumped(first, legs) if cell in jumped and cell not in gone)
    ends = tuple(sorted({move.target for move, _ in further}))
    if len({result_of(move) for move, _ in ways}) > 1:
        written = _write_common_part(game, position, [move for move, _ in ways])
    return WayOn(written, remove, ends)


def _write_common_part(game: Game, position: Position, moves: Sequence[Move]) -> str:
    """The legs with which all of some captures begin."""
    first, paths = moves[0], [move.path for move in moves]
    legs = next(legs for legs in range(len(first.path), 0, -1) if all(p[:legs] == first.path[:legs] for p in paths)) - 1
    if not legs:
        return game.board.cells[first.origin]
    return game.write(position, Move(first.path[: legs + 1], _list_jumped(first, legs), first.kind))


def _list_ways(game: Game, position: Position, origin: int, landing: int, gone: Set[int]) -> list[tuple[Move, int]]:
    """The captures that come to `landing` and take what is `gone`, each with the legs made by then; where there are
    any, those alone that have jumped that by then."""
    ways = [
        (path, legs)
        for path in islice(game.paths(position), MOST_PATHS)
        if path.origin == origin and path.taken and gone <= set(path.taken)
        for legs, cell in enumerate(path.path)
        if cell == landing
    ]
    return [(path, legs) for path, legs in ways if gone <= set(_list_jumped(path, legs))] or ways


def _list_jumped(move: Move, legs: int) -> tuple[int, ...]:
    """What the first legs of a capture jump: canters come before jumps, and each jump takes one."""
    canters = len(move.path) - 1 - len(move.taken)
    return move.taken[: max(0, legs - canters)]
