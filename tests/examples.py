"""How many examples a property is tried with, and how many rows of a table a check is made on."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import cycle, islice
from typing import TypeVar

Row = TypeVar("Row")

TIMES = int(os.environ.get("EXAMPLES_TIMES", "1"))
"""`make fuzz` asks for a hundred times as many. In `make test` they are the same in every run, and more of them would
find what they found the day before."""
ALL_ROWS = bool(os.environ.get("ALL_ROWS"))
"""`make soak` sets it: every check is then made on every row of its table."""


def examples(few: int) -> int:
    """So many in `make test`."""
    return few * TIMES


def choose_rows(rows: Iterable[Row], few: int, first: int = 0) -> list[Row]:
    """So many in `make test`, from number `first` on and round again, so that all rows are some check's; else all."""
    given = list(rows)
    return given if ALL_ROWS else list(islice(cycle(given), first, first + few))
