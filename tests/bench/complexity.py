"""`python -m tests.bench.complexity` fails where a function has more paths, or more lines, than a reader holds."""

from __future__ import annotations

import sys
from pathlib import Path

from radon.complexity import cc_visit

ROOT = Path(__file__).parents[2]
LAYERS = ("engine", "opponent", "calibration", "vision", "device", "server")
MOST, MOST_ON_AVERAGE = 15, 4.0
"""Paths through one function, and through all of them on average."""
MOST_LINES = 60
"""Lines of one function, with its signature and what it says of itself."""


def main() -> int:
    """Print what is too much, and the average; 1 if something is."""
    found = [
        (block, f"{file.relative_to(ROOT)} {block.name}")
        for layer in LAYERS
        for file in sorted((ROOT / layer).rglob("*.py"))
        for block in cc_visit(file.read_text(encoding="utf-8"))
        if block.letter != "C"  # of a class: those of its functions together
    ]
    average = sum(block.complexity for block, _ in found) / len(found)
    wrong = [f"{place}: {block.complexity} paths" for block, place in found if block.complexity > MOST]
    wrong += [
        f"{place}: {lines} lines" for block, place in found if (lines := block.endline - block.lineno + 1) > MOST_LINES
    ]
    print(*wrong, f"complexity {average:.2f} on average over {len(found)} functions", sep="\n")
    return int(bool(wrong) or average >= MOST_ON_AVERAGE)


if __name__ == "__main__":
    sys.exit(main())
