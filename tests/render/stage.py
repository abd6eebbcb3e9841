"""The table as a recording goes on: where every piece stands, the light, the camera, and one Frame for each picture.

The stage knows what is physically where (a captured piece stands beside the board, a carried one is in no cell) and
what the game says; the two differ in the middle of moves and after wrong ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.game import Game, Position
from tests.render.scene import (
    RIM,
    THICKNESS,
    Camera,
    Cup,
    Floats,
    Hand,
    Light,
    Scene,
    Setting,
    Standing,
    cell_xy,
    corners,
    extent,
    margin,
    middle,
)
from tests.render.styles import CUPS, SKINS, SLEEVES

CARELESSNESS = 0.06
"""Standard deviation of a piece's place about the middle of its cell, in cells."""
KNOCKED = 0.38
"""How far from the middle a brushed piece stands."""
CARRIED = 1.1
"""Height at which pieces are carried."""
GRIP = 0.72
"""Where fingers hold a piece, as a part of its height."""
QUIET_S, MOVING_S = (0.9, 1.9), (0.25, 0.7)
BUMP_TURN_RAD, BUMP_SHIFT = 0.006, 0.06
BUMP_LEAST = 0.004
"""A bump moves the board by at least this part of the picture's width, or it would be none."""
SHAKE_PX, HAND_BLUR_PX = 9.0, (0.0, 18.0)
"""Motion blur at a picture 1280 wide."""
ROOM_BESIDE = 1.3
"""From the rim to where captured pieces stand."""


@dataclass(frozen=True)
class Frame:
    """One picture to take, and what is true of it. `cells`: cell -> code physically; `logical`: as the game says."""

    scene: Scene
    t: float
    kind: str
    note: str
    phase: str | None
    side: str | None
    ply: int
    camera: int
    cells: dict[str, str]
    logical: dict[str, str]
    where: dict[str, int | str]
    """Piece name -> its cell's index, or "table", or "held"."""


@dataclass
class Stage:
    """Everything that changes. `frames` grows; the caller says what happens."""

    game: Game
    setting: Setting
    cameras: list[Camera]
    light: Light
    rng: np.random.Generator
    t: float = 0.0
    ply: int = 0
    frames: list[Frame] = field(default_factory=list)
    standing: dict[str, Standing] = field(default_factory=dict)
    where: dict[str, int | str] = field(default_factory=dict)
    logical: dict[str, str] = field(default_factory=dict)
    cup: Cup | None = None
    beside: dict[int, int] = field(default_factory=dict)
    """Seat -> how many pieces it has captured."""

    # --- pieces ---

    def set_up(self, position: Position) -> None:
        """Every piece of the position on its cell."""
        for number, cell in enumerate(c for c, code in enumerate(position.placement) if code):
            code = position.placement[cell]
            text = self.game.codes[code]
            name = f"{text}{number}"
            look = self.game.looks[self.game.look_of[code]]
            turn = float(self.rng.uniform(0, 360))
            self.standing[name] = Standing(name, text, look, text[-1], (0.0, 0.0, 0.0), turn)
            self.put(name, cell)
        self.agree(position)

    def agree(self, position: Position) -> None:
        """The game now says this."""
        codes = self.game.codes
        self.logical = {self.game.board.cells[c]: codes[code] for c, code in enumerate(position.placement) if code}

    def at(self, cell: int) -> str:
        """Name of the piece on a cell."""
        return next(name for name, place in self.where.items() if place == cell)

    def put(self, name: str, cell: int, off: float = CARELESSNESS) -> None:
        """Onto a cell, by hand: near its middle, turned anyhow."""
        x, y = np.array(cell_xy(self.game.board, cell)) + np.clip(self.rng.normal(0, off, 2), -2.2 * off, 2.2 * off)
        turn = float(self.rng.uniform(0, 360))
        self.standing[name] = replace(self.standing[name], xyz=(float(x), float(y), 0.0), turn_deg=turn, toppled=False)
        self.where[name] = cell

    def knock(self, name: str, topple: bool) -> None:
        """Brushed: off its middle, or lying down."""
        cell = self.where[name]
        angle = self.rng.uniform(0, 2 * np.pi)
        away = (0.12 if topple else KNOCKED) * np.array([np.cos(angle), np.sin(angle)])
        x, y = np.array(cell_xy(self.game.board, int(cell))) + away
        turn = float(self.rng.uniform(0, 360))
        if topple:  # the foot stays near, the head lies across the cell
            x, y = np.array([x, y]) - 0.3 * np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
        self.standing[name] = replace(self.standing[name], xyz=(float(x), float(y), 0.0), turn_deg=turn, toppled=topple)

    def lift(self, name: str, xy: Floats) -> None:
        """Into the air, in no cell."""
        self.standing[name] = replace(self.standing[name], xyz=(float(xy[0]), float(xy[1]), CARRIED), toppled=False)
        self.where[name] = "held"

    def take_off(self, name: str, seat: int) -> None:
        """Beside the board, at the right hand of who captured it."""
        count = self.beside.get(seat, 0)
        self.beside[seat] = count + 1
        out = self.seat_axis(seat)
        right = np.array([-out[1], out[0]])
        half = np.array(extent(self.game.board)) / 2 + margin(self.game.board) + RIM + ROOM_BESIDE
        base = np.array(middle(self.game.board)) + right * (np.abs(right) @ half) + out * (np.abs(out) @ half) * 0.45
        spot = base + right * 0.75 * (count % 3) + out * 0.8 * (count // 3) + self.rng.normal(0, 0.12, 2)
        place = (float(spot[0]), float(spot[1]), -THICKNESS)
        self.standing[name] = replace(self.standing[name], xyz=place, toppled=False)
        self.where[name] = "table"

    def seat_axis(self, seat: int) -> Floats:
        """From the middle of the board to where a player sits, a unit vector on the table."""
        start = self.game.start().placement
        own = [cell_xy(self.game.board, c) for c, code in enumerate(start) if code and self.game.seat_of[code] == seat]
        out = np.mean(own, axis=0) - np.array(middle(self.game.board))
        return np.asarray(out / max(float(np.linalg.norm(out)), 1e-9), float)

    # --- pictures ---

    def quiet(self, note: str, shaken: bool = False) -> int:
        """A picture without hands; its number."""
        return self._take("quiet", note, shaken=shaken)

    def moving(self, phase: str, seat: int, xy: Floats, held: str | None = None) -> int:
        """A picture with a player's hand at a place, perhaps with a piece in it; its number."""
        if held:
            self.lift(held, np.asarray(xy, float))
        out = self.seat_axis(seat)
        tip = CARRIED + GRIP * self.setting.scale if held else GRIP + float(self.rng.uniform(0.0, 0.5))
        angle = float(np.degrees(np.arctan2(out[1], out[0])) + self.rng.normal(12, 12))
        width = self.cameras[-1].size_wh[0] / 1280
        look = (self.setting.seed + 3 * seat) % 97
        hand = Hand(
            (float(xy[0]), float(xy[1]), tip),
            angle,
            SKINS[(look + seat) % len(SKINS)],
            SLEEVES[look % len(SLEEVES)],
            float(self.rng.uniform(*HAND_BLUR_PX)) * width,
            float(self.rng.uniform(0, 180)),
        )
        return self._take("moving", phase, side=self.game.seats[seat], hand=hand, held=held)

    def empty(self) -> int:
        """A picture of the board before the pieces are set up; its number."""
        return self._take("empty", "empty board")

    def _take(
        self,
        kind: str,
        note: str,
        *,
        side: str | None = None,
        hand: Hand | None = None,
        held: str | None = None,
        shaken: bool = False,
    ) -> int:
        self.t += float(self.rng.uniform(*(MOVING_S if kind == "moving" else QUIET_S)))
        number = len(self.frames)
        camera = self.cameras[-1]
        scene = Scene(
            self.setting,
            camera,
            self.light,
            tuple(self.standing.values()),
            hand,
            held,
            self.cup,
            SHAKE_PX * camera.size_wh[0] / 1280 if shaken else 0.0,
            seed=number,
        )
        board = self.game.board
        cells = {board.cells[p]: self.standing[n].code for n, p in self.where.items() if isinstance(p, int)}
        self.frames.append(
            Frame(
                scene=scene,
                t=round(self.t, 2),
                kind=kind,
                note=note,
                phase=note if hand else None,
                side=side,
                ply=self.ply,
                camera=len(self.cameras) - 1,
                cells=cells,
                logical=dict(self.logical),
                where=dict(self.where),
            )
        )
        return number

    # --- the room ---

    def bump(self) -> list[float]:
        """Someone touches the camera's stand: mean shift of the board's corners in pixels (x, y), turn in degrees."""
        before, grid = self.cameras[-1], corners(self.game.board, 0.0)
        a = b = before.project(grid)
        while np.linalg.norm((b - a).mean(axis=0)) < BUMP_LEAST * before.size_wh[0]:
            after = before.turned(self.rng.normal(0, BUMP_TURN_RAD, 3), self.rng.normal(0, BUMP_SHIFT, 3))
            b = after.project(grid)
        self.cameras.append(after)
        turn = np.degrees(np.arctan2(*(b[1] - b[0])[::-1]) - np.arctan2(*(a[1] - a[0])[::-1]))
        return [*map(float, (b - a).mean(axis=0)), float(turn)]

    def place_cup(self) -> None:
        """A mug on the table beside the board, on the side away from the camera's middle so that it hides no cell."""
        board = self.game.board
        w, h = extent(board)
        camera = self.cameras[-1]
        edge = margin(board) + RIM + 2.6
        spots = [(-edge, h * 0.3), (w + edge, h * 0.7), (w * 0.3, h + edge), (w * 0.6, -edge)]
        far = sorted(spots, key=lambda s: -float(np.linalg.norm(camera.position[:2] - np.array(s))))
        chosen = far[int(self.rng.integers(0, 3))]
        self.cup = Cup(
            chosen,
            CUPS[int(self.rng.integers(len(CUPS)))],
            float(self.rng.uniform(0, 360)),
            float(self.rng.uniform(3, 4.5)),
        )

    def relight(self, **factors: Any) -> None:
        """Change the light's strengths (main, around, gain)."""
        self.light = replace(self.light, **factors)
