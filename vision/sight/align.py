"""Where the board is in every frame: a small motion of the picture, followed on the board's own edges.

A few thousand points of strong gradient are taken from a reference picture. In a new frame the similarity (shift, turn,
scale) together with gain and offset of the light is found that explains the points best, by Gauss-Newton with weights
that leave out what hands hide (Lucas & Kanade 1981; Baker & Matthews 2004, inverse compositional). Shake, sway and
light bumps are one thing of different size; what moves further is looked for by `vision.reading.track`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import Floats, View, rectangle_corners
from engine.board import Board
from vision.ground import Image
from vision.reading.track import Grey
from vision.sight.noise import Levels

Affine = npt.NDArray[np.float64]
"""(2, 3): pixels of the reference picture -> pixels of this one."""

SMALL_WIDTH = 480
"""Pictures are reduced to at least this width for alignment: a third of a reduced pixel is well under a tenth of a cell
on every board that can be read, and edges keep their contrast."""
BUCKETS, PER_BUCKET = 24, 6
"""Points are taken from so many fields each way, so that all of the board holds it, and this many in each."""
LEAST_GRADIENT = 4.0
"""Grey levels a pixel, under which a point says nothing about where it is."""
LEAST_POINTS = 40
SMOOTH_PX, SMOOTH_OVER = 0.8, (5, 5)
"""Spread of the smoothing in reduced pixels, and over which of them: gradients of single pixels are noise."""
ALIGN_ROUNDS = 8
ENOUGH_PX, ENOUGH_LEVELS = 0.01, 0.5
"""A step smaller than this, of motion and of light, ends the search."""
ROBUST_SD = 1.48
"""Standard deviations of a Gaussian in its median absolute deviation."""
LIGHT_KEPT = 1.5
"""While the points are off by no more than so many times the last frame's error its light is taken for this one's. That
only saves work: lowering it estimates the light in every frame, raising it starts from what may be another light."""
MIDDLE_GREY = 128.0
ALIGN_RIDGE, TINY = 1e-6, 1e-9
LEAST_GAIN, GAINS = 0.3, (0.1, 8.0)
"""In the dark limits do not shrink further than this; no camera changes its exposure by more in one game."""
AROUND_CELLS = 0.6
"""So far beyond its rectangle the board's frame is taken for part of it."""
OUTLIER_SD = 2.5
"""Points off by more than this many robust deviations hardly count: hands, pieces that moved."""
LEAST_NOISE = 1.5
"""Grey levels: no point is expected to agree better."""
FIELDS_ASIDE, LEAST_IN_FIELD, SAME_FIELD = 6, 12, 0.7
"""The points are held against their reference in so many fields each way, each of so many points at least. A field is
seen where the grey levels of its points correlate by this with those of the reference, in whatever light. More fields,
of fewer points, agree by chance, fewer are all touched by a hand; raising the last loses boards in noise and haze,
lowering it sees fields where others are: with 0.6 up to 0.15 of them after a move, with 0.7 0.08, of 66 moves."""
BOARD_SEEN = 0.2
"""The board is where it was if so large a share of the fields is seen: something large may hide the rest. Raising it
says of a board over which a head leans that it has moved, lowering it believes in a place that it has left. With half
of 36 drawn boards hidden it was 0.39 and more, with two thirds 0.23 and more, with 72 % 0.1 and more; in hard noise,
haze and lamps 0.5 and more. Of 188 moves by half a cell to three cells 23 are not noticed, most of them by just a cell,
after which lines lie on lines; 62 were not when grey levels alone were counted: on dark wood much looks like much
else."""
CELLS_SEEN, CELL_REACH = 0.1, 0.55
"""So large a share of the fields of the cells alone must be seen as well, each cell with what lies within so many cells
of its middle: the table around a board stays when only the board is turned. Of a small board on a patterned table 0.25
to 0.47 of all fields were seen after turns by 5 to 40 degrees, and 0.07 at most of those of its cells. With a cloth
over half of a board it was 0.25 and more, over two thirds 0.19, in noise of sd 110 0.13. Raising the first says of
hidden boards that they moved, lowering it believes in a place that only the table shows. Fitted on that one board and
two recordings; the noise is that of a test."""
AGREES_LEVELS, AGREES_PART = 14.0, 0.35
"""A point agrees when it is off by less than so many grey levels, or this part of its gradient."""
RENEW_BELOW = 0.75
"""When fewer of the points agree although all of the board is seen, new ones are taken: pieces have moved on."""
FARTHEST_CELLS = 0.45
"""A shift by more than this might be taken for one to the next line of the board, and is not believed."""
TRIED_PX, EACH_POINT = 1.5, 4
"""Reduced pixels between the shifts that are tried where the board is not found near where it was, and each how manieth
point is asked: a search reaches its goal from two pixels away. Raising them misses bumps, lowering them costs time."""
SHIFT_SEEN = 0.4
"""Share of the fields that must be seen after such a shift. Raising it loses bumps under a hand, lowering it believes
in bumps under one. Guessed; in 48 drawn films with a lamp or a hand no bump was believed in."""
TRIED_AGAIN = 5
"""Frames until shifts are tried again."""
STAYED: Affine = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@dataclass(frozen=True)
class Place:
    """Where a frame shows the board: `moved` from the reference, `share` of the points that agree, their error in
    grey levels, the gain of the light over the reference; `shift_px` how far the middle has moved in camera pixels."""

    moved: Affine
    share: float
    error: float
    gain: float
    shift_px: float
    seen: float = 1.0
    """Share of the board's fields whose pattern is seen there."""
    cells_seen: float = 1.0
    """The same of the cells alone, without what lies around them."""

    @property
    def is_found(self) -> bool:
        """Whether enough of the board is seen there."""
        return self.seen >= BOARD_SEEN and self.cells_seen >= CELLS_SEEN


class _Fields:
    """The patterns of the fields of points, which follow one another by `_sort_by_field`."""

    def __init__(self, points: npt.NDArray[np.int64], value: Levels) -> None:
        fields = _number_fields(points)
        self._starts = np.flatnonzero(np.diff(fields, prepend=-1))
        self._counts = np.diff(self._starts, append=len(points)).astype(np.float32)
        self._enough = self._counts >= min(LEAST_IN_FIELD, self._counts.max(initial=0.0))
        self._pattern, self._power = self._pattern_of(value)

    def share_seen(self, now: Levels) -> float:
        """In which share of the fields the grey levels `now` have the pattern of the reference."""
        pattern, power = self._pattern_of(now)
        alike = np.add.reduceat(pattern * self._pattern, self._starts)
        seen = alike > SAME_FIELD * np.sqrt(power * self._power)
        return float(seen[self._enough].mean())

    def _pattern_of(self, value: Levels) -> tuple[Levels, Levels]:
        """Each grey level against the mean of its field, and the sum of their squares in each."""
        if not len(value):
            return value, value
        mean = np.add.reduceat(value, self._starts) / self._counts
        pattern = value - np.repeat(mean, self._counts.astype(np.int64))
        return pattern, np.add.reduceat(pattern * pattern, self._starts)


class Anchor:
    """The reference that frames are aligned to. Mutable: it remembers where the last frame was."""

    def __init__(self, board: Board, image: Image, views: Sequence[View], base: Affine = STAYED) -> None:
        """Points of `image`, which shows the board as `views` say after the motion `base`."""
        self.views = tuple(views)
        self._base = base
        self._factor = max(1, image.shape[1] // SMALL_WIDTH)
        self.small = self._reduce_picture(image)
        """The newest picture, reduced and grey."""
        self._pitch = min(float(np.median(v.pitch_px(np.array([v.size_cells]) / 2))) for v in views) / self._factor
        smooth = cv2.GaussianBlur(self.small.astype(np.float32), (0, 0), SMOOTH_PX)
        gx, gy = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=1 / 8)
        points = _sort_by_field(_strongest_points(np.hypot(gx, gy), self._board_mask(self.small.shape)))
        at = points[:, 1], points[:, 0]
        self._points = points.T.astype(np.float32)
        self._value = np.asarray(smooth[at], np.float32)
        self._fields = _Fields(points, self._value)
        inside = np.flatnonzero(self._cell_mask(board, self.small.shape)[at])
        self._in_cells = inside[np.argsort(_number_fields(points[inside]), kind="stable")]
        """Those of the points that lie in cells, by field."""
        self._cell_fields = _Fields(points[self._in_cells], self._value[self._in_cells])
        slope_x, slope_y = gx[at], gy[at]
        self._middle = points.mean(axis=0) if len(points) else np.zeros(2)
        self._size = float(max(np.abs(points - self._middle).max(), 1.0)) if len(points) else 1.0
        arm_x, arm_y = (self._points - self._middle[:, None].astype(np.float32)) / np.float32(self._size)
        self._arm = np.stack([arm_x, arm_y])
        self._design = np.stack(
            [
                -slope_x,
                -slope_y,
                -(slope_x * arm_x + slope_y * arm_y),
                -(slope_y * arm_x - slope_x * arm_y),
                self._value / np.float32(MIDDLE_GREY),
                np.ones_like(self._value),
            ]
        ).astype(np.float32)
        """(6, points): what each point's error says of motion, gain and offset, in the light of the reference."""
        self._limit = np.maximum(AGREES_LEVELS, AGREES_PART * 2 * np.hypot(slope_x, slope_y)).astype(np.float32)
        self._quarters = _value_quartiles(self._value)
        self._last = np.zeros(4)
        self._light = (1.0, 0.0)
        self._error = LEAST_NOISE
        self._lost = 0
        """Frames since the board was found."""
        self._held = self._last
        """Its motion of when it was found last."""

    def locate_board(self, image: Image) -> Place:
        """Where `image` shows the board; the search begins where the last frame had it."""
        self.small = self._reduce_picture(image)
        if len(self._value) < LEAST_POINTS:  # nothing to hold on to: it is taken to stay where it is
            return Place(self._base, 1.0, 0.0, 1.0, 0.0)
        small = np.asarray(cv2.GaussianBlur(self.small, SMOOTH_OVER, SMOOTH_PX), np.uint8)
        tried = [self._search_motion(small, self._last)]
        if not tried[0][1].is_found and self._last.any():
            tried.append(self._search_motion(small, np.zeros(4)))
        params, place = max(tried, key=lambda one: one[1].seen)
        if not place.is_found and self._lost % TRIED_AGAIN == 0:
            shifted = self._search_motion(small, self._likeliest_shift(small))
            params, place = shifted if shifted[1].seen >= SHIFT_SEEN else (params, place)
        if place.seen < SHIFT_SEEN:  # where much is hidden the search goes astray
            held = self._judge_place(self._held, self._sample_points(small, self._held), self._light)
            params, place = (self._held, held) if held.seen > place.seen else (params, place)
        if place.is_found:
            self._held = params
        self._lost = 0 if place.is_found else self._lost + 1
        self._last = params if place.is_found else np.zeros(4)
        return place

    def _judge_place(self, params: Floats, now: Levels, light: tuple[float, float]) -> Place:
        """What the grey levels `now` of the points say of a motion in this light."""
        off = np.abs(self._grey_errors(now, *light))
        agree = off < self._limit * np.float32(max(light[0], LEAST_GAIN))
        shift = float(np.hypot(*params[:2])) * self._factor
        moved = self._since_base(self._camera_affine(params))
        seen, cells_seen = self._fields.share_seen(now), 1.0
        if len(self._in_cells) >= LEAST_POINTS:
            cells_seen = self._cell_fields.share_seen(now[self._in_cells])
        return Place(moved, float(agree.mean()), _middle_of(off), light[0], shift, seen, cells_seen)

    def _search_motion(self, small: Grey, start: Floats) -> tuple[Floats, Place]:
        """The motion that explains the points best, searched from `start`, and what came of it."""
        params, design = start.copy(), self._design
        now = self._sample_points(small, params)
        gain, offset = self._choose_light(now)
        for _ in range(ALIGN_ROUNDS):
            off = self._grey_errors(now, gain, offset)
            scale = max(ROBUST_SD * _middle_of(np.abs(off)), LEAST_NOISE) * OUTLIER_SD
            weight = 1.0 / (1.0 + (off / np.float32(scale)) ** 2) ** 2
            weighted = design * weight
            normal, wanted = (weighted @ design.T).astype(np.float64), (weighted @ off).astype(np.float64)
            normal[np.arange(6), np.arange(6)] += ALIGN_RIDGE * np.diag(normal) + TINY
            step = np.linalg.solve(normal, wanted)
            step[:4] /= gain
            params += step[:4]
            gain, offset = gain + step[4] / MIDDLE_GREY, offset + step[5]
            now = self._sample_points(small, params)
            if np.abs(step[:4]).max() < ENOUGH_PX and np.abs(step[4:]).max() < ENOUGH_LEVELS:
                break
        place = self._judge_place(params, now, (float(gain), float(offset)))
        far = float(np.abs(params[:2]).max()) > FARTHEST_CELLS * self._pitch or not GAINS[0] < gain < GAINS[1]
        self._error = place.error
        self._light = (gain, offset) if place.is_found and not far else (1.0, 0.0)
        return params, replace(place, share=0.0, seen=0.0) if far else place

    def _likeliest_shift(self, small: Grey) -> Floats:
        """The shift that leaves the least error: after a bump a search from where the board was goes astray."""
        steps = np.arange(0.0, FARTHEST_CELLS * self._pitch, TRIED_PX)
        steps = np.concatenate([-steps[:0:-1], steps]).astype(np.float32)
        shifts = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        points, value = self._points[:, ::EACH_POINT].T, self._value[::EACH_POINT]
        where = np.ascontiguousarray(points[None] + shifts[:, None])
        seen = cv2.remap(small, where, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]  # cv2's stubs do not know that map2 may be None
        quarters, errors = _value_quartiles(value), []
        for now in np.asarray(seen, np.float32):
            gain, offset = _match_quartiles(_value_quartiles(now), quarters)
            errors.append(_middle_of(np.abs(now - np.float32(gain) * value - np.float32(offset))))
        return np.array([*shifts[int(np.argmin(errors))], 0.0, 0.0])

    def _grey_errors(self, now: Levels, gain: float, offset: float) -> Levels:
        """By how many grey levels the points are not as in the reference in this light."""
        return np.asarray(now - np.float32(gain) * self._value - np.float32(offset), np.float32)

    def _choose_light(self, now: Levels) -> tuple[float, float]:
        """Gain and offset of the light that explain the points better: those of the last frame, or new ones."""
        kept = _middle_of(np.abs(self._grey_errors(now, *self._light)))
        if kept <= LIGHT_KEPT * max(self._error, LEAST_NOISE):
            return self._light
        other = _match_quartiles(_value_quartiles(now), self._quarters)
        return self._light if kept <= _middle_of(np.abs(self._grey_errors(now, *other))) else other

    def _sample_points(self, small: Grey, params: Floats) -> Levels:
        """Grey levels of a picture where the points are after the motion."""
        points = np.ascontiguousarray(self._move_points(params).T)[None]
        seen = cv2.remap(small, points, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]  # cv2's stubs do not know that map2 may be None
        return np.asarray(seen.reshape(-1), np.float32)

    def _move_points(self, params: Floats) -> Levels:
        """Where the points (2, N) are after the motion (shift x, y, growth, turn; the last two at the board's rim)."""
        dx, dy, grow, turn = params.astype(np.float32)
        x, y = self._arm
        return np.asarray(self._points + np.stack([dx + grow * x - turn * y, dy + grow * y + turn * x]), np.float32)

    def _since_base(self, moved: Affine) -> Affine:
        """A motion since the reference picture as one since `views`."""
        linear = moved[:, :2]
        return np.asarray(np.column_stack([linear @ self._base[:, :2], linear @ self._base[:, 2] + moved[:, 2]]), float)

    def _camera_affine(self, params: Floats) -> Affine:
        """The motion in pixels of the camera."""
        dx, dy, grow, turn = params
        a, b = grow / self._size, turn / self._size
        middle = (self._middle + 0.5) * self._factor - 0.5
        shift = np.array([dx, dy]) * self._factor
        linear = np.array([[1 + a, -b], [b, 1 + a]])
        return np.asarray(np.column_stack([linear, middle + shift - linear @ middle]), float)

    def _reduce_picture(self, image: Image) -> Grey:
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        if self._factor == 1:
            return np.asarray(grey, np.uint8)
        h, w = grey.shape
        return np.asarray(
            cv2.resize(grey, (w // self._factor, h // self._factor), interpolation=cv2.INTER_AREA), np.uint8
        )

    def _board_mask(self, shape: tuple[int, ...]) -> Grey:
        """Flags of the pixels of the board and of what is around it."""
        mask = np.zeros(shape, np.uint8)
        for view in self.views:
            w, h = view.size_cells
            grown = (rectangle_corners((1.0, 1.0)) - 0.5) * [w + 2 * AROUND_CELLS, h + 2 * AROUND_CELLS] + [
                w / 2,
                h / 2,
            ]
            self._fill_polygon(mask, view, grown)
        mask[:2], mask[-2:], mask[:, :2], mask[:, -2:] = 0, 0, 0, 0
        return mask

    def _cell_mask(self, board: Board, shape: tuple[int, ...]) -> Grey:
        """Flags of the pixels of the board's cells."""
        mask = np.zeros(shape, np.uint8)
        square = (rectangle_corners((1.0, 1.0)) - 0.5) * 2 * CELL_REACH
        for level, centre in zip(board.levels, board.centres_xy, strict=True):
            self._fill_polygon(mask, self.views[level], square + np.asarray(centre))
        return mask

    def _fill_polygon(self, mask: Grey, view: View, corners_xy: Floats) -> None:
        """Flag what these corners enclose, in cells of a level as `view` shows it."""
        there = view.project_points(corners_xy) @ self._base[:, :2].T + self._base[:, 2]
        corners = (there + 0.5) / self._factor - 0.5
        cv2.fillConvexPoly(mask, cv2.convexHull(np.round(corners).astype(np.int32)), 1)


def carry_by_affine(view: View, moved: Affine) -> View:
    """The view after the picture moved by `moved`."""
    there = np.array(view.corners_px) @ moved[:, :2].T + moved[:, 2]
    return View(view.lens, view.size_cells, tuple((float(x), float(y)) for x, y in there))


def _sort_by_field(points: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The points (N, 2), those of each field after those of the one before."""
    return points[np.argsort(_number_fields(points), kind="stable")]


def _number_fields(points: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(N,) in which of FIELDS_ASIDE x FIELDS_ASIDE fields each of the points (N, 2) lies."""
    if not len(points):
        return np.zeros(0, np.int64)
    low, size = points.min(axis=0), np.ptp(points, axis=0) + 1
    column, row = ((points - low) * FIELDS_ASIDE // size).T
    return np.asarray(row * FIELDS_ASIDE + column, np.int64)


def _middle_of(values: Levels) -> float:
    """The median, of an even number the upper one."""
    half = len(values) // 2
    return float(np.partition(values, half)[half])


def _value_quartiles(values: Levels) -> tuple[float, float]:
    """The lower and the upper quartile; 0 of nothing."""
    if not len(values):
        return 0.0, 0.0
    at = [len(values) // 4, 3 * len(values) // 4]
    low, high = np.partition(values, at)[at]
    return float(low), float(high)


def _match_quartiles(now: tuple[float, float], value: tuple[float, float]) -> tuple[float, float]:
    """Gain and offset that bring the quartiles `value` to those of `now`: what hides a quarter does not matter."""
    (low, high), (was_low, was_high) = now, value
    gain = float(np.clip((high - low) / max(was_high - was_low, 1.0), *GAINS))
    return gain, float((low + high - gain * (was_low + was_high)) / 2)


def _strongest_points(strength: npt.NDArray[np.float32], mask: Grey) -> npt.NDArray[np.int64]:
    """Points (N, 2) x, y of the strongest gradients, spread over the mask."""
    rows, columns = np.nonzero(mask)
    if not len(rows):
        return np.zeros((0, 2), np.int64)
    y0, x0, y1, x1 = rows.min(), columns.min(), rows.max() + 1, columns.max() + 1
    field = (strength * mask)[y0:y1, x0:x1]
    out = []
    ys, xs = (np.linspace(0, n, BUCKETS + 1).astype(int) for n in field.shape)
    for top, bottom in pairwise(ys):
        for left, right in pairwise(xs):
            part = field[top:bottom, left:right]
            if part.size == 0:
                continue
            best = np.argsort(-part, axis=None)[:PER_BUCKET]
            best = best[part.ravel()[best] > LEAST_GRADIENT]
            y, x = np.unravel_index(best, part.shape)
            out.append(np.column_stack([x + left + x0, y + top + y0]))
    return np.concatenate(out) if out else np.zeros((0, 2), np.int64)
