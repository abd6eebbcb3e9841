"""How games of a contest begin: some plies at random, or the first plies of recorded games."""

from __future__ import annotations

import random
from collections.abc import Sequence

from engine.errors import InputError
from engine.game import Game, Move
from engine.text.records import WrittenGame
from engine.text.replay import PASSED, read_opening

OPENING_TRIES = 100
"""Openings that are drawn until one is found that leaves a game to play."""


def draw_opening(game: Game, plies: int, seed: int) -> tuple[Move, ...]:
    """Lawful moves from the start after which nobody can end the game at once; the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(OPENING_TRIES):
        position, moves = game.start(), []
        for _ in range(plies):
            found = game.moves(position)
            if not found:
                break
            moves.append(chance.choice(found))
            position = game.play(position, moves[-1])
        following = [game.play(position, move) for move in game.moves(position)]
        if following and all(game.outcome(after) is None for after in following):
            return tuple(moves)
    raise InputError(f"openings: {game.name} is as good as over within {plies} plies; give fewer")


def list_recorded_openings(game: Game, records: Sequence[WrittenGame], plies: int) -> list[tuple[Move, ...]]:
    """The first `plies` of each record. InputError for one of another game, or that breaks the rules by then."""
    found = []
    for number, record in enumerate(records, start=1):
        named, position = read_opening(record)
        if named.name != game.name or position != game.start():
            raise InputError(f"openings: game {number} does not begin as {game.name} does")
        moves = []
        for ply in [ply for ply in record.plies if ply.text != PASSED][:plies]:
            move = game.read(position, ply.text)
            if not isinstance(move, Move):
                raise InputError(f"openings: game {number}, {ply.text}: {move.code}: {move.message}")
            moves.append(move)
            position = game.play(position, move)
        if game.outcome(position) is None:
            found.append(tuple(moves))
    if not found:
        raise InputError("openings: no game goes on after its opening; give fewer plies")
    return found
