"""A game that was played, looked at afterwards: how it stood after each ply, and the moves that decided it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.game import Game, Move, Position
from opponent.engines.client import Engine, Trouble
from opponent.review.lessons import WEAK
from opponent.review.worth import MoveComparison, clamp_score, compare_with_best
from opponent.vocabulary import Limits

DECIDERS = 3


@dataclass(frozen=True, slots=True)
class JudgedPly:
    """A ply: `stood` is the worth of the game for the first seat before it, `made` after it, in hundredths of a man.

    With three seats the worth is that of the seat that moves.
    """

    ply: int
    seat: str
    move: str
    better: str
    cost: int
    stood: int
    made: int


def judge_course(
    engine: Engine,
    game: Game,
    positions: Sequence[Position],
    moves: Sequence[Move],
    limits: Limits,
    told: Callable[[JudgedPly], None] = lambda judged: None,
) -> tuple[JudgedPly, ...] | Trouble:
    """Every ply judged, the first first; none where the engine says no scores."""
    found: list[JudgedPly] = []
    for ply, (position, move) in enumerate(zip(positions, moves, strict=False), start=1):
        seen = compare_with_best(engine, game, position, move, limits)
        if isinstance(seen, Trouble):
            return seen
        if seen is None:
            return ()
        found.append(_judge_ply(game, ply, position, move, seen))
        told(found[-1])
    return tuple(found)


def _judge_ply(game: Game, ply: int, position: Position, move: Move, seen: MoveComparison) -> JudgedPly:
    sign = -1 if len(game.seats) == 2 and position.seat == 1 else 1
    return JudgedPly(
        ply=ply,
        seat=game.seats[position.seat],
        move=game.write(position, move),
        better=seen.best.text,
        cost=seen.worth_lost,
        stood=sign * clamp_score(seen.best.score),
        made=sign * clamp_score(seen.made.score),
    )


def find_deciders(judged: Sequence[JudgedPly]) -> tuple[JudgedPly, ...]:
    """The moves that gave most away, in the order in which they were made; fewer if few gave anything away."""
    costly = sorted((one for one in judged if one.cost >= WEAK), key=lambda one: (-one.cost, one.ply))
    return tuple(sorted(costly[:DECIDERS], key=lambda one: one.ply))
