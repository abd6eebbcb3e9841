"""Sums of films, on reports made by hand, and what is kept of a run that was broken off."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bench.bench_vision import figures, matrix, starts, tasks
from tests.bench.bench_vision.tasks import CLEAN, MATRIX, STARTS, Task
from tests.bench.report import Report

GOOD = Report("a", plies=4, right=4, film_s=20.0, looks_ms=[10.0] * 19 + [100.0], slowest_ms=100.0, delays_s=[0.2, 0.6])
DEAF = Report("b", plies=4, helped=4, silent=4, wrong=1, deaf_s=7.5, unseen_s=1.0, film_s=20.0, unready=1)
BROKEN = {"error": "InputError: no camera"}


def test_figures_of_films_are_summed() -> None:
    found = figures.summed([tasks.figures(GOOD), tasks.figures(DEAF), BROKEN])
    assert (found["films"], found["plies"], found["right"], found["wrong"], found["silent"]) == (2, 8, 4, 1, 4)
    assert (found["flawless"], found["unready"]) == (1, 1)
    assert (found["deaf_s"], found["unseen_s"], found["film_s"]) == (7.5, 1.0, 40.0)
    assert (found["look_worst_ms"], found["slowest_ms"], found["late"]) == (100, 100, 1)
    assert 10 <= found["look_p95_ms"] < 100


def test_the_matrix_has_each_board_and_all_together() -> None:
    results = [
        (Task(MATRIX, "camelot", 1, "noise", "hard"), tasks.figures(GOOD)),
        (Task(MATRIX, "camblam", 2, "noise", "hard"), tasks.figures(DEAF)),
        (Task(STARTS, "camblam", 2, "noise", "hard"), BROKEN),
    ]
    cells = figures.matrix(results)["hard"]["noise"]
    assert {board: cells[board]["right"] for board in cells} == {"camelot": 4, "camblam": 0, "all": 4}
    assert len(figures.errors(results)) == 1


def test_starts_count_by_board_and_by_disturbance() -> None:
    gone = starts.StartReport("a piece gone", False, ready=True, moves=2).figures()
    held = starts.StartReport("a piece gone", False, named=True).figures()
    results = [
        (Task(STARTS, "camelot", 1, "clean", what="a piece gone"), gone),
        (Task(STARTS, "camelot", 1, "noise", what="a piece gone"), held),
    ]
    tally = figures.starts(results)["a piece gone"]
    assert (tally["camelot"]["shown"], tally["camelot"]["ready"], tally["camelot"]["moves"]) == (2, 1, 2)
    assert (tally["under clean"]["ready"], tally["under noise"]["ready"]) == (1, 0)
    assert tally["all"]["named"] == 1


def test_clean_sets_are_told_by_board_and_pace() -> None:
    results = [
        (Task(CLEAN, "camelot", 1, fps=30.0, hands_s=0.8), tasks.figures(GOOD)),
        (Task(CLEAN, "camblam", 2, fps=5.0, hands_s=0.8), tasks.figures(DEAF)),
    ]
    groups = figures.clean(results)
    assert list(groups) == ["camblam", "camelot", "5 frames/s", "30 frames/s", "hands rest 0.8 s", "together"]
    assert groups["together"]["plies"] == 8


def test_what_comes_now_and_then_comes_in_short_films() -> None:
    assert Task(MATRIX, "camelot", 1, "bumps").conditions.bump_every_s <= tasks.SOON_S
    assert Task(MATRIX, "camelot", 1, "bumps") != Task(MATRIX, "camelot", 1, "bumps", "hard")


def test_the_same_game_goes_through_all_rows() -> None:
    todo = list(tasks.matrix(("clean", "noise", "view"), ("ordinary", "hard"), ("camelot", tasks.TRACED), 2, 5, 100))
    rows = [(task.disturbance, task.strength) for task in todo if task.board == "camelot" and task.seed == 100]
    assert rows == [("clean", "ordinary"), *((row, s) for row in ("noise", "view") for s in ("ordinary", "hard"))]
    assert not any(task.disturbance == "view" for task in todo if task.board == tasks.TRACED)
    assert [task for batch in matrix.batches(todo) for task in batch] == todo
    assert all(len({task.seed for task in batch}) == 1 for batch in matrix.batches(todo))


def test_results_of_the_same_code_are_kept(tmp_path: Path) -> None:
    """Neither those of other code, nor films that failed, nor a line that was being written when the light went out."""
    lines = [
        json.dumps({"code": "now", "task": "1", "figures": {"plies": 1}}),
        json.dumps({"code": "before", "task": "2", "figures": {"plies": 1}}),
        json.dumps({"code": "now", "task": "3", "figures": BROKEN}),
        '{"code": "now", "ta',
    ]
    (tmp_path / "results.jsonl").write_text("\n".join(lines))
    assert matrix.kept(tmp_path / "results.jsonl", "now") == {"1": {"plies": 1}}
    assert matrix.kept(tmp_path / "none.jsonl", "now") == {}
