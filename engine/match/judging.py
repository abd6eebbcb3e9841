"""From input to events: everything that the referee is told, and what follows from each. Pure.

Whoever looks at a board, and whoever plays a trace of that again without pictures, goes this one way, so that both
come to the same events.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from engine.belief.answer import choose_delay
from engine.belief.decision import update_belief
from engine.belief.memory import Memory
from engine.belief.numbers import load_default_numbers
from engine.belief.opinion import Opinion, format_moves
from engine.belief.sight import InMotion, Sight
from engine.belief.verdicts import Contradicted, Covered, Doubtful, Earlier, Played, PutUpAgain, Still, Verdict, Wrong
from engine.errors import InputError
from engine.explain.reasons import Reason
from engine.game import Position
from engine.match.acts import Act, AsPlayed, Correct, vouches_for_board
from engine.match.arbiter import apply_act, check_flag_fall
from engine.match.course import find_shown_placement
from engine.match.events import CannotSee, Event, Lifted, LightChanged, Ready, SeenAgain, SetUp, Unclear
from engine.match.lifted import LIFT_S, doubt_absent_piece, is_unheld, put_out_hint, seems_put_back
from engine.match.referee import (
    DOUBT_S,
    DOUBT_SPELL_S,
    apply_opinion,
    camera_found,
    camera_moved,
    handle_pieces_put_up,
    list_wait_reasons,
)
from engine.match.state import RESTING, Match, Phase, number_changes

MAY_BE_SEEN = ("", "covered", "small")
"""The causes under which a board may be seen well all the same, as somebody knows who looks at it: of what is said of
any other nothing could be learned, and what is seen afterwards may be another one. With one more a word is kept for a
board that nobody saw; with one fewer it is refused where a shadow is taken for something that covers the board."""
NOTHING_SEEN = ("dark", "frozen", "no-picture")
"""The causes under which hands may come and go unseen: what stands otherwise afterwards is judged as after a hand. With
one more, cells that are misread in poor pictures count for more; with one fewer what was taken meanwhile is not missed.
"""
GOOD_FIT = 60
"""Fit score under which the board is not where the profile has it: calibration.solve says why."""
GIVEN_UP_S = 30.0
"""Who takes all pieces of a side off the board within so long is asked whether it has resigned. Raising it asks who
packs up slowly, lowering it does not ask who resigns at leisure. As people do it; nothing was measured."""
JUST_SAID_S = 4.0
"""For so long the piece of a ply that was said may have been in a hand still, and gone elsewhere since. Raising it puts
the record right where a side has played twice, lowering it refuses plies that ended a cell further on. Guessed."""
LIKELY_SINCE = 0.9
"""So probable a ply that seems to go on from a start in doubt must be, on a board at rest, to be asked about. Raising
it asks later, lowering it asks about shadows. One on a polished board had 0.96; it decides nothing, people answer."""


@dataclass(frozen=True, slots=True)
class Input:
    """Something that the referee is told at `t` seconds of stream time."""

    t: float


@dataclass(frozen=True, slots=True)
class Looked(Input):
    """The board was looked at. `fit` is the fit score of the calibration; `moving` are asked for only if needed.

    `in_doubt`: the start position was not quite seen to stand on the board. Plies that go on from it settle that, and
    nothing else is said.
    """

    sight: Sight
    fit: int
    moving: InMotion = field(default_factory=InMotion)
    in_doubt: bool = False


@dataclass(frozen=True, slots=True)
class Unseen(Input):
    """No picture can be judged: nothing is at rest, or what is cannot be read."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class NotSetUp(Input):
    """At the first look these cells are not as they should stand."""

    wrong: tuple[int, ...]
    options: tuple[str, ...] = ()
    """The moves that were probably played since, in the notation of the game, the likeliest first."""
    fit: int | None = None
    """The fit score of the calibration in this picture, 0-100; None where it is not known."""
    exchanged: bool = False
    """Whether the sides stand in each other's places."""


@dataclass(frozen=True, slots=True)
class PutUp(Input):
    """The pieces stand where the game began: that was seen cell by cell, as before a first game."""

    fit: int


@dataclass(frozen=True, slots=True)
class Asked(Input):
    """A person asked for something."""

    act: Act


@dataclass(frozen=True, slots=True)
class Ticked(Input):
    """Time went by."""


@dataclass(frozen=True, slots=True)
class Lost(Input):
    """The board is not where it was."""


@dataclass(frozen=True, slots=True)
class Found(Input):
    """The board was found again."""

    fit: int


@dataclass(frozen=True, slots=True)
class Lit(Input):
    """The light changed as a whole."""


@dataclass(frozen=True, slots=True)
class Blind(Input):
    """The board is not seen. `cause` is one of engine.match.events.CAUSES."""

    cause: str


@dataclass(frozen=True, slots=True)
class Sighted(Input):
    """The board is seen."""


@dataclass(frozen=True, slots=True)
class Concluded(Input):
    """No picture follows: from now on the last one is looked at as if the board stood on so."""


@dataclass(frozen=True, slots=True)
class State:
    """What goes on from input to input."""

    match: Match
    blind: str = ""
    """Why the board is not seen, as it was said; empty while it is."""
    denied: bytes | None = None
    """What stood by the record before a person said what was played, until that was seen to stand."""
    stated: frozenset[int] = frozenset()
    """The cells that people said have changed, until then."""
    memory: Memory = field(default_factory=Memory)
    """What was seen since the board was last understood."""
    in_doubt: bool = False
    """Whether the memory is of a start that may not stand right: once one does, it says nothing any more."""
    likely: tuple[int, tuple[str, ...]] = (0, ())
    """How many plies had been played when the board in doubt was looked at last, and the ply that seemed to go on from
    there, if one did."""
    shown: Position | None = None
    """The position of the record that the board showed last."""
    stood_t: float = 0.0
    """When the board last stood as the record says, as far as it was seen."""
    doubted_s: float = 0.0
    """For how many seconds in all no hand was there since, and it was not known what was played."""
    doubt_t: float | None = None
    """When it was looked at last, if that was then so."""
    concluded: bool = False
    """Whether no picture follows. Then nobody is accused, but asked: a recording may end amid a capture."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """What followed from an input: the new state, what is said, and what is still waited for, first what holds back."""

    state: State
    events: tuple[Event, ...] = ()
    waits: tuple[Reason, ...] = ()
    opinion: Opinion | None = None
    ignored: bool = False
    """Whether the opinion is one that a person has denied."""


def apply_input(state: State, given: Input) -> Consequence:
    """What follows from an input. InputError if a person asked for what cannot be done."""
    outcome = _dispatch_input(state, given)
    match = number_changes(state.match, outcome.state.match)
    return replace(outcome, state=replace(outcome.state, match=match))


def _dispatch_input(state: State, given: Input) -> Consequence:
    match given:
        case Looked():
            return _apply_look(state, given)
        case Unseen(reason=reason):
            return Consequence(state, waits=(reason,))
        case NotSetUp():
            return _apply_not_set_up(state, given)
        case PutUp(t=t, fit=fit):
            after, events = handle_pieces_put_up(state.match, t, fit)
            return Consequence(replace(state, match=after, memory=Memory()), events)
        case Asked(t=t, act=asked):
            _check_seen(state, asked)
            after, events = apply_act(state.match, asked, t)
            after = replace(after, loose=0)  # people have seen what the record says
            state = _note_statement(state, asked, after)
            return Consequence(replace(state, match=after, memory=Memory()), events)
        case Ticked(t=t):
            after, events = check_flag_fall(state.match, t)
        case Lost(t=t):
            after, events = camera_moved(state.match, t)
        case Found(t=t, fit=fit):
            after, events = camera_found(state.match, t, fit)
        case Blind():
            return _note_blindness(state, given)
        case Sighted(t=t):
            return Consequence(replace(state, blind=""), (SeenAgain(t),) if state.blind else ())
        case Concluded():
            return Consequence(replace(state, concluded=True))
        case Lit(t=t):
            return Consequence(state, (LightChanged(t),))
        case _:
            raise ValueError(f"no such input: {type(given).__name__}")
    return Consequence(replace(state, match=after), events)


def _note_blindness(state: State, given: Blind) -> Consequence:
    """The board is not seen: said once a cause; where nothing is, a hand may have come and gone."""
    said = () if given.cause == state.blind else (CannotSee(given.t, given.cause),)
    memory = replace(state.memory, visited=True) if given.cause in NOTHING_SEEN else state.memory
    after = replace(state, blind=given.cause, memory=memory)
    return Consequence(after, said, (Reason(f"cannot-see-{given.cause}"),))


def _check_seen(state: State, asked: Act) -> None:
    """InputError where a person says how a board stands that cannot be seen."""
    if vouches_for_board(asked) and state.blind not in MAY_BE_SEEN:
        raise InputError("The board cannot be seen now: say how it stands once it can be.")


def _apply_look(state: State, given: Looked) -> Consequence:
    before = state.match
    just_said = before.moved_t is not None and given.t - before.moved_t <= JUST_SAID_S
    is_awaited = before.phase is Phase.SETUP and not given.in_doubt  # what hands do until the pieces stand is no play
    remembered = Memory() if is_awaited or (state.in_doubt and not given.in_doubt) else state.memory
    opinion, memory = update_belief(
        before.game,
        before.positions,
        before.moves,
        replace(given.sight, assumed=state.concluded),
        remembered,
        given.moving,
        just_said=just_said,
        was_shown=state.shown == before.position,
        is_over=before.phase is Phase.OVER,
        begun_from=before.first_position,
    )
    state = replace(state, memory=memory, in_doubt=given.in_doubt)
    if given.in_doubt:
        return _play_on_in_doubt(state, given, opinion)
    if (reason := _find_hold_reason(state, given.sight, opinion)) is not None:
        return Consequence(state, (), (reason,), opinion, ignored=True)
    state = _note_seen_to_stand(state, opinion.verdict, given.sight)
    if contradicted := _find_contradicted_cells(state, opinion.verdict):
        return _tell_contradiction(state, given, opinion, contradicted)
    if isinstance(opinion.verdict, Still) and _may_stand_unseen(before, given.sight):
        reason = Reason("cells-not-seen", len(given.sight.hidden), 0)
        opinion = replace(opinion, verdict=Covered(tuple(given.sight.hidden)), reason=reason)
    state = _count_doubt(state, given, opinion)
    if is_unheld(before, opinion, state.doubted_s):
        state = replace(state, match=put_out_hint(before), doubted_s=0.0, doubt_t=None)
        return Consequence(state, (), (opinion.reason,), opinion)
    opinion = _drop_late_resignation(state, _hasten_question(state, opinion), given.t)
    if isinstance(opinion.verdict, Still | Played):
        state = replace(state, stood_t=given.t)
    if seems_put_back(before, given.sight, opinion):
        opinion = replace(opinion, verdict=Still(), after_s=LIFT_S)
    opinion = doubt_absent_piece(before, given.sight, opinion, given.t)
    after, events = apply_opinion(before, opinion, given.t, given.fit)
    after = _count_loose_plies(before, after, opinion, given.sight)
    state = _follow_position(replace(state, memory=memory), after, given.t, opinion)
    return Consequence(state, events, list_wait_reasons(after, opinion, given.t), opinion)


def _drop_late_resignation(state: State, opinion: Opinion, t: float) -> Opinion:
    """Pieces that were taken off too slowly are no resignation; what is asked stays asked."""
    note = state.match.note
    late = t - state.stood_t > GIVEN_UP_S and not (isinstance(note, Unclear) and note.resigned)
    if late and isinstance(opinion.verdict, Doubtful):
        return replace(opinion, verdict=replace(opinion.verdict, given_up=-1))
    return opinion


def _follow_position(state: State, after: Match, t: float, opinion: Opinion) -> State:
    """The state with the match `after` a look: where that has moved on, the board shows its position, and what was seen
    before says nothing any more but what followed the plies that were said, if they were the beginning of a line."""
    verdict = opinion.verdict
    if after.position == state.match.position:
        return replace(state, match=after, shown=after.position if isinstance(verdict, Still) else state.shown)
    memory = Memory(t=t)
    if isinstance(verdict, Played) and not (verdict.replaces or opinion.settled):
        memory = replace(memory, lines=state.memory.lines.drop_said_moves(verdict.moves))
    return replace(state, match=after, memory=memory, shown=after.position)


def _count_doubt(state: State, given: Looked, opinion: Opinion) -> State:
    """With the time that doubt has lasted while no hand was there, in one spell or in several.

    Whoever plays on every two seconds would else never be asked: each ply is a doubt of its own.
    """
    if not isinstance(opinion.verdict, Doubtful | Covered):
        return replace(state, doubted_s=0.0, doubt_t=None)
    covered = isinstance(opinion.verdict, Covered) and not isinstance(state.match.note, Lifted)
    if covered or not given.sight.clear or given.sight.hidden:
        return replace(state, doubt_t=None)
    more = 0.0 if state.doubt_t is None else given.t - state.doubt_t
    return replace(state, doubted_s=state.doubted_s + more, doubt_t=given.t)


def _hasten_question(state: State, opinion: Opinion) -> Opinion:
    """The opinion, which need not stand for long where there has been doubt for long."""
    is_due = state.doubt_t is not None and state.doubted_s >= DOUBT_S
    return replace(opinion, after_s=DOUBT_SPELL_S) if is_due else opinion


def _may_stand_unseen(match: Match, sight: Sight) -> bool:
    """Whether what was said may still be so where a hand is now; that a piece is in the air only on its own cell."""
    if match.phase in (Phase.PLAYING, Phase.SETUP) or not sight.hidden:
        return False
    if isinstance(match.note, Lifted):
        return match.game.board.index[match.note.cell] in sight.hidden
    return True


def _find_hold_reason(state: State, sight: Sight, opinion: Opinion) -> Reason | None:
    """Why nothing follows from an opinion: a refusal stands that a picture read by itself does not explain, or a hand
    hides what was not set up."""
    if sight.afresh and state.match.phase is Phase.TROUBLE and not opinion.settled:
        return opinion.reason
    if isinstance(opinion.verdict, Still) and _hides_what_was_wrong(state.match, sight):
        return Reason("cells-not-seen", len(sight.hidden), 0)
    return None


def _hides_what_was_wrong(match: Match, sight: Sight) -> bool:
    """Whether a cell that was not as expected at the start is not seen now."""
    named = match.note.wrong if match.phase is Phase.SETUP and isinstance(match.note, SetUp) else ()
    return any(match.game.board.index[name] in sight.hidden for name in named)


def _note_statement(state: State, asked: Act, after: Match) -> State:
    """A person has asked for something: what they said was played is to be seen on the board."""
    if not isinstance(asked, Correct | AsPlayed) or asked.by == "far":  # nobody there sees these pieces
        return state
    before, now = state.match.position.placement, after.position.placement
    changed = {cell for cell, (old, new) in enumerate(zip(before, now, strict=True)) if old != new}
    return replace(state, denied=before, stated=state.stated | changed)


def _note_seen_to_stand(state: State, verdict: Verdict, sight: Sight) -> State:
    """What people said needs no more proof once the cells that it changed are seen as it has them."""
    stands = isinstance(verdict, Still) and state.stated.isdisjoint(sight.hidden)
    return replace(state, denied=None, stated=frozenset()) if stands else state


def _find_contradicted_cells(state: State, verdict: Verdict) -> tuple[int, ...]:
    """Where the board surely is not as a person said: it stands as before, or nothing lawful explains it there."""
    match = state.match
    if state.denied is None or match.phase in (*RESTING, Phase.SETUP, Phase.OVER):
        return ()
    match verdict:
        case Played() as played:
            shown = find_shown_placement(match, played)
        case Earlier(plies=plies):
            shown = match.positions[-1 - plies].placement
        case PutUpAgain():
            shown = match.first_position.placement
        case Doubtful(differs=cells):
            return () if state.stated.isdisjoint(cells) else cells
        case Wrong(cells=cells, before=before):
            named = {*cells, *before}
            return () if state.stated.isdisjoint(named) else tuple(sorted(named))
        case _:
            return ()
    expected = match.position.placement
    return (
        tuple(cell for cell in sorted(state.stated) if shown[cell] != expected[cell]) if shown == state.denied else ()
    )


def _tell_contradiction(state: State, given: Looked, opinion: Opinion, cells: tuple[int, ...]) -> Consequence:
    """Nothing is taken from a board that is not as a person said, until it stands so or people say that it does."""
    told = replace(opinion, verdict=Contradicted(cells), reason=Reason("said-otherwise"))
    after, events = apply_opinion(state.match, told, given.t, given.fit)
    waits = list_wait_reasons(after, told, given.t)
    return Consequence(replace(state, match=after), events, waits, opinion, ignored=True)


def _count_loose_plies(before: Match, after: Match, opinion: Opinion, sight: Sight) -> Match:
    """With how many plies were seen beside a hand only, now that the board was seen once more."""
    alone = sight.clear and not sight.hidden and isinstance(opinion.verdict, Still | Played)
    new = max(0, len(after.moves) - len(before.moves))
    loose = 0 if alone else min(after.loose + new, len(after.moves))
    return after if loose == after.loose else replace(after, loose=loose)


def _play_on_in_doubt(state: State, given: Looked, opinion: Opinion) -> Consequence:
    """The start position was in doubt by a cell or two: plies that surely go on from it say that it stood right."""
    before = state.match
    state = replace(state, likely=(len(before.moves), _list_likely_plies(before, given.sight, opinion)))
    if before.ready or not (isinstance(opinion.verdict, Played) and opinion.settled and not opinion.verdict.replaces):
        return Consequence(state, (), _list_doubts(before, opinion), opinion, ignored=True)
    begun = replace(before, phase=Phase.PLAYING, note=None, ready=True, recalled=False)
    # What settles a doubt need not stand for longer because the picture is doubtful.
    opinion = replace(opinion, after_s=choose_delay(opinion.probability, load_default_numbers()))
    after, events = apply_opinion(begun, opinion, given.t, given.fit)
    if not events:  # seen, and not yet for long enough
        kept = replace(before, pending=after.pending, since=after.since)
        return Consequence(
            replace(state, match=kept), (), list_wait_reasons(kept, opinion, given.t), opinion, ignored=True
        )
    ready = Ready(given.t, given.fit)
    settled = replace(state, match=after, memory=Memory(t=given.t), in_doubt=False)
    return Consequence(settled, (ready, *events), (), opinion)


def _list_doubts(match: Match, opinion: Opinion) -> tuple[Reason, ...]:
    """What a start in doubt waits for: a demand that is met holds nothing back, the cells that seem wrong do."""
    if not opinion.reason.is_met:
        return (opinion.reason,)
    named = match.note.because if isinstance(match.note, SetUp) else None
    return () if named is None else (named,)


def _list_likely_plies(match: Match, sight: Sight, opinion: Opinion) -> tuple[str, ...]:
    """The ply that is likely enough to be asked about on a board at rest, if one is."""
    if not sight.rested or not opinion.best or opinion.best[0][0] < LIKELY_SINCE:
        return ()
    verdict = opinion.best[0][1].verdict
    if not isinstance(verdict, Played) or verdict.replaces:
        return ()
    return (format_moves(match.game, match.position, verdict.moves[:1]),)


def _is_same_setup(one: SetUp, other: SetUp) -> bool:
    """Whether the second says nothing new: which cells seem wrong says nothing where another board lies."""
    another = {one.because and one.because.rule, other.because and other.because.rule} == {"another-board"}
    return another or replace(one, t=other.t) == other


def _is_same_question(asked: Unclear, cells: tuple[str, ...], options: tuple[str, ...]) -> bool:
    """Whether a question that was open when the service ended still stands: the board is as it was, and no more is
    known of it."""
    return set(options) <= set(asked.options) and {*asked.differs} == {*cells}


def _apply_not_set_up(state: State, given: NotSetUp) -> Consequence:
    """Every cell that is not as expected is named, once."""
    match = state.match
    if match.phase in (*RESTING, Phase.OVER):
        return Consequence(state)
    reason = Reason("not-set-up", len(given.wrong), 0)
    if given.fit is not None and given.fit < GOOD_FIT:
        reason = Reason("another-board", given.fit, GOOD_FIT)
    elif given.exchanged:
        reason = Reason("sides-exchanged", len(given.wrong), 0)
    cells = tuple(match.game.board.cells[c] for c in given.wrong)
    plies, likely = state.likely if state.in_doubt else (0, ())
    options = given.options or (likely if plies == len(match.moves) else ())
    if isinstance(match.note, Unclear) and _is_same_question(match.note, cells, options):
        return Consequence(state, waits=(reason,))
    event = SetUp(given.t, cells, options, because=reason)
    said = isinstance(match.note, SetUp) and _is_same_setup(match.note, event)
    after = replace(state, match=replace(match, phase=Phase.SETUP, note=event))
    return Consequence(after, () if said else (event,), (reason,))
