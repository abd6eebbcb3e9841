"""How a cell looks in a light of the LEDs, learned by looking: what was dark a moment ago, and is so lit, is so dark.

Glow on the rims and gloss of pieces, on what light shines through, and beside the cell follows no rule that would be
the same for all boards. But it is the same each time the same light comes: a blink shows both.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.glow import FOLLOWS, NOISE_LEVELS, Flags, Float32s

KEPT_LIGHTS = 4
"""Lights of a cell and its neighbours whose looks are remembered, the latest."""


TOGETHER_PX = 3
"""Pixels each way that are compared together."""


@dataclass
class _Look:
    """How a cell's box looks in a light and without, each (h, w, 3), and for which pixels that is known."""

    lit: Float32s
    unlit: Float32s
    known: Flags


@dataclass
class LitLooks:
    """Of one cell. Mutable."""

    _looks: dict[bytes, _Look] = field(default_factory=dict)
    """By the colours of the cell and its neighbours; the latest last."""
    _last: tuple[bytes, Float32s] | None = None
    """The newest picture in which the cell was lit, until it is dark."""

    def __contains__(self, light: bytes) -> bool:
        return light in self._looks

    def see_unlit(self, now: Float32s) -> None:
        """The cell is dark in this picture: so looked what was lit in the one before."""
        if self._last is not None:
            light, lit = self._last
            self._store_look(light, _Look(lit, now, np.ones(now.shape[:2], bool)))
            self._last = None

    def recall_glow(self, light: bytes, now: Float32s, unlit: Float32s) -> tuple[Flags, Float32s]:
        """Which pixels look as they did before in that light, while their dark look is the same too; and the glow."""
        look = self._looks.get(light)
        if look is None:
            return np.zeros(now.shape[:2], bool), np.zeros_like(now)
        return look.known & _pixels_alike(now, look.lit) & _pixels_alike(unlit, look.unlit), look.lit - look.unlit

    def learn_lit(self, light: bytes, now: Float32s, unlit: Float32s, known: Flags) -> None:
        """In this light the pixels `known` look like `now`, and like `unlit` without; in none that has no name."""
        if not light:
            return
        self._last = (light, now)
        look = self._looks.get(light)
        if look is None:
            if known.any():
                self._store_look(light, _Look(now.copy(), unlit.copy(), known.copy()))
            return
        again = look.known & _pixels_alike(now, look.lit)
        step = np.where(known, np.where(again, FOLLOWS, 1.0), 0.0).astype(np.float32)[..., None]
        look.lit, look.unlit = look.lit + step * (now - look.lit), look.unlit + step * (unlit - look.unlit)
        look.known |= known

    def apply_room_light(self, factor: Float32s) -> None:
        """The room has become brighter by this (3,): the glow is what it was."""
        for look in self._looks.values():
            change = look.unlit * (factor - 1)
            look.lit, look.unlit = look.lit + change, look.unlit + change
        self._last = None

    def _store_look(self, light: bytes, look: _Look) -> None:
        self._looks.pop(light, None)
        self._looks[light] = look
        while len(self._looks) > KEPT_LIGHTS:
            del self._looks[next(iter(self._looks))]


def _pixels_alike(one: Float32s, other: Float32s) -> Flags:
    """Where two pictures (h, w, 3) show the same; of noise a few pixels together have less than each."""
    return np.asarray(np.abs(cv2.blur(one - other, (TOGETHER_PX, TOGETHER_PX))).max(axis=2) <= NOISE_LEVELS)
