"""Every reason code comes up on every game where it can: attempts at random until all were seen."""

from __future__ import annotations

import random

import pytest

from engine.game import Game, Position, Refusal
from tests.engine.positions_drawn import FAMILY, load

EVERYWHERE = frozenset(
    """
    unreadable off-board no-piece not-yours occupied not-a-move must-jump must-continue must-leave-castle must-jump-out
    own-castle ends-where-it-began men-cannot-charge order-canter-then-jump game-over ambiguous
    """.split()  # noqa: SIM905  # a list of so many strings hides the words
)
ALSO = {
    "camelot brainking": {"in-castle", "castle-moves-used"},
    "camelot wcf": {"in-castle", "castle-moves-used", "must-capture-after-canter"},
    "chivalry wcf": {"in-castle", "castle-moves-used", "must-capture-after-canter"},
    "tri-camelot wcf": {"right-hand-castle", "in-castle", "must-capture-after-canter"},
    "cam-3d wcf": {"in-castle", "must-capture-after-canter"},
    "cam wcf": {"in-castle", "must-capture-after-canter"},
    "camette wcf": {"in-castle", "must-capture-after-canter"},
}
MOST_POSITIONS = 6000
SEEDS = {
    "camelot brainking": 10,
    "camelot wcf": 6,
    "chivalry wcf": 1,
    "tri-camelot wcf": 1,
    "cam-3d wcf": 8,
    "cam wcf": 8,
    "camette wcf": 30,
}
"""Of up to forty seeds for each game those with which the last reason comes up soonest: with another one it
comes up too, after two to eight times as many positions."""


def crowd(chance: random.Random, game: Game) -> Position:
    """A crowd about a castle or anywhere, so that pieces meet."""
    board = game.board
    castles = [board.index[cell] for cells in board.castles.values() for cell in cells]
    middle = chance.choice(castles) if chance.random() < 0.5 else chance.randrange(len(board.cells))
    f, r, _ = board.lattice[middle]
    near = sorted(range(len(board.cells)), key=lambda c: abs(board.lattice[c][0] - f) + abs(board.lattice[c][1] - r))
    placement = bytearray(len(board.cells))
    for cell in chance.sample(near[:24], min(chance.randrange(3, 13), len(near))):
        placement[cell] = chance.randrange(1, len(game.codes))
    memory = tuple(chance.randrange(3) for _ in game.start().memory)
    return Position(bytes(placement), chance.randrange(len(game.seats)), memory)


def attempt(chance: random.Random, game: Game, position: Position) -> str:
    """Steps and leaps from an occupied cell, wherever they lead."""
    board = game.board
    cell = chance.choice([c for c, piece in enumerate(position.placement) if piece])
    text = board.cells[cell]
    ways = board.leaps if chance.random() < 0.8 else board.steps
    for _ in range(chance.randrange(1, 6)):
        following = [other for other in ways[cell] if other >= 0]
        if not following:
            break
        cell = chance.choice(following)
        text += "-" + board.cells[cell]
    first, _, last = text.partition("-")
    return f"{first}-{last.rpartition('-')[2]}" if chance.random() < 0.1 else text


def test_the_table_is_complete() -> None:
    assert set(ALSO) == set(SEEDS) == set(FAMILY)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FAMILY)
def test_every_reason_comes_up(name: str) -> None:
    game, chance = load(name), random.Random(SEEDS[name])
    missing = set(EVERYWHERE | ALSO[name])
    strays = ("castle", f"{game.board.cells[0]}-Z99", f"{game.board.cells[9]}-{game.board.cells[10]}")
    for _ in range(MOST_POSITIONS):
        position = crowd(chance, game)
        for text in (*strays, *(attempt(chance, game, position) for _ in range(12))):
            verdict = game.read(position, text)
            if isinstance(verdict, Refusal):
                missing.discard(verdict.code)
        if not missing:
            return
    pytest.fail(f"{name}: never seen: {', '.join(sorted(missing))}")
