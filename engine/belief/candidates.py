"""Everything that a lawful turn can look like from above, as changes of looks from the current position.

Moves in progress are listed too: a lifted piece, a captured piece not taken off yet, a chain of jumps under way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from typing import cast

from engine.belief.verdicts import Earlier, Played, Raised, Still, Unfinished, Verdict
from engine.game import Game, Move, Position

LookChanges = tuple[tuple[int, int], ...]
"""(cell, look now) for each cell that looks other than in the current position, by cell."""

MOST_PATHS = 2000
"""Written paths looked at for chains under way; the richest known position has 1,090 for 243 results, and they take
30 ms."""
MOST_SUBSETS = 1000
"""Ways to have taken off some of what the captures of a position take, up to which all of them are looked at; long ones
are else looked at when nearly none or nearly all is off. Raising it makes the first look at a position with many
captures dearer, 10 us each; lowering it leaves more to `list_partly_removed`. Estimated."""
SHORT_CAPTURE, LEAST_REMOVED = 5, 2
"""Captures of so many pieces are looked at in every stage; and of longer ones those of which fewer than the second, or
all but one, are off. From what that costs: 32 stages a capture."""
PathStop = tuple[int, int, tuple[int, ...]]
"""Origin, landing and what is off the board already: paths with the same beginning stop alike."""
CHAINS = ("canter", "jump", "charge", "run")
"""Kinds of move that go on after a landing, so that a pause may look like their end."""
DIFFERENT = re.compile(rb"[^\0]")
MOST_EARLIER = 6
"""Takebacks are recognised this many plies back."""
LISTS_KEPT = 4
"""Lists of explanations that are kept: a position is looked at some twenty times before the next ply. Raising it only
costs memory, some hundred kilobytes each; lowering it lists them at each look where a program referees several boards.
It changes no answer, so that nothing was fitted."""

POSITIONS_KEPT = 256
"""Positions whose moves are kept: the lines of one look are those of the next one, and a look at a board in doubt asks
about a hundred. Raising it costs memory, some twenty kilobytes each; lowering it lists the same moves again at each
look. It changes no answer, so that nothing was fitted."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One explanation: what to say if it is right, and how the board then looks."""

    verdict: Verdict
    change: LookChanges


def change_between(game: Game, before: bytes, after: bytes) -> LookChanges:
    """How the look of the board changes from one placement to another."""
    look = game.look_of
    # All cells at once as one number: a move changes few of them, and thousands of moves are asked about.
    apart = int.from_bytes(before) ^ int.from_bytes(after)
    cells = (found.start() for found in DIFFERENT.finditer(apart.to_bytes(len(before))))
    return tuple((c, look[after[c]]) for c in cells if look[before[c]] != look[after[c]])


def list_candidates(
    game: Game, positions: Sequence[Position], moves: Sequence[Move], *, just_said: bool = False, was_shown: bool = True
) -> Sequence[Candidate]:
    """All single-turn explanations, the likelier kind first; one for each distinct change but for rival moves.

    `just_said`: the last move was said a moment ago, and its piece may have been in a hand still. `was_shown`: the
    board has shown the last position, so that the last move can have been taken back there.
    """
    return _list_distinct_candidates(
        _Same(game),
        tuple(positions[-1 - MOST_EARLIER :]),
        tuple(moves[-2:]),
        just_said=just_said,
        was_shown=was_shown,
    )


class _Same:
    """A game as a key: the same object is the same game, though it may be one that cannot be hashed."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def __hash__(self) -> int:
        return id(self.game)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.game is self.game


@lru_cache(maxsize=POSITIONS_KEPT)
def _list_moves(of: _Same, position: Position) -> tuple[tuple[Move, frozenset[int]], ...]:
    """The moves of a position, each with the cells that it empties or fills."""
    return tuple((move, frozenset((move.origin, move.target, *move.taken))) for move in of.game.moves(position))


@lru_cache(maxsize=LISTS_KEPT)
def _list_distinct_candidates(
    of: _Same, positions: tuple[Position, ...], moves: tuple[Move, ...], *, just_said: bool, was_shown: bool
) -> Sequence[Candidate]:
    game = of.game
    found: dict[LookChanges, Candidate] = {}
    rivals: list[Candidate] = []
    for candidate in _list_in_order(game, positions, moves, just_said=just_said, was_shown=was_shown):
        held = found.get(candidate.change)
        if held is None:
            found[candidate.change] = candidate
        elif _are_rivals(held.verdict, candidate.verdict):
            rivals.append(candidate)
    return (*found.values(), *rivals)


def _are_rivals(one: Verdict, other: Verdict) -> bool:
    """Whether explanations that look the same from above say different things: promotions of one pawn, or a man that
    the last chain took as well and that its own side has just picked up."""
    if not isinstance(one, Played):
        return False
    if isinstance(other, Played):
        return one.replaces == other.replaces
    return one.replaces > 0 and isinstance(other, Raised | Unfinished)


def list_replies(game: Game, position: Position, first: Played, start: bytes, cells: Set[int]) -> Iterator[Candidate]:
    """Explanations one ply longer than `first`, which leads to `position`; changes are counted from `start`.

    Only plies that change one of the `cells`.
    """
    for move, changed in _list_moves(_Same(game), position):
        if changed.isdisjoint(cells):
            continue
        after = game.play(position, move)
        yield Candidate(Played((*first.moves, move), first.replaces), change_between(game, start, after.placement))


def list_begun_replies(
    game: Game, position: Position, first: Played, start: bytes, cells: Set[int]
) -> Iterator[Candidate]:
    """Explanations in which `first` was played, which leads to `position`, and a piece has left to capture after it.

    Only pieces that left one of the `cells`. An own piece taken would look like a capture whose piece has not left
    yet: that is none.
    """
    lawful = [move for move, _ in _list_moves(_Same(game), position) if move.taken and move.origin in cells]
    if not lawful:
        return
    before, played = [game.look_of[piece] for piece in start], dict(change_between(game, start, position.placement))
    # A piece that captures where the other still stands is hidden by it, or in the air.
    lifted = ({move.origin: 0} for move in lawful if move.target in move.taken)
    begun = (
        (cast(Unfinished, c.verdict).move.origin, dict(c.change)) for c in _list_begun_captures(game, position, lawful)
    )
    for changes in (*lifted, *(changes for origin, changes in begun if origin in changes)):
        change = tuple((c, look) for c, look in sorted((played | changes).items()) if before[c] != look)
        yield Candidate(first, change)


def _list_in_order(
    game: Game, positions: Sequence[Position], moves: Sequence[Move], *, just_said: bool, was_shown: bool
) -> Iterator[Candidate]:
    now = positions[-1]
    yield Candidate(Still(), ())
    lawful = game.moves(now)
    for move in lawful:
        after = game.play(now, move).placement
        yield Candidate(Played((move,)), change_between(game, now.placement, after))
    yield from _list_continuations(game, positions, moves, just_said=just_said)
    if was_shown:
        yield from _list_other_plies(game, positions, moves)
    for plies in range(1, min(MOST_EARLIER, len(positions) - 1) + 1):
        yield Candidate(Earlier(plies), change_between(game, now.placement, positions[-1 - plies].placement))
    for cell, piece in enumerate(now.placement):
        if game.seat_of[piece] == now.seat:
            yield Candidate(Raised(cell), ((cell, 0),))
    yield from _list_begun_captures(game, now, lawful)
    if moves and find_cells_ahead(game, positions[-2], moves[-1]):
        yield Candidate(Raised(moves[-1].target), ((moves[-1].target, 0),))


def find_cells_ahead(game: Game, before: Position, last: Move) -> tuple[int, ...]:
    """Where the piece of the `last` ply, played from `before`, may end if it goes on from the cell that it rests on."""
    if last.kind not in CHAINS:
        return ()
    ways = (path for path in islice(game.paths(before), MOST_PATHS) if path.origin == last.origin)
    return tuple(sorted({p.target for p in ways if last.target in p.path[1:-1] and set(last.taken) <= set(p.taken)}))


def _list_begun_captures(game: Game, now: Position, lawful: Sequence[Move]) -> Iterator[Candidate]:
    """Captures that have begun."""
    captures = [move for move in lawful if move.taken]
    few = _are_few(captures)
    for move in captures:
        yield from _list_capture_stages(game, now, move, few=few)
    met: set[PathStop] = set()
    origins = {move.origin for move in lawful if move.taken}
    if origins:
        for path in islice(game.paths(now), MOST_PATHS):
            if path.taken and len(path.path) > 2 and path.origin in origins:
                yield from _list_chain_stages(game, now, path, met, now)


def _are_few(captures: Sequence[Move]) -> bool:
    """Whether all ways to have taken off some of what they capture are looked at."""
    return sum(1 << len(set(move.taken)) for move in captures) <= MOST_SUBSETS


def list_partly_removed(game: Game, now: Position, gone: Set[int]) -> Iterator[Candidate]:
    """Long captures of which just those captured pieces are off the board that have `gone`, where they are too many for
    `list_candidates` to try them all: people take six pieces off in any order."""
    if len(gone) < LEAST_REMOVED:
        return
    captures = [move for move in game.moves(now) if len(set(move.taken)) > SHORT_CAPTURE]
    if not captures or _are_few([move for move in game.moves(now) if move.taken]):
        return
    for move in captures:
        taken = set(move.taken)
        if LEAST_REMOVED <= len(taken & gone) < len(taken) - 1:
            yield from _list_capture_stage(game, now, move, tuple(sorted(taken - gone)))


def _list_continuations(
    game: Game, positions: Sequence[Position], moves: Sequence[Move], *, just_said: bool
) -> Iterator[Candidate]:
    """The last ply was longer than it looked: the same piece went on, or its captures were taken off late.

    If it was `just_said`, its piece may have gone anywhere else: a hand that pauses is not always told from none. If
    nothing stands elsewhere and pieces are off, any capture of those may have begun so.
    """
    if not moves:
        return
    before, last = positions[-2], moves[-1]
    for plies, move in enumerate(reversed(moves), start=1):
        yield from _list_left_standing(game, positions[-1 - plies], move, positions[-1], plies)
    returned = last.origin == last.target
    if last.kind not in CHAINS and not just_said and not returned:
        return
    for move in game.moves(before):
        takes_more = set(last.taken) <= set(move.taken)
        goes_on = move.origin == last.origin and (just_said or (move.kind in CHAINS and takes_more))
        if not goes_on and not (returned and takes_more):
            continue
        if (move.origin, move.target, move.taken) != (last.origin, last.target, last.taken):
            after = game.play(before, move).placement
            yield Candidate(Played((move,), replaces=1), change_between(game, positions[-1].placement, after))
    if last.kind in CHAINS:
        yield from _list_longer_captures(game, before, last, positions[-1])


def _list_other_plies(game: Game, positions: Sequence[Position], moves: Sequence[Move]) -> Iterator[Candidate]:
    """The last ply was taken back, and its side has moved another piece: one visit of a hand does both."""
    if not moves or moves[-1].origin == moves[-1].target:
        return
    for move in game.moves(positions[-2]):
        if move.origin != moves[-1].origin:
            after = game.play(positions[-2], move).placement
            yield Candidate(Played((move,), replaces=1), change_between(game, positions[-1].placement, after))


def _list_left_standing(game: Game, before: Position, move: Move, now: Position, plies: int) -> Iterator[Candidate]:
    """Some of what a ply captured stands there still, `plies` plies later: a hand hid it, or the answer came first."""
    taken = [cell for cell in sorted(set(move.taken)) if not now.placement[cell]]
    sizes = range(1, len(taken) + 1) if 2 ** len(taken) <= MOST_SUBSETS else (1, len(taken))
    for size in sizes:
        for left in combinations(taken, size):
            change = tuple((cell, game.look_of[before.placement[cell]]) for cell in left)
            yield Candidate(Unfinished(move, left, replaces=plies), change)


def _list_longer_captures(game: Game, before: Position, last: Move, now: Position) -> Iterator[Candidate]:
    """A capture under way of which the last ply, played from `before`, was a part."""
    met: set[PathStop] = set()
    for path in islice(game.paths(before), MOST_PATHS):
        if path.origin == last.origin and last.target in path.path[1:-1] and set(last.taken) < set(path.taken):
            yield from _list_chain_stages(game, before, path, met, now)


def _list_capture_stages(game: Game, now: Position, move: Move, *, few: bool) -> Iterator[Candidate]:
    """A capture whose piece stands at its end, is in the air or has not left, with some captured pieces there: with any
    of them where there are `few` captures, or they are short."""
    taken = sorted(set(move.taken))
    every = few or len(taken) <= SHORT_CAPTURE
    for size in range(len(taken) + 1) if every else (0, 1, len(taken) - 1, len(taken)):
        for left in combinations(taken, size):
            yield from _list_capture_stage(game, now, move, left)


def _list_capture_stage(game: Game, now: Position, move: Move, left: tuple[int, ...]) -> Iterator[Candidate]:
    """A capture of which the captured pieces that are `left` stand there still."""
    look = game.look_of[move.becomes or now.placement[move.origin]]
    gone = {cell: 0 for cell in move.taken if cell not in left}
    if left:
        placed = {move.origin: 0, move.target: look} | gone
        yield Candidate(Unfinished(move, left), _build_change(game, now, placed))
    if gone:
        yield Candidate(Unfinished(move, left, move.target), _build_change(game, now, gone | {move.origin: 0}))
        yield Candidate(Unfinished(move, left, move.target, stands=True), _build_change(game, now, gone))


def _list_chain_stages(
    game: Game, before: Position, path: Move, met: set[PathStop], now: Position
) -> Iterator[Candidate]:
    """A capturing move from `before` whose piece stands on a landing before the last one, or, where a part of it was
    said as a ply, on that too. Stops that were `met` are left out. Changes are counted from `now`."""
    look = game.look_of[before.placement[path.origin]]
    taken = sorted(set(path.taken))
    said = dict(change_between(game, now.placement, before.placement))
    for landing in path.path[1:-1] if before is now else path.path[1:]:
        if landing == path.origin:
            continue
        arrived = landing == path.target
        for gone_count in range(len(path.taken) + 1):
            stop = path.origin, landing, path.taken[:gone_count]
            if stop in met:
                continue
            met.add(stop)
            gone = dict.fromkeys(stop[2], 0)
            left = tuple(c for c in taken if c not in gone)
            change = _build_change(game, now, said | {path.origin: 0, landing: look} | gone)
            if (change or not said) and (left or not arrived):
                go_on, on_the_way = (-1, -1) if arrived else (path.target, landing)
                yield Candidate(Unfinished(path, left, go_on, int(before is not now), on_the_way), change)


def _build_change(game: Game, now: Position, looks: dict[int, int]) -> LookChanges:
    before = now.placement
    return tuple((c, looks[c]) for c in sorted(looks) if game.look_of[before[c]] != looks[c])
