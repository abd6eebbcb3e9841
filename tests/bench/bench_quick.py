"""Quick play: the next hand comes as soon as the last has gone, or sooner. Are plies said in time? `make bench-quick`.

Each scene is a drawn game in which nobody pauses: 0 to 0.2 s lie between two plies, and in half of them the other
player's hand is over the board before the first has left it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import click
import cv2
import numpy as np

from engine.match.events import Event, Illegal, Moved, SetUp, Takeback, Unclear
from engine.match.referee import new_match
from tests.bench.bench_vision import draws
from tests.bench.referee_recording import START_S, calibrated
from tests.bench.report import Report
from tests.bench.takes import Take, play_scenes, rendering
from tests.render.camera.conditions import drawn
from tests.render.camera.hands import Moving, between
from tests.render.camera.timing import runs
from vision.frames import Frame
from vision.ground import Image
from vision.watch.watcher import Watcher

PLIES = 10
FPS = 15.0
HAND_S = (0.6, 1.2)
"""How long a hand is over the board for a step."""
JUMP_S = 0.3
"""So much longer for each further landing of a chain and each piece that is taken off."""
PAUSE_S = (0.0, 0.2)
OVERLAP_S = (0.1, 0.35)
"""So long both hands are over the board, where they overlap."""
OVERLAPPING = 0.5
IN_TIME_S = 1.5
"""After the ply that follows: later is late."""
LINGER_S = 5.0
NOISE = 1.5
"""Grey levels of the sensor's noise (standard deviation)."""


class Ply(NamedTuple):
    """A hand's way over the board, the times at which it comes and goes, and the board afterwards."""

    hand: Moving
    poses: int
    begin_s: float
    end_s: float
    after: Image

    def image_at(self, t: float) -> Image:
        """The board with the hand at a time between `begin_s` and `end_s`."""
        share = (t - self.begin_s) / (self.end_s - self.begin_s) * self.poses
        index = min(int(share), self.poses - 1)
        return self.hand.at(index, min(share - index, 1.0))


def came_of(board: str, seed: int) -> list[str]:
    """What came of each ply: in time, late, wrong, asked, missed; and accusations."""
    cv2.setNumThreads(1)
    recipe = replace(draws.short_recipe(board, seed, PLIES), troubled=False)
    take, shots = rendering(recipe)
    rng = np.random.default_rng([seed, 7])
    start: Image | None = None
    plies: list[Ply] = []
    t = START_S
    for run in runs(shots):
        if run.shots[0][0] == "quiet":
            start = run.shots[-1][1] if start is None else start
        hand = between(run) if run.shots[0][0] == "moving" else None
        if hand is None or run.after is None or len(plies) == len(take.moves):
            continue
        overlaps = bool(plies) and rng.random() < OVERLAPPING
        t += -float(rng.uniform(*OVERLAP_S)) if overlaps else float(rng.uniform(*PAUSE_S))
        end_s = t + float(rng.uniform(*HAND_S)) + JUMP_S * _jumps(take.notations[len(plies)])
        plies.append(Ply(hand, len(run.shots), t, end_s, run.after))
        t = end_s
    if start is None or len(plies) != len(take.moves):
        return []  # a hand could not be cut out, or a ply took two: another scene
    conditions = drawn("clean", "ordinary", seed)
    watcher: Watcher | None = None
    told: list[Event] = []
    for frame in _film(start, plies, rng):
        if watcher is None:
            profile = calibrated(take, frame.image, conditions, seed, Report(take.name))
            watcher = Watcher(profile, new_match(take.game))
        told += watcher.take_frame(frame)
    return _judged(take, plies, told)


def _jumps(notation: str) -> int:
    """Landings after the first, and pieces taken off: `A1xB2xC3` has one and two."""
    return notation.count("-") + 2 * notation.count("x") - 1


def _film(start: Image, plies: list[Ply], rng: np.random.Generator) -> Iterator[Frame]:
    last_s = plies[-1].end_s + LINGER_S
    for number in range(int(last_s * FPS)):
        t = number / FPS
        over = [one for one in plies if one.begin_s <= t < one.end_s]
        gone = [one for one in plies if one.end_s <= t]
        rest = gone[-1].after if gone else start
        image = _both(over[0], over[1], t) if len(over) > 1 else over[0].image_at(t) if over else rest
        noise = rng.normal(0, NOISE, image.shape)
        yield Frame(t, np.asarray(np.clip(image + noise, 0, 255).round(), np.uint8))


def _both(first: Ply, second: Ply, t: float) -> Image:
    """Two hands over the board: the one that leaves lies over what the one that comes shows."""
    image, leaving = second.image_at(t), first.image_at(t)
    hand = (leaving != first.after).any(axis=2)
    image[hand] = leaving[hand]
    return image


def _judged(take: Take, plies: list[Ply], told: list[Event]) -> list[str]:
    came = []
    for number, move in enumerate(take.moves, 1):
        said = [one for one in told if isinstance(one, Moved) and one.ply == number]
        due_s = plies[min(number, len(plies) - 1)].end_s + IN_TIME_S
        if said and (said[-1].from_, said[-1].to, tuple(sorted(said[-1].captured))) == move:
            came.append("in time" if said[-1].t <= due_s else "late")
        elif said:
            came.append(f"wrong: {take.notations[number - 1]}: {said[-1].notation}")
        else:
            came.append("missed")
    asked = [one for one in told if isinstance(one, Unclear)]
    accused = [one for one in told if isinstance(one, Illegal | SetUp | Takeback)]
    return came + [f"asked: {one.options}" for one in asked] + [f"accused: {one}" for one in accused]


@click.command()
@click.option("--scenes", default=12, show_default=True, help=f"of {PLIES} plies")
@click.option("--first", default=97000, show_default=True, help="seed of the first board")
@click.option("--jobs", default=2, show_default=True, help="scenes side by side, a core each")
def command(scenes: int, first: int, jobs: int) -> None:
    """Measure, and print what came of the plies."""
    counts = Counter[str]()
    for board, seed, came in play_scenes(came_of, draws.BOARDS, scenes, first, jobs):
        counts.update(entry.split(":")[0] for entry in came)
        others = [entry for entry in came if entry != "in time"]
        if others:
            click.echo(f"{board} {seed}: {others}")
    click.echo(", ".join(f"{count} {came}" for came, count in counts.most_common()))


if __name__ == "__main__":
    command()
