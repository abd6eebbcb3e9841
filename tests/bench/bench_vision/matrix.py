"""Runs the tasks of the bench, keeps every result as a line of JSON, and takes up what was broken off."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tests.bench.bench_vision.draws import ROOT
from tests.bench.bench_vision.figures import Figures
from tests.bench.bench_vision.tasks import TRACED, Task, done

BUILD = ROOT / "build" / "bench-vision"
RESULTS = BUILD / "results.jsonl"
CODE = ("engine", "calibration", "vision", "server", "tests/render", "tests/data/sessions")
JUDGES = (
    *("referee_recording", "report", "takes", "timeline", "watched"),
    *("bench_vision/draws", "bench_vision/starts", "bench_vision/tasks"),
)
"""What a figure follows from: when any of it has changed, results that were kept are of no use."""
SUFFIXES = {".py", ".toml", ".onnx"}
TOLD_EVERY = 20
"""Without a terminal a line is printed after so many films."""


def fingerprint() -> str:
    """Of all the code that figures follow from."""
    told = hashlib.sha256()
    files = [file for folder in CODE for file in sorted((ROOT / folder).rglob("*")) if file.suffix in SUFFIXES]
    for file in (*files, *(ROOT / "tests" / "bench" / f"{name}.py" for name in JUDGES)):
        told.update(str(file.relative_to(ROOT)).encode())
        told.update(file.read_bytes())
    return told.hexdigest()[:16]


def kept(file: Path, code: str) -> dict[str, Figures]:
    """Key of a task -> its figures, of what this very code has done before. A line that was broken off is left out."""
    out: dict[str, Figures] = {}
    for line in file.read_text().splitlines() if file.exists() else ():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        if entry["code"] == code and "error" not in entry["figures"]:
            out[entry["task"]] = entry["figures"]
    return out


def run(tasks: Sequence[Task], jobs: int, resume: bool) -> list[tuple[Task, Figures]]:
    """Do all tasks, so many side by side; results in the order of the tasks, whoever was done first."""
    file, code = RESULTS, fingerprint()
    file.parent.mkdir(parents=True, exist_ok=True)
    found = kept(file, code) if resume else {}
    file.write_text("".join(_line(code, key, figures) for key, figures in found.items()))
    todo = [task for task in tasks if task.key not in found]
    with file.open("a") as lines:
        for task, figures in _shown(todo, len(tasks), jobs):
            found[task.key] = figures
            lines.write(_line(code, task.key, figures))
            lines.flush()
    return [(task, found[task.key]) for task in tasks]


def _line(code: str, key: str, figures: Figures) -> str:
    return json.dumps({"code": code, "task": key, "figures": figures}) + "\n"


def _shown(todo: Sequence[Task], of: int, jobs: int) -> Iterator[tuple[Task, Figures]]:
    """Results as they come, with a bar of progress or a line now and then."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("films", total=of, completed=of - len(todo))
        for number, (task, figures) in enumerate(_results(todo, jobs), 1):
            where = " ".join(word for word in (task.board, task.disturbance, task.strength, task.what) if word)
            progress.update(bar, advance=1, description=where)
            if "error" in figures:
                console.print(f"{where}: {figures['error']}", markup=False)
            if not console.is_terminal and number % TOLD_EVERY == 0:
                console.print(f"{of - len(todo) + number} of {of} films, the last: {where}")
            yield task, figures


def _results(todo: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Figures]]:
    """Results as they come. One job needs no other process."""
    failures = BUILD / "failures"
    failures.mkdir(parents=True, exist_ok=True)
    if jobs == 1:
        for task in todo:
            yield task, done(task, failures)
        return
    with ProcessPoolExecutor(jobs) as workers:
        running = {workers.submit(_several, batch, failures): batch for batch in batches(todo)}
        for future in as_completed(running):
            yield from zip(running[future], future.result(), strict=True)


def _several(tasks: Sequence[Task], failures: Path) -> list[Figures]:
    return [done(task, failures) for task in tasks]


BATCH = 6
"""Films that one process makes of the same game: it draws the game once for them."""


def batches(tasks: Sequence[Task]) -> list[list[Task]]:
    """Tasks of the same game together, BATCH at most."""
    out: list[list[Task]] = []
    for task in tasks:
        same = bool(out) and (out[-1][0].board, out[-1][0].seed, out[-1][0].part) == (task.board, task.seed, task.part)
        if same and len(out[-1]) < BATCH and task.board != TRACED:
            out[-1].append(task)
        else:
            out.append([task])
    return out
