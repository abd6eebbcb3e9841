"""From weights to an opinion: say it, call it unlawful, ask, or wait, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from engine.belief.emission import FEW_INEXPLICABLE, Emission, inexplicable
from engine.belief.hypotheses import Explaining, Hypothesis
from engine.belief.memory import CLEARLY, Memory, on_the_way, remembered
from engine.belief.numbers import Numbers, numbers
from engine.belief.opinion import Opinion, written
from engine.belief.sight import InMotion, Sight
from engine.belief.unlawful import Displaced, displaced, fallen, likeliest_attempt, named, taken_off
from engine.belief.verdicts import Covered, Doubtful, Earlier, Played, Still, Unfinished, Verdict, Wrong
from engine.game import Game, Move, Position
from engine.reasons import Reason, per_cent

AT_ONCE_S, SOON_S, LATER_S, ACCUSE_S, UNSTEADY_S, TAKEBACK_S = 0.0, 0.25, 0.4, 0.1, 0.6, 1.0
"""How long a verdict must be the answer before it is acted on: a ply by its probability, an unlawful placement, one
while the picture shakes, and a takeback, which looks like a piece that is put back and taken up again. Hands pause for
up to 0.7 s in filmed games. Raising them says everything later; lowering them says what a hand does on its way."""
OPTIONS_ASKED, BEST = 4, 5
"""Explanations that are asked about, as many as the page has room for, and that an opinion remembers for traces.
Raising the first makes questions longer, lowering it leaves the truth out of more; the second makes traces longer."""
MOST_REMEMBERED = 40
"""Explanations, the likeliest, that must also say what was seen in between. Lowering it may drop the right one after a
hand that hid much; raising it only costs time. Estimated, not fitted."""
MISSED_NATS = 5.0
"""Lines that were not looked at do not matter if the best of them would be less likely by so much.
Raising it asks more often after long lines; lowering it risks a line that hides a likelier one. Estimated."""
MANY_CHANGED = 5
"""One unlawful move changes no more cells; what changes more are plies that went by unseen, or a blurred picture.
Raising it accuses from positions that are long gone; lowering it asks about captures of own men. From the rules: a man
that jumps three others unlawfully changes five."""
GONE_NATS = 5.0
"""A piece was lifted beside a hand when its cell is empty by so much, and no more than CLEAR_SHARE of it and the
cells around is odd. Lowering the first or raising the second tells of lifted pieces that a sleeve hides. Hands of the
reference recordings are above 0.45, floors under 0.2."""
CLEAR_SHARE = 0.2


def believe(
    game: Game,
    positions: Sequence[Position],
    moves: Sequence[Move],
    sight: Sight,
    memory: Memory,
    moving: InMotion,
) -> tuple[Opinion, Memory]:
    """What `sight` means after `moves` led through `positions`, and what to keep in mind.

    What was seen `moving` is asked for when several plies fit in more ways than one.
    """
    n = numbers()
    seen = Emission(game, positions[-1], sight, n, memory.standing)
    memory = memory.then(seen, sight.clear)
    explaining = Explaining(game, positions, moves, sight, seen, n)
    unknown = Hypothesis(Doubtful(()), (), seen.most() + n.unknown)
    found = [*explaining.found, *displaced(seen, explaining.found, n, memory, sight.offset_cells), unknown]
    weighed = _remembering(game, positions[-1], found, memory, n)
    opinion = _opinion(game, positions[-1], weighed, explaining, sight, n)
    if isinstance(opinion.verdict, Doubtful) and _leave_the_same(weighed):
        between = [Emission(game, positions[-1], one, n) for one in moving()]
        weighed = _remembering(game, positions[-1], found, memory.between(between), n)
        opinion = _opinion(game, positions[-1], weighed, explaining, sight, n)
    if opinion.settled and isinstance(opinion.verdict, Still) and not sight.hidden:
        memory = memory.understood(seen)
    return opinion, memory


def _remembering(game: Game, now: Position, found: list[Hypothesis], memory: Memory, n: Numbers) -> list[Hypothesis]:
    """The likeliest explanations, the best first, weighed by what was seen in between as well."""
    found.sort(key=lambda one: -one.weight)
    found = found[: 4 * MOST_REMEMBERED]
    if not memory.past:
        return found
    weighed = []
    for one in found[:MOST_REMEMBERED]:
        shown = on_the_way(game, now, _moves(one.verdict))
        for cell, look in one.change:
            shown.setdefault(cell, {0, game.look_of[now.placement[cell]]}).add(look)
        weighed.append(replace(one, weight=one.weight + remembered(memory, shown, n.passed)))
    return sorted(weighed, key=lambda one: -one.weight)


def _leave_the_same(found: Sequence[Hypothesis]) -> bool:
    """Whether the best two explanations are different plies that leave the same board."""
    one, other = found[0], found[min(1, len(found) - 1)]
    plies = isinstance(one.verdict, Played) and isinstance(other.verdict, Played)
    return plies and one.change == other.change and one.verdict != other.verdict


def _moves(verdict: Verdict) -> tuple[Move, ...]:
    match verdict:
        case Played(moves=moves, replaces=0):
            return moves
        case Unfinished(move=move):
            return (move,)
        case Displaced(after=after):
            return after
    return ()


def _opinion(
    game: Game, now: Position, found: Sequence[Hypothesis], explaining: Explaining, sight: Sight, n: Numbers
) -> Opinion:
    top = found[0].weight
    shares = [math.exp(one.weight - top) for one in found]
    total = sum(shares)
    chances: dict[Verdict, float] = {}
    begun: dict[tuple[Move, ...], float] = {}
    hidden = frozenset(sight.hidden)
    for one, share in zip(found, shares, strict=True):
        unseen = bool(one.change) and all(cell in hidden for cell, _ in one.change)  # as before, as far as it is seen
        said = Still() if unseen else Displaced(()) if isinstance(one.verdict, Displaced) else one.verdict
        if one.done or unseen:
            chances[said] = chances.get(said, 0.0) + share / total
        if isinstance(said, Played) and not said.replaces:
            for count in range(1, len(said.moves) + 1):
                begun[said.moves[:count]] = begun.get(said.moves[:count], 0.0) + share / total
    verdict, chance = max(chances.items(), key=lambda pair: pair[1], default=(Still(), 0.0))
    surely = max((line for line, share in begun.items() if share >= n.say), key=len, default=())
    if chance < n.say and surely:
        reason = Reason("sure", per_cent(begun[surely]), per_cent(n.say))
        best = tuple((share / total, one) for share, one in list(zip(shares, found, strict=True))[:BEST])
        return Opinion(Played(surely), begun[surely], reason, SOON_S, best=best)
    best = tuple((share / total, one) for share, one in list(zip(shares, found, strict=True))[:BEST])
    if isinstance(verdict, Displaced):
        verdict = likeliest_attempt(game, now, explaining.seen, found)
    opinion = _said(game, now, verdict, chance, best, explaining, sight, n, top)
    odd = () if sight.patient else inexplicable(sight)
    covered = tuple(sight.hidden) or (odd if len(odd) > FEW_INEXPLICABLE else ())
    if covered and sight.patient and isinstance(opinion.verdict, Wrong):  # nobody is accused of what is not seen
        return replace(opinion, verdict=Doubtful(_options(game, now, best)))
    if covered and not sight.patient and not isinstance(opinion.verdict, Played | Still | Unfinished):
        lifted = _lifted(game, now, explaining.seen, sight)
        reason = Reason("cells-not-seen", len(covered), 0)
        return Opinion(Covered(covered, lifted), chance, reason, best=best)
    return replace(opinion, settled=opinion.settled and len(odd) <= FEW_INEXPLICABLE)


def _said(
    game: Game,
    now: Position,
    verdict: Verdict,
    chance: float,
    best: tuple[tuple[float, Hypothesis], ...],
    explaining: Explaining,
    sight: Sight,
    n: Numbers,
    top: float,
) -> Opinion:
    """What the likeliest verdict is good for."""
    doubt = Doubtful(_options(game, now, best))
    if isinstance(verdict, Displaced):
        held = _not_yet(game, now, verdict, explaining, sight)
        if held is None and chance >= n.accuse:
            reason = Reason("unlawful", per_cent(chance), per_cent(n.accuse))
            after_s = UNSTEADY_S if sight.unsteady else ACCUSE_S
            return Opinion(named(game, now, explaining.seen, verdict), chance, reason, after_s, best=best)
        return Opinion(doubt, chance, held or Reason("not-sure", per_cent(chance), per_cent(n.accuse)), best=best)
    if isinstance(verdict, Still):
        if chance >= n.say:
            reason = Reason("as-before", per_cent(chance), per_cent(n.say))
            pushed = {cell for _, one in best if isinstance(one.verdict, Still) for cell, _ in one.change}
            clear = all(explaining.seen.top(c) < CLEARLY or c in pushed for c in explaining.seen.changed)
            return Opinion(verdict if clear else doubt, chance, reason, settled=clear, best=best)
        return Opinion(doubt, chance, Reason("not-sure", per_cent(chance), per_cent(n.say)), best=best)
    if isinstance(verdict, Doubtful):
        return Opinion(doubt, chance, Reason("not-explained", len(explaining.seen.changed)), best=best)
    sure = Reason("sure", per_cent(chance), per_cent(n.say))
    if chance < n.say:
        return Opinion(doubt, chance, Reason("not-sure", per_cent(chance), per_cent(n.say)), best=best)
    if isinstance(verdict, Played) and len(verdict.moves) > 1 and explaining.missed > top - MISSED_NATS:
        return Opinion(doubt, chance, Reason("too-many-lines"), best=best)
    if isinstance(verdict, Played) and verdict.replaces:  # what was said is not put right by half of what is seen
        said = {cell for _, one in best if one.verdict == verdict for cell, _ in one.change}
        if any(explaining.seen.top(cell) > CLEARLY and cell not in said for cell in explaining.seen.changed):
            return Opinion(doubt, chance, Reason("not-explained", len(explaining.seen.changed)), best=best)
    if isinstance(verdict, Earlier):
        return Opinion(verdict, chance, sure, TAKEBACK_S, settled=True, best=best)
    after_s = AT_ONCE_S if chance >= n.at_once else SOON_S if chance >= n.soon else LATER_S
    return Opinion(verdict, chance, sure, after_s, settled=True, best=best)


def _not_yet(game: Game, now: Position, one: Displaced, explaining: Explaining, sight: Sight) -> Reason | None:
    """Why a placement is not called unlawful although nothing lawful explains it; None if nothing speaks for it."""
    seen = explaining.seen
    if fallen(seen, one.cells):
        return Reason("piece-fell")
    if len(one.cells) > MANY_CHANGED:
        return Reason("not-explained", len(one.cells))
    if sight.patient:
        return None
    if not sight.rested and sight.hidden:
        return Reason("cells-not-seen", len(sight.hidden), 0)
    if taken_off(game, now, seen, one.cells):
        return Reason("capture-begun")
    if not any(seen.base[cell] for cell in one.cells):
        return Reason("none-left")
    return None


def _lifted(game: Game, now: Position, seen: Emission, sight: Sight) -> int:
    """The one piece of the side to move that has surely left its cell although a hand is over the board; -1 if none."""
    odd = sight.unexplained or (0.0,) * len(seen.rows)
    gone = [
        cell
        for cell in seen.changed
        if game.seat_of[now.placement[cell]] == now.seat
        and seen.rows[cell][0] > GONE_NATS
        and all(odd[c] < CLEAR_SHARE for c in (cell, *game.board.steps[cell]) if c >= 0)
    ]
    return gone[0] if len(gone) == 1 else -1


def _options(game: Game, now: Position, best: Sequence[tuple[float, Hypothesis]]) -> tuple[str, ...]:
    """What is worth asking about, the likeliest first."""
    out: list[str] = []
    for _, one in best:
        match one.verdict:
            case Played(moves=moves, replaces=0):
                text = written(game, now, moves)
            case Unfinished(move=move):
                text = game.write(now, move)
            case Still():
                text = "no move"
            case _:
                continue
        if text not in out:
            out.append(text)
    return tuple(out[:OPTIONS_ASKED])
