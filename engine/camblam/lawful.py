"""Which Camblam moves are lawful: a move may not leave a king of its own side capturable."""

from __future__ import annotations

from collections.abc import Iterator

from engine.board import Board
from engine.camblam.notation import format_bare_move
from engine.camblam.reach import Landing, Reach
from engine.camblam.rules import CODES, FORWARD, KIND_OF, KINGS, PROMOTES_TO, SEAT_OF, Readings
from engine.camblam.threats import Threats
from engine.game import Move, Position

FoundMove = tuple[int, int, tuple[int, ...], int]
"""Origin, target, cells emptied in the order of capture, promotion or 0."""


class Lawful:
    """The moves of one board under one set of readings."""

    def __init__(self, board: Board, readings: Readings) -> None:
        self.board = board
        self.reach = Reach(board, readings)
        self._threats = Threats(board, self.reach, readings)
        ranks = [rank for _, rank, _ in board.lattice]
        ends = [max(ranks) if forward > 0 else min(ranks) for forward in FORWARD]
        self._promotes = tuple(frozenset(cell for cell, rank in enumerate(ranks) if rank == end) for end in ends)
        self._promotions = tuple(tuple(CODES.index(side + kind) for kind in PROMOTES_TO) for side in "WB")
        self._pawns = (CODES.index("WP"), CODES.index("BP"))

    def list_legal_landings(self, position: Position) -> Iterator[FoundMove]:
        """Every lawful landing. Without a king of its own a side cannot be in check.

        Only a move that touches what the king's safety rests on is looked at twice; the others are all lawful when
        the king is not in check, and none of them is when it is.
        """
        placement, seat = position.placement, position.seat
        watched, unused = bytearray(len(placement)), bytearray(len(placement))
        dangers = self._threats.find_dangers(placement, seat)
        check = self._threats.is_attacked(placement, dangers, watched)
        king, pawn, promotes = KINGS[seat], self._pawns[seat], self._promotes[seat]
        for origin, piece in enumerate(placement):
            if SEAT_OF[piece] != seat:
                continue
            touched = watched[origin]
            for target, taken in self.reach.list_landings(placement, origin):
                if piece == king:
                    if self._threats.in_check(apply_landing(placement, origin, target, taken), seat):
                        continue
                elif touched or watched[target] or (taken and any(map(watched.__getitem__, taken))):
                    if self._threats.is_attacked(apply_landing(placement, origin, target, taken), dangers, unused):
                        continue
                elif check:
                    continue
                if piece == pawn and target in promotes:
                    for becomes in self._promotions[seat]:
                        yield origin, target, taken, becomes
                else:
                    yield origin, target, taken, 0

    def has_no_moves(self, position: Position) -> bool:
        """Whether there is no lawful move."""
        return next(self.list_legal_landings(position), None) is None

    def in_check(self, placement: bytes, seat: int) -> bool:
        """Whether a king of `seat` could be captured if the other side were to move."""
        return self._threats.in_check(placement, seat)

    def find_attackers(self, placement: bytes, seat: int) -> tuple[int, ...]:
        """The cells of the pieces that could capture a king of `seat`."""
        return tuple(
            cell
            for cell, piece in enumerate(placement)
            if SEAT_OF[piece] == 1 - seat
            and any(
                placement[t] == KINGS[seat] for _, taken in self.reach.list_landings(placement, cell) for t in taken
            )
        )

    def play_move(self, position: Position, move: Move) -> Position:
        """The position after `move`."""
        after = apply_landing(position.placement, move.origin, move.target, move.taken)
        if move.becomes:
            after[move.target] = move.becomes
        return Position(bytes(after), 1 - position.seat)

    def format_move(self, position: Position, move: Move) -> str:
        """The notation of a lawful move, with `+` for check and `#` for mate."""
        after = self.play_move(position, move)
        mark = ""
        if self.in_check(after.placement, after.seat):
            mark = "#" if self.has_no_moves(after) else "+"
        return format_bare_move(self.board, KIND_OF[position.placement[move.origin]], move) + mark


def apply_landing(placement: bytes, origin: int, target: int, taken: tuple[int, ...]) -> bytearray:
    """The placement after a landing, promotion not considered."""
    after = bytearray(placement)
    for cell in taken:
        after[cell] = 0
    after[origin] = 0
    after[target] = placement[origin]
    return after


def as_move(found: FoundMove) -> Move:
    """A run lands on every cell it takes; a shot lands where it began."""
    origin, target, taken, becomes = found
    if origin == target:
        return Move((origin, origin), taken, "shot")
    kind = ("move", "capture")[len(taken)] if len(taken) < 2 else "run"
    return Move((origin, *(taken or (target,))), taken, kind, becomes)


def landing_of(found: FoundMove) -> Landing:
    """Where a lawful move ends and what it empties."""
    return found[1], found[2]
