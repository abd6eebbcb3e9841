"""Evening out the light: how much brighter each cell is now than when its floor was remembered."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibration.view import Floats
from vision.ground import Picture, find_median_colours

Gains = npt.NDArray[np.float32]

DARK_LEVEL = 4.0
"""Grey levels added to both sides of a ratio, so that black squares do not decide it."""
STEADY_GAIN = 0.05
"""Camera exposure flickers by about 1 % (reference recordings); beyond 5 % the light itself changed and may have
come from another direction, so that a slope over the board is fitted as well."""
OUTLIER = 0.12
LIGHT_CHANGED = 0.15
"""A change by more than this share is reported. The lamps of the reference recordings change it by 25-60 %."""

SAME_PATTERN = 0.75
"""Correlation from which two patches show the same thing in different light: 95 of 100 pieces that stayed are above 0.8
when the lamp of a drawn game goes on or off, a piece and an empty cell of its colour are under 0.64 in 199 of 200."""
PLAIN_SD = 4.0
"""Standard deviation in grey levels under which a patch has no pattern to compare."""


def estimate_gains(patches: Picture, floor: Picture, empty: npt.NDArray[np.bool_], centres_xy: Floats) -> Gains:
    """Brightness now over brightness remembered, (cells, 3), smooth over the board; from the `empty` cells."""
    if empty.sum() < 6:
        return np.ones((len(patches), 3), np.float32)
    ratio = find_median_colours((patches[empty] + DARK_LEVEL) / (floor[empty] + DARK_LEVEL))
    usual = np.median(ratio, axis=0)
    if np.abs(usual - 1).max() < STEADY_GAIN:
        return np.broadcast_to(usual.astype(np.float32), (len(patches), 3))
    span = centres_xy - centres_xy.mean(axis=0)
    span = span / max(float(np.abs(span).max()), 1.0)
    terms = np.column_stack([np.ones(len(span)), span, span**2, span[:, :1] * span[:, 1:]])
    out = np.empty((len(patches), 3), np.float32)
    log_ratio = np.log(ratio)
    for channel in range(3):
        keep = np.ones(len(ratio), bool)
        solution = np.zeros(terms.shape[1])
        for _ in range(4):
            solution = np.linalg.lstsq(terms[empty][keep], log_ratio[keep, channel], rcond=None)[0]
            off = np.abs(terms[empty] @ solution - log_ratio[:, channel])
            keep = off <= max(OUTLIER, float(np.median(off)) * 2)
        out[:, channel] = np.exp((terms @ solution).clip(-2, 2))
    return out


def patterns_alike(patches: Picture, remembered: Picture, part: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether patches (N, H, W, 3) show the pattern of those remembered, however bright: (N,).

    `part` (N, H, W) counts. Colours count as well: red on green is no pattern in grey.
    """
    share = (part / np.maximum(part.sum(axis=(1, 2), keepdims=True), 1))[..., None]

    def off_mean(picture: Picture) -> Picture:
        return np.asarray(picture - (picture * share).sum(axis=(1, 2), keepdims=True))

    now, before = off_mean(patches), off_mean(remembered)
    spread = [np.sqrt((p * p * share).sum(axis=(1, 2, 3)) / 3) for p in (now, before)]
    together = (now * before * share).sum(axis=(1, 2, 3)) / 3
    return np.asarray((np.minimum(*spread) > PLAIN_SD) & (together > SAME_PATTERN * spread[0] * spread[1]))
