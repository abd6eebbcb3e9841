"""Makes the corpus: traces with truth of several hundred films, over boards, looks, cameras and disturbances.

    python -m tests.bench.corpus OUT [--jobs N] [--match TEXT]

Each game is drawn or path traced, filmed under conditions, refereed, and kept as OUT/fit or OUT/test/NAME.jsonl.gz:
what was seen look by look (server/record/traces/trace.py) and a line `truth` with what was played and shown when.
Looks, pieces and cameras are either in fit or in test, never in both. What is there already is not made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import cv2

from calibration.profile import Profile
from engine import games
from engine.match.state import Match
from server.record.traces.trace import Tracer, open_trace
from tests.bench.bench_vision import SESSIONS
from tests.bench.bench_vision.draws import BOARDS, short_recipe
from tests.bench.referee_recording import Followed, followed
from tests.bench.takes import Take, first_plies, recording, rendering, session_folders
from tests.bench.timeline import Moment
from tests.render.camera.conditions import DISTURBANCES, STRENGTHS, drawn
from tests.render.stream import Shot
from tests.render.styles import LOOKS
from vision.watch.watcher import Watcher

SPLITS = ("fit", "test")
FIRST = 900_000
"""Seeds from here on are the corpus's own: the bench measures on others, and the network has learned from others."""
SET_UPS = 3
"""Looks, pieces, tables, lights and cameras of each board in each split; the disturbances take them in turn."""
PLIES = 6
FIGURES = (
    *("plies", "right", "wrong", "early", "asked", "illegal", "found", "false", "helped"),
    *("silent", "deaf_s", "unseen_s", "unready"),
)
"""Of a report: those that need no pictures."""
LOOKS_OF = {split: frozenset(sorted(LOOKS)[number :: len(SPLITS)]) for number, split in enumerate(SPLITS)}
SUFFIX = ".jsonl.gz"


@dataclass(frozen=True)
class Film:
    """One sequence of the corpus: a drawn game by its seed, or the recording in a folder."""

    split: str
    board: str
    seed: int
    disturbance: str
    strength: str
    folder: str = ""

    @property
    def name(self) -> str:
        """Tells it from all others; the name of its file."""
        return f"{self.folder or f'{self.board}-{self.seed}'}-{self.disturbance}-{self.strength}"


def films() -> list[Film]:
    """The whole corpus: each disturbance at two strengths on each board in both splits, and on recordings."""
    rows = [(d, s) for d in DISTURBANCES for s in (STRENGTHS[:1] if d == "clean" else STRENGTHS[:2])]
    out = []
    for split in SPLITS:
        for number, board in enumerate(BOARDS):
            seeds = _seeds(split, number)
            out += [Film(split, board, seeds[row % SET_UPS], *kind) for row, kind in enumerate(rows)]
    recordings = [folder.name for folder in session_folders(SESSIONS)]
    for row, kind in enumerate(rows):
        number = row % len(recordings)
        out.append(Film(SPLITS[number == 0], "camelot", FIRST + row, *kind, folder=recordings[number]))
    return sorted(out, key=lambda film: (film.split, film.folder, film.board, film.seed, film.name))


def _seeds(split: str, board: int) -> list[int]:
    """Of the set-ups of a board: those whose look belongs to the split."""
    found: list[int] = []
    seed = FIRST + board
    while len(found) < SET_UPS:
        if short_recipe(BOARDS[board], seed, PLIES).look in LOOKS_OF[split]:
            found.append(seed)
        seed += len(BOARDS)
    return found


def make(film: Film, out: Path) -> str:
    """Film, referee and keep one sequence; its figures in a line."""
    path = out / film.split / (film.name + SUFFIX)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name("unfinished-" + path.name)
    unfinished.unlink(missing_ok=True)
    cv2.setNumThreads(1)
    take, shots = _pictures(film.board, film.seed, film.folder)
    with open_trace(unfinished) as line:

        def watch(profile: Profile, match: Match) -> Watcher:
            return Watcher(profile, match, Tracer(line, match))

        conditions = drawn(film.disturbance, film.strength, film.seed)
        came = followed(take, iter(shots), conditions, film.seed, watch)
        line({"truth": truth(film, take, came)})
    unfinished.rename(path)
    return f"{film.name}: " + ", ".join(f"{name} {getattr(came.report, name)}" for name in FIGURES)


def truth(film: Film, take: Take, came: Followed) -> dict[str, Any]:
    """What was played and shown when, and what came of it when the trace was made."""
    played = {one.name: getattr(take, one.name) for one in fields(take) if one.name != "game"}
    moments = came.watched.moments
    return {
        "film": asdict(film),
        "game": take.game.name,
        "rules": take.game.rules,
        "take": played,
        "spans": came.spans,
        "times": [moment.t for moment in moments],
        "shown": [
            (len(list(run)), *shown) for shown, run in groupby(moments, lambda m: (m.played, m.clear, m.seeable))
        ],
        "figures": {name: getattr(came.report, name) for name in FIGURES},
    }


def _shown(moment: Moment) -> tuple[int, bool, bool]:
    """What there was to be seen: plies played, whether nothing is in the way, whether the camera shows the board."""
    return moment.played, moment.clear, moment.seeable


def taken(truth: dict[str, Any]) -> Take:
    """The take that a truth describes."""
    return Take(
        game=games.load(truth["game"], truth["rules"]),
        **{name: _frozen(value) for name, value in truth["take"].items()},
    )


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


@lru_cache(maxsize=1)
def _pictures(board: str, seed: int, folder: str) -> tuple[Take, tuple[Shot, ...]]:
    """What is filmed; kept for the next film of the same."""
    if folder:
        return first_plies(*recording(SESSIONS / folder), PLIES)
    take, shots = rendering(short_recipe(board, seed, PLIES))
    return take, tuple(shots)


def _group(made: list[Film], out: Path) -> list[str]:
    """Films of the same pictures, one after another; what goes wrong with one stops no other."""
    said = []
    for film in made:
        try:
            said.append(make(film, out))
        except Exception as error:  # named in the output, and tried again the next time
            said.append(f"{film.name}: not made: {type(error).__name__}: {error}")
    return said


def grouped(wanted: list[Film]) -> Iterator[list[Film]]:
    """Films in the order given, those of the same pictures together."""
    groups: dict[tuple[str, int, str], list[Film]] = {}
    for film in wanted:
        groups.setdefault((film.board, 0 if film.folder else film.seed, film.folder), []).append(film)
    yield from groups.values()


@click.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--jobs", default=1, show_default=True, help="films made side by side, a core each")
@click.option("--match", "texts", multiple=True, default=[""], help="only films with one of these in their names")
def command(out: Path, jobs: int, texts: tuple[str, ...]) -> None:
    """Make what is missing of the corpus in OUT."""
    wanted = [film for film in films() if any(text in film.name for text in texts)]
    missing = [film for film in wanted if not (out / film.split / (film.name + SUFFIX)).exists()]
    click.echo(f"{len(missing)} films to make")
    with ProcessPoolExecutor(jobs) as workers:
        for said in workers.map(_group, list(grouped(missing)), [out] * len(missing)):
            for line in said:
                click.echo(line)


if __name__ == "__main__":
    command()
