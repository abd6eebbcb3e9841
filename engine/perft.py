"""Counting the ways play can go, to compare move generators with each other and with tables."""

from __future__ import annotations

from collections.abc import Iterator

from engine.game import Game, Move, Position


def perft(game: Game, position: Position, depth: int, *, paths: bool = False) -> int:
    """How many lines of `depth` moves lead on from `position`; moves are results, or written paths."""
    if depth == 0:
        return 1
    if depth == 1 and not paths:
        return len(game.results(position))
    return sum(count for _, count in divide(game, position, depth, paths=paths))


def divide(game: Game, position: Position, depth: int, *, paths: bool = False) -> Iterator[tuple[Move, int]]:
    """Each first move with the lines of `depth` moves that begin with it."""
    for move in game.paths(position) if paths else game.moves(position):
        yield move, perft(game, game.play(position, move), depth - 1, paths=paths)
