"""The pictures of a recording, and its film as a video: `python -m tests.render.stream RECORDING OUT.avi`.

tests/render/camera makes the film; `--disturbance`, `--strength` and `--seed` choose under which conditions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
import cv2
import numpy as np

from engine.errors import InputError
from tests.render import cheap
from tests.render.camera import conditions
from tests.render.camera.film import film
from tests.render.camera.timing import Shot
from tests.render.script import Recipe, stage_of


def recorded(folder: Path) -> Iterator[Shot]:
    """The pictures of a recording on disk."""
    for frame in json.loads((folder / "truth.json").read_text())["frames"]:
        image = cv2.imread(str(folder / frame["file"]))
        if image is None:
            raise InputError(f"recording {folder}: {frame['file']} is missing")
        yield frame["kind"], np.asarray(image, np.uint8)


def drawn(recipe: Recipe) -> Iterator[Shot]:
    """The pictures of a recording that is drawn now, without the noise that a film adds."""
    for frame in stage_of(recipe)[0].frames:
        yield frame.kind, cheap.render(replace(frame.scene, noise=0.5)).image


def corners_of(folder: Path) -> list[list[float]]:
    """The corners of the board (4, 2) in the first picture of a recording with pieces."""
    truth = json.loads((folder / "truth.json").read_text())
    first = next(frame for frame in truth["frames"] if frame["kind"] != "empty")
    corners: list[list[float]] = truth["cameras"][first["camera"]]["grid_corners_px"]
    return corners


@click.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--disturbance", type=click.Choice(conditions.DISTURBANCES), default="clean", show_default=True)
@click.option("--strength", type=click.Choice(conditions.STRENGTHS), default="ordinary", show_default=True)
@click.option("--seed", default=0)
def command(folder: Path, out: Path, disturbance: str, strength: str, seed: int) -> None:
    """Write the recording in FOLDER as a video."""
    chosen = conditions.drawn(disturbance, strength, seed)
    writer: cv2.VideoWriter | None = None
    for _, frame in film(recorded(folder), chosen, seed, corners_of(folder)):
        if writer is None:
            h, w = frame.image.shape[:2]
            writer = cv2.VideoWriter(str(out), cv2.VideoWriter.fourcc(*"MJPG"), chosen.fps, (w, h))
        writer.write(frame.image)
    if writer:
        writer.release()
    click.echo(f"{out}: written")


if __name__ == "__main__":
    command()
