"""Positions for tests, written as short as a person would say them."""

from __future__ import annotations

from engine import games
from engine.game import Game, Position


def stand(game: str, side: str, pieces: str, castle_moves: tuple[int, ...] | None = None) -> tuple[Game, Position]:
    """`game` is a name and maybe a rule set ("camelot wcf"); `pieces` is "WN C6 D7, BM E8"; `side` is to move."""
    name, _, rules = game.partition(" ")
    found = games.load(name, rules or None)
    placement = bytearray(len(found.board.cells))
    for group in filter(None, pieces.split(",")):
        code, *cells = group.split()
        for cell in cells:
            placement[found.board.index[cell]] = found.codes.index(code)
    memory = castle_moves or found.start().memory
    return found, Position(bytes(placement), found.seats.index(side), memory)
