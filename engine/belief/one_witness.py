"""Plies that one of two witnesses sees and the other does not: nothing else is sure before people were asked.

What is remembered of a cell and what its fellows in the same picture look like are read apart. A piece that moves to
the next cell and leans over the one that it has left deceives the first, a shaded or printed cell the second. That
several cells deceive either of them in just the way a lawful ply would is rare.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.belief.candidates import Change, change_between
from engine.belief.emission import Emission
from engine.belief.hypotheses import LookHypotheses
from engine.belief.sight import NO_LOOK, Sight
from engine.belief.verdicts import Played
from engine.game import Game, Move, Position


def find_one_witness_plies(
    game: Game, now: Position, explaining: LookHypotheses, sight: Sight, cells: tuple[int, ...] = ()
) -> tuple[Move, ...]:
    """The plies that `sight.otherwise` shows whole, and what follows them in `cells`; () for none.

    `cells` are those that seem to hold what is not lawful without such a ply.
    """
    shown = dict(sight.otherwise)
    if len(shown) < 2:
        return ()
    lines = [
        one.verdict.moves
        for one in explaining.found
        if isinstance(one.verdict, Played) and not one.verdict.replaces and len(one.verdict.moves) == 1 and one.done
        if _is_shown(one.change, shown)
    ]
    if not cells:
        return lines[0] if lines else ()
    return next(
        (line for moves in lines for line in _list_followed_lines(game, now, moves, explaining.seen, cells)), ()
    )


def _is_shown(change: Change, shown: Mapping[int, int]) -> bool:
    """Whether a piece plainly came where a change has one, and nothing speaks against the rest of it."""
    came = any(look and shown.get(cell) == look for cell, look in change)
    return came and all(shown.get(cell) in (look, NO_LOOK) for cell, look in change)


def _list_followed_lines(
    game: Game, now: Position, moves: tuple[Move, ...], seen: Emission, cells: tuple[int, ...]
) -> Iterator[tuple[Move, ...]]:
    """The plies and a lawful one after them that leaves in the `cells` what is seen there."""
    after = game.play(now, moves[0])
    wanted = {cell: seen.best[cell] for cell in cells}
    for reply in game.moves(after):
        change = dict(change_between(game, after.placement, game.play(after, reply).placement))
        if wanted.items() <= change.items():
            yield (*moves, reply)
