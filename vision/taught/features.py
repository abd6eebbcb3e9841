"""What of a cell's patch tells floor, light piece and dark piece apart: ten numbers, scaled to about one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.ground import find_median_colours, sum_channels
from vision.taught.patches import SIDE, Patches

FEATURES = 10
PATCH_RIM = SIDE // 8
"""Samples left out around a patch: the next cell's piece and the line between the cells show there."""
COLOUR_LEVELS, SPREAD_LEVELS, EDGE_LEVELS, EDGE_OCTAVES = 25.0, 12.0, 4.0, 3.0
"""Grey levels of typical colour, of spread and of edges that count as one, and the weight of the edges' logarithm.
Guessed once; the covariance that each picture teaches (vision.taught.looks_by_floor) takes their place but for its
ridge."""

Features = npt.NDArray[np.float32]
"""(cells, FEATURES)."""


def features_of(patches: Patches) -> Features:
    """Median colour, the darkest and lightest tenth, the spread of each channel, and the edges of each patch."""
    count = len(patches)
    middle = patches[:, PATCH_RIM:-PATCH_RIM, PATCH_RIM:-PATCH_RIM]
    flat = middle.reshape(count, -1, 3)
    grey = sum_channels(middle) / np.float32(3)
    across, along = np.abs(np.diff(grey, axis=1)).mean(axis=(1, 2)), np.abs(np.diff(grey, axis=2)).mean(axis=(1, 2))
    edges = (across + along)[:, None]
    ordered = np.sort(grey.reshape(count, -1), axis=1)
    tenth = ordered.shape[1] // 10
    return np.concatenate(
        [
            find_median_colours(flat) / COLOUR_LEVELS,
            ordered[:, [tenth, -1 - tenth]] / COLOUR_LEVELS,
            flat.std(axis=1) / SPREAD_LEVELS,
            edges / EDGE_LEVELS,
            EDGE_OCTAVES * np.log(edges + 0.5),
        ],
        axis=1,
    ).astype(np.float32)
