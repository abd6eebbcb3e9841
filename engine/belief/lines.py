"""Lines of plies that are followed from look to look while nothing is sure: what was played unseen is found again.

A look that nothing explains may come after several plies, each of which left a little of itself in a look of its own.
So the likeliest lines of each such look are kept, and those of the next one go on from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import cast

from engine.belief.candidates import Candidate, change_between, replies
from engine.belief.emission import Emission
from engine.belief.verdicts import Played
from engine.game import Game, Move, Position

MOST_LINES, WITHIN_NATS = 40, 25.0
"""Lines that are kept, and by how much they may be less likely than the best. Raising either finds the way back after
worse looks and costs time; lowering them loses it. Guessed."""
MOST_FOLLOWED, FOLLOWED_WITHIN = 12, 12.0
"""Lines that are followed by two plies more, and by how much they may be less likely than the best of their kind."""
MOST_PLIES = 12
"""Longer lines are not followed: nobody can say any more what was played."""


@dataclass(frozen=True, slots=True)
class Line:
    """Plies that may have been played since it was last known what stands, and by how much they are less likely, in
    nats, than the likeliest."""

    moves: tuple[Move, ...] = ()
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Followed:
    """The lines before the picture that is looked at, and those after it: further looks at the same picture begin with
    the former."""

    before: tuple[Line, ...] = (Line(),)
    after: tuple[Line, ...] = (Line(),)


def go_on(
    game: Game, now: Position, seen: Emission, lines: Sequence[Line], prior: float
) -> list[tuple[Candidate, float]]:
    """The `lines` from `now` and what may have followed them, with their weights in nats; `prior` is that of a ply."""
    met: dict[tuple[Move, ...], tuple[Candidate, float]] = {}

    def weigh(found: Iterable[Candidate], weight: float) -> list[tuple[float, Candidate]]:
        out = []
        for one in found:
            moves = cast(Played, one.verdict).moves
            total = weight + prior * len(moves) + seen.of(one.change)
            if moves not in met or met[moves][1] < total:
                met[moves] = one, total
            out.append((total, one))
        return out

    for line in lines:
        position = _after(game, now, line.moves)
        if line.moves:
            change = change_between(game, now.placement, position.placement)
            weigh([Candidate(Played(line.moves), change)], line.weight)
        if len(line.moves) >= MOST_PLIES:
            continue
        firsts = weigh(_longer(game, now, position, line.moves, seen), line.weight)
        best = max((total for total, _ in firsts), default=0.0)
        hopeful = [pair for pair in firsts if pair[0] > best - FOLLOWED_WITHIN]
        for _, first in nlargest(MOST_FOLLOWED, hopeful, key=lambda pair: pair[0]):
            moves = cast(Played, first.verdict).moves
            weigh(_longer(game, now, _after(game, position, moves[-1:]), moves, seen), line.weight)
    return sorted(met.values(), key=lambda pair: -pair[1])


def kept(found: Sequence[tuple[tuple[Move, ...], float]]) -> tuple[Line, ...]:
    """The likeliest lines of those that were `found` (plies and weight), the best first."""
    if not found:
        return (Line(),)
    best = max(weight for _, weight in found)
    lines = [Line(moves, weight - best) for moves, weight in found if weight > best - WITHIN_NATS]
    return tuple(sorted(lines, key=lambda line: -line.weight)[:MOST_LINES])


def _longer(
    game: Game, now: Position, position: Position, moves: tuple[Move, ...], seen: Emission
) -> Iterator[Candidate]:
    """The line of `moves`, which leads to `position`, one ply longer, by plies that change what is not as it seems."""
    said = dict(change_between(game, now.placement, position.placement))
    odd = {cell for cell in {*seen.changed, *said} if said.get(cell, seen.base[cell]) != seen.best[cell]}
    return replies(game, position, Played(moves), now.placement, odd)


def _after(game: Game, position: Position, moves: Iterable[Move]) -> Position:
    for move in moves:
        position = game.play(position, move)
    return position
