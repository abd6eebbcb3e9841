"""What lies between camera and board: hands, sleeves, cups. A probability for every cell, never a veto.

What differs from the known board, and moves, or goes on without a break from the board to the rim of what is watched,
is no piece. It makes the cells around it unclear. What has not stirred for as long as hands ever rest is a thing that
belongs there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.sight.noise import Levels, Noise
from vision.sight.stillness import BLOCKS_PER_CELL, Flags, channel_maximum, channel_mean

OFF_TIMES, OFF_LEVELS = 5.0, 7.0
"""A block differs from the known board by more than so many times the usual noise and grey levels: small shadows and
glosses stay under it, skin and sleeves do not."""
RIM_BLOCKS = 2
"""Width of the rim that arms cross."""
ARM_CELLS2 = 1.0
"""Area beside the board, in cells, that an arm covers at least before it reaches the board."""
SPECK_BLOCKS = 3
"""Fewer moving blocks together are noise or a piece that settles."""
THIN_BLOCKS = 2
"""What is narrower than half a cell is no arm, and joins nothing to one: edges of pieces that stand a little otherwise,
or are seen from a little elsewhere, are one block wide. Raising it overlooks thin arms; lowering it makes one arm of
all that differs around the place where a hand has left the table: 6 plies of a photographed game were missed so."""
REST_S = 6.0
"""Hands do not rest over a board for so long without stirring."""
NEAR_CELLS, NEAR_MOVING_CELLS = 1.25, 1.0
"""A piece held in a hand is seen so far from the hand at most; cells nearer than this are not clear."""
GRASP_CELLS = 2.0
"""A piece in the fingers of a hand that is not over the board hangs so far from the hand at most. Raising it says plies
beside resting hands half a second later, lowering it says a piece that is held over a cell as put down there."""
SOME_SHARE = 0.25
"""A cell of which this share lies in the picture tells of the light there."""
PATTERN_BLOCKS, PATTERN_LEVELS, PATTERN_ALIKE = 5, 4.0, 0.75
"""Patterns are compared over a cell and a quarter; under so many grey levels of standard deviation there is none.
Patches that show the same thing in different light are above 0.8 in 95 of 100 (vision.reading.light.ALIKE)."""
LARGE_SHARE, LIGHT_SHARE = 0.25, 0.8
"""What lies over more than the first share of the board and lets the second share of its pattern through is a light or
its gloss on varnish, and no arm. Lowering the first lets the shadow around a small hand pass for a light, and a piece
in that hand for one that was put down; lowering the second lets an arm with a large shadow pass for a light."""
ARM_OF_BOARD, MOST_OF_BOARD, HIDES_SHARE = 0.4, 0.55, 0.5
"""An arm with its shadow seldom lies over more of a board than the first share, and never over more than the second:
what lies still over more is another light, unless it lets less than the third share of the pattern through. Lowering
the first or the third takes an arm over a small board for a light: of three such the pattern showed through 29 to 43 %,
and what stood under them was asked about. Raising them takes a lamp for an arm, which hides the board for seconds; with
0.7 as the second a head that sways over half of the board was said to come and go. Lamps of 12 hard films as before."""
BUMP_S = 0.4
"""What has been as it is since a bump, give or take so much, did not come as an arm does: it is the table or the rim of
the board, seen from a little elsewhere. A bumped table comes to rest in that time. Raising it overlooks arms that came
to rest soon after a bump, until they stir; lowering it takes for arms what the bump has moved."""
ONE_PIECE_SHARE = 0.85
"""What lies to this share where the piece of one cell is seen, is that piece, come or gone: before a low camera its
head reaches over the board's edge to the rim, as arms do. Raising it takes heads off the middle of their cells for arms
until REST_S is over, lowering it overlooks thin arms that reach away from the camera. Guessed; seen on a film from 32
degrees in which four plies were silent."""
LIGHT_CELLS = 5
"""The light is even over so many cells: the median over them is not moved by pieces and arms."""


@dataclass(frozen=True)
class BoardBlocks:
    """Flags of blocks (R, C): the board's `face`, and `bodies`, where pieces may be, also such as lean out of it: no
    arm is told by what is there. `pieces` (cells, R, C) flags for each cell what the largest piece covers that may
    stand there; `shows_pattern` has the two of that name, if it is asked for."""

    face: Flags
    bodies: Flags
    shows_pattern: Callable[[], tuple[Flags, Flags]]
    pieces: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Occluded:
    """Flags of blocks (R, C): what `moves`, with all that hangs together with it; what is an arm that `rests` over the
    board, or `beside` it; `off` differs from the known board."""

    moves: Flags
    rests: Flags
    beside: Flags
    off: Flags


def grow_blocks(flags: Flags) -> Flags:
    """The flags and a block around."""
    return np.asarray(cv2.dilate(flags.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)


def light_field(now: Levels, known: Levels, seen: Flags) -> Levels:
    """Brightness of the known board over that of now, smooth over the board, per channel: (R, C, 3)."""
    h, w = seen.shape
    size = (max(1, w // BLOCKS_PER_CELL), max(1, h // BLOCKS_PER_CELL))
    ratio = (known + 4.0) / (now + 4.0)
    if seen.all():
        coarse = cv2.resize(ratio, size, interpolation=cv2.INTER_AREA)
    elif seen.any():
        share = cv2.resize(seen.astype(np.float32), size, interpolation=cv2.INTER_AREA)
        total = cv2.resize(ratio * seen[..., None], size, interpolation=cv2.INTER_AREA)
        coarse = (total / np.maximum(share, SOME_SHARE)[..., None])[_nearest_seen(share > SOME_SHARE)]
    else:
        coarse = np.ones((*size[::-1], 3), np.float32)
    smooth = np.stack([cv2.medianBlur(np.ascontiguousarray(coarse[..., k]), LIGHT_CELLS) for k in range(3)], axis=-1)
    return np.asarray(cv2.resize(smooth.astype(np.float32), (w, h)), np.float32)


def _nearest_seen(seen: Flags) -> tuple[npt.NDArray[np.intp], ...]:
    """For each place (R, C) the row and column of the nearest one that is seen: the light goes on beyond it."""
    if not seen.any():
        return tuple(np.indices(seen.shape))
    _, labels = cv2.distanceTransformWithLabels(
        (~seen).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_PIXEL
    )
    at = np.argwhere(seen)
    of_label = np.zeros(int(labels.max()) + 1, np.intp)
    of_label[labels[seen]] = np.arange(len(at))
    nearest = at[of_label[labels]]
    return nearest[..., 0], nearest[..., 1]


def changed_blocks(even: Levels, known: Levels, noise: Noise, slope: Levels) -> Flags:
    """Blocks that are not as known, in the same light; `slope` is that of what is known."""
    limit = OFF_TIMES * noise.usual_deviation(channel_mean(known), slope) + OFF_LEVELS
    return np.asarray(channel_maximum(np.asarray(cv2.absdiff(even, known), np.float32)) > limit)


def shows_pattern(even: Levels, known: Levels) -> tuple[Flags, Flags]:
    """Where the known board has a pattern, chequers or pieces, and where it is seen through what has changed: (R, C).

    A light, however harsh, leaves the pattern; what lies over the board hides it.
    """
    kernel = (PATTERN_BLOCKS, PATTERN_BLOCKS)
    now, then = (level - cv2.blur(level, kernel) for level in (channel_mean(even), channel_mean(known)))
    together, spread, spread_then = (cv2.blur(a * b, kernel) for a, b in ((now, then), (now, now), (then, then)))
    patterned = np.asarray(spread_then > PATTERN_LEVELS**2)
    return patterned, patterned & np.asarray(together > PATTERN_ALIKE * np.sqrt(spread * spread_then))


def find_occluders(
    off: Flags, seen: Flags, board: BoardBlocks, fresh: Flags, age_s: Levels, bumped_s: float = math.inf
) -> Occluded:
    """What lies over the board where blocks are `off`; they are `age_s` old, and `fresh` ones move. The camera or the
    board was bumped `bumped_s` seconds ago."""
    face, bodies = board.face, board.bodies
    moves = _without_specks(fresh & seen)
    if not (moves.any() or off.any()):
        return Occluded(moves, np.zeros_like(moves), np.zeros_like(moves), off)
    changed = cv2.morphologyEx((_keep_thick(off) | moves).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    inner = cv2.erode(
        seen.astype(np.uint8),
        np.ones((2 * RIM_BLOCKS + 1,) * 2, np.uint8),
        borderType=cv2.BORDER_CONSTANT,
        borderValue=0,
    )
    rim = seen & (inner == 0)
    count, parts = cv2.connectedComponents(changed, connectivity=8)
    area = BLOCKS_PER_CELL**2
    over = np.bincount(parts[face], minlength=count)
    beside = np.bincount(parts[seen & ~face & ~bodies], minlength=count)
    at_rim = np.bincount(parts[rim & ~bodies], minlength=count)
    age = (
        np.array([np.median(age_s[parts == k]) if k else 0.0 for k in range(count)]) if count < 64 else np.zeros(count)
    )
    arm = (at_rim > 0) & (beside > ARM_CELLS2 * area) & (age < REST_S)
    arm &= np.abs(age - bumped_s) > BUMP_S
    moving = np.bincount(parts[moves], minlength=count) > 0
    arm &= over < MOST_OF_BOARD * int(face.sum())
    arm[0] = moving[0] = False
    aside, arm = arm & (over == 0), arm & (over > 0)
    for k in np.flatnonzero(arm):
        arm[k] = not _is_one_piece(parts == k, board.pieces)
    for k in np.flatnonzero(arm & (over > LARGE_SHARE * int(face.sum()))):
        patterned, shown = board.shows_pattern()
        here = (parts == k) & face & off & patterned
        light = LIGHT_SHARE if over[k] < ARM_OF_BOARD * int(face.sum()) else HIDES_SHARE
        arm[k] = int((here & shown).sum()) < light * max(int(here.sum()), 1)
    return Occluded(moving[parts], arm[parts], aside[parts], off)


def _is_one_piece(part: Flags, pieces: npt.NDArray[np.bool_]) -> bool:
    """Whether a part lies where the piece of one cell is seen, as good as all of it."""
    inside = (pieces & part).sum(axis=(1, 2))
    return bool(inside.max(initial=0) >= ONE_PIECE_SHARE * int(part.sum()))


def _keep_thick(flags: Flags) -> Flags:
    """What is at least THIN_BLOCKS wide each way."""
    kernel, last = np.ones((THIN_BLOCKS, THIN_BLOCKS), np.uint8), THIN_BLOCKS - 1
    inner = cv2.erode(flags.astype(np.uint8), kernel, anchor=(0, 0), borderValue=0)
    return np.asarray(cv2.dilate(inner, kernel, anchor=(last, last), borderValue=0) > 0)


def _without_specks(flags: Flags) -> Flags:
    if not flags.any():
        return flags
    _, parts, stats, _ = cv2.connectedComponentsWithStats(flags.astype(np.uint8), connectivity=8)
    large = stats[:, cv2.CC_STAT_AREA] >= SPECK_BLOCKS
    large[0] = False
    return np.asarray(large[parts])


def cells_near(flags: Flags, centres: npt.NDArray[np.int64], within_cells: float) -> npt.NDArray[np.bool_]:
    """(cells,) whether a cell's middle, at block `centres` (cells, 2) row and column, is so near to a flag."""
    if not flags.any():
        return np.zeros(len(centres), bool)
    away = cv2.distanceTransform((~flags).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_5)
    return np.asarray(away[centres[:, 0], centres[:, 1]] < within_cells * BLOCKS_PER_CELL)
