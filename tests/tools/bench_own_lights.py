"""Plies seen on boards lit by their own LEDs: `python -m tests.tools.bench_own_lights [--gain 0.35] [--film FOLDER]`.

The bundled game's film, with the lights that the referee itself asks for laid into it: picture + gain x LED colour
wherever the bare board is to be seen (pieces and hands hide their square's glow), blinking as the device does, a tenth
of a second late. What the referee says then decides what is lit next, as on a table.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import click
import cv2
import numpy as np
import numpy.typing as npt

from calibration import profile as profiles
from calibration.profile import Profile
from device.ledmap import LedMap
from device.lights import draw
from device.lit_before import Shown
from device.mapfile import default
from engine.games import load
from engine.match.referee import new_match
from vision.frames import Frame, frames
from vision.ground import Image
from vision.watch.watcher import Watcher

SESSION = Path(__file__).parents[1] / "data" / "sessions" / "camelot_a"
GAINS = (0.1, 0.35, 0.7, 1.0)
"""Levels of the picture for one level of the LED: 0.35 is just clearly visible by day, 1.0 outshines the lamp."""
LATE_S = 0.1
BARE_LEVELS = 14.0
"""How far a pixel may be from the empty board's and still show it: a shadow of a hand takes so much."""
SPILL = 0.25
"""Share of the glow that reaches a neighbour's edge through a diffuser."""


class Lamps:
    """LEDs under the squares, as the camera sees them."""

    def __init__(self, profile: Profile, empty: Image, gain: float, spill: float) -> None:
        board, (height, width) = profile.board, empty.shape[:2]
        self.gain, self.empty = gain, empty.astype(np.float32)
        self.reach: list[tuple[tuple[slice, slice], npt.NDArray[np.float32]]] = []
        for cell, level in enumerate(board.levels):
            corners = np.array(board.centres_xy[cell]) + np.array(board.outline_xy)
            outline = profile.views[level].project(corners)
            mask = np.zeros((height, width), np.float32)
            cv2.fillPoly(mask, [np.round(outline).astype(np.int32)], 1.0)
            if spill:
                size = float(np.sqrt(mask.sum()))
                mask = np.maximum(mask, cv2.GaussianBlur(mask, (0, 0), size / 4) * 2 * spill)
            ys, xs = np.nonzero(mask > 0.01)
            box = (slice(int(ys.min()), int(ys.max()) + 1), slice(int(xs.min()), int(xs.max()) + 1))
            self.reach.append((box, mask[box][..., None]))

    def light(self, image: Image, rgb: npt.NDArray[np.float32]) -> Image:
        """The picture with the LEDs (cells, 3) lit."""
        out, bare = image.astype(np.float32), None
        for cell in np.flatnonzero(rgb.any(axis=1)):
            if bare is None:
                bare = cv2.GaussianBlur(self._bare(out).astype(np.float32), (5, 5), 0)[..., None]
            box, reach = self.reach[cell]
            out[box] += self.gain * rgb[cell][::-1] * reach * bare[box]
        return np.clip(out, 0, 255).astype(np.uint8)

    def _bare(self, picture: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
        """Where the empty board is seen, in the light or in a shadow."""
        share = (picture + 4) / (self.empty + 4)
        shadow = (share.max(axis=2) - share.min(axis=2) < 0.12) & (share.max(axis=2) < 1.05) & (share.min(axis=2) > 0.4)
        bare = (np.abs(picture - self.empty).max(axis=2) < BARE_LEVELS) | shadow
        things = cv2.morphologyEx((~bare).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        round_ = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (19, 19))
        return np.asarray(cv2.morphologyEx(things, cv2.MORPH_CLOSE, round_) == 0)  # a white piece on white is whole


@dataclass
class Result:
    """What came of a film."""

    plies: int = 0
    right: int = 0
    wrong: int = 0
    lifted: int = 0
    false_lifted: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def play(folder: Path, gain: float, spill: float, clean: bool, limit: int | None) -> Result:
    """Referee the film under its own lights. `clean`: with what is lit told to the referee."""
    profile = profiles.load(folder / "profile.toml")
    game = load(profile.game, profile.rules)
    leds: LedMap = default(game.name, game.board)
    watcher, shown = Watcher(profile, new_match(game)), Shown()
    truth = [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    wanted = [event["notation"] for event in truth if event["event"] == "move"]
    lifts = {event["cell"] for event in truth if event["event"] == "lifted"} | {
        event["from"] for event in truth if event["event"] == "move"
    }
    lamps: Lamps | None = None
    result = Result(plies=len(wanted))
    for frame in islice(frames(str(folder)), limit):
        lamps = lamps or Lamps(profile, frame.image, gain, spill)
        lit = leds.seen(shown.at(frame.t - LATE_S, len(game.board.cells)))
        image = lamps.light(frame.image, np.array(lit, np.float32))
        if clean:
            watcher.lit = [leds.seen(rgb) for rgb in shown.since(frame.t - 0.6, frame.t, len(game.board.cells))]
        for event in watcher.frame(Frame(frame.t, image)):
            said = event.to_json()
            if said["event"] == "lifted":
                result.lifted += 1
                if said["cell"] not in lifts:
                    result.false_lifted.append(str(said["cell"]))
            if said["event"] == "illegal":
                result.refused.append(" ".join(map(str, said["cells"])))  # type: ignore[call-overload]
        shown.show(draw(watcher.match).dimmed(watcher.own.bearable if clean else 1.0), frame.t)
    played = [game.write(p, m) for p, m in zip(watcher.match.positions, watcher.match.moves, strict=False)]
    for mine, theirs in zip(played, wanted, strict=False):
        result.right += mine == theirs
        result.wrong += mine != theirs
    return result


@click.command()
@click.option("--film", type=click.Path(exists=True, path_type=Path), default=SESSION)
@click.option("--gain", "gains", type=float, multiple=True, default=GAINS)
@click.option("--spill", type=float, default=0.0, show_default=True)
@click.option("--told/--untold", default=True, show_default=True, help="Whether the referee knows what is lit.")
@click.option("--limit", type=int)
def command(film: Path, gains: tuple[float, ...], spill: float, told: bool, limit: int | None) -> None:
    """Print a row for each gain."""
    for gain in gains:
        got = play(film, gain, spill, told, limit)
        click.echo(
            f"gain {gain}: {got.right} of {got.plies} plies, {got.wrong} wrong, lifted {got.lifted}, "
            f"false {len(got.false_lifted)} {got.false_lifted[:8]}, refused {len(got.refused)} {got.refused[:4]}"
        )


if __name__ == "__main__":
    command()
