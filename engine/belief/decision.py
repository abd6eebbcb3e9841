"""What is believed after a look: every line with its weight, and the opinion that follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest

from engine.belief.answer import Case
from engine.belief.candidates import change_between
from engine.belief.emission import CLEARLY, COVERED_SHARE, Emission
from engine.belief.hypotheses import Explaining, Hypothesis
from engine.belief.lines import NOT_KNOWN, Belief, Line, merged, root, told_of
from engine.belief.numbers import Numbers, numbers
from engine.belief.opinion import Opinion
from engine.belief.sight import Sight
from engine.belief.unlawful import displaced
from engine.belief.verdicts import Doubtful, Played, Raised, Still, Verdict
from engine.game import Game, Move, Position

MOST_LINES, MOST_APART = 6, 12.0
"""Lines that a look follows, and nats by which the last of them may be less likely than the first. Each costs as much as
the first. Raising them finds the way back from a wrong ply later, lowering them makes looks cheaper."""
MOST_WAYS, MOST_KEPT = 60, 16
"""Ways on from each line that are weighed against each other, and lines that are kept for the next look."""


@dataclass(frozen=True, slots=True)
class _Followed:
    """A line that a look goes on from, and what the look says to it."""

    line: Line
    seen: Emission
    missed: float
    """What ways that were not looked at weigh at most."""
    ways: tuple[Hypothesis, ...]
    """All that may have followed, the likeliest first."""

    @property
    def standing(self) -> float:
        """What all ways on from the line have in common, in nats."""
        return self.line.history + self.seen.against


def believe(
    game: Game, positions: Sequence[Position], moves: Sequence[Move], sight: Sight, belief: Belief
) -> tuple[Opinion, Belief]:
    """What `sight` means to those who were told that `moves` led through `positions`, and the lines after it."""
    n = numbers()
    taken = belief.before(game, sight.stirred, sight.passed) or (root(game, positions, moves),)
    followed = [
        _follow(game, line, sight, n) for line in taken[:MOST_LINES] if line.weight >= taken[0].weight - MOST_APART
    ]
    lines = merged([line for one in followed for line in _ways_on(game, one, sight)], MOST_WAYS)
    best = max(one.standing + one.ways[0].weight for one in followed)
    told = next((one for one in followed if one.line.moves == tuple(moves)), None)
    seen = told.seen if told else Emission(game, positions[-1], sight, n, lines[0].shown)
    unknown = max(one.standing + one.seen.most() for one in followed) + n.unknown - best
    missed = max(one.standing + one.missed for one in followed) - best
    found = [_as_told(game, positions[-1], moves, line) for line in lines]
    found.append(Hypothesis(Doubtful(()), (), unknown))
    found.sort(key=lambda one: -one.weight)
    opinion = Case(game, positions[-1], found, seen, missed, _contradicted(game, lines[0], seen), sight, n).opinion()
    return opinion, Belief(taken, lines[:MOST_KEPT], tuple(followed[0].seen.looks))


def _follow(game: Game, line: Line, sight: Sight, n: Numbers) -> _Followed:
    """What a look says to a line."""
    seen = Emission(game, line.now, sight, n, line.shown)
    explaining = Explaining(game, line, sight, seen, n)
    ways = [*explaining.found, *displaced(seen, explaining.found, n, line, sight.offset_cells)]
    likeliest = nlargest(MOST_WAYS, ways, key=lambda way: way.weight)
    return _Followed(line, seen, explaining.missed, tuple(likeliest))


def _ways_on(game: Game, one: _Followed, sight: Sight) -> Iterator[Line]:
    """The likeliest lines that a line goes on as."""
    before, seen = one.line, one.seen
    odd = sight.unexplained or (0.0,) * len(seen.rows)
    for way in one.ways:
        looks = list(seen.base)
        for cell, look in way.change:
            looks[cell] = look
        shown = bytes(
            old
            if cell in seen.hidden or odd[cell] > COVERED_SHARE
            else (NOT_KNOWN if row[seen.best[cell]] - row[looks[cell]] > CLEARLY else looks[cell])
            for cell, (old, row) in enumerate(zip(before.shown, seen.rows, strict=True))
        )
        positions, moves = before.with_plies(game, way.verdict)
        verdict: Verdict = way.verdict
        change = way.change
        if moves != before.moves:
            base = [game.look_of[piece] for piece in positions[-1].placement]
            change = tuple((cell, look) for cell, look in enumerate(looks) if look != base[cell])
            verdict = Raised(change[0][0]) if change and not way.done else Still()
        weight = one.standing + way.weight
        alone = sum(row[look] for row, look in zip(seen.looks, looks, strict=True))
        yield Line(positions, moves, verdict, change, shown, weight, weight - alone)


def _as_told(game: Game, now: Position, moves: Sequence[Move], line: Line) -> Hypothesis:
    """A line as an explanation for those who know the position `now` after `moves`."""
    looks = dict(change_between(game, now.placement, line.now.placement)) | dict(line.change)
    base = now.placement
    change = tuple((cell, look) for cell, look in sorted(looks.items()) if look != game.look_of[base[cell]])
    verdict = told_of(line, moves)
    done = isinstance(line.verdict, Still) or not isinstance(verdict, Played)
    return Hypothesis(verdict, change, line.weight, done)


def _contradicted(game: Game, line: Line, seen: Emission) -> tuple[int, ...]:
    """The cells that clearly show something else than a line has there."""
    looks = line.looks(game)
    return tuple(c for c, row in enumerate(seen.rows) if row[seen.best[c]] - row[looks[c]] > CLEARLY)
