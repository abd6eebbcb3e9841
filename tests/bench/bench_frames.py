"""What a frame costs, how soon the first verdict comes, and what many frames leave in memory: `make bench-frames`.

Everything at 1280x960, drawn, decoding not counted; processor time of one core. Hands that move are another picture in
each frame; hands that rest are the pictures of a drawn game, each held for a quarter of a second at 30 frames a second.
"""

from __future__ import annotations

import queue
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click
import cv2
import numpy as np

from calibration.profile import Profile, dump_profile
from engine.match.referee import new_match
from tests.bench.frames_alone import FPS, QUIET_FRAMES, REPORTS
from tests.bench.takes import true_corners
from tests.render import cheap
from tests.render.camera.conditions import Conditions
from tests.render.camera.film import film
from tests.render.scene import cell_xy
from tests.render.script import Recipe, stage_of
from tests.render.stage import Stage
from tests.vision.pictures import true_views
from vision.frames import Frame
from vision.ground import Image
from vision.watch.parallel_watcher import ParallelWatcher
from vision.watch.stages import Stages
from vision.watch.watcher import Watcher

RECIPE = Recipe(look="dark", pieces="white_red", light="day", seed=5, plies=8, size_wh=(1280, 960), with_empty=False)
RESTS_S = 0.25
IDLE_FRAMES = 300
POSES = 12
"""Pictures of a hand that moves over the board."""
ROUNDS = 10
LAMP = 0.55
"""Brightness when the lamp is off."""
DISTURBED = {
    "a game": Conditions(),
    "a game under noise": Conditions(noise_sd=6.0),
    "a game with a lamp that goes off and on": Conditions(lamp=LAMP, lamp_every_s=4.0),
}
"""Ordinary light, the most noise that is ordinary, and a light that changes all cells."""
TIP_CELLS = 1.5
"""Height of the fingers over the board."""


def moving_hand(stage: Stage) -> list[Image]:
    """Pictures of a hand on its way over the board."""
    scene = next(frame.scene for frame in stage.frames if frame.scene.hand)
    assert scene.hand is not None
    board = stage.game.board
    first, last = (np.array([*cell_xy(board, board.index[name]), TIP_CELLS]) for name in ("C4", "J13"))
    tips = [first + (last - first) * share for share in np.linspace(0, 1, POSES)]
    hands = [replace(scene.hand, tip_xyz=(float(x), float(y), float(z))) for x, y, z in tips]
    return [cheap.render(replace(scene, hand=hand, held="", noise=0.5)).image for hand in hands]


def spent_ms(watcher: Watcher, frames: Iterable[Frame]) -> list[float]:
    """Milliseconds of processor time that each frame took."""
    out = []
    for frame in frames:
        begun = time.process_time()
        watcher.take_frame(frame)
        out.append(1e3 * (time.process_time() - begun))
    return out


def told(name: str, spent: Sequence[float]) -> str:
    """A line about the costs of frames."""
    mean, middle, late = np.mean(spent), np.median(spent), np.percentile(spent, 95)
    return f"{name}: {len(spent)} frames, mean {mean:.1f} ms, median {middle:.1f}, one in twenty over {late:.1f}"


def timed(profile: Profile, stage: Stage) -> Watcher:
    """A watcher whose stages are measured in processor time."""
    watcher = Watcher(profile, new_match(stage.game))
    watcher.stages = Stages(clock=time.process_time)
    return watcher


def looks_told(name: str, watcher: Watcher) -> str:
    """A line about the costs of looks."""
    costs, looks = watcher.stages.look_costs(), watcher.stages.looks_ms
    first = f"the first {looks[0]:.0f} ms, " if looks else ""
    late, worst = costs["look_p95_ms"], costs["worst_look_ms"]
    return f"{name}: {len(looks)} looks, {first}one in twenty over {late:.0f} ms, the worst {worst:.0f} ms"


def aside_ms(watcher: Watcher, frames: Sequence[Frame]) -> list[float]:
    """Milliseconds of processor time that each frame took without the look that was due after it."""
    out = []
    for frame in frames:
        begun = time.process_time()
        given, due = watcher.see_frame(frame)
        watcher.take_inputs(given)
        out.append(1e3 * (time.process_time() - begun))
        if due is not None:
            watcher.run_look(due)
            watcher.learn_from_look(due)
    return out


def look_costs(stage: Stage, profile: Profile) -> Iterator[str]:
    """Lines about a game's looks as it is, under noise, and with a lamp that changes all cells."""
    rim = np.array(true_corners(stage))
    for name, conditions in DISTURBED.items():
        watcher = timed(profile, stage)
        shots = ((frame.kind, cheap.render(replace(frame.scene, noise=0.5)).image) for frame in stage.frames)
        for _, frame in film(shots, conditions, 0, rim):
            watcher.take_frame(frame)
        yield looks_told(f"{name}, {len(watcher.match.moves)} plies known", watcher)


def longest_gap(stage: Stage, hands: Sequence[Image], quiet: Image, profile: Profile) -> str:
    """A line about a camera's frames that come in their own time, looks beside them."""
    inbox: queue.Queue[Frame | None] = queue.Queue()
    watcher = Watcher(profile, new_match(stage.game))
    aside = ParallelWatcher(watcher, lambda: inbox.put(None))
    lit = np.asarray(np.clip(quiet * LAMP, 0, 255), np.uint8)
    shown = [quiet] * QUIET_FRAMES + [*hands, *reversed(hands)] + [lit] * QUIET_FRAMES + [quiet] * QUIET_FRAMES

    def came() -> None:
        begun = time.monotonic()
        for number, image in enumerate(shown * 2):
            time.sleep(max(0.0, begun + number / FPS - time.monotonic()))
            inbox.put(Frame(number / FPS, image))

    with closing(aside), ThreadPoolExecutor(1) as camera:
        sending = camera.submit(came)
        while not (sending.done() and inbox.empty()):
            try:
                item = inbox.get(timeout=1 / FPS)
            except queue.Empty:
                continue
            if item is None:
                list(aside.finish_look())
            else:
                aside.take_frame(item)
    costs = watcher.stages.look_costs()
    return (
        f"a camera at {FPS:.0f} frames/s, looks beside: longest time between two frames taken"
        f" {costs['longest_gap_ms']:.0f} ms, worst look {costs['worst_look_ms']:.0f} ms (by the clock)"
    )


def frame_costs(stage: Stage, hands: Sequence[Image], profile: Profile) -> Iterator[str]:
    """Lines about a board at rest, a hand that moves, and hands that rest during a game."""
    quiet = cheap.render(replace(stage.frames[0].scene, noise=0.5)).image
    watcher = timed(profile, stage)
    usual, rim = replace(Conditions(), fps=FPS, hands_s=RESTS_S), np.array(true_corners(stage))
    still = (frame for _, frame in film(iter([("quiet", quiet)] * IDLE_FRAMES), usual, 0, rim))
    spent_ms(watcher, islice(still, QUIET_FRAMES))
    yield told("board at rest", spent_ms(watcher, islice(still, IDLE_FRAMES)))
    begun = (IDLE_FRAMES + QUIET_FRAMES) / FPS
    path = [*hands, *reversed(hands)] * ROUNDS
    moving = [Frame(begun + n / FPS, image) for n, image in enumerate(path)]
    yield told("hand that moves, looks aside", aside_ms(watcher, moving))
    yield looks_told("hand that moves", watcher)
    watcher, spent = Watcher(profile, new_match(stage.game)), {"quiet": [], "moving": []}
    shots = ((frame.kind, cheap.render(replace(frame.scene, noise=0.5)).image) for frame in stage.frames)
    for number, frame in film(shots, usual, 0, rim):
        spent[stage.frames[number].kind] += spent_ms(watcher, [frame])
    yield told(f"a game of {len(watcher.match.moves)} plies, hands that rest over the board", spent["moving"])
    yield told("the same game, no hand over the board", spent["quiet"])


def clear(folder: Path, frames: int) -> list[int]:
    """Megabytes that a process of its own says it needs."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.frames_alone", str(folder), str(frames)],
        check=True,
        capture_output=True,
        text=True,
    )
    return [int(line) for line in done.stdout.split()]


@click.command()
@click.option(
    "--frames",
    type=click.IntRange(REPORTS),
    default=100_000,
    show_default=True,
    help="frames after which memory is looked at",
)
def command(frames: int) -> None:
    """Measure, and print a line each."""
    cv2.setNumThreads(1)
    stage, _ = stage_of(RECIPE)
    scene = stage.frames[0].scene
    profile = Profile(RECIPE.game, tuple(true_views(scene)), (97,), "drawn")
    hands = moving_hand(stage)
    quiet = cheap.render(replace(scene, noise=0.5)).image
    for line in (*frame_costs(stage, hands, profile), *look_costs(stage, profile)):
        click.echo(line)
    click.echo(longest_gap(stage, hands, quiet, profile))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        played = next(frame.scene for frame in stage.frames if frame.kind == "quiet" and frame.ply == 1)
        for shown, part in (("before", scene), ("after", played)):
            np.save(folder / f"{shown}.npy", cheap.render(replace(part, noise=0.5)).image)
        np.save(folder / "hands.npy", np.stack(hands))
        (folder / "profile.toml").write_text(dump_profile(profile))
        begun = time.perf_counter()
        (memory,) = clear(folder, 0)
        click.echo(f"from the start of Python to the first move: {time.perf_counter() - begun:.1f} s, {memory} MB")
        megabytes = clear(folder, frames)
    pictures = (len(hands) + 1) * scene.camera.size_wh[0] * scene.camera.size_wh[1] * 3 // 2**20
    click.echo(f"memory while {frames} frames went by, {pictures} MB of it the pictures shown: {megabytes} MB")


if __name__ == "__main__":
    command()
