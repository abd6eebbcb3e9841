"""The room: a camera that films what the stage shows, lit by the board's own LEDs, the display, the service, a page.

All of them are the real parts: MJPEG over HTTP, the firmware in the simulator on a serial port, `referee serve` as a
process that can be killed, Chromium. Only the picture is drawn, in the room's light and with a camera's noise.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from selenium import webdriver

from calibration import profile as profiles
from calibration.profile import Profile, WayRound
from device.ledmap import LedMap
from device.mapfile import load_default_map
from engine.game import Game
from tests.browser import browser, size
from tests.firmware.board import SimulatedBoard
from tests.patience import PATIENCE_S
from tests.render import cheap
from tests.render.scene import Camera, Scene
from tests.server.board.setup.streams import mjpeg
from tests.vision.filmed import grainy
from tests.vision.pictures import true_views
from vision.ground import Image

ROOT = Path(__file__).parents[3]
GLOW = 0.35
"""Levels of the picture for a level of an LED under a bare square: just clearly visible in a lit room."""
SPILL = 0.25
"""What of it reaches a neighbour's edge through a diffuser."""
WINDOW = (1280, 900)
Told = dict[str, object]


class SharedBoard(SimulatedBoard):
    """A display that the camera looks at while somebody presses its buttons."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        super().__init__()

    def _ask_simulator(self, command: str) -> str:
        with self._lock:
            return super()._ask_simulator(command)


@lru_cache(maxsize=32)
def _drawn(scene: Scene) -> tuple[Image, npt.NDArray[np.float32]]:
    """The picture of a scene without noise, and where the bare board is seen in it."""
    shot = cheap.render(replace(scene, noise=0.0))
    bare = cv2.GaussianBlur((shot.labels == 0).astype(np.float32), (5, 5), 0)
    return shot.image, np.asarray(bare, np.float32)


@lru_cache(maxsize=4)
def _squares(camera: Camera, scene: Scene) -> list[tuple[tuple[slice, slice], npt.NDArray[np.float32]]]:
    """Of each cell the part of the picture that its LED lights, and how much."""
    board, (width, height) = scene.setting.board, camera.size_wh
    views, found = true_views(scene), []
    for cell, level in enumerate(board.levels):
        outline = views[level].project_points(np.array(board.centres_xy[cell]) + np.array(board.outline_xy))
        wide = int(np.ptp(outline, axis=0).max())  # a diffuser's light goes no farther
        (left, top), (right, low) = np.floor(outline.min(axis=0)) - wide, np.ceil(outline.max(axis=0)) + wide
        left, top, right, low = max(0, int(left)), max(0, int(top)), min(width, int(right)), min(height, int(low))
        mask = np.zeros((low - top, right - left), np.float32)
        cv2.fillPoly(mask, [np.round(outline - [left, top]).astype(np.int32)], 1.0)
        mask = np.maximum(mask, cv2.GaussianBlur(mask, (0, 0), float(np.sqrt(mask.sum())) / 4) * 2 * SPILL)
        found.append(((slice(top, low), slice(left, right)), mask[..., None]))
    return found


class Film:
    """What the camera takes: `scene` is what is before it. Used by the camera's thread and by who plays."""

    def __init__(self, scene: Scene, board: SharedBoard, leds: LedMap, glow: float) -> None:
        self.scene = scene
        self._glow = glow
        self.keeps: Path | None = None
        """Folder in which each picture is kept, with the time in its name."""
        self._board, self._leds = board, leds

    def picture(self, number: int) -> Image:
        """The picture of this moment."""
        scene = self.scene
        image, bare = _drawn(scene)
        out = image.astype(np.float32)
        bench = replace(scene, pieces=(), hand=None, held=None, cup=None, shake_px=0.0, seed=0)
        squares = _squares(scene.camera, bench)
        for owners, rgb in zip(self._leds.owners, self._board.read_signals().rgb, strict=False):
            for cell in owners if any(rgb) else ():
                box, reach = squares[cell]
                out[box] += self._glow * np.array(rgb[::-1], np.float32) * reach * bare[box][..., None]
        taken = grainy(np.clip(out, 0, 255).astype(np.uint8), number)
        if self.keeps is not None:
            cv2.imwrite(str(self.keeps / f"{time.time():.2f}.jpg"), taken)
        return taken


class Room:
    """Everything of an evening. `told` grows while the service runs; `start` it, `cut` its power, look at the page."""

    def __init__(self, folder: Path, game: Game, film: Film, board: SharedBoard, camera: str) -> None:
        self.folder, self.game, self.film, self.board = folder, game, film, board
        self.leds: LedMap = load_default_map(game.name, game.board)
        self.told: list[Told] = []
        self.driver: webdriver.Chrome | None = None
        self.record = folder / "games.sqlite3"
        self._camera = camera
        self._process: subprocess.Popen[str] | None = None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = int(free.getsockname()[1])

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self._port}/"

    def start(self) -> None:
        """Switch the computer on."""
        serve = [sys.executable, "-m", "server", "serve", "--profile", str(self.folder / "board.toml")]
        serve += ["--camera", self._camera, "--lights", self.board.path, "--protocol", "camref"]
        trace = self.folder / f"trace-{len(list(self.folder.glob('trace-*'))) + 1}.jsonl"
        serve += ["--record", str(self.record), "--port", str(self._port), "--trace", str(trace)]
        own = os.environ | {"XDG_CONFIG_HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)}
        own |= {"PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(serve, cwd=self.folder, env=own, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        while not re.search(r"http://\S+", line := self._process.stdout.readline()):
            assert line, "the service ended before its page was there"
        threading.Thread(target=self._listen, daemon=True).start()

    def cut(self) -> None:
        """The power goes: nobody gets to say anything. (The display has a supply of its own.)"""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def see_page(self) -> None:
        """Open the page."""
        assert self.driver is not None
        size(self.driver, *WINDOW)
        self.driver.get(self.url)

    def js(self, expression: str) -> object:
        """What the page answers; None for one that is being loaded."""
        assert self.driver is not None
        return self.driver.execute_script(f"return {expression}")

    def now(self) -> dict[str, object]:
        """The game as programs are answered."""
        with urllib.request.urlopen(f"{self.url}api/v1/game", timeout=PATIENCE_S) as answer:  # noqa: S310  # ours
            found: dict[str, object] = json.load(answer)
        return found

    def _listen(self) -> None:
        with suppress(OSError), urllib.request.urlopen(f"{self.url}api/v1/events", timeout=PATIENCE_S) as stream:  # noqa: S310  # ours
            for line in stream:
                if line.startswith(b"data: ") and line.endswith(b"\n"):
                    self.told.append(json.loads(line.removeprefix(b"data: ")))


@contextmanager
def furnished(folder: Path, game: Game, scene: Scene, glow: float) -> Iterator[Room]:
    """A room with the camera running, the display switched on and a browser, the computer still off."""
    profile = Profile(game.name, tuple(true_views(scene)), (97,), "drawn", rules=game.rules, way_round=WayRound.SAID)
    (folder / "board.toml").write_text(profiles.dump_profile(profile), encoding="utf-8")
    with SharedBoard() as board:
        film = Film(scene, board, load_default_map(game.name, game.board), glow)
        film.picture(0)  # where the squares are takes seconds
        with mjpeg("127.0.0.1", film.picture) as (camera, _), browser() as driver:
            room = Room(folder, game, film, board, camera)
            room.driver = driver
            try:
                yield room
            finally:
                room.cut()
