"""What people ask for: act x phase -> (phase, events). Pure, like engine.match.referee.

  act                    allowed in                           phase afterwards
  Undo                   all but ADJOURNED                    SETUP, or PAUSED if it was or if no time is left
  Correct                all but ADJOURNED                    PLAYING, SETUP if it was or after a conflict, PAUSED if
                                                              it was, or OVER
  BringBack              all but ADJOURNED                    SETUP, PAUSED if it was, or OVER if it was before
  SetPosition            all but ADJOURNED                    SETUP, or PAUSED if it was; OVER if the position says so
  AsPlayed               all but ADJOURNED and OVER           PLAYING, SETUP or PAUSED if it was; OVER if that ends it
  AgreeDraw, ClaimDraw,
  Resign, Forfeit        all but OVER                         OVER; SETUP if others play on without those pieces
  Pause                  all but PAUSED, ADJOURNED, OVER      PAUSED
  Adjourn                all but ADJOURNED, OVER              ADJOURNED
  AddTime                all but ADJOURNED; OVER only where   as before; SETUP where that a flag fell is overruled, or
                         the clock says so                    PAUSED if it was
  Resume                 PAUSED, ADJOURNED                    PLAYING; SETUP where the board must first stand again
  Lose                   where a clock runs, SETUP            PAUSED, until it is known whether the time counts
  CountLost              PAUSED because time was lost         as after Resume
  StandsSo               SETUP                                SETUP
  PutBack                all but PAUSED, ADJOURNED, OVER      SETUP: the lights name what is to be put right
  Press                  where a clock runs, but TROUBLE      as before
  NewGame                all                                  SETUP; the game before is put away if it is not over
  Settle                 where the game before was under way  as before
  Choose                 all                                  as before

After SETUP play goes on once the position stands on the board: what still lies there from before is no move.
What is not in the table is refused with an InputError, and nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.belief.opinion import NO_MOVE, read_moves
from engine.errors import InputError
from engine.explain.rules_alone import RULES_ALONE
from engine.explain.wording import words_of
from engine.game import (
    FORFEITS,
    FORFEITS_OF_ALL,
    RESIGNED,
    Move,
    Outcome,
    Position,
    Refusal,
    drawn_result,
    has_pieces,
    leave_side_out,
    lost_by_all,
)
from engine.match.acts import (
    EVERYBODY,
    Act,
    AddTime,
    Adjourn,
    AgreeDraw,
    AsPlayed,
    BringBack,
    Choose,
    ClaimDraw,
    Correct,
    CountLost,
    Forfeit,
    Lose,
    NewGame,
    Pause,
    Press,
    PutBack,
    Resign,
    Resume,
    SetPosition,
    Settle,
    StandsSo,
    Undo,
)
from engine.match.clock import has_flag_fallen, seconds_left, turn_seconds
from engine.match.clocked_match import (
    RUNNING,
    SAID,
    align_clock_seat,
    clear_side_time,
    give_time,
    release_clocks,
    set_position,
    update_clocks,
    withdraw_press,
)
from engine.match.course import (
    MatchStep,
    advance_ply,
    begin_next_game,
    build_move_event,
    conclude_if_over,
    find_claim,
    let_side_leave,
    repeat_end,
    repeat_said,
    return_to_setup,
    rewind_plies,
    withdraw_said,
)
from engine.match.events import (
    Adjourned,
    BroughtBack,
    ClockPressed,
    ClocksStarted,
    Conflict,
    Event,
    Left,
    Moved,
    Paused,
    PositionSet,
    Result,
    Resumed,
    Takeback,
    TimeCounted,
    TimeLost,
    Vouched,
)
from engine.match.settling import build_settled
from engine.match.state import RESTING, Dropped, Match, Phase
from engine.sentences import Sentence
from engine.text.positions import from_json, to_json

GAME_OVER = ("game-over", RULES_ALONE["game-over"])
"""Code and sentence of why a ply fits no more after a side has left."""


def apply_act(match: Match, asked: Act, t: float) -> MatchStep:
    """Do what a person asked; the events say who. InputError when it cannot be done."""
    handler, refused = ACTS[type(asked)]
    if match.phase in refused:
        raise InputError(f"{_act_name(asked)}: {refused[match.phase]}")
    after, events = handler(match, asked, t)
    told = tuple(replace(event, by=asked.by, account=asked.account) for event in events)
    nothing_moved = isinstance(asked, Press | Choose | AddTime) and after.phase is match.phase
    pending = match.pending if nothing_moved else None
    offered = after.offered if isinstance(asked, Choose) else 0
    return update_clocks(match, (replace(after, pending=pending, offered=offered), told), t)


def check_flag_fall(match: Match, t: float) -> MatchStep:
    """Time goes by: what was pressed for no move is withdrawn, and the side on turn loses when its flag has fallen."""
    match, withdrawn = withdraw_press(match, t)
    if match.clocks and match.phase in RUNNING and has_flag_fallen(match.clocks[-1], t):
        lost, events = apply_act(match, Forfeit(match.side_to_move, "time", by="clock"), t)
        return lost, (*withdrawn, *events)
    return match, withdrawn


def _act_name(asked: Act) -> str:
    """`SetPosition` as people write it: "set position"."""
    return "".join(f" {c.lower()}" if c.isupper() else c for c in type(asked).__name__).strip()


def _undo_plies(match: Match, asked: Undo, t: float) -> MatchStep:
    if asked.plies == 1 and (before := withdraw_said(match)) is not None:  # no ply was wrong, and there may be none
        after = align_clock_seat(return_to_setup(before, before.position))
        return _pause_without_time(after, Takeback(t, 0, because=SAID), t)
    if not 1 <= asked.plies <= len(match.moves):
        raise InputError(f"undo: {asked.plies} plies asked, {len(match.moves)} have been played")
    before = rewind_plies(match, asked.plies)
    return return_to_setup(before, before.position), (Takeback(t, asked.plies, because=SAID),)


def _pause_without_time(match: Match, event: Event, t: float) -> MatchStep:
    """The match after `event`, paused where a flag would fall at once: first somebody adds time."""
    if not match.clocks or match.phase in RESTING or seconds_left(match.clocks[-1], t)[match.position.seat] > 0.0:
        return match, (event,)
    paused = Paused(t)
    return replace(match, phase=Phase.PAUSED, note=paused), (event, paused)


def _correct_ply(match: Match, asked: Correct, t: float) -> MatchStep:
    ply, played = asked.ply, len(match.moves)
    if not 1 <= ply <= played + 1:
        raise InputError(f"correct: there is no ply {ply}; {played} have been played")
    if ply > played and asked.notation == NO_MOVE and NO_MOVE in match.open_options:
        return _ask_put_back(match, PutBack(), t)
    after, events = rewind_plies(match, played - ply + 1), list[Event]()
    text = asked.notation if ply >= played else "".join(asked.notation.split())  # one ply alone, before others
    moves = read_moves(match.game, after.position, text)
    if isinstance(moves, Refusal):
        message = moves.message
        if isinstance(message, Sentence) and message.values.get("text") == repr(text):  # quoted as it was typed
            moves = replace(moves, message=Sentence(message.text, {**message.values, "text": repr(asked.notation)}))
        raise _build_not_played(after, asked.notation, moves)
    for move in moves:
        events.append(build_move_event(after, move, t, 1.0, SAID, corrected=len(after.moves) < played))
        after = advance_ply(after, move)
    return _repeat_plies(match, _continue_play(after), events, t)


def _repeat_plies(match: Match, after: Match, events: list[Event], t: float) -> MatchStep:
    """`after`, and what came after as many plies in `match`, as far as that is lawful still."""
    ply, played = len(after.moves), len(match.moves)
    for position, later in zip(match.positions[ply:], match.moves[ply:], strict=False):
        after, told = repeat_said(match, after, t)
        events += told
        if after.outcome is not None:
            ended = Conflict(t, len(after.moves) + 1, match.game.write(position, later), *GAME_OVER)
            return replace(after, ready=False, dropped=build_dropped(match, ply, ended)), (*events, ended)
        found = _replay_move(after, position, later)
        if isinstance(found, Conflict):
            found = replace(found, t=t)
            after = replace(return_to_setup(after, after.position), dropped=build_dropped(match, ply, found))
            return conclude_if_over(after, [*events, found], t)
        event, others = _build_repeated_move(match, after, found, t)
        events.append(event)
        after = advance_ply(after, found, others)
    for repeat in (repeat_said, repeat_end) if ply <= played else (repeat_end,):
        after, told = repeat(match, after, t)
        events += told
    return (after, tuple(events)) if after.outcome is not None else conclude_if_over(after, events, t)


def _build_repeated_move(match: Match, after: Match, move: Move, t: float) -> tuple[Moved, tuple[Move, ...]]:
    """The event for the next move of `match` in `after`, the same game written otherwise, and what else it may be."""
    others = _list_other_moves(match, after, move)
    event = build_move_event(after, move, t, 1.0 / (1 + len(others)), SAID, corrected=True, others=others)
    return replace(event, as_played=_find_fault_code(after, move)), others


def build_dropped(match: Match, ply: int, conflict: Conflict) -> Dropped:
    """What of `match` was dropped when `ply` was corrected."""
    return Dropped(replace(match, dropped=None, before=None), ply, conflict)


def find_dropped(match: Match, ply: int, notation: str) -> Dropped | None:
    """What a correction would drop, None for nothing. InputError where it would be refused."""
    after, _ = apply_act(replace(match, clocks=()), Correct(ply, notation), 0.0)
    return after.dropped


def _bring_back(match: Match, _asked: BringBack, t: float) -> MatchStep:
    """What the last correction changed is as it was: each ply is told again, with the time that it had."""
    lost = match.dropped
    if lost is None:
        raise InputError("No move was dropped by the last correction, or the game has gone on since.")
    if match.outcome is not None and match.game.outcome(match.position) is None:
        raise InputError("The game has ended since: take the result back first.")
    before, events = lost.before, list[Event]()
    after = replace(rewind_plies(match, len(match.moves) - lost.ply + 1), outcome=None)
    for ply in range(lost.ply, len(before.moves) + 1):
        if ply > lost.ply:
            after, told = repeat_said(before, after, t)
            events += told
        move = before.moves[ply - 1]
        event, others = _build_repeated_move(before, after, move, t)
        seat = before.positions[ply - 1].seat
        left = round(before.clocks[ply].left_s[seat] + match.clocks[-1].added_s[seat], 3) if before.clocks else None
        events.append(replace(event, clock=left))
        after = advance_ply(after, move, others)
    after, told = repeat_said(before, after, t, whole=True)
    events += [*told, BroughtBack(t, lost.ply, lost.plies)]
    after, told = repeat_end(before, return_to_setup(after, after.position), t)
    events += told
    return (after, tuple(events)) if after.outcome is not None else conclude_if_over(after, events, t)


def _build_not_played(before: Match, typed: str, refusal: Refusal) -> InputError:
    """That the move after `before`, named as lists of moves name it, was not what somebody has typed."""
    turns = zip(before.positions, before.positions[1:], strict=False)
    number = 1 + sum(later.seat <= earlier.seat for earlier, later in turns)
    side = words_of(before.game).seats[before.side_to_move]
    said = {"typed": typed, "number": number, "side": side, "why": refusal.message, "code": refusal.code}
    return InputError("“{number}. {side}” was not {typed}: {why}", **said)


def _list_other_moves(match: Match, before: Match, move: Move) -> tuple[Move, ...]:
    """The moves that may have been played in place of the next one, which was undecided: it still is, if nothing that
    came before it is changed."""
    ply = len(before.moves) + 1
    others = next((one.moves[1:] for one in match.undecided if one.ply == ply and one.moves[0] == move), ())
    return others if before.position == match.positions[ply - 1] else ()


def _replay_move(match: Match, before: Position, move: Move) -> Move | Conflict:
    """`move`, once played in `before`, in the last position of `match`; it stood as played if it did so before."""
    text = match.game.write(before, move)
    found = match.game.read(match.position, text)
    if isinstance(found, Move):
        return found
    if isinstance(match.game.read(before, text), Refusal):
        stood = match.game.overrule(match.position, text)
        if stood is not None:
            return stood
    return Conflict(0.0, len(match.moves) + 1, text, found.code, found.message)


def _find_fault_code(match: Match, move: Move) -> str | None:
    """The reason code if `move` is not lawful."""
    found = match.game.read(match.position, match.game.write(match.position, move))
    return found.code if isinstance(found, Refusal) else None


def _accept_as_played(match: Match, asked: AsPlayed, t: float) -> MatchStep:
    game, text = match.game, asked.notation
    found = game.read(match.position, text)
    if isinstance(found, Refusal):
        move = game.overrule(match.position, text)
        if move is None:  # no piece to move, or no move at all: the game's own reason, with an example of its own
            raise _build_not_played(match, text, found)
    else:
        move = found
    event = replace(
        build_move_event(match, move, t, 1.0, SAID), as_played=found.code if isinstance(found, Refusal) else None
    )
    return conclude_if_over(_continue_play(advance_ply(match, move)), [event], t)


def _set_position(match: Match, asked: SetPosition, t: float) -> MatchStep:
    _, position = from_json(asked.position, match.game)
    if not any(position.placement):
        raise InputError("Set a position with pieces: an empty board is none.")
    if match.outcome and withdraw_said(match) is not None and match.game.outcome(position) is not None:
        raise InputError("The game is over, and this position would end it otherwise: take that back first.")
    after = return_to_setup(set_position(match, position), position)
    event = PositionSet(t, to_json(match.game, position))
    if match.game.outcome(position) is not None:
        return conclude_if_over(after, [event], t)
    return _pause_without_time(after, event, t)


def _agree_draw(match: Match, _asked: AgreeDraw, t: float) -> MatchStep:
    return _end_game(match, Outcome(drawn_result(match.game, match.position), "agreement"), [], t)


def _claim_draw(match: Match, _asked: ClaimDraw, t: float) -> MatchStep:
    found = find_claim(match.game, match.positions)
    if found is None:
        raise InputError("No draw can be claimed here: neither repetition nor quiet moves give one.")
    return _end_game(match, found, [], t)


def _resign_side(match: Match, asked: Resign, t: float) -> MatchStep:
    return _leave_game(match, asked.side, RESIGNED, t)


def _forfeit_side(match: Match, asked: Forfeit, t: float) -> MatchStep:
    if asked.side == EVERYBODY and asked.why not in FORFEITS_OF_ALL:
        raise InputError("Only one clock runs: not every side can have lost on time.")
    if asked.side == EVERYBODY:
        return _end_game(match, Outcome(lost_by_all(len(match.game.seats)), asked.why), [], t)
    if asked.why not in FORFEITS:
        raise InputError(f"forfeit: no reason {asked.why!r}, choose from {', '.join(FORFEITS)}")
    return _leave_game(match, asked.side, asked.why, t)


def _leave_game(match: Match, side: str, why: str, t: float) -> MatchStep:
    """`side` is out; of two players the other wins, of three the others may play on."""
    seats = match.game.seats
    if side not in seats:
        raise InputError(f"{why}: no side {side!r}, choose from {', '.join(seats)}")
    if not has_pieces(match.game, match.position, side):
        raise InputError("{side} is out of the game already.", side=words_of(match.game).seats[side])
    event = Left(t, side, why)
    end = leave_side_out(match.game, match.position, side, why)
    if isinstance(end, Outcome):
        return _end_game(match, end, [event], t)
    spent_s = round(turn_seconds(match.clocks[-1], t), 3) if match.clocks and side == match.side_to_move else 0.0
    match = let_side_leave(match, side, end, why, spent_s)
    return clear_side_time(return_to_setup(match, end), side), (event,)


def _pause_game(match: Match, _asked: Pause, t: float) -> MatchStep:
    event = Paused(t)
    return replace(match, phase=Phase.PAUSED, note=event), (event,)


def _adjourn_game(match: Match, _asked: Adjourn, t: float) -> MatchStep:
    event = Adjourned(t)
    return replace(match, phase=Phase.ADJOURNED, note=event), (event,)


def _resume_game(match: Match, _asked: Resume, t: float) -> MatchStep:
    ready = match.ready and match.phase is Phase.PAUSED
    phase = Phase.PLAYING if ready else Phase.SETUP
    recalled = match.recalled or match.phase is Phase.ADJOURNED
    return replace(match, phase=phase, note=None, ready=ready, recalled=recalled), (Resumed(t),)


def _report_lost_time(match: Match, asked: Lose, t: float) -> MatchStep:
    if not match.clocks:
        raise InputError("lose: this game is played without clocks")
    event = TimeLost(t, asked.kind, round(asked.seconds, 3), asked.before, asked.now)
    return replace(match, phase=Phase.PAUSED, note=event), (event,)


def _count_lost(match: Match, asked: CountLost, t: float) -> MatchStep:
    lost = lost_seconds(match)
    if not lost:
        raise InputError("count lost: no time was lost")
    now = match.clocks[-1]
    counted = replace(match, clocks=(*match.clocks[:-1], replace(now, spent_s=round(now.spent_s + lost, 3))))
    after, events = _resume_game(counted, Resume(by=asked.by), t)
    return after, (TimeCounted(t, match.side_to_move, lost), *events)


def lost_seconds(match: Match) -> float:
    """Seconds of which it is asked whether they count; 0 for none."""
    return max(0.0, match.note.seconds) if isinstance(match.note, TimeLost) else 0.0


def _vouch_position(match: Match, _asked: StandsSo, t: float) -> MatchStep:
    return replace(match, note=None), (Vouched(t),)


def _ask_put_back(match: Match, _asked: PutBack, _t: float) -> MatchStep:
    return return_to_setup(match, match.position), ()


def _press_clock(match: Match, asked: Press, t: float) -> MatchStep:
    if not match.clocks:
        raise InputError("press: this game is played without clocks")
    now = match.clocks[-1]
    if now.held:
        return release_clocks(match), (ClocksStarted(t),)
    if asked.side not in (None, match.side_to_move):
        raise InputError(f"press: {asked.side} is not on turn, {match.side_to_move} is")
    if now.pressed is not None:
        raise InputError(f"press: {match.side_to_move} has pressed already")
    following = match.game.play(match.position, match.game.moves(match.position)[0]).seat  # a side may be out
    pressed = replace(now, pressed=t, following=following)
    return replace(match, clocks=(*match.clocks[:-1], pressed)), (ClockPressed(t, match.side_to_move),)


def _new_game(match: Match, asked: NewGame, t: float) -> MatchStep:
    return begin_next_game(match, match.game.start(asked.setup), t)


def _settle_previous(match: Match, asked: Settle, t: float) -> MatchStep:
    """The game before ended so; this one goes on."""
    if match.before is None:
        raise InputError("settle: how the game before ended is known")
    return replace(match, before=None), (build_settled(asked.how, match.before, t),)


def _show_next_choice(match: Match, _asked: Choose, _t: float) -> MatchStep:
    return replace(match, offered=match.offered + 1), ()


def _continue_play(match: Match) -> Match:
    """Play goes on, or stays paused, or waits as before for the pieces to be set up."""
    match = replace(match, outcome=None)
    if match.phase is Phase.SETUP and not match.ready:
        return replace(match, note=None)
    return match if match.phase is Phase.PAUSED else replace(match, phase=Phase.PLAYING, note=None)


def _end_game(match: Match, outcome: Outcome, events: list[Event], t: float) -> MatchStep:
    events.append(Result(t, outcome.result, outcome.reason))
    return replace(match, phase=Phase.OVER, note=None, outcome=outcome), tuple(events)


RefusedIn = Mapping[Phase, str]
AWAY = {Phase.ADJOURNED: "the game is adjourned; resume it first"}
UNTIMED = {phase: "no clock is running" for phase in Phase if phase not in RUNNING}
PLAYED = dict.fromkeys(set(Phase) - {Phase.SETUP}, "the referee does not wait for the pieces to be set up")
NOT_NOW = {Phase.OVER: "the game is over"}
ACTS: Mapping[type[Act], tuple[Callable[[Match, Any, float], MatchStep], RefusedIn]] = {
    Undo: (_undo_plies, AWAY),
    Correct: (_correct_ply, AWAY),
    BringBack: (_bring_back, AWAY),
    SetPosition: (_set_position, AWAY),
    AsPlayed: (_accept_as_played, AWAY | NOT_NOW),
    AgreeDraw: (_agree_draw, NOT_NOW),
    ClaimDraw: (_claim_draw, NOT_NOW),
    Resign: (_resign_side, NOT_NOW),
    Forfeit: (_forfeit_side, NOT_NOW),
    Pause: (_pause_game, dict.fromkeys(RESTING, "nobody is playing now") | NOT_NOW),
    Adjourn: (_adjourn_game, AWAY | NOT_NOW),
    AddTime: (give_time, AWAY),
    Lose: (_report_lost_time, {phase: said for phase, said in UNTIMED.items() if phase is not Phase.SETUP}),
    CountLost: (_count_lost, {phase: "no time was lost" for phase in Phase if phase is not Phase.PAUSED}),
    Resume: (_resume_game, {phase: "the game is not paused" for phase in Phase if phase not in RESTING}),
    StandsSo: (_vouch_position, PLAYED),
    PutBack: (_ask_put_back, dict.fromkeys(RESTING, "nobody is playing now") | NOT_NOW),
    Press: (_press_clock, UNTIMED | {Phase.TROUBLE: "the move that was made is not lawful; put it back first"}),
    NewGame: (_new_game, {}),
    Settle: (_settle_previous, {}),
    Choose: (_show_next_choice, {}),
}
