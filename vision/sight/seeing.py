"""The board through one camera, frame by frame: where it is, what of it is still, what is clear, and how it looks.

Nothing here knows pieces or rules. `take_frame` is given every frame; `observe_board` says which cells can be read
now, and gives the pictures to read them from: each place as the mean of its own still frames, in the light in which
the board is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import View
from engine.board import Board
from vision.ground import MARGIN_CELLS, Ground, Image, Picture, ground_of
from vision.reading.footprint import Footprints, compute_footprints
from vision.reading.outlines import BodySize
from vision.reading.track import Grey
from vision.sight.align import RENEW_BELOW, STAYED, Anchor, Place
from vision.sight.colours import MIXED_LEVELS, MIXED_SHARE, MIXED_TIMES, Mixing, apply_mixing, find_mixing
from vision.sight.noise import Levels, Noise
from vision.sight.occluders import (
    GRASP_CELLS,
    NEAR_CELLS,
    NEAR_MOVING_CELLS,
    BoardBlocks,
    cells_near,
    changed_blocks,
    find_occluders,
    grow_blocks,
    light_field,
    shows_pattern,
)
from vision.sight.piece_blocks import block_middles, body_blocks
from vision.sight.stillness import BLOCK, BLOCKS_PER_CELL, Clocks, Flags, block_means, block_steepness, channel_maximum
from vision.sight.whereabouts import unmoved_whereabouts

READ_S = 0.1
"""A cell is read when it has been still for so long: between two quick plies of a filmed game there was no more."""
LEAST_FRAMES = 2
STILL_SHARE = 0.8
"""Share of the blocks that a piece in the cell would cover which must be still."""
TABLE_S = 1.0
"""Hands pause beside the board for less, most of the time."""
FRAME_EDGE_PX = 2.0
USUAL_BODY = (0.3, 0.7)
"""Base radius and height in cells of what a piece is taken to cover."""
LEANS, LEAN_CELLS = 8, 1.0
"""Heights at which a piece is drawn; so far beyond the board what may be a leaning piece is no sign of an arm. Further
out it is one, or arms that come from the far side of a board that is seen at a slant would not be told."""
BETTER = 0.7
"""Another mixing of the colours is believed when it leaves less than this share of what differs: pieces and hands it
cannot explain."""
AROUND_PIECE_CELLS = 0.25
"""Pieces stand off the middle of their cells by so much, and their edges and shadows are soft."""
BESIDE_PIECE_CELLS = 0.12
"""The same where one piece alone is held against what may be an arm. Raising it takes thin arms that reach away from
the camera for the head of a piece, lowering it takes heads of pieces off the middle for arms. Guessed."""
BUMPED_PX = 2.0
"""Camera pixels that the board moves from one frame to the next in a bump: what stood beside it is then seen from a
little elsewhere. Hands that lean on a table move it by less; raising it takes the rim for an arm after small bumps."""


def no_colours() -> Levels:
    """(0, 3)."""
    return np.zeros((0, 3), np.float32)


@dataclass(frozen=True)
class SeenBoard:
    """What a frame shows of the board. Arrays are by cell."""

    t: float
    readable: Flags
    """Still for long enough, and nothing lies between camera and cell."""
    still_s: npt.NDArray[np.float64]
    touched: Flags
    """Something has moved there, or lain over it, since it was last known what stands there."""
    reached: Flags
    """Near an arm that rests over the board."""
    within_grasp: Flags
    """Near an arm that rests beside the board, and still for no longer than it: what seems to stand there may hang from
    its fingers, which are too thin to be seen."""
    hands: bool
    """Whether anything moves or rests over the board."""
    place: Place
    hand_beside: bool = False
    """Whether an arm rests beside the board."""
    middles: Levels = field(default_factory=no_colours)
    """(cells, 3): the colour in the middle of each cell, once the board is known."""
    arm: Levels = field(default_factory=no_colours)
    """(blocks, 3): the colours of an arm where it lies beside the board."""


class RelitBlocks(NamedTuple):
    """Blocks as they would be in the light in which the board is known: the mixing of colours, if that is another one,
    the brightness of then over that of now, the blocks (R, C, 3) so, and which of them differ all the same."""

    by: Mixing | None
    light: Levels
    even: Levels
    off: Flags


class LevelSight:
    """One level of the board. Mutable."""

    def __init__(self, view: View, centres_xy: npt.NDArray[np.float64], size_wh: tuple[int, int]) -> None:
        self.ground: Ground = ground_of(view)
        self.prints: Footprints = compute_footprints(view, centres_xy, self.ground.shape)
        rows, columns = self.ground.shape[0] // BLOCK, self.ground.shape[1] // BLOCK
        px = view.project_points(block_middles(rows, columns).reshape(-1, 2)).reshape(rows, columns, 2)
        w, h = size_wh
        inside = (px > FRAME_EDGE_PX).all(axis=2) & (px[..., 0] < w - FRAME_EDGE_PX) & (px[..., 1] < h - FRAME_EDGE_PX)
        self.clocks = Clocks(inside)
        self.body = body_blocks(self.prints, self.ground.shape, *USUAL_BODY)
        self._camera_xyz, self._centres_xy = np.asarray(view.camera_xyz, float), np.asarray(centres_xy, float)
        self.centres = np.floor((centres_xy[:, ::-1] + MARGIN_CELLS) * BLOCKS_PER_CELL).astype(np.int64)
        self.face = np.zeros((rows, columns), bool)
        self.bodies = np.zeros((rows, columns), bool)
        """Blocks that pieces may cover, also beyond the board: tall ones lean out of it."""
        self.pieces = np.zeros((len(centres_xy), rows, columns), bool)
        """(cells, R, C): the blocks that the largest piece covers on each cell; none while its size is not known."""
        for row, column in self.centres.tolist():
            half = BLOCKS_PER_CELL // 2
            self.face[max(row - half, 0) : row + half, max(column - half, 0) : column + half] = True
        self.known: Picture | None = None
        self.known_blocks = np.zeros((rows, columns, 3), np.float32)
        self.known_slope = np.zeros((rows, columns), np.float32)
        self._light: RelitBlocks | None = None
        self.table: Levels | None = None
        """How the table beside the board has looked otherwise while all of the board was seen: a hand that lay there
        when it was learned has gone, or a cup has come."""
        self.touched = np.ones((rows, columns), bool)
        self.since_still = np.zeros((rows, columns), bool)
        """Blocks that were touched since `take_snapshot`."""
        self.stirred, self.covered = np.zeros((2, rows, columns), bool)
        """Blocks over which something moves in the newest frame, and over which something lies as well: a hand beside
        the board is not learned as its table, or what it leaves there when it goes would be an arm."""

    def limit_piece_size(self, radius: float, height: float) -> None:
        """No piece of the game is wider or higher than this, in cells: each leans away from the camera."""
        bodies = self._draw_piece(self._centres_xy, radius + AROUND_PIECE_CELLS, height)
        away = cv2.distanceTransform((~self.face).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_5)
        self.bodies[:] = bodies & (away <= LEAN_CELLS * BLOCKS_PER_CELL)
        for cell, centre in enumerate(self._centres_xy):
            self.pieces[cell] = self._draw_piece(centre[None], radius + BESIDE_PIECE_CELLS, height)

    def _draw_piece(self, centres_xy: npt.NDArray[np.float64], radius: float, height: float) -> Flags:
        """(R, C): the blocks that pieces of this size, in cells, cover at these places."""
        foot, above = self._camera_xyz[:2], self._camera_xyz[2]
        blocks = np.zeros(self.bodies.shape, np.uint8)
        for centre in centres_xy:
            for z in np.linspace(0.0, min(height, above / 2), LEANS):
                x, y = (centre + (centre - foot) * z / (above - z) + MARGIN_CELLS) * BLOCKS_PER_CELL - 0.5
                wide = radius * above / (above - z) * BLOCKS_PER_CELL
                cv2.circle(blocks, (round(float(x)), round(float(y))), round(float(wide)), 1, -1)
        return blocks > 0

    def add_picture(self, t: float, picture: Picture, *, placed: bool) -> None:
        """Take in the ground picture of a frame; unless it is `placed` it tells nothing of the noise."""
        self.mark_touched(self.clocks.add_picture(t, picture, placed=placed))
        self._light = None

    def mark_touched(self, blocks: Flags) -> None:
        """These blocks are to be read anew."""
        self.touched = self.touched | blocks
        self.since_still = self.since_still | blocks

    def take_snapshot(self) -> LevelSight:
        """The level as it is now, whatever frames come."""
        self.since_still = np.zeros_like(self.touched)
        other = copy(self)
        other.clocks = copy(self.clocks)
        other.clocks.mean, other.clocks.since = self.clocks.mean.copy(), self.clocks.since.copy()
        other.table = None if self.table is None else self.table.copy()
        return other

    def learn_from(self, other: LevelSight) -> None:
        """Take over what was understood from the level as it was; what has stirred since is to be read anew."""
        if other.known is not None and other.known is not self.known:
            self.set_known_picture(other.known)
        self.table, self.touched = other.table, other.touched | self.since_still

    def set_known_picture(self, picture: Picture) -> None:
        """So the board looks where it is known what stands on it."""
        self.known, self.known_blocks = picture, block_means(picture)
        self.known_slope = block_steepness(self.known_blocks)
        self._light = None

    @property
    def relit_blocks(self) -> RelitBlocks:
        """The blocks in the light in which the board is known."""
        if self._light is None:
            self._light = self._relight_blocks(None)
            left = self._residual_levels(self._light)
            if left > MIXED_TIMES * self.clocks.noise.typical_deviation + MIXED_LEVELS:
                other = self._relight_blocks(
                    find_mixing(self.clocks.blocks, self.known_blocks, self.clocks.seen & self.face)
                )
                if self._residual_levels(other) < BETTER * left:
                    self._light = other
        return self._light

    def _residual_levels(self, lit: RelitBlocks) -> float:
        """Grey levels by which a light leaves MIXED_SHARE of the board otherwise than known."""
        off = channel_maximum(np.asarray(cv2.absdiff(lit.even, self.known_blocks), np.float32))
        return float(np.quantile(off[self.clocks.seen & self.face], 1 - MIXED_SHARE)) if self.clocks.seen.any() else 0.0

    def _relight_blocks(self, by: Mixing | None) -> RelitBlocks:
        blocks = apply_mixing(self.clocks.blocks, by)
        light = light_field(blocks, self.known_blocks, self.clocks.seen)
        even = np.asarray(cv2.multiply(blocks, light), np.float32)
        return RelitBlocks(
            by, light, even, changed_blocks(even, self.known_blocks, self.clocks.noise, self.known_slope)
        )

    def find_changes(self) -> Flags:
        """Blocks that are not as known; of the table beside the board that are not as known either way."""
        if self.table is None:
            return self.relit_blocks.off
        return self.relit_blocks.off & (
            self.face | changed_blocks(self.relit_blocks.even, self.table, self.clocks.noise, self.known_slope)
        )

    def shows_pattern(self) -> tuple[Flags, Flags]:
        """Where the known board has a pattern, and where it is seen now."""
        return shows_pattern(self.relit_blocks.even, self.known_blocks)

    def learn_table(self, t: float) -> None:
        """All of the board is seen: what lies still beside it is the table."""
        off = self.relit_blocks.off & ~self.face & (t - self.clocks.since > TABLE_S)
        if self.table is None:
            self.table = self.known_blocks.copy()
        self.table[off] = self.relit_blocks.even[off]

    def flagged_share(self, flags: Flags) -> npt.NDArray[np.float64]:
        """(cells,) the share of the blocks of each cell's body that are flagged."""
        index, counts = self.body
        return np.asarray(flags.ravel()[index].sum(axis=1, where=index >= 0) / counts)

    def body_minimum(self, values: npt.NDArray[np.floating] | npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """(cells,) what STILL_SHARE of the blocks of each cell's body have at least."""
        index, counts = self.body
        table = np.where(index >= 0, values.ravel()[index], np.inf)
        rank = ((1 - STILL_SHARE) * counts).astype(np.int64)
        return np.asarray(np.take_along_axis(np.sort(table, axis=1), rank[:, None], axis=1)[:, 0])


class Seeing:
    """All levels through one camera. Mutable, owned by the main loop."""

    def __init__(self, board: Board, views: Sequence[View], image: Image) -> None:
        self.board = board
        self.views = tuple(views)
        levels, centres = np.array(board.levels), np.array(board.centres_xy)
        self._cells = [np.flatnonzero(levels == k) for k in range(len(self.views))]
        size = (image.shape[1], image.shape[0])
        self.levels = [LevelSight(v, centres[c], size) for v, c in zip(self.views, self._cells, strict=True)]
        self._anchor = Anchor(self.board, image, self.views)
        self.place = Place(STAYED, 1.0, 0.0, 1.0, 0.0)
        self.t = 0.0
        self._where = unmoved_whereabouts(self.views)
        self._largest: tuple[BodySize, ...] = ()
        self._bumped_t = -np.inf

    def take_frame(self, t: float, image: Image) -> Place:
        """Take a frame in."""
        self.t = t
        before, self.place = self.place, self._anchor.locate_board(image)
        if self.place.is_found and before.is_found and abs(self.place.shift_px - before.shift_px) > BUMPED_PX:
            self._bumped_t = t
        self._where = self._where.follow_frame(before, self.place)
        for level in self.levels:
            picture = level.ground.resample_image(image, self.place.moved if self.place.is_found else None)
            level.add_picture(t, picture, placed=self.place.is_found)
        return self.place

    def let_time_pass(self, t: float) -> None:
        """Nothing has stirred until `t` seconds."""
        self.t = t

    @property
    def is_covered(self) -> bool:
        """Whether something moves or lies in the newest frame that was looked at, over the board or beside it."""
        return any(bool(level.covered.any()) for level in self.levels)

    @property
    def resting_views(self) -> tuple[View, ...]:
        """Where the board was seen to rest last, one view a level."""
        return self._where.here

    @property
    def small_grey(self) -> Grey:
        """The newest frame, reduced and grey."""
        return self._anchor.small

    @property
    def measured_noise(self) -> Noise:
        """The measured noise, of the first level."""
        return self.levels[0].clocks.noise

    def renew_anchor(self, image: Image, *, stayed: bool = False) -> None:
        """Hold on to what `image`, the newest frame, shows, if much of what was held on to has gone.

        `stayed`: it is known that the board is where it was, though it looks quite otherwise.
        """
        if stayed:
            self._anchor = Anchor(self.board, image, self.views, self._where.moved)
        elif self.place.is_found and self._where.is_undrawn(self.place):
            self._where = self._where.draw_onto_lines(self.board, image)
            self._anchor = Anchor(self.board, image, self.views, self._where.moved)
        elif self.place.is_found and self.place.share < RENEW_BELOW:
            self._anchor = Anchor(self.board, image, self.views, self.place.moved)

    def limit_piece_sizes(self, largest: Sequence[BodySize]) -> None:
        """The widest base and the greatest height of the pieces on each level, in cells."""
        self._largest = tuple(largest)
        for level, (radius, height) in zip(self.levels, largest, strict=True):
            level.limit_piece_size(radius, height)

    def take_snapshot(self) -> Seeing:
        """What has been seen until now, whatever frames come: to read and to learn from while they do."""
        other = copy(self)
        other.levels = [level.take_snapshot() for level in self.levels]
        return other

    def learn_from(self, other: Seeing) -> None:
        """Take over what was understood from an earlier `take_snapshot`."""
        self._anchor, self._largest = other._anchor, other._largest
        self._where = replace(self._where, drawn=other._where.drawn)
        for mine, theirs in zip(self.levels, other.levels, strict=True):
            mine.learn_from(theirs)

    def mark_touched(self) -> None:
        """Everything is to be read anew."""
        for level in self.levels:
            level.mark_touched(np.ones_like(level.touched))

    def move_to(self, views: Sequence[View], image: Image) -> Seeing:
        """The same board seen from elsewhere: how it is known to look stays."""
        other = Seeing(self.board, views, image)
        for mine, theirs in zip(self.levels, other.levels, strict=True):
            if mine.known is not None:
                theirs.set_known_picture(mine.known)
        if self._largest:
            other.limit_piece_sizes(self._largest)
        return other

    def observe_board(self) -> SeenBoard:
        """What the frames so far show of the board."""
        count = len(self.board.cells)
        readable, touched, reached, within_grasp = (np.zeros(count, bool) for _ in range(4))
        still = np.zeros(count)
        hands = hand_beside = False
        middles, arms = np.zeros((count, 3), np.float32), list[Levels]()
        for cells, level in zip(self._cells, self.levels, strict=True):
            clocks = level.clocks
            age = (self.t - clocks.since).astype(np.float32)
            fresh = (age < READ_S - 1e-6) | (clocks.count < LEAST_FRAMES)
            still[cells] = level.body_minimum(age)
            steady = (still[cells] >= READ_S - 1e-6) & (level.body_minimum(clocks.count) >= LEAST_FRAMES)
            unclear = np.zeros(len(cells), bool)
            if level.known is not None:
                off = level.find_changes() & clocks.seen
                board = BoardBlocks(level.face, level.bodies, level.shows_pattern, level.pieces)
                over = find_occluders(off, clocks.seen, board, fresh, age, self.t - self._bumped_t)
                resting = cells_near(over.rests, level.centres, NEAR_CELLS)
                unclear = cells_near(over.moves, level.centres, NEAR_MOVING_CELLS)
                reached[cells] = resting
                if over.beside.any():
                    hand_beside = True
                    as_long = still[cells] <= age[over.beside].max() + READ_S
                    within_grasp[cells] = as_long & cells_near(over.beside, level.centres, GRASP_CELLS)
                level.stirred = grow_blocks(over.moves)
                level.covered = grow_blocks(over.moves | over.rests | over.beside)
                # What is not as known is found again in each frame; what lay over a block is seen once.
                level.touched = level.touched | over.off
                level.mark_touched(level.covered)
                hands = hands or bool((over.moves & level.face).any() or over.rests.any())
                middles[cells] = level.clocks.blocks[level.centres[:, 0], level.centres[:, 1]]
                arms.append(level.clocks.blocks[level.covered & off & ~level.face])
            touched[cells] = level.flagged_share(level.touched) > 0
            readable[cells] = steady & ~unclear
        arm = np.concatenate(arms) if arms else no_colours()
        flags = readable, still, touched, reached, within_grasp, hands
        return SeenBoard(self.t, *flags, self.place, hand_beside, middles, arm)

    def relit_pictures(self, readable: Flags, *, learn: bool = False) -> tuple[Picture, ...]:
        """Ground pictures of all levels in the light in which the board is known; what is not readable is as known."""
        out = []
        for cells, level in zip(self._cells, self.levels, strict=True):
            mean, known = level.clocks.mean, level.known
            if known is None:
                out.append(mean.copy())
                continue
            size = (mean.shape[1], mean.shape[0])
            even = cv2.multiply(apply_mixing(mean, level.relit_blocks.by), cv2.resize(level.relit_blocks.light, size))
            use = self._usable_blocks(level, readable[cells], learn=learn) & ~(
                level.covered if learn else level.stirred
            )
            picture = known.copy()
            cv2.copyTo(even, cv2.resize(use.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST), picture)
            out.append(picture)
        return tuple(out)

    def mean_pictures(self) -> tuple[Picture, ...]:
        """Ground pictures of all levels in their own light: each place is the mean of its own still frames."""
        return tuple(level.clocks.mean.copy() for level in self.levels)

    def adopt_as_known(self) -> None:
        """It is known what stands in every cell: so the board looks from now on, whatever it looked like before."""
        for level in self.levels:
            level.touched, level.table = np.zeros_like(level.touched), None
            level.covered = np.zeros_like(level.covered)
            level.set_known_picture(level.clocks.mean.copy())

    def _usable_blocks(self, level: LevelSight, readable: Flags, *, learn: bool) -> Flags:
        """Blocks that are still, and belong to a cell that can be read or to none; to `learn`, to no other."""
        clocks = level.clocks
        usable = (self.t - clocks.since >= READ_S - 1e-6) & (clocks.count >= LEAST_FRAMES)
        hidden = np.zeros(usable.size, bool)
        index, _ = level.body
        hidden[index[~readable][index[~readable] >= 0]] = True
        if not learn:
            hidden[index[readable][index[readable] >= 0]] = False
        return usable & ~hidden.reshape(usable.shape)

    def learn_readable(self, readable: Flags, *, whole: bool) -> None:
        """It is known what stands in the `readable` cells: this is how they look. `whole`: all of the board is seen."""
        pictures = self.relit_pictures(readable, learn=True)
        for cells, level, picture in zip(self._cells, self.levels, pictures, strict=True):
            clocks = level.clocks
            if level.known is None:
                level.touched = np.zeros_like(level.touched)
            else:
                quiet = (self.t - clocks.since >= READ_S - 1e-6) & (clocks.count >= LEAST_FRAMES) & ~level.covered
                index, _ = level.body
                mine = np.zeros(quiet.size, bool)
                mine[index[readable[cells]][index[readable[cells]] >= 0]] = True
                outside = ~np.isin(np.arange(quiet.size), index)
                level.touched = level.touched & ~(quiet & (mine | outside).reshape(quiet.shape))
            level.set_known_picture(picture)
            if whole:
                level.learn_table(self.t)
