"""Plies seen on boards lit by their own LEDs: `python -m tests.bench.bench_own_lights [--gain 0.35] [--game camblam]`.

A film, the bundled game's or one that is drawn now, with the lights that the referee itself asks for laid into it:
picture + gain x LED colour wherever the bare board is to be seen (pieces and hands hide their square's glow), blinking
as the device does, a tenth of a second late. What the referee says then decides what is lit next, as on a table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import click
import cv2
import numpy as np
import numpy.typing as npt

from calibration import profile as profiles
from calibration.profile import Profile
from calibration.solve import solve_by_corners
from device.ledmap import LedMap
from device.lights import draw_match
from device.lit_before import ShownFrames
from device.mapfile import load_default_map
from engine.games import load
from engine.match.referee import new_match
from tests.bench.bench_vision.draws import BOARDS, SIZES, USUAL_SIZE
from tests.bench.takes import true_corners
from tests.render import cheap
from tests.render.camera.conditions import Conditions
from tests.render.camera.film import film
from tests.render.script import Recipe, stage_of
from tests.render.styles import LIGHTS
from vision.frames import Frame, read_frames
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

    def __init__(self, profile: Profile, empty: Image, gain: float, spill: float, points: bool = False) -> None:
        board, (height, width) = profile.board, empty.shape[:2]
        self.gain, self.empty = gain, empty.astype(np.float32)
        self.reach: list[tuple[tuple[slice, slice], npt.NDArray[np.float32]]] = []
        for cell, level in enumerate(board.levels):
            corners = np.array(board.centres_xy[cell]) + np.array(board.outline_xy)
            outline = profile.views[level].project_points(corners)
            mask = np.zeros((height, width), np.float32)
            cv2.fillPoly(mask, [np.round(outline).astype(np.int32)], 1.0)
            if points:
                mask *= _bump(profile.views[level].project_points(np.array([board.centres_xy[cell]]))[0], mask)
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


def _bump(middle: npt.NDArray[np.float64], mask: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """An LED without a diffuser: brightest above it, a third at the corners of its cell."""
    ys, xs = np.mgrid[: mask.shape[0], : mask.shape[1]]
    far = (xs - middle[0]) ** 2 + (ys - middle[1]) ** 2
    return np.asarray(np.exp(-far / float(mask.sum()) * 2), np.float32)


@dataclass(frozen=True)
class Film:
    """What a camera saw of a board that is not lit, and what was played in it."""

    profile: Profile
    empty: Image
    frames: Iterator[Frame]
    wanted: tuple[str, ...]
    lifts: frozenset[str]
    """Cells from which pieces were taken."""


def stored(folder: Path) -> Film:
    """A session on disk; its first picture is of the empty board."""
    truth = [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    lifts = {event["cell"] for event in truth if event["event"] == "lifted"}
    moves = [event for event in truth if event["event"] == "move"]
    return Film(
        profiles.load_profile(folder / "profile.toml"),
        next(iter(read_frames(str(folder)))).image,
        iter(read_frames(str(folder))),
        tuple(event["notation"] for event in moves),
        frozenset(lifts | {event["from"] for event in moves}),
    )


def drawn(recipe: Recipe, hands: bool) -> Film:
    """A game that is drawn now; without `hands` pieces move by themselves."""
    stage, director = stage_of(recipe)
    scenes = [frame for frame in stage.frames if hands or frame.kind != "moving"]
    empty = cheap.render(replace(scenes[0].scene, pieces=(), hand=None, noise=0.0)).image
    shots = ((one.kind, cheap.render(replace(one.scene, noise=0.5)).image) for one in scenes)
    corners = true_corners(stage)
    first = cheap.render(scenes[0].scene).image
    views = [solve_by_corners(stage.game.board, first, list(rim), level) for level, rim in enumerate(corners)]
    game = stage.game
    profile = Profile(game.name, tuple(v.view for v in views), tuple(v.fit for v in views), rules=game.rules)
    taken = film(shots, Conditions(), recipe.seed, np.array(corners))
    return Film(
        profile,
        empty,
        (frame for _, frame in taken),
        tuple(move["notation"] for move in director.moves),
        frozenset(move["path"][0] for move in director.moves),
    )


@dataclass
class Result:
    """What came of a film."""

    plies: int = 0
    right: int = 0
    wrong: int = 0
    lifted: int = 0
    false_lifted: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def play(shown_in: Film, lamps: Lamps, told: bool, limit: int | None = None) -> Result:
    """Referee the film under its own lights. `told`: with what is lit told to the referee."""
    profile = shown_in.profile
    game = load(profile.game, profile.rules)
    leds: LedMap = load_default_map(game.name, game.board)
    watcher, shown, cells = Watcher(profile, new_match(game)), ShownFrames(), len(game.board.cells)
    result = Result(plies=len(shown_in.wanted))
    for frame in islice(shown_in.frames, limit):
        lit = leds.cell_colours(shown.colours_at(frame.t - LATE_S, cells))
        image = lamps.light(frame.image, np.array(lit, np.float32))
        if told:
            watcher.lit = [leds.cell_colours(rgb) for rgb in shown.colours_between(frame.t - 0.6, frame.t, cells)]
        for event in watcher.take_frame(Frame(frame.t, image)):
            said = event.to_json()
            if said["event"] == "lifted":
                result.lifted += 1
                if said["cell"] not in shown_in.lifts:
                    result.false_lifted.append(str(said["cell"]))
            if said["event"] == "illegal":
                result.refused.append(" ".join(map(str, said["cells"])))  # type: ignore[call-overload]
        shown.show_frame(draw_match(watcher.match).with_brightness(watcher.own.bearable if told else 1.0), frame.t)
    played = [game.write(p, m) for p, m in zip(watcher.match.positions, watcher.match.moves, strict=False)]
    for mine, theirs in zip(played, shown_in.wanted, strict=False):
        result.right += mine == theirs
        result.wrong += mine != theirs
    return result


@click.command()
@click.option("--film", "folder", type=click.Path(exists=True, path_type=Path), default=SESSION)
@click.option("--game", "games", multiple=True, type=click.Choice(BOARDS), help="Draw a game on this board instead.")
@click.option("--light", "lights", multiple=True, type=click.Choice(LIGHTS), default=("day",), show_default=True)
@click.option("--hands/--no-hands", default=True, show_default=True, help="In what is drawn.")
@click.option("--plies", default=10, show_default=True, help="Of what is drawn.")
@click.option("--seed", default=5, show_default=True)
@click.option("--gain", "gains", type=float, multiple=True, default=GAINS)
@click.option("--spill", type=float, default=0.0, show_default=True)
@click.option("--points/--diffused", default=False, show_default=True)
@click.option("--told/--untold", default=True, show_default=True, help="Whether the referee knows what is lit.")
@click.option("--limit", type=int)
def command(
    folder: Path,
    games: tuple[str, ...],
    lights: tuple[str, ...],
    hands: bool,
    plies: int,
    seed: int,
    gains: tuple[float, ...],
    spill: float,
    points: bool,
    told: bool,
    limit: int | None,
) -> None:
    """Print a row for each gain."""
    for game, light, gain in ((game, light, gain) for game in games or (None,) for light in lights for gain in gains):
        if game is None:
            name, taken = folder.name, stored(folder)
        else:
            size = SIZES.get(game, USUAL_SIZE)
            recipe = Recipe(game, seed=seed, plies=plies, light=light, size_wh=size, troubled=False, with_empty=False)
            name, taken = f"{game} {light}", drawn(recipe, hands)
        got = play(taken, Lamps(taken.profile, taken.empty, gain, spill, points), told, limit)
        click.echo(
            f"{name}, gain {gain}: {got.right} of {got.plies} plies, {got.wrong} wrong, lifted {got.lifted}, "
            f"false {len(got.false_lifted)} {got.false_lifted[:8]}, refused {len(got.refused)} {got.refused[:4]}"
        )


if __name__ == "__main__":
    command()
