"""What is not the game: legs, a screen, a thing that moves far from the board; sleeves and soft shadows beside it.

Nothing here but the shadows ever touches the board or the margin of a cell round it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from tests.render.camera.conditions import Conditions
from tests.render.camera.spells import Spells, chance

Image = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

CELLS_A_SIDE = 8.0
"""A margin of one cell: the longest side of the board in the picture by this; no board has fewer cells along it."""
RESTS_S, AWAY_S = (15.0, 60.0), (4.0, 20.0)
"""How long a sleeve rests beside the board, and stays away."""
COMES_S = 0.5
FIDGET_PX, FIDGETS_S = 3.0, 6.0
SHADOW_S, SHADOW_EVERY_S = 5.0, 9.0
"""How long a shadow stays, and how often one comes."""
SHADOW_WIDE = 0.16
"""Spread of a shadow, as a part of the picture's width."""
SCREEN_S = 0.35
"""How often what a screen shows changes."""


@dataclass(frozen=True)
class Spot:
    """Free room in the picture: its middle, and how far it reaches."""

    xy: Floats
    reach_px: float


class Bystanders:
    """What else is in the pictures of a film. `corners_px` (N, 2): the board in them."""

    def __init__(self, conditions: Conditions, seed: int, size_wh: tuple[int, int], corners_px: Floats) -> None:
        self._c, self._seed = conditions, seed
        self._w, self._h = size_wh
        rng = chance(seed, "bystanders")
        self._free = free_room(size_wh, corners_px)
        self._spots = _spots(self._free, rng)
        self._tones = rng.uniform(25, 200, (8, 3))
        self._phases = rng.uniform(0, 2 * np.pi, 8)
        self._sleeves = []
        for n in range(conditions.sleeves):
            rests_s, away_s = float(rng.uniform(*RESTS_S)), float(rng.uniform(*AWAY_S))
            self._sleeves.append(Spells(rests_s + away_s, rests_s, seed, f"sleeve {n}", first=0.1))
        self._shadows = Spells(SHADOW_EVERY_S, SHADOW_S, seed, "shadows")
        self._corners = np.asarray(corners_px, float)
        cloth = chance(seed, "cloth").normal(0, 1, (256, 256)).astype(np.float32)
        self._cloth = cv2.GaussianBlur(cloth, (0, 0), 1.2) * 12

    @property
    def any(self) -> bool:
        """Whether there is anything to draw."""
        return bool(self._c.far or self._c.sleeves or self._c.shadow)

    def seen(self, image: Image, t: float) -> Image:
        """The picture with what is there at `t`."""
        if not self.any:
            return image
        image = image.copy()
        if self._c.shadow:
            self._shade(image, t)
        if self._spots:
            for name in self._c.far:
                {"thing": self._thing, "legs": self._legs, "screen": self._screen}[name](image, t)
            for n, spells in enumerate(self._sleeves):
                self._sleeve(image, t, n, spells)
        return image

    def _thing(self, image: Image, t: float) -> None:
        """Something square that goes to and fro between two free places, or about in one."""
        side = self._c.far_px
        a, b = self._spots[0], self._spots[min(1, len(self._spots) - 1)]
        way = 0.5 + 0.5 * np.sin(0.9 * t + self._phases[0])
        xy = a.xy + way * (b.xy - a.xy) + 0.4 * side * np.array([np.sin(2.3 * t), np.cos(1.7 * t)])
        half = side / 2
        sheet, cover, box = self._sheet(xy - half, xy + half)
        if box:
            sheet[:] = self._tones[0]
            sheet[:, : sheet.shape[1] // 2] = self._tones[1]
            self._lay(image, sheet, cover, box)

    def _legs(self, image: Image, t: float) -> None:
        """Two dark legs behind the table, that swing and shift."""
        for side in (-1, 1):
            spot = self._spots[2 % len(self._spots)]
            swing = np.sin(1.9 * t + side + self._phases[2]) * max(0.0, np.sin(0.23 * t + self._phases[3]) + 0.5)
            wide = 0.35 * self._c.far_px
            xy = spot.xy + np.array([side * 1.2 * wide + 0.6 * self._c.far_px * swing, 0.0])
            reach = np.array([wide, 2.5 * self._c.far_px])
            sheet, cover, box = self._sheet(xy - reach, xy + reach)
            if box:
                sheet[:] = self._tones[2] * 0.3
                self._lay(image, sheet, cover, box)

    def _screen(self, image: Image, t: float) -> None:
        """A screen whose picture changes several times a second."""
        spot = self._spots[3 % len(self._spots)]
        reach = np.array([0.8, 0.5]) * self._c.far_px
        sheet, cover, box = self._sheet(spot.xy - reach, spot.xy + reach)
        if box:
            shown = chance(self._seed, f"screen {int(t / SCREEN_S)}").uniform(30, 255, (4, 6, 3)).astype(np.float32)
            sheet[:] = cv2.resize(shown, sheet.shape[1::-1], interpolation=cv2.INTER_NEAREST)
            self._lay(image, sheet, cover, box)

    def _sleeve(self, image: Image, t: float, n: int, spells: Spells) -> None:
        """A forearm that lies on the table from the picture's edge to beside the board, and fidgets now and then."""
        number, since = spells.last(t)
        left = spells.length_s - since
        if since < 0 or left <= 0:
            return
        spot = self._spots[(number + n) % len(self._spots)]
        edge = self._edge_by(spot.xy)
        fidget = chance(self._seed, f"fidget {n} {number} {int(t / FIDGETS_S)}").normal(0, FIDGET_PX, 2)
        there = min(1.0, since / COMES_S, left / COMES_S)
        end = edge + (spot.xy - edge) * there + fidget
        wide = max(12, int(0.05 * self._w))
        low, high = np.minimum(edge, end) - wide, np.maximum(edge, end) + wide
        sheet, cover, box = self._sheet(low, high)
        if not box:
            return
        corner = np.array([box[1].start, box[0].start])
        cover[:] = 0
        a, b = ((point - corner).round().astype(int).tolist() for point in (edge, end))
        cv2.line(cover, a, b, 255, wide, cv2.LINE_AA)
        weave = np.resize(self._cloth, (*cover.shape, 1)) if cover.size <= self._cloth.size else np.zeros((1, 1, 1))
        sheet[:] = self._tones[4 + n % 4] * 0.8 + weave
        self._lay(image, sheet, cover, box)

    def _shade(self, image: Image, t: float) -> None:
        """A soft shadow on the table beside one of the board's corners, that comes and goes."""
        share = self._shadows.share(t)
        if share < 0:
            return
        number, _ = self._shadows.last(t)
        rng = chance(self._seed, f"shadow {number}")
        corner = self._corners[int(rng.integers(len(self._corners)))]
        spread = SHADOW_WIDE * self._w
        out = corner - self._corners.mean(axis=0)
        away = 2.2 * spread * (1 - self._c.shadow_near)
        xy = corner + out / max(float(np.linalg.norm(out)), 1e-9) * away
        depth = self._c.shadow * min(1.0, 3 * float(np.sin(np.pi * share)))
        low = np.clip(np.floor(xy - 3 * spread), 0, [self._w, self._h]).astype(int)
        high = np.clip(np.ceil(xy + 3 * spread), 0, [self._w, self._h]).astype(int)
        if (high - low < 2).any():
            return
        across, down = (np.exp(-(((np.arange(low[i], high[i]) - xy[i]) / spread) ** 2) / 2) for i in (0, 1))
        shade = (255 * (1 - depth * np.outer(down, across))).round().astype(np.uint8)
        box = (slice(low[1], high[1]), slice(low[0], high[0]))
        image[box] = cv2.multiply(image[box], cv2.merge([shade] * 3), scale=1 / 255)

    def _edge_by(self, xy: Floats) -> Floats:
        """The nearest point outside the picture."""
        x, y = xy
        edges = np.array([[-20, y], [self._w + 20, y], [x, -20], [x, self._h + 20]])
        return np.asarray(edges[np.argmin(np.linalg.norm(edges - xy, axis=1))], float)

    def _sheet(self, low: Floats, high: Floats) -> tuple[npt.NDArray[np.float32], Mask, tuple[slice, slice] | None]:
        """Empty colours and full cover of a box, cut off at the picture's edge; no box if nothing is left of it."""
        x0, y0 = (int(v) for v in np.clip(np.round(low), 0, [self._w, self._h]))
        x1, y1 = (int(v) for v in np.clip(np.round(high), 0, [self._w, self._h]))
        box = (slice(y0, y1), slice(x0, x1)) if x1 - x0 > 1 and y1 - y0 > 1 else None
        shape = (max(0, y1 - y0), max(0, x1 - x0))
        return np.zeros((*shape, 3), np.float32), np.full(shape, 255, np.uint8), box

    def _lay(self, image: Image, sheet: npt.NDArray[np.float32], cover: Mask, box: tuple[slice, slice]) -> None:
        """Over the picture, where there is free room."""
        alpha = cv2.multiply(cover, self._free[box], scale=1 / 255)[..., None].astype(np.float32) / 255
        part = image[box].astype(np.float32)
        image[box] = np.clip(part + (sheet - part) * alpha, 0, 255).round().astype(np.uint8)


def free_room(size_wh: tuple[int, int], corners_px: npt.ArrayLike) -> Mask:
    """255 where things may move: farther than a cell from the board; softer towards the edge of that."""
    w, h = size_wh
    corners = np.asarray(corners_px, np.float32).reshape(-1, 2)
    hull = cv2.convexHull(corners)[:, 0]
    cell = float(np.linalg.norm(hull - np.roll(hull, 1, axis=0), axis=1).max()) / CELLS_A_SIDE
    board = np.zeros((h, w), np.uint8)
    cv2.fillConvexPoly(board, np.round(hull).astype(np.int32), 255)
    away = cv2.distanceTransform(255 - board, cv2.DIST_L2, 5)
    return np.asarray(np.clip((away - cell - 1) * 80, 0, 255), np.uint8)


def _spots(free: Mask, rng: np.random.Generator) -> list[Spot]:
    """Up to six places with the most free room round them, in random order."""
    inside = cv2.copyMakeBorder((free > 250).astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    reach = cv2.distanceTransform(inside, cv2.DIST_L2, 5)[1:-1, 1:-1]
    found: list[Spot] = []
    for _ in range(6):
        _, most, _, (x, y) = cv2.minMaxLoc(reach)
        if most < 6:
            break
        found.append(Spot(np.array([x, y], float), most))
        cv2.circle(reach, (x, y), int(max(1.6 * most, 60)), 0.0, -1)
    return [found[int(n)] for n in rng.permutation(len(found))]
