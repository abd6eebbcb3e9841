"""The numbers of priors.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("priors.toml")


@dataclass(frozen=True, slots=True)
class Numbers:
    """All numbers that the belief rests on; priors.toml says what each means."""

    dull: float
    misread: float
    odd: float
    fresh: float
    passed: float
    touched: float
    untouched: float
    ply: float
    longer: float
    back: float
    in_hand: float
    no_hand: float
    unlawful: float
    unlawful_cell: float
    nowhere: float
    pushed: float
    unknown: float
    at_once: float
    say: float
    accuse: float


@cache
def load_default_numbers() -> Numbers:
    """Those that are shipped."""
    return read_numbers(FILE)


def read_numbers(path: Path) -> Numbers:
    """Those of a file. TypeError if one is missing or unknown."""
    tables = tomllib.loads(path.read_text("utf-8"))
    return Numbers(**{name: float(value) for table in tables.values() for name, value in table.items()})
