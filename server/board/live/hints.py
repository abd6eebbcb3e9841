"""What would be right: left out of what is told, as tournaments help no player and spectators might tell one; and shown
as a movement to who asks why something was refused."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InputError
from engine.explain.demonstration import Step, build_demonstration
from engine.game import Position
from engine.match.acts import Mode
from engine.match.events import Illegal
from engine.match.state import Match, Phase
from engine.sentences import template_of
from server.board.computer.carrying import STEP_S


@dataclass(frozen=True, slots=True)
class SwitchMode:
    """Go on in this mode; `by` is one of engine.match.acts.WHO."""

    mode: Mode
    by: str


MAY_BE_SHOWN = frozenset({Phase.TROUBLE, Phase.PLAYING})
"""Phases in which a movement is shown: whoever lifts a piece knows by now."""


@dataclass(frozen=True, slots=True)
class ShowWhy:
    """Show by a movement why the last thing was refused; `by` is one of engine.match.acts.WHO."""

    by: str


class Showing:
    """Remembers what was refused last, and shows why, step by step. Mutable; times are stream times."""

    def __init__(self) -> None:
        self._refused: tuple[Position, Illegal] | None = None
        self._steps: tuple[Step, ...] = ()
        self._since = 0.0

    def follow_match(self, match: Match) -> None:
        """The match is so now: something may have been refused."""
        if match.phase is Phase.TROUBLE and isinstance(match.note, Illegal):
            self._refused = match.position, match.note
        elif self._refused is not None and match.position != self._refused[0]:
            self._refused = None
        if self._refused is None or match.phase not in MAY_BE_SHOWN:
            self._steps = ()

    def begin_showing(self, match: Match, t: float, mode: Mode) -> None:
        """Show it from now on. InputError where nothing was refused, and in a tournament."""
        if mode == Mode.TOURNAMENT:
            raise InputError("show-why: in a tournament nobody is shown what would be right")
        if self._refused is None or match.phase not in MAY_BE_SHOWN:
            raise InputError("show-why: nothing was refused in this position")
        position, note = self._refused
        cells = [match.game.board.index[cell] for cell in note.cells]
        self._steps, self._since = build_demonstration(match.game, position, cells, note.instead), t

    def step_number(self, t: float) -> int:
        """Which step is shown at `t`, counted from 1; 0 when nothing is shown."""
        number = 1 + int(round(max(0.0, t - self._since), 3) / STEP_S)
        return number if number <= len(self._steps) else 0

    def current_step(self, t: float) -> Step | None:
        """The step that is shown at `t`."""
        number = self.step_number(t)
        return self._steps[number - 1] if number else None

    def to_json(self, match: Match, t: float) -> dict[str, object] | None:
        """What pages draw of the step at `t`, None for none; docs/api.md has its fields."""
        step = self.current_step(t)
        if step is None or self._refused is None:
            return None
        names, codes, note = match.game.board.cells, match.game.codes, self._refused[1]
        return {
            "step": self.step_number(t),
            "of": len(self._steps),
            "deed": step.deed.value,
            "cells": [names[cell] for cell in step.cells],
            "over": [names[cell] for cell in step.over],
            "notation": step.notation,
            "stands": {names[cell]: codes[piece] for cell, piece in enumerate(step.placement) if piece},
            "code": note.code,
            "message": note.message,
            **template_of(note.message),
        }
