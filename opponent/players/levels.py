"""Levels 1 to 10: how far each looks ahead, how exactly, and what it overlooks; none throws pieces away on purpose."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass, replace

from engine.game import Game, Move
from opponent.players import evaluation
from opponent.players.thinking import Task
from opponent.vocabulary import Limits

LEVEL_NOISE = 6
"""Hundredths of a man: so little hardly costs strength, and no two games of a level are the same."""
UNLIMITED_MS = 1000
"""The highest level's time for a move when it is given neither time nor nodes."""


@dataclass(frozen=True, slots=True)
class PlayingLevel:
    """What a level has: most nodes and greatest depth, None for no limit; the share of its own moves that it does not
    notice; and the hundredths of a man by which it sees the worth of a position as too much or too little."""

    nodes: int | None
    depth: int | None = None
    overlooks: float = 0.0
    noise: int = LEVEL_NOISE


HIGHEST_LEVEL = PlayingLevel(None, noise=0)
ONE, TWO, ROUND = 3_000, 10_000, 400_000
"""Nodes that one and two plies, and three of three players, never need, but for endless exchanges."""
LADDERS = {
    "camelot": (
        *(PlayingLevel(ONE, 1, overlooks=share) for share in (0.75, 0.62, 0.46, 0.2)),
        *(PlayingLevel(TWO, 2, overlooks=share) for share in (0.28, 0.0)),
        *(PlayingLevel(nodes) for nodes in (4_500, 13_000, 35_000)),
        HIGHEST_LEVEL,
    ),
    "tri-camelot": (  # a round is three plies
        *(PlayingLevel(ONE, 1, overlooks=share) for share in (0.96, 0.93, 0.9, 0.85, 0.75, 0.57)),
        *(PlayingLevel(TWO, 2, overlooks=share) for share in (0.3, 0.0)),
        PlayingLevel(ROUND, 3, overlooks=0.1),
        HIGHEST_LEVEL,
    ),
    "cam-3d": (
        *(PlayingLevel(ONE, 1, overlooks=share) for share in (0.9, 0.82, 0.69, 0.48, 0.1)),
        PlayingLevel(TWO, 2, overlooks=0.36),
        *(PlayingLevel(nodes) for nodes in (2_700, 9_000, 30_000)),
        HIGHEST_LEVEL,
    ),
    "camblam": (
        *(PlayingLevel(TWO, 2, overlooks=share) for share in (0.9, 0.78, 0.65, 0.5, 0.28)),
        *(PlayingLevel(nodes) for nodes in (8_000, 14_000, 23_000, 38_000)),
        HIGHEST_LEVEL,
    ),
}
"""Placed by how strong each was against its neighbours (docs/engines.md): a step is worth some 90 to 120 Elo points.
Who looks one ply ahead is made weaker evenly by overlooking; inexact sight alone hardly does it at some games."""
OTHERS = "camelot"
"""The game whose ladder another game with an evaluation climbs."""
BY_PLAYOUTS = (*map(PlayingLevel, (60, 180, 500, 1_500, 4_500, 14_000, 40_000, 120_000, 400_000)), HIGHEST_LEVEL)
"""Of games without an evaluation: there is nothing to see inexactly."""


def level_of(game: Game, number: int) -> PlayingLevel:
    """What level `number` has at a game."""
    ladder = BY_PLAYOUTS if evaluation.find_evaluation(game) is None else LADDERS.get(game.name, LADDERS[OTHERS])
    return ladder[number - 1]


def limit_to_level(task: Task, level: PlayingLevel) -> Task:
    """The task as that level does it: what was asked, and not more than the level has."""
    asked = task.limits
    if level.nodes is None and level.depth is None and asked == Limits():  # a bare `go`
        limits = replace(asked, movetime_ms=UNLIMITED_MS)
    else:
        limits = replace(
            asked, nodes=_smaller_limit(asked.nodes, level.nodes), depth=_smaller_limit(asked.depth, level.depth)
        )
    return replace(
        task, limits=limits, noise=level.noise, among=task.among or _draw_noticed_moves(task, level.overlooks)
    )


def _smaller_limit(asked: int | None, own: int | None) -> int | None:
    both = [number for number in (asked, own) if number is not None]
    return min(both) if both else None


def _draw_noticed_moves(task: Task, overlooks: float) -> tuple[Move, ...]:
    """The moves that are noticed, at least one; empty for all. The same for the same seed."""
    if not overlooks:
        return ()
    chance = random.Random(zlib.crc32(task.position.placement, task.seed))
    moves = task.game.moves(task.position)
    return tuple(move for move in moves if chance.random() >= overlooks) or (chance.choice(moves),)
