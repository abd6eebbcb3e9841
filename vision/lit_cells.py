"""One cell over an LED: where it is in the picture, how strongly it glows there, and how it looks without that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import View
from engine.board import Board
from vision.glow import ALIKE, FOLLOWS, FULL_LEVEL, STRONG, Flags, Float32s, explain_as_before, fill_full_channels
from vision.lit_looks import LitLooks

Motion = npt.NDArray[np.float64]
"""Where a board lies against where it was calibrated: (2, 3), in pixels of the picture."""

GLOW_REACH_CELLS = 0.06
"""How far beyond its edge a cell's own glow is looked for: outlines are found to a pixel or two."""
SPILL_CELLS = 1.5
"""Diffusers and boards let a part of the light through to cells whose middles are nearer than so many cells."""
ALL_KNOWN = 0.97
"""From that share of a cell on that looks as it did before in the same light, the rest is left as it is: looking for
other explanations of a few pixels costs more than they matter."""
GAIN_FOLLOWS = 0.1
"""Share of a new frame in how strongly a cell glows, while it is lit."""


@dataclass(frozen=True)
class Light:
    """What light a cell may have in a picture: its own colours (n, 3) and those of its neighbours, BGR, none of them
    dark; `name` tells one light from another where only one is possible, else it is empty; `comes`: it is just coming
    or going."""

    own: Float32s
    beside: Float32s
    name: bytes
    comes: bool

    def __bool__(self) -> bool:
        return bool(len(self.own) or len(self.beside))


@dataclass
class LitCell:
    """What is known of one cell; colours are BGR, as the picture's."""

    box: tuple[slice, slice]
    inside: Flags
    near: npt.NDArray[np.intp]
    """The cells that its light may reach, and whose light may reach it."""
    floors: list[Float32s] = field(default_factory=list)
    gain: Float32s | None = None
    """(3,) levels of the picture for one level of the LED."""
    bound: bool = False
    """Whether the picture was full, so that it may glow more strongly than that."""
    looks: LitLooks = field(default_factory=LitLooks)

    @property
    def floor_colour(self) -> Float32s | None:
        """(3,) how it looks bare and unlit, None while that was never seen."""
        return np.median(np.array(self.floors), axis=0) if self.floors else None

    def explain_pixels(self, now: Float32s, before: Float32s, light: Light, gain: Float32s) -> tuple[Flags, Float32s]:
        """Which pixels (h, w) look as they did before in that light, or are as before, lit or not; and the glow
        (h, w, 3) of those that are lit."""
        known, glow = self.looks.recall_glow(light.name, now, before)
        if float(known[self.inside].mean()) < ALL_KNOWN:
            lights = [np.asarray(gain * colour, np.float32) for colour in light.own]
            other, otherwise = explain_as_before(now, before, lights, self.inside, parts=not light.name)
            glow, known = np.where(known[..., None], glow, otherwise), known | other
        self.looks.learn_lit(light.name, now, before, known & self.inside)
        return known, np.where(known[..., None], glow, np.float32(0))

    @staticmethod
    def remove_glow(now: Float32s, before: Float32s, known: Flags, glow: Float32s) -> tuple[Float32s, Float32s]:
        """The picture without that glow, and how the cell looks unlit as far as is known."""
        full, glows = now >= FULL_LEVEL, known & (glow.max(axis=2) > 0)
        clean = np.where(full & (glow > 0), fill_full_channels(now - glow, before, full), now - glow)
        return clean, np.where(glows[..., None], before + FOLLOWS * (clean - before), before)

    def follow_gain(self, now: Float32s, before: Float32s, colour: Float32s, glows: Flags) -> None:
        """Lamps and exposure drift: so does how strongly a cell glows."""
        told, strong = glows & self.inside & (now.max(axis=2) < FULL_LEVEL), colour >= STRONG
        if self.gain is None or told.sum() < ALIKE * self.inside.sum() or not strong.any():
            return
        gains = np.median((now - before)[told], axis=0)[strong] / colour[strong]
        self.gain[strong] += GAIN_FOLLOWS * (gains - self.gain[strong])


def locate_cell(board: Board, cell: int, views: Sequence[View], moved: Motion, shape: tuple[int, ...]) -> LitCell:
    """Where a cell is in a picture of that shape, in which the board lies `moved` from the views."""
    wide = np.array(board.outline_xy) * (1 + 2 * GLOW_REACH_CELLS)
    outline = views[board.levels[cell]].project_points(np.array(board.centres_xy[cell]) + wide)
    outline = outline @ moved[:, :2].T + moved[:, 2]
    corner, end = np.floor(outline.min(axis=0)).astype(int), np.ceil(outline.max(axis=0)).astype(int) + 1
    (left, top), (right, bottom) = corner.clip(0), end.clip(1, (shape[1], shape[0]))
    left, top = min(left, right - 1), min(top, bottom - 1)
    inside = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillPoly(inside, [np.round(outline - (left, top)).astype(np.int32)], (1,))
    away = np.hypot(*(np.array(board.centres_xy) - board.centres_xy[cell]).T)
    near = np.flatnonzero((away < SPILL_CELLS) & (np.array(board.levels) == board.levels[cell]) & (away > 0))
    return LitCell((slice(int(top), int(bottom)), slice(int(left), int(right))), inside.astype(bool), near)
