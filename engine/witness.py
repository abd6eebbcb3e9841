"""From scores to a verdict: which explanation of the board fits best, how well, and is it alone?

The cost of an explanation is how much worse its looks score than the best look of every cell. An explanation is
taken when its cost is small and every other one costs clearly more. When nothing lawful is cheap although each cell
is read with certainty, the board shows something unlawful. In between the camera is given time, then people are asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from engine.candidates import Candidate, begun_replies, candidates, replies
from engine.game import Game, Move, Position, Refusal
from engine.verdicts import Covered, Doubtful, Earlier, Played, Raised, Still, Unfinished, Verdict, Wrong
from engine.why import difference, why_placement

FITS = 4.0
"""Cost up to which an explanation fits; what costs more is asked about. In 276 of 277 looks at true moves, recorded and
drawn, no cell cost over 1; an own piece taken unlawfully was once believed to be a plain move at 4.6."""
SURE_FIT, SURE_GAP = 3.0, 3.5
"""An explanation this good, with the next one this much dearer, is believed at once."""
GAP = 2.5
"""With less than this between the two best there is no verdict."""
UNLAWFUL = 5.5
"""Nothing lawful fits when the cheapest lawful explanation costs this much ..."""
CERTAIN_CELL = 1.0
"""... and every cell that differs from the position is read with this margin, or is certainly not as it was."""
MANY_CHANGED = 6
"""More cells than this are not called unlawful at once: a blurred picture looks so, and one wrong move does not."""
PLY_GAP = 2.0
"""Several plies at once must stand out by this much more for each: there are a hundred times as many of them."""
MISSED = 1.0
"""A piece that no explanation moves and that seems to be gone by this much makes the explanation doubtful: an own piece
taken by a piece from elsewhere looks like a plain move of the one taken. True moves: under 0.5 in 220 plies."""
RARE = 2.0
"""Cost of what is seen once for about seven lawful moves: in the reference recordings a lifted piece, a takeback."""
FREE_COST = 9.0
"""Cost at which any explanation at all is as good as a lawful one; only scales the confidence."""
STRANGE = 0.45
"""Share of a cell's base that nothing explains, from which it counts as covered: pieces in any pose of the
reference recordings stay under 0.44, hands are above 0.6 in most cells that they cover."""
HIDDEN = 0.6
"""A cell that a piece seems to have come to is believed at once while less of it is strange: a piece in a pose never
seen there reached 0.54 in drawn games, and hands are above this."""
BARE, GONE = 0.2, 8.0
"""A piece was lifted beside a hand when so little of its cell and those around is strange, and it is read as empty by
this margin."""
VAGUE = 8.0
"""A piece in a strange cell that is read as empty but for this margin may have gone, from floor that was never seen:
4 to 6 where three had, in one drawn game; pieces that had not gone were strange once in 2,000 plies, by 14."""
FEW_STRANGE = 2
"""So many strange cells are a shadow on a printed castle or a fallen piece, not a hand: they are left out. A hand
that reaches a piece covers eight cells and more in the reference recordings."""
MOST_PLIES = 3
"""Plies that may be played between two looks; more than that is asked about."""
MOST_BEGINNINGS = 60
"""Beginnings of several plies that are followed; if there are more, what is found at their ends is asked about."""
MOST_BEGUN = 12
"""Plies after which a capture under way is looked for: the best of them, since it takes 5 ms each."""
BEGUN_CELLS = 3
"""Cells that a ply and the capture of its piece change at least; after fewer, nothing is waited for."""
OPTIONS = 4


Replies = Callable[[Game, Position, Played, bytes], Iterator[Candidate]]


@dataclass(frozen=True, slots=True)
class Sight:
    """One still look at the board, in plain numbers.

    `scores[cell][look]` is a log-likelihood up to a constant per cell; `strange[cell]` the share of the cell that no
    look explains; `unsteady` that much of the board looks otherwise than before (light, blur), `patient` that the same
    picture has been standing long enough to ignore what merely lies there, `rested` that it has been standing longer
    than hands pause.
    """

    t: float
    scores: Sequence[Sequence[float]]
    strange: Sequence[float] = ()
    patient: bool = False
    unsteady: bool = False
    rested: bool = False


@dataclass(frozen=True, slots=True)
class Opinion:
    """A verdict with the confidence in it, and whether it is clear enough to act on at once."""

    verdict: Verdict
    confidence: float
    sure: bool


def explain(game: Game, positions: Sequence[Position], moves: Sequence[Move], sight: Sight) -> Opinion:
    """What `sight` means after `moves` led through `positions`."""
    now = positions[-1]
    covered = [c for c, share in enumerate(sight.strange) if share > STRANGE]
    if len(covered) > FEW_STRANGE and not sight.patient:
        return Opinion(Covered(tuple(covered), _lifted(game, now, sight)), 1.0, sure=False)
    # An empty cell under a shadow or a stray thing says nothing; a piece that is gone from under one still counts.
    odd = {c for c in covered if now.placement[c] == 0}
    losses, priced, complete = _all_priced(game, positions, moves, sight, odd)
    filled = {cell for cell, look in priced[0][1].change if look} & set(covered)
    if priced[0][0] > FITS:  # a piece may stand where something odd was left out
        filled |= {c for c in odd if max(sight.scores[c][1:]) - sight.scores[c][0] > UNLAWFUL}
    # A cell that was left may show floor never seen before; one that was filled must show a piece.
    if not sight.rested and any(sight.strange[c] > HIDDEN for c in filled):
        return Opinion(Covered(tuple(covered)), 1.0, sure=False)
    if filled:  # no hand, or it has stood so for longer than hands pause: a piece that looks odd there
        losses, priced, complete = _all_priced(game, positions, moves, sight, odd - filled)
    opinion = _judged(game, now, losses, priced, complete, sight)
    vague = {c for c in covered if now.placement[c] and losses.vague(c)}
    told = isinstance(opinion.verdict, Played) and vague <= dict(priced[0][1].change).keys()
    if told or not vague or not isinstance(opinion.verdict, Played | Wrong):
        return opinion
    # Does a move say all, if these pieces have gone?
    losses, priced, complete = _all_priced(game, positions, moves, _without(sight, now, game, vague), odd - filled)
    opinion = _judged(game, now, losses, priced, complete, sight)
    if isinstance(opinion.verdict, Played) and vague <= dict(priced[0][1].change).keys():
        return opinion
    return Opinion(Doubtful(_options(game, now, priced)), opinion.confidence, sure=False)


def _without(sight: Sight, now: Position, game: Game, vague: Collection[int]) -> Sight:
    """The same look, on which the cells `vague` may as well be empty."""
    rows = list(sight.scores)
    for cell in vague:
        look = game.look_of[now.placement[cell]]
        rows[cell] = [rows[cell][look], *rows[cell][1:]]
    return replace(sight, scores=rows)


def _judged(
    game: Game,
    now: Position,
    losses: _Losses,
    priced: list[tuple[float, Candidate]],
    complete: bool,
    sight: Sight,
) -> Opinion:
    """What follows from the costs of all explanations."""
    cost, best = priced[0]
    rival = next((c for c, other in priced[1:] if _differ(best, other)), math.inf)
    gap = rival - cost
    weight = sum(math.exp(cost - c) for c, _ in priced[:40]) + math.exp(cost - FREE_COST)
    confidence = 1.0 / weight
    sure = cost <= SURE_FIT and gap >= SURE_GAP
    if isinstance(best.verdict, Played) and len(best.verdict.moves) > 1:
        sure = fits = cost <= SURE_FIT + RARE and gap >= SURE_GAP + PLY_GAP * (len(best.verdict.moves) - 1)
    else:
        fits = cost <= FITS and gap >= GAP
    if fits and complete and not (isinstance(best.verdict, Played) and losses.missed(best)):
        return Opinion(best.verdict, confidence, sure)
    listed = [c for _, c in priced]
    changed = losses.clearly_changed()
    certain = cost >= UNLAWFUL and all(losses.certain(c) for c in changed)
    if certain and (sight.patient or not _under_way(game, now, losses, listed)):
        wrong = _wrong(game, now, losses, listed)
        if sight.patient or (len(wrong.cells) <= MANY_CHANGED and not sight.unsteady):
            return Opinion(wrong, confidence, sure=True)
    return Opinion(Doubtful(_options(game, now, priced)), confidence, sure=False)


def _wrong(game: Game, now: Position, losses: _Losses, listed: Sequence[Candidate]) -> Wrong:
    """What is unlawful on the board: the attempt of one piece, if need be after a ply that nobody has seen at rest."""
    seen = losses.placement()
    plain = difference(game, now, seen)
    changed = tuple(losses.clearly_changed())
    if isinstance(plain, Refusal) and len(changed) >= BEGUN_CELLS:
        found: dict[str, Wrong] = {}
        for candidate in listed:
            if not _can_be_followed(candidate):
                continue
            left = losses.left_by(candidate)
            if not left or len(left) >= len(changed) or any(c in left for c, _ in candidate.change):
                continue
            move = cast(Played, candidate.verdict).moves[0]
            after = game.play(now, move)
            refusal = why_placement(game, after, seen)
            if not any(seen[c] for c in left):
                continue
            said = f"After {game.write(now, move)}: {refusal.message}"
            found.setdefault(refusal.code, Wrong(left, replace(refusal, message=said)))
        if len(found) == 1:
            return found.popitem()[1]
    return Wrong(changed, why_placement(game, now, seen))


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
) -> tuple[_Losses, list[tuple[float, Candidate]], bool]:
    """Every explanation with its cost, cheapest first, and whether these are all; `odd` cells say nothing."""
    losses = _losses(game, positions[-1], sight, odd)
    priced = _priced(losses, candidates(game, positions, moves))
    if priced[0][0] <= FITS:
        return losses, priced, True
    return losses, *_longer(game, positions[-1], losses, priced)


def rarity(verdict: Verdict) -> float:
    """Cost of a kind of explanation before anything is seen: a piece in the air needs a hand, plies go one by one."""
    match verdict:
        case Raised() | Earlier():
            return RARE
        case Unfinished():
            return RARE / 4
        case Played(moves=moves, replaces=replaces):
            return RARE / 2 * (len(moves) - 1 + replaces)
    return 0.0


class _Losses:
    """What each look of each cell costs against the cell's best look."""

    def __init__(self, game: Game, now: Position, scores: Sequence[Sequence[float]]) -> None:
        self._game = game
        self._now = now
        self.scores = scores
        self.top = [max(row) for row in scores]
        self.look = [game.look_of[piece] for piece in now.placement]
        self.kept = [top - row[look] for top, row, look in zip(self.top, scores, self.look, strict=True)]
        self.total = sum(self.kept)
        self.changed = [c for c, loss in enumerate(self.kept) if loss > 0]

    def of(self, candidate: Candidate) -> float:
        """Cost of an explanation: how much worse its looks are, and how seldom its kind is seen on a board at rest."""
        cost = self.total
        for cell, look in candidate.change:
            cost += self.top[cell] - self.scores[cell][look] - self.kept[cell]
        return max(cost, 0.0) + rarity(candidate.verdict)

    def unfilled(self, candidate: Candidate) -> int:
        """Cells where something stands that the candidate does not put there, whatever else follows."""
        changed = dict(candidate.change)
        after = {c: changed.get(c, self.look[c]) for c in {*self.changed, *changed}}
        return sum(
            1
            for c, look in after.items()
            if (best := max(range(len(self.scores[c])), key=self.scores[c].__getitem__)) not in (0, look)
            and self.scores[c][best] - self.scores[c][look] > FITS
        )

    def clearly_changed(self) -> list[int]:
        """The cells that are clearly not as before."""
        return [c for c in self.changed if self.kept[c] >= CERTAIN_CELL]

    def left_by(self, candidate: Candidate) -> tuple[int, ...]:
        """Cells that clearly are not as the candidate says."""
        after = dict(candidate.change)
        cells = {*self.changed, *after}
        return tuple(
            c for c in sorted(cells) if self.top[c] - self.scores[c][after.get(c, self.look[c])] >= CERTAIN_CELL
        )

    def missed(self, candidate: Candidate) -> bool:
        """Whether a piece that the explanation leaves in its place seems to be gone."""
        moved = {cell for cell, _ in candidate.change}
        return any(
            self.kept[c] > MISSED and self.scores[c][0] == self.top[c]
            for c in self.changed
            if self.look[c] and c not in moved
        )

    def vague(self, cell: int) -> bool:
        """Whether the piece in a cell may have gone although it is read as there."""
        return self.kept[cell] == 0 and self.scores[cell][self.look[cell]] - self.scores[cell][0] < VAGUE

    def hope(self, candidate: Candidate) -> float:
        """Cost if pieces that were put down have gone on since, or were captured."""
        landed = sum(self.top[cell] - self.scores[cell][look] for cell, look in candidate.change if look)
        return self.of(candidate) - landed

    def certain(self, cell: int) -> bool:
        """Whether a cell that changed is read with certainty, or at least certainly not as it was."""
        ordered = sorted(self.scores[cell], reverse=True)
        return ordered[0] - ordered[1] >= CERTAIN_CELL or self.kept[cell] >= UNLAWFUL

    def placement(self) -> bytes:
        """The placement that is seen: pieces that left a cell are taken to be those of their look that appeared."""
        before = self._now.placement
        out = bytearray(before)
        gone: dict[int, list[int]] = {}
        changed = self.clearly_changed()
        for cell in changed:
            gone.setdefault(self.look[cell], []).append(before[cell])
            out[cell] = 0
        for cell in changed:
            look = max(range(len(self.scores[cell])), key=self.scores[cell].__getitem__)
            if look == 0:
                continue
            pieces = gone.get(look)
            out[cell] = pieces.pop(0) if pieces else self._game.look_of.index(look)
        return bytes(out)


def _losses(game: Game, now: Position, sight: Sight, covered: Collection[int]) -> _Losses:
    """Losses, with covered cells taken as unchanged."""
    if not covered:
        return _Losses(game, now, sight.scores)
    neutral = [0.0] * len(game.looks)
    hidden = set(covered)
    return _Losses(game, now, [neutral if c in hidden else row for c, row in enumerate(sight.scores)])


def _priced(losses: _Losses, listed: Sequence[Candidate]) -> list[tuple[float, Candidate]]:
    """Explanations with their costs, cheapest first; ties keep their order."""
    return sorted(((losses.of(candidate), candidate) for candidate in listed), key=lambda pair: pair[0])


def _longer(
    game: Game, now: Position, losses: _Losses, priced: list[tuple[float, Candidate]]
) -> tuple[list[tuple[float, Candidate]], bool]:
    """The explanations so far and those of more plies, and whether these are all there are.

    For players faster than the camera. A ply fills one cell, so a beginning that leaves more cells to be filled than
    plies are left leads nowhere; and plies that leave no trace (there and back) are no explanation.
    """
    first = [c for _, c in priced if _can_be_followed(c)]
    for plies in range(2, min(MOST_PLIES, len(losses.changed)) + 1):
        ends, complete = first, True
        for left in range(plies - 1, 0, -1):
            ends = sorted((c for c in ends if losses.unfilled(c) <= left), key=losses.hope)
            complete = complete and len(ends) <= MOST_BEGINNINGS
            ends = [longer for c in ends[:MOST_BEGINNINGS] for longer in _followed(game, now, c)]
        priced = sorted(priced + _priced(losses, ends), key=lambda pair: pair[0])
        if priced[0][0] <= FITS:
            return priced, complete
    return priced, True


def _under_way(game: Game, now: Position, losses: _Losses, listed: Sequence[Candidate]) -> bool:
    """Whether the board may show one of the plies `listed` and the beginning of a capture that answers it.

    Not enough to say so, but a reason to wait before something is called unlawful.
    """
    if len(losses.changed) < BEGUN_CELLS:
        return False
    plies = [c for c in listed if _can_be_followed(c) and losses.unfilled(c) <= 1]
    ends = sorted(plies, key=losses.hope)[:MOST_BEGUN]
    begun = (longer for c in ends for longer in _followed(game, now, c, begun_replies))
    return any(losses.of(candidate) <= FITS for candidate in begun)


def _can_be_followed(candidate: Candidate) -> bool:
    """Whether it is a ply played in the position that stood."""
    verdict = candidate.verdict
    return isinstance(verdict, Played) and len(verdict.moves) == 1 and not verdict.replaces


def _followed(game: Game, now: Position, candidate: Candidate, how: Replies = replies) -> Iterator[Candidate]:
    """The explanations one ply longer than `candidate`, finished or (`begun_replies`) under way."""
    verdict, position = cast(Played, candidate.verdict), now
    for move in verdict.moves:
        position = game.play(position, move)
    return how(game, position, verdict, now.placement)


def _differ(one: Candidate, other: Candidate) -> bool:
    """Whether two explanations would be acted on differently."""
    if one.change != other.change:
        return True
    return isinstance(one.verdict, Played) and isinstance(other.verdict, Played)


def _options(game: Game, now: Position, priced: list[tuple[float, Candidate]]) -> tuple[str, ...]:
    """The moves worth asking about, best first."""
    out: list[str] = []
    for _, candidate in priced[: 4 * OPTIONS]:
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
