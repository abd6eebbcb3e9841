"""The bench on films of a few seconds: figures, what is kept of them, page and picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from tests.bench.bench_vision import __main__ as bench
from tests.bench.bench_vision import matrix, starts, tasks
from tests.bench.bench_vision.draws import SESSIONS
from tests.bench.bench_vision.page import BY_HAND, PICTURE
from tests.bench.bench_vision.tasks import MATRIX, TRACED, Task, done

RECORDING = sorted(folder.name for folder in SESSIONS.iterdir())[0]
MILLISECONDS = ("looks_ms", "frame_ms", "slowest_ms", "stages")


def two_plies(disturbance: str, strength: str = "ordinary") -> Task:
    return Task(MATRIX, TRACED, 0, disturbance, strength, 2, RECORDING)


def test_a_clean_film_and_its_like_again() -> None:
    first, second = (done(two_plies("clean")) for _ in range(2))
    assert (first["plies"], first["right"], first["silent"], first["deaf_s"], first["unready"]) == (2, 2, 0, 0.0, 0)
    assert first["looks_ms"]
    assert first["slowest_ms"] >= max(first["looks_ms"])
    for name in MILLISECONDS:
        del first[name], second[name]
    assert first == second


def test_what_was_said_of_a_film_in_which_nothing_can_be_read() -> None:
    """People have to say every ply; whatever was not announced before was silent."""
    found = done(two_plies("lamp-bands", "beyond"))
    assert (found["right"], found["wrong"], found["unready"]) == (0, 0, 1)
    assert found["helped"] == 2
    assert found["silent"] <= 2


def test_a_film_that_cannot_be_made_is_named() -> None:
    assert "no such disturbance" in done(two_plies("no such disturbance"))["error"]


@pytest.mark.parametrize("start", starts.STARTS)
@pytest.mark.parametrize("board", ["camelot", "tri-camelot", "cam-3d", "camblam"])
def test_what_stands_at_the_start(board: str, start: str) -> None:
    """What is drawn is really not the position that is expected, or it is, but for the hand."""
    recipe = tasks.draws.short_recipe(board, 7, 0)
    stage = starts.staged(recipe, start)
    expected = {stage.game.board.cells[c]: stage.game.codes[p] for c, p in enumerate(stage.game.start().placement) if p}
    stands = stage.frames[0].cells
    same_game = start in {"true", "another game's profile"}
    assert (stands == expected) == same_game
    assert (stage.frames[0].kind == "moving") == (start == "hand over the board")
    if len(stage.frames) > 1:
        assert stage.frames[-1].cells != expected


def test_the_bench_measures_films_and_takes_up_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two films; then again, with what was done before taken up; figures, page and picture are written."""
    docs = tmp_path / "docs" / "developing"
    monkeypatch.setattr(bench, "BUILD", tmp_path / "build" / "bench")
    monkeypatch.setattr(matrix, "BUILD", tmp_path / "build" / "bench")
    monkeypatch.setattr(bench, "DOCS", docs)
    monkeypatch.setattr(matrix, "RESULTS", tmp_path / "build" / "results.jsonl")
    options = ["--games=1", "--plies=1", f"--board={TRACED}", "--only=clean", "--only=noise", "--strength=ordinary"]
    docs.mkdir(parents=True)
    (docs / "benchmarks.md").write_text(f"of before\n{BY_HAND}\nwritten by hand\n")
    ran = CliRunner().invoke(bench.command, [*options, "--jobs", "1", "--write"], catch_exceptions=False)
    assert "2 films" in ran.output
    found = json.loads((docs / "benchmarks.json").read_text())
    assert found["matrix"]["ordinary"]["clean"][TRACED]["right"] == 1
    page = (docs / "benchmarks.md").read_text()
    assert "| clean | 1 of 1 |" in page
    assert page.endswith("written by hand\n")
    assert "of before" not in page
    with Image.open(docs / PICTURE) as picture:
        assert picture.width > picture.height / 4
    lines = (tmp_path / "build" / "results.jsonl").read_text()
    again = CliRunner().invoke(bench.command, [*options, "--jobs", "1", "--resume"], catch_exceptions=False)
    assert again.exit_code == 0
    assert (tmp_path / "build" / "results.jsonl").read_text() == lines
    assert json.loads((tmp_path / "build" / "bench" / "benchmarks.json").read_text())["matrix"] == found["matrix"]
