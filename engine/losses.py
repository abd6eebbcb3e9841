"""What the looks of the cells cost: how much worse an explanation scores than the best look of every cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from engine.candidates import Candidate
from engine.game import Game, Position
from engine.verdicts import Earlier, Played, Raised, Unfinished

FITS = 4.0
"""Cost up to which an explanation fits; what costs more is asked about. In 276 of 277 looks at true moves, recorded and
drawn, no cell cost over 1; an own piece taken unlawfully was once believed to be a plain move at 4.6."""
UNLAWFUL = 4.5
"""Nothing lawful fits when the cheapest lawful explanation costs this much (5.0 where an own man had been taken) ..."""
CERTAIN_CELL = 1.0
"""... and every cell that differs from the position is read with this margin, or is certainly not as it was. A cell
that differs by less says nothing: empty paper was once a man by 0.5."""
DOUBTFUL_LOOK = 4.0
"""A piece may be of another side when its look is better by less than this: ivory seemed brown by 1.5 in the far castle
of a drawn board in the evening, and the piece that had been put there unlawfully to have come from nowhere."""
MISSED = 1.0
"""A piece that no explanation moves and that seems to be gone by this much makes the explanation doubtful: an own piece
taken by a piece from elsewhere looks like a plain move of the one taken. True moves: under 0.5 in 220 plies."""
SURELY_MISSED = 2.5
"""By this much it is surely gone, and no lawful move says why: 2.9 and 3.5 where own pieces had been taken."""
VAGUE = 8.0
"""A piece in a strange cell that is read as empty but for this margin may have gone, from floor that was never seen:
4 to 6 where three had, in one drawn game; pieces that had not gone were strange once in 2,000 plies, by 14."""
ASKEW, PUSHED = 0.31, 13.0
"""A piece said to have stepped to an adjoining cell may have been pushed half-way there if it stands this many cells
off the middle and its old cell is read as empty by less than this. Of 193 drawn pieces pushed by up to half a cell 21
were read as moved: off the middle by 0.31 and more, old cells empty by 10 and less. Of 432 true steps two were so; one
in another recording, 0.30 off the middle and its old cell empty by 8, need not be asked about."""
STEPPED = 7.0
"""Nor is it told from one that was pushed if leaving both cells as they were costs less than this: a man 0.3 cells
off to a corner seemed to have gone to the next cell by 4.3. Of 432 drawn steps the least plain one cost 14.7."""
SLID = 6.0
"""A piece that may not step there was pushed if its old cell is read as empty by less: 16 of those 21, 17 of 48 that
were put 0.6 to 0.65 cells further on, 5 of 343 put down further still."""
NOWHERE = 8.0
"""A piece of whose look none has left its cell did not come from nowhere if it is seen by less than this: a shadow on
white paper was a white man by 4.3."""
RARE = 2.0
"""Cost of what is seen once for about seven lawful moves: in the reference recordings a lifted piece, a takeback."""


def rarity(candidate: Candidate) -> float:
    """Cost of a kind of explanation before anything is seen: a piece in the air needs a hand, plies go one by one."""
    match candidate.verdict:
        case Raised() | Earlier():
            return RARE
        case Unfinished(move=move):
            left = any(cell == move.path[0] for cell, _ in candidate.change)
            return RARE / 4 if not left or any(look for _, look in candidate.change) else RARE
        case Played(moves=moves, replaces=replaces):
            return RARE / 2 * (len(moves) - 1 + replaces)
    return 0.0


class Losses:
    """What each look of each cell costs against the cell's best look."""

    def __init__(self, game: Game, now: Position, scores: Sequence[Sequence[float]]) -> None:
        self._game, self._now = game, now
        self.scores = scores
        self.top = [max(row) for row in scores]
        self.look = [game.look_of[piece] for piece in now.placement]
        self.kept = [top - row[look] for top, row, look in zip(self.top, scores, self.look, strict=True)]
        self.total = sum(self.kept)
        self.changed = [c for c, loss in enumerate(self.kept) if loss > 0]

    def of(self, candidate: Candidate) -> float:
        """Cost of an explanation: how much worse its looks are, and how seldom its kind is seen on a board at rest."""
        cost = self.total
        for cell, look in candidate.change:
            cost += self.top[cell] - self.scores[cell][look] - self.kept[cell]
        return max(cost, 0.0) + rarity(candidate)

    def unfilled(self, candidate: Candidate) -> int:
        """Cells where something stands that the candidate does not put there, whatever else follows."""
        return self._unfilled + sum(
            self._stands_else(c, look) - self._stands_else(c, self.look[c]) for c, look in candidate.change
        )

    @cached_property
    def _unfilled(self) -> int:
        return sum(self._stands_else(c, self.look[c]) for c in self.changed)

    def _stands_else(self, cell: int, look: int) -> int:
        """1 where something stands that clearly has not this look."""
        row = self.scores[cell]
        return int(row.index(self.top[cell]) not in (0, look) and self.top[cell] - row[look] > FITS)

    def clearly_changed(self) -> list[int]:
        """The cells that are clearly not as before."""
        return [c for c in self.changed if self.kept[c] >= CERTAIN_CELL]

    def fell(self) -> bool:
        """Whether all that has changed is that one piece looks like another: it has fallen, for nobody swaps it."""
        changed = self.clearly_changed()
        return len(changed) == 1 and self.look[changed[0]] > 0 and self.scores[changed[0]][0] < self.top[changed[0]]

    def taken_off(self) -> bool:
        """Whether all that has changed is that one piece of a seat that is not on turn seems gone.

        Its capture may have begun with it, or it has fallen and lies beside its cell.
        """
        changed = self.clearly_changed()
        piece = self._now.placement[changed[0]] if len(changed) == 1 else 0
        return (
            piece > 0
            and self._game.seat_of[piece] != self._now.seat
            and self.scores[changed[0]][0] == self.top[changed[0]]
        )

    def left_by(self, candidate: Candidate) -> tuple[int, ...]:
        """Cells that clearly are not as the candidate says."""
        after = dict(candidate.change)
        cells = {*self.changed, *after}
        return tuple(
            c for c in sorted(cells) if self.top[c] - self.scores[c][after.get(c, self.look[c])] >= CERTAIN_CELL
        )

    def gone(self) -> list[int]:
        """Cells whose piece seems to have left."""
        return [c for c in self.changed if self.look[c] and self.kept[c] > MISSED and self.scores[c][0] == self.top[c]]

    def missed(self, candidate: Candidate) -> list[int]:
        """Cells whose piece the explanation leaves in its place and that seem to be empty."""
        moved = {cell for cell, _ in candidate.change}
        return [c for c in self.gone() if c not in moved]

    def pushed(self, verdict: Played, askew: Sequence[float]) -> bool:
        """Whether a piece that is said to have stepped to an adjoining cell may only have been pushed.

        From one board to another, as in Cam 3-D, nothing is pushed.
        """
        board = self._game.board
        return len(askew) > 0 and any(
            move.target in board.steps[move.origin]
            and board.levels[move.origin] == board.levels[move.target]
            and self._half_way(move.origin, move.target, askew[move.target])
            for move in verdict.moves
        )

    def _half_way(self, left: int, came: int, askew: float) -> bool:
        """Whether a piece that seems to have left one cell for one beside it may stand between them."""
        if not self.look[came] and self.kept[left] + self.kept[came] < STEPPED:
            return True
        return askew >= ASKEW and self.scores[left][0] - self.scores[left][self.look[left]] < PUSHED

    def only_pushed(self, askew: Sequence[float]) -> bool:
        """Whether all that has changed is that pieces are seen off the middle of empty cells beside their own.

        Their own cells show them still, or have not clearly become empty.
        """
        changed = self.clearly_changed()
        from_ = {c: self._pushed_into(c) for c in changed if len(askew) > 0 and askew[c] >= ASKEW}
        pushed = {c for cells in from_.values() for c in cells}
        return all(from_.values()) and bool(from_) and all(c in from_ or c in pushed for c in changed)

    def _pushed_into(self, cell: int) -> list[int]:
        """The cells beside an empty one where a piece stood as seems to stand there now, and may still."""
        board, row = self._game.board, self.scores[cell]
        beside = [c for c in board.steps[cell] if c >= 0 and board.levels[c] == board.levels[cell]]
        if self.look[cell]:
            return []
        return [c for c in beside if self.look[c] and row[self.look[c]] == self.top[cell] and self.kept[c] < SLID]

    def vague(self, cell: int) -> bool:
        """Whether the piece in a cell may have gone although it is read as there."""
        return self.kept[cell] == 0 and self.seen_by(cell) < VAGUE

    def seen_by(self, cell: int) -> float:
        """How much rather a cell shows the piece that stood there than none."""
        return self.scores[cell][self.look[cell]] - self.scores[cell][0]

    def silent(self, cell: int) -> bool:
        """Whether nothing can be told of a cell: a shadow or a stray thing is on it."""
        return max(self.scores[cell]) == min(self.scores[cell])

    def hope(self, candidate: Candidate) -> float:
        """Cost if pieces that were put down have gone on since, or were captured."""
        landed = sum(self.top[cell] - self.scores[cell][look] for cell, look in candidate.change if look)
        return self.of(candidate) - landed

    def from_nowhere(self, candidate: Candidate) -> set[int]:
        """Empty cells where a piece hardly seems to have come, and none of its look has left that may be this one.

        What the candidate says is known; this is about the cells that it leaves as they were.
        """
        said = dict(candidate.change)
        other = [c for c in self.changed if c not in said]
        left = {self.look[c] for c in other if self.look[c]}
        empty = (c for c in other if not self.look[c] and self.kept[c] < NOWHERE)
        return {c for c in empty if self.scores[c].index(self.top[c]) not in left}

    def certain(self, cell: int) -> bool:
        """Whether a cell that changed is read with certainty, or at least certainly not as it was."""
        return self.margin(cell) >= CERTAIN_CELL or self.kept[cell] >= UNLAWFUL

    def margin(self, cell: int) -> float:
        """How much better the best look of a cell scores than the next one."""
        ordered = sorted(self.scores[cell], reverse=True)
        return ordered[0] - ordered[1]

    def placement(self, before: bytes, changed: Sequence[int]) -> bytes:
        """The placement that is seen, if only the cells `changed` are not as `before`.

        Pieces that left a cell are taken to be those of their look that appeared; a piece of which only its look is
        doubtful is one of those that left.
        """
        out, look_of = bytearray(before), self._game.look_of
        gone: dict[int, list[int]] = {}
        for cell in changed:
            gone.setdefault(look_of[before[cell]], []).append(before[cell])
            out[cell] = 0
        came = {cell: self._likely(cell) for cell in changed}
        for cell, looks in sorted(came.items(), key=lambda one: len(one[1])):
            if looks[0] == 0:
                continue
            look = next((one for one in looks if gone.get(one)), looks[0])
            pieces = gone.get(look)
            out[cell] = pieces.pop(0) if pieces else look_of.index(look)
        return bytes(out)

    def _likely(self, cell: int) -> list[int]:
        """The look that a cell has, then those pieces' looks that it may have as well."""
        row = self.scores[cell]
        best = max(range(len(row)), key=row.__getitem__)
        others = [look for look in range(1, len(row)) if look != best and row[best] - row[look] < DOUBTFUL_LOOK]
        return [best, *sorted(others, key=row.__getitem__, reverse=True)]
