"""The paths of one piece: where it can canter and what it can capture, with the canonical path of each.

`kinds` is a seat's view of a placement, one of EMPTY, MAN, KNIGHT, OTHER a cell. Duties are not looked at here.
Canonical is the path with the fewest landings, then the first by cell names. All searches are breadth-first and meet
landings in order of name, so the first path that reaches something is its canonical one.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.camelot.leaps import EMPTY, KNIGHT, OTHER, Seat

Path = tuple[int, ...]
Captures = dict[tuple[int, tuple[int, ...]], Path]
"""(landing, captured ascending) -> canonical path."""


def can_jump(seat: Seat, kinds: bytes, origin: int, cell: int, taken: tuple[int, ...] = ()) -> bool:
    """Whether the piece from `origin`, now on `cell` having taken `taken`, can jump (on)."""
    return any(True for _ in list_jumps(seat, kinds, origin, cell, taken))


def list_jumps(seat: Seat, kinds: bytes, origin: int, cell: int, taken: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The jumps that piece has as (cell of the captured piece, landing)."""
    for over, land in (seat.chain_hops if taken else seat.open_hops)[cell]:
        if kinds[over] == OTHER and over not in taken and is_free(kinds, origin, land, taken):
            yield over, land


def is_free(kinds: bytes, origin: int, cell: int, taken: tuple[int, ...] = ()) -> bool:
    """Whether `cell` is empty while the piece from `origin` moves and `taken` are removed."""
    return kinds[cell] == EMPTY or cell == origin or cell in taken


def canter_steps(seat: Seat, kinds: bytes, origin: int, cell: int) -> Iterator[int]:
    """Landings of one canter from `cell` by the piece from `origin`."""
    for over, land in seat.open_hops[cell]:
        if EMPTY < kinds[over] < OTHER and over != origin and land in seat.quiet_cells and is_free(kinds, origin, land):
            yield land


def find_canters(seat: Seat, kinds: bytes, origin: int, *, clean: bool) -> dict[int, Path]:
    """Every landing of one or more canters -> canonical path; `clean`: over no cell that offers a jump."""
    found: dict[int, Path] = {origin: (origin,)}
    queue = [origin]
    for cell in queue:
        for land in canter_steps(seat, kinds, origin, cell):
            if land not in found and not (clean and can_jump(seat, kinds, origin, land)):
                found[land] = (*found[cell], land)
                queue.append(land)
    del found[origin]
    return found


def find_captures(
    seat: Seat, kinds: bytes, origin: int, begun: tuple[Path, tuple[int, ...]] | None = None, *, charging: bool
) -> Captures:
    """Every completed capture of the piece on `origin`, with charges if `charging` (and it is a knight).

    With `begun`, a path from the origin and what it has taken: those that go on from there.
    """
    charging = charging and kinds[origin] == KNIGHT
    path, taken_so_far = begun or ((origin,), ())
    layer = [(path[-1], tuple(sorted(taken_so_far)), path)]
    found: Captures = {}
    first = {(cell, taken) for cell, taken, _ in layer}
    while layer:
        following = []
        for cell, taken, path in layer:
            legs = _list_legs(seat, kinds, origin, cell, taken, cantering=charging and not taken)
            if taken and not legs:
                found[cell, taken] = path
            for leg in legs:
                if leg not in first:
                    first.add(leg)
                    following.append((*leg, (*path, leg[0])))
        layer = following
    return found


def _list_legs(
    seat: Seat, kinds: bytes, origin: int, cell: int, taken: tuple[int, ...], *, cantering: bool
) -> list[tuple[int, tuple[int, ...]]]:
    """Every jump from `cell`, and every canter if `cantering`: the landing, and all that is captured by then."""
    legs = []
    for over, land in (seat.chain_hops if taken else seat.open_hops)[cell]:
        kind = kinds[over]
        if kind == OTHER:
            if over not in taken and is_free(kinds, origin, land, taken):
                legs.append((land, tuple(sorted((*taken, over)))))
        elif not cantering or kind == EMPTY or over == origin:
            continue
        elif land in seat.quiet_cells and is_free(kinds, origin, land):
            legs.append((land, taken))
    return legs


def list_walks(seat: Seat, kinds: bytes, origin: int) -> Iterator[tuple[Path, tuple[int, ...]]]:
    """Every written path of canters, jumps and charges of the piece on `origin`, with what it takes in order.

    Canters come to no cell twice and not back to the origin; a path that could be cantered round in circles would
    have no end. Chains of jumps are followed wherever they lead.
    """
    stack: list[tuple[Path, tuple[int, ...]]] = [((origin,), ())]
    while stack:
        path, taken = stack.pop()
        onward = list(list_jumps(seat, kinds, origin, path[-1], taken))
        if taken and not onward:
            yield path, taken
        elif not taken and len(path) > 1:
            yield path, ()
        if taken or len(path) == 1 or kinds[origin] == KNIGHT:
            stack += [((*path, land), (*taken, over)) for over, land in reversed(onward)]
        if not taken:
            stack += [((*path, land), ()) for land in canter_steps(seat, kinds, origin, path[-1]) if land not in path]
