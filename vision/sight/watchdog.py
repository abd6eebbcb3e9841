"""Is the board seen at all? What is the matter if not, in one word, soon enough that people can mend it.

Nothing is read from what is said here; it only makes silence impossible: cells that matter and are not seen for
LIMIT_S are a cause, and every cause is said.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from engine.board import Board
from vision.reading.track import Grey
from vision.sight.align import Place
from vision.sight.noise import Noise
from vision.sight.seeing import SeenBoard
from vision.sight.stillness import Flags
from vision.turned_picture import TurnedPicture

LIMIT_S = 2.0
"""So long nothing is said: hands that play cover a part of the board for a second or two."""
COVERED_FOR_S = 8.0
"""A few cells may be covered for so long, by a hand that thinks, before it is said; and what is seen may make no sense
for so long."""
MUCH_OF_BOARD = 0.3
"""Share of the cells that are more than a hand covers."""
SCATTERED = 4.0
"""Places apart from each other in which cells stir, over which it is the picture that stirs them and no hands: two
people with both hands have 4. Raising it is silent about a picture that flickers in so many places that not all of the
board is ever still; lowering it calls hands noise. Chosen on one film of coarse coding, 5 to 10, and two of hands and
fingers that set up pieces, 1; tried on films of fingers of three sizes."""
DARK_LEVELS = 14.0
"""Mean grey level under which a picture is dark: a board by one candle has 25."""
BLURRED = 0.35
"""A picture with less than this share of the detail that the first one had shows no pieces, against its brightness:
focus that hunts keeps 0.5 and more, a lens out of focus by half a cell 0.2."""
SAME_PICTURE = 0.6
"""Correlation with the first picture, both much reduced, from which it shows the same things, but not sharp; else
something lies before the lens."""
NOISY_LEVELS = 14.0
"""Usual noise of a quarter of a cell, in grey levels, in which pieces cannot be told any more: pieces of the colour of
the board differ from it by less."""
SHAKY_PX = 2.5
"""Spread of where the board is from frame to frame, in camera pixels, at which nothing comes to rest."""
ANOTHER_S = 1.0
"""One cause takes the place of another only when it has stood for so long: a lens that is uncovered shows a board at
which nothing has come to rest yet."""
FRAMES = 12
LOOKED_EVERY_S = 0.2
"""Between two pictures that are looked at as a whole while nothing is the matter: what is said has lasted LIMIT_S."""
FEW_FRAMES = 16
COARSE, FINE = (24, 18), (96, 72)


class Watchdog:
    """Watches what is seen, frame by frame. Mutable."""

    def __init__(self, board: Board) -> None:
        self._steps = board.steps
        self._fine: npt.NDArray[np.float64] | None = None
        """(cells,) when each was last seen or known."""
        self._last: Grey | None = None
        self._new_t = 0.0
        """When the picture last was another one."""
        self._first: npt.NDArray[np.float32] | None = None
        self._detail = 0.0
        self._turned = TurnedPicture()
        self._poor, self._looked_t = "", 0.0
        """What was the matter with the picture when it was last looked at as a whole, and when that was."""
        self._shown_t = 0.0
        """When the picture last showed enough that something can be told."""
        self.poor = ""
        """What is the matter with the newest picture, if nothing can be told from it: nothing is to be read from it."""
        self._told = ""
        self._told_t = 0.0
        """What is the matter, and when that was last so."""
        self._whole_t = -1.0
        """When all cells were last still, or first looked at."""
        self._places = 1.0
        """In how many places apart from each other cells stir, of late."""
        self._shifts: deque[tuple[float, float]] = deque(maxlen=FRAMES)

    def find_cause(
        self,
        seen: SeenBoard,
        small: Grey,
        noise: Noise,
        unexplained: Flags,
        *,
        begun: bool,
        awaited: bool = True,
        puzzled_s: float = 0.0,
    ) -> str:
        """Why the board is not seen: frozen, dark, covered, blur, noise, shake, turned, moved; nothing while it is.

        `small` is the reduced picture of the frame; `begun` whether it is known what should stand there; `unexplained`
        (cells,) flags those in which the last reading found neither floor nor piece. Unless something is
        `awaited` on the board nobody misses a cell. For `puzzled_s` nothing has been understood, and nobody was asked.
        """
        if not awaited and self._fine is not None:
            self._fine[:] = seen.t
        found = self._judge_frame(seen, small, noise, unexplained, begun=begun)
        if not found and awaited and puzzled_s > COVERED_FOR_S:  # a head may look like floors and pieces
            found = "covered"
        if found == self._told or not (found and self._told) or seen.t - self._told_t >= ANOTHER_S:
            self._told, self._told_t = found, seen.t
        return self._told

    def _judge_frame(self, seen: SeenBoard, small: Grey, noise: Noise, unexplained: Flags, *, begun: bool) -> str:
        """The cause by this frame alone and what came before it, whatever was told."""
        if self._last is None or self._last.shape != small.shape or _pictures_differ(small, self._last):
            self._new_t = seen.t
        self._last = small
        self._look_at_whole(seen.t, small, seen.place)
        poor = self.poor = self._poor or ("noise" if noise.typical_deviation > NOISY_LEVELS else "")
        if not poor:
            self._shown_t = seen.t
        self._shifts.append((float(seen.place.moved[0, 2]), float(seen.place.moved[1, 2])))
        away_s = self._away_s(seen, unexplained, begun=begun)
        if seen.t - self._new_t > LIMIT_S:
            return "frozen"
        if seen.t - self._shown_t > LIMIT_S:
            return poor
        if (away_s > LIMIT_S).mean() > MUCH_OF_BOARD:
            return poor or self._board_cause(seen.place)
        if not begun and self._is_restless(seen):
            return "shake" if self._is_shaken() else "noise"
        return "covered" if bool((away_s > COVERED_FOR_S).any()) else ""

    def _look_at_whole(self, t: float, small: Grey, place: Place) -> None:
        """Now and then, and in every frame while something is the matter: whether the picture shows anything."""
        if self._first is not None and not self._poor and t - self._looked_t < LOOKED_EVERY_S:
            return
        self._looked_t = t
        coarse = cv2.resize(small, COARSE, interpolation=cv2.INTER_AREA).astype(np.float32)
        detail = _measure_detail(small)
        if self._first is None:
            self._first, self._detail, self._shown_t = coarse, detail, t
        self._poor = self._picture_trouble(small, coarse, detail)
        if self._poor != "dark" and self._turned.is_turned(t, small, board_found=place.is_found and not self._poor):
            self._poor = "turned"

    def _away_s(self, seen: SeenBoard, unexplained: Flags, *, begun: bool) -> npt.NDArray[np.float64]:
        """For how long each cell has been neither seen nor known."""
        known = (seen.readable & ~seen.reached & ~unexplained) | (~seen.touched if begun else False)
        known &= seen.place.is_found
        if self._fine is None:
            self._fine = np.full(len(known), seen.t)
        self._fine[known] = seen.t
        return seen.t - self._fine

    def _is_restless(self, seen: SeenBoard) -> bool:
        """Whether nothing comes to rest though nothing covers it: then no game can begin."""
        stirs = ~seen.readable
        if self._whole_t < 0 or not stirs.any():
            self._whole_t, self._places = seen.t, 1.0
            return False
        self._places += (count_groups(self._steps, stirs) - self._places) / FRAMES
        return seen.t - self._whole_t > LIMIT_S and self._places > SCATTERED

    def _picture_trouble(self, small: Grey, coarse: npt.NDArray[np.float32], detail: float) -> str:
        """What is the matter with a picture in which nothing can be told; empty if that is not so."""
        if float(small.mean()) < DARK_LEVELS:
            return "dark"
        if detail < BLURRED * self._detail:
            plain = float(coarse.std()) == 0.0  # of which no correlation is known
            like = 0.0 if plain else float(np.corrcoef(coarse.ravel(), np.asarray(self._first).ravel())[0, 1])
            return "blur" if like > SAME_PICTURE else "covered"
        return ""

    def _board_cause(self, place: Place) -> str:
        """The cause if much of the board is not seen in a picture that is good."""
        if self._is_shaken():
            return "shake"
        return "covered" if place.is_found else "moved"

    def _is_shaken(self) -> bool:
        """Whether the board is elsewhere in each frame."""
        return bool(self._shifts) and float(np.std(np.array(self._shifts), axis=0).max()) > SHAKY_PX


def count_groups(steps: Sequence[Sequence[int]], flags: Flags) -> int:
    """How many groups the flagged cells are in; `steps` are the cells beside each, negative for none."""
    left, groups = set(np.flatnonzero(flags).tolist()), 0
    while left:
        group, groups = [left.pop()], groups + 1
        while group:
            beside = left.intersection(steps[group.pop()])
            left -= beside
            group += beside
    return groups


def _pictures_differ(one: Grey, other: Grey) -> bool:
    """Whether two pictures are not the same, first a few points of them: mostly that is enough."""
    few = slice(None, None, FEW_FRAMES)
    return not np.array_equal(one[few, few], other[few, few]) or not np.array_equal(one, other)


def _measure_detail(small: Grey) -> float:
    """How much a picture changes over a hundredth of its width, against its brightness; noise averages out."""
    fine = cv2.resize(small, FINE, interpolation=cv2.INTER_AREA).astype(np.float32)
    across, along = np.abs(np.diff(fine, axis=1)).mean(), np.abs(np.diff(fine, axis=0)).mean()
    return float((across + along) / (fine.mean() + 8.0))
