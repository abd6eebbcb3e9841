"""What the bench has to do, one film at a time, and the doing of it in a process of its own."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2

from tests.bench.bench_vision import draws, starts
from tests.bench.referee_recording import referee
from tests.bench.report import Report
from tests.bench.takes import Take, first_plies, recording, rendering, session_folders
from tests.render.camera.conditions import DISTURBANCES, STRENGTHS, Conditions, drawn, drawn_view
from tests.render.camera.timing import Shot
from tests.render.script import Recipe

MATRIX, STARTS, CLEAN = "matrix", "starts", "clean"
"""The parts of the bench."""
TRACED = "path traced"
"""What stands for a board where the stored recordings are filmed; they are of Camelot."""
BOARDS = (*draws.BOARDS, TRACED)
VIEW = "view"
"""A row of the matrix that no film can give: the camera looks from lower down, or sees less."""
ROWS = (*DISTURBANCES, VIEW)
SOON_S = 12.0
"""A short film has time for what comes now and then only if it comes as often as this."""
EVERYTHING, EVERYTHING_PX = "everything", 1280
"""Films that suffer from everything are no wider: one 1920 wide takes minutes to make. Optics alone have wide ones."""
NOW_AND_THEN = tuple(field.name for field in fields(Conditions) if field.name.endswith("_every_s"))
START_ROWS = ("clean", "noise", "shake", "exposure", "beside", "optics")
"""Under these, in ordinary strength, starts are shown."""


@dataclass(frozen=True)
class Task:
    """One film: of a game, a recording or a start."""

    part: str
    board: str
    seed: int
    disturbance: str = "clean"
    strength: str = STRENGTHS[0]
    plies: int = draws.PLIES
    what: str = ""
    """Name of the recording or of the start."""
    fps: float = 0.0
    hands_s: float = 0.0
    """0: as the conditions have it."""

    @property
    def key(self) -> str:
        """One line that tells it from all others."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def conditions(self) -> Conditions:
        """Under which it is filmed."""
        found = drawn("clean" if self.disturbance == VIEW else self.disturbance, self.strength, self.seed)
        if self.part == MATRIX:
            often = {name: min(getattr(found, name), SOON_S) for name in NOW_AND_THEN}
            found = replace(found, **often)
        if self.disturbance == EVERYTHING:
            found = replace(found, width_px=min(found.width_px, EVERYTHING_PX))
        found = replace(found, fps=self.fps) if self.fps else found
        return replace(found, hands_s=self.hands_s) if self.hands_s else found


def matrix(
    rows: tuple[str, ...], strengths: tuple[str, ...], boards: tuple[str, ...], games: int, plies: int, first: int
) -> Iterator[Task]:
    """The matrix; the same games in every row, one after another, so that a game is drawn once."""
    recordings = [folder.name for folder in session_folders(draws.SESSIONS)]
    for board in boards:
        for number in range(games):
            what = recordings[number % len(recordings)] if board == TRACED else ""
            seed = first + number if board == TRACED else draws.matrix_seed(first, number, board)
            for row in sorted(rows, key=lambda row: row == VIEW):
                for strength in strengths:
                    if (row == "clean" and strength != strengths[0]) or (row == VIEW and board == TRACED):
                        continue  # clean is clean, and a recording has been taken from where it was
                    yield Task(MATRIX, board, seed, row, strength, plies, what)


def false_starts(rows: tuple[str, ...], boards: tuple[str, ...], games: int, first: int) -> Iterator[Task]:
    """Every start on every board, under some disturbances."""
    for board in boards:
        for number in range(games if board != TRACED else 0):
            for start in starts.STARTS:
                for row in rows:
                    yield Task(STARTS, board, draws.matrix_seed(first, number, board), row, plies=0, what=start)


def clean_set(games: int, first: int) -> Iterator[Task]:
    """The stored recordings and so many drawn games by a good camera, at several rates."""
    for number, folder in enumerate(session_folders(draws.SESSIONS)):
        yield Task(CLEAN, TRACED, number, what=folder.name)
    for seed in range(first, first + games):
        fps, hands_s = draws.drawn_pace(seed)
        yield Task(CLEAN, draws.drawn_recipe(seed).game, seed, fps=fps, hands_s=hands_s)


def done(task: Task, failures: Path | None = None) -> dict[str, Any]:
    """The figures of a task as JSON, or under "error" what went wrong. Pictures of what was wrong go to `failures`."""
    cv2.setNumThreads(1)  # one core each, as the figures say
    try:
        if task.part == STARTS:
            recipe = draws.short_recipe(task.board, task.seed, 0)
            return starts.refereed(recipe, task.what, task.conditions, task.seed).figures()
        take, shots = _pictures(task.board, task.seed, task.plies, task.what, _view(task), task.part == CLEAN)
        report = referee(take, iter(shots), task.conditions, task.seed)
    except Exception as error:  # one film that fails must not take an hour of others with it; it is counted and named
        at = traceback.extract_tb(error.__traceback__)[-1]
        return {"error": f"{type(error).__name__}: {error} ({Path(at.filename).name}:{at.lineno})"}
    if failures:
        for moment, image in report.pictures.items():
            cv2.imwrite(str(failures / f"{report.name}-{task.disturbance}-{task.strength}-{moment}.jpg"), image)
    return figures(report)


def figures(report: Report) -> dict[str, Any]:
    """A report as JSON has it."""
    return asdict(replace(report, pictures={})) | {"flawless": report.flawless}


def _view(task: Task) -> str:
    return task.strength if task.disturbance == VIEW else ""


@lru_cache(maxsize=1)
def _pictures(board: str, seed: int, plies: int, name: str, view: str, whole: bool) -> tuple[Take, tuple[Shot, ...]]:
    """What is filmed; kept for the next film of the same."""
    if board == TRACED:
        take, shots = recording(draws.SESSIONS / name)
        return first_plies(take, shots, plies)
    recipe: Recipe = draws.drawn_recipe(seed) if whole else draws.short_recipe(board, seed, plies)
    if view:
        stand = drawn_view(view, seed)
        recipe = replace(recipe, elevation=stand.elevation, hfov=stand.hfov, scale=stand.scale)
    take, shots = rendering(recipe)
    return take, tuple(shots)
