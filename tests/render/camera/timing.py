"""When each picture of a recording is seen, and for how long: people's pace, and the frames that a camera gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tests.render.camera.conditions import Conditions
from tests.render.camera.hands import Run, between
from tests.render.camera.spells import chance

Image = npt.NDArray[np.uint8]
Shot = tuple[str, Image]
"""The kind of a recorded picture (quiet, moving, empty), and the picture."""


@dataclass(frozen=True)
class Shown:
    """What lies before the camera at time `t`: the number of the recorded picture and what it looks like."""

    number: int
    t: float
    image: Image
    doubled: bool = False
    """The camera gives its last frame once more."""


def schedule(shots: Iterable[Shot], conditions: Conditions, seed: int) -> Iterator[Shown]:
    """Every frame of the camera. Times run evenly; a dropped frame leaves a gap."""
    rng, camera = chance(seed, "pace"), chance(seed, "camera")
    count = quiet_pictures = 0
    started = False
    for run in runs(shots):
        images, numbers = [image for _, image in run.shots], range(run.first, run.first + len(run.shots))
        moving = run.shots[0][0] == "moving"
        hurried = not moving and run.within and rng.random() < conditions.hurried
        frames = [0 if hurried else _held(conditions, moving, rng) for _ in images]
        quiet_pictures += not moving
        if conditions.thinking_every and not moving and quiet_pictures % conditions.thinking_every == 0:
            frames[-1] = max(1, round(conditions.thinking_s * conditions.fps))
        if run.shots[0][0] == "quiet" and not started:
            started, frames[-1] = True, max(frames[-1], round(conditions.start_s * conditions.fps))
        if run.last:
            frames[-1] = max(frames[-1], round(conditions.end_s * conditions.fps))
        hand = between(run) if moving and conditions.hands_move else None
        for index, (number, image) in enumerate(zip(numbers, images, strict=True)):
            for n in range(frames[index]):
                shown = hand.at(index, n / frames[index]) if hand else image
                double = camera.random() < conditions.doubled
                if count == 0 or camera.random() >= conditions.dropped:
                    yield Shown(number, count / conditions.fps, shown, double and count > 0)
                count += 1


def _held(conditions: Conditions, moving: bool, rng: np.random.Generator) -> int:
    """Frames for which a picture is held: without hurry at least one."""
    usual_s = conditions.hands_s if moving else conditions.quiet_s
    factor = float(np.exp(rng.normal(0, conditions.quiet_spread))) if conditions.quiet_spread else 1.0
    return max(1, round(usual_s * factor * conditions.fps))


def runs(shots: Iterable[Shot]) -> Iterator[Run]:
    """Moving pictures that follow each other with the still ones before and after them; each still one alone.

    A still one counts as `within` when hands are seen right before and after it.
    """
    before: Image | None = None
    waiting: list[Shot] = []
    held: tuple[int, Shot, bool] | None = None
    """A still picture whose next one is not known yet: its number, and whether hands came before."""
    first = number = -1
    for number, shot in enumerate(shots):
        if shot[0] == "moving":
            if held:
                yield Run(held[0], (held[1],), within=held[2])
                held = None
            first = first if waiting else number
            waiting.append(shot)
            continue
        if held:
            yield Run(held[0], (held[1],))
        if waiting:
            yield Run(first, tuple(waiting), before, shot[1])
        held, before = (number, shot, bool(waiting)), shot[1]
        waiting = []
    if held:
        yield Run(held[0], (held[1],), last=not waiting)
    if waiting:
        yield Run(first, tuple(waiting), before)
