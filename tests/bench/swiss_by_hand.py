"""Standings of a Swiss out of FIDE's report alone, by FIDE's rules of tie-breaks (C.07 of 2026), without any library.

Columns of a line `001`: number 5 to 8, points 81 to 84, and for each round ten from 92 on: opponent, colour, result.
"""

from __future__ import annotations

from dataclasses import dataclass

POINTS = dict.fromkeys("1+WFU", 1.0) | dict.fromkeys("=DH", 0.5) | dict.fromkeys("0-LZ ", 0.0)
PLAYED = frozenset("10=WLD")
ABSENT = frozenset("HZ- ")
"""Rounds that somebody did not play by its own will (16.2.5): asked for, or not come."""
DRAW = 0.5


@dataclass(frozen=True, slots=True)
class Round:
    """A round of somebody: the opponent (0 for none) and the letter."""

    opponent: int
    letter: str


def recomputed(report: str) -> dict[int, list[float]]:
    """Of everybody by number: points, Buchholz without the worst, Buchholz, Sonneborn-Berger, wins."""
    lines = [line.ljust(200) for line in report.splitlines() if line.startswith("001")]
    count = max(len(line.rstrip()) - 89 for line in lines) // 10
    rounds = {int(line[4:8]): [_round(line, 91 + 10 * at) for at in range(count)] for line in lines}
    points = {number: sum(POINTS[one.letter] for one in row) for number, row in rounds.items()}
    for line in lines:
        assert float(line[80:84]) == points[int(line[4:8])], f"points of {line[:40]}"
    adjusted = {number: _adjusted(row) for number, row in rounds.items()}
    return {number: _values(number, row, points, adjusted) for number, row in rounds.items()}


def _round(line: str, at: int) -> Round:
    return Round(int(line[at : at + 4].strip() or 0), line[at + 7])


def _adjusted(row: list[Round]) -> float:
    """What somebody counts for its opponents (16.3): rounds after the last that it did not miss are draws."""
    there = [at for at, one in enumerate(row) if one.letter not in ABSENT]
    last = max(there, default=-1)
    return sum(POINTS[one.letter] if at <= last or one.opponent else DRAW for at, one in enumerate(row))


def _values(number: int, row: list[Round], points: dict[int, float], adjusted: dict[int, float]) -> list[float]:
    met: list[tuple[bool, float, float]] = []  # missed by its own will, what it counts, what was got
    for one in row:
        if one.letter in PLAYED:
            met.append((False, adjusted[one.opponent], POINTS[one.letter]))
            continue
        most = adjusted[one.opponent] if one.opponent else DRAW * len(row)  # 16.4.1, 16.4.2
        met.append((one.letter in ABSENT, min(points[number], most), POINTS[one.letter]))
    buchholz = sum(worth for _, worth, _ in met)
    missed = [worth for is_missed, worth, _ in met if is_missed]
    cut = min(missed or [worth for _, worth, _ in met])  # 16.5: what was missed is left out first
    berger = sum(worth * got for _, worth, got in met)
    wins = sum(POINTS[one.letter] == 1.0 for one in row)
    return [points[number], buchholz - cut, buchholz, berger, float(wins)]
