"""How many examples a property of the rules and of judging is tried with."""

from __future__ import annotations

import os

TIMES = int(os.environ.get("EXAMPLES_TIMES", "1"))
"""`make fuzz` asks for a hundred times as many. In `make test` they are the same in every run, and more of them would
find what they found the day before."""


def examples(few: int) -> int:
    """So many in `make test`."""
    return few * TIMES
