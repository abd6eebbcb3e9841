"""The move of the computer, or of another board, while people carry it out: shown step by step, and put right."""

from __future__ import annotations

from collections.abc import Sequence

from engine.explain.demonstration import Step
from engine.explain.entrusted import (
    EntrustedView,
    WrongCarrying,
    compare_illegal_change,
    compare_other_move,
    list_move_steps,
    list_steps_left,
)
from engine.game import Move, result_of
from engine.match.chains import find_way_over
from engine.match.events import Illegal, Lifted, Partial
from engine.match.state import Match, Phase, Rest
from server.board.computer.opponents import EngineAdvice, find_awaited_move, is_set_otherwise

STEP_S = 1.5
"""One step of a movement that is shown: a blink of the lights and as long again to follow it. More is calmer, less is
sooner
seen whole."""
WHOLE_STEPS = 2
"""So many steps long the whole move is lit before its first step comes again."""


class CarryingState:
    """Where the carrying out stands. Mutable; times are stream times."""

    def __init__(self) -> None:
        self._move: Move | None = None
        self._astray: WrongCarrying | None = None
        self._rest: Move | None = None
        self._steps: tuple[Step, ...] = ()
        self._since = 0.0

    def follow_match(self, advice: EngineAdvice | None, match: Match, t: float, *, helps: bool) -> None:
        """The match is so now. Where nobody is helped (not `helps`) only the move of another board is shown."""
        self._move, self._rest = find_awaited_move(advice, match, helps=helps), None
        self._astray = _find_astray(advice, match) if advice is not None and (helps or advice.far) else None
        found = _remaining_steps(match, self._move)
        under_way = _find_under_way(advice, match) if advice is not None and (helps or advice.far) else None
        if isinstance(under_way, WrongCarrying):
            self._astray = under_way
        elif under_way is not None and advice is not None:
            way, self._rest = under_way
            self._move, found = advice.move, list_steps_left(match.game, advice.position, way, self._rest)
        if found != self._steps:
            self._steps, self._since = found, t

    def step_number(self, t: float) -> int:
        """Which step is lit at `t`, counted from 1; 0 for the whole move, or for none."""
        if not self._steps:
            return 0
        number = int(round(max(0.0, t - self._since), 3) / STEP_S) % (len(self._steps) + WHOLE_STEPS)
        return number + 1 if number < len(self._steps) else 0

    def carried_at(self, t: float) -> EntrustedView:
        """What the lights show."""
        number = self.step_number(t)
        return EntrustedView(self._move, self._steps[number - 1] if number else None, self._astray, self._rest)

    def to_json(self, match: Match, t: float) -> dict[str, object]:
        """What pages say of it beside the move; docs/api.md has the fields."""
        names = match.game.board.cells

        def name_cells(numbers: Sequence[int]) -> list[str]:
            return [names[cell] for cell in numbers]

        return {
            "steps": [
                {"deed": step.deed.value, "cells": name_cells(step.cells), "over": name_cells(step.over)}
                for step in self._steps
            ],
            "step": self.step_number(t),
            "wrong": name_cells(self._astray.wrong) if self._astray else [],
            "left": name_cells(self._astray.left) if self._astray else [],
        }


def _remaining_steps(match: Match, move: Move | None) -> tuple[Step, ...]:
    """The steps of the move; once its piece is in the air that is done, and with another one in the air none are."""
    if move is None:
        return ()
    found = list_move_steps(match.game, match.position, move)
    if not isinstance(match.note, Lifted):
        return found
    return found[1:] if match.note.cell == match.game.board.cells[move.origin] else ()


def _find_under_way(advice: EngineAdvice, match: Match) -> tuple[Move, Move] | WrongCarrying | None:
    """While a capture is under way: the way of the move that it is on, and what is left of it; or where it is none."""
    move, game, note = advice.move, match.game, match.note
    if move is None or match.phase is not Phase.PARTIAL or not isinstance(note, Partial):
        return None
    rest = match.rests[-1] if match.rests and (note.at or not note.targets) else None
    if not _is_in_its_place(advice, match, rest):
        return None
    gone = {game.board.index[cell] for cell in note.gone or ()}
    origin, at = (rest.origin, rest.cell) if rest else (move.origin, move.origin)
    way = find_way_over(game, advice.position, move, at, gone) if origin == move.origin else None
    return way or compare_illegal_change(game, advice.position, move, {origin, at, *gone})


def _is_in_its_place(advice: EngineAdvice, match: Match, rest: Rest | None) -> bool:
    """Whether what is under way is in the place of the move, and not the answer to it: a landing of it may have been
    said as a ply."""
    made = len(match.moves) - advice.ply
    if made not in {0, 1} or match.positions[advice.ply] != advice.position:
        return False
    return made == 0 or (rest is not None and rest.origin == match.moves[-1].origin != match.moves[-1].target)


def _find_astray(advice: EngineAdvice, match: Match) -> WrongCarrying | None:
    """What was made of the move instead of it: something lawful, or something that is no move."""
    move, game, made = advice.move, match.game, len(match.moves) - advice.ply
    if move is None or made not in {0, 1} or match.positions[advice.ply] != advice.position:
        return None
    if not advice.far and is_set_otherwise(match, made):
        return None
    if made and match.phase is Phase.PLAYING and result_of(match.moves[-1]) != result_of(move):
        return compare_other_move(game, advice.position, move, match.position)
    if not made and match.phase is Phase.TROUBLE and isinstance(match.note, Illegal):
        return compare_illegal_change(
            game, advice.position, move, [game.board.index[cell] for cell in match.note.cells]
        )
    return None
