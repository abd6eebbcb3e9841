"""Lines of lawful moves counted, against tests/data/perft/camblam.perft and the slow reference."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.game import Position
from engine.perft import perft
from tests.engine.camblam import reference
from tests.engine.camblam.setting import camblam, squares, stood

TABLE = Path(__file__).parents[2] / "data/perft/camblam.perft"
ENOUGH = 30_000
"""Larger counts take long and stand in the table for whoever suspects the generator."""


def rows() -> list[tuple[str, list[tuple[int, int]]]]:
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    found = []
    for line in lines:
        where, *counts = line.split(" ;D")
        found.append((where, [(int(depth), int(count)) for depth, count in map(str.split, counts)]))
    return found


def position_of(where: str) -> Position:
    if where == "start":
        return camblam().start()
    side, pieces = where.split(" ", 1)
    return stood(pieces, side)


@pytest.mark.parametrize(("where", "counts"), rows(), ids=lambda value: value[:30] if isinstance(value, str) else "")
def test_the_tree_of_moves_has_as_many_leaves_as_known(where: str, counts: list[tuple[int, int]]) -> None:
    position = position_of(where)
    for depth, count in counts:
        if count <= ENOUGH:
            assert perft(camblam(), position, depth) == count
    assert reference.perft(squares(position), "WB"[position.seat], 1) == counts[0][1]


def test_the_reference_counts_a_second_ply_alike() -> None:
    where, counts = next(row for row in rows() if row[0].startswith("black WKF1"))
    assert reference.perft(squares(position_of(where)), "B", 2) == counts[1][1]
