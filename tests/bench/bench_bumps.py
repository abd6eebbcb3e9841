"""Is a small bump of the camera followed? `python -m tests.bench.bench_bumps`.

Drawn films: a ply, then the camera is turned or carried so that the board lies 0.1 to 2.2 cells beside where it lay,
then another ply; and after each the referee is started anew with the old profile. As many films without a bump have a
lamp or a hand instead, after which nobody may be told that the camera was moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import click
import cv2
import numpy as np

from calibration.profile import Profile
from calibration.view import Floats, View
from engine.game import Game, Position
from engine.match.events import CameraMoved, Event, Moved, Ready
from engine.match.referee import new_match
from tests.render import cheap
from tests.render.scene import Camera, Hand, Scene, cell_xy
from tests.render.script import Recipe, bare_stage
from tests.render.stage import Stage
from tests.vision.filmed import SKIN, SLEEVE, grainy
from tests.vision.pictures import off_by, true_views
from vision.frames import Frame
from vision.ground import Image
from vision.watch.watcher import Watcher

RECIPES = (
    Recipe("camelot", look="green", pieces="white_red", light="office", seed=3, size_wh=(640, 480)),
    Recipe("camblam", look="lines", light="day", seed=4, elevation=60.0, size_wh=(960, 720)),
    Recipe("tri-camelot", look="walnut", pieces="maple_black", light="day", seed=5, size_wh=(640, 480)),
    Recipe("cam-3d", look="lines", light="office", seed=6, elevation=65.0, size_wh=(960, 720)),
)
SHIFTS = (0.1, 0.2, 0.33, 0.45, 1.0, 2.2)
DIRECTIONS_DEG = (20.0, 115.0, 200.0, 290.0)
FPS = 8.0
RIGHT_CELLS = 0.1
WAIT_S, PLY_S, AGAIN_S = 2.5, 2.0, 5.0


@dataclass(frozen=True)
class Outcome:
    """What came of one film; errors in cells, of the farthest one, as shown and as it is read."""

    game: str
    name: str
    plies: int
    shown: float
    read: float
    told_s: float | None
    """Until the pose that is shown is right, seconds after the bump."""
    said: int
    """How often it was said that the camera was moved."""
    again_s: float | None
    """Until the referee that was started anew was ready."""
    again: float


class Film:
    """A watcher before a stage."""

    def __init__(self, stage: Stage, views: Sequence[View], game: Game, position: Position) -> None:
        self.watcher = Watcher(Profile(game.name, tuple(views), (97,), "drawn"), new_match(game, position))
        self.stage, self.count, self.events = stage, 0, list[Event]()

    def each(self, scene: Scene, seconds: float) -> Iterator[float]:
        """Show a scene for so long; the time after each frame."""
        image = _clean(scene)
        for _ in range(round(seconds * FPS)):
            t = self.count / FPS
            self.count += 1
            self.events.extend(self.watcher.take_frame(Frame(t, grainy(image, self.count))))
            yield t

    def show(self, scene: Scene, seconds: float) -> None:
        """The same without a look at each frame."""
        for _ in self.each(scene, seconds):
            pass

    @property
    def read_views(self) -> list[View]:
        """From where the cells are read."""
        seeing = self.watcher._seeing
        moved = seeing.place.moved if seeing is not None else np.eye(2, 3)
        views = self.watcher._looks.eyes.views if self.watcher._looks.eyes else self.watcher.profile.views
        return [_carried(view, moved) for view in views]


def _carried(view: View, moved: Floats) -> View:
    px = np.array(view.corners_px) @ moved[:, :2].T + moved[:, 2]
    return replace(view, corners_px=tuple((float(x), float(y)) for x, y in px))


def _clean(scene: Scene) -> Image:
    return cheap.render(replace(scene, noise=0.0)).image


def _off(views: Sequence[View], scene: Scene) -> float:
    return max(float(off_by(view, scene, level).max()) for level, view in enumerate(views))


def _bumped(camera: Camera, by_px: Floats, *, carried: bool) -> Camera:
    """The camera turned, or carried, so that the middle of its picture goes by so much."""
    x, y = by_px / camera.matrix[0][0]
    if not carried:
        turn = np.asarray(cv2.Rodrigues(np.array([-y, x, 0.0]))[0])
        rotation, shift = turn @ camera.rotation, turn @ np.array(camera.tvec)
    else:
        rotation = camera.rotation
        shift = np.array(camera.tvec) + np.array([x, y, 0.0]) * camera.tvec[2]
    (rx, ry, rz), (tx, ty, tz) = cv2.Rodrigues(rotation)[0][:, 0].tolist(), shift.tolist()
    return replace(camera, rvec=(rx, ry, rz), tvec=(tx, ty, tz))


def _quiet(stage: Stage) -> Scene:
    stage.quiet("still")
    return stage.frames[-1].scene


def _ply(stage: Stage, position: Position, rng: np.random.Generator) -> tuple[Position, str]:
    """A ply that takes nothing, put down on the stage."""
    game = stage.game
    going = [m for m in game.moves(position) if m.origin != m.target and not m.taken]
    move = going[int(rng.integers(len(going)))]
    stage.put(stage.at(move.origin), move.target)
    return game.play(position, move), game.write(position, move)


def _begun(recipe: Recipe) -> tuple[Stage, Film, list[View], list[str], Position, np.random.Generator]:
    stage, rng = bare_stage(recipe), np.random.default_rng(recipe.seed)
    position = stage.game.start()
    stage.set_up(position)
    scene = _quiet(stage)
    views = true_views(scene)
    film = Film(stage, views, stage.game, position)
    film.show(scene, 2.0)
    position, first = _ply(stage, position, rng)
    film.show(_quiet(stage), PLY_S)
    return stage, film, views, [first], position, rng


def _right(film: Film, played: Sequence[str]) -> int:
    told = [e.notation for e in film.events if isinstance(e, Moved)]
    return sum(one == other for one, other in zip(told, played, strict=False))


def bumped(recipe: Recipe, shift: float, number: int) -> Outcome:
    """A film with a bump."""
    stage, film, views, played, position, rng = _begun(recipe)
    angle, camera = np.radians(DIRECTIONS_DEG[number]), stage.cameras[-1]
    pitch = float(min(np.median(v.pitch_px(np.array(stage.game.board.centres_xy))) for v in views))
    by = shift * pitch * np.array([np.cos(angle), np.sin(angle)])
    stage.cameras.append(_bumped(camera, by, carried=number % 2 == 1))
    scene, begun, told = _quiet(stage), film.count / FPS, None
    for t in film.each(scene, WAIT_S):
        if told is None and _off(film.watcher.views, scene) <= RIGHT_CELLS:
            told = t - begun
    position, second = _ply(stage, position, rng)
    after = _quiet(stage)
    film.show(after, PLY_S)
    again = Film(stage, views, stage.game, position)
    ready = None
    for t in again.each(after, AGAIN_S):
        if any(isinstance(e, Ready) for e in again.events):
            ready = t
            break
    for _ in again.each(after, 2.0):
        pass
    return Outcome(
        recipe.game,
        f"{recipe.game} {shift} {DIRECTIONS_DEG[number]:.0f}",
        _right(film, [*played, second]),
        _off(film.watcher.views, after),
        _off(film.read_views, after),
        told,
        sum(isinstance(e, CameraMoved) for e in film.events),
        ready,
        _off(again.watcher.views, after),
    )


def unmoved(recipe: Recipe, number: int) -> Outcome:
    """A film with a lamp (even numbers) or a hand that rests over the board."""
    stage, film, _, played, position, rng = _begun(recipe)
    light, board = stage.light, stage.game.board
    if number % 2 == 0:
        change = (0.5, 1.5, 0.7, 0.35)[number // 2 % 4]
        stage.light = replace(light, main=light.main * change)
        film.show(_quiet(stage), WAIT_S)
    else:
        scene = _quiet(stage)
        x, y = cell_xy(board, int(rng.integers(len(board.cells))))
        hand = Hand((float(x), float(y), 0.9), float(rng.uniform(0, 360)), SKIN, SLEEVE)
        film.show(replace(scene, hand=hand), WAIT_S)
        film.show(scene, 1.0)
    _, second = _ply(stage, position, rng)
    after = _quiet(stage)
    film.show(after, PLY_S)
    said = sum(isinstance(e, CameraMoved) for e in film.events)
    shown, read = _off(film.watcher.views, after), _off(film.read_views, after)
    name = f"{recipe.game} {'hand' if number % 2 else 'lamp'} {number}"
    return Outcome(recipe.game, name, _right(film, [*played, second]), shown, read, 0.0, said, 0.0, 0.0)


def told(outcomes: Sequence[Outcome], name: str) -> str:
    """One line of figures."""
    if not outcomes:
        return f"{name}: none"
    shown, read, again = (np.array([getattr(o, k) for o in outcomes]) for k in ("shown", "read", "again"))
    times = [o.told_s for o in outcomes if o.told_s is not None]
    ready = [o.again_s for o in outcomes if o.again_s is not None]
    return (
        f"{name}: {sum(o.plies for o in outcomes)} of {2 * len(outcomes)} plies right; grid shown off by "
        f"{np.median(shown):.3f} cell (median), {shown.max():.3f} at most, read with {np.median(read):.3f}, "
        f"{read.max():.3f} at most; shown right in {len(times)} of {len(outcomes)} after "
        f"{np.median(times or [np.nan]):.2f} s, {max(times or [np.nan]):.2f} at most; said to be moved in "
        f"{sum(o.said > 0 for o in outcomes)}; started anew: {len(ready)} ready after "
        f"{np.median(ready or [np.nan]):.2f} s, "
        f"{max(ready or [np.nan]):.2f} at most, off by {np.median(again):.3f}, {again.max():.3f} at most"
    )


@click.command()
@click.option("--game", multiple=True, help="only these")
@click.option("--directions", default=len(DIRECTIONS_DEG), show_default=True, help="bumps by each length, of four")
@click.option("--each", is_flag=True, help="a line for each film")
def command(game: Sequence[str], directions: int, each: bool) -> None:
    """Draw, watch, and count."""
    cv2.setNumThreads(1)
    recipes = [one for one in RECIPES if not game or one.game in game]
    moved: dict[float, list[Outcome]] = {shift: [] for shift in SHIFTS}
    still: list[Outcome] = []
    for recipe, shift, number in product(recipes, SHIFTS, range(directions)):
        moved[shift].append(bumped(recipe, shift, number))
        if each:
            click.echo(f"{moved[shift][-1]}")
    for recipe, number in product(recipes, range(len(SHIFTS) * directions)):
        still.append(unmoved(recipe, number))
        if each:
            click.echo(f"{still[-1]}")
    for shift, outcomes in moved.items():
        click.echo(told(outcomes, f"{shift} cell"))
    click.echo(told(still, "no bump"))


if __name__ == "__main__":
    command()
