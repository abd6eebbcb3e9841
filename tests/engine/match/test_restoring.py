"""After a ply is taken back hands restore the board, in whatever order and with pieces put elsewhere meanwhile."""

from __future__ import annotations

import random

import pytest

from engine import games
from engine.game import Move, Position
from engine.match.acts import Undo
from engine.match.judging import Asked, Looked, State, apply_input
from engine.match.state import Match, Phase
from tests.engine.sights import seen

APART_S, ENOUGH = 0.2, 6


def shown(state: State, placement: bytes, looks: int, t: float) -> tuple[State, float]:
    """After that many looks at a placement."""
    for _ in range(looks):
        t += APART_S
        state = apply_input(state, Looked(t, seen(state.match.game, placement, t), 97)).state
    return state, t


@pytest.mark.parametrize("seed", range(24))
def test_a_board_that_hands_restore_is_played_on_whatever_they_did_before(seed: int) -> None:
    """What was seen while nothing was played yet weighed against it for ever in 2 of these games."""
    game, chance = games.load("camette"), random.Random(seed)
    positions, moves = [game.start()], list[Move]()
    for _ in range(chance.choice([1, 2, 3])):
        moves.append(chance.choice(game.moves(positions[-1])))
        positions.append(game.play(positions[-1], moves[-1]))
        if game.outcome(positions[-1]) is not None:
            break
    plies = chance.choice([1, min(2, len(moves))])
    state = State(Match(game, tuple(positions), tuple(moves), phase=Phase.PLAYING, ready=True))
    state, t = shown(state, positions[-1].placement, 4, 0.0)
    state = apply_input(state, Asked(t, Undo(plies))).state
    assert state.match.phase is Phase.SETUP
    state, t = shown(state, positions[-1].placement, chance.choice([2, 10]), t)
    for placement, looks in steps_of_hands(positions[-1], positions[-1 - plies], chance):
        state, t = shown(state, placement, looks, t)
    state, t = shown(state, positions[-1 - plies].placement, ENOUGH, t)
    assert state.match.phase is Phase.PLAYING
    assert state.match.position == positions[-1 - plies]


def steps_of_hands(now: Position, wanted: Position, chance: random.Random) -> list[tuple[bytes, int]]:
    """What is seen between two positions, each for so many looks: pieces go one by one and come back, some of them to
    another cell first."""
    seen_now, steps = bytearray(now.placement), list[tuple[bytes, int]]()
    differing = [cell for cell, piece in enumerate(wanted.placement) if piece != seen_now[cell]]
    chance.shuffle(differing)
    for cell in differing:
        if seen_now[cell]:
            seen_now[cell] = 0
            steps.append((bytes(seen_now), chance.choice([1, 2, 4, 8])))
    for cell in differing:
        if wanted.placement[cell]:
            if chance.random() < 0.4:
                elsewhere = chance.choice([other for other, piece in enumerate(seen_now) if not piece])
                seen_now[elsewhere] = wanted.placement[cell]
                steps.append((bytes(seen_now), chance.choice([2, 4, 8])))
                seen_now[elsewhere] = 0
                steps.append((bytes(seen_now), 1))
            seen_now[cell] = wanted.placement[cell]
            steps.append((bytes(seen_now), chance.choice([1, 2, 4])))
    return steps
