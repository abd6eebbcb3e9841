"""The bound on lines that are not followed: nothing that is reached lies above it, and it is not idle."""

from __future__ import annotations

from itertools import islice

import pytest

from engine import games
from engine.belief.bound import ReachBound
from engine.belief.candidates import change_between
from engine.belief.emission import Emission
from engine.belief.numbers import load_default_numbers
from engine.belief.sight import Sight
from engine.game import Game, Position

SURE, UNSURE = (0.0, -8.0), (0.0, -0.7)


def scores(look: int, count: int, of: tuple[float, float]) -> tuple[float, ...]:
    """What a cell that shows a look reads as, more or less clearly, in nats."""
    return tuple(of[0] if one == look else of[1] for one in range(count))


@pytest.mark.parametrize("name", ["camelot", "camblam", "tri-camelot", "cam-3d"])
def test_no_reply_lies_above_the_bound(name: str) -> None:
    game = games.load(name)
    start = game.start()
    seen_after = line(game, start, (3, 5, 7))
    looks = [game.look_of[piece] for piece in seen_after.placement]
    unsure = set(range(0, len(looks), 9))
    read = tuple(scores(look, len(game.looks), UNSURE if c in unsure else SURE) for c, look in enumerate(looks))
    seen = Emission(game, start, Sight(0.0, read), load_default_numbers())
    mine = [
        {game.look_of[p] for p, owner in enumerate(game.seat_of) if owner == seat} for seat in range(len(game.seats))
    ]
    bound = ReachBound(seen, mine)
    for first in islice(game.moves(start), 40):
        after = game.play(start, first)
        change = change_between(game, start.placement, after.placement)
        longer = [
            change_between(game, start.placement, game.play(after, reply).placement) for reply in game.moves(after)
        ]
        bound.learn_change_sizes(change, longer)
        assert max(seen.weigh_change(one) for one in longer) <= bound.estimate_best_weight(change, [after.seat]) + 1e-9
        assert bound.estimate_best_weight(change, [after.seat]) <= seen.max_gain() + 1e-9


def line(game: Game, position: Position, numbers_of_moves: tuple[int, ...]) -> Position:
    """The position after some plies."""
    for number in numbers_of_moves:
        lawful = game.moves(position)
        position = game.play(position, lawful[number % len(lawful)])
    return position
