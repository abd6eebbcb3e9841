"""Lines of play: what may have been played and what may stand there, each with its weight. They go on from look to look.

Nothing is thrown away because one cell is odd, and nothing has to be understood before the next look: what was wrongly
believed loses its weight when later looks contradict it, and lines that disagree with what was said live on.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from engine.belief.candidates import Change
from engine.belief.verdicts import Earlier, Played, Still, Verdict
from engine.game import Game, Move, Position

NOT_KNOWN = 255
"""Stands for the look of a cell of which a line does not know what it last showed."""


@dataclass(frozen=True, slots=True)
class Line:
    """What was played, and `verdict` what is under way since, with the cells that therefore look otherwise: `change`.

    `shown` (a byte a cell) is the look that each cell had by this line when it was last taken in; NOT_KNOWN where what
    was seen there contradicted the line. `weight` is how likely the line is after the last look, in nats; `history` how
    likely without what cells look like in that look: as long as a look lasts, that is one piece of evidence.
    """

    positions: tuple[Position, ...]
    moves: tuple[Move, ...]
    verdict: Verdict
    change: Change
    shown: bytes
    weight: float = 0.0
    history: float = 0.0

    @property
    def now(self) -> Position:
        """The last lawful position."""
        return self.positions[-1]

    def looks(self, game: Game) -> list[int]:
        """(cells,) the look of each cell by this line."""
        looks = [game.look_of[piece] for piece in self.now.placement]
        for cell, look in self.change:
            looks[cell] = look
        return looks

    def with_plies(self, game: Game, verdict: Verdict) -> tuple[tuple[Position, ...], tuple[Move, ...]]:
        """The positions and moves when `verdict` is what followed."""
        match verdict:
            case Earlier(plies=plies):
                return self.positions[:-plies], self.moves[:-plies]
            case Played(moves=moves, replaces=replaces):
                kept = len(self.moves) - replaces
                positions, played = list(self.positions[: kept + 1]), (*self.moves[:kept], *moves)
                for move in moves:
                    positions.append(game.play(positions[-1], move))
                return tuple(positions), played
        return self.positions, self.moves


@dataclass(frozen=True, slots=True)
class Belief:
    """The lines that were `taken` in before the last look, and those that followed from that look: they take their
    place once something has stirred again. `rows` (cells, looks) is what the cells looked like in the last look, in
    nats against the likeliest look."""

    taken: tuple[Line, ...] = ()
    last: tuple[Line, ...] = ()
    rows: tuple[tuple[float, ...], ...] = ()

    def before(self, game: Game, stirred: bool, passed: Collection[int]) -> tuple[Line, ...]:
        """The lines that a look goes on from; something has `passed` over these cells since the last."""
        if not (stirred and self.last):
            return self.taken
        return tuple(replace(line, history=line.history + self._looked(game, line, passed)) for line in self.last)

    def _looked(self, game: Game, line: Line, passed: Collection[int]) -> float:
        """How what the cells looked like that may look otherwise now agreed with a line."""
        looks = line.looks(game)
        return sum(self.rows[cell][looks[cell]] for cell in passed)

    def believed(self, game: Game) -> Sequence[int] | None:
        """(cells,) the looks that the likeliest line has; None if nothing was seen yet."""
        best = self.last or self.taken
        if not best:
            return None
        return best[0].looks(game)


def root(game: Game, positions: Sequence[Position], moves: Sequence[Move]) -> Line:
    """The one line of a game of which nothing was seen yet, or which people have put right."""
    shown = bytes(game.look_of[piece] for piece in positions[-1].placement)
    return Line(tuple(positions), tuple(moves), Still(), (), shown)


def told_of(line: Line, moves: Sequence[Move]) -> Verdict:
    """What a line says to those who know that `moves` were played: its verdict as far as the moves are the same."""
    common = 0
    while common < min(len(moves), len(line.moves)) and line.moves[common] == moves[common]:
        common += 1
    missing, further = len(moves) - common, line.moves[common:]
    if further:
        return Played(further, replaces=missing)
    return Earlier(missing) if missing else line.verdict


def merged(lines: Sequence[Line], most: int) -> tuple[Line, ...]:
    """The likeliest lines, each way to the same end counted once, the best first; the best weighs 0."""
    found: dict[tuple[object, ...], Line] = {}
    for line in sorted(lines, key=lambda one: -one.weight):
        key = (line.moves, line.change, type(line.verdict))
        kept = found.get(key)
        if kept is None:
            if len(found) < most:
                found[key] = line
        else:
            apart = line.weight - kept.weight
            more = math.log1p(math.exp(apart))
            found[key] = replace(kept, weight=kept.weight + more, history=kept.history + more)
    out = sorted(found.values(), key=lambda one: -one.weight)
    top = out[0].weight
    return tuple(replace(line, weight=line.weight - top, history=line.history - top) for line in out)
