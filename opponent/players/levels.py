"""Levels 1 to 10: how many nodes each looks at, and how inexactly; none throws pieces away on purpose."""

from __future__ import annotations

from dataclasses import replace

from opponent.vocabulary import Limits

NODES = (60, 180, 500, 1_500, 4_500, 14_000, 40_000, 120_000, 400_000, None)
"""For each level; about three times as many for the next make it win six games of ten. The last has no such limit."""
LEVEL_NOISE = (60, 45, 35, 25, 18, 12, 8, 4, 0, 0)
"""Hundredths of a man by which a position is seen as worth too much or too little; more makes a level uneven."""
UNLIMITED_MS = 1000
"""The highest level's time for a move when it is given neither time nor nodes."""


def limits_of(level: int, asked: Limits) -> Limits:
    """What was asked, and not more than the level has."""
    most = NODES[level - 1]
    if most is not None:
        return replace(asked, nodes=most if asked.nodes is None else min(most, asked.nodes))
    if asked == Limits():  # a bare `go`
        return replace(asked, movetime_ms=UNLIMITED_MS)
    return asked
