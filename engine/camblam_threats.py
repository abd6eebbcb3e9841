"""Whether a king can be captured, looked up from the king outward, and which cells that answer rests on.

A move that touches none of those cells leaves the answer as it was, so most moves need no second look.
"""

from __future__ import annotations

from engine.board import Board
from engine.camblam_reach import Reach
from engine.camblam_rules import ALL_WAYS, CODES, FORWARD, KIND_OF, KINGS, RUNS, SEAT_OF, STEPS, Readings
from engine.rays import Line, Step, line

View = tuple[Line, frozenset[int], frozenset[int]]
"""A line away from a king, the pieces that run along it toward the king, and those that step in from next to it."""


class Threats:
    """Tables for one board and one set of readings."""

    def __init__(self, board: Board, reach: Reach, readings: Readings) -> None:
        self._size = len(board.cells)
        self._range = readings.archer_range
        self._views = tuple(tuple(views(board, readings, king, seat) for king in range(self._size)) for seat in (0, 1))
        self._archers = (CODES.index("WA"), CODES.index("BA"))
        self._knights = (CODES.index("WN"), CODES.index("BN"))
        self._princes = (CODES.index("WI"), CODES.index("BI"))
        self._knight_paths = knight_paths(reach, self._size)
        self._prince_paths = tuple(prince_paths(reach, cell, readings) for cell in range(self._size))

    def in_check(self, placement: bytes | bytearray, seat: int, watched: bytearray) -> bool:
        """Whether a king of `seat` can be captured. Marks in `watched` every cell that the answer rests on."""
        king = placement.find(KINGS[seat])
        while king >= 0:
            watched[king] = 1
            if (
                self._in_view(placement, king, seat, watched)
                or self._by_knight(placement, king, seat, watched)
                or self._by_prince(placement, king, seat, watched)
            ):
                return True
            king = placement.find(KINGS[seat], king + 1)
        return False

    def _in_view(self, placement: bytes | bytearray, king: int, seat: int, watched: bytearray) -> bool:
        """By a piece on a straight line. A run capture goes through the pieces of the king's side that adjoin it."""
        archer = self._archers[1 - seat]
        for way, runners, steppers in self._views[seat][king]:
            shielded = gap = False
            for distance, cell in enumerate(way, 1):
                watched[cell] = 1
                piece = placement[cell]
                if not piece:
                    gap = True
                elif SEAT_OF[piece] == seat:
                    if gap:
                        break
                    shielded = True
                else:
                    if piece in runners:
                        return True
                    if not shielded and (
                        (piece == archer and distance <= self._range) or (distance == 1 and piece in steppers)
                    ):
                        return True
                    break
        return False

    def _by_knight(self, placement: bytes | bytearray, king: int, seat: int, watched: bytearray) -> bool:
        enemy = 1 - seat
        knight = self._knights[enemy]
        origin = placement.find(knight)
        while origin >= 0:
            for leg in self._knight_paths.get(origin * self._size + king, ()):
                watched[origin] = 1
                for passed in leg:
                    if SEAT_OF[placement[passed]] == enemy:
                        watched[passed] = 1
                        break
                else:
                    return True
            origin = placement.find(knight, origin + 1)
        return False

    def _by_prince(self, placement: bytes | bytearray, king: int, seat: int, watched: bytearray) -> bool:
        prince = self._princes[1 - seat]
        origin = placement.find(prince)
        while origin >= 0:
            watched[origin] = 1
            for path in self._prince_paths[origin].get(king, ()):
                for passed in path:
                    if placement[passed]:
                        watched[passed] = 1
                        break
                else:
                    for passed in path:
                        watched[passed] = 1
                    return True
            origin = placement.find(prince, origin + 1)
        return False


def views(board: Board, readings: Readings, king: int, seat: int) -> tuple[View, ...]:
    """What the king of `seat` on that cell has to look out for in each of the eight directions."""
    enemies = [n for n in range(1, len(CODES)) if SEAT_OF[n] == 1 - seat]

    def along(step: Step, table: dict[str, tuple[Step, ...]]) -> set[int]:
        return {n for n in enemies if step in table.get(KIND_OF[n], ())}

    found: list[View] = []
    for step in ALL_WAYS:
        if way := line(board, king, step):
            steppers = {n for n in along(step, STEPS) if readings.step_captures(KIND_OF[n])}
            pawn = CODES.index("BP" if seat == 0 else "WP")
            if step[0] and step[1] == -FORWARD[1 - seat]:
                steppers.add(pawn)
            found.append((way, frozenset(along(step, RUNS)), frozenset(steppers)))
    return tuple(found)


def knight_paths(reach: Reach, size: int) -> dict[int, tuple[Line, ...]]:
    """origin * size + target -> the first legs by which a knight gets there."""
    found: dict[int, tuple[Line, ...]] = {}
    for origin, legs in enumerate(reach.legs):
        for leg, ends in legs:
            for to in ends:
                found[origin * size + to] = (*found.get(origin * size + to, ()), leg)
    return found


def prince_paths(reach: Reach, origin: int, readings: Readings) -> dict[int, tuple[Line, ...]]:
    """Target -> the ways of a prince from `origin`, each as the cells that must be empty between the two."""
    found: dict[int, list[Line]] = {}
    stages: list[tuple[Line, int]] = [((), origin)] if readings.prince_zero_stages else []
    for way in reach.orthogonal[origin]:
        for n, to in enumerate(way):
            if readings.prince_zero_stages:
                found.setdefault(to, []).append(way[:n])
            stages.append((way[: n + 1], to))
    for passed, corner in stages:
        for way in reach.diagonal[corner]:
            for n, to in enumerate(way):
                found.setdefault(to, []).append(passed + way[:n])
    return {to: tuple(ways) for to, ways in found.items()}
