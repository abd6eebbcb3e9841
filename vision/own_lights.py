"""The board's own LEDs taken out of a camera's picture: what is lit is known, so a lit square need not look changed.

Of each cell that may be lit in a frame every pixel is explained in the simplest way that fits: as it was before, lit or
not; else as bare floor that is lit; else it is left as it is, for pieces and hands hide the glow of what they stand on.
How bright each cell glows in the picture is measured whenever its light comes up under an open square, and what another
cell has taught serves for one that has not been seen alone. docs/hardware.md has the measurements that decided it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import View
from engine.board import Board
from vision.ground import Image

Colour = tuple[int, int, int]
"""Red, green, blue of an LED as it is sent, 0 to 255."""
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

GLOW_REACH_CELLS = 0.06
"""How far beyond its edge a cell's glow is looked for: outlines are found to a pixel or two."""
NOISE_LEVELS, NOISE_SHARE = 9.0, 0.1
"""A pixel is explained if it is within so many grey levels, and that share of the glow, of what is expected: three
times the noise of an evening. Raising them takes faint pieces for glow, lowering them leaves rims of glow."""
FLOOR_LEVELS = 18.0
"""The same for a pixel that is compared with how such floor usually looks, in the light or in a shadow: boards have
grain and lamps are uneven."""
SHADES = (0.45, 1.1)
"""Shares of its usual light that floor has in a hand's shadow, and where a lamp is nearer."""
LEAST_LEVELS = 5.0
"""A glow that changes the picture by less is none that could be measured, or disturb."""
ALIKE = 0.6
"""Share of a cell that must have come up by the same light before it counts as an open square that glows; a hand or a
piece does not change so much of it so evenly, and not in the LED's colour."""
SOME, GAIN_APART = 3, 1.4
"""Once so many cells are measured, one that glows by that factor more or less was not an open square: LEDs under
one diffuser differ by a fifth. Raising it believes what hands do beside the lights, lowering it leaves uneven boards
lit."""
STRONG = 40
"""An LED's channel with less than this tells nothing of how strongly the camera sees it."""
FULL_LEVEL = 248
"""A channel of the picture from here on is full: how much light came cannot be told."""
DARKER = 0.03
"""Share of a cell, its lines and grain, that shows more of a glow than the rest does where that is full."""
MOST_GLOW_LEVELS = 90.0
"""So bright a full LED may make the picture: measured, 0.35 levels for a level leave all plies of the bundled game, 1.0
on its pale board none, because most of the picture is full. Raising it makes lights that are seen in the sun."""
DAZZLED = 0.3
"""Share of the light while it is only known that it fills the picture: enough for players, and it can be measured."""
STEADY = 1.15
"""By such a factor the light that is borne must change to be changed: each change is a picture more to be explained."""
PARTS = (0.25, 0.5, 0.75)
"""Shares of a glow that a frame may show whose exposure saw the light change."""
FOLLOWS, GAIN_FOLLOWS = 0.05, 0.1
"""Share of a new frame in how a cell looks unlit, and in how strongly it glows, while it is lit."""
FLOORS, SELDOM = 7, 4
"""So many looks of a bare cell are remembered, of each fourth picture; the middle one is believed, as a hand or its
shadow may lie over some for a second."""


@dataclass
class _Cell:
    """What is known of one cell; colours are BGR, as the picture's."""

    box: tuple[slice, slice]
    inside: Flags
    floors: list[Floats] = field(default_factory=list)
    gain: Floats | None = None
    """(3,) levels of the picture for one level of the LED."""
    bound: bool = False
    """Whether the picture was full, so that it may glow more strongly than that."""

    @property
    def floor(self) -> Floats | None:
        """(3,) how it looks bare and unlit, None while that was never seen."""
        return np.median(np.array(self.floors), axis=0) if self.floors else None


class OwnLights:
    """One camera over one board. Mutable, owned by who looks at its frames."""

    def __init__(self, board: Board, views: Sequence[View]) -> None:
        self._board, self._views = board, views
        self._cells: list[_Cell] = []
        self._unlit: Image | None = None
        """The newest picture, but of each lit cell how it looked when it was not."""
        self._gain: Floats | None = None
        self._pictures = 0
        self.bearable = 1.0
        """Share of their light, up to 1, with which the LEDs leave enough of the picture to be taken out of it."""

    @property
    def gain(self) -> float:
        """Levels of the picture for one level of an LED, the mean of the channels; 0 while unknown."""
        return 0.0 if self._gain is None else float(self._gain.mean())

    def cleaned(self, image: Image, lit: Sequence[Sequence[Colour]], bare: Flags) -> Image:
        """The picture (H, W, 3) BGR as it would be without the LEDs.

        `lit` are the colours of all cells in each state that the LEDs may have had while it was taken, oldest first;
        `bare` (cells,) tells on which no piece is believed to stand.
        """
        if not self._cells:
            self._cells = [self._placed(cell, image.shape) for cell in range(len(self._board.cells))]
        states = np.array(lit, np.float32).reshape(len(lit), len(self._cells), 3)[..., ::-1]
        may = np.asarray(states.any(axis=(0, 2)) if len(states) else np.zeros(len(self._cells)), bool)
        if self._unlit is None or self._unlit.shape != image.shape or not may.any():
            self._unlit = image.copy()
            self._remember(image, bare & ~may)
            return image
        out, lasting = image.copy(), image.copy()
        before = self._unlit
        for cell in np.flatnonzero(may):
            one = self._cells[cell]
            out[one.box], lasting[one.box] = self._clean(int(cell), out[one.box], before[one.box], states[:, cell])
        self._remember(image, bare & ~may)
        self._unlit = lasting
        return out

    def _placed(self, cell: int, shape: tuple[int, ...]) -> _Cell:
        """Where a cell is in the picture."""
        board = self._board
        wide = np.array(board.outline_xy) * (1 + 2 * GLOW_REACH_CELLS)
        outline = self._views[board.levels[cell]].project(np.array(board.centres_xy[cell]) + wide)
        corner, end = np.floor(outline.min(axis=0)).astype(int), np.ceil(outline.max(axis=0)).astype(int) + 1
        (left, top), (right, bottom) = corner.clip(0), end.clip(1, (shape[1], shape[0]))
        left, top = min(left, right - 1), min(top, bottom - 1)
        inside = np.zeros((bottom - top, right - left), np.uint8)
        cv2.fillPoly(inside, [np.round(outline - (left, top)).astype(np.int32)], (1,))
        return _Cell((slice(int(top), int(bottom)), slice(int(left), int(right))), inside.astype(bool))

    def _remember(self, image: Image, cells: Flags) -> None:
        """How these cells look bare and unlit."""
        self._pictures += 1
        if self._pictures % SELDOM != 1:
            return
        for cell in np.flatnonzero(cells):
            one = self._cells[cell]
            one.floors.append(np.median(image[one.box][one.inside], axis=0).astype(np.float32))
            del one.floors[:-FLOORS]

    def _clean(self, cell: int, picture: Image, unlit: Image, states: Floats) -> tuple[Image, Image]:
        """The box of a cell without glow, and how it looks unlit as far as is known; `unlit` is how it did before,
        `states` (n, 3) are the colours of its LED."""
        one, now, before = self._cells[cell], picture.astype(np.float32), unlit.astype(np.float32)
        colours = np.unique(states[states.any(axis=1)], axis=0)
        changes = len(np.unique(states, axis=0)) > 1
        if changes:
            self._learn(one, now - before, now, colours)
        gain = one.gain if one.gain is not None else self._gain
        if gain is None:
            return picture, unlit
        floor = self._floor(cell)
        base = np.median(before[one.inside], axis=0) if floor is None else floor
        known, glow = self._as_before(one, now, before, gain, colours, changes)
        looks, as_floor = self._as_floor(now, base, gain, colours)
        full = now >= FULL_LEVEL
        out = np.where(full & (glow > 0), _alike(now - glow, before, full), now - glow)
        out = np.where((~known & looks)[..., None], as_floor, out)
        out = np.where(one.inside[..., None], out, now).clip(0, 255)
        lasting = np.where((glow.max(axis=2) > 0)[..., None], before + FOLLOWS * (out - before), before)
        lasting = np.where((~known & looks)[..., None], out, lasting)
        lasting = np.where(one.inside[..., None], lasting, now)
        if one.gain is not None and not changes:
            glows = known & one.inside & (glow.max(axis=2) > 0) & (now.max(axis=2) < FULL_LEVEL)
            self._follow(one, now - before, colours[0], glows)
        return np.rint(out).astype(np.uint8), np.rint(lasting).astype(np.uint8)

    @staticmethod
    def _as_before(
        one: _Cell, now: Floats, before: Floats, gain: Floats, colours: Floats, changes: bool
    ) -> tuple[Flags, Floats]:
        """Which pixels are as before, lit or not, and the glow (h, w, 3) of those that are lit."""
        error = np.abs(now - before).max(axis=2)
        glow, known = np.zeros_like(now), error <= NOISE_LEVELS
        for colour in colours:
            fits = []
            for share in (1.0, *PARTS) if changes else (1.0,):
                light = share * gain * colour
                fits.append((np.abs(now - np.minimum(before + light, 255)).max(axis=2), light))
            within = [int((far[one.inside] <= NOISE_LEVELS).sum()) for far, _ in fits]
            far, light = fits[int(np.argmax(within))]
            better = (far < error) & (far <= NOISE_LEVELS + NOISE_SHARE * light.max())
            glow[better], known = light, known | better
            error = np.where(better, far, error)
        return known, glow

    @staticmethod
    def _as_floor(now: Floats, floor: Floats, gain: Floats, colours: Floats) -> tuple[Flags, Floats]:
        """Which pixels look like lit floor, in the light or in a shadow, and how that is unlit."""
        least = _far_from(now, np.zeros(3, np.float32), floor)[0]
        looks, unlit = np.zeros(now.shape[:2], bool), now.copy()
        for colour in colours:
            light = gain * colour
            far, shade = _far_from(now, light, floor)
            fits = (far < least) & (far <= FLOOR_LEVELS)
            better = np.asarray(cv2.medianBlur(fits.astype(np.uint8), 5), bool)
            bare = np.where(now >= FULL_LEVEL, shade[..., None] * floor, now - light)
            unlit[better], looks = bare[better], looks | better
            least = np.where(better, far, least)
        return looks, unlit

    def _floor(self, cell: int) -> Floats | None:
        """How the cell looks bare and unlit: as it was seen, else as the nearest one of its shade."""
        if (own := self._cells[cell].floor) is not None:
            return own
        board = self._board
        like = [
            other
            for other, one in enumerate(self._cells)
            if one.floors and (board.tones[other], board.levels[other]) == (board.tones[cell], board.levels[cell])
        ]
        if not like:
            return None
        here = np.array(board.centres_xy[cell])
        return self._cells[min(like, key=lambda other: float(np.abs(board.centres_xy[other] - here).sum()))].floor

    def _learn(self, one: _Cell, change: Floats, now: Floats, colours: Floats) -> None:
        """How strongly the cell glows, where its LED has just come up under an open square in one of these colours."""
        least = max([float(bound.mean()) for bound in (one.gain, self._gain) if bound is not None], default=0.0)
        measured = [_measured(change[one.inside], now[one.inside], colour) for colour in colours]
        likely = [found for found in measured if found is not None and found[0].mean() > least / GAIN_APART]
        if len(likely) != 1:  # a strong light that is dimmed looks like a weak one that is not
            return
        gain, bound = likely[0]
        others = self._gains()
        if len(others) >= SOME:
            usual = float(np.median(np.array(others)))
            if not usual / GAIN_APART < float(gain.mean()) < usual * GAIN_APART:
                return
        # A frame may have seen a part of the light only.
        if one.gain is None or (one.bound and not bound) or gain.mean() > one.gain.mean():
            one.gain, one.bound = gain, bound
        self._gain = np.median(np.array(self._gains() or self._gains(True)), axis=0).astype(np.float32)
        self._bear()

    def _bear(self) -> None:
        """How much light is borne by what is known now; steady while that hardly changes."""
        bearable = DAZZLED if not self._gains() else min(1.0, MOST_GLOW_LEVELS / max(255 * self.gain, 1e-09))
        if not 1 / STEADY < bearable / self.bearable < STEADY:
            self.bearable = bearable

    def _gains(self, bounds: bool = False) -> list[Floats]:
        """Those that were measured, or those of which only a bound is known."""
        return [one.gain for one in self._cells if one.gain is not None and one.bound == bounds]

    @staticmethod
    def _follow(one: _Cell, change: Floats, colour: Floats, glows: Flags) -> None:
        """Lamps and exposure drift: so does how strongly a cell glows."""
        strong = colour >= STRONG
        if one.gain is None or glows.sum() < ALIKE * one.inside.sum() or not strong.any():
            return
        gains = np.median(change[glows], axis=0)[strong] / colour[strong]
        one.gain[strong] += GAIN_FOLLOWS * (gains - one.gain[strong])


def _alike(under: Floats, before: Floats, full: Flags) -> Floats:
    """What a full channel would be without glow: as before, as much brighter or darker as the others have become."""
    told = np.where(full, 0.0, 1.0)
    share = ((under * told).sum(axis=2) + 1.0) / ((before * told).sum(axis=2) + 1.0)
    return np.asarray(before * share[..., None].clip(*SHADES), np.float32)


def _far_from(now: Floats, light: Floats, floor: Floats) -> tuple[Floats, Floats]:
    """How far each pixel (h, w) is from shaded floor with that light on it, and how much shaded that is."""
    under, full = now - light, now >= FULL_LEVEL
    weights = np.where(full, 0.0, floor * floor)
    shade = (np.where(full, 0.0, under * floor).sum(axis=2) + 1.0) / (weights.sum(axis=2) + 1.0)
    shade = shade.clip(*SHADES).astype(np.float32)
    off = under - shade[..., None] * floor
    return np.where(full, np.maximum(off, 0.0), np.abs(off)).max(axis=2), shade


def _measured(change: Floats, now: Floats, colour: Floats) -> tuple[Floats, bool] | None:
    """How strongly an LED glows in the pixels (n, 3) of a cell that it has changed, and whether that is only a bound;
    None where something else, or something besides, has changed them."""
    light, full = np.median(change, axis=0), np.median(now, axis=0) >= FULL_LEVEL
    strong = colour >= max(STRONG, float(colour.max()) / 2)
    told = strong & ~full
    if light.max() < LEAST_LEVELS or not strong.any() or full.all() or (light[strong] < LEAST_LEVELS).any():
        return None
    slack = NOISE_LEVELS + NOISE_SHARE * float(light.max())
    alike = float((np.abs(change - light)[:, ~full].max(axis=1) <= slack).mean())
    gains = light[strong] / colour[strong]
    uneven = bool(told.any()) and float((light[told] / colour[told]).min()) < 0.5 * float(gains.max())
    others = np.abs(light - float(gains.mean()) * colour)[~strong & ~full]
    if alike < ALIKE or uneven or (others > slack).any():
        return None
    found = np.full(3, gains.max() if full.any() else gains.mean(), np.float32)
    found[told] = light[told] / colour[told]
    for channel in np.flatnonzero(strong & full):  # lines and grain are darker, and show more of it
        found[channel] = max(found[channel], np.quantile(change[:, channel], 1 - DARKER / 2) / colour[channel])
    return found, bool(full.any())
