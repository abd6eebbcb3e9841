"""The pieces are put up again, or one side's are taken off: the next game, a move thought better of, a resignation."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import ANY

import pytest

from engine.belief.verdicts import Earlier, PutUpAgain, Still
from engine.game import Outcome
from engine.games import load
from engine.match.acts import Act, Adjourn, Resign, Resume
from engine.match.arbiter import apply_act
from engine.match.buttons import find_button_act
from engine.match.events import Event, SetUp, Unclear
from engine.match.judging import GIVEN_UP_S, Asked, Consequence, Looked, State, apply_input
from engine.match.referee import FEW_PLIES, handle_pieces_put_up
from engine.match.state import Match, Phase
from tests.engine.match.test_referee import GAME, long_seen, playing
from tests.engine.sights import changed, line, seen

WHITE = ("C6", "D6", "E6", "F6", "G6", "H6", "I6", "K6", "D7", "E7", "F7", "G7", "H7", "I7")
"""Where White's pieces stand after the opening of `playing`."""


def test_another_game_begins_when_its_first_position_stands_again() -> None:
    over = replace(playing(Phase.OVER), outcome=Outcome("1-0", "resigned"))
    for verdict, phase, said in ((Earlier(1), Phase.OVER, ""), (PutUpAgain(), Phase.PLAYING, "new-game ready")):
        match, events = long_seen(over, verdict)
        assert (match.phase, " ".join(event.name for event in events)) == (phase, said)
    assert (match.moves, match.positions, match.outcome, match.ready) == ((), (GAME.start(),), None, True)
    assert events[0].to_json() == {"t": 10.0, "event": "new-game", "after": "1-0"}
    assert match.before is None


def test_a_game_under_way_is_put_away_and_kept_in_mind_when_the_pieces_are_put_up_again() -> None:
    under_way = playing(Phase.TROUBLE)
    match, events = long_seen(under_way, PutUpAgain(cleared=True))
    assert [event.name for event in events] == ["adjourned", "new-game", "ready"]
    assert events[1].to_json() == {"t": 10.0, "event": "new-game", "after": "adjourned"}
    assert match.before is not None
    assert (match.before.moves, match.before.before) == (under_way.moves, None)
    assert (match.phase, match.moves, match.ready) == (Phase.PLAYING, (), True)
    again, _ = long_seen(replace(playing(), before=match.before), PutUpAgain(cleared=True))
    assert again.before is not None
    assert again.before.before is None


@pytest.mark.parametrize("phase", [Phase.PLAYING, Phase.LIFTED, Phase.TROUBLE, Phase.UNCLEAR, Phase.SETUP])
@pytest.mark.parametrize("plies", range(1, FEW_PLIES + 2))
def test_the_first_plies_are_taken_back_at_once_and_more_of_them_are_another_game(plies: int, phase: Phase) -> None:
    """The game goes on from its start, with its names and clocks; unless the board was cleared before."""
    match = replace(playing(notations=" ".join(["J6-K6", "J11-H9", "F7-F5"][:plies])), phase=phase)
    back, events = long_seen(match, PutUpAgain())
    assert (back.phase, back.moves, back.positions, back.ready) == (Phase.PLAYING, (), (GAME.start(),), True)
    if plies <= FEW_PLIES:
        (back_again,) = events
        assert back_again.to_json() == {"t": 10.0, "event": "takeback", "plies": plies, "reason": ANY}
        assert back.before is None
    else:
        assert [event.name for event in events] == ["adjourned", "new-game", "ready"]
    other, events = long_seen(match, PutUpAgain(cleared=True))
    assert [event.name for event in events] == ["adjourned", "new-game", "ready"]
    assert other.before is not None
    assert len(other.before.moves) == plies


def test_many_plies_put_up_at_once_are_another_game_though_one_was_taken_back_before() -> None:
    match, _ = long_seen(playing(notations="J6-K6 J11-H9 F7-F5 G10-G9"), Earlier(1))
    _, events = long_seen(match, PutUpAgain())
    assert [event.name for event in events] == ["adjourned", "new-game", "ready"]


@pytest.mark.parametrize(
    ("ply", "alone", "is_ply"), [("K6-J6", False, False), ("K6-J6", True, True), ("G6-G5", False, True)]
)
def test_what_hands_seemed_to_play_while_they_put_the_pieces_up_is_no_ply_of_the_game_before(
    ply: str, alone: bool, is_ply: bool
) -> None:
    """A piece was carried to where it begins by way of a lawful ply, and no look has shown the board without a hand."""
    opening = "J6-K6 J11-H9 F7-F5 G10-G9"
    positions, _ = line(GAME, f"{opening} {ply}")
    last = seen(GAME, positions[-1].placement, 3.0)
    state = apply_input(State(playing(notations=opening)), Looked(3.0, replace(last, clear=False), 97)).state
    assert (len(state.match.moves), state.match.loose) == (5, 1)
    if alone:
        state = apply_input(state, Looked(3.5, replace(last, t=3.5, clear=True, rested=True), 97)).state
    begun = looks_at(GAME.start().placement, state, 4.0, 6.0)
    assert [event.name for event in begun.events] == [
        *([] if is_ply else ["takeback"]),
        "adjourned",
        "new-game",
        "ready",
    ]
    assert begun.state.match.before is not None
    assert len(begun.state.match.before.moves) == (5 if is_ply else 4)


@pytest.mark.parametrize("opening", ["J6-K6", "J6-K6 J11-H9"])
def test_a_cleared_board_is_set_up_for_another_game_however_short_the_last_one_was(opening: str) -> None:
    """Plies that lead back to the start in the same order were said, although nobody had played them."""
    cleared = looks_at(bytes(len(GAME.board.cells)), State(playing(notations=opening)), 20.0, 23.0)
    assert {event.name for event in cleared.events} == {"unclear"}
    begun = looks_at(GAME.start().placement, cleared.state, 40.0, 40.5, 41.0)
    assert [event.name for event in begun.events] == ["adjourned", "new-game", "ready"]
    assert begun.state.match.before is not None
    assert len(begun.state.match.before.moves) == len(opening.split())


@pytest.mark.parametrize("plies", [1, 5])
def test_after_a_side_has_left_before_the_first_ply_all_pieces_put_up_are_another_game(plies: int) -> None:
    """The start that was looked for had no pieces of that side, and the next game did not begin."""
    game = load("tri-camelot")
    begun = Match(game, (game.start(),), phase=Phase.PLAYING, ready=True)
    match, _ = apply_act(begun, Resign("red"), 1.0)
    full = seen(game, game.start().placement)
    for _ in range(plies):
        move = next(move for move in game.moves(match.position) if not move.taken)
        after = game.play(match.position, move)
        match = replace(match, positions=(*match.positions, after), moves=(*match.moves, move))
    state, events = State(replace(match, phase=Phase.PLAYING, note=None)), list[Event]()
    for t in (3.0, 3.5, 4.0, 5.0, 6.0):
        outcome = apply_input(state, Looked(t, replace(full, t=t, clear=True, rested=True, patient=True), 97))
        state, events = outcome.state, [*events, *outcome.events]
    assert [event.name for event in events][-2:] == ["new-game", "ready"]
    assert state.match.position == game.start() and not state.match.leavings


def without(side: int) -> bytes:
    """What is left of the board after OPENING without the pieces of a seat."""
    return bytes(0 if piece and GAME.seat_of[piece] == side else piece for piece in playing().position.placement)


def looks_at(board: bytes, state: State, *times: float) -> Consequence:
    """The last of some looks at a board at rest."""
    out = Consequence(state)
    for t in times:
        sight = replace(seen(GAME, board, t), clear=True, rested=True, patient=True)
        out = apply_input(out.state, Looked(t, sight, 97))
    return out


@pytest.mark.parametrize("seat", [0, 1])
def test_a_side_whose_pieces_are_all_taken_off_is_asked_whether_it_has_resigned(seat: int) -> None:
    stood = looks_at(playing().position.placement, State(playing()), 10.0).state
    asked = looks_at(without(seat), stood, 30.0, 33.0)
    (question,) = asked.events
    assert isinstance(question, Unclear)
    assert (question.resigned, question.options) == (GAME.seats[seat], ())
    wish = find_button_act("confirm", asked.state.match)
    assert wish == Resign(GAME.seats[seat], by="button")
    over = apply_input(asked.state, Asked(34.0, wish))
    assert [event.name for event in over.events] == ["left", "result"]
    back = looks_at(playing().position.placement, asked.state, 35.0)
    assert [event.name for event in back.events] == ["restored"], "nobody has resigned"


def test_nobody_is_asked_whether_a_side_has_resigned_that_is_packed_up_slowly_or_with_the_other() -> None:
    stood = looks_at(playing().position.placement, State(playing()), 10.0).state
    one_left = changed(GAME, playing().position.placement, " ".join(f"{cell}-" for cell in WHITE[:-1]))
    for board, t in ((without(0), 10.0 + GIVEN_UP_S + 1), (bytes(len(one_left)), 20.0), (one_left, 20.0)):
        (question,) = looks_at(board, stood, t, t + 3.0).events
        assert isinstance(question, Unclear)
        assert question.resigned is None


def test_whether_a_side_has_resigned_is_asked_until_it_is_answered() -> None:
    """The question was taken back half a minute after the position had stood, and another one asked in its place."""
    stood = looks_at(playing().position.placement, State(playing()), 10.0).state
    asked = looks_at(without(0), stood, 30.0, 33.0).state
    later = looks_at(without(0), asked, 35.0, 41.0, 60.0, 200.0)
    assert later.events == ()
    assert later.state.match.note == asked.match.note
    back = looks_at(playing().position.placement, later.state, 201.0)
    assert [event.name for event in back.events] == ["restored"]


def test_after_a_result_pieces_that_are_put_up_are_no_plies() -> None:
    """Two pieces were put back in the order in which they could have gone on: the next game did not begin."""
    played = playing(notations="C6-B6 D11-D9")
    stood = looks_at(played.position.placement, State(played), 10.0).state
    state = apply_input(stood, Asked(12.0, Resign("white"))).state
    for t in (14.0, 14.3):
        one_back = seen(GAME, changed(GAME, played.position.placement, "B6-C6"), t)
        state = apply_input(state, Looked(t, replace(one_back, clear=True, stirred=True), 97)).state
    begun = looks_at(GAME.start().placement, state, 14.6, 17.0)
    assert (begun.state.match.phase, begun.state.match.moves, begun.state.match.outcome) == (Phase.PLAYING, (), None)


def test_a_game_that_was_adjourned_makes_way_for_no_other_until_its_position_has_stood() -> None:
    """It was put away without a question, because the pieces of another evening stood on the board."""
    adjourned, _ = apply_act(playing(), Adjourn(), 1.0)
    assert long_seen(adjourned, PutUpAgain(cleared=True))[1] == ()
    assert handle_pieces_put_up(adjourned, 10.0, 97) == (adjourned, ())
    resumed, _ = apply_act(adjourned, Resume(), 11.0)
    asked, (told,) = long_seen(resumed, PutUpAgain(cleared=True), 12.0)
    assert (asked.phase, asked.moves, told.name) == (Phase.SETUP, playing().moves, "set-up")
    assert isinstance(told, SetUp)
    assert set(told.wrong) == {"J6", "K6", "J11", "H9"}
    assert handle_pieces_put_up(asked, 20.0, 97) == (asked, ())
    stood, _ = long_seen(asked, Still(), 30.0)
    _, events = long_seen(stood, PutUpAgain(cleared=True), 40.0)
    assert [event.name for event in events] == ["adjourned", "new-game", "ready"], "it is in progress again"


def test_after_a_game_that_was_called_back_and_is_over_the_next_one_begins_by_itself() -> None:
    match, _ = apply_act(playing(), Adjourn(), 1.0)
    later: list[tuple[float, Act]] = [(2.0, Resume()), (3.0, Resign("white"))]
    for t, act in later:
        match, _ = apply_act(match, act, t)
    assert [event.name for event in long_seen(match, PutUpAgain())[1]] == ["new-game", "ready"]
