"""Every place of the board has its own clock: since when it has looked the same, and how it has looked since.

The board plane is divided into blocks of a quarter of a cell. A block moves when it differs from its own past by more
than the measured noise; from then on its clock and its mean begin anew. What moves elsewhere does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import numpy.typing as npt

from vision.ground import SAMPLES_PER_CELL, Image, Picture
from vision.sight.noise import Levels, Noise

Flags = npt.NDArray[np.bool_]

BLOCK = 4
"""Samples of the ground picture each way in a block: a quarter of a cell."""
BLOCKS_PER_CELL = SAMPLES_PER_CELL // BLOCK
MOVED_TIMES = 6.0
"""A block has moved when it is off its own mean by more than so many times what is usual: codecs renew blocks by five
times their usual noise in one of a hundred frames, which costs a block its clock but not a cell."""
MOVED_LEVELS = 2.5
"""... and by so many grey levels more."""
SAMPLED = 3
"""Gain and noise are measured on every third block: 1,300 of a usual board are as good as all."""
SAME_LIGHT = 1.3
"""Exposures that differ by more than this factor are not compared in the light of the older one: noise and rounding
would be stretched with it. Hands make it swing by a quarter."""
JUMP_TIMES, JUMP_LEVELS = 4.0, 2.0
"""All clocks begin anew when half of the blocks are off their means by more than so many times the measured noise and
grey levels: the light or the camera's colours have jumped; two such frames in a row are noise. What is less off would
else follow slowly, and count as noise meanwhile. Raising them makes a jump deafen for a second; lowering them lets each
renewed picture of a codec cost all cells a tenth of one. Codecs renew by up to three times their usual noise over half
of the board."""
CALM_S = 0.5
"""Blocks that have been still for so long tell how noise depends on brightness."""
EVENLY = np.full((1, 3), 1 / 3, np.float32)
MOST_FRAMES, RECENT_FRAMES = 12, 3
"""Frames in a mean, and in a short one; afterwards they follow slowly: dusk and drift are no movement. A block has
moved as well when the two differ by more than is usual for them: in noise that hides a dark piece on dark wood in each
single frame, a few together show it. Raising the first follows dusk later; raising the second finds fainter things
later."""

SAME_PLACE_PX = 0.5
"""Pictures are of the same place if one is shifted by no more pixels against the mean of the others. Raising it blurs
the mean of a camera that is carried about, lowering it gives up the mean of one that trembles. Fitted on drawn
pictures: a camera that stands still, with noise of up to 40 grey levels and a hand over a third of the board, is
shifted by 0.04 at most; one that turns by a twentieth of a pixel a frame by 0.8 after 24 frames, one that trembles by
1.5 pixels by 2 and more."""


class Clocks:
    """The clocks of one level's blocks, and the mean ground picture of their still time. Mutable."""

    def __init__(self, seen: Flags) -> None:
        """`seen` (R, C) flags the blocks that lie in the picture."""
        self.seen = seen
        self._some = np.flatnonzero(seen)[::SAMPLED]
        self.noise = Noise()
        self._drift = Noise()
        """How far the short mean of a still block is off the long one."""
        self._recent: Levels = np.zeros((0, 0, 3), np.float32)
        self.mean: Picture = np.zeros((0, 0, 3), np.float32)
        """The ground picture, each block the mean of its still frames."""
        self.blocks: Levels = np.zeros((0, 0, 3), np.float32)
        self.since = np.zeros(seen.shape)
        self.count = np.zeros(seen.shape, np.int32)
        self.moving = np.ones(seen.shape, bool)
        self._jumped = False

    def add_picture(self, t: float, ground: Picture, *, placed: bool = True) -> Flags:
        """Take in the ground picture of a frame; the blocks that have moved since the last one.

        Unless it is `placed` where the board is, what differs tells nothing of the noise.
        """
        blocks = block_means(ground)
        if self.mean.shape != ground.shape:
            self.mean, self.blocks, self._recent = ground.copy(), blocks, blocks
            self.since[:], self.count[:], self.moving[:] = t, 1, True
            return self.moving
        some = self._some
        gain = _frame_gain(blocks.reshape(-1, 3)[some], self.blocks.reshape(-1, 3)[some])
        if not (gain.min() > 1 / SAME_LIGHT and gain.max() < SAME_LIGHT):
            self.mean, self.blocks, self._recent = self.mean * gain, self.blocks * gain, self._recent * gain
            gain = np.ones_like(gain)
        even = blocks / gain
        self._recent = self._recent + (even - self._recent) * (1 / RECENT_FRAMES)
        off, drift = (
            channel_maximum(np.asarray(cv2.absdiff(one, self.blocks), np.float32)) for one in (even, self._recent)
        )
        level, slope = channel_mean(self.blocks), block_steepness(self.blocks)
        calm = t - self.since.ravel()[some] > CALM_S
        differs = float(np.median(off.ravel()[some])) > JUMP_TIMES * self.noise.typical_deviation + JUMP_LEVELS
        jumped = self._jumped = differs and not self._jumped
        if placed and not jumped:
            for noise, one in ((self.noise, off), (self._drift, drift)):
                noise.measure_blocks(one.ravel()[some], level.ravel()[some], slope.ravel()[some], calm)
        moved = (off > _movement_limit(self.noise, level, slope)) | (drift > _movement_limit(self._drift, level, slope))
        moved = self.seen & (moved | jumped)
        self.count = np.where(moved, 1, self.count + 1).astype(np.int32)
        self.since[moved] = t
        weight = np.where(moved, 1.0, 1.0 / np.minimum(self.count, MOST_FRAMES)).astype(np.float32)
        new = np.asarray(cv2.merge([weight] * 3), np.float32)
        self.blocks = self.blocks + (even - self.blocks) * new
        self._recent = np.where(moved[..., None], even, self._recent)
        # By whole arrays, in place: numpy's loops over the three channels take five times as long.
        step = cv2.transform(ground, np.diag(1 / gain))
        cv2.subtract(step, self.mean, dst=step)
        cv2.multiply(step, expand_blocks(new, ground.shape), dst=step)
        cv2.add(self.mean, step, dst=self.mean)
        self.moving = np.asarray(moved, bool)
        return self.moving


def average_still(asked: Image, others: Iterable[Image]) -> Image:
    """A picture without its noise: where nothing moves, the mean with `others` of the same scene, elsewhere as it is.

    As it is all over where they are of another size, or the camera itself moves.
    """
    h, w = asked.shape[:2]
    clocks = Clocks(np.ones((h // BLOCK, w // BLOCK), bool)) if min(h, w) >= BLOCK else None
    count = 0
    for other in others:
        if clocks is None or other.shape != asked.shape:
            break
        clocks.add_picture(float(count), np.asarray(other, np.float32))
        count += 1
    picture = np.asarray(asked, np.float32)
    if clocks is None or not count or not _shows_same_place(clocks.mean, picture):
        return asked
    # The one that is asked for comes last: what has moved until then begins anew with it.
    clocks.add_picture(float(count), picture)
    return np.asarray(np.rint(clocks.mean).clip(0, 255), np.uint8)


def _shows_same_place(mean: Picture, picture: Picture) -> bool:
    """Whether a picture is not shifted against the mean of others."""
    greys = [np.asarray(cv2.cvtColor(one, cv2.COLOR_BGR2GRAY), np.float32) for one in (mean, picture)]
    window = cv2.createHanningWindow(greys[0].shape[::-1], cv2.CV_32F)  # else the edges, which never move, tell
    (x, y), _ = cv2.phaseCorrelate(greys[0], greys[1], window)
    return bool(np.hypot(x, y) <= SAME_PLACE_PX)


def _movement_limit(noise: Noise, level: Levels, slope: Levels) -> Levels:
    """How far off a block must be to have moved, in grey levels (R, C)."""
    return MOVED_TIMES * noise.usual_deviation(level, slope) + MOVED_LEVELS


def block_means(ground: Picture) -> Levels:
    """The mean of each block of a ground picture: (R, C, 3)."""
    h, w = ground.shape[:2]
    return np.asarray(cv2.resize(ground, (w // BLOCK, h // BLOCK), interpolation=cv2.INTER_AREA), np.float32)


def expand_blocks(values: Levels, shape: tuple[int, ...]) -> Picture:
    """Values of the blocks (R, C, 3) for each sample of a ground picture of that `shape`.

    Not every board is whole blocks wide: then `block_means` makes them a little larger.
    """
    return np.asarray(cv2.resize(values, (shape[1], shape[0]), interpolation=cv2.INTER_NEAREST), np.float32)


def channel_mean(blocks: Levels) -> Levels:
    """The mean of the channels (R, C)."""
    return np.asarray(cv2.transform(blocks, EVENLY), np.float32)


def channel_maximum(values: Levels) -> Levels:
    """The largest of the channels (R, C)."""
    return np.maximum(np.maximum(values[..., 0], values[..., 1]), values[..., 2])


def block_steepness(blocks: Levels) -> Levels:
    """How much the picture changes from one block to the next (R, C), in grey levels."""
    level = channel_mean(blocks)
    across, along = (np.abs(cv2.Sobel(level, cv2.CV_32F, x, 1 - x, scale=1 / 8)) for x in (1, 0))
    return np.asarray(np.maximum(across, along), np.float32)


def _frame_gain(now: Levels, before: Levels) -> npt.NDArray[np.float32]:
    """Brightness of a frame over that of the mean, by channel: exposure follows every sleeve."""
    return np.asarray(np.median((now + 4.0) / (before + 4.0), axis=0), np.float32)
