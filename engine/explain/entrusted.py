"""A move that somebody elsewhere chose, entrusted to who is at the board: its steps, and where the board is not so."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from engine.explain.demonstration import Step, StepKind, build_movement
from engine.game import Game, Move, Position


@dataclass(frozen=True, slots=True)
class WrongCarrying:
    """What was made of `move` instead."""

    move: Move
    wrong: tuple[int, ...]
    """Cells that were changed in a way that the move does not change them."""
    left: tuple[int, ...]
    """Cells that the move changes and that are as they were."""


@dataclass(frozen=True, slots=True)
class EntrustedView:
    """What is to be shown of it: the move while it is awaited, one of its steps, and what went wrong; `rest` is what is
    left of the move where its piece rests on the way."""

    move: Move | None = None
    step: Step | None = None
    astray: WrongCarrying | None = None
    rest: Move | None = None


def list_move_steps(game: Game, position: Position, move: Move) -> tuple[Step, ...]:
    """Which piece to take, each leg of its way, and what comes off."""
    lift = Step(StepKind.LIFT, (move.origin,), position.placement, (), game.write(position, move))
    return lift, *build_movement(game, position, move)


def list_steps_left(game: Game, position: Position, move: Move, rest: Move) -> tuple[Step, ...]:
    """The same of what is left of `move`, the end of its way; with its piece where it was, all of it."""
    made = len(move.path) - len(rest.path)
    steps = list_move_steps(game, position, move)[made and made + 1 :]
    off = (replace(step, cells=rest.taken) if step.deed is StepKind.TAKE else step for step in steps)
    return tuple(step for step in off if step.cells)


def compare_other_move(game: Game, position: Position, move: Move, stands: Position) -> WrongCarrying:
    """Another move than `move` was made in `position`, and `stands` came of it."""
    before, wanted, made = (one.placement for one in (position, game.play(position, move), stands))
    other = [cell for cell in range(len(before)) if wanted[cell] != made[cell]]
    return WrongCarrying(
        move,
        tuple(cell for cell in other if made[cell] != before[cell]),
        tuple(cell for cell in other if made[cell] == before[cell]),
    )


def compare_illegal_change(game: Game, position: Position, move: Move, changed: Collection[int]) -> WrongCarrying:
    """Something that is no move was made in place of `move`: these cells are not as they were in `position`."""
    before, wanted = position.placement, game.play(position, move).placement
    own = {cell for cell in range(len(before)) if wanted[cell] != before[cell]}
    wrong, left = tuple(sorted(set(changed) - own)), tuple(sorted(own - set(changed)))
    # the right cells were changed: then what stands on them is not what should
    return WrongCarrying(move, wrong, left) if wrong or left else WrongCarrying(move, tuple(sorted(changed)), ())
