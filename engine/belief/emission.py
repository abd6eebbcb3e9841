"""How likely each look of each cell is, given what was seen there: calibrated, and never quite certain.

A cell says nothing with some probability: it is misread, a shadow or a hand lies over it. That bounds what one cell
can say for or against an explanation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from engine.belief.lines import NOT_KNOWN
from engine.belief.numbers import Numbers
from engine.belief.sight import Sight
from engine.game import Game, Position

Row = tuple[float, ...]
"""For one cell and each look, by how much more likely it is than what stood there, in nats."""
COVERED_SHARE, FEW_INEXPLICABLE = 0.45, 2
"""More cells than this of which nothing explains so much are a hand, and nobody is asked or accused beside it: pieces
in any pose of the reference recordings stay under 0.44, and a hand that reaches a piece covers eight cells. Raising
either accuses beside hands, lowering it waits beside shadows. vision.reading.level has the same figures, unknown to the
engine."""


DISTURBED = 2.0
"""Nats against a cell that looks otherwise and holds the same look all the same: a piece was pushed, or exchanged. Raising
it believes shadows over pieces to be other pieces, lowering it overlooks an exchange. Guessed."""
UNKNOWN = -math.inf
"""Stands for the change of a cell of which no earlier look is known."""
CLEARLY = 3.0
"""Nats from which a cell certainly shows something else."""


class Emission:
    """What one look says of every cell to one line, against what should stand there by its position."""

    def __init__(
        self, game: Game, now: Position, sight: Sight, numbers: Numbers, shown: Sequence[int] | None = None
    ) -> None:
        """`shown` (cells,) are the looks that the cells had by the line when they were last taken in."""
        self.base = [game.look_of[piece] for piece in now.placement]
        self._count = len(game.looks)
        self.hidden = frozenset(sight.hidden)
        before = self.base if shown is None else shown
        cache: dict[tuple[float, ...], tuple[Row, float, Row]] = {}
        self.rows: list[Row] = []
        self.looks: list[Row] = []
        """What each cell looks like, whatever it held before, in nats against the likeliest look."""
        self.against = 0.0
        """What all that should stand there has against it, compared with what was shown before, in nats: it tells lines
        of different positions apart."""
        rest = -1.0 if sight.patient else 0.0 if sight.rested else 1.0
        unexplained = sight.unexplained or (0.0,) * len(self.base)
        change = sight.change or (UNKNOWN,) * len(self.base)
        nothing = (0.0,) * self._count
        for cell, (scores, odd) in enumerate(zip(sight.scores, unexplained, strict=True)):
            if cell in self.hidden:
                self.rows.append(nothing)
                self.looks.append(nothing)
                continue
            key = (*scores, odd, change[cell], self.base[cell], before[cell])
            found = cache.get(key)
            if found is None:
                most = max(scores)
                past = _with_past(scores, change[cell], before[cell])
                chance = self._chances(past, most + max(0.0, change[cell]), odd, rest, numbers)
                base = chance[self.base[cell]]
                alone = self._chances(scores, most, odd, rest, numbers)
                found = cache[key] = (tuple(one - base for one in chance), base, alone)
            self.rows.append(found[0])
            self.against += found[1]
            self.looks.append(found[2])
        self.best = [max(range(self._count), key=row.__getitem__) for row in self.rows]
        self.changed = [cell for cell, look in enumerate(self.best) if look != self.base[cell] and self.top(cell) > 0]

    def _chances(self, scores: Sequence[float], most: float, odd: float, rest: float, numbers: Numbers) -> Row:
        """How likely each look of a cell is, in nats up to a constant that is the same for all lines; `most` is the
        score that the best explanation of the cell has by any line."""
        root = math.sqrt(max(odd, 0.0))
        trust = math.exp(-numbers.dull * root)
        odds = numbers.misread + numbers.odd * root + rest * numbers.fresh
        says_nothing = 1.0 / (1.0 + math.exp(-odds))
        floor = says_nothing / self._count
        return tuple(
            trust * most + math.log((1 - says_nothing) * math.exp(trust * (score - most)) + floor) for score in scores
        )

    def top(self, cell: int) -> float:
        """By how much more likely the best look of a cell is than what stood there."""
        return self.rows[cell][self.best[cell]]

    def of(self, change: Iterable[tuple[int, int]]) -> float:
        """By how much more likely the board is with these looks than as it was."""
        rows = self.rows
        return sum(rows[cell][look] for cell, look in change)

    def most(self) -> float:
        """No explanation is more likely than this against the board as it was."""
        return sum(self.top(cell) for cell in self.changed)


def _with_past(scores: Sequence[float], change: float, before: int) -> Sequence[float]:
    """Scores by the look and by change: what is not as before has changed. A piece that was pushed, or another of the
    same side in its place, has changed too and looks the same."""
    if change == UNKNOWN or before == NOT_KNOWN:
        return scores
    row = [change + score for score in scores]
    row[before] = scores[before] + max(change - DISTURBED, 0.0) + math.log1p(math.exp(-abs(change - DISTURBED)))
    return row


def inexplicable(sight: Sight) -> tuple[int, ...]:
    """Cells of which too much is neither floor nor piece; more than FEW_INEXPLICABLE of them are a hand."""
    return tuple(cell for cell, share in enumerate(sight.unexplained) if share > COVERED_SHARE)


def over_the_board(sight: Sight) -> bool:
    """Whether a hand may be over the board: it is seen there, or more is odd than pieces and noise make."""
    return not sight.clear or sight.unsteady or len(inexplicable(sight)) > FEW_INEXPLICABLE
