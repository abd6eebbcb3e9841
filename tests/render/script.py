"""Make a recording of a random game: `python -m tests.render.script --seed 5 --out DIR` writes pictures and truth.json.

With `--renderer blender` (needs the bpy package) the same recording is path traced instead of drawn.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np

import engine.games
from tests.render import cheap, truth
from tests.render.direct import Director
from tests.render.play import turns
from tests.render.scene import Setting, look_from
from tests.render.solids import MAN
from tests.render.stage import Stage
from tests.render.styles import LIGHTS, LOOKS, SETS, TABLES, light_named

TRUTH_EVERY = 10
"""Pictures between two writings of truth.json, so that a long rendering can be used while it grows."""


@dataclass(frozen=True)
class Recipe:
    """Everything that a recording follows from."""

    game: str = "camelot"
    rules: str = ""
    """Empty: the last rule set that the game names (for Camelot wcf)."""
    seed: int = 0
    plies: int = 20
    look: str = "lines"
    pieces: str = "ivory_brown"
    shape: str = "ball"
    scale: float = 1.0
    table: str = "wood"
    light: str = "day"
    markers: bool = True
    elevation: float = 55.0
    azimuth: float = -80.0
    hfov: float = 54.0
    size_wh: tuple[int, int] = (640, 480)
    jpeg: int = 88
    troubled: bool = True
    with_empty: bool = True


def bare_stage(recipe: Recipe) -> Stage:
    """The stage of a recipe: board, camera and light, with nothing on it yet."""
    game = engine.games.load(recipe.game, recipe.rules or engine.games.find(recipe.game).rule_sets[-1])
    setting = Setting(
        game.board, recipe.look, recipe.pieces, recipe.table, recipe.markers, recipe.seed, recipe.shape, recipe.scale
    )
    camera = look_from(
        game.board, recipe.elevation, recipe.azimuth, recipe.hfov, size_wh=recipe.size_wh, seed=recipe.seed
    )
    rng = np.random.default_rng(recipe.seed)
    return Stage(game, setting, [camera], light_named(recipe.light, recipe.seed), rng)


def stage_of(recipe: Recipe) -> tuple[Stage, Director]:
    """Play the recipe's game on a stage; the stage then holds every frame to render."""
    stage = bare_stage(recipe)
    director = Director(stage)
    for turn in turns(stage.game, recipe.plies, stage.rng, recipe.troubled):
        if turn.number == 1:
            director.begin(turn, recipe.with_empty)
        director.play(turn)
    director.finish()
    return stage, director


def record(recipe: Recipe, folder: Path, renderer: str = "cheap") -> Stage:
    """Render the recipe into `folder`: frame_0000.jpg ... and truth.json."""
    stage, director = stage_of(recipe)
    draw_recording(recipe, stage, director, folder, renderer)
    return stage


def draw_recording(recipe: Recipe, stage: Stage, director: Director, folder: Path, renderer: str = "cheap") -> None:
    """Render what was played on `stage` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = importlib.import_module("tests.render.blender").Studio().picture if renderer == "blender" else None
    entries = []
    for number, frame in enumerate(stage.frames):
        shot = cheap.render(frame.scene)
        image = draw(frame.scene) if draw else shot.image
        cv2.imwrite(str(folder / f"frame_{number:04d}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, recipe.jpeg])
        entries.append(truth.frame_entry(stage, number, frame, shot))
        if number % TRUTH_EVERY == 0 or number == len(stage.frames) - 1:
            truth.write(folder, stage, director, entries, _about(recipe, stage))


def _about(recipe: Recipe, stage: Stage) -> dict[str, Any]:
    return {
        "game": recipe.game,
        "rules": stage.game.rules,
        "seed": recipe.seed,
        "look": recipe.look,
        "pieces_set": recipe.pieces,
        "shape": recipe.shape,
        "table": recipe.table,
        "light": recipe.light,
        "aruco": "DICT_4X4_50" if recipe.markers else None,
        "elevation": recipe.elevation,
        "azimuth": recipe.azimuth,
        "hfov": recipe.hfov,
        "jpeg": recipe.jpeg,
    }


@click.command()
@click.option("--game", default="camelot")
@click.option("--rules", default="", help="empty: the last rule set that the game names")
@click.option("--seed", default=0)
@click.option("--plies", default=20)
@click.option("--look", type=click.Choice(list(LOOKS)), default="lines")
@click.option("--pieces", type=click.Choice(list(SETS)), default="ivory_brown")
@click.option("--shape", type=click.Choice(list(MAN)), default="ball")
@click.option("--scale", default=1.0, help="of the pieces")
@click.option("--table", type=click.Choice(list(TABLES)), default="wood")
@click.option("--light", type=click.Choice(list(LIGHTS)), default="day")
@click.option("--markers/--no-markers", default=True)
@click.option("--elevation", default=55.0)
@click.option("--azimuth", default=-80.0, help="where the camera stands: -90 at White, 90 at Black")
@click.option("--hfov", default=54.0)
@click.option("--size", default="640x480")
@click.option("--jpeg", default=88)
@click.option("--troubles/--no-troubles", default=True)
@click.option("--renderer", type=click.Choice(["cheap", "blender"]), default="cheap")
@click.option("--out", type=click.Path(path_type=Path), required=True)
def command(size: str, troubles: bool, renderer: str, out: Path, **options: Any) -> None:
    """Render the recording of a random game."""
    width, height = (int(side) for side in size.split("x"))
    stage = record(Recipe(size_wh=(width, height), troubled=troubles, **options), out, renderer)
    click.echo(f"{out}: {len(stage.frames)} pictures, {stage.ply} plies")


if __name__ == "__main__":
    command()
