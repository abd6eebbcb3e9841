"""How likely each look of each cell is, given what was seen there: calibrated, and never quite certain.

A cell says nothing with some probability: it is misread, a shadow or a hand lies over it. That bounds what one cell
can say for or against an explanation.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from engine.belief.numbers import Numbers
from engine.belief.sight import Sight
from engine.game import Game, Position

Row = tuple[float, ...]
"""For one cell and each look, by how much more likely it is than what stood there, in nats."""
AT_REST = -1.0
"""What the number `fresh` counts for in a cell that has been at rest for long."""
COVERED_SHARE, FEW_INEXPLICABLE = 0.45, 2
"""More cells than this of which nothing explains so much are a hand, and nobody is asked or accused beside it: pieces
in any pose of the reference recordings stay under 0.44, and a hand that reaches a piece covers eight cells. Raising
either accuses beside hands, lowering it waits beside shadows. vision.reading.level has the same figures, unknown to the
engine."""
GONE_NATS = 5.0
"""A piece was lifted beside a hand when its cell is empty by so much, and no more than CLEAR_SHARE of it and the
cells around is odd. Lowering the first or raising the second tells of lifted pieces that a sleeve hides. Hands of the
reference recordings are above 0.45, floors under 0.2."""
CLEAR_SHARE = 0.2
HEMMED_SHARE = 0.5
"""A cell of whose neighbours so many are hidden is under the arm as well, however empty it looks: a bare arm looks like
a bare cell. Of pieces that were lifted at most 3 of 8 were hidden, of those under an arm 3 of 5 and more. Raising it
tells of lifted pieces that lie under an arm, lowering it lights hints later."""


class Emission:
    """What one look says of every cell, against what stood there."""

    def __init__(
        self,
        game: Game,
        now: Position,
        sight: Sight,
        numbers: Numbers,
        standing: Collection[tuple[int, Row]] = (),
        last: Collection[tuple[int, Row]] = (),
        unrested: Collection[int] = (),
    ) -> None:
        """`standing` is what cells said at most that were odd already when it was last known what stands: they say
        nothing new, but for those `unrested`, seen so before they had rested or under something that lay there, which
        say what is more than that. `last` are those of the look before: what a cell showed then holds while it is
        hidden, though it may have changed since.
        """
        self.base = [game.look_of[piece] for piece in now.placement]
        self._count = len(game.looks)
        known, before = dict(standing), dict(last)
        self.hidden = frozenset(sight.hidden)
        self._before = before
        cache: dict[tuple[float, ...], Row] = {}
        self.rows: list[Row] = []
        self.odd: list[tuple[int, Row]] = []
        """The cells that do not look as known, each with what it would say at most: if it were seen so at rest."""
        self.inexplicable = frozenset(list_inexplicable_cells(sight))
        """The cells of which too much is neither floor nor piece."""
        rest = AT_REST if sight.patient else 0.0 if sight.rested else 1.0
        unexplained = sight.unexplained or (0.0,) * len(self.base)
        for cell, (scores, odd) in enumerate(zip(sight.scores, unexplained, strict=True)):
            if cell in self.hidden:
                self.rows.append(self._rate_hidden_cell(before.get(cell), self.base[cell], numbers))
                continue
            key = (*scores, odd, self.base[cell])
            row = cache.get(key)
            if row is None:
                row = cache[key] = self._rate_cell(scores, odd, self.base[cell], rest, numbers)
            if max(row) > row[self.base[cell]]:
                self.odd.append((cell, self._rate_cell(scores, odd, self.base[cell], AT_REST, numbers)))
            if cell in known and is_same_look(row, known[cell]):
                row = _subtract_known(row, known[cell], rested=cell not in unrested)
            self.rows.append(row)
        self.best = [max(range(self._count), key=row.__getitem__) for row in self.rows]
        self.changed = [
            cell for cell, look in enumerate(self.best) if look != self.base[cell] and self.best_gain(cell) > 0
        ]

    def _rate_hidden_cell(self, before: Row | None, base: int, numbers: Numbers) -> Row:
        """What a cell that is not seen says: what it showed before, if that was not as known."""
        return _fade_row(before, base, numbers.passed) if before is not None else (0.0,) * self._count

    def _rate_cell(self, scores: Sequence[float], odd: float, base: int, rest: float, numbers: Numbers) -> Row:
        top, root = max(scores), math.sqrt(max(odd, 0.0))
        trust = math.exp(-numbers.dull * root)
        shares = [math.exp(trust * (score - top)) for score in scores]
        total = sum(shares)
        odds = numbers.misread + numbers.odd * root + rest * numbers.fresh
        says_nothing = 1.0 / (1.0 + math.exp(-odds))
        chance = [math.log((1 - says_nothing) * share / total + says_nothing / self._count) for share in shares]
        return tuple(one - chance[base] for one in chance)

    @property
    def remembered_rows(self) -> dict[int, Row]:
        """What hidden cells showed before they were hidden, where that was not as known."""
        return {cell: row for cell, row in self._before.items() if cell in self.hidden}

    @property
    def emptied_cells(self) -> frozenset[int]:
        """The cells that have changed and look empty."""
        return frozenset(cell for cell in self.changed if not self.best[cell])

    def best_gain(self, cell: int) -> float:
        """By how much more likely the best look of a cell is than what stood there."""
        return self.rows[cell][self.best[cell]]

    def weigh_change(self, change: Iterable[tuple[int, int]]) -> float:
        """By how much more likely the board is with these looks than as it was."""
        rows = self.rows
        return sum(rows[cell][look] for cell, look in change)

    def find_cells_against(self, change: Iterable[tuple[int, int]], nats: float) -> set[int]:
        """The cells that show something else than such a change leaves there, clearer by more than so many nats."""
        said = dict(change)
        cells = {*self.changed, *said} - self.hidden
        return {c for c in cells if self.best_gain(c) - self.rows[c][said.get(c, self.base[c])] > nats}

    def max_gain(self) -> float:
        """No explanation is more likely than this against the board as it was."""
        return sum(self.best_gain(cell) for cell in self.changed)


def _fade_row(row: Row, base: int, passed: float) -> Row:
    """What a cell showed before it was hidden; `passed` is how likely a hand has changed it since, in nats."""
    top = max(row)
    shares = [math.exp(value - top) for value in row]
    changed = math.exp(passed)
    chance = [math.log((1 - changed) * share / sum(shares) + changed / len(row)) for share in shares]
    return tuple(one - chance[base] for one in chance)


def _subtract_known(row: Row, known: Row, *, rested: bool) -> Row:
    """What a row says that is new where the cell said `known` when it was known what stands there.

    A piece at the edge of its cell may seem gone ever more: that is not new if it was seen so at rest. Else it may have
    been on its way up just then. A floor may look a little like a piece, as where printed lines cross; that a piece has
    come to stand there is new by as much as it is more like one.
    """
    new = [max(0.0, value - max(0.0, was)) for value, was in zip(row, known, strict=True)]
    if rested:
        new[0] = 0.0
    return tuple(min(value, more) for value, more in zip(row, new, strict=True))


def is_same_look(one: Row, other: Row) -> bool:
    """Whether two rows say the same of a cell, about."""
    return max(range(len(one)), key=one.__getitem__) == max(range(len(other)), key=other.__getitem__)


def list_inexplicable_cells(sight: Sight) -> tuple[int, ...]:
    """Cells of which too much is neither floor nor piece; more than FEW_INEXPLICABLE of them are a hand."""
    return tuple(cell for cell, share in enumerate(sight.unexplained) if share > COVERED_SHARE)


def is_hand_over_board(sight: Sight) -> bool:
    """Whether a hand may be over the board: it is seen there, or more is odd than pieces and noise make."""
    return not sight.clear or sight.unsteady or len(list_inexplicable_cells(sight)) > FEW_INEXPLICABLE


def find_lifted_cell(game: Game, now: Position, seen: Emission, sight: Sight) -> int:
    """The one piece of the side to move that has surely left its cell although a hand is near; -1 if none."""
    odd = sight.unexplained or (0.0,) * len(seen.rows)
    gone = [
        cell
        for cell in seen.changed
        if game.seat_of[now.placement[cell]] == now.seat
        and seen.rows[cell][0] > GONE_NATS
        and all(odd[c] < CLEAR_SHARE for c in (cell, *game.board.steps[cell]) if c >= 0)
    ]
    return gone[0] if len(gone) == 1 and not _is_hemmed_in(game, gone[0], sight) else -1


def _is_hemmed_in(game: Game, cell: int, sight: Sight) -> bool:
    """Whether half of the cells around a cell are hidden."""
    around = [beside for beside in game.board.steps[cell] if beside >= 0]
    return sum(beside in sight.hidden for beside in around) >= HEMMED_SHARE * len(around)
