"""How the course of a match grows and shrinks, and which draws may be claimed from it: shared by what the board shows
and what people ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from engine.belief.verdicts import Played
from engine.explain.reasons import Reason
from engine.game import FORFEITS, RESIGNED, Game, Move, Outcome, Position, drawn_result, has_pieces, leave_side_out
from engine.match.clock import stop_clock
from engine.match.events import Adjourned, AnotherGame, Event, Left, Moved, PositionSet, Result
from engine.match.state import RESTING, Leaving, Match, Phase, Undecided
from engine.text.positions import to_json

MatchStep = tuple[Match, tuple[Event, ...]]


def build_move_event(
    match: Match,
    move: Move,
    t: float,
    confidence: float,
    because: Reason | None = None,
    *,
    corrected: bool = False,
    others: Sequence[Move] = (),
) -> Moved:
    """The event for `move` in the last position, and what decided that it was played, or one of `others`."""
    cells = match.game.board.cells
    return Moved(
        t=t,
        ply=len(match.moves) + 1,
        side=match.side_to_move,
        notation=match.game.write(match.position, move),
        from_=cells[move.origin],
        to=cells[move.target],
        captured=tuple(cells[c] for c in move.taken),
        confidence=round(confidence, 3),
        corrected=corrected,
        or_=tuple(match.game.write(match.position, other) for other in others) or None,
        because=because,
    )


def advance_ply(match: Match, move: Move, others: Sequence[Move] = ()) -> Match:
    """The match one ply on, by `move` or one of `others`, which lead to the same position."""
    after = match.game.play(match.position, move)
    moves = (*match.moves, move)
    undecided = (*match.undecided, Undecided(len(moves), (move, *others))) if others else match.undecided
    return replace(
        match,
        positions=(*match.positions, after),
        moves=moves,
        undecided=undecided,
        rests=(),
        dropped=None,
    )


def find_shown_placement(match: Match, played: Played) -> bytes:
    """The placement that the moves of a verdict lead to."""
    position = match.positions[-1 - played.replaces]
    for move in played.moves:
        position = match.game.play(position, move)
    return position.placement


def rewind_plies(match: Match, plies: int) -> Match:
    """The match `plies` ago, not over."""
    if plies <= 0:
        return match
    return replace(
        match,
        positions=match.positions[:-plies],
        moves=match.moves[:-plies],
        undecided=tuple(one for one in match.undecided if one.ply <= len(match.moves) - plies),
        leavings=tuple(one for one in match.leavings if one.ply <= len(match.moves) - plies),
        outcome=None,
        moved_t=None,
        rests=(),
        loose=max(0, match.loose - plies),
        dropped=None,
    )


TIMED_OUT = frozenset({"time", "time-material"})
"""Why a game or a side is out that the clock says is: it would say so again."""


def let_side_leave(match: Match, side: str, position: Position, why: str, spent_s: float = 0.0) -> Match:
    """The match with the `position` that is left without `side`, which had used `spent_s` if it was its turn."""
    left_s = match.clocks[-1].left_s if match.clocks else ()
    leaving = Leaving(side, len(match.moves), why, match.position, left_s, spent_s)
    positions = (*match.positions[:-1], position)
    return replace(match, positions=positions, leavings=(*match.leavings, leaving), dropped=None)


def place_position(match: Match, position: Position) -> Match:
    """The match with a `position` that people set in place of the last one. Who had left stays out, unless the position
    has pieces of that side; what was said after the last ply cannot be taken back any more."""
    ply, leavings = len(match.moves), list[Leaving]()
    for one in match.leavings:
        if one.ply < ply:
            leavings.append(one)
        elif not has_pieces(match.game, position, one.side):
            leavings.append(replace(one, position=position))
    return replace(match, positions=(*match.positions[:-1], position), leavings=tuple(leavings), dropped=None)


def list_sides_out(match: Match) -> list[Leaving]:
    """The sides that are out of a game which goes on without them: no position that was set since has brought them
    back."""
    return [
        one
        for one in match.leavings
        if not any(has_pieces(match.game, position, one.side) for position in match.positions[one.ply :])
    ]


def withdraw_said(match: Match) -> Match | None:
    """The match without what people or the clock said last of its end since the last ply: its result, or that a side is
    out. None where nothing was said: what stands on the board has ended it, or nothing has."""
    outcome = match.outcome
    if outcome is not None:
        return replace(match, outcome=None) if match.game.outcome(match.position) is None else None
    leaving = match.just_left
    if leaving is None:
        return None
    now = [replace(clock, left_s=leaving.left_s) for clock in match.clocks[-1:]]
    if leaving.why in TIMED_OUT and leaving.position.seat != match.position.seat:  # its turn goes on
        seat, spent_s = leaving.position.seat, leaving.spent_s
        now = [replace(clock, seat=seat, since=None, spent_s=spent_s, pressed=None) for clock in now]
    return replace(
        match,
        positions=(*match.positions[:-1], leaving.position),
        leavings=match.leavings[:-1],
        clocks=(*match.clocks[:-1], *now),
    )


def return_to_setup(match: Match, position: Position) -> Match:
    """`position` in place of the last one: it must stand on the board before play goes on."""
    match = replace(match, positions=(*match.positions[:-1], position), outcome=None, ready=False)
    return match if match.phase in RESTING else replace(match, phase=Phase.SETUP, note=None)


def repeat_said(match: Match, after: Match, t: float, *, whole: bool = False) -> MatchStep:
    """What people had said in `match` after so many plies as `after` has, the same game written otherwise: that it goes
    on from another position, and which sides are out. After the last ply the position holds where it is the `whole`
    game."""
    ply, game, events = len(after.moves), match.game, list[Event]()
    leavings, stood = [one for one in match.leavings if one.ply == ply], stood_before_leavings(match, ply)
    set_there = (whole or ply < len(match.moves)) and is_position_set(match, ply)
    if set_there and stood != after.position:
        for one in leavings:
            if not has_pieces(game, stood, one.side):  # it had left before that was set
                after, told = _repeat_leaving(after, one, t)
                events += told
        events.append(PositionSet(t, to_json(game, stood)))
        after = place_position(replace(after, outcome=None), stood)
    for one in leavings:
        after, told = _repeat_leaving(after, one, t)
        events += told
        if after.outcome is not None:
            events.append(Result(t, after.outcome.result, after.outcome.reason))
            return replace(after, phase=Phase.OVER, note=None), tuple(events)
    return (return_to_setup(after, after.position), tuple(events)) if events else (after, ())


def _repeat_leaving(match: Match, leaving: Leaving, t: float) -> MatchStep:
    """The same side goes out of the game written otherwise, where it has pieces: that may end it."""
    side, why = leaving.side, leaving.why
    if not has_pieces(match.game, match.position, side):
        return match, ()
    left, end = (Left(t, side, why),), leave_side_out(match.game, match.position, side, why)
    if isinstance(end, Outcome):
        return replace(match, outcome=end), left
    match = let_side_leave(match, side, end, why)
    kept = replace(match.leavings[-1], left_s=leaving.left_s, spent_s=leaving.spent_s)
    return replace(match, leavings=(*match.leavings[:-1], kept)), left


def repeat_end(match: Match, after: Match, t: float) -> MatchStep:
    """`after`, the game of `match` written otherwise, and over as before where people or the clock had said so; not by
    the clock where a ply has come to it, which may have been played in time, nor by a claim that holds no more."""
    said, game = match.outcome, match.game
    if said is None or game.outcome(match.position) is not None or game.outcome(after.position) is not None:
        return after, ()
    if said.reason in TIMED_OUT and len(after.moves) > len(match.moves):
        return after, ()
    claimed = find_claim(game, match.positions) == said
    if claimed and find_claim(game, after.positions) != said:
        return after, ()
    events: list[Event] = [Left(t, side, said.reason) for side in list_sides_lost(replace(after, outcome=said))]
    events.append(Result(t, said.result, said.reason))
    return replace(after, phase=Phase.OVER, note=None, outcome=said), tuple(events)


def list_sides_lost(match: Match) -> list[str]:
    """The sides that have ended the game by going out of it: none where it is not over, or ended otherwise."""
    said = match.outcome
    if said is None or said.reason not in {RESIGNED, *FORFEITS} or match.game.outcome(match.position) is not None:
        return []
    shares = zip(match.game.seats, said.result.split("-"), strict=True)
    won = "1" in said.result.split("-")  # where every side has forfeited, nobody has left alone
    return [side for side, share in shares if won and share == "0" and has_pieces(match.game, match.position, side)]


def stood_before_leavings(match: Match, ply: int) -> Position:
    """The position after so many plies, before anybody went out of the game there."""
    return next((one.position for one in match.leavings if one.ply == ply), match.positions[ply])


def is_position_set(match: Match, ply: int) -> bool:
    """Whether somebody set another position than the one to which the ply of that number, from 1, had led."""
    led_to = match.game.play(match.positions[ply - 1], match.moves[ply - 1])
    return stood_before_leavings(match, ply) != led_to


def find_last_move(match: Match) -> Move | None:
    """The move that led to what stands on the board now; None before the first, and where a position was set since."""
    return match.moves[-1] if match.moves and not is_position_set(match, len(match.moves)) else None


def count_carried_home(match: Match) -> int:
    """How many of the last plies were none: hands carried a piece to where it begins, and nobody has seen the board
    without them since."""
    look_of, start = match.game.look_of, match.first_position.placement
    pairs = list(zip(match.positions, match.moves, strict=False))[len(match.moves) - match.loose :]
    played = 0
    for position, move in reversed(pairs):
        if look_of[start[move.target]] != look_of[position.placement[move.origin]]:
            break
        played += 1
    return played


def begin_next_game(match: Match, start: Position, t: float) -> MatchStep:
    """The next game, from `start`; the one before is put away where it is not over.

    Until people say how a game ended that was under way, it is kept in mind.
    """
    events: list[Event] = []
    if match.outcome is not None:
        after = match.outcome.result
    elif not match.moves:
        after = "unplayed"
    else:
        after = "adjourned"
        if match.phase is not Phase.ADJOURNED:
            events.append(Adjourned(t, stop_clock(match.clocks[-1], t).spent_s if match.clocks else None))
    under_way = after == "adjourned" and match.phase is not Phase.ADJOURNED
    begun = Match(match.game, (start,), before=replace(match, before=None) if under_way else None)
    return begun, (*events, AnotherGame(t, after))


def conclude_if_over(match: Match, events: list[Event], t: float) -> MatchStep:
    """The match, and over with a result if the last position says so."""
    outcome = match.game.outcome(match.position)
    if outcome is None:
        return match, tuple(events)
    events.append(Result(t, outcome.result, outcome.reason))
    return replace(match, phase=Phase.OVER, note=None, outcome=outcome), tuple(events)


def find_claim(game: Game, positions: Sequence[Position]) -> Outcome | None:
    """The draw that the player to move in the last of `positions` may claim, None if there is none."""
    for found, reason in (
        (_has_repetition(game, positions), "repetition"),
        (_has_quiet_moves(game, positions), "quiet-moves"),
    ):
        if found:
            return Outcome(drawn_result(game, positions[-1]), reason)
    return None


def _has_repetition(game: Game, positions: Sequence[Position]) -> bool:
    """Whether the last placement has come often enough with the same player to move."""
    limit = _switch_number(game, "repetition_claim")
    last = positions[-1]
    times = sum((position.placement, position.seat) == (last.placement, last.seat) for position in positions)
    return bool(limit) and times >= limit


def _has_quiet_moves(game: Game, positions: Sequence[Position]) -> bool:
    """Whether each side has made so many moves in a row that none of them changed the game for good."""
    limit = _switch_number(game, "quiet_claim")
    moves = 0
    for before, after in reversed(tuple(pairwise(positions))):
        if game.progressed(before, after):
            break
        moves += 1
    return bool(limit) and moves >= limit * len(game.seats)


def _switch_number(game: Game, switch: str) -> int:
    value = game.switches[switch].value
    return value if isinstance(value, int) else 0
