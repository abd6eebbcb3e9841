"""Every lawful result of one seat, quickly: the duties in their order, and one pass over the pieces.

Around each piece the neighbours decide the plain steps, the canters over it and the jumps over it
(engine/camelot/leaps.py). Canters over pieces join empty cells into groups; a piece that can canter onto one cell of a
group reaches all of it. That one grouping serves all pieces: a piece reaches only cells an even number of steps from
its own, while its own cell lies in the middle only of leaps between cells an odd number of steps away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import compress

from engine.camelot.leaps import KNIGHT, MAN, OTHER, Pair, Seat
from engine.camelot.rules import Blocked, Rules
from engine.camelot.trails import find_canters, find_captures, list_jumps
from engine.game import Result

CanterCells = dict[int, list[int]]
"""Piece -> the cells it reaches by canters."""


class Listing:
    """Lists for one seat. `kind_of` gives for each piece number EMPTY, MAN, KNIGHT or OTHER."""

    def __init__(self, seat: Seat, rules: Rules, kind_of: bytes) -> None:
        self.seat = seat
        self.rules = rules
        self.kinds = _build_table(kind_of)
        self._states = _build_table(b"0112"[kind] for kind in kind_of)
        self._own = _build_table(kind in {MAN, KNIGHT} for kind in kind_of)
        self._others = _build_table(kind == OTHER for kind in kind_of)
        cells = range(len(seat.board.cells))
        self._quiet: list[list[Result]] = [[(a, b, (), 0) for b in cells] for a in cells]

    def list_results(self, placement: bytes, castle_moves_left: int) -> list[Result]:
        """All lawful results of a position that is not over."""
        kinds = placement.translate(self.kinds)
        at_home = [cell for cell in self.seat.home if kinds[cell] in {MAN, KNIGHT}]
        if not at_home:
            return self._list_free_moves(placement, kinds, castle_moves_left, ())
        out = self._list_leaving_moves(kinds, at_home)
        if out or self.rules.blocked_castle_piece is Blocked.NO_MOVES:
            return out
        return self._list_free_moves(placement, kinds, castle_moves_left, at_home)

    def _list_leaving_moves(self, kinds: bytes, at_home: list[int]) -> list[Result]:
        """Moves of pieces in their own castle that take them out: jumps before others if the rules say so."""
        seat, home = self.seat, self.seat.home
        out: set[Result] = set()
        for charging in (False, True):
            for cell in at_home:
                found = find_captures(seat, kinds, cell, charging=charging)
                out |= {(cell, land, taken, 0) for land, taken in found if land not in home}
            if not out:
                break
        must_jump = bool(out) and self.rules.own_castle_jump_first
        if not must_jump:
            for cell in at_home:
                found = find_captures(seat, kinds, cell, charging=True)
                out |= {(cell, land, taken, 0) for land, taken in found if land not in home}
                clean = kinds[cell] == KNIGHT and self.rules.charge_must_capture
                lands = (
                    *find_canters(seat, kinds, cell, clean=clean),
                    *(c for c in seat.plain_steps[cell] if not kinds[c]),
                )
                out |= {(cell, land, (), 0) for land in lands}
        return sorted(out)

    def _list_free_moves(
        self, placement: bytes, kinds: bytes, castle_moves_left: int, pinned: Collection[int]
    ) -> list[Result]:
        """All lawful results when no duty to leave the own castle binds; `pinned` pieces may not move."""
        jumpers, offers, out, *pairs = self._gather_answers(placement)
        reach = _find_reach(len(kinds), *pairs)
        if pinned:
            jumpers = [piece for piece in jumpers if piece not in pinned]
            out = [result for result in out if result[0] not in pinned]
            reach = {piece: cells for piece, cells in reach.items() if piece not in pinned}
        if jumpers:
            return self._list_captures(kinds, set(jumpers), reach, set(offers))
        if offers:
            charges, reach = self._list_charges(kinds, reach, set(offers), pairs)
            out += charges
        for piece, cells in reach.items():
            out += map(self._quiet[piece].__getitem__, cells)
        if castle_moves_left:
            out += self._castle_moves(kinds)
        return out

    def _list_charges(
        self, kinds: bytes, reach: CanterCells, offers: set[int], pairs: Iterable[list[Pair]]
    ) -> tuple[list[Result], CanterCells]:
        """The charges of knights that canter onto one of `offers` where nothing can jump, and where pieces may canter.

        `pairs`: the links, starts and gates that `reach` comes from.
        """
        chargers = [piece for piece in reach if kinds[piece] == KNIGHT and not offers.isdisjoint(reach[piece])]
        charges: list[Result] = []
        for piece in chargers:
            charges += self._list_chains(kinds, piece, offers.intersection(reach[piece]))
        if chargers and self.rules.charge_must_capture:
            # nothing can jump, so no cantering piece could be jumped back onto its origin: `offers` is complete
            unbarred = ([(a, b) for a, b in each if a not in offers and b not in offers] for each in pairs)
            clean = _find_reach(len(kinds), *unbarred)
            reach = reach | {piece: clean.get(piece, []) for piece in chargers}
        return charges, reach

    def _gather_answers(
        self, placement: bytes
    ) -> tuple[list[int], list[int], list[Result], list[Pair], list[Pair], list[Pair]]:
        """What all pieces together say: (jumpers, offers) of the others, (plain steps, links, starts, gates) of the
        own; see AroundOther and AroundOwn.
        """
        states = int(placement.translate(self._states), 4)
        jumpers: list[int] = []
        offers: list[int] = []
        others = placement.translate(self._others)
        for part in self.seat.around_other:
            for mask, around_other in compress(part, others):
                jumping, offering = around_other[states & mask]
                jumpers += jumping
                offers += offering
        out: list[Result] = []
        links: list[Pair] = []
        starts: list[Pair] = []
        gates: list[Pair] = []
        own = placement.translate(self._own)
        for own_part in self.seat.around_own:
            for mask, around_own in compress(own_part, own):
                plains, linking, starting, gating = around_own[states & mask]
                out += plains
                links += linking
                starts += starting
                gates += gating
        return jumpers, offers, out, links, starts, gates

    def _list_captures(self, kinds: bytes, jumpers: set[int], reach: CanterCells, offers: set[int]) -> list[Result]:
        """All captures: jumps of `jumpers`, and charges of any knight."""
        out: list[Result] = []
        for piece in sorted({*jumpers, *reach}):
            origins = {piece} if piece in jumpers else set()
            if kinds[piece] == KNIGHT and piece in reach:
                # a piece that could be jumped from here can also be jumped back onto the cell left
                back = {land for _, land in list_jumps(self.seat, kinds, piece, piece, ())}
                origins.update((offers | back).intersection(reach[piece]))
            if origins:
                out += self._list_chains(kinds, piece, origins)
        return out

    def _list_chains(self, kinds: bytes, piece: int, origins: Iterable[int]) -> list[Result]:
        """Every completed chain of jumps of `piece` that begins on one of `origins`."""
        hops, onward = self.seat.open_hops, self.seat.chain_hops
        found: set[Result] = set()
        stack: list[tuple[int, tuple[int, ...]]] = [(cell, ()) for cell in origins]
        seen = set(stack)
        while stack:
            here = cell, taken = stack.pop()
            stuck = True
            for over, land in onward[cell] if taken else hops[cell]:
                if kinds[over] == OTHER and over not in taken and (not kinds[land] or land == piece or land in taken):
                    stuck = False
                    following = (land, tuple(sorted((*taken, over))) if taken else (over,))
                    if following not in seen:
                        seen.add(following)
                        stack.append(following)
            if stuck and taken:
                found.add((piece, *here, 0))
        return sorted(found)

    def _castle_moves(self, kinds: bytes) -> list[Result]:
        """Steps from one square of the goal to the other."""
        goal = self.seat.goal
        return [
            self._quiet[cell][near]
            for cell in sorted(goal)
            if kinds[cell] in {MAN, KNIGHT}
            for near in self.seat.board.steps[cell]
            if near in goal and not kinds[near]
        ]


def _build_table(values: Iterable[int]) -> bytes:
    """A table for bytes.translate from the first values; the rest is not met."""
    return bytes(values).ljust(256, b"\0")


def _find_reach(cells_count: int, links: list[Pair], starts: list[Pair], gates: list[Pair]) -> CanterCells:
    """The cells that each piece reaches by canters, from single canters: see engine.camelot.leaps.OwnNeighbourTable."""
    groups: list[list[int] | None] = [None] * cells_count
    for a, b in links:
        of_a, of_b = groups[a], groups[b]
        if of_a is None:
            if of_b is None:
                groups[a] = groups[b] = [a, b]
            else:
                of_b.append(a)
                groups[a] = of_b
        elif of_b is None:
            of_a.append(b)
            groups[b] = of_a
        elif of_a is not of_b:
            of_a += of_b
            for cell in of_b:
                groups[cell] = of_a
    for a, gate in gates:
        if (cells := groups[a]) is None:
            groups[a] = [a, gate]
        elif gate not in cells:
            cells.append(gate)
    reach: CanterCells = {}
    for piece, cell in starts:
        cells = groups[cell] or [cell]
        if piece not in reach:
            reach[piece] = cells
        elif cell not in (known := reach[piece]):
            reach[piece] = list(dict.fromkeys(known + cells)) if gates else known + cells
    return reach
