"""Camblam positions from a few words, and results by name, for the tests."""

from __future__ import annotations

from functools import lru_cache

from engine.camblam.mechanism import Camblam
from engine.game import Position
from engine.games.camblam import BOARD, GAME
from tests.engine.camblam.reference import Cells, square

Shown = tuple[str, str, tuple[str, ...]]


@lru_cache
def camblam(setting: str = "") -> Camblam:
    """The game with the defaults, or with one "switch=value,..." set otherwise."""
    return GAME.load(f"default,{setting}" if setting else "default")


def placed(side: str, cells: dict[str, str]) -> Position:
    """A position from {"A1": "WR"}."""
    placement = bytearray(len(BOARD.cells))
    for cell, code in cells.items():
        placement[BOARD.index[cell]] = camblam().codes.index(code)
    return Position(bytes(placement), ("white", "black").index(side))


def stood(words: str, side: str = "white") -> Position:
    """A position from "WRA1 BPD8": code, then cell."""
    return placed(side, {word[2:]: word[:2] for word in words.split()})


def squares(position: Position) -> Cells:
    """The same placement as the reference wants it."""
    codes = camblam().codes
    return {square(BOARD.cells[cell]): codes[piece] for cell, piece in enumerate(position.placement) if piece}


def results(game: Camblam, position: Position) -> set[Shown]:
    """Every lawful (from, to, captured by name)."""
    names = game.board.cells
    return {
        (names[origin], names[to], tuple(sorted(names[cell] for cell in taken)))
        for origin, to, taken, _ in game.results(position)
    }
