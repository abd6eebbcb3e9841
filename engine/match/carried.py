"""What a match knows that no event says, and that decides what is made of the board: carried over a restart.

The record says the course of a game. How long somebody thinks, and which plies were seen beside a hand only, is known
while the service runs, and needed by the next run as if there had been none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from engine.errors import InputError
from engine.match.clock import turn_seconds
from engine.match.state import Match


@dataclass(frozen=True, slots=True)
class CarriedOver:
    """`spent_s` of the present turn have been thought, by the game's clock; `loose` is Match.loose."""

    spent_s: float = 0.0
    loose: int = 0

    def to_json(self) -> dict[str, object]:
        """As it is kept."""
        return asdict(self)


def read_carried(data: Mapping[str, object]) -> CarriedOver:
    """What `to_json` wrote. InputError for what it did not."""
    try:
        carried = CarriedOver(float(str(data["spent_s"])), int(str(data["loose"])))
    except (KeyError, ValueError, OverflowError) as error:
        raise InputError(f"carried over: lacks something or has it wrong: {error}") from None
    if not (0.0 <= carried.spent_s < math.inf and carried.loose >= 0):  # nor is NaN
        raise InputError("carried over: no time and no number of plies")
    return carried


def note_carried(match: Match, t: float) -> CarriedOver:
    """What is to be carried over from a match at `t`."""
    spent = round(turn_seconds(match.clocks[-1], t), 3) if match.clocks else 0.0
    return CarriedOver(spent, match.loose)


def carry_over(match: Match, carried: CarriedOver) -> Match:
    """A match that was folded out of its record, with what was carried over."""
    clocks = match.clocks and (*match.clocks[:-1], replace(match.clocks[-1], spent_s=carried.spent_s))
    return replace(match, clocks=clocks, loose=min(carried.loose, len(match.moves)))
