"""What the pieces of this very set look like, learned from one picture of a known position.

For each piece number: a silhouette (base radius and height fitted to the picture) and the colour of every patch
sample inside it. Nothing is trained beforehand; the start position's pieces are the labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from vision.floor import FILLED_SD, SHADOW_DARKEST, STRANGE, Flags, density
from vision.footprint import PATCH_H, PATCH_SIZE, PATCH_W, Footprints, Mask
from vision.ground import Picture

Ints = npt.NDArray[np.int64]

RADII = (0.2, 0.24, 0.28, 0.32, 0.36, 0.4)
HEIGHTS = (0.05, 0.15, 0.3, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.05, 1.15, 1.25)
"""Base radii and heights tried, in cells: flat printed pieces to chess kings."""
USUAL_RADIUS, USUAL_HEIGHT = 0.3, 0.85
SAFE_RADIUS, SAFE_HEIGHT, SAFE_FAT = 0.36, 1.1, 0.06
"""A footprint that any piece fits into: no floor is learned inside it."""
PIECE_SHARE = 0.42
"""A sample belongs to a piece when it differs from the floor by more than this share of what the base differs."""
SOLID = 0.96
"""Chance that a sample inside the silhouette really shows the piece."""
LOOSE = 0.01
STRANGE_SHARE = 0.05
SHIFTS = tuple((dy, dx) for dy in range(-5, 6) for dx in range(-5, 6) if np.hypot(0.075 * dy, 0.083 * dx) < 0.425)
"""Patch samples by which a piece may stand off the centre: 0.42 cell to any side, less than half-way to the next."""
CENTRED = SHIFTS.index((0, 0))
SHIFT_COST = np.array([1.25 * np.log1p(0.5 * ((dy / 1.5) ** 2 + (dx / 1.3) ** 2)) for dy, dx in SHIFTS], np.float32)
"""Score that standing off the centre costs: pieces are put down within 0.1 cell, knocked ones further (heavy tail)."""
COLOUR_NOISE = 40.0
"""Variance added to learned colours: pieces turn, and light falls differently on another cell."""
ALIGNMENTS = 3
"""Rounds of averaging and aligning; the third changes shifts of one piece in twenty by one sample."""
TEMPERATURE = 12.0
"""Patch samples that count as one independent witness: neighbouring samples share blur, JPEG blocks and shading.
With 12, wrong cells of the two reference recordings had margins under 4 and right ones usually over 8."""


@dataclass(frozen=True)
class Template:
    """One piece number's look: `solid` (H, W) chance of showing the piece, mean and variance of colour (H, W, 3)."""

    piece: int
    solid: Mask
    mean: Picture
    variance: Picture


class Looks:
    """All templates with all shifts, stacked for evaluation. Index t * len(SHIFTS) + s."""

    def __init__(self, templates: Sequence[Template], look_of: Sequence[int]) -> None:
        """`look_of` maps piece numbers to looks."""
        self.templates = tuple(templates)
        self.look = np.array([look_of[t.piece] for t in templates])
        stacks: list[tuple[Mask, Picture, Picture]] = []
        for t in templates:
            for shift in SHIFTS:
                variance = shifted(t.variance, shift)
                stacks.append((shifted(t.solid, shift), shifted(t.mean, shift), np.where(variance == 0, 4e3, variance)))
        self.solid = np.stack([s[0].reshape(PATCH_SIZE) for s in stacks])
        self.mean = np.stack([s[1].reshape(PATCH_SIZE, 3) for s in stacks])
        variance = np.stack([s[2].reshape(PATCH_SIZE, 3) for s in stacks])
        self._precision = (1 / variance).astype(np.float32)
        self._scale = ((1 - STRANGE_SHARE) / np.sqrt((2 * np.pi) ** 3 * variance.prod(axis=-1))).astype(np.float32)

    def likelihood(self, patch: Picture, which: slice = slice(None)) -> Picture:
        """Density of a patch's samples (H, W, 3) under the stacked templates `which`: (templates, PATCH_SIZE)."""
        off = patch.reshape(1, PATCH_SIZE, 3) - self.mean[which]
        square = np.einsum("tpc,tpc->tp", off * off, self._precision[which])
        return np.asarray(self._scale[which] * np.exp(-0.5 * square) + STRANGE_SHARE * STRANGE, np.float32)

    @cached_property
    def first_of(self) -> dict[int, int]:
        """Piece number -> index of its centred template in the stack."""
        return {t.piece: i * len(SHIFTS) + CENTRED for i, t in enumerate(self.templates)}


def resampled(template: Template, had: Footprints, wanted: Footprints) -> Template:
    """The template in patches of another camera position: what leans out behind the base leans out more or less."""
    foot = USUAL_RADIUS
    stretch = (had.along[0] - foot) / (wanted.along[0] - foot)
    along = np.where(wanted.along > foot, foot + (wanted.along - foot) * stretch, wanted.along)
    rows = np.abs(had.along[None] - along[:, None]).argmin(axis=1)
    return Template(template.piece, template.solid[rows], template.mean[rows], template.variance[rows])


def shifted(values: Picture | Mask, shift: tuple[int, int]) -> Picture:
    """A patch moved by (rows, columns); what comes in from outside is 0."""
    dy, dx = shift
    if dy == 0 and dx == 0:
        return np.asarray(values, np.float32)
    out = np.zeros_like(values)
    h, w = values.shape[:2]
    out[max(dy, 0) : h + min(dy, 0), max(dx, 0) : w + min(dx, 0)] = values[
        max(-dy, 0) : h - max(dy, 0), max(-dx, 0) : w - max(dx, 0)
    ]
    return np.asarray(out, np.float32)


def safe_footprint(prints: Footprints) -> Flags:
    """Patch samples (H, W) that any piece in the cell might cover."""
    return np.asarray(prints.silhouette(SAFE_RADIUS, SAFE_HEIGHT, SAFE_FAT) > 0.05)


def visible_part(prints: Footprints, c: int, pieces: Ints, mask: Mask, nearer_only: bool) -> Flags:
    """Samples (H, W) of c's patch that no (nearer) standing piece with footprint `mask` covers."""
    padded = np.append(mask.ravel() > 0.2, False)
    out = np.ones(PATCH_SIZE, bool)
    for j in prints.behind_first[c]:
        if pieces[j] and (prints.distance[j] < prints.distance[c] or not nearer_only):
            out &= ~padded[prints.overlap[c][j]]
    return out.reshape(PATCH_H, PATCH_W)


def learn_looks(
    patches: Picture, floor: Picture, pieces: Ints, look_of: Sequence[int], prints: Footprints
) -> tuple[list[Template], npt.NDArray[np.bool_]]:
    """Templates from patches (cells, H, W, 3) of a known placement over a floor of the same shape.

    Also returns the mask (cells, H, W) of samples that no nearer piece hides.
    """
    occupied = np.flatnonzero(pieces)
    shade = ((patches * floor).sum(axis=-1) / ((floor * floor).sum(axis=-1) + 1)).clip(SHADOW_DARKEST + 0.05, 1.0)
    off = np.sqrt(((patches - floor * shade[..., None]) ** 2).sum(axis=-1))
    usual = prints.silhouette(0.33, 0.9)
    front = np.ones(off.shape, bool)
    alone = np.ones(off.shape, bool)
    for c in occupied.tolist():
        front[c] = visible_part(prints, c, pieces, usual, nearer_only=True)
        alone[c] = visible_part(prints, c, pieces, usual, nearer_only=False)
    looks = np.array([look_of[p] for p in pieces])
    base = prints.silhouette(0.25, 0.2) > 0.5
    contrast = {
        int(k): float(np.median(np.concatenate([off[c][base & front[c]] for c in occupied if looks[c] == k])))
        for k in sorted(set(looks[occupied]))
        if any((base & front[c]).any() for c in occupied if looks[c] == k)
    }
    shapes = _fit_shapes(off, alone, pieces, looks, contrast, prints)
    solid_of = {p: prints.silhouette(*shape) for p, shape in shapes.items()}
    placed = {int(c): (0, 0) for c in occupied}
    templates: list[Template] = []
    for _ in range(ALIGNMENTS):
        templates = _averaged(patches, front, pieces, look_of, solid_of, placed)
        stack = Looks(templates, look_of)
        for c in placed:
            placed[c] = _best_shift(stack, patches[c], floor[c], front[c], stack.first_of[int(pieces[c])] - CENTRED)
    return templates, front


def _averaged(
    patches: Picture,
    front: npt.NDArray[np.bool_],
    pieces: Ints,
    look_of: Sequence[int],
    solid_of: dict[int, Mask],
    placed: dict[int, tuple[int, int]],
) -> list[Template]:
    """Mean and variance of each piece number's patches, every one moved back by how far off the centre it stands."""
    centred = {c: shifted(patches[c], (-dy, -dx)) for c, (dy, dx) in placed.items()}
    seen = {c: shifted(front[c].astype(np.float32), (-dy, -dx)) > 0.5 for c, (dy, dx) in placed.items()}
    templates = []
    for piece in sorted(solid_of):
        inside = solid_of[piece] > 0.7
        same_look = [c for c in placed if look_of[pieces[c]] == look_of[piece]]
        core = np.concatenate([centred[c][seen[c] & inside] for c in same_look])
        if len(core) < PATCH_W:
            core = np.concatenate([centred[c][inside] for c in same_look])
        chosen = [c for c in placed if pieces[c] == piece]
        mine = np.stack([centred[c] for c in chosen])
        weight = (np.stack([seen[c] for c in chosen]) & (solid_of[piece] > 0.3))[..., None]
        usual_colour, spread = np.median(core, axis=0), core.var(axis=0) + COLOUR_NOISE
        mean = ((mine * weight).sum(axis=0) + usual_colour * 2) / (weight.sum(axis=0) + 2)
        variance = (((mine - mean) ** 2 * weight).sum(axis=0) + spread * 2) / (weight.sum(axis=0) + 2) + COLOUR_NOISE
        solid = (solid_of[piece] * SOLID + LOOSE).astype(np.float32)
        templates.append(Template(piece, solid, mean.astype(np.float32), variance.astype(np.float32)))
    return templates


def _best_shift(
    stack: Looks, patch: Picture, floor: Picture, seen: npt.NDArray[np.bool_], first: int
) -> tuple[int, int]:
    """How far off its centre the piece in a patch stands, by the templates `first`... of the stack."""
    which = slice(first, first + len(SHIFTS))
    solid = stack.solid[which]
    ground = density(patch, floor, np.full(patch.shape[:2], FILLED_SD**2)).ravel() + STRANGE_SHARE * STRANGE
    mixed = np.log((1 - solid) * ground + solid * stack.likelihood(patch, which))
    fits = mixed[:, seen.ravel()].sum(axis=1) / TEMPERATURE - SHIFT_COST
    return SHIFTS[int(np.argmax(fits))]


def _fit_shapes(
    off: Picture,
    alone: npt.NDArray[np.bool_],
    pieces: Ints,
    looks: Ints,
    contrast: dict[int, float],
    prints: Footprints,
) -> dict[int, tuple[float, float]]:
    """Base radius and height of each piece number that agree best with where the picture differs from the floor.

    Kinds are fitted over both sides together when they come in the same numbers (men with men), because a light
    piece on a light board shows little of its outline.
    """
    masks = [(r, h, prints.silhouette(r, h) - 0.5) for r in RADII for h in HEIGHTS]
    prior = np.array([2 * (h - USUAL_HEIGHT) ** 2 + 100 * (r - USUAL_RADIUS) ** 2 for r, h, _ in masks])
    scores: dict[int, npt.NDArray[np.floating]] = {}
    stack = np.stack([m for _, _, m in masks]).reshape(len(masks), -1)
    for piece in sorted(set(pieces[pieces > 0].tolist())):
        chosen = np.flatnonzero(pieces == piece)
        evidence = np.zeros(PATCH_SIZE)
        for c in chosen:
            reference = 0.8 * contrast.get(int(looks[c]), 40.0) + 8
            evidence += ((np.clip(off[c] / reference, 0, 1) - PIECE_SHARE) * alone[c]).ravel()
        scores[piece] = stack @ evidence / len(chosen)
    sides = sorted(set(looks[looks > 0].tolist()))
    by_look = {k: sorted({int(p) for p, q in zip(pieces, looks, strict=True) if q == k and p}) for k in sides}
    paired = len({len(kinds) for kinds in by_look.values()}) == 1
    shapes = {}
    for kinds in by_look.values():
        for rank, piece in enumerate(kinds):
            group = [other[rank] for other in by_look.values()] if paired else [piece]
            total = np.mean([scores[p] for p in group], axis=0) - prior
            best = masks[int(np.argmax(total))]
            shapes[piece] = (best[0], best[1])
    return shapes
