"""What a match knows that no event says, and that decides what is made of the board: carried over a restart.

The record says the course of a game. How long somebody thinks, how long ago the last ply was made, and which plies were
seen beside a hand only is known while the service runs, and needed by the next run as if there had been none.
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
    """`spent_s` of the present turn have been thought, by the game's clock; the last ply has stood for `stood_s` (None:
    not worth a word); `loose` is Match.loose."""

    spent_s: float = 0.0
    stood_s: float | None = None
    loose: int = 0

    def to_json(self) -> dict[str, object]:
        """As it is kept."""
        return asdict(self)


def read_carried(data: Mapping[str, object]) -> CarriedOver:
    """What `to_json` wrote. InputError for what it did not."""
    try:
        stood, loose = data["stood_s"], int(str(data["loose"]))
        carried = CarriedOver(float(str(data["spent_s"])), None if stood is None else float(str(stood)), loose)
    except (KeyError, ValueError, OverflowError) as error:
        raise InputError(f"carried over: lacks something or has it wrong: {error}") from None
    if not (0.0 <= carried.spent_s < math.inf and (carried.stood_s or 0.0) >= 0.0 and carried.loose >= 0):  # nor is NaN
        raise InputError("carried over: no times and no number of plies")
    return carried


def note_carried(match: Match, t: float) -> CarriedOver:
    """What is to be carried over from a match at `t`."""
    spent = round(turn_seconds(match.clocks[-1], t), 3) if match.clocks else 0.0
    stood = match.stood_s if match.moved_t is None else round(max(0.0, t - match.moved_t), 3)
    return CarriedOver(spent, stood, match.loose)


def carry_over(match: Match, carried: CarriedOver) -> Match:
    """A match that was folded out of its record, with what was carried over."""
    clocks = match.clocks and (*match.clocks[:-1], replace(match.clocks[-1], spent_s=carried.spent_s))
    return replace(match, clocks=clocks, stood_s=carried.stood_s, loose=min(carried.loose, len(match.moves)))
