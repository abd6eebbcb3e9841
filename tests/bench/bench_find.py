"""How well and how fast a board is found in one picture: `python -m tests.bench.bench_find --pictures 200`.

Random games, looks, pieces, lights and sides, 35 to 80 degrees, with and without markers and hands, drawn at 1280x960.
A corner's error is that of the bounding rectangle's corners, in cells; `wrong` is a good score where no board is.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path

import click
import cv2
import numpy as np

from calibration.find_board import find_by_itself
from calibration.solve import MARKED_FIT
from calibration.view import Floats, Image, View, rectangle_corners
from engine import games
from engine.errors import InputError
from engine.game import Game
from tests.render import cheap
from tests.render.direct import Director
from tests.render.play import turns
from tests.render.scene import Setting, level_origin, look_from
from tests.render.stage import Stage
from tests.render.styles import LIGHTS, LOOKS, SETS, TABLES, light_named

GAMES = ("camelot", "camelot", "camblam", "tri-camelot", "cam", "chivalry", "cam-3d")
SIZE_WH = (1280, 960)
HAND_SHARE, MARKED_SHARE = 0.3, 0.4
FOUND_CELLS = 0.25
"""A cell's middle that is further off lies in danger of its neighbour."""


@dataclass(frozen=True)
class Sample:
    """A picture, and for each level the pixels of its bounding rectangle's corners."""

    game: Game
    marked: bool
    image: Image
    corners_px: list[Floats]


@dataclass(frozen=True)
class Outcome:
    """What was found, in which time, and by how much its corners are off."""

    marked: bool
    state: str
    seconds: float
    error_cells: float
    fit: int


def sample(seed: int, name: str | None = None) -> Sample:
    """The picture number `seed`, the start position on it; of any game, or of the one named."""
    rng = np.random.default_rng([9, seed])

    def one_of(names: object) -> str:
        return str(rng.choice(sorted(names)))  # type: ignore[call-overload]  # a table's names

    game = games.load(name or GAMES[seed % len(GAMES)])
    marked = bool(rng.random() < MARKED_SHARE)
    look, pieces, table, light = one_of(LOOKS), one_of(SETS), one_of(TABLES), one_of(LIGHTS)
    camera = look_from(
        game.board, rng.uniform(35, 80), rng.uniform(-180, 180), rng.uniform(45, 68), size_wh=SIZE_WH, seed=seed
    )
    setting = Setting(game.board, look, pieces, table, marked, seed)
    stage = Stage(game, setting, [camera], light_named(light, seed), rng)
    stage.set_up(game.start())
    stage.quiet("start")
    scene = stage.frames[-1].scene
    if rng.random() < HAND_SHARE:
        director = Director(stage)
        director.play(next(iter(turns(game, 1, rng, troubled=False))))
        scene = next(frame.scene for frame in stage.frames if frame.scene.hand)
    corners = []
    for level in range(max(game.board.levels) + 1):
        rim = rectangle_corners(game.board.size_wh) + np.array(level_origin(game.board, level))
        corners.append(camera.project(np.column_stack([rim, np.zeros(4)])))
    return Sample(game, marked, cheap.render(scene).image, corners)


def kept(seed: int, folder: Path) -> Sample:
    """The same, from `folder` if it was drawn before."""
    picture, told = folder / f"{seed:04d}.png", folder / f"{seed:04d}.json"
    if not told.exists():
        drawn = sample(seed)
        cv2.imwrite(str(picture), drawn.image)
        said = {"game": drawn.game.name, "marked": drawn.marked, "corners": [c.tolist() for c in drawn.corners_px]}
        told.write_text(json.dumps(said))
    said = json.loads(told.read_text())
    image = cv2.imread(str(picture))
    if image is None:
        raise InputError(f"{picture}: cannot be read")
    corners = [np.array(level) for level in said["corners"]]
    return Sample(games.load(said["game"]), bool(said["marked"]), np.asarray(image, np.uint8), corners)


def found(one: Sample) -> Outcome:
    """What `find_by_itself` makes of a picture."""
    looks = [one.game.looks[one.game.look_of[piece]] for piece in one.game.start().placement]
    begun = time.perf_counter()
    try:
        solutions = find_by_itself(one.game.board, one.image, looks)
    except InputError:
        return Outcome(one.marked, "refused", time.perf_counter() - begun, 1.0, 0)
    spent = time.perf_counter() - begun
    off = [off_cells(s.view, true) for s, true in zip(solutions, one.corners_px, strict=True)]
    fit = min(s.fit for s in solutions)
    right = max(float(o.max()) for o in off) < FOUND_CELLS
    state = ("found" if right else "wrong") if fit >= MARKED_FIT else "refused"
    return Outcome(one.marked, state, spent, float(np.mean(off)), fit)


def off_cells(view: View, true_px: Floats) -> Floats:
    """How far each corner of the bounding rectangle is from where it is, in cells."""
    corners = rectangle_corners(view.size_cells)
    return np.asarray(np.linalg.norm(view.project_points(corners) - true_px, axis=1) / view.pitch_px(corners))


def told(outcomes: list[Outcome], name: str) -> str:
    """One line of figures."""
    right = [o for o in outcomes if o.state == "found"]
    wrong = sum(o.state == "wrong" for o in outcomes)
    errors = np.array([o.error_cells for o in right] or [np.nan])
    times = 1000 * np.array([o.seconds for o in outcomes])
    return (
        f"{name}: {len(right)} of {len(outcomes)} found, {wrong} wrong with a good score, corners off by "
        f"{np.median(errors):.3f} cell (median; 95 %: {np.quantile(errors, 0.95):.3f}), "
        f"{np.median(times):.0f} ms (95 %: {np.quantile(times, 0.95):.0f})"
    )


@click.command()
@click.option("--pictures", default=200, show_default=True)
@click.option("--first", default=0, show_default=True, help="number of the first picture")
@click.option("--keep", type=click.Path(path_type=Path), default=Path("build/bench-find"), show_default=True)
@click.option("--blur", default=0.0, show_default=True, help="pixels by which pictures are out of focus (sigma)")
@click.option("--each", is_flag=True, help="a line for each picture that was not found")
def command(pictures: int, first: int, keep: Path, blur: float, each: bool) -> None:
    """Draw, find, and count."""
    keep.mkdir(parents=True, exist_ok=True)
    outcomes = []
    for seed in range(first, first + pictures):
        one = kept(seed, keep)
        if blur:
            one = replace(one, image=np.asarray(cv2.GaussianBlur(one.image, (0, 0), blur), np.uint8))
        outcomes.append(found(one))
        if each and outcomes[-1].state != "found":
            click.echo(f"{seed}: {outcomes[-1]}")
    for name, marked in [("markers", True), ("no markers", False)]:
        mine = [o for o in outcomes if o.marked == marked]
        if mine:
            click.echo(told(mine, name))


if __name__ == "__main__":
    command()
