"""A piece that is off its cell and nowhere else: when it is called lifted, and how that ends."""

from __future__ import annotations

from dataclasses import replace

from engine.belief.opinion import NO_MOVE, Opinion
from engine.belief.sight import Sight
from engine.belief.verdicts import Covered, Doubtful, Played, Raised, Still, Unfinished, Verdict
from engine.explain.reasons import Reason
from engine.match.events import Lifted, Unclear
from engine.match.state import Match, Phase

SURELY_LIFTED, LIFT_S = 0.9, 0.3
"""A piece that is gone beside a hand is said to be lifted at once where so much of what is likely begins with it, else
when it has been the answer for so many seconds: a fist over several pieces makes one cell look empty for a moment.
Raising either lights hints later; lowering them lights those of a piece that is under the hand. In twelve drawn games
lifted pieces were at 0.94 and more in 3 looks of 4, and at 0.56 to 0.84 for as long as they were held; the two false
ones of the demonstration at 0.6 and 0.1, for one look."""
UNHELD_S = 1.5
"""A piece that was lifted is in no hand where none was seen for so long and the board is not understood: its hint goes
out, for it may be what blinds the camera. Raising it keeps people waiting beside their own lights, lowering it puts
hints out while a hand that looks like the board holds the piece. Guessed; a film of strong lights in a dark room."""
PUT_BACK = 0.9
"""So probable it must be, for LIFT_S, that a lifted piece stands again for its hint to go out: beside a hand that stays
it was at 0.96 to 0.98 for seconds. Raising it leaves hints standing after the piece was put back, lowering it puts out
hints of pieces that a hand hides."""
ABSENT_S = 15.0
"""A piece that has been off its cell for so long, with no hand over or beside the board, is asked about: it may have
been taken away. Raising it leaves people waiting beside a piece that nobody misses, lowering it asks whoever thinks
with a piece in the hand. Longer than anybody held one in the films there are; nothing was fitted."""


def rate_lift(opinion: Opinion, cell: int) -> float:
    """How much of what is likely begins with the piece on `cell` alone being taken up."""
    return sum(chance for chance, one in opinion.best if _begins_with_lift(one.verdict, cell))


def _begins_with_lift(verdict: Verdict, cell: int) -> bool:
    match verdict:
        case Raised(cell=lifted):
            return lifted == cell
        case Unfinished(move=move, replaces=0):
            return move.origin == cell
        case Played(moves=(first, *_), replaces=0):
            return first.origin == cell
    return False


def is_unheld(match: Match, opinion: Opinion, doubted_s: float) -> bool:
    """Whether a piece that was lifted can be in no hand: none was seen for `doubted_s`, nor is the board understood."""
    return isinstance(opinion.verdict, Covered) and isinstance(match.note, Lifted) and doubted_s >= UNHELD_S


def put_out_hint(match: Match) -> Match:
    """A lifted piece is in no hand: the board is looked at without the lights that tell where it may go."""
    return replace(match, phase=Phase.PLAYING, note=None, pending=None)


def seems_put_back(match: Match, sight: Sight, opinion: Opinion) -> bool:
    """Whether the piece that was lifted probably stands on its cell again, which is seen and shows it, though more is
    not sure."""
    unsure = isinstance(opinion.verdict, Doubtful) or opinion.verdict == Covered(tuple(sight.hidden))
    if not (unsure and isinstance(match.note, Lifted)):
        return False
    cell = match.game.board.index[match.note.cell]
    shown = sight.scores[cell]
    if cell in sight.hidden or shown[match.game.look_of[match.position.placement[cell]]] < max(shown):
        return False
    return sum(chance for chance, one in opinion.best if isinstance(one.verdict, Still)) >= PUT_BACK


def doubt_absent_piece(match: Match, sight: Sight, opinion: Opinion, t: float) -> Opinion:
    """The opinion, and a question in its place where a piece has been lifted for long with no hand to hold it: it is
    put back, or played, or the board is taken as it stands without it."""
    if not isinstance(opinion.verdict, Raised) or not sight.clear or sight.hidden or sight.hand_beside:
        return opinion
    cell, note = opinion.verdict.cell, match.note
    reason = Reason("piece-absent", ABSENT_S)
    is_asked = isinstance(note, Unclear) and note.because == reason
    lifted_t = note.t if isinstance(note, Lifted) and match.game.board.index[note.cell] == cell else t
    if not is_asked and t - lifted_t < ABSENT_S:
        return opinion
    read = bytearray(match.position.placement)
    read[cell] = 0
    verdict = Doubtful((NO_MOVE,), bytes(read), (cell,))
    return replace(opinion, verdict=verdict, reason=reason, after_s=LIFT_S)
