"""Whether an arm reaches over the board from beside it, however still it is.

A hand that pauses with its piece over a cell looks like a move: nothing on the board is odd. But what has changed since
the board was last understood then goes on from the board to far beside it, or to the edge of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import View
from engine.board import Board
from vision.ground import Image
from vision.settle import Small, reduced

CHANGED_LEVELS = 6.0
"""Grey levels by which a reduced pixel differs, light apart. In 10 games drawn at 30 frames a second all 297 looks at
resting arms were told with it; with 10 two of them seemed to end before the edge of the picture."""
BESIDE_CELLS = 2.0
"""Area beside the board, in cells: every one of those arms had more than 4."""
EDGE_CELLS = 4.0
"""Area of a change that goes to the edge of the picture: every one of those arms had more than 8."""
MARGIN_CELLS = 1.5
"""So far beside the board pieces on it are seen, and their shadows."""
STIRRED_CELLS = 7.0
"""What has come to rest stirs when so large a change touches it: 11 cells and more wherever an arm went in ten drawn
games, a piece that went through the shadow of a cup 0.8 at most, and 4.7 a jump and its capture there."""
PLAYED_CELLS = 0.2
"""A piece that had come or gone changed 0.6 and 0.7 of a cell in a drawn game; flicker changes nothing, light
apart."""
THIN = np.ones((3, 3), np.uint8)
"""Changes thinner than this are rims of what stands where it stood, seen from where the camera was pushed to."""
GAP_PX = 5
"""Gaps that a sleeve of the table's colour leaves, closed in the reduced picture."""
STILL_PX = 0.25
"""A board that is found nearer than this, in the reduced picture, has not moved."""
NEAR_CELLS = 1.25
"""A piece held in a hand is seen together with the arm: the cells of what looked like another move than the one being
made were 0.2 cells from it at most in twelve drawn games, those of moves beside a cup and its shadow 1.6 and more."""
CLEAR = 2
"""Pictures that are kept if they differ as if an arm had come or gone."""
LIGHT_WH = (16, 12)
"""Fields of the picture in each of which the light may have changed otherwise."""
LIGHT_AROUND = 5
"""An arm is narrower than half of so many fields: their median is the light."""
ANOTHER_LIGHT = 0.04
"""Share by which the middle one of all fields is brighter or darker: under arms and their shadows it is 0.02 at most in
the drawn games, and clouds that come in four steps change it by 0.07 each."""


@dataclass(frozen=True)
class Known:
    """A reduced picture, and where the board is seen in it."""

    picture: Small
    views: tuple[View, ...]

    @property
    def scale(self) -> float:
        """Pixels of the reduced picture over pixels of the camera's."""
        return float(self.picture.shape[1] / self.views[0].lens.size_wh[0])


@dataclass(frozen=True)
class Resting:
    """Something has come to rest that may be an arm: since when, in which picture, flags of where.

    The picture in full if it reached over the board, whose pieces were in its shadow then.
    """

    since: float
    seen: Known
    place: Small
    image: Image | None = None


class Over:
    """What one picture shows over the board that was not there before, each question answered once.

    Compared with pictures in which the board was understood, `clear`, and with one in which something had come to rest.
    """

    def __init__(self, now: Known, since: float, board: Board, clear: Sequence[Known], resting: Resting | None) -> None:
        """`since` is when something last moved."""
        self.now = now
        self.since = since
        self._board = board
        self._clear = tuple(clear)
        self._resting = resting

    @cached_property
    def reached(self) -> bool:
        """Whether something reaches over the board."""
        return self._reaching is not None

    @property
    def alone(self) -> bool:
        """Whether it is known that nothing reaches over the board."""
        return bool(self._clear) and not self.reached

    @cached_property
    def untouched(self) -> bool:
        """Whether what reaches over the board had come to rest there before, and has not stirred: a cup, and no arm."""
        if self._resting is None or self._resting.since >= self.since:
            return False
        touching, _ = self._changes(self._resting)
        stirred = (touching > STIRRED_CELLS * _cell_px2(self.now, self._board)).any()
        return not stirred and not _reaches(self.now, self._resting.seen, self._board).any()

    @property
    def arm(self) -> bool:
        """Whether an arm seems to reach over the board."""
        return self.reached and not self.untouched

    @cached_property
    def near(self) -> tuple[bool, ...]:
        """For each cell whether what seems to be an arm is on it or beside it; () if there is none."""
        if self._reaching is None or self.untouched:
            return ()
        return tuple((_distances(self.now, self._reaching, self._board) < NEAR_CELLS).tolist())

    @cached_property
    def coming(self) -> Small | None:
        """Flags of what reaches over the board or close to it: an arm that comes or goes, or a cup."""
        return self._differing(MARGIN_CELLS)

    @cached_property
    def passed_by(self) -> bool:
        """Whether something has changed on the board apart from what had come to rest: hands were elsewhere."""
        if self._resting is None:
            return False
        return bool((self._changes(self._resting)[1] > PLAYED_CELLS * _cell_px2(self.now, self._board)).any())

    @cached_property
    def same_light(self) -> bool:
        """Whether most of the picture is as bright as when the board was last understood; False if that is unknown."""
        if not self._clear:
            return False
        now, before = _fields(self.now.picture), _fields(self._clear[0].picture)
        return abs(float(np.median(now / before)) - 1) < ANOTHER_LIGHT

    def _changes(self, resting: Resting) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Areas of the changes that touch what rests, and what the others change on the board, in pixels."""
        count, parts = cv2.connectedComponents(_changed(self.now, resting.seen)[0])
        touching = np.bincount(parts[resting.place > 0], minlength=count)[1:] > 0
        places = (parts > 0, _face(self.now) > 0)
        whole, on_board = (np.bincount(parts[place], minlength=count)[1:] for place in places)
        return whole[touching], on_board[~touching]

    @cached_property
    def _reaching(self) -> Small | None:
        return self._differing()

    def _differing(self, beyond_cells: float = 0.0) -> Small | None:
        """Flags of what reaches over the board or so far beyond it; None if one of the pictures at least had it too."""
        found = [_reaches(self.now, before, self._board, beyond_cells) for before in self._clear]
        return np.maximum.reduce(found) if found and all(one.any() for one in found) else None


class Surroundings:
    """Pictures in which the board was understood. Mutable, owned by the main loop.

    A picture that agrees with one of those that are clear shows no arm. There may be two that differ as if an arm had
    come or gone, when one has rested over the board for very long.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._clear: tuple[Known, ...] = ()
        """The latest ones, latest first."""
        self._resting: Resting | None = None
        self._coming: Over | None = None

    def over(self, image: Image, views: Sequence[View], since: float) -> Over:
        """What a picture shows over the board, which is seen from `views` and where nothing has moved `since` then."""
        return Over(Known(reduced(image), tuple(views)), since, self._board, self._clear, self._resting)

    @property
    def known(self) -> bool:
        """Whether there is a picture to compare with."""
        return bool(self._clear)

    def understood(self, over: Over) -> None:
        """The board is understood in this picture, in which nothing reaches over it.

        A hand that has stopped close to it is waited for: next time it would be an arm that has gone, or hide another.
        What is there again in the same place is no hand, nor is what has not stirred when the next ply is seen.
        """
        last, self._coming = self._coming, None if over.coming is None else over
        if over.coming is None or (last is not None and last.since < over.since and self._alike(over, last)):
            self.clear(over)
        elif self.rested is None:
            self._resting = Resting(over.since, over.now, over.coming)

    def _alike(self, one: Over, other: Over) -> bool:
        """Whether no arm has moved over the board or close to it between two pictures."""
        return not _reaches(one.now, other.now, self._board, MARGIN_CELLS).any()

    def clear(self, over: Over) -> None:
        """This picture shows no arm, or one in which nothing has moved for long."""
        others = (before for before in self._clear if _reaches(over.now, before, self._board).any())
        self._clear = (over.now, *others)[:CLEAR]
        self._resting = self._coming = None

    def rests(self, over: Over, image: Image) -> None:
        """The board is understood in `image` although something reaches over it and rests: an arm, or a cup."""
        if self.known:
            self._resting = Resting(over.since, over.now, _reaches(over.now, self._clear[0], self._board), image)

    @property
    def rested(self) -> Image | None:
        """The picture in which something had come to rest while the board was understood; None if nothing has."""
        return None if self._resting is None else self._resting.image

    def forget(self) -> None:
        """The light is another: until the board is understood again nothing is known."""
        self._clear, self._resting, self._coming = (), None, None


def _reaches(now: Known, before: Known, board: Board, beyond_cells: float = 0.0) -> Small:
    """Flags of what differs from the picture `before` and reaches over the board, or so far beyond it."""
    changed, known = _changed(now, before)
    face, cell = _face(now), _cell_px2(now, board)
    around = _grown(face, MARGIN_CELLS * cell**0.5)
    face = _grown(face, beyond_cells * cell**0.5)
    edge = known - cv2.erode(known, THIN, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    count, parts, stats, _ = cv2.connectedComponentsWithStats(changed)
    places = (edge > 0, face > 0, around == 0)
    at_edge, over, beside = (np.bincount(parts[place], minlength=count) for place in places)
    large = stats[:, cv2.CC_STAT_AREA] > EDGE_CELLS * cell
    reaches = (over > 0) & (((at_edge > 0) & large) | (beside > BESIDE_CELLS * cell))
    reaches[0] = False
    return np.asarray(reaches[parts], np.uint8)


def _grown(face: Small, by_px: float) -> Small:
    size = 2 * round(by_px) + 1
    return np.asarray(cv2.dilate(face, np.ones((size, size), np.uint8)), np.uint8)


def _distances(now: Known, flags: Small, board: Board) -> npt.NDArray[np.float64]:
    """(cells,) how far it is from the middle of each cell to the nearest flag, in cells."""
    away_px = cv2.distanceTransform(1 - flags, cv2.DIST_L2, cv2.DIST_MASK_5)
    levels, centres = np.array(board.levels), np.array(board.centres_xy)
    out, last = np.zeros(len(levels)), np.array(flags.shape[::-1]) - 1
    for level, view in enumerate(now.views):
        cells = np.flatnonzero(levels == level)
        x, y = np.clip(np.round(view.project(centres[cells]) * now.scale), 0, last).astype(int).T
        out[cells] = away_px[y, x] / (view.pitch_px(centres[cells]) * now.scale)
    return out


def _face(now: Known) -> Small:
    """Flags of where the board is seen."""
    face = np.zeros_like(now.picture)
    for view in now.views:
        cv2.fillConvexPoly(face, np.round(np.array(view.corners_px) * now.scale).astype(np.int32), 1)
    return face


def _cell_px2(now: Known, board: Board) -> float:
    """Area of a cell in the reduced picture."""
    return cv2.countNonZero(_face(now)) / len(board.cells)


def _changed(now: Known, before: Known) -> tuple[Small, Small]:
    """Flags (h, w) of what differs between two pictures, and of what both show.

    Smooth changes of the light are left out, and where the camera is now is taken into account.
    """
    old, known = before.picture, np.ones_like(before.picture)
    was, seen = (np.array(one.views[0].corners_px, np.float32) * np.float32(one.scale) for one in (before, now))
    pushed = float(np.abs(was - seen).max()) > STILL_PX
    if pushed:
        way, size = cv2.getPerspectiveTransform(was, seen), old.shape[::-1]
        old = np.asarray(cv2.warpPerspective(old, way, size), np.uint8)
        known = np.asarray(cv2.warpPerspective(known, way, size, flags=cv2.INTER_NEAREST), np.uint8)
    light = cv2.resize(cv2.medianBlur(_fields(old) / _fields(now.picture), LIGHT_AROUND), old.shape[::-1])
    differ = cv2.absdiff(now.picture * light, old.astype(np.float32)) / np.maximum(light, 1)
    flags = cv2.threshold(differ, CHANGED_LEVELS, 1, cv2.THRESH_BINARY)[1].astype(np.uint8)
    if pushed:
        flags = np.asarray(cv2.morphologyEx(flags, cv2.MORPH_OPEN, THIN), np.uint8)
    joined = np.asarray(cv2.morphologyEx(flags, cv2.MORPH_CLOSE, np.ones((GAP_PX, GAP_PX), np.uint8)), np.uint8)
    return joined * known, known


def _fields(picture: Small) -> npt.NDArray[np.float32]:
    """The brightness of each field of a reduced picture."""
    return cv2.resize(picture, LIGHT_WH, interpolation=cv2.INTER_AREA).astype(np.float32) + 1
