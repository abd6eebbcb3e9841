"""Lines of plies that are followed from look to look while nothing is sure: what was played unseen is found again.

A look that nothing explains may come after several plies, each of which left a little of itself in a look of its own.
So the likeliest lines of each such look are kept, and those of the next one go on from them.

Of some plies the board shows only where they led: two knights can take one man and return to their cells, two archers
can hit one piece. Lines that pass through the same positions are one game, whatever follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import cast

from engine.belief.candidates import Candidate, change_between, list_replies
from engine.belief.emission import Emission
from engine.belief.verdicts import Played, Verdict
from engine.game import Game, Move, Position

KEPT_LINES, WITHIN_NATS = 24, 25.0
"""Lines that are kept, and by how much they may be less likely than the best. Raising either finds the way back after
worse looks and costs time; lowering them loses it. Guessed."""
FOLLOWED_LINES, FOLLOWED_WITHIN = 24, 12.0
"""Lines that are followed by a second ply, the likeliest first, and by how much in nats a line may be less likely than
the best to be followed at all. Raising either finds rarer ways and makes such a look dearer. Guessed."""
PAST_COUNTS = 0.5
"""Nats that an earlier picture counts for each that it says: what it showed badly may be what is asked about. Raising
it believes earlier pictures against the newest, lowering it forgets in which order plies came. Guessed."""
NEARLY_NATS = 1.5
"""A line of plies that the looks before found so nearly as likely as the likeliest was seen to be played, as far as it
goes. Raising it asks about takebacks that a doubtful look came before, lowering it loses plies of pieces that go to and
fro for a draw, and asks about quick captures. Guessed: lines weigh half of what they did when they were seen
(PAST_COUNTS)."""
LONGEST_PLIES = 12
"""Longer lines are not followed: nobody can say any more what was played. Guessed."""

LEAST_LINE_SHARE = 0.001
"""Lines less probable than this are no question, so that looks in doubt stay cheap. Raising it leaves rare moves out of
the question which of them led to a position, lowering it follows lines that add nothing to what is sure. Not fitted."""
Line = tuple[Move, ...]
Way = tuple[Position, ...]
"""The positions after each ply of a line."""


@dataclass(frozen=True, slots=True)
class LineOfPlay:
    """Plies that may have been played since it was last known what stands, and by how much they are less likely, in
    nats, than the likeliest."""

    moves: tuple[Move, ...] = ()
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class FollowedLines:
    """The lines before the picture that is looked at, and those after it: further looks at the same picture begin with
    the former."""

    before: tuple[LineOfPlay, ...] = (LineOfPlay(),)
    after: tuple[LineOfPlay, ...] = (LineOfPlay(),)
    seen: frozenset[Line] = frozenset()
    """The plies of which some picture before showed that they may well have been played, and no more yet."""

    def drop_said_moves(self, said: Line) -> FollowedLines:
        """What is left of the lines once these plies, with which they begin, are `said`."""
        before, after = (_list_what_follows(lines, said) for lines in (self.before, self.after))
        return FollowedLines(
            before, after, frozenset(line[len(said) :] for line in self.seen if _is_longer(line, said))
        )


def _is_longer(line: Line, said: Line) -> bool:
    return len(line) > len(said) and line[: len(said)] == said


def _list_what_follows(lines: Sequence[LineOfPlay], said: Line) -> tuple[LineOfPlay, ...]:
    """The lines from the position after `said`; what had not come so far yet begins there."""
    weights: dict[Line, float] = {}
    for line in lines:
        if _is_longer(line.moves, said) or line.moves == said[: len(line.moves)]:
            rest = line.moves[len(said) :]
            weights[rest] = max(line.weight, weights.get(rest, line.weight))
    best = max(weights.values(), default=0.0)
    return tuple(LineOfPlay(rest, weight - best) for rest, weight in weights.items()) or (LineOfPlay(),)


def extend_lines(
    game: Game,
    now: Position,
    seen: Emission,
    lines: Sequence[LineOfPlay],
    weight_of: Callable[[Candidate], float],
    *,
    by_two: bool,
) -> list[tuple[Candidate, float]]:
    """The `lines` from `now` and what may have followed them, with their weights in nats, the likeliest first.

    `weight_of` tells of a line what it would weigh if this were the first look. Each line goes on by one ply, the most
    hopeful `by_two` where that is asked for.
    """
    met: dict[tuple[Move, ...], tuple[Candidate, float]] = {}

    def record_weight(one: Candidate, past: float) -> float:
        moves = cast(Played, one.verdict).moves
        total = past + weight_of(one)
        if moves not in met or met[moves][1] < total:
            met[moves] = one, total
        return total

    firsts: list[tuple[float, float, Candidate]] = []
    for line in lines:
        position = _play_moves(game, now, line.moves)
        if line.moves:
            record_weight(
                Candidate(Played(line.moves), change_between(game, now.placement, position.placement)), line.weight
            )
        if line.weight > -FOLLOWED_WITHIN:
            longer = _lengthen_line(game, now, position, line.moves, seen)
            firsts += [(record_weight(one, line.weight), line.weight, one) for one in longer]
    hopeful = nlargest(FOLLOWED_LINES, firsts, key=lambda found: found[0]) if by_two else ()
    for _, past, first in hopeful:
        moves = cast(Played, first.verdict).moves
        for one in _lengthen_line(game, now, _play_moves(game, now, moves), moves, seen):
            record_weight(one, past)
    return sorted(met.values(), key=lambda pair: -pair[1])


def keep_likeliest_lines(found: Sequence[tuple[tuple[Move, ...], float]]) -> tuple[LineOfPlay, ...]:
    """The likeliest lines of those that were `found` (plies and weight), the best first."""
    if not found:
        return (LineOfPlay(),)
    best = max(weight for _, weight in found)
    lines = [LineOfPlay(moves, PAST_COUNTS * (weight - best)) for moves, weight in found if weight > best - WITHIN_NATS]
    return tuple(sorted(lines, key=lambda line: -line.weight)[:KEPT_LINES])


def _lengthen_line(
    game: Game, now: Position, position: Position, moves: tuple[Move, ...], seen: Emission
) -> Iterator[Candidate]:
    """The line of `moves`, which leads to `position`, one ply longer, by plies that change what is not as it seems."""
    if len(moves) >= LONGEST_PLIES:
        return iter(())
    said = dict(change_between(game, now.placement, position.placement))
    odd = {cell for cell in {*seen.changed, *said} if said.get(cell, seen.base[cell]) != seen.best[cell]}
    longer = list_replies(game, position, Played(moves), now.placement, odd)
    return (one for one in longer if not is_undone_step(cast(Played, one.verdict).moves))


def is_undone_step(moves: Sequence[Move]) -> bool:
    """Whether the last ply puts back a piece that took nothing: nobody does that to let the other side move twice."""
    last = moves[-1]
    return any((one.origin, one.target, one.taken) == (last.target, last.origin, last.taken) for one in moves[:-1])


def _play_moves(game: Game, position: Position, moves: Iterable[Move]) -> Position:
    for move in moves:
        position = game.play(position, move)
    return position


@dataclass(frozen=True, slots=True)
class SurelyGone:
    """A way that was surely gone, with its probability; `whole` is that nothing more was done after it."""

    played: Played
    share: float
    whole: float


@dataclass(slots=True)
class _Shares:
    """The probability of a way, with nothing after it, and of each move by which its last ply was made."""

    share: float = 0.0
    whole: float = 0.0
    by_move: dict[Move, float] = field(default_factory=dict)
    line: Line = ()
    best: float = 0.0


def find_same_positions(
    game: Game, now: Position, lines: Iterable[tuple[Line, float, bool]], sure: float
) -> SurelyGone | None:
    """The longest way that is `sure`, where several moves lead along it; None if there is none.

    `lines` are plies, their probability, and whether nothing was done after them. The last ply of the way is known:
    while one that is not is the last, people can still be asked before anything is said.
    """
    ways: dict[Way, _Shares] = {}
    for moves, share, done in lines:
        if share < LEAST_LINE_SHARE:
            continue
        way = walk_line(game, now, moves)
        for count in range(1, len(moves) + 1):
            one = ways.setdefault(way[:count], _Shares())
            one.share += share
            one.by_move[moves[count - 1]] = one.by_move.get(moves[count - 1], 0.0) + share
            if share > one.best:
                one.line, one.best = moves[:count], share
        ways[way].whole += share if done else 0.0
    sure_ways = [way for way, one in ways.items() if one.share >= sure and len(one.by_move) == 1]
    longest = max(sure_ways, key=len, default=())
    others = (
        tuple(_list_others(ways[longest[: ply + 1]].by_move, move) for ply, move in enumerate(ways[longest].line))
        if longest
        else ()
    )
    if not any(others):
        return None
    return SurelyGone(Played(ways[longest].line, 0, others), ways[longest].share, ways[longest].whole)


def begins_with_moves(verdict: Verdict, moves: tuple[Move, ...]) -> bool:
    """Whether a verdict says these moves, and perhaps more after them."""
    return isinstance(verdict, Played) and not verdict.replaces and verdict.moves[: len(moves)] == moves


def walk_line(game: Game, now: Position, moves: Line) -> Way:
    """The positions after each of the moves."""
    way: Way = ()
    for move in moves:
        now = game.play(now, move)
        way = (*way, now)
    return way


def _list_others(shares: dict[Move, float], move: Move) -> tuple[Move, ...]:
    """The moves that may have been played in the place of one, the likeliest first."""
    return tuple(sorted((one for one in shares if one != move), key=lambda one: -shares[one]))
