"""From weights to an opinion: say it, call it unlawful, ask, or wait, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from engine.as_read import infer_placement
from engine.belief.candidates import LookChanges, change_between
from engine.belief.emission import FEW_INEXPLICABLE, find_lifted_cell, list_inexplicable_cells
from engine.belief.hypotheses import MOST_PLIES, Hypothesis, LookHypotheses
from engine.belief.lines_of_play import SurelyGone, begins_with_moves, find_same_positions, walk_line
from engine.belief.memory import CLEARLY
from engine.belief.numbers import Numbers
from engine.belief.opinion import NO_MOVE, Opinion, format_moves
from engine.belief.ply_doubts import (
    CAPTURE_BEGUN,
    came_in_other_order,
    find_objection_to_correction,
    find_one_witness_plies,
    find_unseen_reason,
    has_left_cells,
    has_only_begun,
    has_unexplained_piece,
    is_disputed,
    is_fully_shown,
    is_landing_doubtful,
    leaves_odd_cell_empty,
    stands_between_cells,
)
from engine.belief.sight import Sight
from engine.belief.unlawful import (
    Displaced,
    find_likeliest_attempt,
    find_removed_side,
    has_fallen_piece,
    has_two_ply_explanation,
    have_several_moved,
    is_answer_to_hidden_ply,
    is_begun_capture,
    name_broken_rule,
)
from engine.belief.verdicts import (
    Covered,
    Doubtful,
    Earlier,
    Played,
    PutUpAgain,
    Still,
    Unfinished,
    Verdict,
    Wrong,
)
from engine.explain.reasons import Reason, per_cent
from engine.game import Game, Move, Position

AT_ONCE_S, SOON_S, ACCUSE_S, UNSTEADY_S, TAKEBACK_S = 0.0, 0.25, 0.1, 1.0, 1.0
"""How long a verdict must be the answer before it is acted on: a ply by its probability, an unlawful placement, one
that has come from nowhere or while much of the picture is not as before, which may be a hand, and a takeback, which
looks like a piece that is put back and taken up again. Hands pause for less than a second in filmed games. Raising them
says everything later: with 0.5 s instead of 0.1 an unlawful placement in thirty was missed, and none fewer was false,
in 130 films. Lowering them says what a hand does on its way."""
DISPUTED_S = 0.5
"""A ply must be the answer for so long where much of the picture is not as before, where one witness sees what is no
piece where the ply leads, or a hand is there: fingers hold a piece over another cell for a moment. Raising it says such
plies later, lowering it says what a hand does on its way: six wrong plies of four films of the hard strength were said
within 0.3 s."""
OPTIONS_ASKED, BEST = 5, 5
"""Explanations that are asked about, as many as the page has room for, and that an opinion remembers for traces.
Raising the first makes questions longer, lowering it leaves the truth out of more; the second makes traces longer."""
MISSED_NATS = 5.0
"""Lines that were not looked at do not matter if the best of them would be less likely by so much.
Raising it asks more often after long lines; lowering it risks a line that hides a likelier one. Estimated."""
MANY_CHANGED = 5
"""One unlawful move changes no more cells; what changes more are plies that went by unseen, or a blurred picture.
Raising it accuses from positions that are long gone; lowering it asks about captures of own men. From the rules: a man
that jumps three others unlawfully changes five."""
CONTRADICTS, FEW_CONTRADICT = 5.0, 1
"""Nats by which a cell clearly shows something else than plies leave there, and in how many cells it may where one ply
is said of a picture that was read by itself; of several plies none. Raising either says plies that half of the board
speaks against, lowering them asks. Guessed, and tried on 15 pieces of two photographed games."""
FEW_ODD = 3
"""Where less likely plies are asked about as well, because nothing likelier can be, they leave so many cells otherwise
than they clearly are at most. Raising it asks about plies that nobody played, lowering it asks without anything to
choose. Guessed."""


def choose_delay(chance: float, n: Numbers) -> float:
    """Seconds for which plies of such a probability must be the answer before they are said."""
    return AT_ONCE_S if chance >= n.at_once else SOON_S


KNOWN_PLACEMENT = 0.8
"""So probable what stands on the board must be for odd cells not to keep people from being asked how it came there.
Raising it is silent after plies that nobody saw, lowering it asks beside resting hands. Guessed, between a hand that
rests over two cells (0.5 and less) and four unseen plies in either order (0.88)."""


@dataclass(frozen=True)
class Case:
    """All that an opinion is formed of: the `positions` so far, the explanations `found`, the likeliest first, and what
    was seen."""

    game: Game
    positions: Sequence[Position]
    found: Sequence[Hypothesis]
    explaining: LookHypotheses
    sight: Sight
    n: Numbers

    def form_opinion(self) -> Opinion:
        """What to say of the look, and how long it must stand before it is acted on."""
        verdict, chance = max(self._verdict_chances.items(), key=lambda pair: pair[1], default=(Still(), 0.0))
        is_sure = chance >= self.n.say and not (isinstance(verdict, Played) and self._is_doubted_line(verdict))
        if not is_sure and (surely := self._find_sure_beginning()):
            share = self._line_chances[surely]
            return self._build_opinion(Played(surely), share, self._build_sure_reason(share), SOON_S)
        gone = self._find_same_positions() if chance < self.n.say else None
        if gone and not self._find_ply_doubt(gone.played, gone.share):
            return self._say_position(gone)
        if isinstance(verdict, Displaced):
            verdict = find_likeliest_attempt(self.game, self.now, self.explaining.seen, self.found)
        opinion = self._limit_to_visible(self._judge_verdict(verdict, chance), chance)
        seat = find_removed_side(self.game, self.now, self.explaining.seen)
        if seat < 0 or not isinstance(opinion.verdict, Doubtful | Wrong):
            return opinion
        return replace(opinion, verdict=replace(self._build_question(), options=(), corrections=(), given_up=seat))

    @property
    def now(self) -> Position:
        """The last lawful position."""
        return self.positions[-1]

    @cached_property
    def _hypothesis_shares(self) -> list[float]:
        """The probability of each explanation."""
        weights = [math.exp(one.weight - self.found[0].weight) for one in self.found]
        total = sum(weights)
        return [weight / total for weight in weights]

    @cached_property
    def _best_hypotheses(self) -> tuple[tuple[float, Hypothesis], ...]:
        return tuple(zip(self._hypothesis_shares[:BEST], self.found, strict=False))

    @cached_property
    def _hypothesis_verdicts(self) -> list[tuple[Verdict, bool]]:
        """What each explanation says of what is seen, and whether it is one that may be said."""
        hidden, out = frozenset(self.sight.hidden), list[tuple[Verdict, bool]]()
        for one in self.found:
            unseen = bool(one.change) and all(cell in hidden for cell, _ in one.change)  # as before, as far as seen
            kind = Displaced(()) if isinstance(one.verdict, Displaced) else one.verdict
            out.append((Still() if unseen else kind, one.done or unseen))
        return out

    @cached_property
    def _verdict_chances(self) -> Mapping[Verdict, float]:
        """The probability of each verdict that may be said."""
        out: dict[Verdict, float] = {}
        for (verdict, sayable), share in zip(self._hypothesis_verdicts, self._hypothesis_shares, strict=True):
            if sayable:
                out[verdict] = out.get(verdict, 0.0) + share
        return out

    @cached_property
    def _line_chances(self) -> Mapping[tuple[Move, ...], float]:
        """The probability that what was played begins with these plies."""
        out: dict[tuple[Move, ...], float] = {}
        for (verdict, _), share in zip(self._hypothesis_verdicts, self._hypothesis_shares, strict=True):
            if isinstance(verdict, Played) and not verdict.replaces:
                for count in range(1, len(verdict.moves) + 1):
                    line = verdict.moves[:count]
                    out[line] = out.get(line, 0.0) + share
        return out

    def _is_doubted_line(self, verdict: Played) -> bool:
        """Whether something speaks against several plies: one ply has no shorter beginning that could be sure."""
        return len(verdict.moves) > 1 and self._find_objection(verdict) is not None

    def _find_sure_beginning(self) -> tuple[Move, ...]:
        """The most plies with which all that is likely begins, and against which nothing speaks; () if there are none.

        What followed them is judged when they are said, from there: it may be one ply more, and no longer several.
        """
        sure = [line for line, share in self._line_chances.items() if share >= self.n.say]
        longest_first = sorted(sure, key=len, reverse=True)
        chances = self._line_chances
        return next((line for line in longest_first if not self._find_ply_doubt(Played(line), chances[line])), ())

    def _find_same_positions(self) -> SurelyGone | None:
        """The positions that the game surely went through, where several moves may have led there."""
        pairs = zip(self._hypothesis_verdicts, self._hypothesis_shares, strict=True)
        lines = (
            (verdict.moves, share, done)
            for (verdict, done), share in pairs
            if isinstance(verdict, Played) and not verdict.replaces
        )
        return find_same_positions(self.game, self.now, lines, self.n.say)

    def _say_position(self, gone: SurelyGone) -> Opinion:
        """Plies that are said though others lead to the same positions; when, is as with any ply."""
        reason = Reason("same-position", per_cent(gone.share), per_cent(self.n.say))
        if gone.whole < self.n.say:
            return self._build_opinion(gone.played, gone.share, reason, SOON_S)
        after_s = choose_delay(gone.whole, self.n)
        opinion = self._build_opinion(gone.played, gone.whole, reason, after_s, settled=True)
        return self._limit_to_visible(opinion, gone.whole)

    def _build_opinion(
        self, verdict: Verdict, chance: float, reason: Reason, after_s: float = 0.0, *, settled: bool = False
    ) -> Opinion:
        return Opinion(verdict, chance, reason, after_s, settled=settled, best=self._best_hypotheses)

    def _build_sure_reason(self, chance: float) -> Reason:
        return Reason("sure", per_cent(chance), per_cent(self.n.say))

    def _ask_question(self, chance: float, why: Reason | None = None) -> Opinion:
        """Doubtful, and why."""
        reason = why or Reason("not-sure", per_cent(chance), per_cent(self.n.say))
        return self._build_opinion(self._build_question(), chance, reason)

    def _doubt_plies(self, chance: float, against: Reason) -> Opinion:
        """Doubtful; but nobody is asked while a hand may go on, as it cannot once a recording is over."""
        if against == CAPTURE_BEGUN and self.sight.is_hand_near and not self.sight.assumed:
            return self._build_opinion(Covered(tuple(self.sight.hidden)), chance, against)
        return self._ask_question(chance, against)

    def _ask_about_line(self, chance: float, moves: tuple[Move, ...]) -> Opinion:
        """Doubtful, and these plies are what is asked about first."""
        doubt, first = self._build_question(), format_moves(self.game, self.now, moves)
        options = (first, *(option for option in doubt.options if option != first))[:OPTIONS_ASKED]
        return self._build_opinion(
            replace(doubt, options=options), chance, Reason("one-witness", len(self.sight.otherwise))
        )

    def _limit_to_visible(self, opinion: Opinion, chance: float) -> Opinion:
        """Where cells are covered: what may be said all the same."""
        every_odd = list_inexplicable_cells(self.sight)
        near = isinstance(opinion.verdict, Doubtful) and self._is_doubt_near_hand(every_odd)
        if near:  # nobody is asked beside a hand
            why = Reason("hand-over-board", len(every_odd), FEW_INEXPLICABLE)
            return self._build_opinion(Covered(every_odd), chance, why)
        odd = () if self.sight.patient else every_odd
        few = len(odd) <= FEW_INEXPLICABLE
        covered = tuple(self.sight.hidden) or (() if few else odd)
        if covered and self.sight.patient and isinstance(opinion.verdict, Wrong):  # of what is not seen
            return replace(opinion, verdict=self._build_question())
        said = Played | Still | Unfinished
        if self.sight.clear and not self.sight.hidden:  # no hand: floors under a whole other board may look odd
            said |= PutUpAgain
        if covered and not self.sight.patient and not isinstance(opinion.verdict, said):
            return self._build_opinion(
                Covered(covered, find_lifted_cell(self.game, self.now, self.explaining.seen, self.sight)),
                chance,
                Reason("cells-not-seen", len(covered), 0),
            )
        return replace(opinion, settled=opinion.settled and few)

    def _is_doubt_near_hand(self, odd: Sequence[int]) -> bool:
        """Whether more is odd than pieces and noise make, and all that is in doubt lies there or two cells around.

        So far a hand's own shadow reaches. A cup or a sleeve elsewhere on the board keeps nobody from being asked, and
        nothing does where only the order of several plies is: pieces that came unseen look odd until they are known.
        """
        if self.sight.patient and self._lacks_order_alone():
            return False
        steps, around = self.game.board.steps, set(odd)
        for _ in range(2):
            around |= {beside for cell in around for beside in steps[cell] if beside >= 0}
        doubted = {cell for _, one in self._best_hypotheses for cell, _ in one.change}
        return len(odd) > FEW_INEXPLICABLE and around.issuperset(doubted)

    def _lacks_order_alone(self) -> bool:
        """Whether several plies were played, it is known what stands there now, and not in which order it came."""
        best = self.found[0]
        pairs = zip(self.found, self._hypothesis_shares, strict=True)
        known = sum(share for one, share in pairs if one.done and one.change == best.change)
        several = isinstance(best.verdict, Played) and len(best.verdict.moves) > 1
        return several and known >= KNOWN_PLACEMENT

    def _judge_verdict(self, verdict: Verdict, chance: float) -> Opinion:
        """What the likeliest verdict is good for."""
        match verdict:
            case Displaced():
                return self._judge_displaced(verdict, chance)
            case Still():
                return self._judge_unchanged(verdict, chance)
            case Doubtful():
                return self._ask_question(chance, Reason("not-explained", len(self.explaining.seen.changed)))
        if chance < self.n.say:
            return self._ask_question(chance)
        if isinstance(verdict, Played) and (against := self._find_ply_doubt(verdict, chance)):
            return self._doubt_plies(chance, against)
        if isinstance(verdict, PutUpAgain) and not is_fully_shown(self.explaining.seen, self._find_change(verdict)):
            return self._ask_question(chance, Reason("not-explained", len(self.explaining.seen.changed)))
        if isinstance(verdict, Earlier) and self.explaining.likely_lines:  # a draw by going to and fro looks so too
            return self._ask_question(chance, Reason("too-many-lines"))
        if isinstance(verdict, Earlier | PutUpAgain):
            return self._build_opinion(verdict, chance, self._build_sure_reason(chance), TAKEBACK_S, settled=True)
        after_s = (
            self._choose_ply_delay(verdict, chance) if isinstance(verdict, Played) else choose_delay(chance, self.n)
        )
        return self._build_opinion(verdict, chance, self._build_sure_reason(chance), after_s, settled=True)

    def _find_ply_doubt(self, verdict: Played, chance: float) -> Reason | None:
        """What speaks against saying plies that are probable enough."""
        if not verdict.replaces:
            unsure = chance < self.n.at_once
            if self._shows_piece_elsewhere(verdict, unsure=unsure):
                return Reason("not-explained", len(self.explaining.seen.changed))
            pairs = zip(self._hypothesis_verdicts, self._hypothesis_shares, strict=True)
            plies = ((said, share) for (said, _), share in pairs)
            if unsure and stands_between_cells(self.sight, verdict.moves[-1], plies):
                return Reason("not-sure", per_cent(chance), per_cent(self.n.at_once))
        return self._find_objection(verdict)

    def _shows_piece_elsewhere(self, verdict: Played, *, unsure: bool) -> bool:
        """Whether a cell shows a piece where these plies bring none, or shows theirs as plainly as their own."""
        changes = [one.change for one in self.found if begins_with_moves(one.verdict, verdict.moves)]
        seen, last, said = self.explaining.seen, verdict.moves[-1], self._find_change(verdict)
        if has_unexplained_piece(self.game, seen, verdict.moves, changes):
            return True
        lines = self._weigh_lines_by_sight()
        least = max((weight for weight, _, _ in lines), default=0.0) - MISSED_NATS
        if leaves_odd_cell_empty(seen, said, (change for weight, change, _ in lines if weight > least)):
            return True
        return is_landing_doubtful(self.game, seen, last, said, unsure=unsure)

    def _weigh_lines_by_sight(self) -> list[tuple[float, LookChanges, tuple[Move, ...]]]:
        """How likely each line of plies makes what is seen, however many plies it has; with its change."""
        lines = ((one, one.verdict) for one in self.found if one.done)
        return [
            (
                one.weight - self.explaining.prior_of_ply * len(said.moves),
                one.change,
                () if said.replaces else said.moves,
            )
            for one, said in lines
            if isinstance(said, Played)
        ]

    def _find_change(self, verdict: Verdict) -> Mapping[int, int]:
        """The looks of the cells that are otherwise if that is what happened."""
        return next((dict(one.change) for one in self.found if one.verdict == verdict), {})

    def _choose_ply_delay(self, verdict: Played, chance: float) -> float:
        """Seconds for which plies must be the answer: longer while a hand may hold the piece, or an arm hides where it
        came from; that no other piece could go there lawfully does not say that none did."""
        hidden, disputed = self.sight.hidden, is_disputed(self.sight, self._find_change(verdict))
        if self.sight.unsteady or disputed or verdict.moves[-1].target in hidden:
            return DISPUTED_S
        unseen = any(move.origin in hidden for move in verdict.moves)
        return max(SOON_S if unseen else AT_ONCE_S, choose_delay(chance, self.n))

    def _judge_displaced(self, verdict: Displaced, chance: float) -> Opinion:
        """An unlawful placement is called so when it is sure and nothing speaks for it."""
        if before := find_one_witness_plies(self.game, self.now, self.explaining, self.sight, verdict.cells):
            return self._ask_about_line(chance, before)
        held = self._find_doubt_reason(verdict)
        if held is not None or chance < self.n.accuse:
            return self._ask_question(chance, held or Reason("not-sure", per_cent(chance), per_cent(self.n.accuse)))
        wrong = name_broken_rule(self.game, self.now, self.explaining.seen, verdict)
        reason = Reason("unlawful", per_cent(chance), per_cent(self.n.accuse))
        from_nowhere = not any(self.explaining.seen.base[cell] for cell in verdict.cells)  # or its cell is misread yet
        after_s = UNSTEADY_S if self.sight.unsteady or from_nowhere else ACCUSE_S
        return self._build_opinion(wrong, chance, reason, after_s)

    def _judge_unchanged(self, verdict: Still, chance: float) -> Opinion:
        """All stands as before when that is sure and no cell clearly shows otherwise."""
        if chance < self.n.say:
            return self._ask_question(chance)
        if played := find_one_witness_plies(self.game, self.now, self.explaining, self.sight):
            return self._ask_about_line(chance, played)
        seen = self.explaining.seen
        pushed = {cell for _, one in self._best_hypotheses if isinstance(one.verdict, Still) for cell, _ in one.change}
        odd = sum(seen.best_gain(cell) >= CLEARLY and cell not in pushed for cell in seen.changed)
        if odd:
            return self._ask_question(chance, Reason("not-set-up", odd))
        reason = Reason("as-before", per_cent(chance), per_cent(self.n.say))
        return self._build_opinion(verdict, chance, reason, settled=True)

    def _find_objection(self, verdict: Played) -> Reason | None:
        """What speaks against plies that are sure by the numbers."""
        several = len(verdict.moves) > 1
        if has_only_begun(self.explaining, self.positions[-1 - verdict.replaces], verdict):
            return CAPTURE_BEGUN
        if not verdict.replaces and (unseen := find_unseen_reason(self.explaining, verdict.moves)):
            return unseen
        if self._may_miss_lines(verdict) or self._has_rival_lines(verdict):
            return Reason("too-many-lines")
        if (self.sight.afresh or several) and self._count_contradictions(verdict) > (0 if several else FEW_CONTRADICT):
            return Reason("not-explained", len(self.explaining.seen.changed))
        return find_objection_to_correction(self.explaining, self.found, verdict) if verdict.replaces else None

    def _may_miss_lines(self, verdict: Played) -> bool:
        """Whether plies came in another order, or, where several may have been played, lines not looked at may
        be as likely: what was played first may then be another ply than the one that all others begin with."""
        many = len(verdict.moves) > 1 or self.explaining.was_unseen
        return (many and self._has_missed_lines()) or came_in_other_order(self.explaining, verdict.moves)

    def _has_missed_lines(self) -> bool:
        """Whether lines that were not looked at may be as likely as the best explanation."""
        return self.explaining.missed > self.found[0].weight - MISSED_NATS

    def _has_rival_lines(self, verdict: Played) -> bool:
        """Whether plies that begin otherwise lead to the same board as a long line, or as one of several plies after a
        long time, and only their number speaks against them: that says nothing then, and two steps of a piece look
        like one. Of a line that says nothing its first ply is no surer."""
        lines, moves = self._weigh_lines_by_sight(), verdict.moves
        mine = next((line for line in lines if line[2][: len(moves)] == moves), None)
        if mine is None or len(mine[2]) < (2 if self.explaining.was_unseen else MOST_PLIES):
            return False
        least, way = mine[0] - MISSED_NATS, walk_line(self.game, self.now, moves)
        likely = [said for weight, change, said in lines if change == mine[1] and weight > least]
        return not all(walk_line(self.game, self.now, said[: len(way)]) == way for said in likely)

    def _count_contradictions(self, verdict: Played) -> int:
        """How many cells clearly show something else than these plies leave there, and what may have begun since."""
        changes = [one.change for one in self.found if begins_with_moves(one.verdict, verdict.moves)]
        return min(map(self._count_cells_against, changes), default=self._count_cells_against(()))

    def _count_cells_against(self, change: LookChanges) -> int:
        return len(self.explaining.seen.find_cells_against(change, CONTRADICTS))

    def _find_doubt_reason(self, one: Displaced) -> Reason | None:
        """Why a placement is not called unlawful although nothing lawful explains it; None if nothing speaks for it."""
        seen, sight = self.explaining.seen, self.sight
        if has_fallen_piece(seen, one.cells):
            return Reason("piece-fell")
        if len(one.cells) > MANY_CHANGED:
            return Reason("not-explained", len(one.cells))
        may_be_lawful = self.explaining.was_unseen and self._has_missed_lines()
        if may_be_lawful or has_two_ply_explanation(self.game, self.now, seen, one):
            return Reason("too-many-lines")
        if have_several_moved(self.game, self.now, self.explaining.last, seen, one):
            return Reason("not-explained", len(one.cells))
        if is_answer_to_hidden_ply(self.game, self.now, seen, one.cells):
            return Reason("too-many-lines")
        if not sight.may_accuse:
            return Reason("not-explained", len(one.cells))
        if sight.patient:
            return None
        if not sight.rested and sight.hidden:
            return Reason("cells-not-seen", len(sight.hidden), 0)
        if is_begun_capture(self.game, self.now, seen, one.cells):
            return CAPTURE_BEGUN
        if not any(seen.base[cell] for cell in one.cells):
            return Reason("none-left")
        return None

    def _build_question(self) -> Doubtful:
        """The question that a look leaves: what may have been played, and what is seen whatever was."""
        read = infer_placement(self.game, self.now.placement, self.explaining.seen.best)
        differs = tuple(cell for cell, piece in enumerate(read) if piece != self.now.placement[cell])
        options, corrections = self._list_answers()
        return Doubtful(options, read, differs, corrections=corrections)

    def _list_answers(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What is worth asking about, the likeliest first: what may have been played since, and instead of the last
        ply."""
        game, now, seen = self.game, self.now, self.explaining.seen
        options, corrections = list[str](), list[str]()
        best = [one for _, one in self._best_hypotheses]
        likely = (one for one in self.found[len(best) :] if begins_with_moves(one.verdict, ()) and one.done)
        for one in chain(best, (one for one in likely if self._count_cells_against(one.change) <= FEW_ODD)):
            if len(options) + len(corrections) == OPTIONS_ASKED:
                break
            out = options
            match one.verdict:
                case Played(moves=moves, replaces=0) if has_left_cells(seen, one.change, moves):
                    text = format_moves(game, now, moves)
                case Unfinished(move=move, replaces=0) if self._may_be_done(move):
                    text = game.write(now, move)
                case Still():
                    text = NO_MOVE
                case Played(moves=(move, *_), replaces=1) | Unfinished(move=move, replaces=1) if self._may_correct(
                    one, move
                ):
                    text, out = game.write(self.positions[-2], move), corrections
                case _:
                    continue
            if text not in out:
                out.append(text)
        return tuple(options), tuple(corrections)

    def _may_be_done(self, move: Move) -> bool:
        """Whether the board may show a move of which something is still to be done: its piece has left its cell, and
        little else has changed than where it went and what it took. Whoever chooses it says that it was played."""
        after = self.game.play(self.now, move).placement
        change = change_between(self.game, self.now.placement, after)
        against = self.explaining.seen.find_cells_against(change, CONTRADICTS)
        return move.origin not in against and len(against.difference(move.path, move.taken)) <= FEW_ODD

    def _may_correct(self, one: Hypothesis, move: Move) -> bool:
        """Whether a move may have been the last ply instead: another one, and nothing clearly speaks against it."""
        return self.game.play(self.positions[-2], move) != self.now and not self._count_cells_against(one.change)
