"""Phase x verdict, entry by entry; patience; what is said once and what again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.belief.opinion import Opinion
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
from engine.game import Game, Outcome, Refusal
from engine.games import load
from engine.match.arbiter import check_flag_fall
from engine.match.clock import parse_control, start_clock
from engine.match.clocked_match import RUNNING, with_clock
from engine.match.events import (
    CameraFound,
    CameraMoved,
    DueDeed,
    DueStep,
    Event,
    Illegal,
    Lifted,
    Moved,
    Partial,
    Result,
    SetUp,
    Unclear,
)
from engine.match.referee import (
    DOUBT_S,
    READING_S,
    TABLE,
    apply_opinion,
    camera_found,
    camera_moved,
    new_match,
)
from engine.match.state import RESTING, Match, Phase
from engine.text.positions import from_json, to_json
from tests.engine.sights import GIVEN, line, move_named
from tests.engine.stand import stand

GAME = load("camelot", "wcf")
OPENING = "J6-K6 J11-H9"
REFUSAL = Refusal("not-a-move", "No piece moves so.", ("F7-F5",))

SAID = {
    Still: {Phase.SETUP: (Phase.PLAYING, "ready"), Phase.PLAYING: (Phase.PLAYING, "")},
    Raised: {Phase.SETUP: (Phase.SETUP, "set-up")},
    Unfinished: {Phase.SETUP: (Phase.SETUP, "set-up")},
    Played: {Phase.SETUP: (Phase.SETUP, "set-up")},
    Earlier: {Phase.SETUP: (Phase.SETUP, "set-up")},
    PutUpAgain: {Phase.OVER: (Phase.PLAYING, "new-game ready")},
    Wrong: {Phase.SETUP: (Phase.SETUP, "set-up")},
    Doubtful: {Phase.SETUP: (Phase.SETUP, "set-up")},
    Contradicted: dict.fromkeys(set(Phase) - {*RESTING, Phase.OVER}, (Phase.SETUP, "set-up")),
    Covered: {phase: (phase, "") for phase in Phase},
}
USUALLY = {
    Still: (Phase.PLAYING, "restored"),
    Raised: (Phase.LIFTED, "lifted"),
    Unfinished: (Phase.PARTIAL, "partial"),
    Played: (Phase.PLAYING, "move"),
    Earlier: (Phase.PLAYING, "takeback"),
    PutUpAgain: (Phase.PLAYING, "takeback"),
    Wrong: (Phase.TROUBLE, "illegal"),
    Doubtful: (Phase.UNCLEAR, "unclear"),
}
VERDICTS = tuple(SAID)


def playing(phase: Phase = Phase.PLAYING, notations: str = OPENING, game: Game = GAME) -> Match:
    """A match after some moves, in `phase`, with something announced where that is so in real play."""
    positions, moves = line(game, notations)
    note: Event | None = None if phase in (Phase.PLAYING, Phase.OVER) else CameraMoved(0.0)
    return Match(game, positions, moves, phase, note, ready=phase is not Phase.SETUP)


def verdict_of(kind: type[Verdict], match: Match) -> Verdict:
    """Some verdict of that kind that is possible in the match."""
    move = match.game.moves(match.position)[0]
    some: dict[type[Verdict], Verdict] = {
        Still: Still(),
        Raised: Raised(move.origin),
        Unfinished: Unfinished(move, (move.target,), move.target),
        Played: Played((move,)),
        Earlier: Earlier(1),
        PutUpAgain: PutUpAgain(),
        Wrong: Wrong((3, 4), REFUSAL),
        Doubtful: Doubtful(("F7-F5", "no move")),
        Contradicted: Contradicted((3, 4)),
        Covered: Covered((1, 2, 3)),
    }
    return some[kind]


def see(match: Match, verdict: Verdict, t: float, after_s: float = 0.0) -> tuple[Match, tuple[Event, ...]]:
    return apply_opinion(match, Opinion(verdict, 0.99, GIVEN, after_s), t, 97)


def long_seen(match: Match, verdict: Verdict, t: float = 10.0) -> tuple[Match, tuple[Event, ...]]:
    """The verdict seen for longer than any patience."""
    match, events = see(match, verdict, t)
    if events:
        return match, events
    return see(match, verdict, t + DOUBT_S)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("kind", VERDICTS)
def test_every_entry_of_the_table(phase: Phase, kind: type[Verdict]) -> None:
    before = playing(phase)
    if phase is Phase.OVER:
        before = replace(before, outcome=Outcome("1-0", "resigned"))
    after, events = long_seen(before, verdict_of(kind, before))
    silent = phase in (Phase.OVER, *RESTING) and phase not in SAID[kind]
    expected = (phase, "") if silent else SAID[kind].get(phase, USUALLY.get(kind))
    assert expected is not None
    assert (after.phase, " ".join(e.name for e in events)) == expected


def test_the_table_has_no_other_entries() -> None:
    assert set(TABLE) == {(phase, kind) for phase in Phase for kind in VERDICTS}


def test_a_piece_lifted_beside_a_hand_is_told_in_play_only() -> None:
    lifted = Covered((1, 2, 3), lifted=GAME.board.index["F7"])
    after, events = long_seen(playing(), lifted, 1.0)
    assert (after.phase, [e.name for e in events]) == (Phase.LIFTED, ["lifted"])
    assert see(after, lifted, 5.0)[1] == ()
    assert see(after, Covered((1, 2)), 5.5)[0].phase is Phase.LIFTED
    for phase in (Phase.TROUBLE, Phase.PARTIAL, Phase.SETUP, Phase.UNCLEAR):
        assert long_seen(playing(phase), lifted, 1.0)[1] == ()


def test_what_is_not_in_the_table_raises() -> None:
    with pytest.raises(ValueError, match="no entry in the phase table for"):
        see(playing(), Verdict(), 1.0)


@pytest.mark.parametrize(
    ("kind", "patience"),
    [(Played, 0.0), (Played, 0.25), (Still, 0.0), (Raised, 0.4), (Unfinished, 0.4), (Wrong, 0.1), (Earlier, 1.0)],
)
def test_each_verdict_is_told_after_it_has_stood_long_enough(kind: type[Verdict], patience: float) -> None:
    match = playing(Phase.TROUBLE)
    verdict = verdict_of(kind, match)
    if patience:
        match, events = see(match, verdict, 0.0, patience)
        assert not events
        match, events = see(match, verdict, patience - 0.01, patience)
        assert not events
        assert match.phase is Phase.TROUBLE
    _, events = see(match, verdict, patience, patience)
    assert events


def test_several_plies_after_something_unlawful_are_asked_about() -> None:
    """Black moved again out of turn, then White moved: in the other order both would be lawful."""
    match = playing(Phase.TROUBLE)
    first = match.game.moves(match.position)[0]
    second = match.game.moves(match.game.play(match.position, first))[0]
    asked, events = see(match, Played((first, second)), 1.0)
    assert asked.phase is Phase.TROUBLE
    assert asked.position == match.position
    assert [e.name for e in events] == ["unclear"]
    told, events = see(asked, Played((first,)), 2.0)
    assert told.phase is Phase.PLAYING
    assert [e.name for e in events] == ["move"]


def test_another_verdict_starts_the_patience_anew() -> None:
    match = playing()
    moves = GAME.moves(match.position)
    for t in (1.0, 1.3, 1.6, 1.9, 2.2):
        match, events = see(match, Played((moves[round(t * 10) % 2],)), t, 0.4)
        assert not events


def test_doubt_about_other_things_is_still_doubt() -> None:
    match, _ = see(playing(), Doubtful(("a",)), 1.0)
    _, events = see(match, Doubtful(("b", "c")), 1.0 + DOUBT_S)
    stands = to_json(GAME, playing().position)
    told = {"t": 3.5, "event": "unclear", "options": ["b", "c"], "as_it_stands": stands, "differs": []}
    assert [e.to_json() for e in events] == [told | {"reason": GIVEN.to_json()}]


def test_a_question_always_offers_what_is_read_and_is_not_asked_anew_when_that_changes() -> None:
    expected = playing().position.placement
    cell = GAME.board.index["F7"]
    read = bytes(0 if i == cell else piece for i, piece in enumerate(expected))
    match, events = long_seen(playing(), Doubtful((), read, (cell,)))
    (asked,) = events
    assert isinstance(asked, Unclear)
    assert (asked.options, asked.differs) == ((), ("F7",))
    assert from_json(asked.as_it_stands, GAME)[1].placement == read
    match, events = see(match, Doubtful((), expected, ()), 20.0)
    assert events == ()
    assert isinstance(match.note, Unclear)
    assert match.note.differs == ()


def test_a_question_offers_what_is_read_last_where_other_pieces_are_seen_on_the_same_cells() -> None:
    """A man of the other side stood on an empty cell in what was offered, as a hand had looked a moment before."""
    begun = playing()
    move = next(move for move in GAME.moves(begun.position) if not move.taken)
    after = GAME.play(begun.position, move)
    moved = GAME.look_of[begun.position.placement[move.origin]]
    other = next(piece for piece in begun.position.placement if piece and GAME.look_of[piece] != moved)
    ghost = bytes(other if cell == move.origin else piece for cell, piece in enumerate(after.placement))
    differs = tuple(sorted((move.origin, move.target)))
    match, _ = long_seen(begun, Doubtful((), ghost, differs))
    assert isinstance(match.note, Unclear)
    assert match.note.as_it_stands == to_json(GAME, replace(begun.position, placement=ghost)), "no ply explains that"
    match, events = see(match, Doubtful((), after.placement, differs), 20.0)
    assert (events, match.phase) == ((), Phase.UNCLEAR)
    assert isinstance(match.note, Unclear)
    assert match.note.as_it_stands == to_json(GAME, after), "with who is on turn after the ply that explains it"


def test_a_wrong_placement_with_another_reason_is_the_same_placement() -> None:
    match, _ = see(playing(), Wrong((3,), REFUSAL), 1.0, after_s=0.1)
    _, events = see(match, Wrong((3,), Refusal("must-jump", "")), 1.0 + 0.1, after_s=0.1)
    assert isinstance(events[0], Illegal)
    assert events[0].code == "must-jump"


def test_a_question_is_not_asked_anew_where_only_what_is_hardly_likely_is_another() -> None:
    match, events = long_seen(playing(), Doubtful(("no move", "F7-F5", "F7-D7")))
    assert [event.name for event in events] == ["unclear"]
    match, events = see(match, Doubtful(("no move", "F7-F5", "F7-B5")), 20.0)
    assert (events, match.open_options) == ((), ("no move", "F7-F5", "F7-D7"))
    match, events = see(match, Doubtful(("F7-B5", "no move")), 30.0)
    assert (len(events), match.open_options) == (1, ("F7-B5", "no move"))


def test_a_question_that_is_read_stands_still_while_its_answers_are_likely() -> None:
    match, [asked] = long_seen(playing(), Doubtful(("F7-F5", "F7-D7", "no move")))
    turned = Doubtful(("no move", "F7-D7", "F7-B5"))
    assert see(match, turned, asked.t + 10.0)[1] == ()
    another_too = Doubtful(("F7-B5", "F7-D7"))
    assert see(match, another_too, asked.t + READING_S / 2)[1] == ()
    assert len(see(match, another_too, asked.t + READING_S)[1]) == 1
    others = Doubtful(("F7-B5", "F7-H7"))
    assert len(see(match, others, asked.t + 0.1)[1]) == 1


@pytest.mark.parametrize("kind", [Raised, Unfinished, Wrong, Doubtful])
def test_said_once_until_it_changes(kind: type[Verdict]) -> None:
    match = playing()
    match, said = long_seen(match, verdict_of(kind, match))
    assert len(said) == 1
    match, again = long_seen(match, verdict_of(kind, match), 20.0)
    assert not again
    match, restored = see(match, Still(), 30.0)
    assert [e.name for e in restored] == ["restored"]
    match, nothing = see(match, Still(), 31.0)
    assert not nothing
    _, said = long_seen(match, verdict_of(kind, match), 40.0)
    assert len(said) == 1


def test_that_the_board_is_ready_is_said_once() -> None:
    match, events = see(new_match(GAME), Still(), 1.0)
    assert [e.to_json() for e in events] == [{"t": 1.0, "event": "ready", "fit": 97}]
    assert match.ready
    _, events = see(match, Still(), 2.0)
    assert not events


def test_set_up_names_the_cells() -> None:
    _, events = long_seen(new_match(GAME), Wrong((0, 1), REFUSAL))
    assert events == (SetUp(10.0, ("F1", "G1")),)
    move = move_named(GAME, GAME.start(), "F7-F5")
    _, events = see(new_match(GAME), Played((move,)), 1.0)
    assert isinstance(events[0], SetUp)
    assert sorted(events[0].wrong) == ["F5", "F7"]


def test_lifted_names_where_the_piece_may_go() -> None:
    _, events = see(playing(), Raised(GAME.board.index["F7"]), 1.0)
    assert isinstance(events[0], Lifted)
    lawful = [m for m in GAME.moves(playing().position) if GAME.board.cells[m.origin] == "F7"]
    assert set(events[0].targets) == {GAME.board.cells[m.target] for m in lawful}
    assert len(events[0].targets) == len(set(events[0].targets))


def test_partial_says_what_to_do_in_order() -> None:
    game, position = stand("camelot wcf", "white", "WM E5, BM E6 E8 L12")
    move = move_named(game, position, "E5xE7xE9")
    on_the_way = Unfinished(move, move.taken, move.target, landing=game.board.index["E7"])
    _, events = see(Match(game, (position,), phase=Phase.PLAYING, ready=True), on_the_way, 1.0)
    todo = (DueStep(DueDeed.GO_ON, "E9"), DueStep(DueDeed.REMOVE, "E6"))
    assert events == (Partial(1.0, "E5xE7xE9", todo, ("E9",), "E5", "E7"),)
    _, events = see(Match(game, (position,), phase=Phase.PLAYING, ready=True), Unfinished(move, move.taken), 1.0)
    assert events == (Partial(1.0, "E5xE7xE9", (DueStep(DueDeed.REMOVE, "E6"), DueStep(DueDeed.REMOVE, "E8"))),)


def test_several_plies_in_one_look() -> None:
    positions, moves = line(GAME, OPENING + " F7-F5 G10-G9")
    match, events = see(playing(), Played(moves[2:]), 5.0)
    assert [(e.ply, e.side, e.notation) for e in events if isinstance(e, Moved)] == [
        (3, "white", "F7-F5"),
        (4, "black", "G10-G9"),
    ]
    assert match.positions == positions
    assert match.moves == moves


def test_a_ply_that_the_next_hand_covers_waits_on_and_is_said_when_it_is_gone_on_from() -> None:
    _, moves = line(GAME, OPENING + " F7-F5 G10-G9")
    match, _ = see(playing(), Played(moves[2:3]), 5.0, 0.25)
    match, events = see(match, Covered((1, 2, 3)), 5.2, 0.0)
    assert (match.pending, match.since, events) == (Played(moves[2:3]), 5.0, ())
    match, events = see(match, Played(moves[2:]), 5.3, 0.25)
    assert [event.notation for event in events if isinstance(event, Moved)] == ["F7-F5"]
    _, events = see(match, Played(moves[3:]), 5.55, 0.25)
    assert [event.notation for event in events if isinstance(event, Moved)] == ["G10-G9"]


def test_a_ply_waits_on_while_only_the_empty_cell_of_its_piece_is_seen() -> None:
    _, moves = line(GAME, OPENING + " F7-F5 G10-G9")
    match, _ = see(playing(), Played(moves[2:3]), 5.0, 0.25)
    match, events = see(match, Covered((1, 2, 3), lifted=moves[2].origin), 5.2, 0.0)
    assert (match.pending, match.since, events) == (Played(moves[2:3]), 5.0, ())
    _, events = see(match, Played(moves[2:]), 5.3, 0.25)
    assert [event.notation for event in events if isinstance(event, Moved)] == ["F7-F5"]


def test_a_piece_that_is_carried_on_is_not_said_as_soon_as_it_is_over_that_cell_again() -> None:
    _, moves = line(GAME, OPENING + " F7-F5")
    match, _ = see(playing(), Played(moves[2:]), 5.0, 0.5)
    match, _ = see(match, Covered((1, 2, 3), lifted=moves[2].origin), 5.1, 0.0)
    match, events = see(match, Played(moves[2:]), 6.0, 0.5)
    assert (match.since, events) == (6.0, ())
    match, events = see(match, Played(moves[2:]), 6.5, 0.5)
    assert [event.notation for event in events if isinstance(event, Moved)] == ["F7-F5"]


def test_a_piece_that_seems_lifted_for_long_is_and_what_was_seen_of_it_waits_on() -> None:
    _, moves = line(GAME, OPENING + " F7-F5 G10-G9")
    match, _ = see(playing(), Played(moves[2:3]), 5.0, 0.5)
    for t, said in ((5.1, ""), (5.3, ""), (5.5, "lifted"), (5.7, "")):
        match, events = see(match, Covered((1, 2, 3), lifted=moves[2].origin), t, 0.0)
        assert " ".join(event.name for event in events) == said
    assert match.phase is Phase.LIFTED
    _, events = see(match, Played(moves[2:]), 5.9, 0.5)
    assert [event.notation for event in events if isinstance(event, Moved)] == ["F7-F5"]


def test_another_piece_that_is_lifted_ends_the_waiting() -> None:
    one, other = (move_named(GAME, playing().position, text) for text in ("F7-F5", "E6-E5"))
    match, _ = see(playing(), Played((one,)), 5.0, 0.25)
    match, _ = see(match, Covered((1, 2, 3), lifted=other.origin), 5.2, 0.0)
    assert match.pending == Covered((1, 2, 3), lifted=other.origin)


def test_a_ply_that_was_taken_for_another_under_a_hand_is_not_said() -> None:
    one, other = GAME.moves(playing().position)[:2]
    match, _ = see(playing(), Played((one,)), 5.0, 0.25)
    match, _ = see(match, Covered((1, 2, 3)), 5.2, 0.0)
    match, events = see(match, Played((other,)), 5.3, 0.25)
    assert (match.pending, match.since, events) == (Played((other,)), 5.3, ())


def test_a_ply_that_went_on_is_corrected() -> None:
    shorter = move_named(GAME, GAME.start(), "F7-F5")
    match, _ = see(playing(notations=""), Played((shorter,)), 1.0)
    longer = move_named(GAME, GAME.start(), "E7-E5")
    match, events = see(match, Played((longer,), replaces=1), 2.0)
    assert [e.to_json() for e in events] == [
        {
            "t": 2.0,
            "event": "move",
            "ply": 1,
            "side": "white",
            "notation": "E7-E5",
            "from": "E7",
            "to": "E5",
            "captured": [],
            "confidence": 0.99,
            "corrected": True,
            "reason": GIVEN.to_json(),
        }
    ]
    assert match.moves == (longer,)
    assert match.positions == (GAME.start(), GAME.play(GAME.start(), longer))


def test_a_takeback_drops_the_positions_after_it() -> None:
    match, events = long_seen(playing(), Earlier(2))
    assert [e.to_json() for e in events] == [{"t": 10.0, "event": "takeback", "plies": 2, "reason": GIVEN.to_json()}]
    assert match.positions == (GAME.start(),)
    assert match.moves == ()


def test_the_last_move_brings_the_result_and_then_nothing_counts() -> None:
    game, position = stand("camelot wcf", "white", "WM F15 G16 A4, BM L13 L12")
    match = replace(new_match(game, position), phase=Phase.PLAYING, ready=True)
    winning = move_named(game, position, "F15-F16")
    match, events = see(match, Played((winning,)), 1.0)
    assert [e.name for e in events] == ["move", "result"]
    assert isinstance(events[1], Result)
    assert (events[1].result, events[1].reason) == ("1-0", "castle")
    assert match.phase is Phase.OVER
    assert match.outcome is not None
    for kind in VERDICTS:
        if kind is not Unfinished and kind is not Played:
            match, events = long_seen(match, Wrong((1,), REFUSAL) if kind is Raised else Still())
            assert not events
            assert match.phase is Phase.OVER


def test_the_camera_is_bumped_and_found() -> None:
    match, events = camera_moved(playing(), 3.0)
    assert (match.phase, [e.name for e in events]) == (Phase.BLIND, ["camera-moved"])
    assert camera_moved(match, 4.0) == (match, ())
    match, events = camera_found(match, 5.0, 91)
    assert (match.phase, events) == (Phase.PLAYING, (CameraFound(5.0, 91),))
    assert camera_found(match, 6.0, 91) == (match, ())
    before_ready, _ = camera_moved(new_match(GAME), 1.0)
    assert camera_found(before_ready, 2.0, 91)[0].phase is Phase.SETUP


@pytest.mark.parametrize("phase", Phase)
def test_the_camera_in_every_phase(phase: Phase) -> None:
    before = playing(phase)
    resting = phase in {*RESTING, Phase.OVER, Phase.BLIND}
    moved, events = camera_moved(before, 3.0)
    assert (moved, events) == (before, ()) if resting else moved.phase is Phase.BLIND and len(events) == 1
    found, events = camera_found(before, 4.0, 91)
    assert found.phase is Phase.PLAYING if phase is Phase.BLIND else (found, events) == (before, ())


@pytest.mark.parametrize("phase", Phase)
def test_time_goes_by_in_every_phase(phase: Phase) -> None:
    clocked = with_clock(playing(phase, ""), parse_control("60s"))
    before = replace(clocked, clocks=(start_clock(clocked.clocks[0], 0.0),))
    assert check_flag_fall(before, 59.0) == (before, ())
    after, events = check_flag_fall(before, 61.0)
    assert after.phase is Phase.OVER if phase in RUNNING else (after, events) == (before, ())
