"""The perft tables of the family: tests/data/perft/<game>.perft."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[1] / "data" / "perft"
FAMILY = ("camelot", "tri-camelot", "cam-3d", "cam", "camette", "chivalry")


class Row(NamedTuple):
    """One count of a table."""

    game: str
    rules: str
    paths: bool
    depth: int
    count: int


def rows() -> Iterator[Row]:
    """Every count of every table."""
    for game in FAMILY:
        for line in (FOLDER / f"{game}.perft").read_text().splitlines():
            if not line.startswith("#"):
                (rules, what), *counts = (part.split() for part in line.split(";"))
                for depth, count in counts:
                    yield Row(game, rules, what == "paths", int(depth[1:]), int(count))
