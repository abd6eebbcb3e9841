"""Breakthrough on eight by eight: a game from outside, all that one file and an entry point need.

A pawn steps one cell forward or diagonally forward; diagonally it may capture. Whoever reaches the last rank wins, and
so does whoever has captured everything. A player without a move loses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from engine.explain.wording import PieceKind, Topic, Words
from engine.game import Change, GameFile, Move, Outcome, Position, Refusal, Result, Switch, result_text
from engine.sentences import Sentence
from engine.shapes import square_board
from engine.switches import choose, listed

BOARD = square_board(dict.fromkeys(range(1, 9), "A-H"), castles={})
WHITE, BLACK = 1, 2
FORWARD = (1, -1)
LAST_RANK = (8, 1)
START = bytes([WHITE] * 16 + [0] * 32 + [BLACK] * 16)
WRITTEN = re.compile(r"([A-Z][0-9])[-X]([A-Z][0-9])")
PAWN = PieceKind("foot soldier", "F", '<path d="M22 6l9 14h-5v12h8v7H11v-7h8V20h-5z"/>')
WORDS = Words(
    "Breakthrough!",
    kinds={"WP": PAWN, "BP": PAWN},
    seats={"white": "Ivory", "black": "Ebony"},
    ends={"breakthrough": "the last rank is reached", "captured-all": "everything is captured"},
    brief={"not-a-move": "one step forward"},
    rules=(
        Topic(
            "How it goes", (("foot soldier", Sentence("One step forward; it captures {how} only.", {"how": "aslant"})),)
        ),
    ),
    texts={"de": {"foot soldier": "Fußsoldat", "Ivory": "Elfenbein", "How it goes": "Wie es geht"}},
)


@dataclass(frozen=True)
class Rules:
    straight_captures: bool = field(default=False, metadata={"meaning": "a pawn may capture straight ahead too"})
    repetition_claim: int = field(default=0, metadata={"meaning": "a position never repeats"})
    quiet_claim: int = field(default=0, metadata={"meaning": "every move makes progress"})


RULE_SETS = {"standard": Rules()}


class Breakthrough:
    name = "breakthrough"
    board = BOARD
    seats: tuple[str, ...] = ("white", "black")
    codes: tuple[str, ...] = ("", "WP", "BP")
    seat_of: tuple[int, ...] = (-1, 0, 1)
    looks: tuple[str, ...] = ("empty", "light", "dark")
    look_of: tuple[int, ...] = (0, 1, 2)
    memory_key = ""
    words = WORDS
    setups: Mapping[str, bytes] = {"standard": START}
    notes: tuple[str, ...] = ()

    def __init__(self, rules: str) -> None:
        self.rules = rules
        self.set = choose(RULE_SETS, rules)
        self.switches: Mapping[str, Switch] = listed(self.set)

    def start(self, setup: str | None = None) -> Position:
        return Position(self.setups[setup or "standard"], 0)

    def results(self, position: Position) -> list[Result]:
        return [(move.origin, move.target, move.taken, 0) for move in self.paths(position)]

    def moves(self, position: Position) -> tuple[Move, ...]:
        return tuple(self.paths(position))

    def paths(self, position: Position) -> Iterator[Move]:
        if not self._ended(position):
            for cell, piece in enumerate(position.placement):
                if piece and self.seat_of[piece] == position.seat:
                    yield from self._steps(position, cell)

    def _steps(self, position: Position, cell: int) -> Iterator[Move]:
        f, r, level = BOARD.lattice[cell]
        for aside in (-1, 0, 1):
            to = BOARD.at.get((f + aside, r + FORWARD[position.seat], level))
            if to is None:
                continue
            there = position.placement[to]
            if not there:
                yield Move((cell, to), (), "move")
            elif self.seat_of[there] != position.seat and (aside or self.set.straight_captures):
                yield Move((cell, to), (to,), "capture")

    def play(self, position: Position, move: Move) -> Position:
        after = bytearray(position.placement)
        after[move.target], after[move.origin] = after[move.origin], 0
        return Position(bytes(after), 1 - position.seat)

    def _ended(self, position: Position) -> Outcome | None:
        other = 1 - position.seat
        there = any(
            self.seat_of[piece] == other and BOARD.lattice[cell][1] == LAST_RANK[other]
            for cell, piece in enumerate(position.placement)
        )
        if there or position.seat + 1 not in position.placement:
            return Outcome(result_text(2, other), "breakthrough" if there else "captured-all")
        return None

    def outcome(self, position: Position) -> Outcome | None:
        if ended := self._ended(position):
            return ended
        return None if self.results(position) else Outcome(result_text(2, 1 - position.seat), "no-moves")

    def progressed(self, before: Position, after: Position) -> bool:
        return before.placement != after.placement

    def resign(self, position: Position, seat: int) -> Outcome:
        return Outcome(result_text(2, 1 - seat), "resigned")

    def write(self, position: Position, move: Move) -> str:
        return ("x" if move.taken else "-").join(BOARD.cells[cell] for cell in move.path)

    def read(self, position: Position, text: str) -> Move | Refusal:
        found = WRITTEN.fullmatch(text.strip().upper())
        if found is None:
            return Refusal("unreadable", "Write a move as B2-B3.")
        wanted = tuple(BOARD.index.get(name, -1) for name in found.groups())
        return next((move for move in self.paths(position) if move.path == wanted), self._refusal(position))

    def overrule(self, position: Position, text: str) -> Move | None:
        found = WRITTEN.fullmatch(text.strip().upper())
        if found is None or not all(name in BOARD.index for name in found.groups()):
            return None
        return Move(tuple(BOARD.index[name] for name in found.groups()), (), "move")

    def refuse(self, position: Position, change: Change) -> Refusal:
        return self._refusal(position)

    def _refusal(self, position: Position) -> Refusal:
        instead = tuple(self.write(position, move) for move in self.paths(position))
        return Refusal("not-a-move", "A pawn steps one cell forward and captures diagonally.", instead)


class BreakthroughFile:
    name = "breakthrough"
    rule_sets: tuple[str, ...] = tuple(RULE_SETS)

    def load(self, rules: str) -> Breakthrough:
        return Breakthrough(rules)


GAME: GameFile = BreakthroughFile()
