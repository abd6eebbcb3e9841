"""Do the pieces stand where the game expects them? Asked before anything is learned from a picture.

Each cell is compared with its donors' floor: a cell with a piece differs from it, a free cell does not. Nothing is
known yet about colours, so this tells occupied from free, and which side is the lighter one, but no more.
"""

from __future__ import annotations

import numpy as np

from vision.floor import beyond_shadow
from vision.outlines import SURELY_WITHIN, Ints, cover, visible_part
from vision.read import Reader
from vision.scene import Scene

CLEAR_TIMES, CLEAR_LEVELS = 2.5, 5.0
"""The more visible side must differ from the floor by this many times what free cells differ, and this many grey
levels more: 31 against 4 in the faintest of 15 start pictures, 4.5 against 2.5 on an empty board."""
FAINT_SHARE = 0.3
"""A cell with less than this share of what its like differ by, or than free cells do, is free."""
FREE_TIMES, HALF_HIDDEN = 2.0, 0.5
"""A cell with less than so many times what free cells differ by is free. Where pieces before it hide half of it, only
one with less than those: a white piece behind two others was called missing in 1 of 166 drawn games."""
PLAIN_TO_SEE = 25.0
"""Grey levels; white pieces on white squares differ by less and may not be missed by mistake."""
STRAY_LEVELS, STRAY_SHARE = 20.0, 0.5
FEW_WRONG = 0.25
"""Of the pieces; if no more seem to be missing they are compared with their like, not only with the floor. A dark piece
in the shadow of another on a dark square was called missing in 2 of 60 drawn games."""
LEAST_SAMPLES = 8
MOST_STRAY = 12
"""Free cells may be printed otherwise (castles), so some that differ are let pass."""


def wrong_cells(reader: Reader, pieces: Ints) -> list[int]:
    """Cells that do not agree with `pieces` in `reader`'s first picture; all occupied ones if unclear."""
    looks = np.array(reader.look_of)[pieces]
    difference = _difference(reader, pieces)
    free = difference[looks == 0]
    sides = [k for k in range(1, reader.look_count) if (looks == k).any()]
    usual = {k: float(np.median(difference[looks == k])) for k in sides}
    plain = float(np.median(free)) if len(free) else 0.0
    occupied = np.flatnonzero(looks).tolist()
    clearest = max(sides, key=lambda k: usual[k])
    if usual[clearest] < CLEAR_TIMES * plain + CLEAR_LEVELS or _swapped(reader, looks):
        return occupied
    # A white piece on a white square shows little: each is compared with its like on squares of the same colour.
    colour = reader.lattice.sum(axis=1) % 2
    wrong = []
    for c in occupied:
        alike = [d for d in occupied if looks[d] == looks[c] and colour[d] == colour[c]]
        expected = float(np.median(difference[alike]))
        like_floor = (FREE_TIMES if _shown(reader, pieces, c) > HALF_HIDDEN else 1.0) * plain
        if expected > PLAIN_TO_SEE and difference[c] < min(FAINT_SHARE * expected, like_floor):
            wrong.append(c)
    if len(wrong) <= FEW_WRONG * len(occupied):
        wrong = [c for c in wrong if not _looks_like_its_like(reader, looks, c)]
    limit = max(STRAY_LEVELS, STRAY_SHARE * usual[clearest])
    stray = [int(c) for c in np.flatnonzero(looks == 0) if difference[c] > limit]
    return sorted(wrong + (stray if wrong or len(stray) > MOST_STRAY else []))


def _looks_like_its_like(reader: Reader, looks: Ints, c: int) -> bool:
    """Whether the pieces of its look explain the patch of `c` better than a free cell does."""
    active = np.zeros(len(looks), bool)
    active[c] = True
    return int(np.argmax(Scene(reader, looks.copy(), active).afresh(c))) == int(looks[c])


def _shown(reader: Reader, pieces: Ints, c: int) -> float:
    """Which share of a piece on `c` the pieces before it leave to be seen."""
    body = reader.prints.silhouette(0.26, 0.45) > 0.6
    usual = dict.fromkeys(pieces.tolist(), cover(reader.prints.silhouette(*SURELY_WITHIN)))
    return float(visible_part(reader.prints, c, pieces, usual, nearer_only=True)[body].mean())


def shows(reader: Reader, pieces: Ints) -> bool:
    """Whether the pieces of the more visible side differ from the floor at all."""
    looks = np.array(reader.look_of)[pieces]
    difference = _difference(reader, pieces)
    usual = [float(np.median(difference[looks == k])) for k in sorted(set(looks.tolist()) - {0})]
    free = difference[looks == 0]
    plain = float(np.median(free)) if len(free) else 0.0
    return max(usual, default=0.0) >= CLEAR_TIMES * plain + CLEAR_LEVELS


def _difference(reader: Reader, pieces: Ints) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How far the part of each cell where a piece would stand is from its donors' floor, shadows apart.

    Samples that the expected piece of another cell may cover do not count.
    """
    patches = reader.patches
    floor = reader.floor.clean[reader.prints.sample_at]
    off = beyond_shadow(patches, floor)
    body = reader.prints.silhouette(0.26, 0.45) > 0.6
    usual = dict.fromkeys(pieces.tolist(), cover(reader.prints.silhouette(*SURELY_WITHIN)))
    out = np.zeros(len(off))
    for c in range(len(off)):
        seen = body & visible_part(reader.prints, c, pieces, usual, nearer_only=bool(pieces[c]))
        if seen.sum() >= LEAST_SAMPLES:
            out[c] = np.percentile(off[c][seen], 75)
        elif pieces[c]:
            out[c] = np.percentile(off[c][body], 75)
    return out


def _swapped(reader: Reader, looks: Ints) -> bool:
    """Whether the pieces called light are darker than those called dark (two sides only)."""
    if reader.look_count != 3 or not ((looks == 1).any() and (looks == 2).any()):
        return False
    base = reader.prints.silhouette(0.25, 0.3) > 0.6
    brightness = reader.patches[:, base].mean(axis=(1, 2))
    return bool(np.median(brightness[looks == 1]) < np.median(brightness[looks == 2]))
