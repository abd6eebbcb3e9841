"""How wide and how high the pieces of this very set are, from where a picture differs from the empty board.

Each level of a board tells something of it, and the pieces of both sides do: what is found is added up before an
outline is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.ground import Picture
from vision.reading.floor import Flags, beyond_shadow
from vision.reading.footprint import PATCH_H, PATCH_SIZE, PATCH_W, Footprints, Mask

Ints = npt.NDArray[np.int64]
BodySize = tuple[float, float]
"""Base radius and height in cells."""

RADII = (0.2, 0.24, 0.28, 0.32, 0.36, 0.4)
HEIGHTS = (0.05, 0.15, 0.3, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.05, 1.15, 1.25)
"""Base radii and heights tried, in cells: flat printed pieces to chess kings."""
OUTLINES: tuple[BodySize, ...] = tuple((r, h) for r in RADII for h in HEIGHTS)
USUAL_RADIUS, USUAL_HEIGHT = 0.3, 0.85
PRIOR = np.array([2 * (h - USUAL_HEIGHT) ** 2 + 100 * (r - USUAL_RADIUS) ** 2 for r, h in OUTLINES])
"""What an unusual outline costs: decides only where little of a piece stands out."""
PIECE_SHARE = 0.42
"""A sample belongs to a piece when it differs from the floor by more than this share of what the base differs."""
BARE_TIMES = 1.5
"""... and by more than so many times what bare cells differ from what their like would fill them with: on a board with
a strong grain, whose pieces are hardly another colour, all of it belonged to pieces, and men were as high as knights.
Raising it takes pieces for lower and thinner on such boards, lowering it for higher. Of 83 films of two outsiders it
changes nine, all of wood or dim: on five boards of one set men have 0.65 to 0.75 instead of 1.15. On 24 drawn set-ups
nothing changes, with 2 neither."""
USUAL_CONTRAST = 40.0
"""Grey levels by which a base differs from the floor, if no base is seen whole."""


SURELY_WITHIN: BodySize = (0.33, 0.9)
"""What a piece is taken to hide of others before its outline is known."""
FAT = 0.03
"""By how much wider than its outline a piece may be, in cells."""


@dataclass(frozen=True)
class Evidence:
    """How well each of OUTLINES agrees with the `count` pieces of one number in a picture, added up over them."""

    agreement: npt.NDArray[np.floating]
    count: int


def visible_samples(
    prints: Footprints, pieces: Ints, outlines: Mapping[int, BodySize], *, nearer_only: bool = True
) -> npt.NDArray[np.bool_]:
    """Samples (cells, H, W) of every patch that no (nearer) piece of its outline hides."""
    usual = covered_samples(prints.piece_silhouette(*SURELY_WITHIN))
    covers = {
        int(p): covered_samples(prints.piece_silhouette(*outlines[p], FAT)) if p in outlines else usual
        for p in set(pieces.tolist()) - {0}
    }
    out = np.ones((len(pieces), PATCH_H, PATCH_W), bool)
    for c in np.flatnonzero(pieces).tolist():
        out[c] = visible_part(prints, c, pieces, covers, nearer_only=nearer_only)
    return out


def covered_samples(mask: Mask) -> Flags:
    """(PATCH_SIZE + 1,) samples that a piece with such a footprint covers; the last one stands for all outside."""
    return np.append(mask.ravel() > 0.2, False)


def visible_part(prints: Footprints, c: int, pieces: Ints, covers: Mapping[int, Flags], *, nearer_only: bool) -> Flags:
    """Samples (H, W) of c's patch that no (nearer) standing piece covers; `covers` of each piece number."""
    out = np.ones(PATCH_SIZE, bool)
    for j in prints.behind_first[c]:
        if pieces[j] and (prints.distance[j] < prints.distance[c] or not nearer_only):
            out &= ~covers[int(pieces[j])][prints.overlap[c][j]]
    return out.reshape(PATCH_H, PATCH_W)


def gather_evidence(
    patches: Picture,
    floor: Picture,
    filled: Picture,
    pieces: Ints,
    look_of: Sequence[int],
    prints: Footprints,
    known: Mapping[int, BodySize],
) -> dict[int, Evidence]:
    """What patches (cells, H, W, 3) of a known placement over such a floor say about each piece number; `filled` is
    the floor of each cell as its like show it.

    Only where no other piece is, as far as their outlines are `known`.
    """
    occupied = np.flatnonzero(pieces)
    off = beyond_shadow(patches, floor)
    looks = np.array([look_of[p] for p in pieces])
    contrast = _base_contrasts(off, visible_samples(prints, pieces, known), looks, prints)
    alone = visible_samples(prints, pieces, known, nearer_only=False)
    bare = beyond_shadow(patches, filled)[pieces == 0][alone[pieces == 0]]
    masks = np.stack([prints.piece_silhouette(r, h) - 0.5 for r, h in OUTLINES]).reshape(len(OUTLINES), -1)
    found = {}
    for piece in sorted(set(pieces[occupied].tolist())):
        chosen = np.flatnonzero(pieces == piece)
        reference = 0.8 * contrast.get(look_of[piece], USUAL_CONTRAST) + 8
        usual = float(np.clip(bare / reference, 0, 1).mean()) if len(bare) else 0.0
        share = max(PIECE_SHARE, BARE_TIMES * usual)
        differs = np.zeros(PATCH_SIZE)
        for c in chosen:
            differs += ((np.clip(off[c] / reference, 0, 1) - share) * alone[c]).ravel()
        found[piece] = Evidence(masks @ differs, len(chosen))
    return found


def _base_contrasts(off: Picture, front: npt.NDArray[np.bool_], looks: Ints, prints: Footprints) -> dict[int, float]:
    """By how many grey levels the bases of each look differ from the floor."""
    base = prints.piece_silhouette(0.25, 0.2) > 0.5
    out = {}
    for look in sorted(set(looks[looks > 0].tolist())):
        seen = np.concatenate([off[c][base & front[c]] for c in np.flatnonzero(looks == look)])
        if len(seen):
            out[int(look)] = float(np.median(seen))
    return out


def fit_outlines(found: Sequence[Mapping[int, Evidence]], look_of: Sequence[int]) -> dict[int, BodySize]:
    """The outline of each piece number that agrees best with all evidence.

    Kinds are fitted over all sides together when they come in the same numbers (men with men), because a light piece
    on a light board shows little of its outline.
    """
    agreement: dict[int, npt.NDArray[np.floating]] = {}
    for piece in sorted({p for part in found for p in part}):
        parts = [part[piece] for part in found if piece in part]
        agreement[piece] = np.sum([p.agreement for p in parts], axis=0) / sum(p.count for p in parts)
    by_look: dict[int, list[int]] = {}
    for piece in agreement:
        by_look.setdefault(look_of[piece], []).append(piece)
    paired = len({len(kinds) for kinds in by_look.values()}) == 1
    outlines = {}
    for kinds in by_look.values():
        for rank, piece in enumerate(kinds):
            group = [other[rank] for other in by_look.values()] if paired else [piece]
            total = np.mean([agreement[p] for p in group], axis=0) - PRIOR
            outlines[piece] = OUTLINES[int(np.argmax(total))]
    return outlines
