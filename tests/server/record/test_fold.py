"""Whatever boards show and people ask: the fold of the record is the live state after each input, and none is lost.

`make soak` does the same with 10,000 sequences.
"""

from __future__ import annotations

import json
import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.belief.opinion import Opinion
from engine.belief.verdicts import Doubtful, Earlier, Played, Raised, Still, Verdict, Wrong
from engine.errors import InputError
from engine.game import FORFEITS, FORFEITS_OF_ALL, Move, Refusal
from engine.games import load
from engine.match import acts
from engine.match.acts import Act
from engine.match.arbiter import apply_act, check_flag_fall
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.course import MatchStep
from engine.match.referee import apply_opinion, camera_found, camera_moved, new_match
from engine.match.state import RESTING, Match, Phase
from engine.text.positions import to_json
from server.record.journal import BEGIN, build_begin_event, fold_events
from tests.engine.sights import GIVEN

EXAMPLES = int(os.environ.get("SOAK", "50"))
LONGEST = 16
GAMES = [load("camelot", "wcf"), load("tri-camelot"), load("camblam")]
CLOCKS = ["", "3m+2s", "2/60s,40s", "90s delay 5s", "90s bronstein 5s"]


def an_input(data: st.DataObject, match: Match, t: float) -> MatchStep:
    """The board shows something, somebody asks for something, time goes by, or the camera is moved."""
    kind = data.draw(st.sampled_from(["board"] * 6 + ["act"] * 5 + ["tick", "moved", "found", "time"]))
    if kind == "act":
        return asked_for(match, an_act(data, match), t)
    if kind == "time":
        side = data.draw(st.sampled_from((match.side_to_move, *match.game.seats)))
        return asked_for(match, acts.AddTime(side, some_seconds(data), by="arbiter"), t)
    if kind == "board":
        return seen_twice(match, a_verdict(data, match), t)
    return {"tick": check_flag_fall, "moved": camera_moved, "found": lambda m, at: camera_found(m, at, 90)}[kind](
        match, t
    )


def asked_for(match: Match, asked: Act, t: float) -> MatchStep:
    """Done and told, or refused and nothing changed."""
    try:
        after, events = apply_act(match, asked, t)
    except InputError:
        return match, ()
    assert events
    assert {event.by for event in events} == {asked.by}
    return after, events


def seen_twice(match: Match, verdict: Verdict, t: float) -> MatchStep:
    """For longer than any patience."""
    opinion = Opinion(verdict, 1.0, GIVEN)
    after, events = apply_opinion(match, opinion, t, 97)
    return (after, events) if events else apply_opinion(after, opinion, t + 3.0, 97)


def a_verdict(data: st.DataObject, match: Match) -> Verdict:
    verdicts: list[Verdict] = [Still(), Doubtful(("no move",)), Wrong((3, 4), Refusal("not-a-move", "No."))]
    if match.moves:
        verdicts.append(Earlier(data.draw(st.integers(1, len(match.moves)))))
    moves = match.game.moves(match.position)
    if moves:
        move = data.draw(st.sampled_from(moves))
        verdicts += [Raised(move.origin), *[Played((move,))] * 6]
    return data.draw(st.sampled_from(verdicts))


def an_act(data: st.DataObject, match: Match) -> Act:
    game, side = match.game, data.draw(st.sampled_from(match.game.seats))
    ply = data.draw(st.integers(1, len(match.moves) + 1))
    before = match.positions[ply - 1]
    lawful = [game.write(before, move) for move in game.moves(before)[:9]] or ["none"]
    cells = [game.board.cells[cell] for cell, piece in enumerate(match.position.placement) if piece]
    wild = f"{data.draw(st.sampled_from(cells))}-{data.draw(st.sampled_from(game.board.cells))}"
    earlier = to_json(game, data.draw(st.sampled_from(match.positions)))
    who = data.draw(st.sampled_from(acts.WHO))
    return data.draw(
        st.sampled_from(
            [
                acts.Undo(data.draw(st.integers(0, 3)), by=who),
                acts.Correct(ply, data.draw(st.sampled_from(lawful)), by=who),
                *[acts.BringBack(by=who)] * 3,
                acts.AsPlayed(wild, by=who),
                acts.SetPosition(earlier, by=who),
                acts.AgreeDraw(by=who),
                acts.ClaimDraw(by=who),
                acts.Resign(side, by=who),
                acts.Forfeit(acts.EVERYBODY, data.draw(st.sampled_from(FORFEITS_OF_ALL)), by=who),
                acts.Forfeit(side, data.draw(st.sampled_from(FORFEITS)), by=who),
                acts.Forfeit(match.side_to_move, "time", by=who),
                acts.AddTime(side, some_seconds(data), by=who),
                *[acts.Pause(by=who), acts.Adjourn(by=who)],
                *[acts.Press(by=who)] * 3,
                *[acts.Resume(by=who)] * 4,
            ]
        )
    )


def some_seconds(data: st.DataObject) -> float:
    """To the millisecond, as people and programs ask for them."""
    return data.draw(st.integers(-40_000, 120_000)) / 1000


def standing(match: Match) -> tuple[object, ...]:
    """What a record must keep: all but what the next look at the board tells again."""
    resting = match.phase if match.phase in {*RESTING, Phase.OVER} else None
    clocks = [(clock.left_s, clock.added_s, clock.made, clock.seat, clock.held) for clock in match.clocks]
    spent = match.clocks[-1].spent_s if match.clocks and match.phase in RESTING else None
    ready = match.ready if match.phase is Phase.PAUSED else None  # decides whether what stands is judged at once
    lost = match.dropped
    dropped = lost and (lost.to_json(), lost.ply, lost.before.positions, lost.before.moves, lost.before.outcome)
    return match.positions, match.moves, match.outcome, resting, clocks, spent, ready, dropped


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_fold_is_the_live_state_after_each_input(data: st.DataObject) -> None:
    match = new_match(data.draw(st.sampled_from(GAMES)))
    first = {"event": BEGIN, "game": match.game.name, "rules": match.game.rules}
    record: list[dict[str, object]] = [first | {"position": to_json(match.game, match.position)}]
    control, t = data.draw(st.sampled_from(CLOCKS)), 1.0
    if control:
        match = with_clock(match, parse_control(control), held=data.draw(st.booleans()))
        record[0] = build_begin_event(match)
    match, events = seen_twice(match, Still(), t)
    record += [json.loads(json.dumps(event.to_json())) for event in events]
    for _ in range(data.draw(st.integers(1, LONGEST))):
        t += 4.0 + data.draw(st.integers(0, 30_000)) / 1000
        over = match.phase is Phase.OVER
        after, events = an_input(data, match, t)
        if over and after.phase is Phase.PLAYING and events[0].name == "ready":
            return
        match = after
        record += [json.loads(json.dumps(event.to_json())) for event in events]
        assert standing(fold_events(record, "game")) == standing(match)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_what_a_correction_dropped_is_in_the_fold_and_comes_back_whole(data: st.DataObject) -> None:
    match = new_match(data.draw(st.sampled_from(GAMES)))
    control = data.draw(st.sampled_from(CLOCKS))
    match = with_clock(match, parse_control(control)) if control else match
    record = [build_begin_event(match)]
    t = 1.0

    def does(step: MatchStep) -> Match:
        record.extend(json.loads(json.dumps(event.to_json())) for event in step[1])
        assert standing(fold_events(record, "game")) == standing(step[0])
        return step[0]

    match = does(seen_twice(match, Still(), t))
    for _ in range(data.draw(st.integers(3, 9))):
        t += 3.0
        moves = match.game.moves(match.position)
        if match.phase is Phase.OVER or not moves:
            break
        match = does(seen_twice(match, Played((data.draw(st.sampled_from(moves)),)), t))
        said = data.draw(st.sampled_from(["", "", "", "left", "position", "time"]))
        if said == "time" and control:
            match = does(asked_for(match, acts.AddTime(match.side_to_move, 45.0), t))
        if said == "left":
            match = does(asked_for(match, acts.Resign(data.draw(st.sampled_from(match.game.seats))), t))
        if said == "position":
            earlier = data.draw(st.sampled_from(match.positions))
            match = does(asked_for(match, acts.SetPosition(to_json(match.game, earlier)), t))
    before, ply = match, data.draw(st.integers(1, max(1, len(match.moves) - 1)))
    other = data.draw(st.sampled_from([match.game.write(match.positions[ply - 1], m) for m in lawful(match, ply)]))
    match = does(asked_for(match, acts.Correct(ply, other, by="arbiter"), t + 1.0))
    if match.dropped is None:
        return
    assert match.dropped.plies == len(before.moves) - len(match.moves)
    if control and match.phase is not Phase.OVER and data.draw(st.booleans()):
        match = does(asked_for(match, acts.AddTime(match.side_to_move, 30.0), t + 3.0))
    match = does(asked_for(match, acts.BringBack(by="arbiter"), t + 5.0))
    assert (match.positions, match.moves, match.outcome) == (before.positions, before.moves, before.outcome)
    assert (match.dropped, [one.left_s for one in match.clocks]) == (None, [one.left_s for one in before.clocks])
    assert [(one.ply, one.side) for one in match.leavings] == [(one.ply, one.side) for one in before.leavings]


def lawful(match: Match, ply: int) -> tuple[Move, ...]:
    return match.game.moves(match.positions[ply - 1])


def test_why_a_ply_was_dropped_is_known_with_its_text_after_a_start_anew() -> None:
    """From records that have the message alone, too; what the rules say otherwise by now stands as it was said."""
    match = new_match(GAMES[0])
    record, match = [build_begin_event(match)], seen_twice(match, Still(), 1.0)[0]
    for asked in (*(acts.AsPlayed(said) for said in ("F7-F5", "G10-G9", "F5-F4")), acts.Correct(1, "J6-K6")):
        match, events = apply_act(match, asked, 4.0)
        record.extend(json.loads(json.dumps(event.to_json())) for event in events)
    assert match.dropped is not None
    told = match.dropped.to_json()
    assert told["values"] == {"cell": "F5"}
    earlier = [{key: said for key, said in event.items() if key not in {"text", "values"}} for event in record]
    otherwise = [event | ({"message": "Other."} if "message" in event else {}) for event in earlier]
    plain = {key: said for key, said in told.items() if key not in {"text", "values"}} | {"message": "Other."}
    for events, expected in ((record, told), (earlier, told), (otherwise, plain)):
        again = fold_events(events, "game").dropped
        assert again is not None and again.to_json() == expected
