"""Which of several first plies was played, when the board at rest cannot tell: what was seen while hands moved.

A piece that moves and is captured before the board rests leaves the same board wherever it went. For a moment it
stood there, beside the hand that was leaving or the one that was coming.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from engine.candidates import Change
from engine.game import Game, Move, Position
from engine.losses import ASKEW
from engine.sight import Sight

SHOWN, CLEAR = 6.0, 0.3
"""A glimpse shows a ply when origin and target are read as after it by this margin, and less than this share of them is
strange: 7 to 35 and up to 0.27 where a piece stood in six drawn games."""
GLIMPSES = 2
"""So many show the piece where it went: one in the hand once looked like one in a cell over which it was carried, but
it goes on. Where it came from may be under the hand in all but one of them. One is enough when the arm is elsewhere: it
holds nothing then, as in a drawn game in which it had gone ten cells away."""

Glimpsed = Callable[[], Sequence[Sight]]
"""Looks taken while something moved, worked out when they are asked for."""


def nothing_glimpsed() -> Sequence[Sight]:
    """Nothing was seen in between."""
    return ()


class Remembered:
    """Glimpses that are worked out once, when they are first asked for, and what they were for a trace."""

    def __init__(self, glimpsed: Glimpsed) -> None:
        self._glimpsed = glimpsed
        self.seen: Sequence[Sight] | None = None
        """None as long as nobody has asked."""

    def __call__(self) -> Sequence[Sight]:
        """The glimpses."""
        if self.seen is None:
            self.seen = self._glimpsed()
        return self.seen


def ply_shown(
    game: Game, now: Position, plies: Collection[Move], change: Change, glimpses: Sequence[Sight]
) -> Move | None:
    """The one of `plies` that glimpses show as played in `now`, or that they leave possible; None if there is no one.

    At rest the board has changed by `change`; what it shows then says nothing about what was before.
    """
    looks = game.look_of
    at_rest = dict(change)
    shown, possible = [], []
    for move in plies:
        after = game.play(now, move).placement
        before, there, left = (looks[p] for p in (now.placement[move.origin], after[move.target], after[move.origin]))
        came = [glimpse for glimpse in glimpses if _stands(glimpse, move.target, there)]
        if not _told([glimpse for glimpse in came if _stands(glimpse, move.origin, before)], move.target):
            possible.append(move)  # else what came there was another piece
        if at_rest.get(move.target, looks[now.placement[move.target]]) == there:
            continue
        if any(_stands(glimpse, move.origin, left) for glimpse in came) and _told(came, move.target):
            shown.append(move)
    if len(shown) == 1:
        return shown[0]
    return possible[0] if len(possible) == 1 and not shown else None


def _told(glimpses: Sequence[Sight], cell: int) -> bool:
    """Whether what these show in a cell stood there, and was not carried over it."""
    return len(glimpses) >= GLIMPSES or any(_let_go(glimpse, cell) for glimpse in glimpses)


def _let_go(glimpse: Sight, cell: int) -> bool:
    """Whether a hand is over the board, and not over the cell."""
    return len(glimpse.hidden) > 0 and cell not in glimpse.hidden


def _stands(glimpse: Sight, cell: int, look: int) -> bool:
    """Whether a cell plainly shows a look: a piece in its middle, not at an edge where one is carried past."""
    row = glimpse.scores[cell]
    margin = row[look] - max(score for other, score in enumerate(row) if other != look)
    return margin >= SHOWN and glimpse.strange[cell] <= CLEAR and glimpse.askew[cell] < ASKEW
