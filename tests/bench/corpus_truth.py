"""What really stood on the board at each look of a trace of the corpus."""

from __future__ import annotations

from bisect import bisect_left

from engine.game import Game
from server.record.traces.trace import Trace
from tests.bench.corpus import taken

SETTLED_S = 0.15
"""A picture may be this much older than the look at it: what has changed since then is not held against the look."""


class Stood:
    """The placements before and after each ply of a trace with truth, and which of them a look may have shown."""

    def __init__(self, trace: Trace) -> None:
        assert trace.truth is not None
        take = taken(trace.truth)
        self.game: Game = take.game
        position = trace.initial_match.position
        self.after = [position.placement]
        """What stands when so many plies have been played."""
        for origin, target, captured in take.moves:
            names = self.game.board.cells
            move = next(
                one
                for one in self.game.moves(position)
                if (names[one.origin], names[one.target]) == (origin, target)
                and sorted(names[cell] for cell in one.taken) == sorted(captured)
            )
            position = self.game.play(position, move)
            self.after.append(position.placement)
        self._times = trace.truth["times"]
        self._shown = [row[1:] for row in trace.truth["shown"] for _ in range(row[0])]
        self.unlawful = bool(trace.truth["take"]["illegal"])

    def at(self, t: float) -> tuple[int, bool] | None:
        """Plies played and whether the board is clear; None where a look may show something else as well."""
        at = bisect_left(self._times, t - 1e-6)
        if at >= len(self._times):
            return None
        played, clear, seeable = self._shown[at]
        settled = all(one == self._shown[at] for one in self._shown[bisect_left(self._times, t - SETTLED_S) : at])
        return (played, clear) if seeable and (settled or not clear) else None
