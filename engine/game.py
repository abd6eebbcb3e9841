"""The values that a game is made of, and what every game can be asked.

A position is a value: playing returns a new one, a takeback drops the last. Rules are a frozen set of named
switches. How the moves are found is in leaps.py (the Camelot family) and rays.py (Camblam).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from engine.board import Board


@dataclass(frozen=True, slots=True)
class Position:
    """What stands where, who moves, and what the placement alone cannot tell.

    `placement` has one byte a cell: 0 empty, else the number of a piece in `Game.codes`. `seat` indexes
    `Game.seats`. `memory` is the game's own (castle moves used by each seat, ...).
    """

    placement: bytes
    seat: int
    memory: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """One lawful move: every landing cell in order, the cells it empties, and what a promoted piece becomes.

    A shot has `path[0] == path[-1]`. `taken` is in the order of capture.
    """

    path: tuple[int, ...]
    taken: tuple[int, ...]
    kind: str
    becomes: int = 0

    @property
    def origin(self) -> int:
        """The cell the piece leaves."""
        return self.path[0]

    @property
    def target(self) -> int:
        """The cell the piece ends on."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: `result` as written in records ("1-0", "0-1-0", ...), `reason` a short name."""

    result: str
    reason: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something is not lawful: a reason code, one sentence, and the lawful moves that matter, as notation."""

    code: str
    message: str
    instead: tuple[str, ...] = ()


class Game(Protocol):
    """What every game answers. `engine.games.load(name, rules)` gives one."""

    name: str
    rules: str
    board: Board
    seats: tuple[str, ...]
    """Names in order of play: ("white", "black") or ("blue", "red", "green")."""
    codes: tuple[str, ...]
    """Piece number -> code; codes[0] is "" (empty)."""
    seat_of: tuple[int, ...]
    """Piece number -> seat; seat_of[0] is -1."""
    looks: tuple[str, ...]
    """What a camera can tell apart: ("empty", "light", "dark") or ("empty", "blue", "red", "green")."""
    look_of: tuple[int, ...]
    """Piece number -> index in looks."""

    @property
    def switches(self) -> Mapping[str, object]:
        """Every switch of the rule set with its value here."""

    def start(self, setup: str | None = None) -> Position:
        """The position a game begins with; `setup` names a preset."""

    def moves(self, position: Position) -> tuple[Move, ...]:
        """One move for each distinct (from, to, captured, promotion), canonical path, in a fixed order."""

    def paths(self, position: Position) -> Iterator[Move]:
        """Every written path of every lawful move."""

    def play(self, position: Position, move: Move) -> Position:
        """The position after `move`; the argument stays as it was."""

    def outcome(self, position: Position) -> Outcome | None:
        """How the game is over in this position, or None while it goes on."""
