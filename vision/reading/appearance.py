"""What the pieces of this very set look like, learned from one picture of a known position.

For each piece number: a silhouette (vision.reading.outlines) and the colour of every patch sample inside it. Nothing is
trained beforehand; the start position's pieces are the labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from vision.ground import Picture
from vision.reading.floor import FILLED_SD, STRANGE, Flags, colour_density
from vision.reading.footprint import PATCH_SIZE, PATCH_W, Footprints, Mask
from vision.reading.outlines import USUAL_RADIUS, BodySize, visible_samples

Ints = npt.NDArray[np.int64]

SAFE_RADIUS, SAFE_HEIGHT, SAFE_FAT = 0.36, 1.1, 0.06
"""A footprint that any piece fits into: no floor is learned inside it."""
SOLID = 0.96
"""Chance that a sample inside the silhouette really shows the piece."""
LOOSE = 0.01
STRANGE_SHARE = 0.05
SAMPLE_CELLS = (0.075, 0.083)
"""Size of a patch sample in cells, along the patch and across it."""
SHIFTS = tuple(
    (dy, dx)
    for dy in range(-5, 6)
    for dx in range(-5, 6)
    if np.hypot(SAMPLE_CELLS[0] * dy, SAMPLE_CELLS[1] * dx) < 0.425
)
"""Patch samples by which a piece may stand off the centre: 0.42 cell to any side, less than half-way to the next."""
CENTRED = SHIFTS.index((0, 0))
OFF_CENTRE = np.hypot(*(np.array(SHIFTS) * SAMPLE_CELLS).T).astype(np.float32)
"""(shifts,) how far off the centre that is, in cells."""
SHIFT_COST = np.array([1.25 * np.log1p(0.5 * ((dy / 1.5) ** 2 + (dx / 1.3) ** 2)) for dy, dx in SHIFTS], np.float32)
"""Score that standing off the centre costs: pieces are put down within 0.1 cell, knocked ones further (heavy tail)."""
MIDDLE_LEVEL = 128.0
"""The grey level that all others are nearest to: where nobody knows a colour. Raising it finds dark pieces of unseen
sides less, lowering it bright ones. Half of the scale, not fitted."""
UNKNOWN_VARIANCE = 4e3
"""Of colours that come into a patch from outside."""
COLOUR_NOISE = 40.0
"""Variance added to learned colours: pieces turn, and light falls differently on another cell."""
ALIGNMENTS = 3
"""Rounds of averaging and aligning; the third changes shifts of one piece in twenty by one sample."""
ANY_VARIANCE = 1e4
"""Of the colours of a piece of which nobody knows how it looks: about as likely as a colour that nothing explains.
Raising it takes such a piece for a hand, lowering it finds one in every shadow. Set to that of STRANGE, and tried on
nine drawn boards in four lights: but for a green piece on a green board in the evening each was seen."""
FAINTEST = -60.0
"""Logarithm under which a density is none: beside STRANGE it counts for nothing, and numbers so small take three times
as long."""
TEMPERATURE = 12.0
"""Patch samples that count as one independent witness: neighbouring samples share blur, JPEG blocks and shading.
With 12, wrong cells of the two reference recordings had margins under 4 and right ones usually over 8."""


@dataclass(frozen=True)
class Template:
    """One piece number's look: `solid` (H, W) chance of showing the piece, mean and variance of colour (H, W, 3).
    `is_guess`: nobody has seen it."""

    piece: int
    solid: Mask
    mean: Picture
    variance: Picture
    is_guess: bool = False


class LookTemplates:
    """All templates with all shifts, stacked for evaluation. Index t * len(SHIFTS) + s."""

    def __init__(self, templates: Sequence[Template], look_of: Sequence[int]) -> None:
        """`look_of` maps piece numbers to looks. There may be no template: not all levels have pieces."""
        self.templates = tuple(templates)
        none, none_coloured = np.zeros((0, PATCH_SIZE), np.float32), np.zeros((0, PATCH_SIZE, 3), np.float32)
        self.solid = np.concatenate([none, *(_shift_everywhere(t.solid) for t in templates)])
        self.clear = 1 - self.solid
        self.mean = np.concatenate([none_coloured, *(_shift_everywhere(t.mean) for t in templates)])
        variance = np.concatenate([none_coloured, *(_shift_everywhere(t.variance) for t in templates)])
        variance[variance == 0] = UNKNOWN_VARIANCE
        self._scale = ((1 - STRANGE_SHARE) / np.sqrt((2 * np.pi) ** 3 * variance.prod(axis=-1))).astype(np.float32)
        # One array a channel: half the time of the sum over a short last axis.
        self._per_sd = np.ascontiguousarray(np.moveaxis(np.sqrt(0.5 / variance), -1, 0), np.float32)
        self._mean_in_sd = np.moveaxis(self.mean, -1, 0) * self._per_sd
        looks = np.repeat([look_of[t.piece] for t in templates], len(SHIFTS))
        self.of_look = {look: np.flatnonzero(looks == look) for look in sorted(set(looks.tolist()))}
        """Look -> indices of its templates."""
        self.guessed_looks = frozenset(look_of[t.piece] for t in templates if t.is_guess)
        """The looks of which nobody has seen a piece."""
        self.shift_cost = TEMPERATURE * np.tile(SHIFT_COST, len(templates))
        """(templates,) log-likelihood that each costs for standing off the centre."""

    def patch_likelihood(self, patch: Picture, which: slice = slice(None)) -> Picture:
        """Density of a patch's samples (H, W, 3) under the stacked templates `which`: (templates, PATCH_SIZE)."""
        likelihood: Picture = np.empty_like(self._scale[which])
        self._fill_likelihood(_samples_by_channel(patch), which, likelihood, np.empty_like(likelihood))
        return likelihood

    def solid_likelihoods(self, patches: Picture) -> list[Picture]:
        """Density of the samples of patches (N, H, W, 3) under all templates, times how solid each is there: N times
        (templates, PATCH_SIZE)."""
        out = [np.empty_like(self._scale) for _ in patches]  # one array of all would be taken from the system each time
        scratch, colours = np.empty((len(SHIFTS), PATCH_SIZE), np.float32), [_samples_by_channel(p) for p in patches]
        # A template with its shifts at a time, for all patches: so it stays in the processor's cache.
        for first in range(0, len(self._scale), len(SHIFTS)):
            which = slice(first, first + len(SHIFTS))
            for samples, likelihood in zip(colours, out, strict=True):
                self._fill_likelihood(samples, which, likelihood[which], scratch)
                likelihood[which] *= self.solid[which]
        return out

    def _fill_likelihood(self, samples: Picture, which: slice, out: Picture, scratch: Picture) -> None:
        """Write into `out` the density of samples (3, PATCH_SIZE) under templates; `scratch` has the same shape."""
        for channel, colour in enumerate(samples):
            off = scratch if channel else out
            np.multiply(self._per_sd[channel, which], colour, out=off)
            off -= self._mean_in_sd[channel, which]
            off *= off
            if channel:
                out += off
        np.negative(out, out=out)
        np.maximum(out, np.float32(FAINTEST), out=out)
        np.exp(out, out=out)
        out *= self._scale[which]
        out += np.float32(STRANGE_SHARE * STRANGE)

    @cached_property
    def first_of(self) -> dict[int, int]:
        """Piece number -> index of its centred template in the stack."""
        return {t.piece: i * len(SHIFTS) + CENTRED for i, t in enumerate(self.templates)}


def guess_template(piece: int, size: BodySize, prints: Footprints) -> Template:
    """What a piece may look like of which only its `size` is guessed: any colour may be its own."""
    solid = (prints.piece_silhouette(*size) * SOLID + LOOSE).astype(np.float32)
    mean = np.full((*solid.shape, 3), MIDDLE_LEVEL, np.float32)
    return Template(piece, solid, mean, np.full_like(mean, ANY_VARIANCE), is_guess=True)


def resample_template(template: Template, had: Footprints, wanted: Footprints) -> Template:
    """The template in patches of another camera position: what leans out behind the base leans out more or less."""
    foot = USUAL_RADIUS
    stretch = (had.along[0] - foot) / (wanted.along[0] - foot)
    along = np.where(wanted.along > foot, foot + (wanted.along - foot) * stretch, wanted.along)
    rows = np.abs(had.along[None] - along[:, None]).argmin(axis=1)
    return replace(template, solid=template.solid[rows], mean=template.mean[rows], variance=template.variance[rows])


def _samples_by_channel(patch: Picture) -> Picture:
    """A patch (H, W, 3) channel by channel: (3, PATCH_SIZE)."""
    return np.ascontiguousarray(patch.reshape(PATCH_SIZE, 3).T)


@cache
def _shifted_from() -> Ints:
    """(shifts, PATCH_SIZE) the sample from which each comes; PATCH_SIZE for what comes in from outside."""
    samples = np.arange(1, PATCH_SIZE + 1, dtype=np.float32).reshape(-1, PATCH_W)
    index = np.stack([shift_patch(samples, shift).reshape(-1) for shift in SHIFTS]).astype(np.int64)
    return np.asarray(np.where(index > 0, index - 1, PATCH_SIZE), np.int64)


def _shift_everywhere(values: Picture | Mask) -> Picture:
    """A patch (H, W, ...) moved by each of SHIFTS: (shifts, PATCH_SIZE, ...)."""
    flat = values.reshape(PATCH_SIZE, *values.shape[2:])
    return np.asarray(np.concatenate([flat, np.zeros_like(flat[:1])])[_shifted_from()], np.float32)


def shift_patch(values: Picture | Mask, shift: tuple[int, int]) -> Picture:
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
    return np.asarray(prints.piece_silhouette(SAFE_RADIUS, SAFE_HEIGHT, SAFE_FAT) > 0.05)


def learn_looks(
    patches: Picture,
    floor: Picture,
    pieces: Ints,
    look_of: Sequence[int],
    prints: Footprints,
    outlines: Mapping[int, BodySize],
) -> tuple[list[Template], npt.NDArray[np.bool_]]:
    """Templates from patches (cells, H, W, 3) of a known placement over a floor of the same shape.

    `outlines` are those of all pieces in it. Also returns the mask (cells, H, W) of samples that no nearer piece hides.
    """
    solid_of = {p: prints.piece_silhouette(*outlines[p]) for p in sorted(set(pieces[pieces > 0].tolist()))}
    front = visible_samples(prints, pieces, {})
    placed = {int(c): (0, 0) for c in np.flatnonzero(pieces)}
    templates = _average_patches(patches, front, pieces, look_of, solid_of, placed)
    for _ in range(ALIGNMENTS - 1):
        stack = LookTemplates(templates, look_of)
        for c in placed:
            placed[c] = _best_shift(stack, patches[c], floor[c], front[c], stack.first_of[int(pieces[c])] - CENTRED)
        templates = _average_patches(patches, front, pieces, look_of, solid_of, placed)
    return templates, front


def _average_patches(
    patches: Picture,
    front: npt.NDArray[np.bool_],
    pieces: Ints,
    look_of: Sequence[int],
    solid_of: dict[int, Mask],
    placed: dict[int, tuple[int, int]],
) -> list[Template]:
    """Mean and variance of each piece number's patches, every one moved back by how far off the centre it stands."""
    centred = {c: shift_patch(patches[c], (-dy, -dx)) for c, (dy, dx) in placed.items()}
    seen = {c: shift_patch(front[c].astype(np.float32), (-dy, -dx)) > 0.5 for c, (dy, dx) in placed.items()}
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
    stack: LookTemplates, patch: Picture, floor: Picture, seen: npt.NDArray[np.bool_], first: int
) -> tuple[int, int]:
    """How far off its centre the piece in a patch stands, by the templates `first`... of the stack."""
    which = slice(first, first + len(SHIFTS))
    solid = stack.solid[which]
    ground = colour_density(patch, floor, np.full(patch.shape[:2], FILLED_SD**2)).ravel() + STRANGE_SHARE * STRANGE
    mixed = np.log((1 - solid) * ground + solid * stack.patch_likelihood(patch, which))
    fits = mixed[:, seen.ravel()].sum(axis=1) / TEMPERATURE - SHIFT_COST
    return SHIFTS[int(np.argmax(fits))]
