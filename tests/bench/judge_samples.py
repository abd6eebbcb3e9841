"""What the network of vision/reading/network.py learns from: cells of renders that changed, with what stands in them.

`python -m tests.bench.judge_samples OUT --seeds 101000:101500` draws boards and pieces in random colours under random
light, moves pieces about, and stores a file a seed; with `--renderer blender` they are path traced (needs bpy), and
`--recordings DIR...` takes path-traced games. Each cell that the reader would judge is a sample: the network's input
for each look, and which look is right.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
import cv2
import numpy as np
import numpy.typing as npt

from calibration.solve import solve_by_corners
from engine import games
from engine.game import Game
from tests.bench.takes import true_corners
from tests.render import cheap
from tests.render import scene as render
from tests.render.scene import Bgr, Light, Setting, look_from
from tests.render.solids import MAN
from tests.render.stage import Stage
from tests.render.styles import LOOKS, SETS, TABLES, BoardLook, PieceLook
from vision.reading import level as read
from vision.reading.level import Reader
from vision.reading.level_readers import LevelReaders
from vision.reading.network import inputs_of
from vision.reading.scene import Scene, Scores

GAMES = (("camelot", "wcf"), ("camelot", "wcf"), ("tri-camelot", None), ("cam-3d", None), ("camblam", None))
STEPS = {"cheap": 9, "blender": 6}
"""Pictures after the first of each board."""
SIZES = {"cheap": ((960, 720), (1280, 960)), "blender": ((800, 600), (960, 720))}
"""Most boards are seen small; three in ten, and all with levels, large."""
MOST_LOOKS = 3
EASY, VERY_EASY = 12.0, 40.0
"""Of samples that the explanation gets right by more than this, some are left out."""
APART = 50.0
"""Grey levels by which the two sides differ at least."""
OWN_COLOUR = 0.45
"""Share of boards with a side of the board's colour: white men on white paper are the hard ones."""
JPEG = (75, 96)
"""Qualities at which cameras pack their pictures; half of the pictures are not packed."""

Chance = np.random.Generator
Draw = Callable[[render.Scene], cheap.Image]
"""What makes a picture of a scene: either renderer."""
Sample = tuple[npt.NDArray[np.float32], int, int, float]
"""Inputs (looks, channels, H, W), number of looks, 0 or 1 + index of the right look, margin of the explanation."""


class Spy:
    """Takes down each scene as it was explained, and lets nothing be judged."""

    def __init__(self) -> None:
        self.scenes: list[tuple[Reader, Scene, Scores]] = []

    def __call__(self, reader: Reader, scene: Scene, scores: Scores, cells: Sequence[int]) -> None:
        """In the place of vision.reading.network.judge."""
        self.scenes.append((reader, scene, scores))

    def samples(self, eyes: LevelReaders, truth: npt.NDArray[np.int64], chance: Chance) -> list[Sample]:
        """The cells of the scenes, which show the looks `truth`; easy ones are thinned out."""
        found = []
        for reader, scene, scores in self.scenes:
            cells = eyes._cells[next(i for i, one in enumerate(eyes._readers) if one is reader)]
            for c in scene.active.tolist():
                looks, right = sorted(k for k in scene.views[c].likelihood if k), int(truth[cells[c]])
                if not looks or (right and right not in looks):
                    continue
                margin = float(scores[c, right] - max(scores[c, k] for k in (0, *looks) if k != right))
                if (margin > EASY and chance.random() < 0.75) or (margin > VERY_EASY and chance.random() < 0.5):
                    continue
                inputs = [inputs_of(reader, scene, c, k, float(scores[c, k] - scores[c, 0])) for k in looks]
                blank = [np.zeros_like(inputs[0])] * (MOST_LOOKS - len(looks))
                found.append((np.stack(inputs + blank), len(looks), looks.index(right) + 1 if right else 0, margin))
        self.scenes.clear()
        return found


def paint(chance: Chance) -> Bgr:
    """A colour as wood, paper and varnish have it: greyish, tinted or bright."""
    tint = chance.normal(0, 1, 3) * chance.choice([6, 25, 60])
    b, g, r = np.clip(chance.uniform(25, 240) + tint, 12, 250)
    return float(b), float(g), float(r)


def lamp(chance: Chance) -> Light:
    """A light from anywhere, hard or soft, white or warm."""
    up, round_ = np.radians(chance.uniform(30, 80)), np.radians(chance.uniform(0, 360))
    white = chance.random() < 0.6
    tint = 1 + chance.normal(0, 0.03, 3) if white else np.linspace(chance.uniform(0.6, 1), chance.uniform(1, 1.4), 3)
    main, around = (tuple(float(v) for v in chance.uniform(*span) * tint) for span in ((0.35, 0.75), (0.15, 0.6)))
    slope = chance.uniform(0, 0.03)
    softness = float(chance.uniform(0, 0.3) if chance.random() < 0.5 else chance.uniform(0.3, 1))
    towards = (float(np.cos(up) * np.cos(round_)), float(np.cos(up) * np.sin(round_)), float(np.sin(up)))
    fall = (float(slope * np.cos(round_)), float(slope * np.sin(round_)))
    return Light(towards, (main[0], main[1], main[2]), (around[0], around[1], around[2]), softness, fall)


def world(seed: int, chance: Chance, renderer: str) -> tuple[Game, Stage]:
    """A board in colours of its own; in nearly half of them one side has the colour of the board."""
    name = f"sample{seed}"
    cells = tuple(paint(chance) for _ in range(int(chance.choice([1, 2, 2, 3]))))
    panel = cells[0] if chance.random() < 0.4 else paint(chance)
    width, grain = float(chance.uniform(0.015, 0.065)), float(chance.choice([0.01, 0.04, 0.08, 0.12]))
    rest = [paint(chance) for _ in range(4)]
    LOOKS[name] = BoardLook(
        panel, rest[0], cells, rest[1], width, rest[2], rest[3], grain, float(chance.uniform(0, 0.5))
    )
    one, other = paint(chance), paint(chance)
    if chance.random() < OWN_COLOUR:
        b, g, r = np.clip(np.array(cells[int(chance.integers(len(cells)))]) + chance.normal(0, 12, 3), 12, 250)
        one = (float(b), float(g), float(r))
    while np.abs(np.array(one) - np.array(other)).max() < APART:
        other = paint(chance)
    sides = (one, other) if chance.random() < 0.5 else (other, one)
    light, dark = (
        PieceLook(side, float(chance.uniform(0.1, 0.8)), float(chance.choice([0.01, 0.1]))) for side in sides
    )
    SETS[name] = (light, dark)
    game = games.load(*GAMES[int(chance.integers(len(GAMES)))])
    table, shape = str(chance.choice(sorted(TABLES))), str(chance.choice(sorted(MAN)))
    scale = float(chance.uniform(0.75, 1.2))
    setting = Setting(game.board, name, name, table, bool(chance.integers(2)), seed, shape, scale)
    size = SIZES[renderer][game.name == "cam-3d" or chance.random() < 0.3]
    up, round_ = float(chance.uniform(38, 75)), float(chance.uniform(-180, 180))
    camera = look_from(game.board, up, round_, 54.0, size_wh=size, seed=seed)
    return game, Stage(game, setting, [camera], lamp(chance), chance)


def noisy(image: npt.NDArray[np.generic], chance: Chance) -> npt.NDArray[np.uint8]:
    """As the average of one to three frames comes from the gate."""
    bright = np.asarray(image, np.float32) * np.float32(1 + chance.normal(0, 0.008))
    noise = chance.standard_normal(bright.shape, dtype=np.float32) * np.float32(2 / np.sqrt(chance.integers(1, 4)))
    seen = np.clip(bright + noise, 0, 255).astype(np.uint8)
    if chance.random() < 0.5:
        return seen
    _, packed = cv2.imencode(".jpg", seen, [cv2.IMWRITE_JPEG_QUALITY, int(chance.integers(*JPEG))])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def stir(stage: Stage, chance: Chance) -> None:
    """Some pieces are moved, taken off or knocked, and now and then the light changes."""
    for _ in range(int(chance.choice([1, 2, 3, 6, 10]))):
        on = {name: place for name, place in stage.where.items() if isinstance(place, int)}
        name, what = str(chance.choice(sorted(on))), chance.random()
        if what < 0.12 and len(on) > 4:
            stage.take_off(name, int(chance.integers(2)))
        elif what < 0.2:
            stage.knock(name, topple=False)
        else:
            free = sorted(set(range(len(stage.game.board.cells))) - set(on.values()))
            stage.put(name, int(chance.choice(free)), float(chance.choice([0.06, 0.06, 0.1, 0.14])))
    what = chance.random()
    if what < 0.12:
        stage.light = replace(stage.light, main=float(chance.uniform(0.25, 1)), gain=float(chance.uniform(0.8, 1.25)))
    elif what < 0.18:
        stage.light = lamp(chance)


def learn(
    eyes: LevelReaders, spy: Spy, image: npt.NDArray[np.uint8], pieces: list[int], chance: Chance
) -> list[Sample]:
    """The samples of a picture, after which the eyes are told what it showed."""
    game_looks = np.array(eyes._readers[0].look_of)
    truth, before = game_looks[pieces], game_looks[eyes.learned_pieces]
    spy.scenes.clear()
    eyes.read_image(image)
    if eyes.light_changed:
        eyes.adopt_light(np.asarray(truth != before) & (chance.random() < 0.7))
        spy.scenes.clear()
        eyes.read_image(image)
    found = spy.samples(eyes, truth, chance)
    eyes.learn_pieces(image, pieces)
    return found


def drawn(seed: int, spy: Spy, renderer: str, draw: Draw) -> list[Sample]:
    """Samples of one drawn board."""
    chance = np.random.default_rng(seed)
    game, stage = world(seed, chance, renderer)
    start = game.start()
    stage.set_up(start)
    code = {name: start.placement[place] for name, place in stage.where.items() if isinstance(place, int)}
    image = _shot(stage, chance, draw)
    views = []
    for level, corners in enumerate(true_corners(stage)):
        views.append(solve_by_corners(game.board, image, _clicked(corners, chance), level).view)
    eyes = LevelReaders(game.board, views, game.look_of, image, list(start.placement))
    found: list[Sample] = []
    for _ in range(STEPS[renderer]):
        stir(stage, chance)
        pieces = [0] * len(game.board.cells)
        for name, place in stage.where.items():
            if isinstance(place, int):
                pieces[place] = code[name]
        found += learn(eyes, spy, _shot(stage, chance, draw), pieces, chance)
    return found


def recorded(folder: Path, seed: int, spy: Spy) -> list[Sample]:
    """Samples of a path-traced recording, each quiet picture once; after a bump the board is learned anew."""
    chance = np.random.default_rng(seed)
    truth = json.loads((folder / "truth.json").read_text())
    game = games.load(truth["game"], truth.get("rules"))
    eyes, camera, found = None, -1, list[Sample]()
    for frame in truth["frames"]:
        if frame["kind"] != "quiet":
            continue
        image = noisy(np.asarray(cv2.imread(str(folder / frame["file"]))), chance)
        pieces = [game.codes.index(frame["board"].get(cell, "")) for cell in game.board.cells]
        if eyes is None or frame["camera"] != camera:
            camera = frame["camera"]
            seen = truth["cameras"][camera]
            corners = seen.get("level_corners_px", [seen["grid_corners_px"]])
            solved = [
                solve_by_corners(game.board, image, _clicked(four, chance), k).view for k, four in enumerate(corners)
            ]
            eyes = LevelReaders(game.board, solved, game.look_of, image, pieces)
        else:
            found += learn(eyes, spy, image, pieces, chance)
    return found


def _shot(stage: Stage, chance: Chance, draw: Draw) -> npt.NDArray[np.uint8]:
    stage.quiet("sample")
    return noisy(draw(replace(stage.frames[-1].scene, noise=0.5)), chance)


def _drawing(scene: render.Scene) -> cheap.Image:
    return cheap.render(scene).image


def _clicked(corners: Sequence[Sequence[float]], chance: Chance) -> list[tuple[float, float]]:
    """Corners as a person clicks them."""
    off = chance.normal(0, 1, (4, 2))
    off *= chance.choice([0, 1, 3]) / np.linalg.norm(off, axis=1, keepdims=True)
    return [(float(x), float(y)) for x, y in np.array(corners) + off]


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--seeds", default="", help="first:last of drawn boards")
@click.option("--renderer", type=click.Choice(["cheap", "blender"]), default="cheap")
@click.option("--recordings", multiple=True, type=click.Path(exists=True, path_type=Path))
def command(out: Path, seeds: str, renderer: str, recordings: tuple[Path, ...]) -> None:
    """Store samples, a file for each seed or recording."""
    out.mkdir(parents=True, exist_ok=True)
    spy = Spy()
    read.judge_cells = spy
    traced = renderer == "blender"
    draw: Draw = importlib.import_module("tests.render.blender").Studio().picture if traced else _drawing
    span = range(*map(int, seeds.split(":"))) if seeds else range(0)
    jobs = [(f"traced-{seed}" if traced else str(seed), partial(drawn, seed, spy, renderer, draw)) for seed in span]
    jobs += [(folder.name, partial(recorded, folder, number, spy)) for number, folder in enumerate(recordings)]
    for name, job in jobs:
        samples = job()
        inputs, looks, right, margins = zip(*samples, strict=True)
        data = {"inputs": np.array(inputs, np.float16), "looks": looks, "right": right, "margins": margins}
        np.savez(out / f"{name}.npz", **data)
        click.echo(f"{name}: {len(samples)} samples")


if __name__ == "__main__":
    command()
