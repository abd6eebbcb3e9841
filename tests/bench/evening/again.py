"""The film of an evening once more, without the room: `python -m tests.bench.evening.again FOLDER [--every 4]`.

FOLDER is what `--keep` of tests.bench.evening has left. What is lit is told as it was; `--every` shows only each n-th
picture, as on a machine that is too slow for the camera. Nobody plays back: what goes wrong first is what counts.
"""

from __future__ import annotations

from pathlib import Path

import click
import cv2
import numpy as np

from calibration import profile as profiles
from device.lights import DARK, draw_match
from device.mapfile import load_default_map
from engine import games
from engine.match.referee import new_match
from vision.frames import Frame
from vision.watch.watcher import Watcher


@click.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.option("--every", default=1, show_default=True)
@click.option("--seconds", default=60.0, show_default=True, help="From the first picture on.")
def command(folder: Path, every: int, seconds: float) -> None:
    """Say what is said of it."""
    profile = profiles.load_profile(folder / "board.toml")
    game = games.load(profile.game, profile.rules)
    watcher, leds, told = Watcher(profile, new_match(game)), load_default_map(game.name, game.board), False
    pictures = sorted((folder / "film").glob("*.jpg"), key=lambda path: float(path.stem))
    for path in pictures[::every]:
        t = float(path.stem) - float(pictures[0].stem)
        image = cv2.imread(str(path))
        if t > seconds or image is None:
            break
        frame = draw_match(watcher.match)
        off = [DARK if cell in frame.blink else rgb for cell, rgb in enumerate(frame.rgb)]
        watcher.lit = [leds.cell_colours(off), leds.cell_colours(frame.rgb)] if told else []
        for event in watcher.take_frame(Frame(t, np.asarray(image, np.uint8))):
            told = True
            click.echo(f"{t:6.2f}  {' '.join(f'{k} {v}' for k, v in event.to_json().items() if k != 't')}"[:160])


if __name__ == "__main__":
    command()
