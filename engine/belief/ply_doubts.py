"""What the cells of a look say against plies that the numbers make sure: people are asked first.

What is remembered of a cell and what its fellows in the same picture look like are read apart. A piece that moves to
the next cell and leans over the one that it has left deceives the first, a shaded or printed cell the second. That
several cells deceive either of them in just the way a lawful ply would is rare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from engine.belief.candidates import LookChanges, change_between
from engine.belief.emission import Emission
from engine.belief.hypotheses import Hypothesis, LookHypotheses
from engine.belief.lines_of_play import begins_with_moves, walk_line
from engine.belief.memory import CLEARLY, count_acts_against
from engine.belief.sight import NO_LOOK, Sight
from engine.belief.verdicts import Played, Raised, Verdict
from engine.explain.reasons import Reason
from engine.game import Game, Move, Position

BESIDE_NATS, BESIDE_UNSURE_NATS = 1.0, 0.5
"""Where a ply leads its cell must look more like the piece than every cell beside it does, in nats; of a cell beside it
that looks like it by less than this nothing is said, by half as much where the ply is not sure enough to be said at
once. Raising either guesses which of two neighbours a piece behind tall ones went to (from 34 degrees a knight's
capture was said a cell too far), lowering them asks about heads that lean over the next cell. Tried on 48 films of all
boards, 270 plies: one was said a second later."""

ORDERED_PLIES = 3
"""Lines of so many plies are held against the order in which the board was seen to change at rest, which may be
misread; of two every look counts. Raising it believes orders in which the board never stood."""
MISREAD_ACTS = 3
"""So many of the changes that were seen may not fit, as some are misread where plies were missed. Raising it says plies
too early that came later, lowering it asks about plies that are right. Fitted on one film of another renderer, where
five did not fit the wrong order, and on one photographed game, where three did not fit the right one."""
SHOWN_MOVING = 2
"""So many looks at a board in motion must show plies for them to have been seen. Raising it asks about quick captures
that few looks saw begin, lowering it takes a piece that is carried over a cell for one that was put there. Guessed."""
BETWEEN_CELLS, MAY_BE_MEANT = 0.25, 0.003
"""A piece that is so far off the middle of its cell may be meant for the next one: if its ply there is so probable,
what is said must be sure enough to be said at once. On the very line between two cells plies were 0.28 and 0.41 off,
and half of them wrong at a probability of 0.988; pieces that were put down in the middle, 0.18 at most. Tried on 12
such plies of one board. Raising either guesses such plies, lowering them asks about untidy ones."""

CAPTURE_BEGUN = Reason("capture-begun")
"""What speaks against a capture that may be a part of another one."""


def stands_between_cells(sight: Sight, move: Move, plies: Iterable[tuple[Verdict, float]]) -> bool:
    """Whether the piece that moved last stands so far off the middle that it may be meant for another cell, by all
    that may have been played with its probability."""
    if not sight.offset_cells or sight.offset_cells[move.target] < BETWEEN_CELLS:
        return False
    others = (
        share
        for said, share in plies
        if isinstance(said, Played) and said.moves[-1].origin == move.origin and said.moves[-1].target != move.target
    )
    return sum(others) >= MAY_BE_MEANT


def is_landing_doubtful(game: Game, seen: Emission, move: Move, said: Mapping[int, int], *, unsure: bool) -> bool:
    """Whether a cell beside the one that `move` leads to looks more like its piece; `unsure` whether the ply is not
    sure enough to be said at once.

    `said` are the looks that the plies leave. Behind tall pieces no foot is seen, and heads lie over the next cells:
    which of two neighbours was taken is then a guess, however plainly the piece has left its own cell.
    """
    look = said.get(move.target, 0)
    if not look:
        return False
    row = seen.rows[move.target]
    clear = row[look] - max(nats for other, nats in enumerate(row) if other != look)
    least = max(clear, BESIDE_UNSURE_NATS if unsure else BESIDE_NATS)
    beside = (c for c in game.board.steps[move.target] if c >= 0 and c not in said and seen.base[c] != look)
    return any(seen.rows[c][look] > least for c in beside)


def has_unexplained_piece(game: Game, seen: Emission, moves: Sequence[Move], changes: Iterable[LookChanges]) -> bool:
    """Whether a piece has clearly come to an empty cell to which none of these `changes` brings one and leaves all
    other cells as they look: it was played there unseen, and what is due is another ply than `moves`, or it was put
    there from the box. Not beside where they lead, over which heads may lean."""
    came = {c for c in seen.changed if seen.best[c] and not seen.base[c] and seen.best_gain(c) > CLEARLY}
    beside = {cell for move in moves for cell in game.board.steps[move.target]}
    came -= seen.hidden | beside
    return bool(came) and not any(
        came <= {cell for cell, _ in change} and seen.find_cells_against(change, CLEARLY) <= beside
        for change in changes
    )


def leaves_odd_cell_empty(seen: Emission, said: Mapping[int, int], rivals: Iterable[LookChanges]) -> bool:
    """Whether what would be `said` leaves a cell empty that is like no known look, and one of the `rivals` brings a
    piece there: something is there, and only their number of plies speaks for the one against the other."""
    odd = {cell for cell in seen.inexplicable - seen.hidden if not said.get(cell, seen.base[cell])}
    return any(look and cell in odd for change in rivals for cell, look in change)


def is_disputed(sight: Sight, said: Mapping[int, int]) -> bool:
    """Whether one of the witnesses sees what is no piece where the looks `said` have one."""
    return any(look == NO_LOOK and said.get(cell, 0) for cell, look in sight.otherwise)


def is_fully_shown(seen: Emission, said: Mapping[int, int]) -> bool:
    """Whether every cell that is seen shows what would be `said` of it, or stands as before."""
    cells = {*seen.changed, *said} - seen.hidden
    return all(seen.best[cell] == said.get(cell, seen.base[cell]) for cell in cells)


def has_left_cells(seen: Emission, change: LookChanges, moves: Iterable[Move]) -> bool:
    """Whether none of the pieces that `moves` have moved plainly stands where it was, if they lead to `change`: nobody
    is to choose what nobody did."""
    return seen.find_cells_against(change, CLEARLY).isdisjoint(move.origin for move in moves)


def find_unseen_reason(explaining: LookHypotheses, moves: tuple[Move, ...]) -> Reason | None:
    """What speaks against plies of which a hand hides something, or that show nothing; None if nothing does."""
    if is_hidden_by_hand(explaining, moves):
        return Reason("cells-not-seen", len(explaining.seen.hidden), 0)
    if had_come_before_it_left(explaining, moves[0]):
        return Reason("not-explained", len(explaining.seen.changed))
    plies = count_unshown_plies(explaining, moves)
    return Reason("unshown", plies) if plies else None


def is_hidden_by_hand(explaining: LookHypotheses, moves: tuple[Move, ...]) -> bool:
    """Whether a hand hides what would tell for or against these plies."""
    return _has_hidden_ply(explaining, moves) or _contradicts_hidden_cells(explaining, moves)


def _has_hidden_ply(explaining: LookHypotheses, moves: tuple[Move, ...]) -> bool:
    """Whether one of these plies from `now` shows in no cell that is seen: others that leave as little of themselves
    are as likely, and there may be more of them than were looked at."""
    game, now, seen = explaining.game, explaining.now, explaining.seen
    way = [now, *walk_line(game, now, moves)]
    said = dict(change_between(game, now.placement, way[-1].placement))
    shown = {c for c, look in enumerate(seen.best) if c not in seen.hidden and look == said.get(c, seen.base[c])}
    changes = (change_between(game, before.placement, after.placement) for before, after in pairwise(way))
    return any(change and shown.isdisjoint(cell for cell, _ in change) for change in changes)


def _contradicts_hidden_cells(explaining: LookHypotheses, moves: tuple[Move, ...]) -> bool:
    """Whether the likeliest explanation that begins with these plies leaves a cell otherwise than it plainly was while
    no hand was there, and a hand hides it now: what was seen still counts."""
    seen, likeliest = explaining.seen, _find_likeliest(explaining, moves)
    said = {} if likeliest is None else dict(likeliest.change)
    return any(
        max(row) - row[said.get(cell, seen.base[cell])] > CLEARLY
        for cell, row in seen.remembered_rows.items()
        if any(cell in act for act in explaining.acts)
    )


def has_only_begun(explaining: LookHypotheses, start: Position, verdict: Played) -> bool:
    """Whether the last of these plies from `start`, a capture that ends on the cell where it began, may only be the
    beginning of another one.

    All that it shows is what it took, and people take off first and move afterwards. So where another capture takes as
    much, the board must be left alone, and for longer than hands pause unless some look saw the piece off its cell.
    What lies beside a piece that may be meant may be a hand that holds it, however long it has been there. Once
    somebody has gone on from it, it was whole.
    """
    takers = _find_other_takers(explaining, start, verdict)
    if not takers:
        return False
    sight, steps = explaining.sight, explaining.game.board.steps
    around = takers.union(*(steps[cell] for cell in takers))
    was_off = any(verdict.moves[-1].origin in changed for changed, _ in explaining.stood)
    return sight.is_hand_near or not (sight.rested or was_off) or not around.isdisjoint(sight.hidden)


def _find_other_takers(explaining: LookHypotheses, start: Position, verdict: Played) -> set[int]:
    """Where the pieces stand by which what the last of these plies took may be taken, if another capture leaves another
    board; empty where there is none, the piece was seen to come back, or something has followed."""
    game, last = explaining.game, verdict.moves[-1]
    if not last.taken or last.origin != last.target or _was_gone_on_from(explaining, verdict):
        return set()
    *_, before, after = (start, *walk_line(game, start, verdict.moves))
    if explaining.now.placement[last.origin] != before.placement[last.origin]:
        return set()
    gone = set(last.taken)
    others = {one.origin for one in game.moves(before) if gone <= {*one.taken} and game.play(before, one) != after}
    return others | {last.origin} if others else set()


def _was_gone_on_from(explaining: LookHypotheses, verdict: Played) -> bool:
    """Whether the likeliest line that begins with these plies has more of them, or another turn has begun after it."""
    likeliest = None if verdict.replaces else _find_likeliest(explaining, verdict.moves)
    if likeliest is None or not isinstance(likeliest.verdict, Played):
        return False
    return not likeliest.done or len(likeliest.verdict.moves) > len(verdict.moves)


def came_in_other_order(explaining: LookHypotheses, moves: tuple[Move, ...]) -> bool:
    """Whether the board stood, while no hand was there, as it never does in the likeliest line that begins with these
    plies: then they were played, but not first."""
    likeliest = _find_likeliest(explaining, moves)
    if likeliest is None or not isinstance(likeliest.verdict, Played) or len(likeliest.verdict.moves) < 2:
        return False
    if len(likeliest.verdict.moves) < ORDERED_PLIES:
        return _stood_after_second_alone(explaining, likeliest.verdict.moves[0], likeliest.change)
    against = count_acts_against(explaining.game, explaining.now, likeliest.verdict.moves, explaining.acts[:-1])
    return against > MISREAD_ACTS


def _stood_after_second_alone(explaining: LookHypotheses, first: Move, both: LookChanges) -> bool:
    """Whether some look showed all that the second of two plies changes, and, though no hand hid it, nothing of the
    `first`: a ply that is taken back before the other side plays out of turn leaves the same as these two."""
    game, now = explaining.game, explaining.now
    of_first = {cell for cell, _ in change_between(game, now.placement, game.play(now, first).placement)}
    of_second = {cell for cell, _ in both} - of_first
    return bool(of_first and of_second) and any(
        of_second <= changed and of_first.isdisjoint(changed | hidden) for changed, hidden in explaining.stood
    )


def count_unshown_plies(explaining: LookHypotheses, moves: tuple[Move, ...]) -> int:
    """How many plies of the likeliest line that begins with `moves` nothing shows: no look saw the board after them,
    they took nothing, and what moved is captured, in a hand, or stands where the same stood before. A piece that plays
    twice and takes a man leaves the same as that man, had it stepped aside and been jumped there; a man that is taken
    off in the place of another one leaves the same as if it had stepped to where the other one was taken."""
    game, likeliest = explaining.game, _find_likeliest(explaining, moves)
    if likeliest is None or not isinstance(likeliest.verdict, Played):
        return 0
    line = likeliest.verdict.moves
    way = [explaining.now, *walk_line(game, explaining.now, line)]
    counts = range(len(line) - likeliest.done, 0, -1)  # of a line that went on after its last ply that may be seen too
    seen_plies = next((count for count in counts if _was_seen(explaining, line[:count], way)), 0)
    looks = {cell: game.look_of[piece] for cell, piece in enumerate(explaining.now.placement)} | dict(likeliest.change)
    ends = (_follow_piece(line[number:]) for number in range(seen_plies, len(line)) if not line[number].taken)
    after = way[-1].placement
    return sum(
        cell < 0 or looks[cell] != game.look_of[after[cell]] or not _has_changed(explaining, likeliest, cell)
        for cell in ends
    )


def _has_changed(explaining: LookHypotheses, likeliest: Hypothesis, cell: int) -> bool:
    """Whether a cell looks otherwise than before by an explanation, or some look showed it so in between."""
    stood = any(cell in changed for changed, _ in explaining.stood)
    moving = sum(cell in one.changed and cell not in one.hidden for one in explaining.moving)
    return cell in dict(likeliest.change) or stood or moving >= SHOWN_MOVING


def _follow_piece(line: Sequence[Move]) -> int:
    """Where the piece that moves first stands after these plies; -1 if it was captured."""
    cell = line[0].target
    for move in line[1:]:
        if move.origin == cell:
            cell = move.target
        elif cell in move.taken or move.target == cell:
            return -1
    return cell


def _was_seen(explaining: LookHypotheses, begun: tuple[Move, ...], way: Sequence[Position]) -> bool:
    """Whether a picture showed that these plies may have been played and the next one not, or looks in motion did."""
    if begun in explaining.seen_lines:
        return True
    change = change_between(explaining.game, explaining.now.placement, way[len(begun)].placement)
    shown = (
        all(cell not in one.hidden and one.best[cell] == look for cell, look in change) for one in explaining.moving
    )
    return bool(change) and sum(shown) >= SHOWN_MOVING


def _find_likeliest(explaining: LookHypotheses, moves: tuple[Move, ...]) -> Hypothesis | None:
    lines = (one for one in explaining.found if begins_with_moves(one.verdict, moves))
    return max(lines, key=lambda one: one.weight, default=None)


def had_come_before_it_left(explaining: LookHypotheses, move: Move) -> bool:
    """Whether some look showed something where `move` leads, and where the last ply took a man, while its piece, which
    no hand hid, still stood: that man was put back, and is not what a neighbour's next move brings. Where the captor
    stands in its victim's cell it was taken off first, by whoever takes it in turn."""
    taken = explaining.last.taken if explaining.last is not None else ()
    put_back = move.target in taken and not explaining.seen.base[move.target]
    return put_back and any(
        move.target in changed and move.origin not in changed | hidden for changed, hidden in explaining.stood
    )


def find_objection_to_correction(
    explaining: LookHypotheses, found: Sequence[Hypothesis], verdict: Played
) -> Reason | None:
    """What speaks against putting right what was said: half of what is seen does not do it, a piece in a hand looks the
    same as the last ply with one piece more that it took, or the side that moved last has simply moved once more."""
    game, seen = explaining.game, explaining.seen
    changes = {one.change for one in found if one.verdict == verdict}
    if any(isinstance(one.verdict, Raised) and one.change in changes for one in found):
        return Reason("taken-or-held")
    said = {cell for change in changes for cell, _ in change}
    if any(seen.best_gain(cell) > CLEARLY and cell not in said for cell in seen.changed):
        return Reason("not-explained", len(seen.changed))
    if explaining.last is not None and verdict.moves[0].origin != explaining.last.origin:
        moved_once = (_is_one_step_away(game, explaining.now, change) for change in changes)
        return Reason("not-explained", len(seen.changed)) if any(moved_once) else None
    return None


def _is_one_step_away(game: Game, now: Position, change: LookChanges) -> bool:
    """Whether one piece has left its cell for another one that was empty, and nothing else has changed."""
    looks = dict(change)
    left = [cell for cell, look in change if not look]
    came = [cell for cell, look in change if look and not now.placement[cell]]
    return len(looks) == 2 and len(left) == len(came) == 1 and looks[came[0]] == game.look_of[now.placement[left[0]]]


def find_one_witness_plies(
    game: Game, now: Position, explaining: LookHypotheses, sight: Sight, cells: tuple[int, ...] = ()
) -> tuple[Move, ...]:
    """The plies that `sight.otherwise` shows whole, and what follows them in `cells`; () for none.

    `cells` are those that seem to hold what is not lawful without such a ply.
    """
    shown = dict(sight.otherwise)
    if len(shown) < 2:
        return ()
    lines = [
        one.verdict.moves
        for one in explaining.found
        if isinstance(one.verdict, Played) and not one.verdict.replaces and len(one.verdict.moves) == 1 and one.done
        if _is_shown(one.change, shown)
    ]
    if not cells:
        return lines[0] if lines else ()
    return next(
        (line for moves in lines for line in _list_followed_lines(game, now, moves, explaining.seen, cells)), ()
    )


def _is_shown(change: LookChanges, shown: Mapping[int, int]) -> bool:
    """Whether a piece plainly came where a change has one, and nothing speaks against the rest of it."""
    came = any(look and shown.get(cell) == look for cell, look in change)
    return came and all(shown.get(cell) in (look, NO_LOOK) for cell, look in change)


def _list_followed_lines(
    game: Game, now: Position, moves: tuple[Move, ...], seen: Emission, cells: tuple[int, ...]
) -> Iterator[tuple[Move, ...]]:
    """The plies and a lawful one after them that leaves in the `cells` what is seen there."""
    after = game.play(now, moves[0])
    wanted = {cell: seen.best[cell] for cell in cells}
    for reply in game.moves(after):
        change = dict(change_between(game, after.placement, game.play(after, reply).placement))
        if wanted.items() <= change.items():
            yield (*moves, reply)
