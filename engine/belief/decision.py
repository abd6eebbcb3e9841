"""What is believed after a look: every explanation with its weight, and the opinion that follows from them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from engine.belief.answer import ACCUSE_S, Case
from engine.belief.candidates import LookChanges, change_between
from engine.belief.emission import Emission, is_hand_over_board
from engine.belief.hypotheses import Hypothesis, LookHypotheses
from engine.belief.lines_of_play import WITHIN_NATS, FollowedLines, LineOfPlay, extend_lines, keep_likeliest_lines
from engine.belief.memory import Memory, Refused, count_acts_against, find_possible_looks, weigh_memory
from engine.belief.numbers import Numbers, load_default_numbers
from engine.belief.opinion import Opinion
from engine.belief.sight import InMotion, Sight
from engine.belief.unlawful import Displaced, list_illegal_placements
from engine.belief.verdicts import Doubtful, Earlier, Played, PutUpAgain, Still, Unfinished, Verdict, Wrong
from engine.game import Game, Move, Position

MOST_REMEMBERED = 40
"""Explanations, the likeliest, that must also say what was seen in between. Lowering it may drop the right one after a
hand that hid much; raising it only costs time. Estimated, not fitted."""


def update_belief(
    game: Game,
    positions: Sequence[Position],
    moves: Sequence[Move],
    sight: Sight,
    memory: Memory,
    moving: InMotion,
    *,
    just_said: bool = False,
    was_shown: bool = True,
    is_over: bool = False,
    begun_from: Position | None = None,
) -> tuple[Opinion, Memory]:
    """What `sight` means after `moves` led through `positions`, and what to keep in mind.

    What was seen `moving` is asked for when plies fit in more ways than one. `just_said`: the last move was
    said a moment ago, and may have been another one; `was_shown`: the board has shown where it led, and nobody who did
    not see the board has said it; `is_over`: the game has its result, and no ply follows;
    `begun_from`: what stood when the game began, if some of its pieces left before the first ply.
    """
    n = load_default_numbers()
    seen = Emission(game, positions[-1], sight, n, memory.standing, memory.last, memory.unrested)
    hand = is_hand_over_board(sight)
    memory = memory.add_look(seen, sight.t, clear=sight.clear, hand=hand)
    explaining = LookHypotheses(
        game, positions, moves, sight, seen, n, memory, just_said=just_said, was_shown=was_shown
    )
    found = _collect_hypotheses(explaining, positions, memory, begun_from or positions[0])
    found = _drop_plies(found, is_over=is_over, cleared=memory.cleared)
    weighed = _weigh_by_memory(game, positions[-1], found, memory, n)
    opinion = Case(game, positions, weighed, explaining, sight, n).form_opinion()
    if _leaves_question(opinion.verdict) and (opinion.reason.rule == "unshown" or _has_rival_plies(weighed)):
        explaining.moving = [Emission(game, positions[-1], one, n) for one in moving()]
        weighed = _weigh_by_memory(game, positions[-1], found, memory.add_moving_looks(explaining.moving), n)
        opinion = Case(game, positions, weighed, explaining, sight, n).form_opinion()
    opinion = _keep_refusal(opinion, game, positions[-1], seen, memory, weighed[0].verdict)
    lines = FollowedLines(explaining.lines_before, _collect_lines(found), explaining.seen_lines)
    memory = replace(memory, lines=lines)
    if isinstance(opinion.verdict, Wrong) and sight.rested and sight.clear:
        looks = tuple((cell, seen.best[cell]) for cell in opinion.verdict.cells)
        memory = replace(memory, refused=Refused(opinion.verdict, looks))
    if opinion.settled and isinstance(opinion.verdict, Still) and not sight.hidden:
        memory = memory.mark_understood(seen, hand=hand, rested=sight.rested)
    return opinion, memory


SEEN_NO_MORE = 1
"""So many plies more than they leave changed cells may be believed in the place of an unlawful placement: a piece goes
to where it is taken, and its captor stands there. Pieces that come back to where they were leave nothing to see, and
lines of them explain anything: a man that was taken off was said as four plies. Raising it says such lines, lowering it
calls captures unlawful whose victim came unseen."""

MISLEADING = 9.0
"""Nats that earlier pictures count at most against all that begins anew from what was last understood: an arm that lay
still over a piece was read as an empty cell, and a capture that the bare board shows plainly was never said. With more
than what nobody thought of weighs (priors.toml), nothing that the board shows could be believed any more. Raising it
believes earlier pictures against a board that says otherwise, lowering it forgets in which order plies came. Guessed,
and seen to lose nothing on 26 films of another renderer, 5 of quick play, 24 blind scenes and 41 photographed plies."""


def _keep_refusal(
    opinion: Opinion, game: Game, now: Position, seen: Emission, memory: Memory, likeliest: Verdict
) -> Opinion:
    """A refusal stands as long as what was refused does, whatever was done on the board since; but where what is
    likeliest by now is lawful and leads through all that stood there, the opinion."""
    refused, moves = memory.refused, _list_verdict_moves(likeliest)
    if refused is None or not isinstance(opinion.verdict, Doubtful | Played) or not refused.still_stands(seen):
        return opinion
    lawful = not isinstance(likeliest, Displaced | Doubtful)
    if lawful and not count_acts_against(game, now, moves, memory.acts[:-1]):
        return opinion
    return replace(opinion, verdict=refused.verdict, after_s=ACCUSE_S, settled=False)


def _collect_hypotheses(
    explaining: LookHypotheses, positions: Sequence[Position], memory: Memory, begun_from: Position
) -> list[Hypothesis]:
    """All that may have happened: what `explaining` found, the lines of the looks before and what followed them, the
    pieces put up again, what is unlawful, and what nobody thought of."""
    seen, sight, n = explaining.seen, explaining.sight, load_default_numbers()
    before = explaining.lines_before
    lawful_changes = {one.change for one in explaining.found if _leads_there_plainly(one)}
    past = 0.0
    if sight.afresh or len(before) > 1:
        past = _follow_lines(explaining, seen, before, by_two=sight.clear)
    lawful = [one for one in explaining.found if one.verdict != Earlier(len(positions) - 1)]
    single_plies = {one.change for one in lawful if _is_single_ply(one.verdict)}
    unlawful = list_illegal_placements(seen, explaining.found, lawful_changes, n, memory, sight.offset_cells, past)
    unknown = Hypothesis(Doubtful(()), (), seen.max_gain() + n.unknown)
    restarts = _list_restarts(explaining.game, positions[-1], begun_from, seen, n, single_plies, cleared=memory.cleared)
    return [*lawful, *restarts, *unlawful, unknown]


def _drop_plies(found: list[Hypothesis], *, is_over: bool, cleared: bool) -> list[Hypothesis]:
    """Without plies where the game `is_over`, and where the board was `cleared` without what goes on from it either."""
    no_more = Played | Unfinished | Earlier if cleared else Played if is_over else ()
    return [one for one in found if not isinstance(one.verdict, no_more)]


def _leads_there_plainly(one: Hypothesis) -> bool:
    """Whether something lawful was done of which enough is seen to rule out that it is unlawful."""
    if isinstance(one.verdict, Still):
        return False
    return not isinstance(one.verdict, Played) or len(one.verdict.moves) <= len(one.change) + SEEN_NO_MORE


def _follow_lines(explaining: LookHypotheses, seen: Emission, lines: Sequence[LineOfPlay], *, by_two: bool) -> float:
    """Add the `lines` of the looks before, and what may have followed them, to what is found.

    Returns what the looks before say of nothing having been played, in nats.

    Looks come ten times a second while hands are over the board, and two plies between two of them are none.
    """
    past = max([-MISLEADING, *(line.weight for line in lines if not line.moves)])
    longer = {
        one.verdict: (one, weight)
        for one, weight in extend_lines(
            explaining.game, explaining.now, seen, lines, explaining.weigh_candidate, by_two=by_two
        )
    }
    found = []
    explaining.missed += past
    for one in explaining.found:
        weight = one.weight + past
        if one.done and one.verdict in longer:
            weight = max(weight, longer.pop(one.verdict)[1])
        found.append(replace(one, weight=weight))
    explaining.found[:] = [*found, *(Hypothesis(one.verdict, one.change, weight) for one, weight in longer.values())]
    return past


def _collect_lines(found: Sequence[Hypothesis]) -> tuple[LineOfPlay, ...]:
    """What may have been played by a look, for the next one to go on from; what is in a hand, unlawful or
    taken back is no ply."""
    weights: dict[tuple[Move, ...], float] = {}
    least = max(one.weight for one in found) - WITHIN_NATS
    for one in found:
        if one.weight < least or bool(getattr(one.verdict, "replaces", 0)):
            continue
        moves = () if isinstance(one.verdict, Unfinished) else _list_verdict_moves(one.verdict)
        weights[moves] = max(one.weight, weights.get(moves, one.weight))
    return keep_likeliest_lines(list(weights.items()))


def _list_restarts(
    game: Game,
    now: Position,
    begun_from: Position,
    seen: Emission,
    n: Numbers,
    single_plies: Collection[LookChanges],
    *,
    cleared: bool,
) -> Iterator[Hypothesis]:
    """All pieces stand where the game began: whether plies were taken back one by one or not, no ply is left of it.

    Where one of `single_plies` leads there it was played: pieces are put up again by moving more than one. Once the
    board was `cleared` they were, however few plies it is to the start.
    """
    change = change_between(game, now.placement, begun_from.placement)
    if change and (cleared or change not in single_plies):
        yield Hypothesis(PutUpAgain(cleared), change, 1.5 * n.back + seen.weigh_change(change))


def _is_single_ply(verdict: Verdict) -> bool:
    return isinstance(verdict, Played) and len(verdict.moves) == 1 and not verdict.replaces


def _weigh_by_memory(
    game: Game, now: Position, found: list[Hypothesis], memory: Memory, n: Numbers
) -> list[Hypothesis]:
    """The likeliest explanations, the best first, weighed by what was seen in between as well."""
    found.sort(key=lambda one: -one.weight)
    found = found[: 4 * MOST_REMEMBERED]
    if not memory.past:
        return found
    weighed = []
    for one in found[:MOST_REMEMBERED]:
        shown = find_possible_looks(game, now, _list_verdict_moves(one.verdict))
        for cell, look in one.change:
            shown.setdefault(cell, {0, game.look_of[now.placement[cell]]}).add(look)
        weighed.append(replace(one, weight=one.weight + weigh_memory(memory, shown, n.passed)))
    return sorted(weighed, key=lambda one: -one.weight)


def _leaves_question(verdict: Verdict) -> bool:
    """Whether it is not known what was played."""
    return isinstance(verdict, Doubtful) or (isinstance(verdict, Played) and bool(verdict.others))


def _has_rival_plies(found: Sequence[Hypothesis]) -> bool:
    """Whether the best two explanations are different plies that leave the same board."""
    one, other = found[0], found[min(1, len(found) - 1)]
    plies = isinstance(one.verdict, Played) and isinstance(other.verdict, Played)
    return plies and one.change == other.change and one.verdict != other.verdict


def _list_verdict_moves(verdict: Verdict) -> tuple[Move, ...]:
    match verdict:
        case Played(moves=moves, replaces=0):
            return moves
        case Unfinished(move=move, replaces=0):
            return (move,)
        case Displaced(after=after):
            return after
    return ()
