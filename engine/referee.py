"""The referee: phase x verdict -> (phase, events). Pure; times come in with the input.

What the table says, in words. Nothing is acted on at the first doubtful look:
  - a verdict that is SURE counts at once; one that merely fits must be the answer for CONFIRM_S;
  - that nothing lawful fits must be seen twice, WRONG_S apart; that plies were taken back, for TAKEBACK_S;
  - doubt is made public after DOUBT_S, as a question with options.
Something lying over the board (a hand) gives no verdict at all: the phase stays as it is.

  verdict      what happens (in any phase but OVER)                      phase afterwards
  Still        ready, or restored if something had been announced        PLAYING
  Raised       lifted, with the cells the piece may end on               LIFTED
  Unfinished   partial, with what is still to be done                    PARTIAL
  Played       move for each ply; result if the game is over             PLAYING or OVER
  Earlier      takeback                                                  PLAYING
  Wrong        illegal, with the reason (set-up before the first ready)  TROUBLE (SETUP)
  Doubtful     unclear, with options (set-up before the first ready)     UNCLEAR (SETUP)

Once the game is OVER the pieces may be pushed about; only the start position begins something new.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from engine.acts import Act, Correct, NewGame, Resign, Undo
from engine.errors import InputError
from engine.events import (
    CameraFound,
    CameraMoved,
    Event,
    Illegal,
    Lifted,
    Moved,
    Partial,
    Ready,
    Restored,
    Result,
    SetUp,
    Takeback,
    Unclear,
)
from engine.game import Game, Move, Outcome, Position, Refusal
from engine.match import Match, Phase
from engine.verdicts import (
    Covered,
    Doubtful,
    Earlier,
    Played,
    Raised,
    Still,
    Unfinished,
    Verdict,
    Wrong,
)
from engine.witness import Opinion

CONFIRM_S = 0.4
WRONG_S = 0.1
TAKEBACK_S = 1.0
DOUBT_S = 2.5
"""Seconds of stream time. Hands pause over the board for up to 0.7 s in the reference recordings."""

Step = tuple[Match, tuple[Event, ...]]


def new_match(game: Game, position: Position | None = None) -> Match:
    """A match about to begin."""
    return Match(game, (position or game.start(),))


def step(match: Match, opinion: Opinion, t: float, fit: int) -> Step:
    """Take one opinion of what the board shows. `fit` is the fit score of the calibration, 0-100."""
    verdict = opinion.verdict
    if not isinstance(verdict, type(match.pending)) or not _same(verdict, match.pending):
        match = replace(match, pending=verdict, since=t)
    if not _ripe(match, opinion, t):
        return match, ()
    handler = TABLE.get((match.phase, type(verdict)))
    if handler is None:
        raise ValueError(f"no entry in the phase table for {match.phase} and {type(verdict).__name__}")
    return handler(match, opinion, t, fit)


def _same(one: Verdict, other: Verdict | None) -> bool:
    """Whether two verdicts say the same as far as patience goes."""
    if isinstance(one, Doubtful):
        return isinstance(other, Doubtful)
    if isinstance(one, Wrong) and isinstance(other, Wrong):
        return one.cells == other.cells
    return one == other


def _ripe(match: Match, opinion: Opinion, t: float) -> bool:
    """Whether the verdict has stood long enough to act on."""
    stood = t - match.since
    match opinion.verdict:
        case Covered():
            return False
        case Doubtful():
            return stood >= DOUBT_S
        case Wrong():
            return stood >= WRONG_S
        case Earlier():
            return stood >= TAKEBACK_S
    return opinion.sure or stood >= CONFIRM_S


def _still(match: Match, _opinion: Opinion, t: float, fit: int) -> Step:
    if match.phase is Phase.SETUP:
        return replace(match, phase=Phase.PLAYING, note=None, ready=True), (Ready(t, fit),)
    if match.note is None:
        return replace(match, phase=Phase.PLAYING), ()
    return replace(match, phase=Phase.PLAYING, note=None), (Restored(t),)


def _raised(match: Match, opinion: Opinion, t: float, _fit: int) -> Step:
    cell = cast(Raised, opinion.verdict).cell
    targets: list[str] = []
    cells = match.game.board.cells
    for origin, target, _, _ in match.game.results(match.position):
        if origin == cell and cells[target] not in targets:
            targets.append(cells[target])
    return _announce(match, Phase.LIFTED, Lifted(t, cells[cell], tuple(targets)))


def _unfinished(match: Match, opinion: Opinion, t: float, _fit: int) -> Step:
    verdict = cast(Unfinished, opinion.verdict)
    cells = match.game.board.cells
    todo = [f"remove {cells[c]}" for c in verdict.remove]
    if verdict.go_on >= 0:
        todo.insert(0, f"go on to {cells[verdict.go_on]}")
    return _announce(match, Phase.PARTIAL, Partial(t, match.game.write(match.position, verdict.move), tuple(todo)))


def _played(match: Match, opinion: Opinion, t: float, _fit: int) -> Step:
    verdict = cast(Played, opinion.verdict)
    match = _back(match, verdict.replaces)
    events: list[Event] = []
    for i, move in enumerate(verdict.moves):
        events.append(_moved(match, move, t, opinion.confidence, corrected=i < verdict.replaces))
        match = _advance(match, move)
    return _conclude(replace(match, phase=Phase.PLAYING, note=None), events, t)


def _earlier(match: Match, opinion: Opinion, t: float, _fit: int) -> Step:
    plies = cast(Earlier, opinion.verdict).plies
    return replace(_back(match, plies), phase=Phase.PLAYING, note=None), (Takeback(t, plies),)


def _wrong(match: Match, opinion: Opinion, t: float, _fit: int) -> Step:
    verdict = cast(Wrong, opinion.verdict)
    cells = tuple(match.game.board.cells[c] for c in verdict.cells)
    refusal: Refusal = verdict.refusal
    return _announce(match, Phase.TROUBLE, Illegal(t, cells, refusal.code, refusal.message, refusal.instead))


def _doubtful(match: Match, opinion: Opinion, t: float, _fit: int) -> Step:
    return _announce(match, Phase.UNCLEAR, Unclear(t, cast(Doubtful, opinion.verdict).options))


def _not_set_up(match: Match, opinion: Opinion, t: float, _fit: int) -> Step:
    """Before the first `ready` nothing is a move: every cell that is not as expected is named."""
    cells = match.game.board.cells
    match opinion.verdict:
        case Wrong(cells=wrong):
            names = tuple(cells[c] for c in wrong)
        case Raised(cell=cell):
            names = (cells[cell],)
        case Played(moves=(move, *_)) | Unfinished(move=move):
            names = tuple(cells[c] for c in sorted({move.origin, move.target, *move.taken}))
        case _:
            names = ()
    return _announce(match, Phase.SETUP, SetUp(t, names))


def _ignored(match: Match, _opinion: Opinion, _t: float, _fit: int) -> Step:
    return match, ()


def _announce(match: Match, phase: Phase, event: Event) -> Step:
    """Go to `phase` and say why, unless the same was the last thing said."""
    said = match.note
    if said is not None and match.phase is phase and replace(said, t=event.t) == event:
        return match, ()
    return replace(match, phase=phase, note=event), (event,)


def _moved(match: Match, move: Move, t: float, confidence: float, corrected: bool = False) -> Moved:
    cells = match.game.board.cells
    return Moved(
        t=t,
        ply=len(match.moves) + 1,
        side=match.side,
        notation=match.game.write(match.position, move),
        from_=cells[move.origin],
        to=cells[move.target],
        captured=tuple(cells[c] for c in move.taken),
        confidence=round(confidence, 3),
        corrected=corrected,
    )


def _advance(match: Match, move: Move) -> Match:
    after = match.game.play(match.position, move)
    return replace(match, positions=(*match.positions, after), moves=(*match.moves, move))


def _back(match: Match, plies: int) -> Match:
    if plies == 0:
        return match
    return replace(match, positions=match.positions[:-plies], moves=match.moves[:-plies], outcome=None)


def _conclude(match: Match, events: list[Event], t: float) -> Step:
    outcome = match.game.outcome(match.position)
    if outcome is None:
        return match, tuple(events)
    events.append(Result(t, outcome.result, outcome.reason))
    return replace(match, phase=Phase.OVER, outcome=outcome), tuple(events)


Handler = Callable[[Match, Opinion, float, int], Step]

_SAYS: dict[type[Verdict], Handler] = {
    Still: _still,
    Raised: _raised,
    Unfinished: _unfinished,
    Played: _played,
    Earlier: _earlier,
    Wrong: _wrong,
    Doubtful: _doubtful,
}
TABLE: dict[tuple[Phase, type[Verdict]], Handler] = {
    **{(phase, verdict): handler for phase in Phase for verdict, handler in _SAYS.items()},
    **{(Phase.SETUP, verdict): _not_set_up for verdict in _SAYS if verdict is not Still},
    **{(Phase.OVER, verdict): _ignored for verdict in _SAYS},
    **{(phase, Covered): _ignored for phase in Phase},
}


def camera_moved(match: Match, t: float) -> Step:
    """The board is not where it was: nothing is judged until it is found again."""
    if match.phase in (Phase.BLIND, Phase.OVER):
        return match, ()
    event = CameraMoved(t)
    return replace(match, phase=Phase.BLIND, note=event, pending=None), (event,)


def camera_found(match: Match, t: float, fit: int) -> Step:
    """The board was found again; what stands on it will be judged by the next look."""
    if match.phase is not Phase.BLIND:
        return match, ()
    phase = Phase.PLAYING if match.ready else Phase.SETUP
    return replace(match, phase=phase, note=None, pending=None), (CameraFound(t, fit),)


def act(match: Match, asked: Act, t: float) -> Step:
    """Do what a person asked. InputError when it cannot be done."""
    match asked:
        case Undo(plies=plies):
            if not 1 <= plies <= len(match.moves):
                raise InputError(f"undo: {plies} plies asked, {len(match.moves)} have been played")
            return replace(_back(match, plies), phase=Phase.PLAYING, note=None), (Takeback(t, plies),)
        case Correct(ply=ply, notation=notation):
            return _correct(match, ply, notation, t)
        case Resign(side=side):
            return _resign(match, side, t)
        case NewGame(setup=setup):
            return new_match(match.game, match.game.start(setup)), ()


def _correct(match: Match, ply: int, notation: str, t: float) -> Step:
    if not 1 <= ply <= len(match.moves) + 1:
        raise InputError(f"correct: there is no ply {ply}; {len(match.moves)} have been played")
    kept = _back(match, len(match.moves) - ply + 1)
    move = match.game.read(kept.position, notation)
    if isinstance(move, Refusal):
        raise InputError(f"correct: ply {ply} {notation}: {move.message}")
    event = _moved(kept, move, t, 1.0, corrected=ply <= len(match.moves))
    after = replace(_advance(kept, move), phase=Phase.PLAYING, note=None)
    return _conclude(after, [event], t)


def _resign(match: Match, side: str, t: float) -> Step:
    if side not in match.game.seats:
        raise InputError(f"resign: no side {side!r}, choose from {', '.join(match.game.seats)}")
    if match.phase is Phase.OVER:
        raise InputError("resign: the game is over")
    end = match.game.resign(match.position, match.game.seats.index(side))
    if isinstance(end, Outcome):
        return replace(match, phase=Phase.OVER, note=None, outcome=end), (Result(t, end.result, end.reason),)
    return replace(match, positions=(*match.positions[:-1], end)), ()
