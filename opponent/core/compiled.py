"""A game in the compiled core: the same answers as the rules in Python, quickly; None where there is no such core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType

from engine.game import Position, Result
from opponent.core.tables import pack_numbers

ToldSearch = Callable[[int, int, int, float, list[Result]], None]
"""Called with depth, score, nodes, seconds and the results of the best line."""

SHORTEST_S = 1e-6
FARTHEST_PLIES = 60
"""Plies that the core looks ahead at most, as core.h has it."""


def import_core() -> ModuleType | None:
    """The compiled module, None where the program was installed without a compiler."""
    try:
        from opponent.core import _compiled  # noqa: PLC0415  # it need not be there
    except ImportError:
        return None
    return _compiled


class CompiledGame:
    """One game under one rule set. MemoryError where there is not enough for the results of a position."""

    def __init__(self, found: ModuleType, tables: bytes, worths: Sequence[int], weights: Sequence[int]) -> None:
        self._core = found
        self._tables = found.make(tables, pack_numbers(worths), pack_numbers(weights))

    def results(self, position: Position) -> list[Result]:
        """Every lawful result, in any order."""
        found: list[Result] = self._core.results(self._tables, _pack_stand(position))
        return found

    def find_winner(self, position: Position) -> int | None:
        """None while the game goes on, -1 for a draw, else the seat that has won."""
        found: int | None = self._core.outcome(self._tables, _pack_stand(position))
        return found

    def perft(self, position: Position, depth: int) -> int:
        """How many lines of that many results lead on from a position."""
        count: int = self._core.perft(self._tables, _pack_stand(position), depth)
        return count

    def listed(self, positions: Sequence[Position], passes: int) -> int:
        """The results of all positions together, listed `passes` times without a word to Python: for measuring."""
        count: int = self._core.listed(self._tables, [_pack_stand(position) for position in positions], passes)
        return count

    def search(
        self,
        history: Sequence[Position],
        stop: bytearray,
        told: ToldSearch,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        depth: int | None = None,
        noise: int = 0,
        seed: int = 0,
        among: frozenset[Result] = frozenset(),
    ) -> Result:
        """The best result in the last position of `history`, or of `among` if given; what is None does not limit.

        More than two players are each taken to play for itself.
        """
        stands = [_pack_stand(position) for position in history]
        limits = (  # as the core takes them: 0 is none
            0 if nodes is None else max(nodes, 1),
            0.0 if seconds is None else max(seconds, SHORTEST_S),
            0 if depth is None else min(max(depth, 1), FARTHEST_PLIES),
        )
        wanted = bytes(result in among for result in self.results(history[-1])) if among else b""
        best: Result = self._core.search(self._tables, stands, *limits, noise, seed, stop, told, wanted)
        return best


def load_core(tables: bytes, worths: Sequence[int], weights: Sequence[int]) -> CompiledGame | None:
    """The game that `tables` describes (opponent/core/tables.py); None where there is no core or no room in it.

    `worths` has one number for each piece number and cell, `weights` those that core.h names.
    """
    found = import_core()
    if found is None:
        return None
    try:
        return CompiledGame(found, tables, worths, weights)
    except ValueError:
        return None


def _pack_stand(position: Position) -> tuple[bytes, int, tuple[int, ...]]:
    return position.placement, position.seat, position.memory
