"""What is kept from look to look: what stood there in between, and what was odd before anything was played.

A ply that is seen faintly now and covered by the next one later leaves its trace here: an explanation must also say
what was seen on its way.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from engine.belief.emission import Emission, Row, is_same_look
from engine.belief.lines_of_play import FollowedLines
from engine.belief.verdicts import Wrong
from engine.game import Game, Move, Position

CLEARLY = 3.0
"""Nats from which a cell certainly shows something else."""
MOST_PAST = 8
"""Looks that are remembered; the oldest go first."""
FEW_UNNOTICED = 1
"""Cells that a ply had changed and that did not clearly show it yet. Raising it believes plies in an order in which
the board never stood, lowering it doubts plies of pieces that are hard to see. Guessed, and tried on 76 random
illegal moves of five games over which somebody played on: with 1 all but two kept their refusal."""

CLEARED_SHARE, FEWEST_CLEARED = 0.75, 8
"""A board on which so much of the pieces, and so many of them, are clearly gone at once was cleared: no ply follows
from what stands there next. A man that jumps many takes fewer. Raising either believes plies back to the start where a
game of two plies was put away and its pieces set up anew, lowering it takes a long capture for that. Guessed, and right
on eight films by two renderers in which a board was cleared after one to six plies."""

Rows = tuple[tuple[int, Row], ...]
"""(cell, row) of the cells of a look that were not as known."""


@dataclass(frozen=True, slots=True)
class Refused:
    """What was called unlawful while the board stood at rest, and the looks that its cells showed."""

    verdict: Wrong
    looks: tuple[tuple[int, int], ...]

    def still_stands(self, seen: Emission) -> bool:
        """Whether all of its cells are seen and show the same."""
        return all(cell not in seen.hidden and seen.best[cell] == look for cell, look in self.looks)


@dataclass(frozen=True, slots=True)
class Memory:
    """Since the board was last understood: `last` is the newest look, `past` what cells showed before it and show no
    more; `standing` was odd when it was understood. `acts` are cells that had changed together when no hand was there.
    `visited`: a hand has been over the board since. `unseen_s`: the longest time between two looks since then.
    `refused` was called unlawful since.
    """

    last: Rows = ()
    past: tuple[Rows, ...] = ()
    standing: Rows = ()
    unrested: frozenset[int] = frozenset()
    acts: tuple[frozenset[int], ...] = ()
    stood: tuple[tuple[frozenset[int], frozenset[int]], ...] = ()
    """Cells that had clearly changed in some look, whatever hands did, and those that a hand hid whenever they had."""
    visited: bool = False
    cleared: bool = False
    """Whether most pieces were seen to be gone at once since."""
    lines: FollowedLines = field(default_factory=FollowedLines)
    """What may have been played since the board was last understood, by the looks that no hand hid."""
    t: float = math.inf
    """Of the newest look; infinite before the first."""
    unseen_s: float = 0.0
    refused: Refused | None = None

    def add_look(self, seen: Emission, t: float, *, clear: bool, hand: bool) -> Memory:
        """After another look at `t` s. `clear`: nothing moves or rests over the board; `hand`: something may."""
        changed = [cell for cell in seen.changed if cell not in seen.hidden]
        hidden = tuple((cell, row) for cell, row in self.last if cell in seen.hidden)
        gone = self._list_vanished_rows(seen)
        past = (*self.past, gone)[-MOST_PAST:] if gone else self.past
        clearly = frozenset(cell for cell in changed if seen.best_gain(cell) > CLEARLY)
        fresh = clearly.difference(*self.acts)
        hid = dict(self.stood)
        hid[clearly] = hid.get(clearly, frozenset(seen.hidden)) & frozenset(seen.hidden)
        acts = (*self.acts, fresh)[:MOST_PAST] if clear and fresh else self.acts
        last = (*((cell, seen.rows[cell]) for cell in changed), *hidden)
        unseen_s = max(self.unseen_s, t - self.t)
        return replace(
            self,
            last=tuple(sorted(last)),
            past=past,
            acts=acts,
            stood=tuple(hid.items())[-MOST_PAST:],
            visited=self.visited or hand,
            cleared=self.cleared or _is_cleared(seen),
            t=t,
            unseen_s=unseen_s,
        )

    def _list_vanished_rows(self, seen: Emission) -> Rows:
        """What cells that are seen showed in the look before and show no more."""
        shown = ((cell, row) for cell, row in self.last if cell not in seen.hidden)
        return tuple(
            (cell, row) for cell, row in shown if any(seen.rows[cell]) and not is_same_look(row, seen.rows[cell])
        )

    def count_acts(self, cells: Collection[int]) -> int:
        """How many times hands must have changed something for all of the cells to change."""
        known = sum(not act.isdisjoint(cells) for act in self.acts)
        return max(1, known + bool(frozenset(cells).difference(*self.acts)))

    def add_moving_looks(self, looks: Iterable[Emission]) -> Memory:
        """With what was seen while something moved."""
        seen = (tuple((cell, look.rows[cell]) for cell in look.changed) for look in looks)
        return replace(self, past=(*self.past, *(rows for rows in seen if rows)))

    def mark_understood(self, seen: Emission, *, hand: bool, rested: bool) -> Memory:
        """It is known what stands there: what is odd all the same says nothing from now on, if the picture has `rested`
        or had when the cell was found odd. What lies over a cell, as a cup does, hides what stands there: once that is
        seen, it is new."""
        at_rest = {cell for cell, _ in self.standing} - self.unrested
        unrested = seen.inexplicable | (frozenset() if rested else {cell for cell, _ in seen.odd} - at_rest)
        return Memory(standing=tuple(seen.odd), unrested=unrested, visited=hand, t=self.t)


def _is_cleared(seen: Emission) -> bool:
    pieces = sum(look > 0 for look in seen.base)
    gone = sum(seen.base[cell] > 0 and seen.best_gain(cell) > CLEARLY for cell in seen.emptied_cells - seen.hidden)
    return gone >= max(FEWEST_CLEARED, CLEARED_SHARE * pieces)


def find_possible_looks(game: Game, start: Position, moves: Iterable[Move]) -> dict[int, set[int]]:
    """The looks that cells may show while `moves` are played, of the cells that they touch."""
    shown: dict[int, set[int]] = {}
    position = start
    for move in moves:
        after = game.play(position, move)
        piece = game.look_of[position.placement[move.origin]]
        for cell in (*move.path, *move.taken):
            looks = shown.setdefault(cell, {game.look_of[start.placement[cell]]})
            looks |= {game.look_of[position.placement[cell]], game.look_of[after.placement[cell]], 0}
        for cell in move.path:
            shown[cell].add(piece)
        position = after
    return shown


def weigh_memory(memory: Memory, shown: dict[int, set[int]], passed: float) -> float:
    """How well what was seen in between agrees with what cells may have shown, in nats.

    Each look may have shown a hand or a piece that was put back, which counts as `passed`.
    """
    total = 0.0
    for rows in memory.past:
        off = 0.0
        for cell, row in rows:
            off += max((row[look] for look in shown[cell]), default=0.0) if cell in shown else 0.0
            off -= max(row)
        total += max(off, passed)
    return total


def count_acts_against(game: Game, start: Position, moves: Iterable[Move], acts: Sequence[Collection[int]]) -> int:
    """How many of the `acts`, in the order in which they were seen at rest, stood after no number of the plies."""
    changed: list[frozenset[int]] = [frozenset()]
    position = start
    for move in moves:
        position = game.play(position, move)
        pairs = enumerate(zip(start.placement, position.placement, strict=True))
        changed.append(frozenset(cell for cell, (was, stands) in pairs if game.look_of[was] != game.look_of[stands]))
    touched = changed[-1].union(*changed)
    seen: frozenset[int] = frozenset()
    against = 0
    for act in acts:
        seen |= touched.intersection(act)
        against += all(bool(seen - after) or len(after - seen) > FEW_UNNOTICED for after in changed)
    return against
