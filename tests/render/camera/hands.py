"""Hands that move: between two pictures without hands they come, go over the cells that they change, and leave.

A recording shows a hand in one to three poses a ply. What in a pose differs from the still pictures before and after
it is the hand (with the piece that it carries); it is cut out and moved along a path over the places where the two
still pictures differ, and each of those changes when the hand is over it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

HAND_LEVELS, CHANGE_LEVELS = 14, 18
"""A hand, and a cell that changed, differ from the still picture by so many grey levels."""
MOST_CHANGED = 0.12
"""Of the picture: if more differs between two still pictures, the light or the camera changed, and hands only rest."""
SMALLEST_HAND, SMALLEST_CHANGE = 0.004, 0.00008
"""Parts of the picture."""
SHADE, SHADE_COLOUR, SHADE_ROUGH = (0.5, 0.985), 0.07, 0.05
"""A hand's shadow leaves such a part of the light, the same of each colour but for so much, and evenly."""
SOFT_PX = 2.0
TREMBLE = 0.01
"""How far a hand that seems to rest moves, as a part of the picture's width."""
OUTSIDE = 0.75
"""How far away a hand begins and ends, as a part of its own length."""


@dataclass(frozen=True)
class Run:
    """Pictures of one kind that follow each other, the number of the first, and round moving ones the still ones."""

    first: int
    shots: tuple[tuple[str, Image], ...]
    before: Image | None = None
    after: Image | None = None
    within: bool = False
    """Of a still picture: hands are seen right before and right after it."""
    last: bool = False
    """Of a still picture: it is the end of the recording."""


@dataclass(frozen=True)
class Pose:
    """A hand cut out: its picture, how much of each pixel it covers (255: all), what its shadow leaves of the light
    (255: all), where its tip is, the way out of the picture."""

    image: Image
    cover: Mask
    shade: Mask
    tip_xy: Floats
    out_xy: Floats


@dataclass(frozen=True)
class Change:
    """A place where the still pictures differ: in `after` from pose `pose` on (or after the last one)."""

    mask: npt.NDArray[np.bool_]
    box: tuple[slice, slice]
    middle_xy: Floats
    pose: int


class Moving:
    """A hand's way through its poses."""

    def __init__(self, before: Image, after: Image, poses: list[Pose], changes: list[Change]) -> None:
        self._before, self._after, self._poses, self._changes = before, after, poses, changes
        self._ways = [self._way(index) for index in range(len(poses))]

    def _way(self, index: int) -> list[tuple[float, Floats, Change | None]]:
        """Share of the pose's time, offset of the hand from it, and what changes there."""
        pose, last = self._poses[index], index == len(self._poses) - 1
        coming = [change for change in self._changes if change.pose == index]
        going = [change for change in self._changes if last and change.pose > index]
        stops: list[tuple[Floats, Change | None]] = [(pose.out_xy, None)] if index == 0 else []
        stops += [(change.middle_xy - pose.tip_xy, change) for change in coming]
        stops += [(np.zeros(2), None)]
        stops += [(change.middle_xy - pose.tip_xy, change) for change in going]
        stops += [(pose.out_xy, None)] if last else []
        shares = np.linspace(0, 1, len(stops)) if len(stops) > 1 else np.array([0.5])
        return [(float(s), offset, change) for s, (offset, change) in zip(shares, stops, strict=True)]

    def at(self, index: int, share: float) -> Image:
        """The picture when so much of the pose's time has passed, 0 to 1."""
        pose, way = self._poses[index], self._ways[index]
        times = [stop[0] for stop in way]
        dx, dy = (float(np.interp(share, times, [stop[1][axis] for stop in way])) for axis in (0, 1))
        tremble = TREMBLE * pose.image.shape[1]
        dx += tremble * np.sin(17 * share + index)
        dy += tremble * np.sin(23 * share + 2 * index)
        canvas = self._before.copy()
        for change in self._changes:
            passed = next((s for s, _, one in way if one is change), None)
            if change.pose < index or (passed is not None and passed <= share):
                canvas[change.box][change.mask] = self._after[change.box][change.mask]
        return _laid_over(canvas, pose, round(dx), round(dy))


def between(run: Run) -> Moving | None:
    """The moving hand of a run; None where it cannot be cut out."""
    if run.before is None or run.after is None:
        return None
    before, after = run.before, run.after
    differs = _differs(before, after) > CHANGE_LEVELS
    if differs.mean() > MOST_CHANGED:
        return None
    poses = []
    for _, image in run.shots:
        pose = _cut_out(image, before, after)
        if pose is None:
            return None
        poses.append(pose)
    return Moving(before, after, poses, _changes(before, after, differs, poses))


def _differs(a: Image, b: Image) -> Mask:
    return np.asarray(cv2.absdiff(a, b).max(axis=2), np.uint8)


def _cut_out(image: Image, before: Image, after: Image) -> Pose | None:
    h, w = image.shape[:2]
    hand = (np.minimum(_differs(image, before), _differs(image, after)) > HAND_LEVELS).astype(np.uint8)
    hand = cv2.morphologyEx(hand, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    hand = cv2.morphologyEx(hand, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(hand)
    large = [n for n in range(1, len(stats)) if stats[n, cv2.CC_STAT_AREA] > SMALLEST_HAND * h * w]
    if not large:
        return None
    hand = np.isin(labels, large).astype(np.uint8)
    shadow, left = _shadow(image, before, after, hand)
    solid = cv2.morphologyEx(hand & ~shadow & 1, cv2.MORPH_OPEN, np.ones((9, 9), np.uint8))
    if not solid.any():
        return None
    hand = solid
    ys, xs = np.nonzero(hand)
    points = np.column_stack([xs, ys]).astype(float)
    at_edge = (xs < 3) | (ys < 3) | (xs > w - 4) | (ys > h - 4)
    if at_edge.any():
        wrist = points[at_edge].mean(axis=0)
    else:  # comes from above: towards the nearest edge
        middle = points.mean(axis=0)
        edges = np.array([[0, middle[1]], [w, middle[1]], [middle[0], 0], [middle[0], h]])
        wrist = edges[np.argmin(np.linalg.norm(edges - middle, axis=1))]
    lengths = np.linalg.norm(points - wrist, axis=1)
    tip = points[np.argmax(lengths)]
    cover = cv2.GaussianBlur(cv2.dilate(hand, np.ones((5, 5), np.uint8)) * np.uint8(255), (0, 0), SOFT_PX)
    return Pose(image, np.asarray(cover, np.uint8), left, tip, (wrist - tip) * (1 + OUTSIDE) * 0.7)


def _shadow(image: Image, before: Image, after: Image, hand: Mask) -> tuple[Mask, Mask]:
    """Which pixels of a hand's outline are only in its shadow (1), and what is left of the light there (255: all)."""
    small = (image.shape[1] // 2, image.shape[0] // 2)
    now, *still = (cv2.resize(one, small).astype(np.float32) + 4 for one in (image, before, after))
    ratios = min((cv2.blur(now / one, (5, 5)) for one in still), key=lambda ratio: float(np.abs(ratio - 1).mean()))
    ratio = ratios.mean(axis=2)
    colour = ratios.max(axis=2) - ratios.min(axis=2)
    rough = np.sqrt(np.maximum(cv2.blur(ratio**2, (7, 7)) - cv2.blur(ratio, (7, 7)) ** 2, 0))
    shaded = (ratio > SHADE[0]) & (ratio < SHADE[1]) & (colour < SHADE_COLOUR) & (rough < SHADE_ROUGH)
    votes = cv2.blur(shaded.astype(np.float32), (9, 9)) > 0.5
    whole = image.shape[1::-1]
    shadow = cv2.resize(votes.astype(np.uint8), whole, interpolation=cv2.INTER_NEAREST) & hand
    left = np.where(cv2.resize(shadow, small, interpolation=cv2.INTER_NEAREST) > 0, ratio, 1.0).astype(np.float32)
    left = cv2.resize(cv2.GaussianBlur(left, (0, 0), 2 * SOFT_PX), whole)
    return np.asarray(shadow, np.uint8), np.asarray(np.clip(255 * left, 0, 255).round(), np.uint8)


def _changes(before: Image, after: Image, differs: npt.NDArray[np.bool_], poses: list[Pose]) -> list[Change]:
    """Places where the still pictures differ, each with the first pose that shows it as afterwards."""
    h, w = differs.shape
    spots = cv2.dilate(differs.astype(np.uint8), np.ones((7, 7), np.uint8))
    _, labels, stats, centres = cv2.connectedComponentsWithStats(spots)
    found = []
    for n in range(1, len(stats)):
        x, y, width, height, area = (int(v) for v in stats[n])
        if area < SMALLEST_CHANGE * h * w + 49:
            continue
        box = (slice(y, y + height), slice(x, x + width))
        mask = labels[box] == n
        first = len(poses)
        for index in reversed(range(len(poses))):
            free = mask & (poses[index].cover[box] < 20)
            if free.sum() < mask.sum() / 4:  # under the hand: no earlier than it must be
                continue
            as_after = _differs(poses[index].image[box], after[box])[free].mean()
            as_before = _differs(poses[index].image[box], before[box])[free].mean()
            if as_after > as_before:
                break
            first = index
        found.append(Change(mask, box, np.asarray(centres[n], float), first))
    return found


def _laid_over(canvas: Image, pose: Pose, dx: int, dy: int) -> Image:
    """The hand moved by whole pixels over a picture; an arm that leaves the picture goes on beyond its edge."""
    h, w = pose.cover.shape
    ys, xs = np.clip(np.arange(h) - dy, 0, h - 1), np.clip(np.arange(w) - dx, 0, w - 1)
    for layer in (pose.shade, pose.cover):
        there = layer < 255 if layer is pose.shade else layer > 0
        rows, columns = np.flatnonzero(there.any(axis=1)[ys]), np.flatnonzero(there.any(axis=0)[xs])
        if not len(rows) or not len(columns):
            continue
        box = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
        picked = np.ix_(ys[box[0]], xs[box[1]])
        share = cv2.merge([layer[picked]] * 3)
        if layer is pose.shade:
            canvas[box] = cv2.multiply(canvas[box], share, scale=1 / 255)
            continue
        rest = cv2.multiply(canvas[box], cv2.bitwise_not(share), scale=1 / 255)
        canvas[box] = cv2.add(cv2.multiply(pose.image[picked], share, scale=1 / 255), rest)
    return canvas
