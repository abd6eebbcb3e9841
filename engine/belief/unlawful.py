"""What nothing lawful explains: a placement made up from what is seen, and the rule that it breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import cast

from engine.belief import candidates
from engine.belief.emission import Emission
from engine.belief.hypotheses import Hypothesis, weigh_offset
from engine.belief.memory import CLEARLY, Memory
from engine.belief.numbers import Numbers
from engine.belief.opinion import format_moves
from engine.belief.verdicts import Played, Still, Verdict, Wrong
from engine.explain.why import find_difference, why_placement
from engine.game import Change, Game, Move, Position, Refusal
from engine.sentences import Sentence

BASES = 8
"""Plies, the likeliest, after which something unlawful may have been done."""
ALIKE_NATS = 4.0
"""Unlawful placements that differ by less are told apart by whether one attempt explains them."""
MAY_BE_NATS = 4.0
"""A cell may show another piece than it seems to if that is less likely by no more: sides look alike in bad light."""


@dataclass(frozen=True, slots=True)
class Displaced(Verdict):
    """After the lawful plies `after`, whose cells changed in so many `acts`, these cells show what they may not."""

    cells: tuple[int, ...]
    after: tuple[Move, ...] = ()
    acts: int = 1


def list_illegal_placements(
    seen: Emission,
    found: Sequence[Hypothesis],
    lawful: Set[candidates.LookChanges],
    numbers: Numbers,
    memory: Memory,
    offset_cells: Sequence[float],
    past: float = 0.0,
) -> list[Hypothesis]:
    """Placements to which no `lawful` change leads: cells changed freely, after no ply or one of those `found`.

    `past` is what the looks before say of nothing having been played, in nats.
    """
    out: list[Hypothesis] = []
    for base in (Hypothesis(Still(), (), past), *_likely_plies(found)):
        cells, gained = _find_deviating_cells(seen, dict(base.change), numbers)
        looks = dict(base.change) | {cell: seen.best[cell] for cell in cells}
        change = tuple((cell, look) for cell, look in sorted(looks.items()) if look != seen.base[cell])
        if not cells or not change or change in lawful:  # all that was done is undone: nothing stands that may not
            continue
        weight = base.weight + gained
        weight += min(
            (weigh_offset(offset_cells[cell]) for cell in cells if offset_cells and seen.best[cell]), default=0.0
        )
        weight += numbers.unlawful * memory.count_acts(cells) + numbers.nowhere * _count_new_pieces(
            seen, dict(base.change), cells
        )
        moves = base.verdict.moves if isinstance(base.verdict, Played) else ()
        acts = memory.count_acts([cell for cell, _ in base.change])
        out.append(Hypothesis(Displaced(cells, moves, acts), change, weight))
    return out


def _likely_plies(found: Sequence[Hypothesis]) -> list[Hypothesis]:
    """The likeliest single plies."""
    plies = [one for one in found if isinstance(one.verdict, Played) and not one.verdict.replaces]
    plies = [one for one in plies if len(cast(Played, one.verdict).moves) == 1]
    return sorted(plies, key=lambda one: -one.weight)[:BASES]


def _find_deviating_cells(seen: Emission, said: dict[int, int], numbers: Numbers) -> tuple[tuple[int, ...], float]:
    """The cells that look otherwise than `said`, and what is gained by letting them, in nats."""
    cells, weight = list[int](), 0.0
    for cell in sorted({*seen.changed, *said}):
        row = seen.rows[cell]
        gained = row[seen.best[cell]] - row[said.get(cell, seen.base[cell])]
        if gained > -numbers.unlawful_cell:
            cells.append(cell)
            weight += gained + numbers.unlawful_cell
    return tuple(cells), weight


def _count_new_pieces(seen: Emission, said: dict[int, int], cells: Sequence[int]) -> int:
    """How many pieces came of whose look none has gone from the `cells` that look otherwise than `said`: what a ply has
    taken lies beside the board, and is not what stands elsewhere."""
    came = Counter(seen.best[cell] for cell in cells if seen.best[cell])
    return (came - Counter(said.get(cell, seen.base[cell]) for cell in cells)).total()


def find_removed_side(game: Game, now: Position, seen: Emission) -> int:
    """The seat whose pieces, two and more, are all off the board while nothing else has changed; -1 for none."""
    surely = {cell for cell in seen.changed if seen.best_gain(cell) > CLEARLY}
    for seat in range(len(game.seats)):
        cells = {cell for cell, piece in enumerate(now.placement) if piece and game.seat_of[piece] == seat}
        if len(cells) > 1 and surely == cells and all(seen.best[cell] == 0 for cell in cells):
            return seat
    return -1


def has_fallen_piece(seen: Emission, cells: Sequence[int]) -> bool:
    """Whether all that differs is that one piece looks like another: it has fallen, for nobody swaps it."""
    return len(cells) == 1 and seen.base[cells[0]] > 0 and seen.best[cells[0]] > 0


def is_begun_capture(game: Game, now: Position, seen: Emission, cells: Sequence[int]) -> bool:
    """Whether all that differs is that a piece of a seat that is not on turn is gone: its capture may have begun."""
    piece = now.placement[cells[0]] if len(cells) == 1 else 0
    return piece > 0 and game.seat_of[piece] != now.seat and seen.best[cells[0]] == 0


def is_answer_to_hidden_ply(game: Game, now: Position, seen: Emission, cells: Sequence[int]) -> bool:
    """Whether one piece of the side on turn is gone from the board and all else that has changed is a lawful answer to
    a ply of it: pieces do not vanish, and something may stand before the cell that it has gone to."""
    gone = [c for c in cells if seen.base[c] and not seen.best[c] and game.seat_of[now.placement[c]] == now.seat]
    rest = {cell: seen.best[cell] for cell in cells if cell not in gone}
    if len(gone) != 1 or not rest:
        return False
    lawful = (move for move in game.moves(now) if move.origin == gone[0] and not move.taken)
    return any(
        dict(candidates.change_between(game, after.placement, game.play(after, answer).placement)) == rest
        for after in (game.play(now, move) for move in lawful)
        for answer in game.moves(after)
    )


def find_likeliest_attempt(game: Game, now: Position, seen: Emission, found: Sequence[Hypothesis]) -> Displaced:
    """Of the unlawful placements that are about as likely, one that a single attempt explains, if there is one.

    Of those after a ply, one whose ply was seen to be made in one go: what changed at another time is what may not be.
    """
    all_of_them = [(one.weight, one.verdict) for one in found if isinstance(one.verdict, Displaced)]
    best = max(weight for weight, _ in all_of_them)
    about = sorted((one for weight, one in all_of_them if weight > best - ALIKE_NATS), key=lambda one: one.acts)
    return next((one for one in about if _is_attempt(game, now, seen, one)), about[0])


def _is_attempt(game: Game, now: Position, seen: Emission, one: Displaced) -> bool:
    """Whether it is what one piece was moved to do, or a piece of a seat that is not on turn."""
    attempt = _find_attempt(game, now, seen, one)
    return attempt.code == "not-yours" if isinstance(attempt, Refusal) else attempt.origin >= 0


def _find_attempt(game: Game, now: Position, seen: Emission, one: Displaced) -> Change | Refusal:
    position = _play_moves(game, now, one.after)
    return find_difference(game, position, build_seen_placement(game, position.placement, seen, one.cells))


def has_two_ply_explanation(game: Game, now: Position, seen: Emission, one: Displaced) -> bool:
    """Whether two lawful plies lead there after all, made so fast that no line of two was looked for."""
    looks = bytes(game.look_of).ljust(256, b"\0")
    stands = build_seen_placement(game, now.placement, seen, sorted({*seen.changed, *one.cells})).translate(looks)
    before = now.placement.translate(looks)
    firsts = [game.play(now, move) for move in game.moves(now) if stands[move.origin] != before[move.origin]]
    return any(
        game.play(after, move).placement.translate(looks) == stands for after in firsts for move in game.moves(after)
    )


def have_several_moved(game: Game, now: Position, last: Move | None, seen: Emission, one: Displaced) -> bool:
    """Whether two pieces and more have gone to other cells, or some of both sides to none, and no single attempt
    explains it: plies went by unseen.

    Not so where one of them stands where it was before the `last` ply: that was not played on this board.
    """
    if last is not None and {last.origin, last.target} <= set(one.cells):
        return False
    gone = Counter(seen.base[cell] for cell in one.cells if seen.base[cell] and not seen.best[cell])
    came = Counter(seen.best[cell] for cell in one.cells if seen.best[cell] and seen.best[cell] != seen.base[cell])
    several = min(gone.total(), came.total()) > 1 or len(gone - came) > 1
    return several and not _is_one_attempt(game, now, seen, one)


def _is_one_attempt(game: Game, now: Position, seen: Emission, one: Displaced) -> bool:
    """Whether it is what a piece of the seat on turn was moved to do."""
    attempt = _find_attempt(game, now, seen, one)
    return not isinstance(attempt, Refusal) and attempt.origin >= 0


def name_broken_rule(game: Game, now: Position, seen: Emission, one: Displaced) -> Wrong:
    """The rule that is broken."""
    everything = tuple(sorted({*seen.changed, *one.cells}))
    position = _play_moves(game, now, one.after)
    whole = build_seen_placement(game, now.placement, seen, everything)
    if not one.after or not isinstance(find_difference(game, now, whole), Refusal):
        cells = everything if one.after else one.cells
        return Wrong(cells, why_placement(game, now, build_seen_placement(game, now.placement, seen, cells)))
    refusal = why_placement(game, position, build_seen_placement(game, position.placement, seen, one.cells))
    said = Sentence("After {moves}: {why}", {"moves": format_moves(game, now, one.after), "why": refusal.message})
    return Wrong(one.cells, replace(refusal, message=said), tuple(c for c in everything if c not in one.cells))


def _play_moves(game: Game, now: Position, moves: Sequence[Move]) -> Position:
    for move in moves:
        now = game.play(now, move)
    return now


def build_seen_placement(game: Game, before: bytes, seen: Emission, cells: Sequence[int]) -> bytes:
    """The placement that is seen, if only `cells` are not as `before`.

    Pieces that left a cell are taken to be those of their look that appeared; a piece of which only its look is
    doubtful is one of those that left.
    """
    out, look_of = bytearray(before), game.look_of
    gone: dict[int, list[int]] = {}
    for cell in cells:
        gone.setdefault(look_of[before[cell]], []).append(before[cell])
        out[cell] = 0
    came = {cell: _list_likely_looks(seen, cell) for cell in cells}
    for cell, looks in sorted(came.items(), key=lambda one: len(one[1])):
        if looks[0] == 0:
            continue
        look = next((one for one in looks if gone.get(one)), looks[0])
        pieces = gone.get(look)
        out[cell] = pieces.pop(0) if pieces else look_of.index(look)
    return bytes(out)


def _list_likely_looks(seen: Emission, cell: int) -> list[int]:
    """The look that a cell has, then those pieces' looks that it may have as well."""
    row, best = seen.rows[cell], seen.best[cell]
    others = [look for look in range(1, len(row)) if look != best and row[best] - row[look] < MAY_BE_NATS]
    return [best, *sorted(others, key=row.__getitem__, reverse=True)]
