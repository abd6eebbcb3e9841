"""Go on nineteen lines, as a game from outside: enough of its rules to referee films of real games.

A cell is a crossing of two lines. A stone is placed on a free one; what it leaves without a liberty is taken off. It
may not be left without one itself, nor take back at once the single stone that took one (ko). Nobody passes and
nothing is counted. A move's path is its one cell; `Position.memory` is (the cell that ko forbids, or -1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from engine.board import Board
from engine.game import Change, GameFile, Move, Outcome, Position, Refusal, Result, Switch, result_text
from engine.switches import choose, listed

LINES = 19
FILES = "ABCDEFGHJKLMNOPQRST"
LATTICE = tuple((file, rank, 0) for rank in range(1, LINES + 1) for file in range(LINES))
BOARD = Board(
    cells=tuple(f"{FILES[file]}{rank}" for file, rank, _ in LATTICE),
    lattice=LATTICE,
    centres_xy=tuple((file + 0.5, rank - 0.5) for file, rank, _ in LATTICE),
    directions=((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)),
)
BESIDE = tuple(tuple(cell for cell in steps if cell >= 0) for steps in BOARD.steps)
NO_KO = -1
MOST_SUGGESTED = 4


@dataclass(frozen=True)
class Rules:
    repetition_claim: int = field(default=0, metadata={"meaning": "no claim here"})
    quiet_claim: int = field(default=0, metadata={"meaning": "no claim here"})


RULE_SETS = {"standard": Rules()}


def captured(placement: bytes, cell: int, stone: int) -> tuple[int, ...] | None:
    """The cells that a `stone` placed on the free `cell` takes, ascending; None if it would have no liberty."""
    after = bytearray(placement)
    after[cell] = stone
    taken: set[int] = set()
    for near in BESIDE[cell]:
        if after[near] not in {0, stone} and near not in taken:
            group, free = _group(after, near)
            if not free:
                taken |= group
    if taken or _group(after, cell)[1]:
        return tuple(sorted(taken))
    return None


def _group(placement: bytearray, cell: int) -> tuple[set[int], bool]:
    """The stones joined to the one on `cell`, and whether they have a liberty."""
    group, waiting, free = {cell}, [cell], False
    while waiting:
        for near in BESIDE[waiting.pop()]:
            if not placement[near]:
                free = True
            elif placement[near] == placement[cell] and near not in group:
                group.add(near)
                waiting.append(near)
    return group, free


@lru_cache(4096)
def _lawful(position: Position) -> tuple[Move, ...]:
    stone, (ko,) = position.seat + 1, position.memory
    free = (cell for cell, there in enumerate(position.placement) if not there and cell != ko)
    taken = ((cell, captured(position.placement, cell, stone)) for cell in free)
    return tuple(Move((c,), t, "capture" if t else "move", stone) for c, t in taken if t is not None)


class Go:
    name = "go"
    board = BOARD
    seats: tuple[str, ...] = ("black", "white")
    codes: tuple[str, ...] = ("", "BS", "WS")
    seat_of: tuple[int, ...] = (-1, 0, 1)
    looks: tuple[str, ...] = ("empty", "light", "dark")
    look_of: tuple[int, ...] = (0, 2, 1)
    memory_key = ""
    setups: Mapping[str, bytes] = {"standard": bytes(LINES * LINES)}
    notes: tuple[str, ...] = ()

    def __init__(self, rules: str) -> None:
        self.rules = rules
        self.set = choose(RULE_SETS, rules)
        self.switches: Mapping[str, Switch] = listed(self.set)

    def start(self, setup: str | None = None) -> Position:
        return Position(self.setups[setup or "standard"], 0, (NO_KO,))

    def results(self, position: Position) -> list[Result]:
        return [(move.origin, move.target, move.taken, move.becomes) for move in _lawful(position)]

    def moves(self, position: Position) -> tuple[Move, ...]:
        return _lawful(position)

    def paths(self, position: Position) -> Iterator[Move]:
        yield from _lawful(position)

    def play(self, position: Position, move: Move) -> Position:
        after = bytearray(position.placement)
        after[move.target] = position.seat + 1
        for cell in move.taken:
            after[cell] = 0
        alone = all(after[near] not in {0, position.seat + 1} for near in BESIDE[move.target] if near not in move.taken)
        ko = move.taken[0] if len(move.taken) == 1 and alone else NO_KO
        return Position(bytes(after), 1 - position.seat, (ko,))

    def outcome(self, position: Position) -> Outcome | None:
        return None

    def progressed(self, before: Position, after: Position) -> bool:
        return True

    def resign(self, position: Position, seat: int) -> Outcome:
        return Outcome(result_text(2, 1 - seat), "resigned")

    def write(self, position: Position, move: Move) -> str:
        return BOARD.cells[move.target]

    def read(self, position: Position, text: str) -> Move | Refusal:
        cell = BOARD.index.get(text.strip().upper())
        if cell is None:
            return Refusal("unreadable", "Write the crossing that the stone is placed on: K10.")
        return next((move for move in _lawful(position) if move.target == cell), self._refusal(position))

    def overrule(self, position: Position, text: str) -> Move | None:
        cell = BOARD.index.get(text.strip().upper())
        return None if cell is None else Move((cell,), (), "move", position.seat + 1)

    def refuse(self, position: Position, change: Change) -> Refusal:
        return self._refusal(position)

    def _refusal(self, position: Position) -> Refusal:
        instead = tuple(self.write(position, move) for move in _lawful(position)[:MOST_SUGGESTED])
        return Refusal("not-a-move", "One stone is placed on a free crossing, and keeps a liberty.", instead)


class GoFile:
    name = "go"
    rule_sets: tuple[str, ...] = tuple(RULE_SETS)

    def load(self, rules: str) -> Go:
        return Go(rules)


GAME: GameFile = GoFile()
