"""What came of all tasks together: shares with their intervals, and how soon it was said."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from server.board.certify.guide import Done, TaskOutcome
from server.board.certify.tasks import TaskKind

Z = 1.96
"""Standard deviations on both sides of the middle that hold 95 % of a normal distribution."""
SHARE = 0.95
"""Of all that could have been, what an interval holds; and of the plies, what must be right for a good table."""
UNTOUCHED = frozenset({TaskKind.HAND, TaskKind.NUDGE, TaskKind.RETURN, TaskKind.LAMP, TaskKind.LIFT})
SPOKEN = frozenset({TaskKind.START, TaskKind.PLY, TaskKind.UNLAWFUL})
"""Tasks of which it matters how soon something is said."""


@dataclass(frozen=True)
class CountedShare:
    """`count` of `of`, and between which shares the truth lies with 95 % (Wilson's interval)."""

    count: int
    of: int

    @property
    def confidence_interval(self) -> tuple[float, float]:
        """Lower and upper bound, 0 to 1; all of it where nothing was tried."""
        return wilson_interval(self.count, self.of)


@dataclass(frozen=True)
class Spread:
    """The middle of some figures, between which of them the true middle lies with 95 %, and the largest."""

    of: int
    median: float
    low: float
    high: float
    most: float


@dataclass(frozen=True)
class Tally:
    """What a sitting came to."""

    plies: Mapping[TaskOutcome, CountedShare]
    starts: CountedShare
    """Right starts that were begun."""
    false_starts: CountedShare
    named_starts: CountedShare
    """Bad starts of which exactly the wrong cells were named."""
    unlawful: CountedShare
    """Unlawful placements that were called so, by the rule that they break."""
    called: CountedShare
    """The same, by whatever rule."""
    alarms: CountedShare
    """Harmless things, a hand, a piece askew, a lamp, after which something was called wrong or written down."""
    lifted: CountedShare
    seconds: Spread | None
    """From rest to the word, of plies, starts and what was unlawful; None where nothing was said."""
    skipped: int

    @property
    def good(self) -> bool:
        """Whether one can play on this table without a second thought."""
        right, wrong = self.plies[TaskOutcome.RIGHT], self.plies[TaskOutcome.WRONG]
        return not wrong.count and not self.false_starts.count and right.count >= SHARE * right.of > 0


def tally_tasks(done: Iterable[Done]) -> Tally:
    """The sum of a sitting."""
    counted = [one for one in done if one.outcome is not TaskOutcome.SKIPPED]
    skipped = [one for one in done if one.outcome is TaskOutcome.SKIPPED]

    def count_share(kinds: Iterable[TaskKind], *outcomes: TaskOutcome) -> CountedShare:
        of = [one for one in counted if one.task.kind in kinds]
        return CountedShare(sum(one.outcome in outcomes for one in of), len(of))

    ply = (TaskKind.PLY,)
    return Tally(
        {
            outcome: count_share(ply, outcome)
            for outcome in TaskOutcome
            if outcome not in (TaskOutcome.SKIPPED, TaskOutcome.OTHER)
        },
        count_share((TaskKind.START,), TaskOutcome.RIGHT),
        count_share((TaskKind.ALTERED,), TaskOutcome.WRONG),
        count_share((TaskKind.ALTERED,), TaskOutcome.RIGHT),
        count_share((TaskKind.UNLAWFUL,), TaskOutcome.RIGHT),
        count_share((TaskKind.UNLAWFUL,), TaskOutcome.RIGHT, TaskOutcome.OTHER),
        count_share(UNTOUCHED, TaskOutcome.WRONG, TaskOutcome.REFUSED),
        count_share((TaskKind.LIFT,), TaskOutcome.RIGHT),
        measure_spread([one.seconds for one in counted if one.task.kind in SPOKEN and one.seconds is not None]),
        len(skipped),
    )


def wilson_interval(count: int, of: int) -> tuple[float, float]:
    """The score interval of a share: it stays within 0 and 1 and says something of 0 of 10 too (Wilson 1927)."""
    if of == 0:
        return 0.0, 1.0
    share, weight = count / of, Z * Z / of
    middle = (share + weight / 2) / (1 + weight)
    half = Z / (1 + weight) * math.sqrt(share * (1 - share) / of + weight / (4 * of))
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return (0.0 if count == 0 else low), (1.0 if count == of else high)


def measure_spread(figures: Sequence[float]) -> Spread | None:
    """The median and its interval by order statistics, which assume nothing of how figures are distributed."""
    if not figures:
        return None
    ordered, n = sorted(figures), len(figures)
    middle = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    rank = _interval_rank(n)
    return Spread(n, middle, ordered[rank], ordered[n - 1 - rank], ordered[-1])


def _interval_rank(n: int) -> int:
    """The highest rank (from 0) below which the median lies with no more than half of what an interval leaves out."""
    below, rank = 0.0, -1
    while rank + 1 < n // 2:
        below += math.comb(n, rank + 1) / 2**n
        if below > (1 - SHARE) / 2:
            break
        rank += 1
    return max(rank, 0)
