"""A small board before a still camera: scenes are drawn once, and every frame of them has its own noise."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

import numpy as np

from calibration.profile import Profile
from calibration.view import Floats
from engine.game import Game, Position
from engine.match.events import Event, Moved
from engine.match.referee import new_match
from engine.match.state import Match
from tests.render import cheap
from tests.render.scene import Hand, Scene, Standing, cell_xy
from tests.render.script import Recipe
from tests.vision.pictures import scene_of, true_views
from tests.vision.slow_looks import LOOK_FRAMES, SlowLooks
from vision.frames import Frame
from vision.ground import Image
from vision.sight.seeing import Seeing, SeenBoard
from vision.sight.stillness import Flags
from vision.watch.watcher import Watcher

SIZE_WH = (640, 480)
RECIPE = Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=SIZE_WH)
FPS = 15.0
NOISE_SD = 3.0
"""Grey levels of a pixel: a webcam by daylight."""
CARRIED = 1.1
"""How high a piece is held, in cells."""
SKIN, SLEEVE = (120, 150, 200), (60, 40, 30)


@lru_cache(maxsize=64)
def clean(scene: Scene) -> Image:
    """The picture of a scene without noise."""
    return cheap.render(replace(scene, noise=0.0)).image


@lru_cache(maxsize=4)
def _fields(shape: tuple[int, ...]) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [rng.normal(0, 1, shape).astype(np.float32) for _ in range(4)]


def grainy(image: Image, number: int, sd: float = NOISE_SD) -> Image:
    """The picture with the noise of frame `number`: no two frames have the same."""
    rng = np.random.default_rng(number)
    field = _fields(image.shape)[int(rng.integers(4))]
    noisy = np.roll(field, tuple(int(v) for v in rng.integers(0, 400, 2)), axis=(0, 1))
    noisy *= sd
    noisy += image
    noisy += 0.5
    return np.clip(noisy, 0, 255, out=noisy).astype(np.uint8)


def board(recipe: Recipe = RECIPE) -> tuple[Game, Scene]:
    """A game and its start position."""
    return scene_of(recipe)


def at(game: Game, name: str) -> Floats:
    """The middle of a cell."""
    return np.array(cell_xy(game.board, game.board.index[name]))


def standing(game: Game, scene: Scene, name: str) -> Standing:
    """The piece on a cell."""
    return min(scene.pieces, key=lambda one: float(np.hypot(*(np.array(one.xyz[:2]) - at(game, name)))))


def put(game: Game, scene: Scene, origin: str, target: str = "", high: float = 0.0) -> Scene:
    """The piece on `origin` goes to another cell, `high` above the board, or away."""
    gone = standing(game, scene, origin)
    rest = tuple(one for one in scene.pieces if one is not gone)
    if not target:
        return replace(scene, pieces=rest)
    x, y = at(game, target)
    return replace(scene, pieces=(*rest, replace(gone, xyz=(float(x), float(y), high))))


def added(game: Game, scene: Scene, like: str, target: str) -> Scene:
    """One more piece, like that on the cell `like`, on the cell `target`."""
    x, y = at(game, target)
    more = replace(standing(game, scene, like), name="more", xyz=(float(x), float(y), 0.0))
    return replace(scene, pieces=(*scene.pieces, more))


def handed(game: Game, scene: Scene, name: str, holds: str = "", from_deg: float = 0.0) -> Scene:
    """A hand over a cell, its arm from the side of the last file (0) or the last rank (90), with the piece of `holds`
    in it."""
    x, y = at(game, name)
    if holds:
        scene = put(game, scene, holds, name, CARRIED)
    tip = CARRIED + 0.6 if holds else 0.9
    return replace(
        scene,
        hand=Hand((float(x), float(y), tip), from_deg, SKIN, SLEEVE),
        held=standing(game, scene, name).name if holds else None,
    )


def moves(events: Iterable[Event]) -> list[str]:
    """The plies that were said."""
    return [event.notation for event in events if isinstance(event, Moved)]


def named(game: Game, flags: Flags) -> list[str]:
    """The cells that are flagged."""
    return [game.board.cells[c] for c in np.flatnonzero(flags)]


class Sat:
    """A `Seeing` before a board: shows scenes and pictures to it for some seconds."""

    def __init__(self, game: Game, scene: Scene, sd: float = NOISE_SD) -> None:
        self.game, self.scene, self.sd = game, scene, sd
        self.count = 0
        self.seeing = Seeing(game.board, true_views(scene), self._grainy(clean(scene)))

    def _grainy(self, image: Image) -> Image:
        self.count += 1
        return grainy(image, self.count, self.sd)

    def each(self, shown: Scene | Image, seconds: float) -> Iterator[SeenBoard]:
        """What is seen after each frame of so many seconds."""
        image = clean(shown) if isinstance(shown, Scene) else shown
        for _ in range(max(1, round(seconds * FPS))):
            frame = self._grainy(image)
            self.seeing.take_frame(self.count / FPS, frame)
            yield self.seeing.observe_board()

    def show(self, shown: Scene | Image, seconds: float) -> SeenBoard:
        """What is seen after so many seconds."""
        if self.count == 1 and shown is self.scene:
            at_first = _sat_at_first(self.game, self.scene, seconds, self.sd)
            self.count, self.seeing, last = copy.deepcopy(at_first, kept(self.game))
            return last
        *_, last = self.each(shown, seconds)
        return last

    def learned(self, seconds: float = 1.0) -> SeenBoard:
        """After some seconds of the board as it stands all of it is understood."""
        seen = self.show(self.scene, seconds)
        self.seeing.learn_readable(seen.readable, whole=bool(seen.readable.all()))
        return seen

    def index(self, name: str) -> int:
        """The number of a cell."""
        return self.game.board.index[name]


def sat(game: Game, scene: Scene) -> Sat:
    """Before a board that is known."""
    sat = Sat(game, scene)
    assert sat.learned().readable.all()
    return sat


def kept(game: Game) -> dict[int, object]:
    """What copies of what saw a game share: its rules and its board."""
    return {id(game): game, id(game.board): game.board}


@lru_cache(maxsize=4)
def _sat_at_first(game: Game, scene: Scene, seconds: float, sd: float) -> tuple[int, Seeing, SeenBoard]:
    """Many tests begin with the same seconds of a board at rest: they are seen once, and each has a copy."""
    sat = Sat(game, scene, sd)
    *_, last = sat.each(scene, seconds)
    return sat.count, sat.seeing, last


@lru_cache(maxsize=4)
def _watched_at_first(
    game: Game, scene: Scene, position: Position, seconds: float, sd: float
) -> tuple[int, Watcher, list[Event]]:
    """The same of what is said."""
    watched = Watched(game, scene, sd, position)
    events = watched.say(clean(scene), seconds, sd)
    return watched.count, watched.watcher, events


class Watched:
    """A `Watcher` before a board: shows scenes and pictures to it and gives what is said."""

    def __init__(
        self,
        game: Game,
        scene: Scene,
        sd: float = NOISE_SD,
        position: Position | None = None,
        match: Match | None = None,
    ) -> None:
        """`match`: a game that goes on; else one begins from `position`."""
        self.game, self.scene, self.sd, self.position = game, scene, sd, position or game.start()
        self._fresh_match = new_match(game, self.position)
        profile = Profile(game.name, tuple(true_views(scene)), (97,), "drawn")
        self.watcher = Watcher(profile, match or self._fresh_match)
        self.count = 0

    @property
    def t(self) -> float:
        """The time of the next frame."""
        return self.count / FPS

    def show(self, shown: Scene | Image, seconds: float, sd: float | None = None) -> list[Event]:
        """What is said during so many seconds; a look that is still under way at their end is waited for."""
        sd = self.sd if sd is None else sd
        if not self.count and shown is self.scene and self.watcher.match is self._fresh_match:
            at_first = _watched_at_first(self.game, self.scene, self.position, seconds, sd)
            with suppress(TypeError):  # a check of a board that stands otherwise is under way, and cannot be copied
                self.count, self.watcher, events = copy.deepcopy(at_first, kept(self.game))
                return events
        return self.say(clean(shown) if isinstance(shown, Scene) else shown, seconds, sd)

    def film(self, shots: Iterable[tuple[Scene | Image, float]]) -> list[Event]:
        """The same of scenes and pictures that follow one another, each for so many seconds: looks go on over them."""
        images = ((clean(shown) if isinstance(shown, Scene) else shown, seconds) for shown, seconds in shots)
        frames = (frame for image, seconds in images for frame in self._frames(image, seconds, self.sd))
        return SlowLooks(self.watcher).take_frames(frames)

    def say(self, image: Image, seconds: float, sd: float, look_frames: int = LOOK_FRAMES) -> list[Event]:
        """The same of a picture, by this very watcher."""
        return SlowLooks(self.watcher, look_frames).take_frames(self._frames(image, seconds, sd))

    def _frames(self, image: Image, seconds: float, sd: float) -> Iterator[Frame]:
        for _ in range(max(1, round(seconds * FPS))):
            frame = Frame(self.t, grainy(image, self.count, sd))
            self.count += 1
            yield frame
