"""Cyclomatic complexity: `python -m tests.tools.complexity` fails where a function has more than a reader holds."""

from __future__ import annotations

import sys
from pathlib import Path

from radon.complexity import cc_visit

ROOT = Path(__file__).parents[2]
LAYERS = ("engine", "opponent", "calibration", "vision", "device", "server")
MOST, MOST_ON_AVERAGE = 15, 4.0
"""Paths through one function, and through all of them on average."""
STILL_MORE = {
    "engine/camelot/attempt.py _duty": 23,
    "engine/camelot/listing.py _free": 22,
    "engine/camelot/trails.py captures": 21,
}
"""Functions that are to be divided yet, and what they have: none may get more, and none may join them."""


def main() -> int:
    """Print what is too much, and the average; 1 if something is."""
    found = [
        (block.complexity, f"{file.relative_to(ROOT)} {block.name}")
        for layer in LAYERS
        for file in sorted((ROOT / layer).rglob("*.py"))
        for block in cc_visit(file.read_text(encoding="utf-8"))
        if block.letter != "C"  # of a class: those of its functions together
    ]
    average = sum(number for number, _ in found) / len(found)
    wrong = [f"{place}: {number}" for number, place in found if number > STILL_MORE.get(place, MOST)]
    print(*wrong, f"complexity {average:.2f} on average over {len(found)} functions", sep="\n")
    return int(bool(wrong) or average >= MOST_ON_AVERAGE)


if __name__ == "__main__":
    sys.exit(main())
