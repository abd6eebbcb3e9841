"""Whether a king can be captured, looked up from the king outward, and which cells that answer rests on.

First the dangers: lines on which an enemy could ever run, shoot or step to the king, ways of enemy knights and princes
to it. A move of another piece adds none, it can only open or close them; and a move that touches no cell that the
answer was read from leaves it as it was. So most moves need no second look, and a second look is short.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.board import Board
from engine.camblam.rays import RayCells, RayStep, trace_line
from engine.camblam.reach import Reach
from engine.camblam.rules import ALL_WAYS, CODES, FORWARD, KIND_OF, KINGS, RUNS, SEAT_OF, SINGLE_STEPS, Readings


@dataclass(frozen=True, slots=True)
class LineOfSight:
    """A line away from a king and the enemies to look out for on it.

    `runners` run along it toward the king, `steppers` step in from next to it, `archer` shoots along it.
    """

    way: RayCells
    runners: frozenset[int]
    steppers: frozenset[int]
    archer: int


@dataclass(frozen=True, slots=True)
class Dangers:
    """What could capture the kings of `seat`: lines with an enemy, and ways as (piece, its cell, cells passed)."""

    seat: int
    views: tuple[LineOfSight, ...]
    leaps: tuple[tuple[int, int, RayCells], ...]
    """Knights': closed by pieces of their own side only."""
    slides: tuple[tuple[int, int, RayCells], ...]
    """Princes': closed by any piece."""


class Threats:
    """Tables for one board and one set of readings."""

    def __init__(self, board: Board, reach: Reach, readings: Readings) -> None:
        cells = range(len(board.cells))
        self._range = readings.archer_range
        self._views = tuple(tuple(list_sight_lines(board, readings, king, seat) for king in cells) for seat in (0, 1))
        self._knights = (CODES.index("WN"), CODES.index("BN"))
        self._princes = (CODES.index("WI"), CODES.index("BI"))
        self._leaps = tuple(knight_ways(reach, cell) for cell in cells)
        self._slides = tuple(prince_ways(reach, cell, readings) for cell in cells)

    def in_check(self, placement: bytes | bytearray, seat: int) -> bool:
        """Whether a king of `seat` could be captured if the other side were to move."""
        return self.is_attacked(placement, self.find_dangers(placement, seat), bytearray(len(placement)))

    def find_dangers(self, placement: bytes | bytearray, seat: int) -> Dangers:
        """Everything that could capture a king of `seat` now or after a move of another piece of that side."""
        kings = find_cells(placement, KINGS[seat])
        knight, prince = self._knights[1 - seat], self._princes[1 - seat]
        return Dangers(
            seat,
            tuple(
                view
                for king in kings
                for view in self._views[seat][king]
                if placement[view.way[0]] in view.steppers
                or not view.runners.isdisjoint(map(placement.__getitem__, view.way))
                or view.archer in map(placement.__getitem__, view.way[: self._range])
            ),
            tuple(
                (knight, n, way)
                for n in find_cells(placement, knight)
                for k in kings
                for way in self._leaps[n].get(k, ())
            ),
            tuple(
                (prince, n, way)
                for n in find_cells(placement, prince)
                for k in kings
                for way in self._slides[n].get(k, ())
            ),
        )

    def is_attacked(self, placement: bytes | bytearray, dangers: Dangers, watched: bytearray) -> bool:
        """Whether one of the dangers captures a king. Marks in `watched` every cell that the answer rests on."""
        return self._is_king_in_view(placement, dangers, watched) or self._is_king_in_reach(placement, dangers, watched)

    def _is_king_in_view(self, placement: bytes | bytearray, dangers: Dangers, watched: bytearray) -> bool:
        """By a piece on a straight line. A run capture goes through the pieces of the king's side that adjoin it."""
        seat = dangers.seat
        for view in dangers.views:
            shielded = gap = False
            for distance, cell in enumerate(view.way, 1):
                watched[cell] = 1
                piece = placement[cell]
                if not piece:
                    gap = True
                elif SEAT_OF[piece] == seat:
                    if gap:
                        break
                    shielded = True
                else:
                    if piece in view.runners:
                        return True
                    if piece == view.archer and distance <= self._range and not shielded:
                        return True
                    if distance == 1 and piece in view.steppers:
                        return True
                    break
        return False

    def _is_king_in_reach(self, placement: bytes | bytearray, dangers: Dangers, watched: bytearray) -> bool:
        """By a knight or a prince. A closed way rests on the first piece that closes it, an open one on all of it."""
        enemy = 1 - dangers.seat
        for piece, origin, way in dangers.leaps:
            watched[origin] = 1
            if placement[origin] == piece:
                for passed in way:
                    if SEAT_OF[placement[passed]] == enemy:
                        watched[passed] = 1
                        break
                else:
                    return True
        for piece, origin, way in dangers.slides:
            watched[origin] = 1
            if placement[origin] == piece:
                for passed in way:
                    if placement[passed]:
                        watched[passed] = 1
                        break
                else:
                    for passed in way:
                        watched[passed] = 1
                    return True
        return False


def find_cells(placement: bytes | bytearray, piece: int) -> tuple[int, ...]:
    """The cells on which that piece stands."""
    cells = []
    cell = placement.find(piece)
    while cell >= 0:
        cells.append(cell)
        cell = placement.find(piece, cell + 1)
    return tuple(cells)


def list_sight_lines(board: Board, readings: Readings, king: int, seat: int) -> tuple[LineOfSight, ...]:
    """What the king of `seat` on that cell has to look out for in each of the eight directions."""
    enemies = [n for n in range(1, len(CODES)) if SEAT_OF[n] == 1 - seat]
    side = "WB"[1 - seat]

    def find_pieces_along(step: RayStep, table: dict[str, tuple[RayStep, ...]]) -> set[int]:
        return {n for n in enemies if step in table.get(KIND_OF[n], ())}

    looks: list[LineOfSight] = []
    for step in ALL_WAYS:
        if way := trace_line(board, king, step):
            steppers = {n for n in find_pieces_along(step, SINGLE_STEPS) if readings.step_captures(KIND_OF[n])}
            if step[0] and step[1] == -FORWARD[1 - seat]:
                steppers.add(CODES.index(side + "P"))
            looks.append(
                LineOfSight(way, frozenset(find_pieces_along(step, RUNS)), frozenset(steppers), CODES.index(side + "A"))
            )
    return tuple(looks)


def knight_ways(reach: Reach, origin: int) -> dict[int, tuple[RayCells, ...]]:
    """Target -> the first legs by which a knight gets there from `origin`."""
    ways: dict[int, tuple[RayCells, ...]] = {}
    for leg, ends in reach.legs[origin]:
        for to in ends:
            ways[to] = (*ways.get(to, ()), leg)
    return ways


def prince_ways(reach: Reach, origin: int, readings: Readings) -> dict[int, tuple[RayCells, ...]]:
    """Target -> the ways of a prince from `origin`, each as the cells that must be empty between the two."""
    ways: dict[int, list[RayCells]] = {}
    stages: list[tuple[RayCells, int]] = [((), origin)] if readings.prince_zero_stages else []
    for way in reach.orthogonal[origin]:
        for n, to in enumerate(way):
            if readings.prince_zero_stages:
                ways.setdefault(to, []).append(way[:n])
            stages.append((way[: n + 1], to))
    for passed, corner in stages:
        for way in reach.diagonal[corner]:
            for n, to in enumerate(way):
                ways.setdefault(to, []).append(passed + way[:n])
    return {to: tuple(several) for to, several in ways.items()}
