"""What a camera would have streamed of a recording: each picture held for a while, with fresh noise and flicker.

`python -m tests.render.stream RECORDING OUT.avi` writes it as a video; tests take it frame by frame.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import click
import cv2
import numpy as np

from engine.errors import InputError
from tests.render import cheap
from tests.render.script import Recipe, stage_of
from vision.frames import Frame

FPS = 8.0
QUIET_S, HANDS_S = 1.25, 0.25
"""How long a picture without hands is held, and one with."""
NOISE, FLICKER = 2.0, 0.008
"""Standard deviations: grey levels of each pixel, and the part by which a whole picture is brighter or darker."""
FIELDS = 4
"""Fields of noise, shifted anew for each frame."""

Shot = tuple[str, cheap.Image]
"""The kind of a recorded picture (quiet, moving, empty), and the picture."""


def recorded(folder: Path) -> Iterator[Shot]:
    """The pictures of a recording on disk."""
    for frame in json.loads((folder / "truth.json").read_text())["frames"]:
        image = cv2.imread(str(folder / frame["file"]))
        if image is None:
            raise InputError(f"recording {folder}: {frame['file']} is missing")
        yield frame["kind"], np.asarray(image, np.uint8)


def drawn(recipe: Recipe) -> Iterator[Shot]:
    """The pictures of a recording that is drawn now, without the noise that streaming adds."""
    for frame in stage_of(recipe)[0].frames:
        yield frame.kind, cheap.render(replace(frame.scene, noise=0.5)).image


def stream(
    shots: Iterable[Shot], seed: int = 0, fps: float = FPS, hands_s: float = HANDS_S
) -> Iterator[tuple[int, Frame]]:
    """Frames as they come from the camera, each with the number of the recorded picture that it shows.

    Hands rest for `hands_s` in each of their poses.
    """
    rng = np.random.default_rng(seed)
    fields: list[np.ndarray] = []
    count = 0
    for number, (kind, image) in enumerate(shots):
        fields = fields or [rng.normal(0, NOISE, image.shape).astype(np.float32) for _ in range(FIELDS)]
        for _ in range(max(1, round((hands_s if kind == "moving" else QUIET_S) * fps))):
            dy, dx = (int(v) for v in rng.integers(0, 1000, 2))
            noise = np.roll(fields[int(rng.integers(FIELDS))], (dy, dx), (0, 1))
            bright = image * np.float32(1 + rng.normal(0, FLICKER))
            yield number, Frame(count / fps, np.clip(bright + noise, 0, 255).astype(np.uint8))
            count += 1


@click.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--seed", default=0)
def command(folder: Path, out: Path, seed: int) -> None:
    """Write the recording in FOLDER as a video."""
    writer: cv2.VideoWriter | None = None
    for _, frame in stream(recorded(folder), seed):
        if writer is None:
            h, w = frame.image.shape[:2]
            writer = cv2.VideoWriter(str(out), cv2.VideoWriter.fourcc(*"MJPG"), FPS, (w, h))
        writer.write(frame.image)
    if writer:
        writer.release()
    click.echo(f"{out}: written")


if __name__ == "__main__":
    command()
