"""Time that was lost: the computer slept, its date was set, or the program was held up and saw nothing of the board.

Three clocks that go alike tell of the first two when they do not. The game clock follows the steady one, which stands
still while the computer sleeps and knows no date.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from server.logs import format_date

LEAST_S = 2.0
"""Less is not asked about: dates are set right by a second now and then, and nobody loses a game by two. Raising it
leaves short naps out of game clocks unsaid, lowering it asks when a date is set right."""
HELD_UP_S = 10.0
"""So long nobody asked: the program was stopped, as by Ctrl-Z or a container that is paused. What was played meanwhile
was not seen, and its side is not to lose by it. Raising it leaves longer pauses uncounted for, lowering it stops the
clocks of machines that are overloaded, whose loop stands for two or three seconds."""
TOGETHER_S = 0.1
"""Clocks that were read within so long were read at once. Raising it nears LEAST_S, lowering it reads them anew."""


@dataclass(frozen=True, slots=True)
class TimeSources:
    """What tells the time: `steady` stands still in sleep, `awake_or_not` does not, `date` may be set. In seconds."""

    steady: Callable[[], float] = time.monotonic
    awake_or_not: Callable[[], float] | None = (
        (lambda: time.clock_gettime(time.CLOCK_BOOTTIME)) if hasattr(time, "CLOCK_BOOTTIME") else None
    )
    """None where the system has no such clock: then nobody can tell sleep from a date that was set."""
    date: Callable[[], float] = time.time

    def read_clocks(self) -> tuple[float, float | None, float]:
        """All three at once: they are read again where the program was held up, or the computer slept, in between."""
        while True:
            before = self.steady()
            through, date = self.awake_or_not and self.awake_or_not(), self.date()
            if self.steady() - before < TOGETHER_S:
                again = self.awake_or_not and self.awake_or_not()
                if through is None or again is None or again - through < TOGETHER_S:
                    return before, through, date


CLOCKS = TimeSources()


@dataclass(frozen=True, slots=True)
class LostSpan:
    """So many seconds; `kind` is one of engine.match.acts.LOSSES, `before` and `now` are the dates on either side."""

    kind: str
    seconds: float
    before: str
    now: str


class LostTime:
    """Looks at the clocks each time it is asked. Mutable."""

    def __init__(self, clocks: TimeSources) -> None:
        self._clocks = clocks
        self._before = clocks.read_clocks()

    def find_lost_span(self) -> LostSpan | None:
        """What the clocks do not agree on since the last time, or all that went by if nobody asked for too long."""
        before, now = self._before, self._clocks.read_clocks()
        self._before = now
        went = now[0] - before[0]
        dated = now[2] - before[2]
        if went >= HELD_UP_S:
            through = went if before[1] is None or now[1] is None else now[1] - before[1]
            kind, lost = "stopped", max(went, through)
        elif before[1] is not None and now[1] is not None:
            slept = now[1] - before[1] - went
            kind, lost = ("slept", slept) if slept >= LEAST_S else ("set", dated - slept - went)
        else:
            lost = dated - went
            kind = "unknown" if lost > 0 else "set"
        if abs(lost) < LEAST_S:
            return None
        return LostSpan(kind, round(lost, 3), format_date(before[2]), format_date(now[2]))
