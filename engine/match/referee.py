"""The referee: phase x verdict -> (phase, events). Pure; times come in with the input.

What the table says, in words. Nothing is acted on at the first doubtful look:
  - each opinion says how long it must be the answer before it counts, the less sure it is the longer;
  - doubt is made public after DOUBT_S, as a question with options.
Something lying over the board (a hand) leaves the phase as it is, but for a piece that is lifted beside it in play.

  verdict      what happens (PAUSED, ADJOURNED, OVER: nothing)           phase afterwards
  Still        ready, or restored if something had been announced        PLAYING
  Raised       lifted, with the cells the piece may end on               LIFTED
               (where no hand holds it for long: unclear)                UNCLEAR
               (nothing, from a landing of a capture under way)          (PARTIAL)
  Unfinished   partial, with what is still to be done                    PARTIAL
  Played       move for each ply; result if the game is over             PLAYING or OVER
               where other moves lead to the same position too, it
               says so: which it was is asked while the game goes on
               several after something unlawful: unclear                 TROUBLE
  Earlier      takeback                                                  PLAYING
  PutUpAgain   new-game and ready; a game under way is put away first,   PLAYING
               and people may say how it ended (also in OVER);
               takeback where the first moves are taken back;
               set-up where people have called this game back and its    SETUP
               position has not stood since: they are asked
  Wrong        illegal, with the reason (set-up before the first ready)  TROUBLE (SETUP)
  Doubtful     unclear, with options (set-up before the first ready)     UNCLEAR (SETUP)
  Contradicted set-up: what people said must stand before play goes on   SETUP

Once the game is OVER the pieces may be pushed about; only the start position, when it stands again, begins something
new. What people ask for is in engine.match.arbiter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from engine.as_read import infer_position
from engine.belief.candidates import find_cells_ahead
from engine.belief.opinion import Opinion, format_moves
from engine.belief.unlawful import Displaced
from engine.belief.verdicts import (
    Contradicted,
    Covered,
    Doubtful,
    Earlier,
    Played,
    PutUpAgain,
    Raised,
    Still,
    Unfinished,
    Verdict,
    Wrong,
)
from engine.explain.reasons import Reason
from engine.game import Game, Position, Refusal
from engine.match.chains import choose_way, find_way_on, list_rests, note_rest
from engine.match.clocked_match import update_clocks
from engine.match.course import (
    MatchStep,
    advance_ply,
    begin_next_game,
    build_move_event,
    conclude_if_over,
    count_carried_home,
    find_shown_placement,
    rewind_plies,
)
from engine.match.events import (
    CameraFound,
    CameraMoved,
    Event,
    Illegal,
    Lifted,
    Partial,
    Ready,
    Restored,
    SetUp,
    Takeback,
    Unclear,
)
from engine.match.lifted import LIFT_S, SURELY_LIFTED, rate_lift
from engine.match.state import RESTING, Match, Phase
from engine.text.positions import to_json

DOUBT_S = 2.5
"""Seconds of stream time after which doubt is made public. Hands pause over the board for up to 0.7 s."""

DOUBT_SPELL_S = 0.5
"""... and for how long it must stand where doubt has lasted so long in several spells. Raising it never asks whoever
plays on every two seconds, lowering it asks what the next picture answers. Guessed: it asked in the one photographed
game that was silent for ten seconds, and no more than before in 26 films of another renderer."""

SHOWN_S = 0.25
"""Plies that others have gone on from are said when they were first the answer so long ago. Raising it says quick plies
later, lowering it says what a single picture shows."""
LIKELIEST, READING_S = 2, 2.0
"""A question stays as it was asked while so many of the likeliest answers are among those it offers, and for so many
seconds while one of them is. Raising either offers old answers longer, lowering it changes a list under the finger that
is to choose from it: it changed several times a second while a hand moved. Estimated, from how long a line is read."""
FEW_PLIES = 2
"""So many plies, all that there are, are taken back by hand at once: a move and the answer to it. Raising it takes
pieces that are put up again early in a game for moves that are taken back; lowering it begins another game when the
first moves are taken back."""


def new_match(game: Game, position: Position | None = None) -> Match:
    """A match about to begin."""
    return Match(game, (position or game.start(),))


def apply_opinion(match: Match, opinion: Opinion, t: float, fit: int) -> MatchStep:
    """Take one opinion of what the board shows. `fit` is the fit score of the calibration, 0-100."""
    verdict = opinion.verdict
    if isinstance(verdict, Covered) and _is_covered_meanwhile(verdict, match.pending):
        return _wait_under_hand(match, opinion, t, fit)
    if _extends_pending(match, verdict) and t - match.since >= SHOWN_S:
        return _announce_pending(match, opinion, t, fit)
    same = isinstance(verdict, type(match.pending)) and _is_same_verdict(verdict, match.pending)
    if not same or match.held_t is not None:
        match = replace(match, pending=verdict, since=t, held_t=None)
    if not _has_stood_enough(match, opinion, t):
        return match, ()
    handler = TABLE.get((match.phase, type(verdict)))
    if handler is None:
        raise ValueError(f"no entry in the phase table for {match.phase} and {type(verdict).__name__}")
    after, said = handler(match, opinion, t, fit)
    if after.phase is not match.phase:  # what the buttons offered was about what is over
        after = replace(after, offered=0)
    return update_clocks(match, (after, said), t)


def _is_covered_meanwhile(verdict: Covered, pending: Verdict | None) -> bool:
    """Whether a hand has come over the board while plies wait to be said: they wait on until it can be seen again.

    Of the piece that they move only its empty cell may be seen meanwhile: it is no other one that was lifted. It may
    have been held there on its way, so what is seen of it alone must stand anew.
    """
    if not isinstance(pending, Played):
        return False
    return verdict.lifted < 0 or (verdict.lifted == pending.moves[0].origin and not pending.replaces)


def _wait_under_hand(match: Match, opinion: Opinion, t: float, fit: int) -> MatchStep:
    """What waits to be said waits on; a piece that has seemed lifted for long enough is lifted all the same."""
    if cast(Covered, opinion.verdict).lifted < 0:
        return match, ()
    held_t = t if match.held_t is None else match.held_t
    match, needed = replace(match, held_t=held_t), _needed_s(opinion)
    if needed is None or t - held_t < needed:
        return match, ()
    after, said = TABLE[match.phase, Covered](match, opinion, t, fit)
    return (after if after.phase is match.phase else replace(after, offered=0)), said


def _extends_pending(match: Match, verdict: Verdict) -> bool:
    """Whether a verdict says the plies that wait to be said, and more after them."""
    waiting = match.pending
    if not (isinstance(verdict, Played) and isinstance(waiting, Played)) or match.phase in (Phase.SETUP, Phase.TROUBLE):
        return False
    count = len(waiting.moves)
    return not (verdict.replaces or waiting.replaces) and verdict.moves[:count] == waiting.moves != verdict.moves


def _announce_pending(match: Match, opinion: Opinion, t: float, fit: int) -> MatchStep:
    """Plies that were the answer before are gone on from: they are said, and what followed them waits its own time."""
    first, every = cast(Played, match.pending), cast(Played, opinion.verdict)
    handler = TABLE[match.phase, Played]
    after, said = handler(match, replace(opinion, verdict=first), t, fit)
    after = replace(after, pending=every.drop_plies(len(first.moves)), since=t, held_t=None, offered=0)
    return update_clocks(match, (after, said), t)


def _is_same_verdict(one: Verdict, other: Verdict | None) -> bool:
    """Whether two verdicts say the same as far as patience goes."""
    if isinstance(one, Doubtful | Contradicted):
        return isinstance(other, type(one))
    if isinstance(one, Wrong) and isinstance(other, Wrong):
        return one.cells == other.cells
    if isinstance(one, Covered) and isinstance(other, Covered):  # the hand may stir
        return one.lifted == other.lifted >= 0 or one == other
    return one == other


def list_wait_reasons(match: Match, opinion: Opinion, t: float) -> tuple[Reason, ...]:
    """Why nothing follows yet from the opinion that was taken last, first what holds it back; () if nothing does."""
    if match.phase in (Phase.OVER, *RESTING):
        return ()
    needed = _needed_s(opinion)
    decided = () if opinion.reason.is_met else (opinion.reason,)
    if needed is None:
        return decided
    stood = t - match.since
    return (Reason("seen-for", stood, needed), *decided) if stood < needed else ()


def _has_stood_enough(match: Match, opinion: Opinion, t: float) -> bool:
    """Whether the verdict has stood long enough to act on."""
    needed = _needed_s(opinion)
    return needed is not None and t - match.since >= needed


def _needed_s(opinion: Opinion) -> float | None:
    """How long a verdict must stand before it is acted on; None for one that never is."""
    match opinion.verdict:
        case Covered(lifted=lifted) if lifted >= 0:
            return 0.0 if rate_lift(opinion, lifted) >= SURELY_LIFTED else LIFT_S
        case Covered():
            return None
        case Doubtful():
            return opinion.after_s or DOUBT_S
        case Contradicted():
            return DOUBT_S
    return opinion.after_s


def _handle_still(match: Match, _opinion: Opinion, t: float, fit: int) -> MatchStep:
    match = replace(match, rests=(), recalled=False)
    if match.phase is Phase.SETUP:
        return replace(match, phase=Phase.PLAYING, note=None, ready=True), (Ready(t, fit),)
    if match.note is None:
        return replace(match, phase=Phase.PLAYING), ()
    return replace(match, phase=Phase.PLAYING, note=None), (Restored(t),)


def _handle_raised(match: Match, opinion: Opinion, t: float, _fit: int) -> MatchStep:
    return _announce_lift(match, cast(Raised, opinion.verdict).cell, t)


def _handle_covered(match: Match, opinion: Opinion, t: float, _fit: int) -> MatchStep:
    return _announce_lift(match, cast(Covered, opinion.verdict).lifted, t)


def _announce_lift(match: Match, cell: int, t: float) -> MatchStep:
    """A piece may end where its moves do; that of the last ply, where that goes on from its landing."""
    cells = match.game.board.cells
    ends = [target for origin, target, _, _ in match.game.results(match.position) if origin == cell]
    if _belongs_to_last_ply(match, cell):
        ends = list(find_cells_ahead(match.game, match.positions[-2], match.moves[-1]))
    return _announce_event(match, Phase.LIFTED, Lifted(t, cells[cell], tuple(dict.fromkeys(cells[c] for c in ends))))


def _belongs_to_last_ply(match: Match, cell: int) -> bool:
    """Whether the piece on a cell is the one that was moved last, and not that of the side to move."""
    mine = match.game.seat_of[match.position.placement[cell]] == match.position.seat
    return bool(match.moves) and match.moves[-1].target == cell and not mine


def _handle_raised_on_the_way(match: Match, opinion: Opinion, t: float, fit: int) -> MatchStep:
    """The piece is taken up again from a landing of its capture: what was said of the way on stands."""
    cell = cast(Raised, opinion.verdict).cell
    origin = match.moves[-1].origin if _belongs_to_last_ply(match, cell) else cell
    on_the_way = isinstance(match.note, Partial) and match.note.from_ == match.game.board.cells[origin]
    return (match, ()) if on_the_way else _handle_raised(match, opinion, t, fit)


def _handle_unfinished(match: Match, opinion: Opinion, t: float, _fit: int) -> MatchStep:
    """A capture is under way. While its piece is in the air, it is where it was last seen to rest."""
    verdict, said = cast(Unfinished, opinion.verdict), match.note
    board, origin = match.game.board, verdict.move.origin
    landing = verdict.landing if verdict.go_on >= 0 else verdict.move.target
    if landing < 0 and isinstance(said, Partial) and said.at and said.from_ == board.cells[origin]:
        landing = board.index[said.at]
    match = note_rest(match, verdict)
    way = find_way_on(
        match.game, rewind_plies(match, verdict.replaces).position, verdict, landing if landing >= 0 else origin
    )
    gone = tuple(board.cells[c] for c in verdict.move.taken if c not in verdict.remove)
    event = Partial(t, way.notation, way.list_todo(board), gone=gone or None, because=opinion.reason)
    if way.ahead:
        came, at = (board.cells[origin], board.cells[landing]) if landing >= 0 else (None, None)
        ends = sorted({*way.ahead, landing} if way.ends_here else way.ahead)
        event = replace(event, targets=tuple(board.cells[c] for c in ends), from_=came, at=at)
    return _announce_event(match, Phase.PARTIAL, event)


def _handle_played(match: Match, opinion: Opinion, t: float, _fit: int) -> MatchStep:
    verdict = cast(Played, opinion.verdict)
    rests = list_rests(match, verdict.replaces, verdict.moves[0].origin)
    match = rewind_plies(match, verdict.replaces)
    events: list[Event] = []
    for i, (listed, others) in enumerate(verdict.list_plies()):
        seen = i == 0 and listed.taken and not others
        move = choose_way(match.game, match.position, listed, rests) if seen else listed
        corrected, sure = i < verdict.replaces, _rate_first_move(opinion) if others else opinion.probability
        events.append(build_move_event(match, move, t, sure, opinion.reason, corrected=corrected, others=others))
        match = advance_ply(match, move, others)
    return conclude_if_over(replace(match, phase=Phase.PLAYING, note=None, moved_t=t, recalled=False), events, t)


def _rate_first_move(opinion: Opinion) -> float:
    """How probable the likeliest is of several moves that lead to one position."""
    return opinion.best[0][0] if opinion.best else opinion.probability


def _handle_played_in_trouble(match: Match, opinion: Opinion, t: float, fit: int) -> MatchStep:
    """Something unlawful stood, and now several plies would say all: which came first is only for people to say."""
    verdict = cast(Played, opinion.verdict)
    if len(verdict.moves) - verdict.replaces <= 1:
        return _handle_played(match, opinion, t, fit)
    stood = rewind_plies(match, verdict.replaces).position
    reason = Reason("after-trouble", len(verdict.moves) - verdict.replaces)
    stands = to_json(match.game, infer_position(match.game, match.position, find_shown_placement(match, verdict)))
    offered = (format_moves(match.game, stood, verdict.moves),)
    options, corrections = ((), offered) if verdict.replaces else (offered, ())
    differs = _list_differing_cells(match, find_shown_placement(match, verdict))
    event = Unclear(t, options, stands, differs, corrections=corrections, because=reason)
    return _announce_event(match, Phase.TROUBLE, event)


def _handle_earlier(match: Match, opinion: Opinion, t: float, _fit: int) -> MatchStep:
    plies = cast(Earlier, opinion.verdict).plies
    return replace(rewind_plies(match, plies), phase=Phase.PLAYING, note=None), (
        Takeback(t, plies, because=opinion.reason),
    )


def _handle_wrong(match: Match, opinion: Opinion, t: float, _fit: int) -> MatchStep:
    verdict = cast(Wrong, opinion.verdict)
    cells = tuple(match.game.board.cells[c] for c in verdict.cells)
    refusal: Refusal = verdict.refusal
    event = Illegal(t, cells, refusal.code, refusal.message, refusal.instead, because=opinion.reason)
    return _announce_event(match, Phase.TROUBLE, event)


def _handle_doubtful(match: Match, opinion: Opinion, t: float, _fit: int) -> MatchStep:
    doubt, cells = cast(Doubtful, opinion.verdict), match.game.board.cells
    read = match.position if doubt.read is None else infer_position(match.game, match.position, doubt.read)
    differs = tuple(cells[cell] for cell in doubt.differs)
    resigned = match.game.seats[doubt.given_up] if doubt.given_up >= 0 else None
    options, corrections = doubt.options, doubt.corrections
    if isinstance(match.note, Unclear) and _may_stay_asked(match.note, options + corrections, t):
        options, corrections = match.note.options, match.note.corrections
    stands = to_json(match.game, read)
    event = Unclear(t, options, stands, differs, resigned, corrections, because=opinion.reason)
    after, said = _announce_event(match, Phase.UNCLEAR, event)
    if isinstance(after.note, Unclear) and after.note.as_it_stands != stands:  # the same question, read otherwise
        after = replace(after, note=replace(after.note, as_it_stands=stands, differs=differs))
    return after, said


def _may_stay_asked(asked: Unclear, answers: tuple[str, ...], t: float) -> bool:
    """Whether a question that people may be reading stands as it is: what is likeliest now is among its answers, or
    some of that is and it was asked a moment ago."""
    likeliest, offered = set(answers[:LIKELIEST]), set(asked.offered_answers)
    if not likeliest or not offered:
        return False
    return likeliest <= offered or (t - asked.t < READING_S and not likeliest.isdisjoint(offered))


def _handle_not_set_up(match: Match, opinion: Opinion, t: float, _fit: int) -> MatchStep:
    """Before the first `ready` nothing is a move: every cell that is not as expected is named."""
    cells = match.game.board.cells
    match opinion.verdict:
        case Wrong(cells=wrong, before=before):
            names = tuple(cells[c] for c in sorted({*wrong, *before}))
        case Raised(cell=cell):
            names = (cells[cell],)
        case Unfinished(move=move):
            names = tuple(cells[c] for c in sorted({move.origin, move.target, *move.taken}))
        case Played() as played:
            names = _list_differing_cells(match, find_shown_placement(match, played))
        case Earlier(plies=plies):
            names = _list_differing_cells(match, match.positions[-1 - plies].placement)
        case PutUpAgain():
            names = _list_differing_cells(match, match.first_position.placement)
        case Doubtful(differs=differs) | Contradicted(cells=differs) if differs:
            names = tuple(cells[c] for c in differs)
        case _:
            odd = next((one.verdict.cells for _, one in opinion.best if isinstance(one.verdict, Displaced)), ())
            names = tuple(cells[c] for c in odd)
    return _announce_event(match, Phase.SETUP, SetUp(t, names))


def _handle_contradicted(match: Match, opinion: Opinion, t: float, fit: int) -> MatchStep:
    return _handle_not_set_up(replace(match, ready=False), opinion, t, fit)


def _list_differing_cells(match: Match, placement: bytes) -> tuple[str, ...]:
    """The cells where a placement is not that of the position."""
    expected = match.position.placement
    return tuple(name for i, name in enumerate(match.game.board.cells) if placement[i] != expected[i])


def _handle_put_up_again(match: Match, opinion: Opinion, t: float, fit: int) -> MatchStep:
    """All pieces stand where the game began: that is how players begin another one, or take back their first moves,
    unless they have cleared the board first."""
    if not match.makes_way:
        return _handle_not_set_up(match, opinion, t, fit)
    kept, said = match, tuple[Event, ...]()
    if match.outcome is None and match.phase not in RESTING:
        put_up = count_carried_home(match)
        kept = rewind_plies(match, put_up)
        is_few = len(kept.moves) <= FEW_PLIES and not cast(PutUpAgain, opinion.verdict).cleared
        if (not kept.moves or is_few) and match.first_position == match.positions[0]:
            return _handle_earlier(
                replace(match, ready=True), replace(opinion, verdict=Earlier(len(match.moves))), t, fit
            )
        if put_up:
            said = (Takeback(t, put_up, because=opinion.reason),)
    begun, events = begin_next_game(kept, match.first_position, t)
    return replace(begun, phase=Phase.PLAYING, ready=True), (*said, *events, Ready(t, fit))


def _ignore_verdict(match: Match, _opinion: Opinion, _t: float, _fit: int) -> MatchStep:
    return match, ()


def _announce_event(match: Match, phase: Phase, event: Event) -> MatchStep:
    """Go to `phase` and say why, unless the same was the last thing said."""
    said = match.note
    if said is not None and match.phase is phase and replace(said, t=event.t) == event:
        return match, ()
    return replace(match, phase=phase, note=event), (event,)


Handler = Callable[[Match, Opinion, float, int], MatchStep]

_SAYS: dict[type[Verdict], Handler] = {
    Still: _handle_still,
    Raised: _handle_raised,
    Unfinished: _handle_unfinished,
    Played: _handle_played,
    Earlier: _handle_earlier,
    PutUpAgain: _handle_put_up_again,
    Wrong: _handle_wrong,
    Doubtful: _handle_doubtful,
    Contradicted: _handle_contradicted,
}
TABLE: dict[tuple[Phase, type[Verdict]], Handler] = {
    **{(phase, verdict): handler for phase in Phase for verdict, handler in _SAYS.items()},
    **{(Phase.SETUP, verdict): _handle_not_set_up for verdict in _SAYS if verdict not in (Still, PutUpAgain)},
    **{(phase, verdict): _ignore_verdict for phase in (*RESTING, Phase.OVER) for verdict in _SAYS},
    (Phase.OVER, PutUpAgain): _handle_put_up_again,
    (Phase.TROUBLE, Played): _handle_played_in_trouble,
    (Phase.PARTIAL, Raised): _handle_raised_on_the_way,
    **{(phase, Covered): _ignore_verdict for phase in Phase if phase not in (Phase.PLAYING, Phase.LIFTED)},
    **{(phase, Covered): _handle_covered for phase in (Phase.PLAYING, Phase.LIFTED)},
}


def handle_pieces_put_up(match: Match, t: float, fit: int) -> MatchStep:
    """The pieces were seen to stand where the game began, cell by cell; nothing where the game does not make way."""
    if not match.makes_way:
        return match, ()
    opinion = Opinion(PutUpAgain(), 1.0, Reason("sure", 100.0, 100.0))
    return update_clocks(match, TABLE[match.phase, PutUpAgain](match, opinion, t, fit), t)


def camera_moved(match: Match, t: float) -> MatchStep:
    """The board is not where it was: nothing is judged until it is found again."""
    if match.phase in (Phase.BLIND, Phase.OVER, *RESTING):
        return match, ()
    event = CameraMoved(t)
    return update_clocks(match, (replace(match, phase=Phase.BLIND, note=event, pending=None), (event,)), t)


def camera_found(match: Match, t: float, fit: int) -> MatchStep:
    """The board was found again; what stands on it will be judged by the next look."""
    if match.phase is not Phase.BLIND:
        return match, ()
    phase = Phase.PLAYING if match.ready else Phase.SETUP
    return update_clocks(match, (replace(match, phase=phase, note=None, pending=None), (CameraFound(t, fit),)), t)
