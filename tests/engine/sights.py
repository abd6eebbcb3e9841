"""What a camera would report of a placement, in the engine's plain numbers, without any camera."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.belief.decision import update_belief
from engine.belief.memory import Memory
from engine.belief.opinion import Opinion
from engine.belief.sight import InMotion, Sight
from engine.explain.reasons import Reason
from engine.game import Game, Move, Position

GIVEN = Reason("sure", 99.9, 98.0)
"""What decided an opinion that a test makes up."""
CLEAR = 14.0
"""Score by which a clean cell prefers what stands there."""


def seen(
    game: Game,
    placement: bytes,
    t: float = 1.0,
    *,
    clear: float = CLEAR,
    noise: float = 0.0,
    seed: int = 0,
    faint: Mapping[int, float] | None = None,
    unexplained: Iterable[int] = (),
    patient: bool = False,
) -> Sight:
    """A look at `placement`.

    Each cell prefers its look by `clear`, cells in `faint` by the margin given there (negative: they would rather be
    empty, or something else where empty is true). Noise is a standard deviation; `unexplained` cells show
    nothing known.
    """
    chance = random.Random(seed)
    rows = []
    for cell, piece in enumerate(placement):
        row = [chance.gauss(0.0, noise) - clear for _ in game.looks]
        row[game.look_of[piece]] += clear
        if faint and cell in faint:
            other = 0 if piece else 1
            row[other] = row[game.look_of[piece]] - faint[cell]
        rows.append(row)
    shares = [0.0] * len(placement)
    for cell in unexplained:
        shares[cell] = 0.8
    return Sight(t, rows, shares, patient, offset_cells=[0.0] * len(placement))


def cells(game: Game, names: str) -> list[int]:
    """Indices of the cells named."""
    return [game.board.index[name] for name in names.split()]


def changed(game: Game, placement: bytes, changes: str) -> bytes:
    """`changes` is "E5-E6 D4-": pieces that stand elsewhere or are gone, one after another."""
    out = bytearray(placement)
    for change in changes.split():
        origin, _, target = change.partition("-")
        piece, out[game.board.index[origin]] = out[game.board.index[origin]], 0
        if target:
            out[game.board.index[target]] = piece
    return bytes(out)


def move_named(game: Game, position: Position, notation: str) -> Move:
    """The lawful move that `notation` writes."""
    move = game.read(position, notation)
    assert isinstance(move, Move), f"{notation}: {move.message}"
    return move


def line(game: Game, notations: str) -> tuple[tuple[Position, ...], tuple[Move, ...]]:
    """Positions and moves of a game from the start position."""
    positions: list[Position] = [game.start()]
    moves = []
    for notation in notations.split():
        moves.append(move_named(game, positions[-1], notation))
        positions.append(game.play(positions[-1], moves[-1]))
    return tuple(positions), tuple(moves)


def explain(
    game: Game,
    positions: Sequence[Position],
    moves: Sequence[Move],
    sight: Sight,
    moving: Callable[[], Sequence[Sight]] = tuple,
) -> Opinion:
    """What is believed at the first look since the board was understood."""
    return update_belief(game, positions, moves, sight, Memory(), InMotion(moving))[0]
