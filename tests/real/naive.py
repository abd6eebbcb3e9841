"""The reader to beat, for comparison: it names one of the lawful moves between two pictures of a chess board, no more.

It is helped as no referee is: it is told the true position before every ply, may not answer "nothing was played", and
cannot notice an unlawful move. Its light is one gain for each colour; that a square has changed counts in multiples of
what the median square differs by; how pieces look is learned anew from every position that was known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import chess
import cv2
import numpy as np
import numpy.typing as npt

from tests.real.clip import Corners
from vision.ground import Image

Floats = npt.NDArray[np.float32]

SIDE = 32
"""Pixels of a square seen from above."""
MIDDLE, BODY = slice(7, 25), slice(4, 28)
"""Where a piece stands in its square, and the square without its edges."""
UNITS = np.float32([25, 25, 25, 12, 4])
"""Grey levels that count as one unit: three colours, contrast, edges."""
LEAST_VARIANCE, UNSURE, FORGET = 0.3, 4.0, 0.4
"""Variance of a look at least, and of one that is guessed; how much of what was known a new picture replaces."""
CHANGE_COST, MOST_SAME, MOST_UNLIKE = 3.0, 30.0, 25.0
"""In nats, of each square that changes: its cost, the most it may cost that it looks as before, or otherwise."""
SHADES = np.array([(chess.square_file(s) + chess.square_rank(s)) % 2 for s in chess.SQUARES])


@dataclass
class Reader:
    """Pictures in order in, one move out for each. Mutable: it remembers the last picture and the looks of pieces."""

    corners: Corners
    looks: dict[tuple[int, int], tuple[Floats, Floats]] = field(default_factory=dict)
    last: Floats | None = None

    def show(self, image: Image, board: chess.Board) -> None:
        """Learn from a picture of a position that is known."""
        self.last = self._squares(image)
        self._learn(self.last, board)

    def move(self, image: Image, before: chess.Board) -> chess.Move:
        """The lawful move after which the board looks like `image`, most likely; then call `show`."""
        if self.last is None:
            raise ValueError("show a position first")
        squares = self._squares(image)
        same, fits = -self._change(squares, self.last), self._fits(squares)
        scores = {}
        for move in before.legal_moves:
            after = before.copy(stack=False)
            after.push(move)
            shown = _shown(after)
            changed = [s for s in chess.SQUARES if after.piece_at(s) != before.piece_at(s)]
            unlike = [max(float(fits[s, shown[s]] - fits[s].max()), -MOST_UNLIKE) for s in changed]
            scores[move] = sum(unlike) - sum(float(same[s]) + CHANGE_COST for s in changed)
        return max(scores, key=lambda move: scores[move])

    def _squares(self, image: Image) -> Floats:
        """(64, SIDE, SIDE, 3), evened out to the light of the last picture."""
        size = 8 * SIDE
        to = np.float32([[0, size], [size, size], [size, 0], [0, 0]])
        matrix = cv2.getPerspectiveTransform(np.float32(self.corners), to)
        flat = cv2.warpPerspective(image, matrix, (size, size)).astype(np.float32)
        squares = flat.reshape(8, SIDE, 8, SIDE, 3).swapaxes(1, 2)[::-1].reshape(64, SIDE, SIDE, 3)
        if self.last is None:
            return squares
        old, new = (np.median(one.reshape(64, -1, 3), axis=1) for one in (self.last, squares))
        return np.asarray(squares * np.median(old / np.maximum(new, 1), axis=0), np.float32)

    @staticmethod
    def _change(squares: Floats, last: Floats) -> Floats:
        """How unlikely it is that each square is as before, in nats."""
        off = np.float32([np.abs(cv2.blur(one, (5, 5)))[BODY, BODY].mean() for one in squares - last])
        return np.minimum((off / max(float(np.median(off)), 1.0)) ** 2 / 2, MOST_SAME)

    def _fits(self, squares: Floats) -> Floats:
        """(64, 3) log-likelihood of each look (empty, white, black) on each square, up to a constant."""
        out = np.zeros((64, 3), np.float32)
        for s, seen in enumerate(_features(squares)):
            for look in range(3):
                mean, variance = self.looks[look, int(SHADES[s])]
                out[s, look] = -(np.minimum((seen - mean) ** 2 / variance, MOST_SAME) + np.log(variance)).sum() / 2
        return out

    def _learn(self, squares: Floats, board: chess.Board) -> None:
        seen, shown = _features(squares), _shown(board)
        for look in range(3):
            for shade in range(2):
                here = seen[(shown == look) & (shade == SHADES)]
                old = self.looks.get((look, shade))
                if len(here) >= 2:
                    new = here.mean(axis=0), here.var(axis=0) + LEAST_VARIANCE
                    pairs = zip(old or new, new, strict=True)
                    mean, variance = ((1 - FORGET) * known + FORGET * now for known, now in pairs)
                    self.looks[look, shade] = mean, variance
                elif old is None:
                    alike = seen[shown == look]
                    usual = (alike if len(alike) else seen).mean(axis=0)
                    self.looks[look, shade] = usual, np.full(len(UNITS), UNSURE, np.float32)


def answers(
    corners: Corners, pictures: Iterable[Image | None], moves: Sequence[chess.Move], start: chess.Board
) -> Iterator[bool]:
    """Whether each ply is read right whose picture, and the one before it, is there (`pictures` has one more)."""
    reader, board, followed = Reader(corners), start.copy(), False
    for ply, image in enumerate(pictures):
        before = board.copy()
        if ply:
            board.push(moves[ply - 1])
        follows, followed = followed, image is not None
        if image is None:
            continue
        if follows:
            said = reader.move(image, before)
            yield (said.from_square, said.to_square) == (moves[ply - 1].from_square, moves[ply - 1].to_square)
        reader.show(image, board)


def _features(squares: Floats) -> Floats:
    """(64, 5): median colour, contrast and edges of the middle of each square, in UNITS."""
    middle = squares[:, MIDDLE, MIDDLE]
    flat, grey = middle.reshape(64, -1, 3), middle.mean(axis=-1)
    edges = sum(np.abs(np.diff(grey, axis=axis)).mean(axis=(1, 2)) for axis in (1, 2))
    return np.column_stack([np.median(flat, axis=1), flat.std(axis=1).mean(axis=-1), edges]) / UNITS


def _shown(board: chess.Board) -> npt.NDArray[np.int_]:
    """The look of each square: 0 empty, 1 white, 2 black."""
    pieces = board.piece_map()
    return np.array([(0 if s not in pieces else 1 if pieces[s].color else 2) for s in chess.SQUARES])
