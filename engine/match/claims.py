"""Draws that a player may claim from the course of the game, where the rule set knows them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.game import Game, Outcome, Position, drawn_result


def find_claim(game: Game, positions: Sequence[Position]) -> Outcome | None:
    """The draw that the player to move in the last of `positions` may claim, None if there is none."""
    for found, reason in (
        (has_repetition(game, positions), "repetition"),
        (has_quiet_moves(game, positions), "quiet-moves"),
    ):
        if found:
            return Outcome(drawn_result(game, positions[-1]), reason)
    return None


def has_repetition(game: Game, positions: Sequence[Position]) -> bool:
    """Whether the last placement has come often enough with the same player to move."""
    limit = _switch_number(game, "repetition_claim")
    last = positions[-1]
    times = sum((position.placement, position.seat) == (last.placement, last.seat) for position in positions)
    return bool(limit) and times >= limit


def has_quiet_moves(game: Game, positions: Sequence[Position]) -> bool:
    """Whether each side has made so many moves in a row that none of them changed the game for good."""
    limit = _switch_number(game, "quiet_claim")
    moves = 0
    for before, after in reversed(tuple(pairwise(positions))):
        if game.progressed(before, after):
            break
        moves += 1
    return bool(limit) and moves >= limit * len(game.seats)


def _switch_number(game: Game, switch: str) -> int:
    value = game.switches[switch].value
    return value if isinstance(value, int) else 0
