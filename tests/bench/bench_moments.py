"""A ply, and in the very frame in which the hand lets go a bump, a lamp or a sleeve: is it lost? `make bench-moments`.

What changes the whole picture at once must not carry a ply away with it as a part of the light, or of the new place of
the board. Each scene is one ply on a board of its own; what came of it is counted by what happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import click
import cv2
import numpy as np

from engine.match.events import Moved
from engine.match.referee import new_match
from tests.bench.bench_vision import draws
from tests.bench.referee_recording import START_S, calibrated
from tests.bench.report import Report
from tests.bench.takes import rendering
from tests.bench.watched import Watched
from tests.render.camera.conditions import drawn
from tests.render.camera.film import film
from vision.frames import Frame
from vision.ground import Image
from vision.watch.watcher import Watcher

LINGER_S = 9.0
"""So long the picture with the ply stands: longer than a referee may be silent."""
SLEEVE_S = 1.2
"""A camera that has set itself for a dark sleeve needs so long to set itself back."""
BUMP_PX, BUMP_TURN = (1.5, 8.0), 0.01
"""How far the picture jumps, in pixels at 640 of width, and turns, in radians."""
LAMP, LAMP_SLOPE = (0.55, 1.6), 0.35
"""How much light there is with the lamp against without, and how much more on one side than on the other."""
SLEEVE = (0.72, 1.3)
"""How much brighter or darker the whole picture is while the camera sets itself for a sleeve."""
Change = Callable[[Image, float], Image]
"""A picture, and the seconds since the hand let go."""


def bump(image: Image, rng: np.random.Generator) -> Change:
    """The table was pushed: from now on the board lies elsewhere in the picture."""
    moved = pushed_aside(image, rng, BUMP_PX, BUMP_TURN)
    return lambda shown, _s: moved(shown)


def pushed_aside(
    image: Image, rng: np.random.Generator, far_px: tuple[float, float], turn: float
) -> Callable[[Image], Image]:
    """What a camera shows that was pushed so far, in pixels at 640 of width, and turned by so many radians at most."""
    h, w = image.shape[:2]
    angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(*far_px) * w / 640
    matrix = cv2.getRotationMatrix2D((w / 2, h / 2), float(np.degrees(rng.uniform(-turn, turn))), 1.0)
    matrix[:, 2] += far * np.array([np.cos(angle), np.sin(angle)])
    return lambda shown: np.asarray(cv2.warpAffine(shown, matrix, (w, h), borderMode=cv2.BORDER_REPLICATE))


def lamp(image: Image, rng: np.random.Generator) -> Change:
    """A lamp was put on or off, at one side."""
    h, w = image.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    side = LAMP_SLOPE * rng.uniform() * (np.cos(angle) * x + np.sin(angle) * y)
    light = (rng.uniform(*LAMP) * (1 + side))[..., None].astype(np.float32)
    return lambda shown, _s: np.asarray(np.clip(shown * light, 0, 255), np.uint8)


def sleeve(_image: Image, rng: np.random.Generator) -> Change:
    """The camera had set itself for the sleeve, and sets itself back."""
    gain = rng.uniform(*SLEEVE)
    return lambda shown, s: np.asarray(np.clip(shown * (1 + (gain - 1) * max(0.0, 1 - s / SLEEVE_S)), 0, 255), np.uint8)


HAPPENINGS = {"bump": bump, "lamp": lamp, "sleeve": sleeve}


def came_of(board: str, seed: int, what: str) -> str:
    """right, wrong, asked (or another word to people), or lost without a word."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, list(HAPPENINGS).index(what)])
    take, shots = rendering(draws.short_recipe(board, seed, 1))
    conditions = replace(drawn("clean", "ordinary", seed), start_s=START_S, end_s=LINGER_S)
    watcher: Watcher | None = None
    watched, change, let_go_t = Watched(), None, 0.0
    for number, frame in film(iter(shots), conditions, seed, take.rim_px):
        if watcher is None:
            if take.kinds[number] == "empty":
                continue
            watcher = Watcher(calibrated(take, frame.image, conditions, seed, Report(take.name)), new_match(take.game))
        if change is None and take.plies[number] == 1 and take.kinds[number] == "quiet":
            change, let_go_t = HAPPENINGS[what](frame.image, rng), frame.t
        shown = frame if change is None else Frame(frame.t, change(frame.image, frame.t - let_go_t))
        watched.frame(watcher, watcher.take_frame(shown), frame.t, take.plies[number], take.clear[number], True)
    assert watcher is not None
    assert change is not None
    told = {one.ply: one for one in watched.told if isinstance(one, Moved)}  # a pause in a chain may be put right
    if told:
        said = [(one.from_, one.to, tuple(sorted(one.captured))) for one in told.values()]
        return "right" if said == list(take.moves[:1]) else "wrong"
    return "asked" if any(moment.word for moment in watched.moments if moment.t > let_go_t) else "lost"


@click.command()
@click.option("--scenes", default=201, show_default=True, help="a third of them with each happening")
@click.option("--first", default=60000, show_default=True, help="seed of the first board")
@click.option("--jobs", default=1, show_default=True, help="scenes side by side, a core each")
def command(scenes: int, first: int, jobs: int) -> None:
    """Measure, and print what came of the scenes, by what happened in them."""
    counts: dict[str, Counter[str]] = {what: Counter() for what in HAPPENINGS}
    with ProcessPoolExecutor(jobs) as workers:
        todo = []
        for n in range(scenes):
            board, what = draws.BOARDS[n % len(draws.BOARDS)], list(HAPPENINGS)[n % len(HAPPENINGS)]
            todo.append((board, first + n, what, workers.submit(came_of, board, first + n, what)))
        for board, seed, what, one in todo:
            counts[what][one.result()] += 1
            if one.result() != "right":
                click.echo(f"{board} {seed} {what}: {one.result()}")
    for what, found in counts.items():
        click.echo(f"{what}: " + ", ".join(f"{count} {came}" for came, count in found.most_common()))


if __name__ == "__main__":
    command()
