"""White balance that jumps: how the colours of now become those in which the board is known, one way for all of it.

A gain for each channel is what lamps and exposure do. A camera that finds another white mixes channels as well: green
cells lose their red and white ones do not, so that no smooth light over the board explains both.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.sight.align import OUTLIER_SD, ROBUST_SD
from vision.sight.noise import Levels
from vision.sight.stillness import Flags

Mixing = npt.NDArray[np.float32]
"""(3, 4): what of each channel of now, and of 1, makes each channel of what is known."""

MIXED_SHARE, MIXED_TIMES, MIXED_LEVELS = 0.3, 3.0, 2.0
"""Another mixing of the colours is looked for when so large a share of the board is off in any even light by more than
so many times the noise and grey levels. Hands and sleeves hide less. Raising the share overlooks mixings that show on
one of two floors; lowering the others only costs time, as a mixing must explain what differs to be believed."""
ROUNDS = 8
LEAST_SD = 2.0
"""Grey levels: no deviation of a block is taken to be less."""
RIDGE = 1e-3
FULL = 255.0


def find_mixing(now: Levels, known: Levels, seen: Flags) -> Mixing:
    """The mixing that brings most of the blocks `now` (R, C, 3) to what is `known`, whatever the rest shows."""
    colours, wanted = now[seen].astype(np.float64), known[seen].astype(np.float64)
    if not len(colours):
        return np.eye(3, 4, dtype=np.float32)
    gain = np.median((wanted + 4.0) / (colours + 4.0), axis=0)
    found = np.vstack([np.diag(gain), np.zeros(3)])
    design = np.column_stack([colours, np.full(len(colours), FULL)])
    for _ in range(ROUNDS):
        off = wanted - design @ found
        size = np.abs(off).max(axis=1)
        scale = OUTLIER_SD * max(ROBUST_SD * float(np.median(size)), LEAST_SD)
        weighted = design * (1.0 / (1.0 + (size / scale) ** 2) ** 2)[:, None]
        normal = weighted.T @ design
        normal[np.arange(4), np.arange(4)] += RIDGE * np.diag(normal)
        found = found + np.linalg.solve(normal, weighted.T @ off)
    found[3] *= FULL
    return np.asarray(found.T, np.float32)


def apply_mixing(picture: Levels, by: Mixing | None) -> Levels:
    """A picture (H, W, 3) in the colours in which the board is known."""
    return picture if by is None else np.maximum(np.asarray(cv2.transform(picture, by), np.float32), 0.0)
