"""How a capture that is under way may go on from the cell that its piece stands on: what is to be taken off by now, and
where it may end. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice

from engine.belief.candidates import MOST_PATHS
from engine.belief.verdicts import Unfinished
from engine.board import Board
from engine.game import Game, Move, Position, result_of
from engine.match.events import DueDeed, DueStep
from engine.match.state import Match, Rest


@dataclass(frozen=True, slots=True)
class WayOn:
    """What remains of a capture: `remove` are the cells where a piece stands still that was surely jumped, or that is
    to come off if the capture ends where its piece rests, `ahead` those to which it may go on and end, `notation` all
    of it where that is settled, else what all ways begin with. It `ends_here` where it may end on the cell that it
    rests on, and go on as well. Where several pieces may be meant, `pieces` are the cells that they stand on. Where
    several ways end here, what was jumped on each of them comes off, and of the cells `either` what was jumped: none of
    these where one of the ways asks for no more than all do."""

    notation: str
    remove: tuple[int, ...]
    ahead: tuple[int, ...] = ()
    pieces: tuple[int, ...] = ()
    ends_here: bool = False
    either: tuple[int, ...] = ()

    def list_todo(self, board: Board) -> tuple[DueStep, ...]:
        """What remains: where it ends here, what comes off for that, else where it goes on first."""
        names = board.cells
        off = tuple(DueStep(DueDeed.REMOVE, names[cell]) for cell in self.remove)
        if self.either:
            return (*off, DueStep(DueDeed.REMOVE, *(names[cell] for cell in self.either)))
        if self.pieces:
            return (DueStep(DueDeed.CAPTURE_WITH, *(names[cell] for cell in self.pieces)),)
        if not self.ahead:
            return off
        on = DueStep(DueDeed.GO_ON, *(names[cell] for cell in self.ahead), or_else=self.ends_here)
        return (*off, on) if self.ends_here else (on, *off)


def find_way_on(game: Game, position: Position, begun: Unfinished, landing: int) -> WayOn:
    """What remains of a capture that began in `position` and whose piece rests on `landing`, be it origin or end.

    A cell may be reached in several ways, and passed before the end: only what all of them jump was surely jumped.
    """
    gone = set(begun.move.taken) - set(begun.remove)
    if begun.stands and len(pieces := _list_takers(game, position, gone)) > 1:
        return WayOn("x" + "x".join(game.board.cells[cell] for cell in sorted(gone)), (), pieces=pieces)
    return _find_way_of_piece(game, position, begun, landing, gone)


def _find_way_of_piece(game: Game, position: Position, begun: Unfinished, landing: int, gone: set[int]) -> WayOn:
    """What remains of a capture whose piece is known. In the air it may be on its way to any end of a way over its last
    landing."""
    rests = _is_at_rest(begun)
    ways = _list_ways(game, position, begun.move.origin, landing, gone, by_now=rests)
    ended = [move for move, legs in ways if legs == len(move.path) - 1] if rests else []
    if not ways or len(ended) == len(ways):
        return _find_what_comes_off(game, position, begun, ended, gone)
    must = (_list_jumped_by_all(ways) | _choose_ending(begun, ended, gone)) - gone
    ends_here = bool(ended and must)
    ahead = {move.target for move, legs in ways if legs < len(move.path) - 1 or not ends_here}
    written = _write_settled_part(game, position, begun.move, [move for move, _ in ways])
    remove = dict.fromkeys(cell for move, _ in ways for cell in move.taken if cell in must)
    return WayOn(written, tuple(remove), tuple(sorted(ahead)), ends_here=ends_here)


def _find_what_comes_off(
    game: Game, position: Position, begun: Unfinished, ended: Sequence[Move], gone: Set[int]
) -> WayOn:
    """What remains where no way is known, or all of them have `ended` on the cell that the piece rests on."""
    if begun.go_on >= 0:
        return WayOn(game.write(position, begun.move), (), (begun.go_on,))
    taken = [set(move.taken) - gone for move in ended]
    if all(one == taken[0] for one in taken):
        return WayOn(game.write(position, begun.move), begun.remove)
    shared = set.intersection(*taken)
    surely = tuple(cell for cell in ended[0].taken if cell in shared)
    beyond = [one - shared for one in taken]
    # Where one of the ways takes no more than all do, the capture is whole with that: nothing else need come off.
    either = tuple(sorted(set.union(*beyond))) if all(beyond) else ()
    return WayOn(_write_settled_part(game, position, begun.move, ended), surely, either=either)


def _is_at_rest(begun: Unfinished) -> bool:
    """Whether the piece stands on a cell that it has come to."""
    return begun.go_on < 0 or begun.landing >= 0


def _list_jumped_by_all(ways: Sequence[tuple[Move, int]]) -> set[int]:
    """What was surely jumped by now."""
    return set.intersection(*(set(_list_jumped(move, legs)) for move, legs in ways))


def _choose_ending(begun: Unfinished, ended: Sequence[Move], gone: Set[int]) -> set[int]:
    """What comes off if the capture ends here: by all ways that do; where they have nothing more in common, by the way
    that is believed, else by that with the least to take off."""
    shared = set.intersection(*(set(move.taken) for move in ended)) if ended else set()
    if shared - gone:
        return shared
    if ended and begun.go_on < 0:
        return set(begun.move.taken)
    return set(min(((len(move.taken), move.taken) for move in ended), default=(0, ()))[1])


def list_rests(match: Match, replaces: int, origin: int) -> tuple[Rest, ...]:
    """Where the piece from `origin` was seen to rest; the ply that a landing was said as, `replaces` plies ago, ended
    where it did first."""
    said = match.moves[-replaces] if replaces else None
    before = (Rest(origin, said.target),) if said is not None and said.origin == origin else ()
    return before + tuple(rest for rest in match.rests if rest.origin == origin)


def note_rest(match: Match, begun: Unfinished) -> Match:
    """The match in which the piece of a capture is seen to rest on a cell."""
    origin, cell = begun.move.origin, begun.landing if begun.go_on >= 0 else begun.move.target
    if cell < 0:
        return match
    before = [rest for rest in match.rests if rest.origin == origin]
    if before and before[-1].cell == cell:  # it rests there still, and more may be gone by now
        before.pop()
    gone = frozenset(begun.move.taken) - frozenset(begun.remove)
    return replace(match, rests=(*before, Rest(origin, cell, gone)))


def choose_way(game: Game, position: Position, move: Move, rests: Sequence[Rest]) -> Move:
    """`move` by the way on which its piece was seen to rest: of those over all these cells in turn, with what was gone
    jumped by then, the shortest, then the first by name. As it is where no way is like that."""
    if _leads_over(move, rests):
        return move
    wanted = result_of(move)
    ways = [
        way for way in islice(game.paths(position), MOST_PATHS) if result_of(way) == wanted and _leads_over(way, rests)
    ]
    return min(ways, key=lambda way: (len(way.path), game.write(position, way)), default=move)


def find_way_over(game: Game, position: Position, move: Move, at: int, gone: Set[int]) -> tuple[Move, Move] | None:
    """A way with the result of `move` whose piece comes to rest `at` a cell, that of `move` itself if it does, and what
    is left of it then; None where `gone` is more than it takes, or no way leads there."""
    if not gone <= set(move.taken):
        return None
    paths = (move,) if at in move.path else islice(game.paths(position), MOST_PATHS)
    ways = [way for way in paths if at in way.path and result_of(way) == result_of(move)]
    if not ways:
        return None
    left = {way: len(way.path) if at == move.origin else way.path[::-1].index(at) + 1 for way in ways}
    way = min(ways, key=lambda one: left[one])
    return way, Move(way.path[-left[way] :], tuple(cell for cell in way.taken if cell not in gone), way.kind)


def _leads_over(move: Move, rests: Sequence[Rest]) -> bool:
    """Whether a piece could have rested there in turn on the way of a move."""
    legs = 0
    for rest in rests:
        later = range(legs + 1, len(move.path))
        there = [leg for leg in later if move.path[leg] == rest.cell and rest.gone <= {*_list_jumped(move, leg)}]
        if not there:
            return False
        legs = there[0]
    return True


def _write_settled_part(game: Game, position: Position, begun: Move, moves: Sequence[Move]) -> str:
    """The capture that is `begun`; where some come to different ends, the legs with which all of them begin."""
    if len({result_of(move) for move in moves}) == 1:
        return game.write(position, begun)
    first, paths = moves[0], [move.path for move in moves]
    legs = next(legs for legs in range(len(first.path), 0, -1) if all(p[:legs] == first.path[:legs] for p in paths)) - 1
    if not legs:
        return game.board.cells[first.origin]
    return game.write(position, Move(first.path[: legs + 1], _list_jumped(first, legs), first.kind))


def _list_ways(
    game: Game, position: Position, origin: int, landing: int, gone: Set[int], *, by_now: bool
) -> list[tuple[Move, int]]:
    """The captures that come to `landing` and take what is `gone`, each with the legs made by then; where there are
    any, those alone that have jumped that `by_now`."""
    ways = [
        (path, legs)
        for path in islice(game.paths(position), MOST_PATHS)
        if path.origin == origin and path.taken and gone <= set(path.taken)
        for legs, cell in enumerate(path.path)
        if cell == landing
    ]
    return [(path, legs) for path, legs in ways if by_now and gone <= set(_list_jumped(path, legs))] or ways


def _list_takers(game: Game, position: Position, gone: Set[int]) -> tuple[int, ...]:
    """The cells of the pieces that may take all that is `gone`."""
    paths = (path for path in islice(game.paths(position), MOST_PATHS) if gone <= set(path.taken))
    return tuple(sorted({path.origin for path in paths}))


def _list_jumped(move: Move, legs: int) -> tuple[int, ...]:
    """What the first legs of a capture jump: canters come before jumps, and each jump takes one."""
    canters = len(move.path) - 1 - len(move.taken)
    return move.taken[: max(0, legs - canters)]
