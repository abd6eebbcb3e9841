"""Films by bad cameras in bad light, made as the bench makes them: each lost its game to one look that was too sure."""

from __future__ import annotations

import pytest

from tests.bench.bench_vision.tasks import MATRIX, Task, done


@pytest.mark.parametrize(
    ("board", "seed", "row"),
    [
        pytest.param("camelot", 760000, "blotches", id="noise hides that a black piece leaves a dark cell"),
        pytest.param("tri-camelot", 760001, "lamp-bands", id="a hand holds a piece over a lawful cell on its way"),
        pytest.param("cam-3d", 817002, "blotches", id="noise that is taken for another light hides a ply"),
    ],
)
def test_no_ply_is_missed_or_made_up(board: str, seed: int, row: str) -> None:
    told = done(Task(MATRIX, board, seed, row, "hard", 6))
    assert "error" not in told, told
    figures = {name: told[name] for name in ("right", "wrong", "false", "helped")}
    assert figures == {"right": 6, "wrong": 0, "false": 0, "helped": 0}, told["remarks"]
