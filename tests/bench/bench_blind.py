"""Plies that are played while nothing can be seen: is it said or asked what they were? `make bench-blind`.

Each scene is a game on a board of its own. After two plies that are seen the camera is covered, dark, frozen or pushed
aside for 5 to 60 s, and 1 to 4 plies are played meanwhile. Then the board can be seen again, and stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import click
import cv2
import numpy as np

from engine.errors import InputError
from engine.game import Game
from engine.match.events import Illegal, Moved, SetUp, Takeback, Unclear
from engine.match.referee import new_match
from tests.bench.bench_moments import pushed_aside
from tests.bench.bench_vision import draws
from tests.bench.referee_recording import START_S, calibrated
from tests.bench.report import Report
from tests.bench.takes import rendering
from tests.render.camera.conditions import drawn
from tests.render.camera.film import film
from tests.render.camera.timing import Shot
from vision.frames import Frame
from vision.ground import Image
from vision.watch.watcher import Watcher

SEEN, MOST_UNSEEN = 2, 4
"""Plies before the spell, and in it at most."""
SPELL_S = (5.0, 60.0)
SPELL_FPS = 4.0
LINGER_S = 9.0
"""So long the board stands afterwards: longer than a referee may be silent."""
ASIDE_PX, ASIDE_TURN = (12.8, 64.0), 0.05
"""How far the picture has moved after the spell, in pixels at 640 of width, and turned, in radians, if pushed."""
CAUSES = ("covered", "dark", "frozen", "moved")
FINE = ("right", "asked")


def came_of(board: str, seed: int, cause: str) -> str:
    """right, wrong, asked with the true line, asked without it, empty, accused, lost, or not set up at all."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, CAUSES.index(cause)])
    unseen = int(rng.integers(1, MOST_UNSEEN + 1))
    take, shots = rendering(replace(draws.short_recipe(board, seed, SEEN + unseen), troubled=False))
    conditions = replace(drawn("clean", "ordinary", seed), start_s=START_S, end_s=LINGER_S)
    kept = [
        n for n, kind in enumerate(take.kinds) if take.plies[n] < SEEN or (kind == "quiet" and take.plies[n] == SEEN)
    ]
    last = max(n for n, kind in enumerate(take.kinds) if kind == "quiet")
    if take.plies[last] <= SEEN:
        return "over"  # the game has ended
    spell_s, later_s = float(rng.uniform(*SPELL_S)), 0.0
    watcher: Watcher | None = None
    told: list[object] = []
    shown: Image | None = None
    for number, frame in film(_only(shots, {*kept, last}), conditions, seed, take.rim_px):
        if watcher is None:
            try:
                profile = calibrated(take, frame.image, conditions, seed, Report(take.name))
            except InputError:
                return "not set up"
            watcher = Watcher(profile, new_match(take.game))
        if number == len(kept) and not later_s:
            assert shown is not None
            for one in _spell(shown, frame.t, spell_s, cause, rng):
                watcher.take_frame(one)
            later_s = spell_s
            aside = pushed_aside(frame.image, rng, ASIDE_PX, ASIDE_TURN)
        image = aside(frame.image) if later_s and cause == "moved" else frame.image
        shown = image
        events = watcher.take_frame(Frame(frame.t + later_s, image))
        if later_s:
            told += events
    return _judged(take.game, take.notations[SEEN:], take.moves, told)


def _only(shots: Iterable[Shot], numbers: set[int]) -> Iterator[Shot]:
    return (shot for number, shot in enumerate(shots) if number in numbers)


def _spell(image: Image, t: float, spell_s: float, cause: str, rng: np.random.Generator) -> Iterator[Frame]:
    """What the camera shows meanwhile: it is black, there is something before it, or it shows what it showed."""
    covered = np.asarray(rng.uniform(20, 60, 3), np.float64)
    for n in range(int(spell_s * SPELL_FPS)):
        if cause == "frozen":
            seen = image
        else:
            colour = covered if cause == "covered" else np.full(3, 2.0)
            far = rng.normal(0, 2.0, image.shape)
            seen = np.asarray(np.clip(colour + far, 0, 255), np.uint8) if cause != "moved" else _ceiling(image, rng)
        yield Frame(t + n / SPELL_FPS, seen)


def _ceiling(image: Image, rng: np.random.Generator) -> Image:
    """The camera lies on its back."""
    return np.asarray(np.clip(rng.normal(170, 3.0, image.shape), 0, 255), np.uint8)


def _judged(game: Game, notations: tuple[str, ...], moves: tuple[object, ...], told: list[object]) -> str:
    """What was said after the spell, against what was played in it."""
    said = {one.ply: one for one in told if isinstance(one, Moved)}
    found = [(one.from_, one.to, tuple(sorted(one.captured))) for _, one in sorted(said.items())]
    if found != list(moves[SEEN : SEEN + len(found)]):
        return f"wrong: {' '.join(notations)}; {[one.notation for one in said.values()]}"
    if said and len(found) == len(notations):
        return "right"
    left = " ".join(notations[len(found) :])  # the first plies may be sure, and only the others a question
    asked = [one for one in told if isinstance(one, Unclear)]
    if any(left in one.options for one in asked):
        return "asked"
    if any(isinstance(one, Illegal | SetUp | Takeback) for one in told):
        return "accused"
    if asked:
        options = [list(one.options) for one in asked]
        kind = "asked without it" if all(one.options or one.differs for one in asked) else "empty"
        return f"{kind}: {left}; {options}"
    return "lost"


@click.command()
@click.option("--scenes", default=40, show_default=True)
@click.option("--first", default=90000, show_default=True, help="seed of the first board")
@click.option("--jobs", default=2, show_default=True, help="scenes side by side, a core each")
def command(scenes: int, first: int, jobs: int) -> None:
    """Measure, and print what came of the scenes, by what had hidden the board."""
    counts: dict[str, Counter[str]] = {cause: Counter() for cause in CAUSES}
    with ProcessPoolExecutor(jobs) as workers:
        todo = []
        for n in range(scenes):
            board, cause = draws.BOARDS[n % len(draws.BOARDS)], CAUSES[n // len(draws.BOARDS) % len(CAUSES)]
            todo.append((board, first + n, cause, workers.submit(came_of, board, first + n, cause)))
        for board, seed, cause, one in todo:
            came = one.result()
            counts[cause][came.split(":")[0]] += 1
            if came not in FINE:
                click.echo(f"{board} {seed} {cause}: {came}")
    for cause, found in counts.items():
        click.echo(f"{cause}: " + ", ".join(f"{count} {came}" for came, count in found.most_common()))


if __name__ == "__main__":
    command()
