"""A ply of which the board shows only where it led is asked about; once it is answered the game goes on beside that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.belief.sight import Sight
from engine.game import Game, Position
from engine.match.acts import Correct, Undo
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.decided import DecidedOn, find_change_since
from engine.match.events import Event, Illegal, Moved, Unclear
from engine.match.judging import Asked, Looked, State, apply_input
from engine.match.referee import new_match
from engine.match.state import Phase
from server.record.journal import build_begin_event, fold_events
from tests.engine.sights import cells, changed, move_named, seen
from tests.engine.stand import stand

PIECES = "WN J6 I7 C6, WM K6 I8 D6 D5, BM I6 H9 C11 D11 E11"
ROUTES = ("J6-H8-J8-H6xJ6", "I7-K5-K7-I5xI7")
AFTER = ("H9xJ7xH7", "C6-C7", "C11-C12")
FIT, LOOK_S, HAND_S = 100, 0.125, 0.75
ASKED_S = 2.5
"""So long a board stands before anybody is asked."""


class Watched:
    """A board that is looked at eight times a second, and what the referee said."""

    def __init__(self, game: Game, position: Position, clock: str = "") -> None:
        match = new_match(game, position)
        self.state = State(with_clock(match, parse_control(clock)) if clock else match)
        self.begun = build_begin_event(match)
        self.t, self.told = 0.0, list[Event]()
        self.stand_for(position.placement, 1.0)

    def stand_for(self, placement: bytes, seconds: float, hidden: str = "") -> None:
        """The board shows a placement; a hand lies over the cells that are `hidden`."""
        game = self.state.match.game
        end, since = self.t + seconds, self.t
        while self.t < end:
            self.t += LOOK_S
            sight: Sight = replace(
                seen(game, placement, self.t),
                clear=not hidden,
                stirred=self.t <= since + LOOK_S,
                hidden=tuple(cells(game, hidden)),
                rested=self.t - since > 1.0,
                moving_s=HAND_S,
            )
            self.take(Looked(self.t, sight, FIT))

    def play(self, position: Position, notation: str, then_s: float) -> Position:
        """A hand comes over the piece that moves, and the board is left alone."""
        game = self.state.match.game
        move = move_named(game, position, notation)
        hidden = " ".join({game.board.cells[cell] for cell in (*move.path, *move.taken)})
        self.stand_for(position.placement, HAND_S, hidden)
        after = game.play(position, move)
        self.stand_for(after.placement, then_s)
        return after

    def take(self, given: Looked | Asked) -> None:
        """Tell the referee."""
        outcome = apply_input(self.state, given)
        self.state, self.told = outcome.state, [*self.told, *outcome.events]

    def said(self) -> list[str]:
        """The plies of the record."""
        match = self.state.match
        return [match.game.write(before, move) for before, move in zip(match.positions, match.moves, strict=False)]


def begin(rules: str = "wcf", clock: str = "") -> tuple[Watched, Position]:
    game, position = stand(f"camelot {rules}", "white", PIECES)
    return Watched(game, position, clock), position


@pytest.mark.parametrize("pause_s", [0.5, 1.5, 3.0])
@pytest.mark.parametrize("played", ROUTES)
@pytest.mark.parametrize("rules", ["wcf", "brainking"])
def test_the_game_goes_on_beside_the_question(rules: str, played: str, pause_s: float) -> None:
    board, position = begin(rules)
    position = board.play(position, played, pause_s)
    assert not [one for one in board.told if isinstance(one, Moved)]
    assert [one.options[:2] for one in board.told if isinstance(one, Unclear)] == (
        [ROUTES] if pause_s > ASKED_S else []
    )
    answered_t = board.t + HAND_S
    for notation in AFTER:
        position = board.play(position, notation, pause_s)
    asked = next(one for one in board.told if isinstance(one, Moved))
    assert asked.or_ is not None
    assert {asked.notation, *asked.or_} == set(ROUTES)
    assert asked.confidence == pytest.approx(0.5, abs=0.01)
    assert asked.t < answered_t + 1.0
    assert board.said()[1:] == list(AFTER)
    assert board.state.match.position == position
    assert not [one for one in board.told if isinstance(one, Illegal)]
    board.take(Asked(board.t, Correct(1, played, by="players")))
    assert board.said() == [played, *AFTER]
    assert board.state.match.undecided == ()
    assert board.state.match.phase is Phase.PLAYING
    board.stand_for(position.placement, 1.0)
    assert board.said() == [played, *AFTER]


def test_what_was_seen_on_the_way_is_likelier() -> None:
    """One of the two was seen in the air, with nothing over its cell: that one is named first."""
    board, position = begin()
    board.stand_for(changed(board.state.match.game, position.placement, "I7-"), 0.5, "J5 K5 K7 I5 I6 J6")
    board.play(position, ROUTES[1], 3.0)
    asked = next(one for one in board.told if isinstance(one, Unclear))
    assert asked.options[:2] == (ROUTES[1], ROUTES[0])


@pytest.mark.parametrize("notation", ["J6xH6", "I7xI5"])
@pytest.mark.parametrize("pause_s", [0.75, 6.0])
def test_who_takes_off_first_and_moves_then_is_not_accused(notation: str, pause_s: float) -> None:
    board, position = begin()
    board.stand_for(position.placement, HAND_S, "H6 I6 J6")
    board.stand_for(changed(board.state.match.game, position.placement, "I6-"), pause_s)
    board.play(position, notation, 1.5)
    assert board.said() == [notation]
    assert board.state.match.undecided == ()
    assert not [one for one in board.told if isinstance(one, Illegal)]


def test_the_record_keeps_the_question() -> None:
    board, position = begin()
    position = board.play(position, ROUTES[0], 1.5)
    board.play(position, AFTER[0], 1.5)
    events = [board.begun, *(one.to_json() for one in board.told)]
    match = fold_events(events, "here")
    assert match.list_undecided() == board.state.match.list_undecided() == [(1, ROUTES)]
    board.take(Asked(board.t, Correct(1, ROUTES[1], by="arbiter")))
    events = [board.begun, *(one.to_json() for one in board.told)]
    folded = fold_events(events, "here")
    assert folded.undecided == ()
    assert folded.moves == board.state.match.moves


def test_an_answer_comes_in_time_whatever_was_played_meanwhile() -> None:
    board, position = begin()
    position = board.play(position, ROUTES[0], 1.5)
    seen_on = DecidedOn("here", 1, board.state.match.number)
    board.play(position, AFTER[0], 1.5)
    match = board.state.match
    assert find_change_since(match, "here", seen_on, Correct(1, ROUTES[1])) is None
    assert find_change_since(match, "here", seen_on, Correct(1, "J6xH6")) is not None
    board.take(Asked(board.t, Correct(1, ROUTES[1])))
    assert find_change_since(board.state.match, "here", seen_on, Correct(1, ROUTES[0])) is not None


def test_what_is_taken_back_is_no_question() -> None:
    board, position = begin()
    position = board.play(position, ROUTES[0], 1.5)
    board.play(position, AFTER[0], 1.5)
    assert board.state.match.undecided
    board.take(Asked(board.t, Undo(2, by="players")))
    assert board.state.match.undecided == ()


def test_an_answer_gives_nobody_time() -> None:
    board, position = begin(clock="60m")
    position = board.play(position, ROUTES[0], 1.5)
    board.play(position, AFTER[0], 1.5)
    before = board.state.match.clocks
    board.take(Asked(board.t, Correct(1, ROUTES[1])))
    assert board.state.match.clocks == before
