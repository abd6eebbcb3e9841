"""Several plies between two looks, and plies with the beginning of a capture after them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import cast

from engine.candidates import Candidate, begun_replies, replies
from engine.game import Game, Position
from engine.losses import FITS, Losses
from engine.verdicts import Played

MOST_PLIES = 3
"""Plies that may be played between two looks; more than that is asked about."""
PLY_S = 0.25
"""A third ply needs three times this much of moving: nobody plays faster, and without it a quick ply and an unlawful
move of the other side are often three plies of which two are by one piece."""
MOST_BEGINNINGS = 200
"""Beginnings of several plies that are followed; if there are more, what is found at their ends is asked about. After a
long jump that took the piece that had just moved there are about a hundred."""
MOST_FOLLOWED = 2000
"""Explanations one ply longer that are looked at in each step of a search, the most hopeful beginnings first; if there
are more, what is found at their ends is asked about. Each takes 15 to 45 us on one core and three plies take three
steps, so that a search takes 0.15 s mostly and 0.3 s at most. It is a count and no time, so that a recording gives the
same record on every machine. Two quick plies in scores that are clear need some hundreds; where two pieces had gone or
a board told nothing 17,000 to 40,000 were looked at, in half a second to a second. Lowering it asks where plies could
have been said, raising it makes the worst look dearer."""
MOST_BEGUN = 12
"""Plies after which a capture under way is looked for: the best of them, since it takes 5 ms each."""
BEGUN_CELLS = 3
"""Cells that a ply and the capture of its piece change at least; after fewer, nothing is waited for."""

Priced = list[tuple[float, Candidate]]
"""Explanations with their costs, cheapest first; ties keep their order."""
Replies = Callable[[Game, Position, Played, bytes], Iterator[Candidate]]


def most_plies(moving_s: float) -> int:
    """How many plies can have been played in so many seconds of moving."""
    return MOST_PLIES if moving_s >= MOST_PLIES * PLY_S else MOST_PLIES - 1


def priced(losses: Losses, listed: Sequence[Candidate]) -> Priced:
    """Explanations with their costs, cheapest first; ties keep their order."""
    return sorted(((losses.of(candidate), candidate) for candidate in listed), key=lambda pair: pair[0])


def longer(game: Game, now: Position, losses: Losses, found: Priced, most: int) -> tuple[Priced, bool]:
    """The explanations `found` so far and those of up to `most` plies, and whether these are all there are.

    For players faster than the camera. A ply fills one cell, so a beginning that leaves more cells to be filled than
    plies are left leads nowhere; and plies that leave no trace (there and back) are no explanation.
    """
    first = [c for _, c in found if can_be_followed(c)]
    for plies in range(2, min(most, len(losses.changed)) + 1):
        ends, complete = first, True
        for left in range(plies - 1, 0, -1):
            ends = sorted((c for c in ends if losses.unfilled(c) <= left), key=losses.hope)
            complete = complete and len(ends) <= MOST_BEGINNINGS
            every = (end for c in ends[:MOST_BEGINNINGS] for end in followed(game, now, c))
            ends = list(islice(every, MOST_FOLLOWED))
            complete = complete and next(every, None) is None
        found = sorted(found + priced(losses, ends), key=lambda pair: pair[0])
        if found[0][0] <= FITS:
            return found, complete
    return found, True


def begun_after(game: Game, now: Position, losses: Losses, listed: Sequence[Candidate]) -> Iterator[Candidate]:
    """The plies among `listed` after which the board may show the beginning of a capture that answers them.

    Not enough to say so, but a reason to wait before something else is said.
    """
    if len(losses.changed) < BEGUN_CELLS:
        return
    plies = [c for c in listed if can_be_followed(c) and losses.unfilled(c) <= 1]
    for ply in sorted(plies, key=losses.hope)[:MOST_BEGUN]:
        if any(losses.of(begun) <= FITS for begun in followed(game, now, ply, begun_replies)):
            yield ply


def can_be_followed(candidate: Candidate) -> bool:
    """Whether it is a ply played in the position that stood."""
    verdict = candidate.verdict
    return isinstance(verdict, Played) and len(verdict.moves) == 1 and not verdict.replaces


def followed(game: Game, now: Position, candidate: Candidate, how: Replies = replies) -> Iterator[Candidate]:
    """The explanations one ply longer than `candidate`, finished or (`begun_replies`) under way."""
    verdict, position = cast(Played, candidate.verdict), now
    for move in verdict.moves:
        position = game.play(position, move)
    return how(game, position, verdict, now.placement)
