"""The bundled game for tests of what comes after seeing: a run reads its pictures once, however often it is played.

Seeing is most of what such a test would cost, and the same pictures give the same answers. What is asked of people
(acts) is not for these: who needs a board that answers takes a `Watcher`.
"""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from filelock import FileLock

from calibration import profile as profiles
from calibration.view import View
from engine import games
from engine.game import Game
from engine.match.events import Event
from engine.match.referee import new_match
from engine.match.state import Match
from vision.frames import Frame, read_frames
from vision.reading.level import Reading
from vision.watch.story import Story
from vision.watch.watcher import Watcher

SESSION = Path(__file__).parents[3] / "data" / "sessions" / "camelot_a"
FRAMES = 140
"""The first part of the game: set-up, moves, a capture under way, an unlawful placement and a piece in the air."""


def start() -> Match:
    """The game of the film before its first move."""
    profile = profiles.load_profile(SESSION / "profile.toml")
    return new_match(games.load(profile.game, profile.rules))


@cache
def film() -> tuple[Frame, ...]:
    """Its first part."""
    return tuple(islice(read_frames(str(SESSION)), FRAMES))


@dataclass(frozen=True)
class Came:
    """What came of one frame, and what is known after it."""

    events: tuple[Event, ...]
    story: Story
    last: Frame | None
    reading: Reading | None
    views: Sequence[View]
    fit: int


@cache
def _came() -> tuple[Came, ...]:
    """What came of each frame; the first process of a run that asks sees the film, the others read what it found."""
    shared = os.environ.get("SHARED_BY_TESTS")
    if shared is None:
        return _see_film()
    file, game = Path(shared, "seen_once.pickle"), start().game
    with FileLock(f"{file}.lock"):
        if not file.exists():
            with file.with_suffix(".new").open("wb") as out:
                _Writer(out, game).dump(_see_film())
            file.with_suffix(".new").rename(file)
    with file.open("rb") as given:
        found: tuple[Came, ...] = _Reader(given, game).load()
    return found


class _Writer(pickle.Pickler):
    """Leaves out the game and its board, which every process has."""

    def __init__(self, file: Any, game: Game) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._names = {id(game): "game", id(game.board): "board"}

    def persistent_id(self, obj: object) -> str | None:
        return self._names.get(id(obj))


class _Reader(pickle.Unpickler):
    """Puts them back."""

    def __init__(self, file: Any, game: Game) -> None:
        super().__init__(file)
        self._known = {"game": game, "board": game.board}

    def persistent_load(self, pid: str) -> object:
        return self._known[pid]


def _see_film() -> tuple[Came, ...]:
    """What came of each frame, by a `Watcher` that sees them as they are."""
    watcher, found = Watcher(profiles.load_profile(SESSION / "profile.toml"), start()), list[Came]()
    for frame in film():
        watcher.advance_time(frame.t)
        events = watcher.take_frame(frame)
        story = copy.copy(watcher._story)
        found.append(Came(events, story, watcher.last, watcher.reading, watcher.views, watcher.fit))
    return tuple(found)


class SeenOnce(Watcher):
    """A `Watcher` of the film that knows what comes of each frame."""

    def __init__(self) -> None:
        super().__init__(profiles.load_profile(SESSION / "profile.toml"), start())
        self._number, self._now = 0, Came((), self._story, None, None, super().views, super().fit)

    @property
    def reading(self) -> Reading | None:
        """As it was then."""
        return self._now.reading

    @property
    def views(self) -> Sequence[View]:
        """As they were then."""
        return self._now.views

    @property
    def fit(self) -> int:
        """As it was then."""
        return self._now.fit

    def take_frame(self, frame: Frame) -> tuple[Event, ...]:
        """The next frame of the film, and no other one."""
        assert frame.image is film()[self._number].image, "the frames of the film, each once and in their order"
        self._now = _came()[self._number]
        self._number += 1
        self._story, self.last = copy.copy(self._now.story), self._now.last
        return self._now.events
