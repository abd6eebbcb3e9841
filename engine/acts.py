"""What a person may ask of the referee, by page, button or command."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the last `plies` moves."""

    plies: int = 1


@dataclass(frozen=True, slots=True)
class Correct:
    """Ply `ply` (counted from 1) was `notation`; one past the last ply says what stands unexplained on the board."""

    ply: int
    notation: str


@dataclass(frozen=True, slots=True)
class Resign:
    """The side named gives up."""

    side: str


@dataclass(frozen=True, slots=True)
class NewGame:
    """Begin again from the start position of `setup`, or of the default set-up."""

    setup: str | None = None


Act = Undo | Correct | Resign | NewGame
