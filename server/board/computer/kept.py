"""How the computer takes part in a game, as its record has it: a restart goes on with it, and so does the next game.

The record says all of it each time: {"t", "event": "computer", "by", "levels": {side: level}, "best", "teach"}.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.match.events import Event
from server.board.computer.opponents import COMPUTER_LEVELS

COMPUTER = "computer"
"""The kind of the event."""


@dataclass(frozen=True, slots=True)
class ComputerSet(Event):
    """Which sides the computer plays at which level, and whether the best moves are shown and moves are explained."""

    name: ClassVar[str] = COMPUTER
    levels: Mapping[str, int]
    best: bool
    teach: bool


def computer_of(events: Sequence[Mapping[str, object]], seats: Sequence[str]) -> ComputerSet | None:
    """What the events of a game said last of the computer; None where they say nothing that can be read."""
    said = next((event for event in reversed(events) if event.get("event") == COMPUTER), None)
    if said is None:
        return None
    levels = said.get("levels")
    played = {
        side: level
        for side, level in (levels.items() if isinstance(levels, Mapping) else ())
        if side in seats and level in COMPUTER_LEVELS
    }
    return ComputerSet(0.0, played, best=said.get("best") is True, teach=said.get("teach") is True)
