"""Bars about a game that was played: what each move took, what doubt the referee had, what was captured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.match.events import Moved

CHART_WIDTH, CHART_HEIGHT = 600, 100
"""Units of a drawing; the page stretches it."""
THIN = 0.8
"""Of the room of a ply, what its bar fills."""
DOUBTFUL = 10.0
"""Percent of doubt at which the list of moves marks one; a game without any such has low bars.
Less marks what nobody doubts, more hides the plies that are worth a look."""
AXIS_STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
"""Seconds at which an axis of times may end, so that its top is a number one can read."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One ply: whose, its value, its rectangle."""

    ply: int
    seat: str
    value: float
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """One drawing; `least` and `top` are the ends of its values, which have a unit and so many `digits` in words."""

    title: str
    least: float
    top: float
    bars: tuple[Bar, ...]
    unit: str
    digits: int
    width: int = CHART_WIDTH
    height: int = CHART_HEIGHT

    def write_value(self, value: float, write_number: Callable[[float, int], str]) -> str:
        """One of its values with its unit, as a language writes numbers with so many digits."""
        return f"{write_number(value, self.digits)}{self.unit}"


def draw_charts(told: Sequence[Moved], spans: Mapping[int, float]) -> tuple[Chart, ...]:
    """The drawings of the plies `told`, each of which stands, and of which some took `spans` seconds, by their number;
    those for which nothing is known are left out."""
    timed = [moved for moved in told if moved.ply in spans]
    spent = [spans[moved.ply] for moved in timed]
    known = [moved for moved in told if moved.confidence is not None]
    drawn = []
    if any(spent):
        drawn.append(_draw_chart("Time for each move", timed, spent, (" s", 1), _round_up(max(spent))))
    if known:
        doubt = [100 * (1 - (moved.confidence or 0.0)) for moved in known]
        if any(doubt):  # who has read a game from a text had none
            drawn.append(_draw_chart("Doubt about each move", known, doubt, (" %", 1), max(DOUBTFUL, *doubt)))
    taken = [float(len(moved.captured)) for moved in told]
    if any(taken):
        drawn.append(_draw_chart("Pieces captured", told, taken, ("", 0), max(taken)))
    return tuple(drawn)


def _draw_chart(title: str, told: Sequence[Moved], values: Sequence[float], form: tuple[str, int], top: float) -> Chart:
    """`form` is the unit and the digits of its values in words."""
    room = CHART_WIDTH / max(told[-1].ply, 10)  # a game of three plies has bars, not blocks
    bars = []
    for moved, value in zip(told, values, strict=True):
        height = round(CHART_HEIGHT * value / top, 1)
        x = round((moved.ply - 1) * room, 1)
        bars.append(Bar(moved.ply, moved.side, value, x, CHART_HEIGHT - height, round(THIN * room, 2), height))
    return Chart(title, min(values), max(values), tuple(bars), *form)


def _round_up(seconds: float) -> float:
    return float(next((step for step in AXIS_STEPS if step >= seconds), seconds))
