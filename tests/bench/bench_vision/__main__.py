"""The command: what is measured, and where the figures go."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import cv2

from tests.bench.bench_vision import figures, tasks
from tests.bench.bench_vision.draws import HELD_BACK, MATRIX_FIRST, ROOT
from tests.bench.bench_vision.matrix import BUILD, fingerprint, run
from tests.bench.bench_vision.page import PICTURE, page
from tests.bench.bench_vision.picture import draw
from tests.render.camera.conditions import STRENGTHS

DOCS = ROOT / "docs" / "developing"
NAME = "benchmarks"
PARTS = (tasks.MATRIX, tasks.STARTS, tasks.CLEAN)


@click.command()
@click.option("--clean", default=0, help="instead of all the rest so many drawn games by a good camera, of 12 plies")
@click.option("--games", default=2, show_default=True, help="films in each cell of the matrix")
@click.option("--plies", default=5, show_default=True, help="plies of each of them")
@click.option("--starts", default=2, show_default=True, help="games whose true and altered starts are shown; 0: none")
@click.option("--first", type=int, help="seed of the first game, instead of the usual held-back one")
@click.option(
    "--only", multiple=True, type=click.Choice(tasks.ROWS), help="of the matrix only this row; again for more"
)
@click.option("--strength", multiple=True, type=click.Choice(STRENGTHS), help="only this strength")
@click.option("--board", multiple=True, type=click.Choice(tasks.BOARDS), help="only this board")
@click.option("--jobs", default=2, show_default=True, help="films refereed side by side, a core each")
@click.option("--resume", is_flag=True, help="go on where the same command, on the same code, was broken off")
@click.option("--write/--no-write", default=None, help="write docs/developing; default: only when all is measured")
def command(
    clean: int,
    games: int,
    plies: int,
    starts: int,
    first: int | None,
    only: tuple[str, ...],
    strength: tuple[str, ...],
    board: tuple[str, ...],
    jobs: int,
    resume: bool,
    write: bool | None,
) -> None:
    """Film, referee, and write the figures: always into build/bench-vision, and into docs when all was measured."""
    rows, boards = only or tasks.ROWS, board or tasks.BOARDS
    if clean:
        todo = list(tasks.clean_set(clean, HELD_BACK if first is None else first))
    else:
        seed = MATRIX_FIRST if first is None else first
        todo = list(tasks.matrix(rows, strength or STRENGTHS, boards, games, plies, seed))
        shown = tuple(row for row in tasks.START_ROWS if row in rows)
        todo += tasks.false_starts(shown, boards, starts, seed)
    begun = datetime.now(UTC)
    results = run(todo, jobs, resume)
    took = (datetime.now(UTC) - begun).total_seconds() / 60
    found = _sections(results, begun, clean)
    whole = bool(clean) or not (only or strength or board)
    folders = [BUILD, DOCS] if (whole if write is None else write) else [BUILD]
    for folder in folders:
        _written(folder, found)
    click.echo(f"{len(todo)} films, {took:.0f} minutes, written: {', '.join(str(f / NAME) + '.md' for f in folders)}")
    for error in found["errors"]:
        click.echo(error, err=True)
    if found["errors"]:
        raise SystemExit(1)


def _sections(results: figures.Results, begun: datetime, clean: int) -> dict[str, Any]:
    """The parts that were measured, each with when and by what."""
    by = f"{begun:%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}, OpenCV {cv2.__version__}"
    seeds = [task.seed for task, _ in results if task.board != tasks.TRACED] or [0]
    about = f"{by}, games {min(seeds)} to {max(seeds)}, code {fingerprint()}"
    found: dict[str, Any] = {"measured": {}, "errors": figures.errors(results)}
    for part in dict.fromkeys(task.part for task, _ in results):
        found["measured"][part] = about
    if clean:
        found["clean"] = {"groups": figures.clean(results), "remarks": figures.remarks(results, tasks.CLEAN)}
        return found
    found["matrix"] = figures.matrix(results)
    if "starts" in found["measured"]:
        found["starts"] = figures.starts(results)
    return found


def _written(folder: Path, found: dict[str, Any]) -> None:
    """JSON, page and picture; of parts that were not measured now the figures there stay."""
    file = folder / f"{NAME}.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    before = {part: before[part] for part in ("measured", *PARTS) if part in before}
    merged = {**before, **found, "measured": {**before.get("measured", {}), **found["measured"]}}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(merged, indent=1) + "\n")
    if "matrix" in merged:
        draw(merged["matrix"], folder / PICTURE)
    (folder / f"{NAME}.md").write_text(page(merged, folder / f"{NAME}.md"))


if __name__ == "__main__":
    command()
