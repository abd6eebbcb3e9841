"""What must not be learned when the light changes: the new look of a cell as that of what is known to stand there.

Pieces do not appear out of nothing: if none is missing, what looks a little odd in the new light is the light.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from engine.game import Game
from engine.match.state import Match, Phase
from vision.reading.floor import Flags
from vision.reading.level import Reading
from vision.reading.level_readers import LevelReaders
from vision.reading.scene import COVERED

DOUBT_MARGIN = 2.0
"""After a change of light, cells that would rather be something else by this much are not learned from."""

SURELY_GONE = 12.0
"""A piece that is read as gone by so much in new light is not known again by its pattern."""

SURELY_CAME = 8.0
"""A cell that is read as another thing by more is never learned as light, though no piece is missing: its piece may be
hard to tell from the floor that it left. Lowering it leaves glosses of a new lamp odd; raising it loses plies that were
made in the moment when the lamp changed."""
HARDLY_GONE = 6.0
"""If pieces are read as gone by less in new light, and nothing has come anywhere, it is the light: white on white paper
it was 3.3 in a drawn game, and 14 and more for pieces that had gone meanwhile in 45 games on white paper."""


def not_to_learn(match: Match, eyes: LevelReaders, reading: Reading, *, hands: bool) -> Flags:
    """After a change of light: the cells whose new look must not be learned as that of their known content.

    If a piece is missing, or something unlawful was standing already, the odd cells are left to be judged; so are those
    that people say have changed but no picture has shown yet. A piece that shows its old pattern is not missing, and
    learned however odd it looks: from another side a lamp lights it otherwise. So is all that is not read as another
    thing, unless `hands` may be over the board.
    """
    looks = _piece_looks(match.game, match.position.placement)
    loss = reading.scores.max(axis=1) - reading.scores[np.arange(len(looks)), looks]
    odd, unexplained = np.asarray(loss > DOUBT_MARGIN, bool), np.asarray(reading.unexplained > COVERED, bool)
    if eyes.light_changed:
        known = (loss < SURELY_GONE) & eyes.same_pattern_cells()
        odd, unexplained = odd & ~known, unexplained & ~known
        if not (odd & ((reading.looks > 0) | (loss >= HARDLY_GONE))).any():
            odd[:] = False
    unseen = np.asarray(eyes.learned_looks != looks, bool)
    if match.phase is Phase.PLAYING and not (odd & (looks > 0)).any():
        return np.asarray(unseen | (loss > SURELY_CAME), bool)
    return np.asarray(odd | unseen | (unexplained & hands), bool)


def _piece_looks(game: Game, pieces: Iterable[int]) -> npt.NDArray[np.int64]:
    """(cells,) the look of each piece number."""
    return np.array([game.look_of[piece] for piece in pieces])
