"""Why something is refused, as a movement: what was tried, then what the rule demands or allows, step by step.

Everything here is asked of the game: the moves that a refusal names, else what the piece that was moved may do, else
which pieces may move at all. No rule is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from engine.game import Game, Move, Position

MOST_MOVES = 3
"""Movements shown for one refusal: more are not remembered."""


class StepKind(Enum):
    """What a step shows."""

    LIFT = "lift"
    """The cell of the piece that is to be moved."""
    TRIED = "tried"
    """The cells that show what may not be."""
    MAY = "may"
    """The cells whose pieces may move, or where the piece may go; for a game that is over, what ended it."""
    LEG = "leg"
    """A piece goes from one cell to the next, over another or not."""
    TAKE = "take"
    """What it took comes off."""


@dataclass(frozen=True, slots=True)
class Step:
    """One picture of the movement. `placement` stands once the step is done; `notation` is the lawful move it is of."""

    deed: StepKind
    cells: tuple[int, ...]
    """From and to of a leg; else those that it is about."""
    placement: bytes
    over: tuple[int, ...] = ()
    """Cells of pieces between the two ends of a leg."""
    notation: str = ""


def build_demonstration(
    game: Game, position: Position, tried: Sequence[int], instead: Sequence[str] = ()
) -> tuple[Step, ...]:
    """The steps for what was `tried` in `position`: the cells that changed, and the moves that the refusal names.

    What was named for another position, after a ply that nobody saw at rest, is left out.
    """
    placement = position.placement
    steps = [Step(StepKind.TRIED, tuple(tried), placement)]
    moves = [move for text in instead if isinstance(move := game.read(position, text), Move)]
    if not moves:
        origins = [cell for cell in tried if game.seat_of[placement[cell]] == position.seat]
        moves = _order_by_difference(game.moves(position), origins)
    if not moves:
        return (*steps, Step(StepKind.MAY, _find_movable_cells(game, position), placement))
    shown = moves[:MOST_MOVES]
    if len(moves) > MOST_MOVES or len({move.origin for move in moves}) > 1:
        steps.append(Step(StepKind.MAY, tuple(dict.fromkeys(move.origin for move in moves)), placement))
    for move in shown:
        steps += build_movement(game, position, move)
    return tuple(steps)


def _order_by_difference(moves: Iterable[Move], origins: Sequence[int]) -> list[Move]:
    """Moves from `origins`, those in front that differ most from each other: of each kind one, then the others."""
    own = [move for move in moves if move.origin in origins]
    firsts = {(move.kind, bool(move.taken)): move for move in reversed(own)}
    chosen = list(reversed(firsts.values()))
    return [*chosen, *(move for move in own if move not in chosen)]


def _find_movable_cells(game: Game, position: Position) -> tuple[int, ...]:
    """Where pieces may move from. Where none may the game is over: the cells that decided it, else all pieces."""
    origins = tuple(sorted({move.origin for move in game.moves(position)}))
    if origins:
        return origins
    castles = [game.board.index[cell] for cells in game.board.castles.values() for cell in cells]
    held = tuple(cell for cell in castles if position.placement[cell])
    return held or tuple(cell for cell, piece in enumerate(position.placement) if piece)


def build_movement(game: Game, position: Position, move: Move) -> list[Step]:
    """A move leg by leg; what it takes comes off at the end, as on a board."""
    notation, placement = game.write(position, move), bytearray(position.placement)
    steps = []
    for start, end in pairwise(move.path):
        if start == end:
            continue  # a shot: the piece stays
        placement[end], placement[start] = placement[start], 0
        between = tuple(cell for cell in _find_cells_between(game, start, end) if position.placement[cell])
        steps.append(Step(StepKind.LEG, (start, end), bytes(placement), between, notation))
    for cell in move.taken:
        placement[cell] = 0 if cell != move.target else placement[cell]
    if move.becomes:
        placement[move.target] = move.becomes
    if move.taken:
        steps.append(Step(StepKind.TAKE, move.taken, bytes(placement), (), notation))
    return steps


def _find_cells_between(game: Game, start: int, end: int) -> list[int]:
    """The cells that a straight leap passes over."""
    board = game.board
    return [
        over for over, beyond in zip(board.steps[start], board.leaps[start], strict=True) if beyond == end >= 0 <= over
    ]
