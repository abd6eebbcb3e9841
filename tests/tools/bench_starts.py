"""How sure the start check is: true starts and altered ones in short films, counted by kind; `make bench-starts`.

Each start is asked about twice, as soon as the board is still and a second later. An altered start that is called ready
at either time is a miss; a true one must be ready at one of them. Misses are kept as pictures, and how much of the
alteration can be seen in the picture is told with them: like on like nobody sees it.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click
import cv2
import numpy as np

from calibration.profile import Profile
from engine.game import Game
from tests.render import cheap
from tests.render.camera.conditions import DISTURBANCES, drawn
from tests.render.camera.film import film, placed
from tests.tools.bench_vision import draws, starts
from tests.tools.bench_vision.altered import KINDS, TRUE, altered
from tests.tools.takes import true_corners
from vision.frames import Frame
from vision.sight.seeing import Seeing
from vision.watch.beginning import begin
from vision.watch.schedule import Schedule

WITHIN_S = 1.0
"""A true start is called ready within so long of standing still."""
TRUE_STARTS = 5
"""Of each set-up: as many as half of its altered ones."""
WIDEST_PX = 1280
"""Wider films take seconds each to make."""
ROWS = tuple(name for name in DISTURBANCES if name not in ("timing", "bumps", "gone", "everything"))
"""Disturbances that a second of film can show."""
FOLDER = draws.ROOT / "build" / "bench-starts"


@dataclass(frozen=True)
class Start:
    """What was drawn, and what was said of it."""

    board: str
    seed: int
    kind: str
    disturbance: str
    off: tuple[str, ...]
    """Cells that are not as they should be."""
    named: tuple[tuple[str, ...], ...]
    """Cells that were named, at each of the two looks; none in a look that called it ready."""
    levels: float
    """Grey levels by which the picture differs from that of the true start, at the place where it differs most: the
    mean over a quarter of a cell."""

    @property
    def ready(self) -> bool:
        """Whether it was called ready."""
        return any(not named for named in self.named)

    @property
    def right(self) -> bool:
        """Whether what was said of it is so."""
        return self.ready == (self.kind == TRUE)


def of_setup(board: str, seed: int, keep: Path | None = None) -> Iterator[tuple[Start, Frame]]:
    """Every kind of start on one board before one camera, each under a disturbance of its own; and its last frame."""
    recipe = draws.short_recipe(board, seed, 0)
    true = _picture(altered(recipe, TRUE, 0)[0].frames[0].scene)
    profile = None
    for number, kind in enumerate((TRUE,) * TRUE_STARTS + KINDS[1:]):
        rng = np.random.default_rng([seed, number])
        row = ROWS[int(rng.integers(len(ROWS)))] if number else ROWS[0]
        conditions = drawn(row, "ordinary", seed + number)
        conditions = replace(
            conditions,
            start_s=2 * WITHIN_S,
            hands_s=2 * WITHIN_S,
            fps=8.0,
            width_px=min(conditions.width_px, WIDEST_PX),
        )
        stage, off = altered(recipe, kind, number)
        scene = stage.frames[0].scene
        shots = [(stage.frames[0].kind, _picture(scene))]
        corners = np.array(true_corners(stage))
        rim = (corners[0][0], corners[-1][1], corners[-1][2], corners[0][3])
        frames = [frame for _, frame in film(shots, conditions, seed + number, rim)]
        watcher = starts.watcher_of(
            recipe, kind, corners, placed(conditions, recipe.size_wh).corners, frames[0].image, seed
        )
        profile = watcher.profile
        looks = list(_looks(watcher.match.game, profile, frames, keep and keep / f"{board}-{seed}-{number}.pickle"))
        levels = _apart(shots[0][1], true, _cell_px(corners))
        yield Start(board, seed, kind, row, off, tuple(looks), levels), frames[-1]


def _looks(game: Game, profile: Profile, frames: list[Frame], keep: Path | None) -> Iterator[tuple[str, ...]]:
    """The cells that are named at the first look and at the last one within the time."""
    seeing, schedule, pieces = (
        Seeing(game.board, profile.views, frames[0].image),
        Schedule(),
        list(game.start().placement),
    )
    first, kept, last = None, [], None
    for frame in frames:
        seeing.take(frame.t, frame.image)
        seen = seeing.seen()
        if schedule.due(seen, False) and (first is None or frame.t - first <= WITHIN_S):
            pictures = seeing.pictures(seen.readable)
            last = (frame, pictures)
            if first is None:
                first = frame.t
                kept.append(last)
    kept += [last] if last is not None and last is not kept[0] else []
    if keep:
        keep.write_bytes(
            pickle.dumps(
                (
                    game.name,
                    game.rules,
                    profile.views,
                    [[p.astype(np.float16) for p in ps] for _, ps in kept],
                    kept[0][0].image if kept else None,
                )
            )
        )
    for frame, pictures in kept:
        begun = begin(game, game.start(), profile.views, frame.image, pictures, asks=False)
        yield tuple(game.board.cells[c] for c in begun.wrong)
    if not kept:
        yield game.board.cells


def _picture(scene: cheap.Scene) -> cheap.Image:
    return cheap.render(replace(scene, noise=0.5)).image


def _cell_px(corners: np.ndarray) -> float:
    return float(np.median(np.linalg.norm(corners[0] - np.roll(corners[0], 1, axis=0), axis=1))) / 14


def _apart(one: cheap.Image, other: cheap.Image, cell_px: float) -> float:
    off = np.abs(one.astype(np.float32) - other).max(axis=2)
    side = max(3, round(cell_px / 2))
    return float(cv2.blur(off, (side, side)).max())


def _unit(board: str, seed: int, folder: Path, keep: bool) -> list[Start]:
    cv2.setNumThreads(1)
    found = []
    for start, frame in of_setup(board, seed, folder if keep else None):
        found.append(start)
        if not start.right:
            name = f"{start.board}-{start.seed}-{start.kind}-{start.disturbance}".replace(" ", "-")
            cv2.imwrite(str(folder / f"{name}.jpg"), frame.image)
    return found


@click.command()
@click.option("--setups", default=56, show_default=True, help="boards with camera, light and pieces; 14 starts each")
@click.option("--first", default=70000, show_default=True, help="seed of the first")
@click.option("--jobs", default=1, show_default=True)
@click.option("--keep", is_flag=True)
@click.option("--out", type=click.Path(path_type=Path), default=FOLDER)
def command(setups: int, first: int, jobs: int, keep: bool, out: Path) -> None:
    """Measure, and print the counts by kind."""
    out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(jobs) as workers:
        todo = [workers.submit(_unit, draws.BOARDS[n % len(draws.BOARDS)], first + n, out, keep) for n in range(setups)]
        found = [start for one in todo for start in one.result()]
    (out / "starts.jsonl").write_text("".join(json.dumps(asdict(start)) + "\n" for start in found))
    for kind in KINDS:
        mine = [start for start in found if start.kind == kind]
        click.echo(f"{kind}: {sum(start.right for start in mine)} of {len(mine)} right")
    for start in sorted(found, key=lambda start: start.levels):
        if not start.right:
            click.echo(
                f"{start.board} {start.seed} {start.kind}, {start.disturbance}: {' '.join(start.off)}; seen {start.levels:.0f}; named {start.named}"
            )


if __name__ == "__main__":
    command()
