"""What the pictures themselves are like: whether anything stirs, and what makes a board hard or easy to see.

Nothing here knows what the referee makes of them, so that the referee can be judged by it. All of it follows from the
picture, the game and where the profile says that the board is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import Floats, View
from engine.game import Game
from vision.frames import Frame
from vision.ground import Image

STIR_WIDTH = 200
"""Pixels across which the board is looked at for what stirs: a piece is some pixels large, and noise averages out."""
PIXEL_STIRS_LEVELS, STIRS_NOISE = 7.0, 6.0
"""A pixel has changed if it differs by more grey levels than this, and by more than so many times the noise."""
STIRS_SHARE = 0.003
"""Share of the board that must change for a frame to stir: a piece put on a board of 160 cells changes 0.004."""
LAMP = 0.1
"""Exposure flickers by less; a lamp that is switched changes the light of all by more."""
NOISE_FRAMES = 9
"""Of so many frames the middle one tells the noise."""
LOOK_EVERY_S = 1.0
"""Noise, at rest, and shake, always, are taken so often: what always shakes is never at rest."""
QUIET_BEFORE_S = 0.5
MAD = 1.4826 / np.sqrt(2)
"""From the median difference of two frames to the spread of one, if noise is normal."""
WITHIN = 0.22
"""Radius in cells of what is looked at in the middle of a cell: pieces are larger."""
GLARE_LEVEL = 250
FAINT_SHARE = 20
"""Per cent of the cells with pieces of a look that are fainter than the figure given."""
SHARPEST = 95
WINDOW = 9
MARGIN = 0.08
"""Of the board's width, what is looked at around it: hands come in from there."""


@dataclass(frozen=True)
class Measured:
    """What a sitting measured. Levels are grey levels of 255, pixels those of the camera."""

    cell_px: float
    """Pixels across the smallest cell has, where it has fewest."""
    angle_deg: float
    """From how far above the board the camera looks, 90 from straight above."""
    rate: float = 0.0
    """Frames a second."""
    noise: float = 0.0
    shake_px: float = 0.0
    light: float = 0.0
    """Mean level of the board."""
    uneven: float = 1.0
    """The brightest quarter of the board over the darkest one, both of them as their empty cells show it."""
    glare: float = 0.0
    """Share of the board that is as bright as can be."""
    blur_cells: float = 0.0
    """How wide the sharpest edges are, in cells."""
    contrast: float = 0.0
    """By how many levels the faintest pieces differ from the board, or from each other."""
    faintest: str = ""
    """Their look; two looks with a blank between them where those can hardly be told apart."""


@dataclass
class Pictures:
    """Given every frame. Mutable."""

    game: Game
    views: Sequence[View]
    _last: npt.NDArray[np.float32] | None = None
    _whole: Image | None = None
    _offs: deque[float] = field(default_factory=lambda: deque(maxlen=NOISE_FRAMES))
    _times: list[float] = field(default_factory=list)
    _noise: list[float] = field(default_factory=list)
    _shake: list[float] = field(default_factory=list)
    _looks: list[dict[str, float]] = field(default_factory=list)
    _faint: dict[str, list[float]] = field(default_factory=dict)
    _stirred_t: float = 0.0
    _looked_t: float = -LOOK_EVERY_S

    def __post_init__(self) -> None:
        corners = np.concatenate([np.array(view.corners_px) for view in self.views])
        margin = MARGIN * float(np.ptp(corners[:, 0]))
        w, h = self.views[0].lens.size_wh
        (left, top), (right, bottom) = corners.min(axis=0) - margin, corners.max(axis=0) + margin
        self._part = (
            slice(int(np.clip(top, 0, h - 2)), int(np.clip(bottom, 2, h))),
            slice(int(np.clip(left, 0, w - 2)), int(np.clip(right, 2, w))),
        )

    def detect_motion(self, frame: Frame) -> bool:
        """Whether anything has moved since the frame before, lamps included."""
        self._times.append(frame.t)
        part = cv2.cvtColor(frame.image[self._part], cv2.COLOR_BGR2GRAY)
        scale = STIR_WIDTH / part.shape[1]
        small = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32)
        before, self._last = self._last, small
        if before is None:
            self._whole = np.asarray(part, np.uint8)
            return False
        gain = float(np.median(small / np.maximum(before, 1.0)))
        off = np.abs(small - gain * before)
        self._offs.append(float(np.median(off)))
        # In the middle of the last frames: when a lamp is switched one frame differs everywhere.
        limit = max(PIXEL_STIRS_LEVELS, STIRS_NOISE * MAD * float(np.median(self._offs)))
        stirs = float((off > limit).mean()) > STIRS_SHARE or abs(gain - 1) > LAMP
        if stirs:
            self._stirred_t = frame.t
        if frame.t - self._looked_t >= LOOK_EVERY_S:
            self._looked_t = frame.t
            if off.any():  # a recording may show a picture for many frames
                (x, y), _ = cv2.phaseCorrelate(before, small)
                self._shake.append(float(np.hypot(x, y)) / scale)
            if self._whole is not None and frame.t - self._stirred_t > QUIET_BEFORE_S:
                self._measure_noise(np.asarray(part, np.uint8), self._whole)
        self._whole = np.asarray(part, np.uint8)
        return stirs

    def _measure_noise(self, part: Image, before: Image) -> None:
        off = cv2.absdiff(part, before)
        if off.any():
            self._noise.append(MAD * _unrounded_median(np.asarray(off, np.uint8)))

    def measure_board(self, frame: Frame, placement: bytes) -> None:
        """The position `placement` stands on the board and nothing is over it: measure what it looks like."""
        image = frame.image
        patches = np.array([_median_colour(image, self._disc_pixels(cell)) for cell in range(len(placement))])
        empty = [cell for cell, piece in enumerate(placement) if not piece]
        if not empty:
            return
        grey = cv2.cvtColor(image[self._part], cv2.COLOR_BGR2GRAY)
        floor = np.sort(patches[empty].mean(axis=1))
        quarter = max(1, len(floor) // 4)
        self._looks.append(
            {
                "light": float(grey.mean()),
                "uneven": float(floor[-quarter:].mean() / max(floor[:quarter].mean(), 1.0)),
                "glare": float((grey >= GLARE_LEVEL).mean()),
                "blur_px": _edge_px(np.asarray(grey, np.uint8)),
            }
        )
        self._measure_contrasts(patches, placement, empty)

    def _measure_contrasts(self, patches: Floats, placement: bytes, empty: Sequence[int]) -> None:
        """How much each look differs from the board beside it, and from each other look."""
        game, at = self.game, np.array(self.game.board.centres_xy)
        by_look: dict[str, list[int]] = {}
        for cell, piece in enumerate(placement):
            if piece:
                by_look.setdefault(game.looks[game.look_of[piece]], []).append(cell)
        for look, cells in by_look.items():
            found = [self._difference_from_floor(patches, at, cell, empty) for cell in cells]
            self._faint.setdefault(look, []).append(float(np.percentile(found, FAINT_SHARE)))
        middles = {look: np.median(patches[cells], axis=0) for look, cells in by_look.items()}
        names = sorted(middles)
        for one, other in ((a, b) for n, a in enumerate(names) for b in names[n + 1 :]):
            apart = float(np.abs(middles[one] - middles[other]).max())
            self._faint.setdefault(f"{one} {other}", []).append(apart)

    def _difference_from_floor(self, patches: Floats, at: Floats, cell: int, empty: Sequence[int]) -> float:
        """The least that a piece differs from one of the empty cells of its level that are nearest to it."""
        levels = self.game.board.levels
        here = [one for one in empty if levels[one] == levels[cell]] or list(empty)
        nearest = sorted(here, key=lambda one: float(((at[one] - at[cell]) ** 2).sum()))[:4]
        return min(float(np.abs(patches[cell] - patches[one]).max()) for one in nearest)

    def _disc_pixels(self, cell: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Pixels (rows, columns) in the middle of a cell."""
        view = self.views[self.game.board.levels[cell]]
        steps = np.linspace(-WITHIN, WITHIN, 7)
        points = np.array(self.game.board.centres_xy[cell]) + np.array([(x, y) for x in steps for y in steps])
        pixels = np.rint(view.project_points(points)).astype(np.int64)
        w, h = view.lens.size_wh
        return pixels[:, 1].clip(0, h - 1), pixels[:, 0].clip(0, w - 1)

    def summarize_measures(self) -> Measured:
        """All of it together."""
        at = [np.array([xy for xy, on in zip(self.game.board.centres_xy, self.game.board.levels, strict=True)
                        if on == level]) for level in range(len(self.views))]  # fmt: skip
        cell_px = min(float(view.narrowest_px(xy).min()) for view, xy in zip(self.views, at, strict=True))
        angle = min(_angle_deg(view) for view in self.views)
        steps = np.diff(self._times)
        faint = {look: float(np.median(found)) for look, found in self._faint.items()}
        faintest = min(faint, key=lambda look: faint[look], default="")
        middle = {key: float(np.median([look[key] for look in self._looks])) for key in (self._looks or [{}])[0]}
        return Measured(
            cell_px,
            angle,
            1.0 / float(np.median(steps)) if len(steps) and float(np.median(steps)) > 0 else 0.0,
            float(np.median(self._noise)) if self._noise else 0.0,
            float(np.median(self._shake)) if self._shake else 0.0,
            middle.get("light", 0.0),
            middle.get("uneven", 1.0),
            middle.get("glare", 0.0),
            middle.get("blur_px", 0.0) / max(cell_px, 1.0),
            faint.get(faintest, 0.0),
            faintest,
        )


def _median_colour(image: Image, where: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]) -> Floats:
    return np.asarray(np.median(image[where], axis=0), np.float64)


def _unrounded_median(off: Image) -> float:
    """The median of whole numbers as if they were not rounded: most frames of a good camera differ by 0, 1 or 2."""
    counts = np.bincount(off.ravel())
    below = np.cumsum(counts)
    half = below[-1] / 2
    level = int(np.searchsorted(below, half))
    under = below[level - 1] if level else 0
    return float(max(0.0, level - 0.5 + (half - under) / counts[level]))


def _edge_px(grey: Image) -> float:
    """How many pixels the sharpest edges take: the range around each place over its steepest slope there."""
    level = np.asarray(grey, np.float32)
    square = np.ones((WINDOW, WINDOW), np.uint8)
    reach = cv2.dilate(level, square) - cv2.erode(level, square)
    slope = np.hypot(cv2.Sobel(level, cv2.CV_32F, 1, 0, ksize=1), cv2.Sobel(level, cv2.CV_32F, 0, 1, ksize=1)) / 2
    steep = cv2.dilate(np.asarray(slope, np.float32), square)
    strong = reach >= np.percentile(reach, SHARPEST)
    return float(np.median(reach[strong] / np.maximum(steep[strong], 1.0)))


def _angle_deg(view: View) -> float:
    x, y, z = view.camera_xyz
    w, h = view.size_cells
    return float(np.degrees(np.arctan2(z, np.hypot(x - w / 2, y - h / 2))))
