"""What was probably played since the record ends, when a board stands further than it: a question for people.

Only what the scores of a look say is weighed here; whether the board would then stand as expected is for the caller to
see.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from engine.belief.candidates import LookChanges, change_between
from engine.belief.lines_of_play import Line
from engine.game import Game, Move, Position

MOST_CELLS = 12
"""More wrong cells than this are no two plies: a jump over four pieces and a canter change eight."""
MOST_FIRST = 16
"""First plies, the likeliest by themselves, that are followed by each second one: more take more than a second."""
MOST_BESIDE = 2
"""Wrong cells that a line may leave unexplained: a piece that has gone also bares the cell behind it."""


def find_missed_plies(
    game: Game, position: Position, scores: Sequence[Sequence[float]], wrong: Collection[int]
) -> list[tuple[Line, Position]]:
    """Lawful lines of one or two plies that would explain why `wrong` cells are not as in `position`, the best first.

    `scores` (cells, looks) are log-likelihoods. With each line comes the position that it leads to.
    """
    if not 0 < len(wrong) <= MOST_CELLS:
        return []
    wrong = frozenset(wrong)

    def weigh_gain(change: LookChanges) -> float:
        return sum(scores[c][look] - scores[c][game.look_of[position.placement[c]]] for c, look in change)

    found: list[tuple[int, float, Line, Position]] = []
    firsts: list[tuple[float, Move, Position]] = []
    for move, after, change in _list_plies(game, position, position):
        if wrong.isdisjoint(c for c, _ in change):
            continue
        firsts.append((weigh_gain(change), move, after))
        found.append((_count_unexplained(wrong, change), -weigh_gain(change), (move,), after))
    firsts.sort(key=lambda first: -first[0])
    for _, move, between in firsts[:MOST_FIRST]:
        for reply, after, change in _list_plies(game, position, between):
            if not wrong.isdisjoint({*reply.path, *reply.taken}):
                found.append((_count_unexplained(wrong, change), -weigh_gain(change), (move, reply), after))
    likely = [entry for entry in found if entry[0] <= MOST_BESIDE and entry[1] < 0]
    likely.sort(key=lambda entry: (entry[0], len(entry[2]), entry[1]))
    return [(line, after) for _, _, line, after in likely]


def _list_plies(game: Game, start: Position, position: Position) -> Iterator[tuple[Move, Position, LookChanges]]:
    for move in game.moves(position):
        after = game.play(position, move)
        yield move, after, change_between(game, start.placement, after.placement)


def _count_unexplained(wrong: frozenset[int], change: LookChanges) -> int:
    """Wrong cells that a change does not touch."""
    return len(wrong.difference(c for c, _ in change))
