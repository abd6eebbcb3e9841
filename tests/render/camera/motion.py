"""The camera moves: it trembles, sways with its stand, and is bumped now and then."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from tests.render.camera.conditions import Conditions
from tests.render.camera.spells import Spells, chance
from tests.render.sensor import streak

Image = npt.NDArray[np.uint8]

RINGS_S, RINGS_HZ = 0.35, 7.0
"""After a bump a stand swings for about so long, so fast."""
TURN_DEG = 0.25
"""By which a bump of ten pixels turns the picture, standard deviation."""
SMEARS_PX = 1.5
"""A camera that moves by more than this within a frame smears the picture."""
SHUTTER = 0.5
"""Part of the time between two frames for which the shutter is open."""
CUBIC = -0.6
"""Parameter of the cubic interpolation, so that pictures stay equally sharp at every part of a pixel."""


class Motion:
    """Shift and turn of a camera; at the first frame it stands where it stood for the recording."""

    def __init__(self, conditions: Conditions, seed: int) -> None:
        self._conditions, self._seed = conditions, seed
        self._rng = chance(seed, "shake")
        sway = chance(seed, "sway")
        self._phase = sway.uniform(0, 2 * np.pi, 2)
        self._slow = sway.uniform(0.8, 1.25, 2)
        self._bumps = Spells(conditions.bump_every_s, 1.0, seed, "bumps")
        self._last: npt.NDArray[np.float64] | None = None

    def stands(self, number: int) -> npt.NDArray[np.float64]:
        """Where the camera points after so many bumps: shift in pixels (x, y) and turn in degrees."""
        if number == 0 or self._conditions.bump_px == 0:
            return np.zeros(3)
        rng = chance(self._seed, f"bump {number}")
        angle, size = rng.uniform(0, 2 * np.pi), self._conditions.bump_px * rng.uniform(0.7, 1.0)
        turn = float(np.clip(rng.normal(0, TURN_DEG), -2 * TURN_DEG, 2 * TURN_DEG)) * min(size / 10, 8)
        return np.array([size * np.cos(angle), size * np.sin(angle), turn])

    def at(self, t: float) -> npt.NDArray[np.float64]:
        """Shift in pixels (x, y) and turn in degrees without the tremble."""
        c = self._conditions
        number, since = self._bumps.last(t) if c.bump_px else (0, 0.0)
        place = self.stands(number)
        if number:
            ringing = np.exp(-since / RINGS_S) * np.cos(2 * np.pi * RINGS_HZ * since)
            place = place + (self.stands(number - 1) - place) * 0.5 * ringing
        if c.sway_px:
            angles = 2 * np.pi * t / c.sway_s * self._slow
            swing = (np.sin(angles + self._phase) - np.sin(self._phase)) / 2
            place = place + np.array([*(c.sway_px * swing / np.sqrt(2)), 0.0])
        return place

    def seen(self, image: Image, t: float) -> Image:
        """The picture as the moving camera sees it."""
        c = self._conditions
        if not (c.shake_px or c.sway_px or c.bump_px):
            return image
        place = self.at(t)
        if c.shake_px and self._last is not None:
            off = np.clip(self._rng.normal(0, c.shake_px / 2, 2), -c.shake_px, c.shake_px)
            place = place + np.array([*off, 0.0])
        went = place - self._last if self._last is not None else np.zeros(3)
        self._last = place
        moved = _turned(image, place) if abs(place[2]) > 1e-3 else _shifted(image, float(place[0]), float(place[1]))
        smear = SHUTTER * float(np.hypot(went[0], went[1]))
        if smear <= SMEARS_PX:
            return moved
        angle = float(np.degrees(np.arctan2(went[1], went[0])))
        return np.asarray(cv2.filter2D(moved, -1, streak(min(smear, 40.0), angle)), np.uint8)


def _turned(image: Image, place: npt.NDArray[np.float64]) -> Image:
    h, w = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((w / 2, h / 2), float(place[2]), 1.0)
    matrix[:, 2] += place[:2]
    return np.asarray(cv2.warpAffine(image, matrix, (w, h), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _shifted(image: Image, dx: float, dy: float) -> Image:
    """By parts of pixels, several times as fast as a general warp."""
    whole_x, whole_y = int(np.floor(dx)), int(np.floor(dy))
    across, down = _taps(dx - whole_x), _taps(dy - whole_y)
    fine = cv2.sepFilter2D(image, -1, across, down, anchor=(2, 2), borderType=cv2.BORDER_REPLICATE)
    if not (whole_x or whole_y):
        return np.asarray(fine, np.uint8)
    h, w = image.shape[:2]
    dy, dx = max(-h, min(h, whole_y)), max(-w, min(w, whole_x))
    wide = cv2.copyMakeBorder(fine, abs(dy), abs(dy), abs(dx), abs(dx), cv2.BORDER_REPLICATE)
    return np.ascontiguousarray(wide[abs(dy) - dy :, abs(dx) - dx :][:h, :w])


def _taps(part: float) -> npt.NDArray[np.float32]:
    """Weights of the pixels from two before to one behind, for a shift by `part` of a pixel to the right."""
    a = CUBIC
    out = []
    for n in (-2, -1, 0, 1):
        d = abs(n + part)
        if d < 1:
            out.append((a + 2) * d**3 - (a + 3) * d**2 + 1)
        else:
            out.append(a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0)
    return np.array(out, np.float32) / np.float32(sum(out))
