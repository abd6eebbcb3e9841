"""From frames to events: moves are said soon after the hand has let go, wherever else hands may be."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.match.acts import Correct
from engine.match.arbiter import apply_act
from engine.match.events import Event, Moved, SetUp
from engine.match.referee import new_match
from engine.match.state import Phase
from tests.vision.filmed import Watched, board, handed, moves, put

GAME, SCENE = board()


def begun() -> Watched:
    watched = Watched(GAME, SCENE)
    assert not [event for event in watched.show(SCENE, 1.5) if isinstance(event, SetUp) and event.wrong]
    return watched


def test_a_move_is_said_soon_after_the_hand_has_gone() -> None:
    watched, after = begun(), put(GAME, SCENE, "F7", "F8")
    assert moves(watched.show(handed(GAME, SCENE, "F8", holds="F7"), 0.5)) == []
    then = watched.t
    events = watched.show(after, 1.5)
    assert moves(events) == ["F7-F8"]
    assert next(event.t for event in events if isinstance(event, Moved)) - then < 1.0


def test_a_move_is_said_while_a_hand_moves_elsewhere() -> None:
    """The other player reaches for the far end of the board."""
    watched, after = begun(), put(GAME, SCENE, "F7", "F8")
    watched.show(handed(GAME, SCENE, "F8", holds="F7"), 0.4)
    events: list[Event] = []
    for step in range(8):
        events += watched.show(handed(GAME, after, "GH"[step % 2] + "13", from_deg=90.0), 0.25)
    assert moves(events) == ["F7-F8"]


def test_a_piece_that_is_held_over_a_cell_has_not_moved() -> None:
    watched = begun()
    events = watched.show(handed(GAME, SCENE, "F8", holds="F7"), 4.0)
    events += watched.show(SCENE, 1.5)
    assert moves(events) == []


def test_a_ply_after_a_long_rest_is_said() -> None:
    """It comes from one frame to the next, as when the pictures of a network camera stop meanwhile."""
    watched = begun()
    watched.show(SCENE, 4.0)
    assert moves(watched.show(put(GAME, SCENE, "F7", "F8"), 1.5)) == ["F7-F8"]


def test_a_lamp_that_goes_off_with_a_ply_ends_no_game() -> None:
    watched, dark = begun(), replace(SCENE.light, main=0.25, around=0.6)
    one = put(GAME, SCENE, "F7", "F8")
    two = put(GAME, one, "F10", "F9")
    assert moves(watched.show(replace(one, light=dark), 5.0)) == ["F7-F8"]
    assert moves(watched.show(replace(two, light=dark), 2.0)) == ["F10-F9"]


def test_a_ply_with_which_a_recording_ends_is_said() -> None:
    """The film was stopped as soon as the hand had gone."""
    watched = begun()
    watched.show(handed(GAME, SCENE, "F8", holds="F7"), 0.5)
    assert moves(watched.show(put(GAME, SCENE, "F7", "F8"), 0.1)) == []
    assert moves(list(watched.watcher.conclude_recording())) == ["F7-F8"]


def test_an_unlawful_placement_with_which_a_recording_ends_is_asked_about() -> None:
    """It may have ended amid a capture: nobody is accused, and it is not passed over in silence."""
    watched = begun()
    watched.show(handed(GAME, SCENE, "F9", holds="F7"), 0.5)
    watched.show(put(GAME, SCENE, "F7", "F9"), 0.1)
    assert [event.name for event in watched.watcher.conclude_recording()] == ["unclear"]


def test_of_a_hand_with_which_a_recording_ends_nothing_is_said_but_that_it_is_there() -> None:
    watched = begun()
    watched.show(handed(GAME, SCENE, "F8", holds="F7"), 0.2)
    assert not watched.watcher.conclude_recording()
    assert watched.watcher.has_ended_under_hand
    watched.show(SCENE, 0.5)
    watched.watcher.conclude_recording()
    assert not watched.watcher.has_ended_under_hand


@settings(max_examples=3, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(["H8", "D9", "G12", "I6"]), min_size=1, max_size=3))
def test_hands_that_touch_nothing_change_nothing(over: list[str]) -> None:
    watched = begun()
    events: list[Event] = []
    for name in over:
        events += watched.show(handed(GAME, SCENE, name), 0.4)
        events += watched.show(SCENE, 0.6)
    assert moves(events) == []
    assert watched.watcher.match.position == GAME.start()


def test_the_same_frames_say_the_same_again() -> None:
    def said() -> list[dict[str, object]]:
        watched = begun()
        events = watched.show(handed(GAME, SCENE, "F8", holds="F7"), 0.5)
        events += watched.show(put(GAME, SCENE, "F7", "F8"), 1.0)
        return [event.to_json() for event in events]

    assert said() == said()


def test_pieces_put_up_while_nobody_looked_are_the_next_game() -> None:
    """The service was killed after some plies: it asked for 22 cells to be put right, and never saw the start."""
    match = new_match(GAME)
    for ply, text in enumerate(("F7-F8", "C11-C12", "E7-E8", "D11-D12", "D7-D8"), start=1):
        match, _ = apply_act(match, Correct(ply, text), float(ply))
    watched = Watched(GAME, SCENE, match=replace(match, phase=Phase.SETUP, ready=True))
    said = [event.name for event in watched.show(SCENE, 6.0)]
    assert said[-2:] == ["new-game", "ready"]
    assert moves(watched.show(put(GAME, SCENE, "F7", "F8"), 1.5)) == ["F7-F8"]


@pytest.mark.parametrize("phase", [Phase.SETUP, Phase.ADJOURNED])
def test_pieces_put_up_begin_no_other_game_where_this_one_was_called_back_by_name(phase: Phase) -> None:
    """`--take-up` named a game; half a minute later another one had begun, for the start position stood there."""
    match = new_match(GAME)
    for ply, text in enumerate(("F7-F8", "C11-C12", "E7-E8", "D11-D12", "D7-D8"), start=1):
        match, _ = apply_act(match, Correct(ply, text), float(ply))
    kept = replace(match, phase=phase, ready=True, recalled=phase is Phase.SETUP)
    watched = Watched(GAME, SCENE, match=kept)
    assert "new-game" not in [event.name for event in watched.show(SCENE, 3.0)]
    assert (watched.watcher.match.phase, watched.watcher.match.moves) == (phase, match.moves)
