"""How likely a line of plies can still become: a bound, so that lines which matter nothing need not be followed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from heapq import nlargest

from engine.belief.candidates import LookChanges
from engine.belief.emission import Emission


class ReachBound:
    """What lines can reach after one look. `looks` are those of each seat's pieces.

    How many cells a ply of the game fills and empties is learned from the plies that were looked at: one and one in
    most games, more where several are taken at once or where one castles.
    """

    def __init__(self, seen: Emission, looks: Sequence[Set[int]]) -> None:
        self._seen, self._looks = seen, looks
        self._fills, self._empties = 1, 1

    def learn_change_sizes(self, before: LookChanges, longer: Iterable[LookChanges]) -> None:
        """Lines that are one ply longer than the one `before`."""
        known = frozenset(before)
        for change in longer:
            new = [bool(look) for cell, look in change if (cell, look) not in known]
            fills = sum(new)
            self._fills, self._empties = max(self._fills, fills), max(self._empties, len(new) - fills)

    def estimate_best_weight(self, change: LookChanges, to_play: Sequence[int]) -> float:
        """No continuation of a line by the seats `to_play`, a ply each, makes the board likelier than this.

        `change` is what the line has changed; in nats against the board as it was.
        """
        seen, said = self._seen, dict(change)
        now = [(seen.rows[cell], said.get(cell, seen.base[cell])) for cell in {*seen.changed, *said}]
        total = seen.weigh_change(change) + _sum_best_gains(
            len(to_play) * self._empties, (row[0] - row[look] for row, look in now)
        )
        for seat in set(to_play):
            mine = self._looks[seat]
            filled = (max(row[one] for one in mine) - row[look] for row, look in now)
            total += _sum_best_gains(to_play.count(seat) * self._fills, filled)
        return total


def _sum_best_gains(count: int, gains: Iterable[float]) -> float:
    return sum(gain for gain in nlargest(count, gains) if gain > 0)
