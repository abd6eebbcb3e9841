"""From scores to a verdict: which explanation of the board fits best, how well, and is it alone?

The cost of an explanation is how much worse its looks score than the best look of every cell. An explanation is
taken when its cost is small and every other one costs clearly more. When nothing lawful is cheap although each cell
is read with certainty, the board shows something unlawful. In between the camera is given time, then people are asked.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import cast

from engine.candidates import Candidate, candidates
from engine.game import Game, Move, Position
from engine.hindsight import Glimpsed, nothing_glimpsed, ply_shown
from engine.losses import ASKEW, CERTAIN_CELL, FITS, MISSED, NOWHERE, RARE, SURELY_MISSED, UNLAWFUL, VAGUE, Losses
from engine.reasons import Reason, per_cent
from engine.series import Priced, begun_after, longer, most_plies, priced
from engine.sight import Sight
from engine.unlawful import wrong_play
from engine.verdicts import Covered, Doubtful, Played, Raised, Still, Unfinished, Verdict, Wrong

SURE_FIT, SURE_GAP = 3.0, 3.5
"""An explanation this good, with the next one this much dearer, is sure."""
PLAIN_GAP = 9.0
"""A ply so much cheaper than anything else is believed at the first look. A sleeve that rested for a quarter of a
second in a game drawn at 30 frames a second hid one piece and looked like another: as a step it had a gap of 7.5."""
GAP = 2.5
"""With less than this between the two best there is no verdict."""
MANY_CHANGED = 6
"""More cells than this are not called unlawful at once: a blurred picture looks so, and one wrong move does not."""
PLY_GAP = 2.0
"""Several plies at once must stand out by this much more for each: there are a hundred times as many of them."""
FREE_COST = 9.0
"""Cost at which any explanation at all is as good as a lawful one; only scales the confidence."""
HOPELESS = 100.0
"""Nobody is more than so sure that nothing fits; a board in sudden darkness costs many hundreds."""
STRANGE = 0.45
"""Share of a cell's base that nothing explains, from which it counts as covered: pieces in any pose of the
reference recordings stay under 0.44, hands are above 0.6 in most cells that they cover."""
HIDDEN = 0.6
"""A cell that a piece seems to have come to is believed at once while less of it is strange: a piece in a pose never
seen there reached 0.54 in drawn games, and hands are above this. In 170 drawn games five pieces were above it too, with
nothing that reached over the board: then a plain ply is believed all the same."""
BARE, GONE = 0.2, 8.0
"""A piece was lifted beside a hand when so little of its cell and those around is strange, and it is read as empty by
this margin."""
FEW_STRANGE = 2
"""So many strange cells are a shadow on a printed castle or a fallen piece, not a hand: they are left out. A hand
that reaches a piece covers eight cells and more in the reference recordings."""
SHADOWS = 5
"""Up to so many are none either where it is known that nothing reaches over the board: with five men of a capture their
shadows once went from three cells that had never been seen without. In 60 drawn games 44 looks had three to seven
strange cells; none was at a hand."""
OPTIONS = 4
BEST = 5
"""Explanations that an opinion remembers, for traces."""


class Clarity(IntEnum):
    """How clearly one explanation is the right one: it merely fits, it is sure, or nothing else comes near."""

    FITS = 1
    SURE = 2
    PLAIN = 3


@dataclass(frozen=True, slots=True)
class Opinion:
    """A verdict with the confidence in it, how clear it is, and what decided it."""

    verdict: Verdict
    confidence: float
    clarity: Clarity = Clarity.FITS
    reason: Reason = field(kw_only=True)
    odd: frozenset[int] | None = None
    """Where nothing else seems to have happened: the cells whose piece seems a little gone all the same, or is strange,
    and may be in the air."""
    best: tuple[tuple[float, Candidate], ...] = ()
    """The explanations that cost least, with their costs; empty where something hid too much to ask."""


def explain(
    game: Game,
    positions: Sequence[Position],
    moves: Sequence[Move],
    sight: Sight,
    glimpses: Glimpsed = nothing_glimpsed,
) -> Opinion:
    """What `sight` means after `moves` led through `positions`; `glimpses` are asked for when it leaves open what.

    Nobody is accused or asked while hands hide what would tell.
    """
    opinion = _explained(game, positions, moves, sight, glimpses)
    if sight.hidden and isinstance(opinion.verdict, Wrong | Doubtful):
        reason = Reason("cells-not-seen", len(sight.hidden), 0)
        return replace(opinion, verdict=Covered(tuple(sight.hidden)), reason=reason)
    return opinion


def _explained(
    game: Game,
    positions: Sequence[Position],
    moves: Sequence[Move],
    sight: Sight,
    glimpses: Glimpsed,
) -> Opinion:
    """The same, whatever is hidden."""
    now = positions[-1]
    covered = [c for c, share in enumerate(sight.strange) if share > STRANGE]
    shadows = SHADOWS if sight.alone else FEW_STRANGE
    if len(covered) > shadows and not sight.patient:
        reason = Reason("hand-over-board", len(covered), shadows)
        return Opinion(Covered(tuple(covered), _lifted(game, now, sight)), 1.0, reason=reason)
    # An empty cell under a shadow or a stray thing says nothing; a piece that is gone from under one still counts.
    odd = {c for c in covered if now.placement[c] == 0}
    losses, found, complete = _all_priced(game, positions, moves, sight, odd)
    filled = {cell for cell, look in found[0][1].change if look} & set(covered)
    if found[0][0] > FITS or _in_the_air(found[0][1].verdict):  # a piece may stand where something odd was left out
        filled |= {c for c in odd if max(sight.scores[c][1:]) - sight.scores[c][0] > UNLAWFUL}
    # A cell that was left may show floor never seen before; one that was filled must show a piece.
    hidden = max((sight.strange[c] for c in filled), default=0.0) if not sight.rested else 0.0
    too_hidden = Reason("covered-piece", per_cent(hidden), per_cent(HIDDEN))
    if hidden > HIDDEN and not sight.alone:
        return Opinion(Covered(tuple(covered)), 1.0, reason=too_hidden)
    if filled:  # no hand, or it has stood so for longer than hands pause: a piece that looks odd there
        losses, found, complete = _all_priced(game, positions, moves, sight, odd - filled)
    opinion = _judged(game, now, losses, found, complete, sight, glimpses)
    if hidden > HIDDEN and not (isinstance(opinion.verdict, Played) and opinion.clarity is Clarity.PLAIN):
        return Opinion(Covered(tuple(covered)), 1.0, reason=too_hidden)
    asking = isinstance(opinion.verdict, Wrong | Doubtful) and not sight.patient
    nowhere = losses.from_nowhere(found[0][1]) if asking and not _in_the_air(found[0][1].verdict) else set()
    if nowhere:  # a shadow that looks like a piece, unless it stays there
        reason = Reason("from-nowhere", max(losses.kept[c] for c in nowhere), NOWHERE)
        odd = (odd - filled) | nowhere
        losses, found, complete = _all_priced(game, positions, moves, sight, odd)
        other = _judged(game, now, losses, found, complete, sight, glimpses)
        played = isinstance(other.verdict, Played) and other.clarity is Clarity.PLAIN and sight.rested
        if not played and not isinstance(other.verdict, Unfinished):
            return _asked(game, now, found, opinion, reason)
        filled, opinion = set(), other
    vague = {c for c in covered if now.placement[c] and losses.vague(c)}
    if isinstance(opinion.verdict, Still) and opinion.odd is not None:
        return replace(opinion, odd=opinion.odd | vague)
    vague -= set(sight.odd)
    told = isinstance(opinion.verdict, Played) and vague <= dict(found[0][1].change).keys()
    if told or not vague or not isinstance(opinion.verdict, Played | Wrong | Doubtful):
        return opinion
    # Does a move say all, if these pieces have gone?
    reason = Reason("may-have-gone", min(losses.seen_by(c) for c in vague), VAGUE)
    losses, found, complete = _all_priced(game, positions, moves, _without(sight, now, game, vague), odd - filled)
    opinion = _judged(game, now, losses, found, complete, sight, glimpses)
    if isinstance(opinion.verdict, Played) and vague <= dict(found[0][1].change).keys():
        return opinion
    return _asked(game, now, found, opinion, reason)


def _asked(game: Game, now: Position, found: Priced, instead_of: Opinion, reason: Reason) -> Opinion:
    """Doubt about what was `found`, in place of another opinion."""
    return Opinion(Doubtful(_options(game, now, found)), instead_of.confidence, best=tuple(found[:BEST]), reason=reason)


def _in_the_air(verdict: Verdict) -> bool:
    """Whether a piece has left its cell, or may have, and stands nowhere yet."""
    return isinstance(verdict, Raised) or (isinstance(verdict, Unfinished) and verdict.go_on >= 0)


def _without(sight: Sight, now: Position, game: Game, vague: Collection[int]) -> Sight:
    """The same look, on which the cells `vague` may as well be empty."""
    rows = list(sight.scores)
    for cell in vague:
        look = game.look_of[now.placement[cell]]
        rows[cell] = [rows[cell][look], *rows[cell][1:]]
    return replace(sight, scores=rows)


def _judged(
    game: Game, now: Position, losses: Losses, found: Priced, complete: bool, sight: Sight, glimpses: Glimpsed
) -> Opinion:
    """What follows from the costs of all explanations."""
    found, otherwise = _told_apart(game, now, losses, found, glimpses)
    cost, best = found[0]
    rivals = (c for c, other in found[1:] if _differ(best, other) and not (sight.alone and _held(best, other)))
    rival = next(rivals, math.inf)
    gap = rival - cost
    weight = sum(math.exp(cost - c) for c, _ in found[:40]) + math.exp(min(cost - FREE_COST, HOPELESS))
    confidence = 1.0 / weight
    plies = len(best.verdict.moves) if isinstance(best.verdict, Played) else 1
    dearest, least = (FITS, GAP) if plies == 1 else (SURE_FIT + RARE, SURE_GAP + PLY_GAP * (plies - 1))
    surely = SURE_GAP if plies == 1 else least
    fits = cost <= dearest and gap >= least
    sure = fits and (plies > 1 or (cost <= SURE_FIT and gap >= SURE_GAP))
    plain = sure and (gap >= PLAIN_GAP or not isinstance(best.verdict, Played))
    missed = [c for c in losses.missed(best) if c not in sight.odd]
    doubt = _unsettled(best.verdict, losses, missed, sight, otherwise)
    odd = frozenset(losses.gone()) if isinstance(best.verdict, Still | Raised) and losses.total <= FITS else None
    remembered = tuple(found[:BEST])
    if fits and complete and doubt is None:
        clarity = Clarity.PLAIN if plain else Clarity.SURE if sure else Clarity.FITS
        enough = PLAIN_GAP if plain and isinstance(best.verdict, Played) else surely if sure else least
        reason = Reason("gap-to-next", min(gap, HOPELESS), enough)
        return Opinion(best.verdict, confidence, clarity, odd, remembered, reason=reason)
    if losses.only_pushed(sight.askew) and _nothing_played(losses, found):
        reason = Reason("only-pushed", max(sight.askew[c] for c in losses.clearly_changed()), ASKEW)
        return Opinion(Still(), confidence, Clarity.PLAIN, odd, remembered, reason=reason)
    if cost > dearest:
        doubt = Reason("cost-of-best", cost, dearest)
    elif gap < least:
        doubt = Reason("gap-to-next", gap, least)
    # A piece that fell lies on a part of its cell, and its foot is not where it was.
    limits = {c: SURELY_MISSED if not sight.strange or sight.strange[c] < BARE else GONE for c in missed}
    taken = [c for c in missed if losses.kept[c] > limits[c]] if isinstance(best.verdict, Played) else []
    if taken or cost >= UNLAWFUL:
        accused = _accusation(game, now, losses, [c for _, c in found], sight)
        if isinstance(accused, Wrong):
            reason = Reason("cost-of-best", cost, UNLAWFUL)
            if cost < UNLAWFUL:
                gone = max(taken, key=lambda c: losses.kept[c])
                reason = Reason("piece-missing", losses.kept[gone], limits[gone])
            clarity = Clarity.PLAIN if sight.rested else Clarity.SURE
            return Opinion(accused, confidence, clarity, best=remembered, reason=reason)
        doubt = accused
    verdict = Doubtful(_options(game, now, found))
    return Opinion(verdict, confidence, odd=odd, best=remembered, reason=doubt or Reason("too-many-lines"))


def _unsettled(verdict: Verdict, losses: Losses, missed: Sequence[int], sight: Sight, otherwise: bool) -> Reason | None:
    """Why plies are not believed although they fit; None if nothing speaks against them."""
    if not isinstance(verdict, Played):
        return None
    if missed:
        return Reason("piece-missing", max(losses.kept[c] for c in missed), MISSED)
    if losses.pushed(verdict, sight.askew):
        return Reason("half-way")
    if otherwise:
        return Reason("other-first-ply")
    return Reason("led-round") if _went_round(verdict) else None


def _accusation(game: Game, now: Position, losses: Losses, listed: Sequence[Candidate], sight: Sight) -> Wrong | Reason:
    """What is unlawful on a board that nothing lawful explains, or why it is not called so yet."""
    if losses.fell():
        return Reason("piece-fell")
    uncertain = [losses.margin(c) for c in losses.clearly_changed() if not losses.certain(c)]
    if uncertain:
        return Reason("cell-uncertain", min(uncertain), CERTAIN_CELL)
    if not sight.patient and (losses.taken_off() or any(begun_after(game, now, losses, listed))):
        return Reason("capture-begun")
    wrong = wrong_play(game, now, losses, listed)
    if sight.patient:
        return wrong
    # Pieces do not come from nowhere: one was pushed, or it cannot be seen well which one has left.
    if not any(now.placement[cell] for cell in wrong.cells):
        return Reason("none-left")
    if len(wrong.cells) > MANY_CHANGED:
        return Reason("much-changed", len(wrong.cells), MANY_CHANGED)
    return Reason("unsteady") if sight.unsteady else wrong


def _held(best: Candidate, other: Candidate) -> bool:
    """Whether `other` is the same move with its piece still in the air: that needs a hand."""
    move = other.verdict.move if isinstance(other.verdict, Unfinished) and other.verdict.go_on >= 0 else None
    return isinstance(best.verdict, Played) and best.verdict.moves == (move,)


def _went_round(verdict: Played) -> bool:
    """Whether one of several plies is a capture that leads back to its beginning: a piece taken off looks the same."""
    return len(verdict.moves) > 1 and any(move.origin == move.target and len(move.path) > 2 for move in verdict.moves)


def _nothing_played(losses: Losses, found: Priced) -> bool:
    """Whether every explanation by which something was played is worse by far than that nothing was."""
    return all(c - losses.total >= SURE_GAP for c, one in found if not isinstance(one.verdict, Still | Raised))


def _told_apart(game: Game, now: Position, losses: Losses, found: Priced, glimpses: Glimpsed) -> tuple[Priced, bool]:
    """The explanations without those by several plies that began otherwise than was seen; whether it stays open how.

    Another first ply may leave the same board, or it with the beginning of a capture that answers that ply.
    """
    cost, best = found[0]
    if not isinstance(best.verdict, Played) or len(best.verdict.moves) < 2:
        return found, False
    alike = [cast(Played, c.verdict).moves[0] for _, c in found if _alike(c, best)]
    begun = [cast(Played, c.verdict).moves[0] for c in begun_after(game, now, losses, [c for _, c in found])]
    firsts = list(dict.fromkeys([*alike, *begun]))
    several = len(firsts) > 1 and cost <= SURE_FIT + RARE
    shown = ply_shown(game, now, firsts, best.change, glimpses()) if several else None
    if shown is None or shown not in alike:
        return found, any(move != best.verdict.moves[0] for move in begun)
    return [(c, one) for c, one in found if not _alike(one, best) or cast(Played, one.verdict).moves[0] == shown], False


def _alike(one: Candidate, best: Candidate) -> bool:
    """Whether plies leave the same board as `best`."""
    return isinstance(one.verdict, Played) and one.change == best.change


def _lifted(game: Game, now: Position, sight: Sight) -> int:
    """The one piece of the side to move that has surely left its cell although a hand is over the board; -1 if none.

    Beside what is covered nothing is sure: a sleeve of the board's colour hides a piece as if it were gone.
    """
    gone = [
        cell
        for cell, piece in enumerate(now.placement)
        if game.seat_of[piece] == now.seat
        and sight.scores[cell][0] - max(sight.scores[cell][1:]) > GONE
        and all(sight.strange[c] < BARE for c in (cell, *game.board.steps[cell]) if c >= 0)
    ]
    return gone[0] if len(gone) == 1 else -1


def _all_priced(
    game: Game, positions: Sequence[Position], moves: Sequence[Move], sight: Sight, odd: Collection[int]
) -> tuple[Losses, Priced, bool]:
    """Every explanation with its cost, cheapest first, and whether these are all; `odd` cells say nothing."""
    losses = _losses(game, positions[-1], sight, odd)
    found = priced(losses, candidates(game, positions, moves))
    if found[0][0] <= FITS:
        return losses, found, True
    return losses, *longer(game, positions[-1], losses, found, most_plies(sight.moving_s))


def _losses(game: Game, now: Position, sight: Sight, covered: Collection[int]) -> Losses:
    """Losses, with covered cells taken as unchanged."""
    if not covered:
        return Losses(game, now, sight.scores)
    neutral = [0.0] * len(game.looks)
    hidden = set(covered)
    return Losses(game, now, [neutral if c in hidden else row for c, row in enumerate(sight.scores)])


def _differ(one: Candidate, other: Candidate) -> bool:
    """Whether two explanations would be acted on differently."""
    if one.change != other.change:
        return True
    return isinstance(one.verdict, Played) and isinstance(other.verdict, Played)


def _options(game: Game, now: Position, found: Priced) -> tuple[str, ...]:
    """The moves worth asking about, best first."""
    out: list[str] = []
    for _, candidate in found[: 4 * OPTIONS]:
        verdict = candidate.verdict
        if isinstance(verdict, Played) and not verdict.replaces:
            text = written(game, now, verdict.moves)
        elif isinstance(verdict, Unfinished):
            text = game.write(now, verdict.move)
        elif isinstance(verdict, Still):
            text = "no move"
        else:
            continue
        if text not in out:
            out.append(text)
    return tuple(out[:OPTIONS])


def written(game: Game, position: Position, moves: Sequence[Move]) -> str:
    """Moves one after another, as notation."""
    out = []
    for move in moves:
        out.append(game.write(position, move))
        position = game.play(position, move)
    return " ".join(out)
