"""Camblam as a game: what the lawful moves, the notation and the reasons answer together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.board import Board
from engine.camblam.lawful import Lawful, as_move
from engine.camblam.notation import parse_attempt, piece_number
from engine.camblam.rules import CODES, SEAT_OF, SEATS, Readings
from engine.camblam.why import Reasons
from engine.camblam.words import camblam_words
from engine.errors import InputError
from engine.game import Change, Move, Outcome, Position, Refusal, Result, Switch, refuse_further_move, result_text
from engine.switches import listed


class Camblam:
    """A `Game` for one board, its start placements and one set of readings."""

    seats: tuple[str, ...] = SEATS
    codes = CODES
    seat_of = SEAT_OF
    looks: tuple[str, ...] = ("empty", "light", "dark")
    look_of = tuple(seat + 1 for seat in SEAT_OF)
    memory_key = ""

    def __init__(
        self,
        name: str,
        rules: str,
        readings: Readings,
        *,
        board: Board,
        setups: Mapping[str, bytes],
        notes: tuple[str, ...],
    ) -> None:
        self.name, self.rules = name, rules
        self.board, self.setups, self.notes = board, setups, notes
        self.words = camblam_words(name.title(), readings)
        self.readings = readings
        self._lawful = Lawful(board, readings)
        self._reasons = Reasons(self._lawful, readings)

    @property
    def switches(self) -> Mapping[str, Switch]:
        """Every switch with its value here."""
        return listed(self.readings)

    def start(self, setup: str | None = None) -> Position:
        """The position a game begins with. InputError for a set-up that is not there."""
        chosen = next(iter(self.setups)) if setup is None else setup
        if chosen not in self.setups:
            raise InputError(f"set-up {chosen!r}: not known in {self.name}, choose from {', '.join(self.setups)}")
        return Position(self.setups[chosen], 0)

    def results(self, position: Position) -> list[Result]:
        """Every lawful (from, to, captured ascending, promotion)."""
        return [
            (origin, target, tuple(sorted(taken)) if len(taken) > 1 else taken, becomes)
            for origin, target, taken, becomes in self._lawful.list_legal_landings(position)
        ]

    def moves(self, position: Position) -> tuple[Move, ...]:
        """One move for each lawful result."""
        return tuple(self.paths(position))

    def paths(self, position: Position) -> Iterator[Move]:
        """The same moves: every result of Camblam has just one path."""
        return map(as_move, self._lawful.list_legal_landings(position))

    def play(self, position: Position, move: Move) -> Position:
        """The position after `move`."""
        return self._lawful.play_move(position, move)

    def outcome(self, position: Position) -> Outcome | None:
        """Checkmate or stalemate, None while the game goes on."""
        if not self._lawful.has_no_moves(position):
            return None
        other = 1 - position.seat
        if self._lawful.in_check(position.placement, position.seat):
            return Outcome(result_text(2, other), "checkmate")
        return Outcome(result_text(2, None if self.readings.stalemate_draws else other), "stalemate")

    def progressed(self, before: Position, after: Position) -> bool:
        """Whether a piece was captured or a pawn moved between the two."""
        pawn = CODES.index("WB"[before.seat] + "P")
        pairs = zip(before.placement, after.placement, strict=True)
        return before.placement.count(0) != after.placement.count(0) or any(was == pawn != now for was, now in pairs)

    def resign(self, position: Position, seat: int) -> Outcome:
        """The other player wins."""
        return Outcome(result_text(2, 1 - seat), "resigned")

    def write(self, position: Position, move: Move) -> str:
        """The notation of a lawful move."""
        return self._lawful.format_move(position, move)

    def read(self, position: Position, text: str) -> Move | Refusal:
        """The lawful move that `text` writes, or why there is none."""
        attempt = parse_attempt(self.board, text)
        if isinstance(attempt, Refusal):
            return attempt
        return refuse_further_move(self.outcome(position)) or self._reasons.judge_attempt(position, attempt)

    def overrule(self, position: Position, text: str) -> Move | None:
        """An illegal move that stood: the piece goes where `text` says, what it took is gone."""
        attempt = parse_attempt(self.board, text)
        if isinstance(attempt, Refusal) or not position.placement[attempt.origin]:
            return None
        if attempt.origin == attempt.target and not attempt.taken:
            return None
        becomes = piece_number(position.seat, attempt.becomes) if attempt.becomes else 0
        return as_move((attempt.origin, attempt.target, attempt.taken, becomes))

    def refuse(self, position: Position, change: Change) -> Refusal:
        """Why no lawful move makes that change."""
        return refuse_further_move(self.outcome(position)) or self._reasons.explain_change(position, change)
