"""All that may have happened since the board was last understood, each with its weight: prior and what is seen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import cast

from engine.belief.bound import ReachBound
from engine.belief.candidates import (
    Candidate,
    LookChanges,
    list_begun_replies,
    list_candidates,
    list_partly_removed,
    list_replies,
)
from engine.belief.emission import FEW_INEXPLICABLE, Emission, list_inexplicable_cells
from engine.belief.lines_of_play import NEARLY_NATS, LineOfPlay, is_undone_step
from engine.belief.memory import CLEARLY, Memory
from engine.belief.numbers import Numbers
from engine.belief.sight import Sight
from engine.belief.verdicts import Earlier, Played, Raised, Still, Unfinished, Verdict
from engine.game import Game, Move, Position

MOST_PLIES, PLY_S = 4, 0.25
"""Plies between two looks; several take each so many seconds of moving at least: nobody plays faster.
Raising the first finds more after a hand that hid much, and makes the worst look dearer; lowering the second makes an
unlawful second move of one side three plies, and a capture under way one that was answered. From filmed blitz games."""
LONG_S = 4.0
"""Seconds after which the number of plies says nothing any more against a line: a step and another step of one piece,
the other side's ply between them, look like one canter. Raising it says such lines as the shorter one after a spell in
which nothing was seen, lowering it asks after every long thought under a hand. Guessed."""
UNEXPLAINED = 4.0
"""Nats that no single turn explains, from which several plies are looked for: each costs as much by itself.
Lowering it searches in nearly every look; raising it misses a faint second ply. It follows from the prior of a ply."""
MOST_BEGINNINGS, MOST_FOLLOWED = 40, 1000
"""Lines that are followed by another ply, the most hopeful first, and lines looked at in all for one more ply. They are
counts and no times, so that a recording gives the same record on every machine. Chosen on 117 mid-game positions with
three plies unseen: 47 said right and 103 among the five likeliest, 49 and 106 with 120 and 1,500, which took up to
twice as long. Lowering them asks where plies could have been said; raising them makes the worst look dearer."""
CASTLING = 1
"""A ply fills one cell; in games that castle one of several fills another."""
MOST_BEGUN = 6
"""Plies after which a capture under way is looked for, 5 ms each. Raising it only costs
time; lowering it says nothing of a ply whose answer is under way. Estimated."""
HOPELESS = -6.0
"""Nats against a line from which it is not followed: the piece that it moves away seems to stand there still."""
PLACED_SD = 0.2
"""Standard deviation, in cells, of where people put a piece down; pushed ones lie anywhere."""
PUSHED_FROM, PUSHED_LEFT = 0.25, 5.0
"""Cells off the middle from which a piece may have been pushed there, and nats by which its own cell then seems empty:
of 193 drawn pieces that were pushed by up to half a cell none had left it by more than twice that."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One explanation: what to say if it is right, how the board looks then, and its weight in nats.

    Unless it is `done`, another turn has begun after the plies of the verdict.
    """

    verdict: Verdict
    change: LookChanges
    weight: float
    done: bool = True


class LookHypotheses:
    """The hypotheses of one look."""

    def __init__(
        self,
        game: Game,
        positions: Sequence[Position],
        moves: Sequence[Move],
        sight: Sight,
        seen: Emission,
        numbers: Numbers,
        memory: Memory,
        *,
        just_said: bool = False,
        was_shown: bool = True,
    ) -> None:
        """`just_said`: the last move was said a moment ago; `was_shown`: the board has shown where it led."""
        self.game, self.now, self.sight, self.seen, self._numbers = game, positions[-1], sight, seen, numbers
        self.acts = memory.acts
        """The cells that have changed together while no hand was there, in their order."""
        self.stood = memory.stood
        """Cells that had changed in some look, and what hands hid then."""
        self._lines = memory.lines
        self.moving: Sequence[Emission] = ()
        """What was seen while something moved, once it was asked for."""
        self._visited, self.last = memory.visited, moves[-1] if moves else None
        self.was_unseen = min(memory.unseen_s, sight.moving_s) >= LONG_S
        """Whether nothing was seen for so long that any number of plies may have been played."""
        self.missed = -math.inf
        """The weight that lines which were not looked at have at most."""
        listed = list_candidates(game, positions, moves, just_said=just_said, was_shown=was_shown)
        self._lawful = math.log(max(1, sum(_is_ply(one.verdict) for one in listed)))
        self._begun = math.log(max(1, sum(isinstance(one.verdict, Unfinished) for one in listed)))
        self._looks = [
            {game.look_of[piece] for piece, owner in enumerate(game.seat_of) if owner == seat}
            for seat in range(len(game.seats))
        ]
        self._playing = {game.seat_of[piece] for piece in set(self.now.placement)}
        self._bound = ReachBound(seen, self._looks)
        # Those of the side to move: that of the last ply may be taken up again, and makes them no less likely.
        own = (game.seat_of[piece] == self.now.seat for piece in self.now.placement)
        self._pieces = math.log(max(1, sum(own)))
        self._hand = sight.is_hand_near or len(list_inexplicable_cells(sight)) > FEW_INEXPLICABLE
        removed = list_partly_removed(game, self.now, seen.emptied_cells)
        self._ply_changes = _collect_ply_changes(listed)
        self.found = [Hypothesis(one.verdict, one.change, self.weigh_candidate(one)) for one in (*listed, *removed)]
        self.found += self._list_pushed_pieces()
        if self._measure_unexplained(self.found) > UNEXPLAINED:
            self._add_longer_lines([one for one in listed if _is_ply(one.verdict)])
            self.found += self._list_all_answers(listed)

    @property
    def lines_before(self) -> tuple[LineOfPlay, ...]:
        """What may have been played by the looks before this picture."""
        return self._lines.after if self.sight.stirred else self._lines.before

    @property
    def seen_lines(self) -> frozenset[tuple[Move, ...]]:
        """The plies, not said yet, that some picture before showed to have been played, and no more yet."""
        return self._lines.seen | self.likely_lines

    @property
    def likely_lines(self) -> frozenset[tuple[Move, ...]]:
        """The plies, not said yet, that by the looks before may well have been played."""
        return frozenset(line.moves for line in self.lines_before if line.moves and line.weight > -NEARLY_NATS)

    @property
    def prior_of_ply(self) -> float:
        """Of one ply, whichever it is, in nats."""
        return self._numbers.ply - self._lawful

    def weigh_candidate(self, one: Candidate) -> float:
        """By prior and by what this look shows."""
        weight = self.prior_of_verdict(one.verdict) + self._weigh_landing(one.verdict)
        if self._ends_as_ply(one):
            weight += self._numbers.no_hand
        return weight + self.seen.weigh_change(one.change)

    def _ends_as_ply(self, one: Candidate) -> bool:
        """Whether a capture of which something is still to be taken off looks like a whole ply, on a board that has
        been at rest for long: whoever has begun to take men off takes off the rest."""
        at_rest = self.sight.patient and not self._hand
        return at_rest and isinstance(one.verdict, Unfinished) and one.change in self._ply_changes

    def prior_of_verdict(self, verdict: Verdict) -> float:
        """Before anything is seen."""
        n = self._numbers
        match verdict:
            case Played(moves=moves, replaces=0):
                return (n.ply - self._lawful) * len(moves)
            case Played(moves=moves) if self._is_other_piece(moves[0]):
                return n.back + (n.ply - self._lawful) * len(moves)
            case Played(moves=moves):
                return n.longer + (n.ply - self._lawful) * (len(moves) - 1)
            case Earlier(plies=plies):
                return n.back * (1 + plies) / 2
            case Raised():
                return n.in_hand - self._pieces + (0.0 if self._hand else n.no_hand)
            case Unfinished(move=move, go_on=go_on):
                in_air = go_on >= 0 or not move.taken
                return n.in_hand - self._begun + (n.no_hand if in_air and not self._hand else 0.0)
        return n.touched if self._visited else n.untouched

    def _is_other_piece(self, move: Move) -> bool:
        """Whether a move in place of the last ply is another piece's: then that was taken back first."""
        last = self.last
        return last is not None and last.origin not in {last.target, move.origin}

    def _weigh_landing(self, verdict: Verdict) -> float:
        """How likely pieces were put down so far off the middle of their cells as the last one lies."""
        if not isinstance(verdict, Played) or not self.sight.offset_cells:
            return 0.0
        off = max(
            self.sight.offset_cells[move.target] if self._is_adjacent_step(move) else 0.0 for move in verdict.moves
        )
        return weigh_offset(off)

    def _is_adjacent_step(self, move: Move) -> bool:
        """Whether a move is a step to the next cell of the same level: a pushed piece looks so."""
        board = self.game.board
        return move.target in board.steps[move.origin] and board.levels[move.target] == board.levels[move.origin]

    def _list_pushed_pieces(self) -> Iterator[Hypothesis]:
        """Pieces off the middle of the cells beside their own: nothing was played."""
        board, seen, offset_cells = self.game.board, self.seen, self.sight.offset_cells
        for cell in seen.changed:
            if not offset_cells or offset_cells[cell] < PUSHED_FROM or seen.base[cell]:
                continue
            look = seen.best[cell]
            for origin in board.steps[cell]:
                same_level = origin >= 0 and board.levels[origin] == board.levels[cell]
                if not same_level or seen.base[origin] != look:
                    continue
                left = min(max(0.0, seen.rows[origin][0]), PUSHED_LEFT)
                change = ((cell, look),) if left == 0.0 else tuple(sorted(((cell, look), (origin, 0))))
                yield Hypothesis(Still(), change, self._numbers.pushed - self._lawful + seen.rows[cell][look] + left)

    def _measure_unexplained(self, found: Sequence[Hypothesis]) -> float:
        best = max(found, key=lambda one: one.weight)
        return self.seen.max_gain() - self.seen.weigh_change(best.change)

    def _add_longer_lines(self, plies: Sequence[Candidate]) -> None:
        """Add lines of several plies, and captures that had begun after a ply."""
        explained = False
        for length in range(2, int(min(self._ply_limit(), self.sight.moving_s / PLY_S)) + 1):
            ends = list(plies)
            for left in range(length - 1, 0, -1):
                hopes = (
                    (self._rate_hope(one, left), one)
                    for one in ends
                    if self._count_unfilled_cells(one) <= left + CASTLING
                )
                ends = self._extend_one_ply([pair for pair in hopes if pair[0] > HOPELESS], length)
            longer = [Hypothesis(one.verdict, one.change, self.weigh_candidate(one)) for one in ends]
            self.found += nlargest(MOST_BEGINNINGS, longer, key=lambda one: one.weight)
            if explained or (self._measure_unexplained(self.found) <= UNEXPLAINED and not self.was_unseen):
                break
            explained = self._measure_unexplained(self.found) <= UNEXPLAINED  # a ply more may lead to the same board
        likely = (one for one in plies if self._count_unfilled_cells(one) <= 1 + CASTLING)
        for ply in nlargest(MOST_BEGUN, likely, key=self._rate_hope):
            self.found += self._list_begun_after(ply)

    def _ply_limit(self) -> int:
        """How many plies are looked for: while hands play the last is too dear."""
        return MOST_PLIES if self.sight.rested or self.was_unseen else MOST_PLIES - 1

    def _extend_one_ply(self, lines: Sequence[tuple[float, Candidate]], length: int) -> list[Candidate]:
        """The lines, each with its hope, one ply longer, the best first; what the others could reach is kept."""
        out: list[Candidate] = []
        prior = (self._numbers.ply - self._lawful) * length
        for number, (hope, line) in enumerate(sorted(lines, key=self._rate_promise, reverse=True)):
            if number < MOST_BEGINNINGS and len(out) < MOST_FOLLOWED:
                longer = list(self._list_longer_lines(line))
                self._bound.learn_change_sizes(line.change, (one.change for one in longer))
                out += longer
            elif prior + self.seen.max_gain() + hope > self.missed:
                self.missed = max(self.missed, prior + self._bound_line_weight(line, length))
        return out

    def _play_line(self, line: Candidate) -> Position:
        position = self.now
        for move in cast(Played, line.verdict).moves:
            position = self.game.play(position, move)
        return position

    def _bound_line_weight(self, line: Candidate, length: int) -> float:
        """What a line that is to have so many plies can weigh at most, but for its prior."""
        left = length - len(cast(Played, line.verdict).moves)
        return self._bound.estimate_best_weight(line.change, self._list_seats_to_play(line, left))

    def _list_seats_to_play(self, line: Candidate, plies: int) -> list[int]:
        """Whose turns the next `plies` after a line are: who has no piece left has none."""
        seats, first = len(self.game.seats), self._play_line(line).seat
        order = ((first + ahead) % seats for ahead in range(seats))
        playing = [seat for seat in order if seat == first or seat in self._playing]
        return [playing[ply % len(playing)] for ply in range(plies)]

    def _list_begun_after(self, ply: Candidate) -> Iterator[Hypothesis]:
        """After a ply the next piece is in a hand, or its capture is under way."""
        game, seen, verdict = self.game, self.seen, cast(Played, ply.verdict)
        prior = self.prior_of_verdict(verdict) + self._numbers.in_hand - max(self._begun, self._pieces)
        after = game.play(self.now, verdict.moves[0])
        lifted = (cell for cell in seen.changed if game.seat_of[after.placement[cell]] == after.seat)
        raised = (dict(ply.change) | {cell: 0} for cell in lifted)
        odd = self._find_odd_cells(ply)
        begun = [dict(one.change) for one in list_begun_replies(game, after, verdict, self.now.placement, odd)]
        for looks in (*raised, *begun):
            change = tuple((cell, look) for cell, look in sorted(looks.items()) if look != seen.base[cell])
            yield Hypothesis(verdict, change, prior + seen.weigh_change(change), done=False)

    def _list_all_answers(self, listed: Sequence[Candidate]) -> Iterator[Hypothesis]:
        """After the likeliest plies of which something is to be taken off."""
        left = (one for one in listed if isinstance(one.verdict, Unfinished) and one.verdict.go_on < 0)
        for one in nlargest(MOST_BEGUN, left, key=self.weigh_candidate):
            yield from self._list_answers(one, cast(Unfinished, one.verdict))

    def _list_answers(self, left: Candidate, begun: Unfinished) -> Iterator[Hypothesis]:
        """A ply was answered while some of what it captured was left standing."""
        game, seen = self.game, self.seen
        after, moves = (self.now, ()) if begun.replaces else (game.play(self.now, begun.move), (begun.move,))
        prior = self._numbers.in_hand - self._begun
        standing = {cell: dict(left.change).get(cell, seen.base[cell]) for cell in begun.remove}
        for one in list_replies(game, after, Played(moves), self.now.placement, self._find_odd_cells(left)):
            looks = dict(one.change) | standing
            change = tuple((cell, look) for cell, look in sorted(looks.items()) if look != seen.base[cell])
            yield Hypothesis(
                one.verdict, change, self.prior_of_verdict(one.verdict) + prior + seen.weigh_change(change), done=False
            )

    def _list_longer_lines(self, ply: Candidate) -> Iterator[Candidate]:
        """The lines one ply longer, by plies that change a cell which is not yet as it seems."""
        verdict, position = cast(Played, ply.verdict), self._play_line(ply)
        longer = list_replies(self.game, position, verdict, self.now.placement, self._find_odd_cells(ply))
        return (one for one in longer if not is_undone_step(cast(Played, one.verdict).moves))

    def _find_odd_cells(self, one: Candidate) -> set[int]:
        """Cells that seem otherwise than a candidate has them."""
        seen, said = self.seen, dict(one.change)
        return {cell for cell in {*seen.changed, *said} if said.get(cell, seen.base[cell]) != seen.best[cell]}

    def _count_unfilled_cells(self, one: Candidate) -> int:
        """Cells where a piece certainly stands that the candidate does not put there."""
        seen, said = self.seen, dict(one.change)
        return sum(
            bool(seen.best[cell])
            and said.get(cell, seen.base[cell]) != seen.best[cell]
            and seen.best_gain(cell) - seen.rows[cell][said.get(cell, seen.base[cell])] > CLEARLY
            for cell in {*seen.changed, *said}
        )

    def _rate_promise(self, line: tuple[float, Candidate]) -> float:
        """What a line is followed by: what speaks against it counts more than what does not speak for it yet."""
        hope, one = line
        return hope + self.seen.weigh_change(one.change) / 2

    def _rate_hope(self, one: Candidate, left: int = 0) -> float:
        """What speaks against a line: pieces that it moves away and that seem to stand there still.

        Each of the `left` plies that are to follow may put another piece there.
        """
        seen = self.seen
        left_cells = [cell for cell, look in one.change if not look]
        against = sorted((seen.rows[cell][0] - seen.best_gain(cell), seen.best[cell]) for cell in left_cells)
        to_play = self._list_seats_to_play(one, left)
        hope = 0.0
        for nats, look in against:
            filler = next((seat for seat in to_play if look and look in self._looks[seat]), None)
            if filler is None:
                hope += min(0.0, nats)
            else:
                to_play.remove(filler)
        return hope


def weigh_offset(offset_cells: float) -> float:
    """How likely a piece was put down so far off the middle of its cell, in nats."""
    return -0.5 * (offset_cells / PLACED_SD) ** 2


def _collect_ply_changes(listed: Sequence[Candidate]) -> set[LookChanges]:
    return {one.change for one in listed if _is_ply(one.verdict)}


def _is_ply(verdict: Verdict) -> bool:
    return isinstance(verdict, Played) and len(verdict.moves) == 1 and not verdict.replaces
