"""Where a standing piece appears on the board plane, and which cells' pieces cover each other there.

A piece stands up and the camera looks at it obliquely. A point of it at height z above the cell appears on the
board plane further from the camera by z * D / (C - z), D being the camera's distance along the board and C its
height (similar triangles). So each cell gets a PATCH in its own axes, sideways and away from the camera: the base
of its piece lies at the patch's lower end and the rest of the piece above it, alike in every cell. The piece of a
nearer cell may lean over a patch and that of a farther cell begins in its upper part; `overlap` says where, so that
reading can tell a cell that is empty from one that is covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from calibration.view import Floats, View
from vision.ground import samples_at

PATCH_W, PATCH_H = 12, 24
PATCH_SIZE = PATCH_W * PATCH_H
HALF_WIDTH = 0.5
FRONT = 0.45
"""How far a patch reaches towards the camera from the centre of its cell, in cells."""
TALLEST = 1.25
"""Patches hold pieces up to this height, in cells: the knights of the reference recordings are 1.0 high, the kings
of the photographed chess set about 1.2."""
LONGEST_CELLS = 2.8
"""Patches reach at most this far behind a cell, in cells: where cameras under 27 degrees would need more. What leans
beyond a patch is taken for a piece of the cell it lies over. Raising it makes the patches of low cameras coarser, and
lowering it gives them heads that nothing explains. Fitted on 20 drawn set-ups from 28 to 35 degrees: of 18 that were
found 8 were taken as they stood with 1.8, 13 with 2.8 and 15 with 3.6, of which one is lost that 2.8 had."""
NEIGHBOUR_CELLS = LONGEST_CELLS + FRONT + HALF_WIDTH
"""Cells further apart than this (either axis) never overlap in a patch."""
SUBSAMPLES = 3
FOOTPRINTS_KEPT = 6
"""Levels whose geometry is kept: the three of the largest board, now and before it was moved."""

Mask = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Footprints:
    """Patch geometry of every cell of one level for one camera position."""

    sample_at: npt.NDArray[np.int64]
    """(cells, PATCH_H, PATCH_W) flat indices into the ground picture."""
    distance: Floats
    """(cells,) distance of the camera along the board: the nearer piece hides the farther."""
    behind_first: tuple[tuple[int, ...], ...]
    """For each cell the cells whose patches overlap with it, farthest from the camera first."""
    overlap: tuple[dict[int, npt.NDArray[np.int32]], ...]
    """overlap[c][j]: for each sample of c's patch its sample in j's patch; PATCH_SIZE where it lies outside."""
    sideways: Floats
    along: Floats
    foot_xy: Floats
    """The point of the board's plane under the camera."""
    camera_height: float
    camera_distance: float

    def piece_silhouette(self, radius: float, height: float, fat: float = 0.0) -> Mask:
        """Share of each patch sample covered by a piece of base `radius` and `height` in cells, (PATCH_H, PATCH_W).

        A turned piece: a base as wide as `radius` for the lowest fifth, then a body 0.62 as wide (the pawns and
        knights of the reference recordings measure 0.58 to 0.66). `fat` widens all of it.
        """
        step = (self.along[0] - self.along[-1]) / (PATCH_H - 1)
        fine_u = (np.arange(PATCH_W * SUBSAMPLES) + 0.5) / (PATCH_W * SUBSAMPLES) * 2 - 1
        fine_a = self.along[0] + step / 2 - (np.arange(PATCH_H * SUBSAMPLES) + 0.5) / SUBSAMPLES * step
        u, a = np.meshgrid(fine_u * HALF_WIDTH, fine_a)
        covered = np.zeros(u.shape, bool)
        for z in np.linspace(0, height, 12):
            wide = radius if z < 0.22 * height or height < 0.3 else radius * 0.62
            magnified = self.camera_height / (self.camera_height - z)
            lean = z * self.camera_distance / (self.camera_height - z)
            covered |= u**2 + (a - lean) ** 2 < ((wide + fat) * magnified) ** 2
        blocks = covered.reshape(PATCH_H, SUBSAMPLES, PATCH_W, SUBSAMPLES)
        return np.asarray(blocks.mean(axis=(1, 3)), np.float32)


def compute_footprints(view: View, centres_xy: Floats, shape: tuple[int, int]) -> Footprints:
    """Patch geometry for cells at `centres_xy` (N, 2); `shape` is the ground picture's."""
    return _cached_footprints(view, tuple(map(tuple, np.asarray(centres_xy, float).tolist())), shape)


@lru_cache(maxsize=FOOTPRINTS_KEPT)
def _cached_footprints(view: View, centres_xy: tuple[tuple[float, ...], ...], shape: tuple[int, int]) -> Footprints:
    """The same, computed once for those who see and those who read: it takes a tenth of a second."""
    centres = np.array(centres_xy)
    foot, height = view.camera_xyz[:2], float(view.camera_xyz[2])
    away = centres - foot
    distance = np.linalg.norm(away, axis=1)
    middle = centres.mean(axis=0) - foot
    along_board = float(np.linalg.norm(middle))
    # Straight above a cell "away" has no direction: lean on that of the whole board, or on the ranks.
    away = away + 0.5 * (middle / along_board if along_board > 1e-6 else np.array([0.0, 1.0]))
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    right = np.column_stack([away[:, 1], -away[:, 0]])
    reach = min(TALLEST * along_board / max(height - TALLEST, 0.5), LONGEST_CELLS - 0.3) + 0.3
    sideways = ((np.arange(PATCH_W) + 0.5) / PATCH_W * 2 - 1) * HALF_WIDTH
    along = np.linspace(reach, -FRONT, PATCH_H)
    points = (
        centres[:, None, None, :]
        + right[:, None, None, :] * sideways[None, None, :, None]
        + away[:, None, None, :] * along[None, :, None, None]
    )
    overlap = tuple(_patch_overlaps(c, points, centres, right, away, reach) for c in range(len(centres)))
    return Footprints(
        sample_at=samples_at(points, shape),
        distance=distance,
        behind_first=tuple(tuple(sorted(row, key=lambda j: -distance[j])) for row in overlap),
        overlap=overlap,
        sideways=sideways,
        along=along,
        foot_xy=foot,
        camera_height=height,
        camera_distance=along_board,
    )


def _patch_overlaps(
    c: int, points: Floats, centres: Floats, right: Floats, away: Floats, reach: float
) -> dict[int, npt.NDArray[np.int32]]:
    """For each cell whose patch shares ground with that of `c`: the sample in it for every sample of c."""
    near = np.flatnonzero(np.abs(centres - centres[c]).max(axis=1) <= NEIGHBOUR_CELLS)
    out: dict[int, npt.NDArray[np.int32]] = {}
    for j in near[near != c].tolist():
        offset = points[c] - centres[j]
        u, a = offset @ right[j], offset @ away[j]
        inside = (np.abs(u) < HALF_WIDTH) & (a < reach) & (a > -FRONT)
        if not inside.any():
            continue
        column = ((u / HALF_WIDTH + 1) / 2 * PATCH_W).astype(np.int32).clip(0, PATCH_W - 1)
        row = ((reach - a) / (reach + FRONT) * (PATCH_H - 1) + 0.5).astype(np.int32).clip(0, PATCH_H - 1)
        out[j] = np.where(inside, row * PATCH_W + column, PATCH_SIZE).ravel().astype(np.int32)
    return out
