"""Tables of three, as Tri-Camelot is played: who meets whom, and who sits where. No library pairs three.

Who has the same score plays together, and nobody meets whom it has met while that can be helped; then each has had
every side about as often. Of 3n + 1 or 3n + 2 players the last without a bye have one. In the first round the best of
each third sit together, as the best of each half do in a Swiss of two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from server.hall.tournament.event import FULL_POINT, HALF_POINT, Seating, Tournament
from server.hall.tournament.results import BYE, award_points

MET_AGAIN = 1000
"""To meet again is worse than any difference of scores."""
MOST_PASSES = 50
ABSENT_SCORE = {HALF_POINT: Fraction(1, 2), FULL_POINT: Fraction(1)}
Group = tuple[int, ...]


def compute_groups(tournament: Tournament, round_: int) -> list[Group]:
    """The tables of the next round, in the order of the sides; numbers alone have a bye."""
    scores = scores_after(tournament, round_ - 1)
    order = [
        one.number
        for one in sorted(tournament.entrants_to_pair(round_), key=lambda one: (-scores[one.number], one.number))
    ]
    before = [table for table in tournament.tables if table.round < round_]
    byes = _choose_byes(order, before)
    playing = [number for number in order if number not in byes]
    third = len(playing) // 3
    met = Counter(frozenset(pair) for table in before for pair in combinations(table.players, 2))
    first = [tuple(playing[at::third]) for at in range(third)] if round_ == 1 else list(_split_in_threes(playing))
    apart = _improve_groups(first, met, scores)
    apart.sort(key=lambda group: order.index(min(group, key=order.index)))
    sides = Counter((number, side) for table in before for side, number in enumerate(table.players) if not table.is_bye)
    return [_seat_group(group, sides) for group in apart] + [(number,) for number in byes]


def _choose_byes(order: Sequence[int], before: Sequence[Seating]) -> list[int]:
    """Whom no table of three is left for: the last of those who had the fewest byes."""
    had = Counter(table.players[0] for table in before if table.is_bye)
    return sorted(order, key=lambda number: (had[number], -order.index(number)))[: len(order) % 3]


def scores_after(tournament: Tournament, rounds: int) -> dict[int, Fraction]:
    """Everybody's points after so many rounds."""
    found = dict.fromkeys((one.number for one in tournament.entrants), Fraction(0))
    for table in tournament.tables:
        if table.round <= rounds and table.result:
            for number, got in zip(table.players, _table_points(table), strict=True):
                found[number] += got
    for one in tournament.absences:
        if one.round <= rounds and one.round <= tournament.paired:
            found[one.number] += ABSENT_SCORE.get(one.worth, Fraction(0))
    return found


def rank_entrants(tournament: Tournament, round_: int) -> list[tuple[int, int, list[str]]]:
    """After a round: rank, number, and points, points of those met without the worst, wins; the first rank first."""
    scores = scores_after(tournament, round_)
    met: dict[int, list[Fraction]] = {number: [] for number in scores}
    wins: Counter[int] = Counter()
    for table in tournament.tables:
        if table.round <= round_ and table.result and not table.is_bye:
            for number, got in zip(table.players, _table_points(table), strict=True):
                met[number] += [scores[other] for other in table.players if other != number]
                wins[number] += got == 1
    values = {
        number: (scores[number], sum(sorted(met[number])[1:], Fraction(0)), Fraction(wins[number])) for number in scores
    }
    order = sorted(values, key=lambda number: (*(-value for value in values[number]), number))
    return [
        (
            1 + sum(other > values[number] for other in values.values()),
            number,
            [_format_decimal(one) for one in values[number]],
        )
        for number in order
    ]


def _table_points(table: Seating) -> tuple[Fraction, ...]:
    return award_points(BYE if table.is_bye else table.result, len(table.players))


def _format_decimal(value: Fraction) -> str:
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def _split_in_threes(numbers: Sequence[int]) -> Iterable[Group]:
    return (tuple(numbers[at : at + 3]) for at in range(0, len(numbers), 3))


def _improve_groups(found: list[Group], met: Counter[frozenset[int]], scores: dict[int, Fraction]) -> list[Group]:
    """Groups among which no exchange of two players makes anything better."""

    def group_cost(group: Group) -> Fraction:
        again = sum(met[frozenset(pair)] for pair in combinations(group, 2))
        apart = sum(((scores[a] - scores[b]) ** 2 for a, b in combinations(group, 2)), Fraction(0))
        return MET_AGAIN * again + apart

    for _ in range(MOST_PASSES):
        is_better = False
        for one, other in combinations(range(len(found)), 2):
            now = group_cost(found[one]) + group_cost(found[other])
            if not now:
                continue
            best, chosen = now, None
            for mine in found[one]:
                for theirs in found[other]:
                    left = tuple(theirs if number == mine else number for number in found[one])
                    right = tuple(mine if number == theirs else number for number in found[other])
                    if (then := group_cost(left) + group_cost(right)) < best:
                        best, chosen = then, (left, right)
            if chosen:
                found[one], found[other] = chosen
                is_better = True
        if not is_better:
            break
    return found


def _seat_group(group: Group, sides: Counter[tuple[int, int]]) -> Group:
    """In the order in which each has had its side least."""
    return min(
        permutations(sorted(group)),
        key=lambda order: sum(4 ** sides[number, side] for side, number in enumerate(order)),
    )
