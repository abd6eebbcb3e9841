"""The second witness: what the picture itself shows of the board, beside what is remembered of it.

The first witness (vision.reading.level) knows every cell by how it looked when it was last understood; it sees small
things, and nothing any more once the light is another one. The second one compares the cells of a picture with each
other. Both are heard where a cell has changed; the second alone where nothing has been understood for long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.view import View
from engine.game import Game
from vision.reading.appearance import Ints
from vision.reading.level import Reading
from vision.sight.seeing import READ_S, Seeing, Seen
from vision.sight.stillness import Flags
from vision.taught.taught_reader import TaughtReader

HEARD_SHARE = 0.35
"""Share of the second witness in the scores of a cell that has changed. Chosen on 15 pieces of two photographed games
with hands (read afresh after a second) and 18 of ten others, right plies of 173 and 210: 110 and 209 with 0, 153 and
210 with 0.35, 140 and 206 (one wrong) with 0.5. Raising it reads shadows and tall pieces worse, lowering it believes
misread cells."""
LOST_S = 2.0
"""So long nothing is understood though the board is still, until it is read afresh. Raising it leaves people waiting
after a lamp. Lowering it to one has 153 plies of those 173 right instead of 133, as nobody is accused before, and asks
about an unlawful placement of a stored recording."""
AFRESH_S = 0.5
"""Between two such looks. Raising it says later what is found, lowering it costs 30 ms for each. Guessed."""
STIRRING_SHARE, AT_REST_S = 0.05, 1.0
"""All but this share of the cells must have been at rest for so long: hands pause for less, and some cells of a noisy
picture are never still. Raising the first reads boards over which something moves, lowering it never reads noisy ones;
raising the second waits longer. Guessed."""
CONFIRMS_NATS = 2.0
"""By so much a cell must look like those that hold the same to be taken for right against the first witness.
Lowering it begins games in which such a cell is wrong, raising it asks about right starts. Guessed; two starts of a
photographed game are begun by it."""


class SecondWitness:
    """What is remembered for it, and when it is heard. Mutable."""

    def __init__(self, game: Game, views: Sequence[View]) -> None:
        self._game, self._views = game, views
        self._reader = self._new_reader()
        self._understood_t = self._afresh_t = self._judged_t = 0.0

    def take_in(self, seeing: Seeing, looks: Ints, cells: Flags) -> None:
        """What is seen now shows these `looks` in these `cells`."""
        self._reader.take_in(seeing.means(), looks, cells)

    def understood(self, t: float) -> None:
        """Until `t` seconds nothing has happened that was not understood."""
        self._understood_t = t

    def combine(self, reading: Reading, seen: Seen, seeing: Seeing, expected: Ints, cells: Flags) -> Reading:
        """A reading of the first witness in which both are heard of the `cells`."""
        still = _still(seen)
        heard = cells & seen.readable & still
        if not heard.any():
            return reading
        other = self._reader.read(seeing.means(), still, expected)
        both = (1 - HEARD_SHARE) * reading.scores + HEARD_SHARE * other.scores
        return replace(reading, scores=np.where(heard[:, None], both, reading.scores).astype(np.float32))

    def read_afresh(self, seen: Seen, seeing: Seeing, expected: Ints) -> tuple[Reading, Flags]:
        """What it says alone, and (cells,) of which cells it says nothing."""
        self._afresh_t = seen.t
        still = _still(seen)
        return self._reader.read(seeing.means(), still, expected), ~still

    def confirms(self, seen: Seen, seeing: Seeing, expected: Ints, wrong: Sequence[int]) -> bool:
        """Whether the cells that seem `wrong` look like others of the same picture that hold what they should."""
        should, rows = expected[list(wrong)], np.arange(len(wrong))
        scores = self._new_reader().read(seeing.means(), seen.readable, expected).scores[list(wrong)]
        others = scores.copy()
        others[rows, should] = -np.inf
        return bool((scores[rows, should] - others.max(axis=1) > CONFIRMS_NATS).all())

    def is_needed(self, seen: Seen) -> bool:
        """Whether nothing has been understood for long though the board is still."""
        at_rest = float(np.quantile(seen.still_s, STIRRING_SHARE)) >= AT_REST_S
        return at_rest and seen.place.found and bool(seen.touched.any()) and seen.t - self._understood_t >= LOST_S

    def is_due(self, seen: Seen) -> bool:
        """Whether it is needed, and was not heard just now."""
        return self.is_needed(seen) and seen.t - self._afresh_t >= AFRESH_S

    def has_stirred(self, seen: Seen) -> bool:
        """Whether anything has moved since this was asked last: then the picture is another one."""
        stirred = float(np.min(seen.still_s)) < seen.t - self._judged_t
        self._judged_t = seen.t
        return stirred

    def _new_reader(self) -> TaughtReader:
        return TaughtReader(self._game.board, self._views, len(self._game.looks))


def _still(seen: Seen) -> Flags:
    """(cells,) that can be read, whatever lies over them: the picture tells."""
    return np.asarray(seen.still_s >= READ_S, bool)
