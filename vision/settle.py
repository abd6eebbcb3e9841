"""When to look: the gate that lets through only pictures of a board at rest, averaged while nothing moves.

Each frame is reduced and compared with the one before. While anything moves over or beside the board nothing is read;
once it rests, the frames are averaged, and the average is offered at once and again after longer and longer stays,
until it is known what stands there. A picture that looks like the last one understood is not offered, unless something
has moved: in the dark a piece that went to the next cell changes less than counts here.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from engine.reasons import Reason, per_cent
from vision.ground import Image

Small = npt.NDArray[np.uint8]
"""A grey picture of reduced size."""

GATE_WIDTH = 320
"""Width to which frames are reduced for the gate: a moving finger is still 4 px wide, and it costs 0.5 ms."""
MOVED_LEVELS = 10.0
"""Grey levels by which a reduced pixel must change to count. Noise of 2 levels at full size is 0.5 here, exposure
flicker of 1 % is 2."""
MOVED_SHARE = 0.0004
"""Share of the pixels that must have moved: 30 of 320x240, a piece seen from far."""
LOOK_AT_S = (0.2, 0.3, 0.45, 0.7, 1.0, 1.1, 1.5, 2.1, 2.8, 3.6, 5.0)
"""Looks at a board at rest, seconds after the last movement; afterwards every AGAIN_S. Two at first and two after a
second, when no hand pauses any more: an accusation needs a second look."""
AGAIN_S = 2.0
LOOK_FRAMES = 2
"""Frames that an average needs at least."""
MOST_FRAMES = 16
"""Frames averaged at most; then the average starts to forget the oldest."""
PATIENT_S = 2.5
"""After this long at rest what merely lies on the board is no hand any more."""


@dataclass(frozen=True)
class Look:
    """An average picture of a board at rest. `rest_s` since the last movement, of `frames` frames.

    `moving_s` went by between the last frame that looked as understood and the rest.
    """

    t: float
    image: Image
    rest_s: float
    frames: int
    moving_s: float

    @property
    def since(self) -> float:
        """When something last moved."""
        return round(self.t - self.rest_s, 3)  # the same number for every look of one rest

    @property
    def patient(self) -> bool:
        """Whether the same picture has stood for so long that no hand is about to leave it."""
        return self.rest_s >= PATIENT_S


class Gate:
    """Turns frames into looks. Mutable; `understood` tells it that the last look needs no more of them."""

    def __init__(self) -> None:
        self._last: Small | None = None
        self._known: Small | None = None
        self._stirred = False
        self._sum = np.zeros((0, 0, 3), np.uint16)  # MOST_FRAMES of 255 levels; a third faster than real numbers
        self._count = 0
        self._since = 0.0
        self._t = self._known_t = 0.0
        self._offered = 0
        self.moving = 0.0

    def push(self, t: float, image: Image) -> Look | None:
        """Take a frame; a Look when the board has been at rest long enough for the next one."""
        small = reduced(image)
        self._t = t
        self.moving = _change(small, self._last) if self._last is not None and self._last.shape == small.shape else 1.0
        self._last = small
        if self.moving > MOVED_SHARE or self._sum.shape != image.shape:
            self._stirred = True
            self._since, self._offered, self._count = t, 0, 0
            if self._sum.shape != image.shape:
                self._sum = np.empty(image.shape, np.uint16)
        if self._known is not None and not self._stirred and _change(small, self._known) <= MOVED_SHARE:
            self._known_t = t
            return None
        self._add(image)
        rest = round(t - self._since, 6)  # a second of frames at 5 or 30 a second is a second
        if self._count < LOOK_FRAMES or rest < self._next_look():
            return None
        while rest >= self._next_look():
            self._offered += 1
        mean = cv2.convertScaleAbs(self._sum, alpha=1.0 / self._count)
        return Look(t, np.asarray(mean, np.uint8), rest, self._count, self._since - self._known_t)

    @property
    def in_motion(self) -> bool:
        """Whether something has moved since the board was understood, and no look has been offered since."""
        return self._stirred and not self._offered

    @property
    def waits(self) -> Reason | None:
        """Why no look has been offered since something moved; None if one has, or if nothing is new."""
        if self.moving > MOVED_SHARE:
            return Reason("picture-moves", per_cent(self.moving), per_cent(MOVED_SHARE))
        if self._stirred and not self._offered:
            return Reason("at-rest-for", self._t - self._since, LOOK_AT_S[0])
        return None

    def understood(self) -> None:
        """The last look was explained: nothing more is offered until something changes."""
        self._known, self._stirred = self._last, False
        self._known_t = self._t
        self._offered = 0

    def puzzled(self) -> None:
        """The last look was something else than the last one understood: that one is news when it comes back."""
        self._known = None

    def forget(self) -> None:
        """Look again even if nothing changes."""
        self._known = None
        self._sum = np.zeros((0, 0, 3), np.uint16)

    def _next_look(self) -> float:
        if self._offered < len(LOOK_AT_S):
            return LOOK_AT_S[self._offered]
        return LOOK_AT_S[-1] + AGAIN_S * (self._offered - len(LOOK_AT_S) + 1)

    def _add(self, image: Image) -> None:
        if self._count >= MOST_FRAMES:
            self._sum //= 2
            self._count = MOST_FRAMES // 2
        if self._count:
            np.add(self._sum, image, out=self._sum)
        else:
            np.copyto(self._sum, image)  # in one go: while hands move every frame is the first of its average
        self._count += 1


def reduced(image: Image) -> Small:
    """The grey picture in which movement is looked for, at least GATE_WIDTH wide unless the picture is smaller."""
    small, (h, w) = image, image.shape[:2]
    factor = max(1, w // GATE_WIDTH)
    while factor % 2 == h % 2 == w % 2 == 0:  # halving twice takes less than half the time of a quarter at once
        factor, h, w = factor // 2, h // 2, w // 2
        small = np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_AREA), np.uint8)
    if factor > 1:
        small = np.asarray(cv2.resize(small, (w // factor, h // factor), interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)


def _change(one: Small, other: Small) -> float:
    """Share of pixels that differ by more than MOVED_LEVELS."""
    moved = cv2.threshold(cv2.absdiff(one, other), MOVED_LEVELS, 1, cv2.THRESH_BINARY)[1]
    return float(cv2.countNonZero(moved)) / moved.size
