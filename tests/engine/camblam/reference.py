"""Camblam straight from the rules text, slowly: squares are names, every move is tried and every reply to it.

Shares nothing with the engine but the codes. `Text` holds the readings of the sentences that leave room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

FILES = "ABCDEFGHIJKL"
ORTHOGONAL = ((0, 1), (0, -1), (1, 0), (-1, 0))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
UP_DOWN, LEFT_RIGHT = ORTHOGONAL[:2], ORTHOGONAL[2:]

Square = tuple[int, int]
Cells = dict[Square, str]
Landing = tuple[Square, Square, tuple[Square, ...]]
Shown = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True)
class Text:
    """One way to read the rules."""

    knight_first_leg: str = "4"
    knight_corner_empty: bool = False
    steps_capture: bool = True
    steps_run: bool = False
    range: int = 5
    zero_stages: bool = True
    whole_run: bool = False


def square(name: str) -> Square:
    return FILES.index(name[0]), int(name[1:]) - 1


def name(where: Square) -> str:
    return f"{FILES[where[0]]}{where[1] + 1}"


def off(where: Square) -> bool:
    return not (0 <= where[0] < 12 and 0 <= where[1] < 12)


def go(where: Square, way: tuple[int, int], far: int = 1) -> Square:
    return where[0] + way[0] * far, where[1] + way[1] * far


def landings(cells: Cells, side: str, text: Text) -> Iterator[Landing]:
    """Everything the pieces of `side` ("W" or "B") can do, own king not considered."""
    for start, code in cells.items():
        if code[0] != side:
            continue
        match code[1]:
            case "P":
                yield from pawn(cells, side, start)
            case "N":
                yield from knight(cells, side, start, text)
            case "A":
                yield from archer(cells, side, start, text)
            case "I":
                yield from prince(cells, side, start, text)
            case "C":
                yield from run(cells, start, UP_DOWN, text)
                yield from step(cells, side, start, LEFT_RIGHT, text)
            case "R":
                yield from run(cells, start, ORTHOGONAL, text)
                yield from step(cells, side, start, DIAGONAL, text)
            case "B":
                yield from run(cells, start, DIAGONAL, text)
                yield from step(cells, side, start, ORTHOGONAL, text)
            case "Q":
                yield from run(cells, start, ORTHOGONAL + DIAGONAL, text)
            case "K":
                yield from step(cells, side, start, ORTHOGONAL + DIAGONAL, Text())


def enemy(cells: Cells, side: str, where: Square) -> bool:
    return where in cells and cells[where][0] != side


def pawn(cells: Cells, side: str, start: Square) -> Iterator[Landing]:
    ahead = 1 if side == "W" else -1
    for far in (1, 2, 3):
        to = go(start, (0, ahead), far)
        if off(to) or to in cells:
            break
        yield start, to, ()
    for aside in (-1, 1):
        to = go(start, (aside, ahead))
        if enemy(cells, side, to):
            yield start, to, (to,)


def knight(cells: Cells, side: str, start: Square, text: Text) -> Iterator[Landing]:
    lengths: Iterable[int] = range(1, 12) if text.knight_first_leg == "any" else (int(text.knight_first_leg),)
    ends = {
        go(corner, second)
        for first_ways, fars, second_ways in ((ORTHOGONAL, lengths, DIAGONAL), (DIAGONAL, (4,), ORTHOGONAL))
        for way in first_ways
        for far in fars
        if not off(corner := go(start, way, far))
        and not any(cells.get(go(start, way, n), "-")[0] == side for n in range(1, far + 1))
        and not (text.knight_corner_empty and corner in cells)
        for second in second_ways
    }
    for to in ends:
        if not off(to) and cells.get(to, "-")[0] != side:
            yield start, to, (to,) if to in cells else ()


def archer(cells: Cells, side: str, start: Square, text: Text) -> Iterator[Landing]:
    for way in ORTHOGONAL + DIAGONAL:
        far = 1
        while not off(to := go(start, way, far)) and to not in cells:
            yield start, to, ()
            far += 1
        if enemy(cells, side, to) and far <= text.range:
            yield start, start, (to,)


def prince(cells: Cells, side: str, start: Square, text: Text) -> Iterator[Landing]:
    """Every pair of stage lengths is tried; all cells passed must be empty, the last may hold an enemy."""
    ends = set()
    for straight in ORTHOGONAL:
        for slant in DIAGONAL:
            for first in range(12):
                for second in range(12):
                    if first == second == 0 or (not text.zero_stages and 0 in (first, second)):
                        continue
                    corner = go(start, straight, first)
                    passed = [go(start, straight, n) for n in range(1, first + 1)]
                    passed += [go(corner, slant, n) for n in range(1, second + 1)]
                    *between, last = passed
                    if any(off(cell) for cell in passed) or any(cell in cells for cell in between):
                        break
                    if cells.get(last, "-")[0] != side:
                        ends.add(last)
    for to in ends:
        yield start, to, (to,) if to in cells else ()


def run(cells: Cells, start: Square, ways: Iterable[tuple[int, int]], text: Text) -> Iterator[Landing]:
    for way in ways:
        far = 1
        while not off(to := go(start, way, far)) and to not in cells:
            yield start, to, ()
            far += 1
        yield from taken_on(cells, start, way, far, text)


def taken_on(cells: Cells, start: Square, way: tuple[int, int], far: int, text: Text) -> Iterator[Landing]:
    taken: list[Square] = []
    while enemy(cells, cells[start][0], to := go(start, way, far + len(taken))):
        taken.append(to)
        if not text.whole_run:
            yield start, to, tuple(taken)
    if text.whole_run and taken:
        yield start, taken[-1], tuple(taken)


def step(cells: Cells, side: str, start: Square, ways: Iterable[tuple[int, int]], text: Text) -> Iterator[Landing]:
    for way in ways:
        to = go(start, way)
        if not off(to) and to not in cells:
            yield start, to, ()
        elif enemy(cells, side, to) and text.steps_capture:
            if text.steps_run:
                yield from taken_on(cells, start, way, 1, text)
            else:
                yield start, to, (to,)


def after(cells: Cells, landing: Landing) -> Cells:
    start, to, taken = landing
    left = {where: code for where, code in cells.items() if where not in taken}
    left[to] = left.pop(start)
    return left


def capturable(cells: Cells, side: str, text: Text) -> bool:
    """Whether a king of `side` could be captured now."""
    other = "B" if side == "W" else "W"
    return any(cells[where] == side + "K" for _, _, taken in landings(cells, other, text) for where in taken)


def lawful(cells: Cells, side: str, text: Text) -> set[Shown]:
    """Every (from, to, captured by name) that leaves the own king safe."""
    return {
        (name(landing[0]), name(landing[1]), tuple(sorted(map(name, landing[2]))))
        for landing in landings(cells, side, text)
        if not capturable(after(cells, landing), side, text)
    }


def perft(cells: Cells, side: str, depth: int) -> int:
    """How many lines of `depth` lawful moves there are; a promotion to each kind of piece is a line of its own."""
    total = 0
    for landing in landings(cells, side, Text()):
        left = after(cells, landing)
        if capturable(left, side, Text()):
            continue
        promotes = left[landing[1]][1] == "P" and landing[1][1] in (0, 11)
        for kind in "QRBIACN" if promotes else left[landing[1]][1]:
            line = {**left, landing[1]: side + kind}
            total += 1 if depth == 1 else perft(line, "B" if side == "W" else "W", depth - 1)
    return total
