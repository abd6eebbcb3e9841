"""By how much each cell differs from its own past, in multiples of what the median cell of the same picture does.

A lamp, an exposure, shake and noise change all cells alike and so are no change at all. Two measures are taken after
the light around each cell has been evened out: grey levels, and how little the patterns have in common. What they
mean in nats was fitted by logistic regression on seven photographed and three path-traced games.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import Floats
from vision.ground import find_median_colours, sum_channels
from vision.taught.patches import Patches, PicturePatches

LIT_ALIKE_CELLS = 2.6
"""The light is evened over the cells whose centres are so near, either axis: five by five."""
DARK_NOISE_LEVELS = 4.0
"""Added to levels before their ratio is taken: in the dark it is noise."""
LEAST_CHANGE_LEVELS, LEAST_UNLIKE = 1.0, 0.02
"""Differences of the median cell are not taken for smaller than this: two frames of a perfect camera differ by less."""
FLAT_VARIANCE = 16.0
"""Squared grey levels of pattern under which a patch is flat, and alike to any other flat one."""
AT_NO_CHANGE, PER_LEVELS, PER_UNLIKE, SOFT = -5.91, 1.61, 1.87, 0.3
"""Nats that a cell has changed: the first, and the next two times the logarithms of the two measures plus the last.
Fitted; leaving any one source out moves the answer for its unchanged and changed cells by less than half a nat. Of
unchanged cells one in a hundred reaches 0 to 3 nats (5 in tight crops with hands), of changed ones 95 exceed 2 to 5."""
MOST_CHANGE_NATS = 7.0
WITHOUT_RIM = slice(1, -1)

Nats = npt.NDArray[np.float32]


class Neighbourhood:
    """Which cells of a level are lit as each one is."""

    def __init__(self, centres_xy: Floats) -> None:
        apart = np.abs(centres_xy[:, None] - centres_xy[None]).max(axis=2)
        near = [np.flatnonzero(row < LIT_ALIKE_CELLS) for row in apart]
        most = max(map(len, near))
        self._near = np.array([np.pad(cells, (0, most - len(cells)), mode="edge") for cells in near])
        """(cells, most) the cells around each, itself among them; rows of fewer are filled up with their last one."""
        self._counts = np.arange(most) < np.array([len(cells) for cells in near])[:, None]

    def light_factors(self, now: Patches, before: Patches, seen: npt.NDArray[np.bool_]) -> Nats:
        """(cells, 3) by how much brighter each cell's surroundings were in `before`, as a factor."""
        ratio = np.log(
            (find_median_colours(before) + DARK_NOISE_LEVELS) / (find_median_colours(now) + DARK_NOISE_LEVELS)
        ).astype(np.float64)
        everywhere = np.median(ratio[seen], axis=0) if seen.any() else np.zeros(3)
        around = seen[self._near] & self._counts
        count = around.sum(axis=1)
        # One sorted table for all cells: a median of each by itself costs five times as much.
        ordered = np.sort(np.where(around[..., None], ratio[self._near], np.inf), axis=1)
        middle = np.stack([(count - 1) // 2, count // 2], axis=1).clip(0)[..., None]
        middles = np.take_along_axis(ordered, middle, axis=1).mean(axis=1)
        out = np.where(count[:, None] > 0, middles, everywhere)
        return np.exp(out).astype(np.float32)


def change_nats(now: PicturePatches, before: PicturePatches, light: Nats, seen: npt.NDArray[np.bool_]) -> Nats:
    """(cells,) the log-likelihood ratio that a cell holds something else than `before`; 0 where it is not `seen`.

    `light` (cells, 3) is `Neighbourhood.light_factors`.
    """
    if not seen.any():
        return np.zeros(len(seen), np.float32)
    even = light[:, None, None]
    levels = np.abs(now.smooth * even - before.smooth)[:, WITHOUT_RIM, WITHOUT_RIM].mean(axis=(1, 2, 3))
    unlike = _pattern_unlikeness(_grey_pattern(now.sharp * even), _grey_pattern(before.sharp))
    by_levels = levels / max(float(np.median(levels[seen])), LEAST_CHANGE_LEVELS)
    by_pattern = np.maximum(unlike, 0.0) / max(float(np.median(unlike[seen])), LEAST_UNLIKE)
    nats = AT_NO_CHANGE + PER_LEVELS * np.log(by_levels + SOFT) + PER_UNLIKE * np.log(by_pattern + SOFT)
    return np.where(seen, np.clip(nats, -MOST_CHANGE_NATS - 1, MOST_CHANGE_NATS), 0.0).astype(np.float32)


def _grey_pattern(patches: Patches) -> npt.NDArray[np.float32]:
    """Grey patches without their mean."""
    grey = sum_channels(patches) / np.float32(3)
    # All patches below each other as one picture: a call for each costs more than the smoothing. Rims are left out.
    smooth = cv2.blur(grey.reshape(-1, grey.shape[2]), (3, 3)).reshape(grey.shape)[:, WITHOUT_RIM, WITHOUT_RIM]
    return np.asarray(smooth - smooth.mean(axis=(1, 2), keepdims=True), np.float32)


def _pattern_unlikeness(one: npt.NDArray[np.float32], other: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """(cells,) one minus the correlation of patterns; flat ones are alike."""
    both, first, second = ((a * b).mean(axis=(1, 2)) for a, b in ((one, other), (one, one), (other, other)))
    return np.asarray(1 - (both + FLAT_VARIANCE) / np.sqrt((first + FLAT_VARIANCE) * (second + FLAT_VARIANCE)))
