"""A drawn board with drawn hands before a network camera: what is done at it is decided while the program runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.find_board import find_by_itself
from calibration.profile import Profile, WayRound, dump_profile
from engine.game import Game, Move, Position
from tests.patience import PATIENCE_S
from tests.phone import phone
from tests.programs import started
from tests.render import cheap
from tests.render.scene import cell_xy
from tests.render.script import Recipe, bare_stage
from tests.vision.filmed import grainy
from vision.ground import Image

FPS = 10.0
HAND_S = 0.4
"""How long each picture of a hand is held: reaching, carrying, letting go."""
LOOK_S = 0.05
"""How often the program is asked what it says."""


class DrawnTable:
    """The table of a recipe; `url` is its camera. Whatever is done is seen from then on."""

    def __init__(self, recipe: Recipe) -> None:
        self.stage = bare_stage(recipe)
        self.game: Game = self.stage.game
        self.stage.set_up(self.game.start())
        self.url = ""
        self.image = self._quiet()

    def _quiet(self) -> Image:
        self.stage.quiet("")
        return self._drawn()

    def _drawn(self) -> Image:
        return cheap.render(replace(self.stage.frames[-1].scene, noise=0.0)).image

    def shift(self, seat: int, way: Sequence[int], taken: Sequence[int] = ()) -> None:
        """A hand takes the piece on the first cell of `way` to the last, then takes pieces off; it ends at rest."""
        stage, piece = self.stage, self.stage.at(way[0])
        self._hand("reach", seat, way[0])
        for before, after in pairwise(way):
            middle = (np.array(cell_xy(self.game.board, before)) + np.array(cell_xy(self.game.board, after))) / 2
            stage.moving("carry", seat, middle, held=piece)
            self._hold()
        stage.put(piece, way[-1])
        self._hand("release", seat, way[-1])
        for cell in taken:
            name = stage.at(cell)
            self._hand("capture", seat, cell, name)
            stage.take_off(name, seat)
        self.image = self._quiet()

    def make(self, position: Position, move: Move) -> None:
        """A move as people make it: what it takes comes off at the end."""
        self.shift(position.seat, move.path, move.taken)

    def _hand(self, what: str, seat: int, cell: int, held: str | None = None) -> None:
        self.stage.moving(what, seat, np.array(cell_xy(self.game.board, cell)), held=held)
        self._hold()

    def _hold(self) -> None:
        self.image = self._drawn()
        time.sleep(HAND_S)

    def profile(self, path: Path) -> None:
        """The profile that finding the board by itself gives."""
        looks = [self.game.looks[self.game.look_of[piece]] for piece in self.game.start().placement]
        views = find_by_itself(self.game.board, grainy(self.image, 0), looks)
        assert views, "the board is not found"
        found = Profile(
            self.game.name,
            tuple(v.view for v in views),
            tuple(v.fit for v in views),
            self.url,
            rules=self.game.rules,
            way_round=WayRound.SAID,
        )
        path.write_text(dump_profile(found), encoding="utf-8")


@contextmanager
def drawn_table(recipe: Recipe) -> Iterator[DrawnTable]:
    """The table with its camera running."""
    table, over = DrawnTable(recipe), threading.Event()

    def pictures() -> Iterator[bytes]:
        begun, number = time.monotonic(), 0
        while not over.wait(max(0.0, begun + number / FPS - time.monotonic())):
            number = max(number + 1, int((time.monotonic() - begun) * FPS))  # what is late is left out
            yield cv2.imencode(".jpg", grainy(table.image, number))[1].tobytes()

    with phone(pictures) as table.url:
        try:
            yield table
        finally:
            over.set()


Snapshot = dict[str, Any]


@dataclass
class Referee:
    """The program that is running: what it says of the game."""

    url: str
    looked: Callable[[Snapshot], object] = lambda now: None
    """Called with all that was seen on the way."""

    def now(self) -> Snapshot:
        """The game as pages draw it."""
        with urllib.request.urlopen(f"{self.url}api/v1/game", timeout=PATIENCE_S) as answer:  # noqa: S310  # our own
            found: Snapshot = json.load(answer)
        self.looked(found)
        return found

    def until(self, what: Callable[[Snapshot], object]) -> Snapshot:
        """The first of what it says that is so."""
        end = time.monotonic() + PATIENCE_S
        while not what(now := self.now()):
            assert time.monotonic() < end, f"it never came, only {now}"
            time.sleep(LOOK_S)
        return now


@contextmanager
def refereed(table: DrawnTable, folder: Path, *arguments: str) -> Iterator[Referee]:
    """`referee serve` before the table, once it is ready."""
    profile = folder / "profile.toml"
    table.profile(profile)
    command = [sys.executable, "-u", "-m", "server", "serve", "--profile", str(profile), "--port", "0"]
    more = ("--camera", table.url, "--record", str(folder / "games.sqlite3"), *arguments)
    with started([*command, *more], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = ""
        while not (found := re.search(r"http://\S+", said)):
            line = process.stdout.readline()
            assert line, "it ended"
            said += line
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield Referee(found[0])
        process.terminate()
        process.wait(PATIENCE_S)


def another(game: Game, position: Position, move: Move) -> Move:
    """A lawful move in place of `move`: another piece goes one way, and takes nothing."""
    ends = {move.origin, move.target}
    found = (one for one in game.moves(position) if len(one.path) == 2 and not one.taken)
    return next(one for one in found if not ends & {one.origin, one.target})


def out_of_reach(game: Game, position: Position) -> int:
    """An empty cell that no move ends on."""
    reached = {one.target for one in game.moves(position)}
    return next(cell for cell, piece in enumerate(position.placement) if not piece and cell not in reached)
