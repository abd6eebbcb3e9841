"""How a game is begun or gone on with: does the board stand as it should, and if not, how does it stand?

The first look is a look like any other: what each cell shows is taught by all the others, with the expected position as
what is believed. One odd cell is a doubt about that cell and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from calibration.lattice import assess
from calibration.view import View
from engine.belief.further import lines
from engine.board import Board
from engine.game import Game, Position
from vision.ground import Image, Picture, ground_of
from vision.reading.fellows import Ints
from vision.reading.reader import Reader
from vision.reading.reading import Flags, Reading

MOST_OPTIONS = 4
MOST_TRIED = 6
"""Lines that are looked at, the likeliest first: each is a reading of the whole board."""
SMALLEST_PX = 10.0
"""Pixels that a cell has across where it has the fewest, under which cells behind pieces cannot be told: boards that
were seen from so low down that they had 7 and less were mostly refused cell by cell though every piece stood right,
with 12 and more hardly any. It decides nothing; it is what is said of a board that seems wrong. Raising it names fewer
cells that are wrong, lowering it names more that are not."""
WRONG_NATS, DOUBTFUL_NATS = 2.0, 0.0
"""By how many nats a cell looks like something else to be wrong, and to be asked about. Of photographed positions that
stood right three in four have no cell under the first, of those with one cell altered one in twenty; 4.4 nats would be
nine in ten, and one in five. Refused starts are begun all the same as soon as a ply is seen that goes on from them."""
FEW_WRONG = 2
"""So many cells may be wrong and the game be begun by playing on: a misread cell or two have no veto."""
TOLD_APART = 1.5
"""In the middle case a piece and an empty cell must be told from what they are not by so many nats: an empty board has
less of one of them."""
STRANGE = 0.6
"""Probability of neither floor nor piece from which a cell is wrong: a hand lies there."""
TWO_SIDES = 3
"""Looks of a game of two: empty, light, dark."""
CHANNEL_OF = {"blue": 0, "green": 1, "red": 2}
"""Looks that are colours, and which channel of a picture they are brightest in against the other looks."""

COLOURED = 0.05
"""Share of a colour by which the pieces agree better when the sides are exchanged: in drawn games 0.3 and more."""


@dataclass(frozen=True)
class Begun:
    """A reader that has learned the board from its first picture; the cells that are not as the position says, and those
    in doubt with the probability that they are; and the plies of which each was probably played since, in the rules'
    notation."""

    reader: Reader
    wrong: tuple[int, ...]
    fit: int
    """How well the lines of the board are seen where it should lie, of 100."""
    options: tuple[str, ...] = ()
    small: bool = False
    """Whether something seems wrong on a board whose farthest cells are too small in the picture to tell."""
    doubtful: tuple[tuple[int, float], ...] = ()
    seems: str = ""
    """What all of it looks like: "empty", "exchanged" (the sides), or "" for neither."""

    @property
    def nearly(self) -> bool:
        """Whether so little is wrong that people may as well play on."""
        return 0 < len(self.wrong) <= FEW_WRONG and not (self.small or self.seems)


def begin(
    game: Game,
    position: Position,
    views: Sequence[View],
    image: Image,
    pictures: Sequence[Picture] | None = None,
    *,
    clear: Flags | None = None,
    asks: bool = True,
) -> Begun:
    """Learn the board from `image`, or from its ground `pictures`, and see whether `position` stands on it.

    Where it does not and `asks`, what was probably played is looked for: plies after which all of it would stand so. Of
    two plies the first is asked about, and once that is answered the second.
    """
    pictures = pictures or [ground_of(view).take(image) for view in views]
    clear = np.ones(len(game.board.cells), bool) if clear is None else clear
    reader, wrong, doubtful, seems, scores = _stands(game, position, views, pictures, clear)
    fit = min(assess(game.board, view, image, level).score for level, view in enumerate(views))
    small = bool(wrong) and min(_narrowest_px(game.board, views)) < SMALLEST_PX
    options: list[str] = []
    if wrong and asks and not small and not seems:
        for line, after in lines(game, position, scores.tolist(), wrong)[:MOST_TRIED]:
            asked = game.write(position, line[0])
            if asked not in options and len(options) < MOST_OPTIONS:
                _, still_wrong, _, _, _ = _stands(game, after, views, pictures, clear)
                options += [] if still_wrong else [asked]
    return Begun(reader, wrong, fit, tuple(options), small, doubtful, seems)


def _stands(
    game: Game, position: Position, views: Sequence[View], pictures: Sequence[Picture], clear: Flags
) -> tuple[Reader, tuple[int, ...], tuple[tuple[int, float], ...], str, np.ndarray]:
    """A reader that was taught by a position, the cells that are wrong under it and in doubt, and their scores."""
    expected = np.array([game.look_of[piece] for piece in position.placement])
    reader = Reader(game.board, views, len(game.looks))
    reading = reader.read(pictures, clear, clear, expected, by_past=False, rounds=1)
    every = np.arange(len(expected))
    right = reading.scores[every, expected]
    others = reading.scores.copy()
    others[every, expected] = -np.inf
    margin = right - others.max(axis=1)
    seems = _seems(game, expected, margin, reader, reading)
    off = (margin < -WRONG_NATS) | (reading.unexplained > STRANGE) | ~clear
    if seems:
        off = expected > 0
    chance = 1 / (1 + np.exp(-np.clip(margin, -30, 30)))
    doubtful = tuple((int(c), round(float(chance[c]), 2)) for c in np.flatnonzero(~off & (margin < DOUBTFUL_NATS)))
    return reader, tuple(np.flatnonzero(off).tolist()), doubtful, seems, reading.scores


def _seems(game: Game, expected: Ints, margin: np.ndarray, reader: Reader, reading: Reading) -> str:
    """What the whole board looks like, if it is not the position."""
    filled = expected > 0
    if not filled.any() or float(np.median(margin[filled])) < TOLD_APART:
        return "empty"
    if (~filled).any() and float(np.median(margin[~filled])) < TOLD_APART:
        return "empty"
    return "exchanged" if _exchanged(game, expected, reader) else ""


def _exchanged(game: Game, expected: Ints, reader: Reader) -> bool:
    """Whether sides look like each other: the light pieces are darker than the dark ones, or have another's colour."""
    colours = reader.typical_colours(expected)
    there = [look for look in range(1, len(game.looks)) if (expected == look).any()]
    if len(game.looks) == TWO_SIDES:
        return len(there) > 1 and bool(colours[1].mean() < colours[2].mean())
    there = [look for look in there if game.looks[look] in CHANNEL_OF]
    if len(there) < 2:
        return False
    shares = (colours / np.maximum(colours.sum(axis=1, keepdims=True), 1.0))[there]
    own = [CHANNEL_OF[game.looks[look]] for look in there]
    best = max(float(shares[list(order), own].sum()) for order in permutations(range(len(there))))
    return best > float(shares[np.arange(len(there)), own].sum()) + COLOURED


def _narrowest_px(board: Board, views: Sequence[View]) -> list[float]:
    """Of each level, how many pixels its smallest cell has across."""
    centres, levels = np.array(board.centres_xy), np.array(board.levels)
    return [float(view.narrowest_px(centres[levels == k]).min()) for k, view in enumerate(views)]
