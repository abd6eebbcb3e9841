"""What the results of games prove: a share with its error bar, the difference in Elo points, and a sequential test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.96
"""Standard deviations of the error bar: 95 in 100 intervals hold the true share."""
ALPHA = BETA = 0.05
"""How often the sequential test may be wrong, either way."""
CERTAIN = 0.999
"""Shares beyond this are written as if they were this: their difference in points has no end."""


@dataclass(frozen=True, slots=True)
class Share:
    """The mean of `games` results between 0 and 1, and the interval that probably holds the true one (Wilson)."""

    games: int
    mean: float
    low: float
    high: float


def estimate_share(results: Sequence[float]) -> Share:
    """The share of a list of results; nothing is known of none."""
    n = len(results)
    if not n:
        return Share(0, 0.5, 0.0, 1.0)
    mean = sum(results) / n
    middle = (mean + Z * Z / (2 * n)) / (1 + Z * Z / n)
    reach = Z * math.sqrt(mean * (1 - mean) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return Share(n, mean, max(0.0, middle - reach), min(1.0, middle + reach))


def elo_difference(mean: float) -> float:
    """The difference in Elo points at which that share is expected of two players."""
    bounded = min(max(mean, 1 - CERTAIN), CERTAIN)
    return 400 * math.log10(bounded / (1 - bounded))


def expected_share(points: float) -> float:
    """The share that is expected at a difference in Elo points."""
    return float(1 / (1 + 10 ** (-points / 400)))


def log_ratio(results: Sequence[float], low: float, high: float) -> float:
    """How much likelier the results are at a difference of `high` points than of `low` (normal approximation)."""
    n = len(results)
    if n < 2:
        return 0.0
    mean = sum(results) / n
    # the two results that were not met keep a variance of nothing from deciding after two games
    spread = (sum((result - mean) ** 2 for result in results) + 0.5) / n
    worse, better = expected_share(low), expected_share(high)
    return n * (better - worse) * (2 * mean - worse - better) / (2 * spread)


def decide_test(results: Sequence[float], low: float, high: float) -> str:
    """Wald's test: "better" (at least `high` points), "not better" (at most `low`), or "" while both are possible."""
    ratio = log_ratio(results, low, high)
    if ratio >= math.log((1 - BETA) / ALPHA):
        return "better"
    return "not better" if ratio <= math.log(BETA / (1 - ALPHA)) else ""
