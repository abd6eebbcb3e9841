"""What explains a pixel that an LED may light: its glow, a part of it, or lit floor. Knows no cells, remembers nothing.

All pictures are (h, w, 3) BGR, and so are colours.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Float32s = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

NOISE_LEVELS, NOISE_SHARE = 9.0, 0.1
"""A pixel is explained if it is within so many grey levels, and that share of the glow, of what is expected: three
times the noise of an evening. Raising them takes faint pieces for glow, lowering them leaves rims of glow."""
TOLD_LEVELS = 2 * NOISE_LEVELS
"""Between two pictures a light comes or goes by more than that, or it cannot be told from their noise."""
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
STRONG = 40
"""An LED's channel with less than this tells nothing of how strongly the camera sees it."""
FULL_LEVEL = 248
"""A channel of the picture from here on is full: how much light came cannot be told."""
DARKER = 0.03
"""Share of a cell, its lines and grain, that shows more of a glow than the rest does where that is full."""
FOLLOWS = 0.05
"""Share of a new frame in how a cell looks: dusk and lamps drift."""
PARTS = (0.25, 0.5, 0.75)
"""Shares of a glow that a frame may show whose exposure saw the light change."""


def explain_as_before(
    now: Float32s, before: Float32s, lights: list[Float32s], inside: Flags, *, parts: bool
) -> tuple[Flags, Float32s]:
    """Which pixels are as before, lit or not, and the glow (h, w, 3) of those that are lit by one of these lights;
    `parts`: the exposure may have seen a part of it."""
    error = np.abs(now - before).max(axis=2)
    glow, known = np.zeros_like(now), error <= NOISE_LEVELS
    for full in lights:
        fits = []
        for share in (1.0, *PARTS) if parts else (1.0,):
            light = share * full
            fits.append((np.abs(now - np.minimum(before + light, 255)).max(axis=2), light))
        within = [int((far[inside] <= NOISE_LEVELS).sum()) for far, _ in fits]
        far, light = fits[int(np.argmax(within))]
        better = (far < error) & (far <= NOISE_LEVELS + NOISE_SHARE * light.max())
        glow[better], known = light, known | better
        error = np.where(better, far, error)
    return known, glow


def explain_partly_lit(now: Float32s, before: Float32s, light: Float32s, most: float) -> tuple[Flags, Float32s]:
    """Which pixels are as before with any share up to `most` of a light on them, and that glow (h, w, 3).

    Rims of pieces hide a part of it, cells beside get a part, and so does what it shines through.
    """
    told = np.where(now >= FULL_LEVEL, 0.0, light)
    weight = (told * light).sum(axis=2)
    share = np.where(weight > 0, ((now - before) * told).sum(axis=2) / np.maximum(weight, LEAST_LEVELS), 1.0)
    glow = np.asarray(share.clip(0, most)[..., None] * light, np.float32)
    off = np.abs(now - np.minimum(before + glow, 255)).max(axis=2)
    return np.asarray(off <= NOISE_LEVELS + NOISE_SHARE * glow.max(axis=2)), glow


def count_changed_by(now: Float32s, last: Float32s, change: Float32s) -> tuple[int, int]:
    """How many pixels (h, w) have changed from the last picture to this one as light did, and by a part of it too."""
    come, gone = np.maximum(change, 0), np.maximum(-change, 0)
    far = np.abs(np.minimum(last + come, 255) - np.minimum(now + gone, 255)).max(axis=2)
    other = np.abs(now - last).max(axis=2) > TOLD_LEVELS
    whole = other & (far <= NOISE_LEVELS + NOISE_SHARE * float(np.abs(change).max()))
    part = (explain_partly_lit(now, last, come, 1.0) if come.any() else explain_partly_lit(last, now, gone, 1.0))[
        0
    ] & other
    return int(whole.sum()), int((whole | part).sum())


def explain_as_floor(now: Float32s, floor: Float32s, lights: list[Float32s]) -> tuple[Flags, Float32s]:
    """Which pixels look like lit floor, in the light or in a shadow, and how that is unlit."""
    least = _distance_from_floor(now, np.zeros(3, np.float32), floor)[0]
    looks, unlit = np.zeros(now.shape[:2], bool), now.copy()
    for light in lights:
        far, shade = _distance_from_floor(now, light, floor)
        fits = (far < least) & (far <= FLOOR_LEVELS)
        better = np.asarray(cv2.medianBlur(fits.astype(np.uint8), 5), bool)
        bare = np.where(now >= FULL_LEVEL, shade[..., None] * floor, now - light)
        unlit[better], looks = bare[better], looks | better
        least = np.where(better, far, least)
    return looks, unlit


def fill_full_channels(under: Float32s, before: Float32s, full: Flags) -> Float32s:
    """What a full channel would be without glow: as before, as much brighter or darker as the others have become."""
    told = np.where(full, 0.0, 1.0)
    share = ((under * told).sum(axis=2) + 1.0) / ((before * told).sum(axis=2) + 1.0)
    return np.asarray(before * share[..., None].clip(*SHADES), np.float32)


def _distance_from_floor(now: Float32s, light: Float32s, floor: Float32s) -> tuple[Float32s, Float32s]:
    """How far each pixel (h, w) is from shaded floor with that light on it, and how much shaded that is."""
    under, full = now - light, now >= FULL_LEVEL
    weights = np.where(full, 0.0, floor * floor)
    shade = (np.where(full, 0.0, under * floor).sum(axis=2) + 1.0) / (weights.sum(axis=2) + 1.0)
    shade = shade.clip(*SHADES).astype(np.float32)
    off = under - shade[..., None] * floor
    return np.where(full, np.maximum(off, 0.0), np.abs(off)).max(axis=2), shade


def measure_gain(change: Float32s, now: Float32s, colour: Float32s) -> tuple[Float32s, bool] | None:
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
