"""What the board looks like where nothing stands: remembered for every sample of the ground picture.

Cells that were seen empty are known. What stands under a piece at the start is filled in from DONORS, the empty
cells that look most like the visible rest of it (so a chequered board fills itself with the right colour), until
the piece moves away and the floor itself is seen. No board pattern is assumed.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import Floats
from vision.ground import MARGIN_CELLS, SAMPLES_PER_CELL, Picture, sum_channels, take_samples

Flags = npt.NDArray[np.bool_]

DONORS = 7
"""Cells whose median fills one: enough to drop a donor under a stray shadow."""
DONOR_SPREAD = 20.0
"""How much less alike than the best one a donor may be: two colours of a board are 40 grey levels apart and more,
and of one of them there may be fewer free cells than DONORS."""
DONOR_DISTANCE_COST = 1.0
"""Grey levels of dissimilarity that one cell of distance counts as: light changes slowly over a board."""
UNLIKE, MUCH_NEARER, COLOUR_HIDDEN = 20.0, 0.6, 0.2
"""In the middle of a game pieces may hide a little of each cell of one colour: then more than this share of the cells
differ by so many grey levels from the best cell seen whole, and cells seen in part that are so much nearer give them
what they show. In 3 of 120 drawn games begun after six plies it was a third of the cells and more; in seven that went
well 0.19 at most."""
PART_SEEN = 0.5
PATTERN_PERIOD = 6
"""Colours of a board repeat after two cells (chequered) or three (hexagons in three colours): both divide six."""
SHORTER_PERIODS = (2, 3)
"""Of chequered and of three-coloured boards: what takes the place of steps of the longer one that no two cells show."""
KNOWN_SHARE = 0.99
FEWEST_WHOLE = 0.25
"""If less than this share of the cells is seen whole, the cells that are seen best are donors: at the start of
Tri-Camelot only four cells of one colour are seen whole, and all others lacked a little."""
AROUND = 3.0
"""Samples around a hidden one from which the frame of the board is continued."""
MEAN_RATE = 0.25
"""Share of a new look at a known floor sample that enters its memory."""

KNOWN_SD, FILLED_SD = 6.0, 12.0
"""Grey levels: spread of a known floor sample between looks (sensor noise 2, JPEG 3, small shadows) and of one
filled in from donors, measured on the two reference recordings."""
EDGE_JITTER = 0.5
"""Samples by which lines of the board may shift between looks (calibration, vibration)."""
SHADOW_DARKEST = 0.45
"""The darkest cast shadow seen on the reference recordings keeps this share of the light."""
DIMMEST = 0.4
"""Spreads shrink with the light down to this share: then the sensor's noise is what is left."""
LOCAL_LIGHT = (0.5, 1.7)
"""How much one cell's light may change by itself: glosses of lamps on varnished boards."""
SHARE_KNOWN, SHARE_SHADOW, SHARE_CLEAN, SHARE_RELIGHTED, SHARE_STRANGE = 0.74, 0.08, 0.08, 0.06, 0.04
"""How often a sample of free floor is as remembered, in a shadow, out of a remembered shadow, lit anew with all of its
cell, or inexplicable."""
STRANGE = float(np.exp(-3 * np.log(256.0)))
"""Likelihood of a colour that nothing explains: all colours alike."""


class Floor:
    """The remembered floor of one level. Mutable: `learn_samples` is called with what was seen."""

    def __init__(self, ground: Picture, centres_xy: Floats, lattice: npt.NDArray[np.int64], covered: Flags) -> None:
        """Start from a ground picture; `covered` (rows * columns) marks what pieces hide.

        `lattice` (cells, 2) are the cells' integer files and ranks: boards repeat their colours along them.
        """
        self.shape = ground.shape[:2]
        self.colour = ground.reshape(-1, 3).copy()
        self.known = ~covered
        self._tiles = _tile_corners(centres_xy)
        self._lattice = lattice
        self.exposure = 1.0
        """Brightness over that of the first picture: in dim light differences are small too."""
        self._fill_unknown()
        self.clean = self.colour.copy()
        self._rebuild_clean()

    def _cut_tiles(self) -> tuple[Picture, Flags]:
        size = SAMPLES_PER_CELL
        known = self.known.reshape(self.shape)
        return self.tiles_of(self.colour), np.stack([known[y : y + size, x : x + size] for x, y in self._tiles])

    def tiles_of(self, ground: Picture) -> Picture:
        """A ground picture, or its samples one after the other, cut into cells: (cells, H, W, 3)."""
        picture, size = ground.reshape(*self.shape, 3), SAMPLES_PER_CELL
        return np.stack([picture[y : y + size, x : x + size] for x, y in self._tiles])

    def _fill_unknown(self) -> None:
        """Fill the unknown part of every cell from its donors, and choose the donors for `_rebuild_clean`."""
        tiles, known = self._cut_tiles()
        self._donors, off = self._whole_donors(tiles, known)
        if (off > UNLIKE).mean() > COLOUR_HIDDEN:
            for c in np.flatnonzero(off > UNLIKE).tolist():
                self._donors[c] = _alike_in_part(tiles, known, c, MUCH_NEARER * float(off[c]), self._donors[c])
        picture, size = self.colour.reshape(*self.shape, 3), SAMPLES_PER_CELL
        for c, (x, y) in enumerate(self._tiles):
            if known[c].mean() <= KNOWN_SHARE:
                block, chosen = picture[y : y + size, x : x + size], self._donors[c]
                block[~known[c]] = _median_tile(tiles[chosen], known[chosen])[~known[c]]
        self._fill_around()

    def _fill_around(self) -> None:
        """Fill what pieces hide beside the cells, the frame of the board or the table, from what is seen of that.

        The lines around the outermost cells go on along these cells, and not beyond: one was smeared over a cell's
        width beside them.
        """
        cells = np.zeros(self.shape, np.uint8)
        for x, y in self._tiles:
            cells[y : y + SAMPLES_PER_CELL, x : x + SAMPLES_PER_CELL] = 1
        hidden = ~self.known.reshape(self.shape) & (cells == 0)
        picture = self.colour.reshape(*self.shape, 3)
        seen, lined = cv2.convertScaleAbs(picture), cv2.dilate(cells, np.ones((3, 3), np.uint8))
        for without, part in ((cells, hidden & (lined > 0)), (lined, hidden & (lined == 0))):
            if part.any():
                filled = cv2.inpaint(seen, without | hidden, AROUND, cv2.INPAINT_TELEA)
                picture[part] = filled[part]

    def _whole_donors(self, tiles: Picture, known: Flags) -> tuple[list[npt.NDArray[np.intp]], Floats]:
        """For each cell the ones seen whole that are most like it, and by how many grey levels the best one differs."""
        share = known.mean(axis=(1, 2))
        whole = np.flatnonzero(share > KNOWN_SHARE)
        if len(whole) < FEWEST_WHOLE * len(tiles):
            whole = np.argsort(-share, kind="stable")[: max(1, int(FEWEST_WHOLE * len(tiles)))]
        corners = np.array(self._tiles, float) / SAMPLES_PER_CELL
        colours = np.asarray(np.median(tiles.reshape(len(tiles), -1, 3), axis=1), np.float64)
        in_part = known.sum(axis=(1, 2)) > SAMPLES_PER_CELL
        donors: list[npt.NDArray[np.intp]] = [whole] * len(tiles)
        off, unlike = np.zeros(len(tiles)), self._step_unlikeness(colours, whole)

        def choose_donors(c: int) -> None:
            step = (self._lattice[whole] - self._lattice[c]) % PATTERN_PERIOD
            distance = np.hypot(*(corners[whole] - corners[c]).T) * DONOR_DISTANCE_COST + unlike[step[:, 0], step[:, 1]]
            apart = np.zeros(len(whole))
            if in_part[c]:
                apart, _ = _tile_differences(tiles, known, whole, c)
                distance = distance + apart
            near = np.argsort(distance, kind="stable")[:DONORS]
            donors[c] = whole[near[distance[near] <= distance[near[0]] + DONOR_SPREAD]]
            off[c] = apart[near[0]]

        for c in np.flatnonzero(in_part).tolist():
            choose_donors(c)
            colours[c] = np.median(tiles[donors[c]].reshape(-1, 3), axis=0)
        if in_part.any():  # cells of which nothing is seen follow the pattern of all others
            unlike = self._step_unlikeness(colours, np.flatnonzero(in_part))
        for c in np.flatnonzero(~in_part).tolist():
            choose_donors(c)
        return donors, off

    def _step_unlikeness(self, colours: Floats, cells: npt.NDArray[np.intp]) -> Floats:
        """Grey levels by which two of `cells` differ on average, by the step from one to the other (mod the period)."""
        apart = np.abs(colours[cells][:, None] - colours[cells][None]).mean(axis=-1)
        steps = self._lattice[cells][None] - self._lattice[cells][:, None]
        usual = _by_step(apart, steps, PATTERN_PERIOD)
        # Steps that no two of the cells lie apart by are as the shorter period has them that fits the others better.
        shorter = min((_by_step(apart, steps, period) for period in SHORTER_PERIODS), key=lambda table: table[0, 0])
        times = PATTERN_PERIOD // len(shorter)
        usual = np.where(np.isnan(usual), np.tile(shorter, (times, times)), usual)
        return np.asarray(np.nan_to_num(usual, nan=float(np.nanmax(usual)) if len(cells) else 0.0), float)

    def without_itself(self) -> npt.NDArray[np.float32]:
        """The floor of every cell as its like show it, whatever lies on it: as `colour`.

        Of a cell that is not empty although it should be, its own look says nothing, not even who is its like.
        """
        tiles, known = self._cut_tiles()
        share = known.mean(axis=(1, 2))
        seen = np.flatnonzero(share > min(KNOWN_SHARE, float(np.quantile(share, 1 - FEWEST_WHOLE))))
        corners = np.array(self._tiles, float) / SAMPLES_PER_CELL
        colours = np.asarray(np.median(tiles.reshape(len(tiles), -1, 3), axis=1), np.float64)
        unlike = self._step_unlikeness(colours, seen)
        out = self.clean.copy()
        picture, size = out.reshape(*self.shape, 3), SAMPLES_PER_CELL
        for c, (x, y) in enumerate(self._tiles):
            others = seen[seen != c]
            step = (self._lattice[others] - self._lattice[c]) % PATTERN_PERIOD
            far = np.hypot(*(corners[others] - corners[c]).T) * DONOR_DISTANCE_COST + unlike[step[:, 0], step[:, 1]]
            near = np.argsort(far, kind="stable")[:DONORS]
            chosen = others[near[far[near] <= far[near].min(initial=np.inf) + DONOR_SPREAD]]
            if len(chosen):
                picture[y : y + size, x : x + size] = _median_tile(tiles[chosen], known[chosen])
        return out

    def _rebuild_clean(self) -> None:
        """`clean`: each cell as its donors show it, without the shadows that fell on the cell itself."""
        tiles, known = self._cut_tiles()
        clean = self.clean.reshape(*self.shape, 3)
        size = SAMPLES_PER_CELL
        for c, (x, y) in enumerate(self._tiles):
            clean[y : y + size, x : x + size] = _median_tile(tiles[self._donors[c]], known[self._donors[c]])

    def learn_samples(self, ground: Picture, free: Flags) -> None:
        """Take in a ground picture (light already evened out); `free` marks samples where floor shows."""
        seen = ground.reshape(-1, 3)
        new = free & ~self.known
        old = free & self.known
        self.colour[new] = seen[new]
        followed = np.asarray(self.colour + MEAN_RATE * (seen - self.colour), np.float32).reshape(*self.shape, 3)
        # By whole arrays: numpy's loops over flagged rows of three take nine times as long.
        cv2.copyTo(followed, old.astype(np.uint8).reshape(self.shape), self.colour.reshape(*self.shape, 3))
        self.known |= new
        if new.any():
            self._rebuild_clean()

    def adopt_light(self, ground: Picture, gain: npt.NDArray[np.floating], free: Flags) -> None:
        """The light changed by `gain` (3,): take over the floor that shows, scale the rest."""
        self.colour *= gain
        self.clean *= gain
        self.exposure = float(np.clip(self.exposure * np.mean(gain), DIMMEST, 1.0))
        self.colour[free] = ground.reshape(-1, 3)[free]
        self.known |= free
        self._rebuild_clean()

    def bare_likelihood(self, patches: Picture, sample_at: npt.NDArray[np.int64], around: Flags) -> Picture:
        """Density of every patch sample (cells, H, W, 3) if the floor shows there: (cells, H, W).

        `around` (H, W) marks samples beside where a piece would stand: if they are all brighter or darker, a lamp or
        a gloss changed on this cell, and the floor may be so in the middle too.
        """
        floor = take_samples(self.colour, sample_at)
        edges = measure_slopes(floor)
        spread = np.where(self.known[sample_at], KNOWN_SD, FILLED_SD) * self.exposure
        variance = spread**2 + (EDGE_JITTER * edges) ** 2
        square = sum_channels(floor * floor)
        shade = (sum_channels(patches * floor) / (square + 1)).clip(SHADOW_DARKEST, 1.0)
        width = (1 - SHADOW_DARKEST) * np.sqrt(square) + 8
        shadow = (
            colour_density(patches, floor * shade[..., None], variance * 1.5) * np.sqrt(2 * np.pi * variance) / width
        )
        clean = colour_density(patches, take_samples(self.clean, sample_at), variance * 1.3 + 100)
        local = np.median((patches[:, around] + 4) / (floor[:, around] + 4), axis=1).clip(*LOCAL_LIGHT)
        relighted = colour_density(patches, floor * local[:, None, None, :], variance * 1.5)
        total = (
            SHARE_KNOWN * colour_density(patches, floor, variance)
            + SHARE_SHADOW * shadow
            + SHARE_CLEAN * clean
            + SHARE_RELIGHTED * relighted
            + SHARE_STRANGE * STRANGE
        )
        return np.asarray(total, np.float32)


def _by_step(apart: Floats, steps: npt.NDArray[np.int64], period: int) -> Floats:
    """(period, period): the median of `apart` (N, N) over two different cells, by the step between them (N, N, 2) mod
    the period; NaN where there are none."""
    at = steps[..., 0] % period * period + steps[..., 1] % period
    at[np.eye(len(at), dtype=bool)] = -1
    usual = [float(np.median(apart[at == k])) if (at == k).any() else np.nan for k in range(period**2)]
    return np.array(usual).reshape(period, period)


def _alike_in_part(
    tiles: Picture, known: Flags, cell: int, limit: float, otherwise: npt.NDArray[np.intp]
) -> npt.NDArray[np.intp]:
    """Cells seen in part that are less than `limit` grey levels from `cell`, and itself; `otherwise` if none are."""
    part = np.flatnonzero(known.mean(axis=(1, 2)) > PART_SEEN)
    distance, both = _tile_differences(tiles, known, part, cell)
    alike = (distance < limit) & (both > PART_SEEN / 2) & (part != cell)
    if not alike.any():
        return otherwise
    order = np.argsort(np.where(alike, distance, np.inf), kind="stable")[: DONORS - 1]
    return np.append(part[order[alike[order]]], cell)


def _tile_differences(tiles: Picture, known: Flags, others: npt.NDArray[np.intp], cell: int) -> tuple[Floats, Floats]:
    """By how many grey levels `others` differ from a cell where both are seen, and which share of a tile that is."""
    both = known[others] & known[cell]
    off = np.abs(tiles[others] - tiles[cell]).mean(axis=-1)
    return (off * both).sum(axis=(1, 2)) / np.maximum(both.sum(axis=(1, 2)), 1), both.mean(axis=(1, 2))


def _median_tile(tiles: Picture, known: Flags) -> Picture:
    """The median of several tiles (N, H, W, 3), each sample over those in which it is seen, or over all."""
    if known.mean(axis=(1, 2)).min() > KNOWN_SHARE:
        return np.asarray(np.median(tiles, axis=0), np.float32)
    shown = known | ~known.any(axis=0)
    return np.asarray(np.nanmedian(np.where(shown[..., None], tiles, np.nan), axis=0), np.float32)


def beyond_shadow(patches: Picture, floor: Picture) -> Picture:
    """By how many grey levels patches (..., 3) differ from a floor, whatever shadow may lie on it."""
    shade = ((patches * floor).sum(axis=-1) / ((floor * floor).sum(axis=-1) + 1)).clip(SHADOW_DARKEST + 0.05, 1.0)
    return np.asarray(np.sqrt(((patches - floor * shade[..., None]) ** 2).sum(axis=-1)))


def colour_density(colours: Picture, mean: Picture, variance: npt.NDArray[np.floating]) -> Picture:
    """Gaussian density of BGR colours (..., 3) with one variance (...) for the three channels."""
    square = sum_channels((colours - mean) ** 2)
    return np.asarray(np.exp(-0.5 * square / variance) / (2 * np.pi * variance) ** 1.5, np.float32)


def measure_slopes(patches: Picture) -> Picture:
    """By how many grey levels a sample patches (..., H, W, 3) change, down or across: the steeper one, (..., H, W).

    As `np.gradient` has it, which takes four times as long for so small arrays.
    """
    steepest = np.zeros(patches.shape[:-1], np.float32)
    for axis in (-3, -2):
        along = np.moveaxis(patches, axis, 0)
        first, last = along[1:2] - along[:1], along[-1:] - along[-2:-1]
        slopes = np.abs(np.concatenate([first, (along[2:] - along[:-2]) / 2, last]))
        largest = np.maximum(np.maximum(slopes[..., 0], slopes[..., 1]), slopes[..., 2])
        np.maximum(steepest, np.moveaxis(largest, 0, axis + 1), out=steepest)
    return steepest


def dilate_flags(flags: Flags, shape: tuple[int, ...]) -> Flags:
    """Flags of a ground picture grown by one sample on each side."""
    grown = cv2.dilate(flags.reshape(shape[0], shape[1]).astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(grown.ravel() > 0)


def _tile_corners(centres_xy: Floats) -> list[tuple[int, int]]:
    """Upper left ground sample of every cell's tile of SAMPLES_PER_CELL square."""
    corner = np.round((np.asarray(centres_xy) - 0.5 + MARGIN_CELLS) * SAMPLES_PER_CELL).astype(int)
    return [(int(x), int(y)) for x, y in corner]
