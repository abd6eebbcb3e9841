"""Moves as text, for every game: written, and read with the three ways in which reading fails."""

from __future__ import annotations

from engine.errors import InputError
from engine.game import Game, Move, Position, Refusal


class MoveError(InputError):
    """A move text that gives no lawful move; `refusal` says why."""

    def __init__(self, text: str, refusal: Refusal) -> None:
        super().__init__(f"{text}: {refusal.code}: {refusal.message}")
        self.refusal = refusal


class UnreadableMoveError(MoveError):
    """The text is no move notation, or names a cell that the board does not have."""


class IllegalMoveError(MoveError):
    """The text writes a move that the rules refuse."""


class AmbiguousMoveError(MoveError):
    """The text fits several lawful moves."""


ERRORS = {"unreadable": UnreadableMoveError, "off-board": UnreadableMoveError, "ambiguous": AmbiguousMoveError}


def format_move(game: Game, position: Position, move: Move) -> str:
    """The notation of a lawful move in `position`."""
    return game.write(position, move)


def parse_move(game: Game, position: Position, text: str) -> Move:
    """The lawful move that `text` writes. UnreadableMoveError, IllegalMoveError or AmbiguousMoveError."""
    found = game.read(position, text)
    if isinstance(found, Move):
        return found
    raise ERRORS.get(found.code, IllegalMoveError)(text.strip()[:40], found)
