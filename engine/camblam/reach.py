"""Where each Camblam piece can go and what it takes there, check not considered."""

from __future__ import annotations

from collections.abc import Callable

from engine.board import Board
from engine.camblam.rays import RAYS_DIAGONAL, RAYS_ORTHOGONAL, RayCells, list_neighbours, trace_line, trace_lines
from engine.camblam.rules import CODES, FORWARD, KIND_OF, KNIGHT_LEG, PAWN_REACH, RUNS, SEAT_OF, SINGLE_STEPS, Readings

Landing = tuple[int, tuple[int, ...]]
"""The cell the piece ends on and the cells it empties, in order. A shot ends where it began."""
Leg = tuple[RayCells, tuple[int, ...]]
"""The cells of a knight's first leg, its corner last, and the cells it may land on from there."""


class Reach:
    """Tables for one board and one set of readings; `landings` is asked for each piece in turn."""

    def __init__(self, board: Board, readings: Readings) -> None:
        self.orthogonal = trace_lines(board, RAYS_ORTHOGONAL)
        self.diagonal = trace_lines(board, RAYS_DIAGONAL)
        self.every_way = tuple(o + d for o, d in zip(self.orthogonal, self.diagonal, strict=True))
        self.runs = {kind: trace_lines(board, steps) for kind, steps in RUNS.items()}
        self.steps = {kind: list_neighbours(board, steps) for kind, steps in SINGLE_STEPS.items()}
        self.legs = knight_legs(board, readings)
        self.files = tuple(trace_files(board, forward) for forward in FORWARD)
        self.pawn_takes = tuple(list_neighbours(board, ((1, forward, 0), (-1, forward, 0))) for forward in FORWARD)
        self._readings = readings
        self._nowhere: tuple[tuple[RayCells, ...], ...] = ((),) * len(board.cells)
        by_kind: dict[str, Callable[[bytes, int, int], list[Landing]]] = {
            "P": self._list_pawn_landings,
            "N": self._list_knight_landings,
            "A": self._list_archer_landings,
            "I": self._list_prince_landings,
        }
        self._of = (None, *(by_kind.get(KIND_OF[n]) or self._build_runner(KIND_OF[n]) for n in range(1, len(CODES))))

    def list_landings(self, placement: bytes, cell: int) -> list[Landing]:
        """Every landing of the piece that stands on `cell`, without doubles, in a fixed order."""
        piece = placement[cell]
        of = self._of[piece]
        return [] if of is None else of(placement, cell, SEAT_OF[piece])

    def _build_runner(self, kind: str) -> Callable[[bytes, int, int], list[Landing]]:
        """Rook, bishop, catapult, queen, king: slides with run captures, and single steps."""
        runs = self.runs.get(kind, self._nowhere)
        steps = self.steps.get(kind, ((),) * len(runs))
        step_captures = self._readings.step_captures(kind)
        whole = self._readings.run_capture_whole

        def list_runner_landings(placement: bytes, cell: int, seat: int) -> list[Landing]:
            found: list[Landing] = []
            for way in runs[cell]:
                taken: tuple[int, ...] = ()
                for to in way:
                    piece = placement[to]
                    if not piece:
                        if taken:
                            break
                    elif SEAT_OF[piece] == seat:
                        break
                    else:
                        if whole and taken:
                            found.pop()
                        taken += (to,)
                    found.append((to, taken))
            for to in steps[cell]:
                piece = placement[to]
                if not piece:
                    found.append((to, ()))
                elif step_captures and SEAT_OF[piece] != seat:
                    found.append((to, (to,)))
            return found

        return list_runner_landings

    def _list_pawn_landings(self, placement: bytes, cell: int, seat: int) -> list[Landing]:
        found: list[Landing] = []
        for to in self.files[seat][cell][:PAWN_REACH]:
            if placement[to]:
                break
            found.append((to, ()))
        enemy = 1 - seat
        found.extend((to, (to,)) for to in self.pawn_takes[seat][cell] if SEAT_OF[placement[to]] == enemy)
        return found

    def _list_knight_landings(self, placement: bytes, cell: int, seat: int) -> list[Landing]:
        found: dict[int, Landing] = {}
        for leg, ends in self.legs[cell]:
            for passed in leg:
                if SEAT_OF[placement[passed]] == seat:
                    break
            else:
                for to in ends:
                    piece = placement[to]
                    if not piece:
                        found[to] = (to, ())
                    elif SEAT_OF[piece] != seat:
                        found[to] = (to, (to,))
        return list(found.values())

    def _list_archer_landings(self, placement: bytes, cell: int, seat: int) -> list[Landing]:
        found: list[Landing] = []
        for way in self.every_way[cell]:
            for distance, to in enumerate(way, 1):
                piece = placement[to]
                if not piece:
                    found.append((to, ()))
                    continue
                if SEAT_OF[piece] != seat and distance <= self._readings.archer_range:
                    found.append((cell, (to,)))
                break
        return found

    def _list_prince_landings(self, placement: bytes, cell: int, seat: int) -> list[Landing]:
        zero = self._readings.prince_zero_stages
        ends: set[int] = set()
        corners: list[int] = [cell] if zero else []
        for way in self.orthogonal[cell]:
            for to in way:
                if placement[to]:
                    if zero:
                        ends.add(to)
                    break
                corners.append(to)
        if zero:
            ends.update(corners)
        for corner in corners:
            for way in self.diagonal[corner]:
                for to in way:
                    ends.add(to)
                    if placement[to]:
                        break
        return [(to, (to,) if placement[to] else ()) for to in sorted(ends) if SEAT_OF[placement[to]] != seat]


def trace_files(board: Board, forward: int) -> tuple[RayCells, ...]:
    """For each cell, the cells straight ahead of a pawn that goes `forward` ranks a step."""
    return tuple(trace_line(board, cell, (0, forward, 0)) for cell in range(len(board.cells)))


def knight_legs(board: Board, readings: Readings) -> tuple[tuple[Leg, ...], ...]:
    """For each cell, every first leg that stays on the board: orthogonal, then four diagonal cells."""
    beside = list_neighbours(board, RAYS_ORTHOGONAL)
    askew = list_neighbours(board, RAYS_DIAGONAL)
    straight = trace_lines(board, RAYS_ORTHOGONAL)
    slanting = trace_lines(board, RAYS_DIAGONAL)
    lengths = readings.first_legs(len(board.cells))
    return tuple(
        tuple((way[:n], askew[way[n - 1]]) for way in straight[cell] for n in lengths if n <= len(way))
        + tuple((way[:KNIGHT_LEG], beside[way[KNIGHT_LEG - 1]]) for way in slanting[cell] if len(way) >= KNIGHT_LEG)
        for cell in range(len(board.cells))
    )
