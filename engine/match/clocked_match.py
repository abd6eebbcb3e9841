"""Match and clock together: an accepted move presses the clock, what is taken back gives the time back.

A player may press first, by button or on a clock outside: then its time ended at that moment, if its move is the next
thing that is accepted. Pressing for something illegal does not count, nor does a clock that was pressed while the board
goes on standing as before. The other side's turn begins PRESS_HOLDS_S before the move is accepted at the earliest.

`Match.clocks` has one entry for each position: the clocks as that turn began. The clock of the side to move runs while
the game is under way, not in set-up, pause, adjournment or while the camera is blind. A takeback begins the turn
anew, and so does a correction of what led to it; one of what was written before, or of nothing, gives nobody time.
What people add to a clock stands in all of them alike: it is left whatever is taken back or corrected.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.errors import InputError
from engine.explain.reasons import Reason
from engine.explain.wording import words_of
from engine.game import Position, has_pieces
from engine.match.acts import AddTime
from engine.match.clock import (
    LONGEST_S,
    PRESS_HOLDS_S,
    Clock,
    TimeControl,
    add_seconds,
    build_next_turn,
    create_clock,
    format_time,
    seconds_after_move,
    seconds_for_move,
    seconds_left,
    start_clock,
    stated_seconds,
    stop_clock,
    turn_seconds,
)
from engine.match.course import TIMED_OUT, MatchStep, place_position, return_to_setup, withdraw_said
from engine.match.events import (
    Adjourned,
    AnotherGame,
    Event,
    Illegal,
    Left,
    Moved,
    Paused,
    PressWithdrawn,
    Takeback,
    TimeAdded,
    TimeLost,
)
from engine.match.state import Leaving, Match, Phase

SAID = Reason("person-said")
RUNNING = frozenset({Phase.PLAYING, Phase.LIFTED, Phase.PARTIAL, Phase.TROUBLE, Phase.UNCLEAR})


def with_clock(match: Match, control: TimeControl, *, held: bool = False) -> Match:
    """A match about to begin, with full clocks; `held`: they wait for the first move, or until somebody starts them,
    here and in the games that follow."""
    clock = create_clock(control, len(match.game.seats), match.position.seat, held=held)
    return replace(match, clocks=(clock,), holds_clocks=held)


def counts_time(match: Match) -> bool:
    """Whether the clock of the side to move runs in this phase: there is one, and it waits for nothing."""
    return match.phase in RUNNING and bool(match.clocks) and not match.clocks[-1].held


def release_clocks(match: Match) -> Match:
    """The match whose clocks wait for nothing any more."""
    return replace(match, clocks=tuple(replace(clock, held=False) for clock in match.clocks))


def update_clocks(before: Match, step: MatchStep, t: float) -> MatchStep:
    """What follows for the clocks from a step at `t`; its events then say what was left."""
    after, events = step
    if not after.clocks and (before.clocks or any(isinstance(event, AnotherGame) for event in events)):
        after = _set_next_clock(before, after)
    if not before.clocks:
        return after, events
    said = {event.ply: event.clock for event in events if isinstance(event, Moved)}  # a time where it is known already
    plies = list(said)
    after = rebuild_clocks(after, said, t) if plies or len(after.moves) < len(before.moves) else after
    after = align_clock_seat(after)
    now = before.clocks[-1] if _is_turn_kept(before, after, events) else after.clocks[-1]
    if any(isinstance(event, Illegal) for event in events):  # what was pressed for was no move: the time goes on
        now = replace(now, pressed=None)
    now = start_clock(now, _turn_began_t(before, plies, t)) if after.phase in RUNNING else stop_clock(now, t)
    after = replace(after, clocks=(*after.clocks[:-1], now))
    told = (*events, *_repeat_pause(after, events, t))
    return after, tuple(_add_clock_times(before, after, event) for event in told)


def _repeat_pause(after: Match, events: Sequence[Event], t: float) -> tuple[Event, ...]:
    """What a paused turn had taken is told again after a change: the record would begin the turn anew."""
    paused = after.clocks[-1].spent_s and isinstance(after.note, Paused)
    if not events or not paused or isinstance(events[-1], Paused):
        return ()
    return (Paused(t, by=events[-1].by, account=events[-1].account),)


def _set_next_clock(before: Match, after: Match) -> Match:
    """The game that begins after the one `before`, with the clock that was asked for."""
    control = before.next_control or (before.clocks[0].control if before.clocks else None)
    return with_clock(after, control, held=before.holds_clocks) if control else after


def _turn_began_t(before: Match, plies: Sequence[int], t: float) -> float:
    """When the turn began after these plies, accepted at `t`: a side may have pressed its clock before."""
    pressed = before.clocks[-1].pressed if len(plies) == 1 else None
    return t if pressed is None else max(pressed, t - PRESS_HOLDS_S)


def withdraw_press(match: Match, t: float) -> MatchStep:
    """A clock was pressed and the board stands as before: nothing was played, and its side's time has gone on."""
    pressed = match.clocks[-1].pressed if match.clocks else None
    if pressed is None or match.phase not in (Phase.PLAYING, Phase.LIFTED) or t - pressed < PRESS_HOLDS_S:
        return match, ()
    now = replace(match.clocks[-1], pressed=None)
    return replace(match, clocks=(*match.clocks[:-1], now)), (PressWithdrawn(t, match.side_to_move),)


def _is_turn_kept(before: Match, after: Match, events: Sequence[Event]) -> bool:
    """Whether plies were only written otherwise, and the present turn goes on: it came from the same move, or the same
    positions led to it."""
    said = [event for event in events if isinstance(event, Moved)]
    if not said or not all(event.corrected for event in said) or len(after.moves) != len(before.moves):
        return False
    if after.position.seat != before.position.seat:  # another position had been set
        return False
    return after.positions == before.positions or after.moves[-1] == before.moves[-1]


def rebuild_clocks(match: Match, said: Mapping[int, float | None], t: float) -> Match:
    """Clocks for the plies in `said`, each with what its side's face shows after it; None: what the clock says at `t`.

    A ply that was there already keeps its time. The present turn has just begun, its clock is stopped.
    """
    clocks = list(match.clocks)
    for ply, stated in sorted(said.items()):
        before, seat = clocks[ply - 1], match.positions[ply - 1].seat
        known = clocks[ply].left_s[seat] if ply < len(clocks) else seconds_after_move(before, t)
        rest = known if stated is None else round(stated - before.added_s[seat], 3)
        clocks[ply:] = [
            build_next_turn(replace(before, seat=seat), rest, match.positions[ply].seat),
            *clocks[ply + 1 :],
        ]
        clocks[ply] = _apply_leavings(match, match.leavings, ply, clocks[ply])
    kept = clocks[: len(match.moves) + 1]
    return replace(match, clocks=tuple(replace(clock, since=None, spent_s=0.0, pressed=None) for clock in kept))


def find_move_seconds(match: Match, ply: int) -> float | None:
    """What a ply took, as the clock of its side counted it; None where no clock did, or does not tell."""
    if not match.clocks:
        return None
    seat = match.positions[ply - 1].seat
    return seconds_for_move(replace(match.clocks[ply - 1], seat=seat), match.clocks[ply].left_s[seat])


def clear_side_time(match: Match, side: str) -> Match:
    """The match with no time left for a side that has left the game."""
    seat = match.game.seats.index(side)
    now = [_without_time(clock, seat) for clock in match.clocks[-1:]]
    return align_clock_seat(replace(match, clocks=(*match.clocks[:-1], *now)))


def set_position(match: Match, position: Position) -> Match:
    """`place_position`, with clocks: a side that it brings back has what it had when it left, unless its flag fell."""
    after = place_position(match, position)
    now = [_apply_leavings(after, match.leavings, len(match.moves), clock) for clock in match.clocks[-1:]]
    return align_clock_seat(replace(after, clocks=(*match.clocks[:-1], *now)))


def _apply_leavings(match: Match, leavings: Sequence[Leaving], ply: int, clock: Clock) -> Clock:
    """The clock after so many plies: a side has no time where it is out, and has its time again where it is back."""
    game, at = match.game, match.positions
    for one in leavings:
        seat = game.seats.index(one.side)
        if one.ply <= ply and not has_pieces(game, at[ply], one.side):
            clock = _without_time(clock, seat)
        elif one.ply <= ply and one.why not in TIMED_OUT:
            back = one.ply == ply or not has_pieces(game, at[ply - 1], one.side)  # it may have played on since
            clock = _with_time(clock, seat, one.left_s[seat]) if back else clock
    return clock


def _without_time(clock: Clock, seat: int) -> Clock:
    return _with_time(clock, seat, 0.0 - clock.added_s[seat])


def _with_time(clock: Clock, seat: int, left_s: float) -> Clock:
    return replace(clock, left_s=tuple(left_s if seat == i else s for i, s in enumerate(clock.left_s)))


def align_clock_seat(match: Match) -> Match:
    """The clock of the side that is to move in the last position; it has just begun if that was another side's."""
    now = [
        clock
        if clock.seat == match.position.seat
        else replace(clock, seat=match.position.seat, since=None, spent_s=0.0, pressed=None)
        for clock in match.clocks[-1:]
    ]
    return replace(match, clocks=(*match.clocks[:-1], *now))


def _add_clock_times(before: Match, after: Match, event: Event) -> Event:
    if isinstance(event, Moved):
        seat = after.positions[event.ply - 1].seat
        event = replace(event, clock=stated_seconds(after.clocks[event.ply], seat))
    if isinstance(event, Paused | Adjourned | TimeLost) and event.spent is None:
        event = replace(event, spent=after.clocks[-1].spent_s)
    left_behind = isinstance(event, Adjourned) and after.phase is not Phase.ADJOURNED  # the next game has begun
    if not isinstance(event, Left) and not left_behind:
        return tell_clocks(after, event)
    stopped = replace(before, clocks=(stop_clock(before.clocks[-1], event.t),))  # `after` has cleared what was left
    return tell_clocks(stopped, event)


def tell_clocks(match: Match, event: Event) -> Event:
    """An event that decides something, with what each side of the match has left at its time; others as they are."""
    if not match.clocks or not (event.decides or (isinstance(event, Moved) and event.by is not None)):
        return event
    left = zip(match.game.seats, seconds_left(match.clocks[-1], event.t), strict=True)
    return replace(event, clocks={side: max(0.0, round(seconds, 3)) for side, seconds in left})


def give_time(match: Match, asked: AddTime, t: float) -> MatchStep:
    """Time that people add to a clock, or take away. What the clock has ended since the last ply goes on with it.

    InputError for what no clock can be given.
    """
    seat, seconds = _read_added(match, asked)
    before, ends = _overrule_clock(match, asked.side, seconds)
    after = return_to_setup(before, before.position) if ends else match
    after = align_clock_seat(replace(after, clocks=tuple(add_seconds(one, seat, seconds) for one in after.clocks)))
    left = seconds_left(after.clocks[-1], t)
    _check_left(after, left, seat, seconds, overruled=ends > 0)
    spent = round(turn_seconds(after.clocks[-1], t), 3)
    added = TimeAdded(t, asked.side, seconds, round(left[seat], 3), spent)
    return after, (*(Takeback(t, 0, because=SAID) for _ in range(ends)), added)


def _read_added(match: Match, asked: AddTime) -> tuple[int, float]:
    """The seat and the seconds, to the millisecond. InputError for what no clock can be given."""
    seats = match.game.seats
    if not match.clocks:
        raise InputError("add time: this game is played without clocks")
    if asked.side not in seats:
        raise InputError(f"add time: no side {asked.side!r}, choose from {', '.join(seats)}")
    seconds = round(asked.seconds, 3) if math.isfinite(asked.seconds) else 0.0
    if seconds == 0.0 or abs(seconds) > LONGEST_S:
        raise InputError(f"add time: seconds: a number up to {LONGEST_S:.0f}, below zero to take time away, and not 0")
    return seats.index(asked.side), seconds


def _check_left(match: Match, left: Sequence[float], seat: int, seconds: float, *, overruled: bool) -> None:
    """InputError where so many seconds for a seat leave it nothing, or the side to move, whose flag would fall."""
    names, mover = [words_of(match.game).seats[side] for side in match.game.seats], match.position.seat
    if seconds < 0.0 and left[seat] <= 0.0:
        raise InputError("{side} would have nothing left: say that it has lost on time instead.", side=names[seat])
    if left[mover] <= 0.0 and (overruled or seat == mover):
        needed = math.floor((seconds if seat == mover else 0.0) - left[mover]) + 1
        said = {"side": names[mover], "time": format_time(needed)}
        raise InputError("{side}’s flag would fall at once: it needs {time} more, at least.", **said)
    if left[seat] > LONGEST_S:
        raise InputError("add time: no clock shows so much")


def _overrule_clock(match: Match, side: str, seconds: float) -> tuple[Match, int]:
    """The match without what the clock has ended since the last ply, where `side` could be given no time else, and how
    many ends those are. InputError where something else has ended the game, or that side's part in it."""
    ends = 0
    if match.phase is Phase.OVER:
        ended = match.outcome.reason if match.outcome is not None and seconds > 0.0 else None
        before = withdraw_said(match) if ended in TIMED_OUT else None
        if before is None:
            raise InputError("add time: the game is over")
        match, ends = before, 1
    if not has_pieces(match.game, match.position, side):
        last = match.leavings[-1] if match.leavings else None
        fell = seconds > 0.0 and last is not None and last.side == side and last.why in TIMED_OUT
        before = withdraw_said(match) if fell else None
        if before is None:
            raise InputError("{side} is out of the game already.", side=words_of(match.game).seats[side])
        match, ends = before, ends + 1
    return match, ends
