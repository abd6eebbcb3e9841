"""The perft tables hold, as far as they are quick; `python -m tests.engine.bench` counts the rest."""

from __future__ import annotations

import pytest

from engine import games
from engine.perft import divide, perft
from tests.engine.perft_table import Row, rows

QUICK = 1_100_000
"""Largest count that is counted here: some seconds on one core."""
FEW = 50_000
"""Larger ones take seconds each and are left out of `make quick`; lowering it leaves out more."""
LARGE = pytest.mark.exhaustive


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=str(row), marks=LARGE if row.count > FEW else ()) for row in rows() if row.count < QUICK],
)
def test_the_tree_of_moves_has_as_many_leaves_as_the_table_says(row: Row) -> None:
    game = games.load(row.game, row.rules)
    assert perft(game, game.start(), row.depth, paths=row.paths) == row.count


def test_divide_sums_to_perft() -> None:
    game = games.load("camelot", "wcf")
    counts = dict(divide(game, game.start(), 2))
    assert len(counts) == 100
    assert sum(counts.values()) == perft(game, game.start(), 2) == 10026


def test_depth_zero_is_the_position_itself() -> None:
    game = games.load("camette")
    assert perft(game, game.start(), 0) == perft(game, game.start(), 0, paths=True) == 1
