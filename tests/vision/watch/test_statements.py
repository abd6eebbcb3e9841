"""What people say was played: believed where the picture leaves it open, asked about where it plainly shows another."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from engine.errors import InputError
from engine.game import Position
from engine.match.acts import AsPlayed, Correct, PutBack, SetPosition, StandsSo, Undo
from engine.match.events import CameraFound, Event, Illegal, Moved, Ready, SetUp
from engine.match.state import Phase
from engine.text.positions import to_json
from tests.examples import choose_rows
from tests.render.scene import Scene
from tests.render.script import Recipe
from tests.vision.filmed import FPS, Watched, board, clean, handed, kept, put

GAME, SCENE = board()
ONE = put(GAME, SCENE, "F7", "F8")
TWO = put(GAME, ONE, "C11", "C12")
MISTYPED = {"E7", "E8", "F7", "F8"}


def played(*scenes: Scene) -> Watched:
    """A game in which so many plies were played and said, to be gone on with."""
    return copy.deepcopy(_played(scenes), kept(GAME))


@lru_cache(maxsize=2)
def _played(scenes: tuple[Scene, ...]) -> Watched:
    """Most tests go on after the same plies: these are seen once."""
    watched = Watched(GAME, SCENE)
    for scene in (SCENE, *scenes):
        watched.show(scene, 1.5)
    assert len(watched.watcher.match.moves) == len(scenes)
    return watched


def say(watched: Watched, act: Correct | AsPlayed | PutBack | SetPosition | StandsSo | Undo) -> None:
    watched.watcher.perform_act(act, watched.t)


def asked(events: list[Event]) -> set[str]:
    """The cells that are named as not as expected."""
    named = [event for event in events if isinstance(event, SetUp)]
    return set(named[-1].wrong) if named else set()


def test_a_mistyped_correction_is_asked_about_and_nothing_is_taken_meanwhile() -> None:
    watched = played(ONE, TWO)
    say(watched, Correct(1, "E7-E8", by="arbiter"))
    assert asked(watched.show(TWO, 4.0)) == MISTYPED
    assert watched.watcher.match.phase is Phase.SETUP
    further = put(GAME, TWO, "D7", "D8")
    assert not [event for event in watched.show(further, 4.0) if isinstance(event, Moved)]
    assert len(watched.watcher.match.moves) == 2


def test_a_mistyped_correction_is_corrected_and_the_game_goes_on() -> None:
    watched = played(ONE, TWO)
    say(watched, Correct(1, "E7-E8"))
    watched.show(TWO, 4.0)
    say(watched, Correct(1, "F7-F8"))
    assert any(isinstance(event, Ready) for event in watched.show(TWO, 2.0))
    (move,) = (event for event in watched.show(put(GAME, TWO, "D7", "D8"), 2.0) if isinstance(event, Moved))
    assert move.notation == "D7-D8"


def test_a_hand_over_the_cells_settles_nothing() -> None:
    watched = played(ONE, TWO)
    say(watched, Correct(1, "E7-E8"))
    for over in ("E8", "F7", "F8"):
        events = watched.show(handed(GAME, TWO, over), 1.0) + watched.show(TWO, 1.5)
        assert not any(isinstance(event, Ready | Moved) for event in events)
    assert asked(watched.show(TWO, 4.0) or events) <= MISTYPED
    assert watched.watcher.match.phase is Phase.SETUP


def test_people_say_that_it_does_stand_so() -> None:
    watched = played(ONE, TWO)
    say(watched, Correct(1, "E7-E8"))
    watched.show(TWO, 4.0)
    say(watched, StandsSo())
    assert any(isinstance(event, Ready) for event in watched.show(TWO, 2.0))


def stands(watched: Watched, position: Position | None = None) -> SetPosition:
    return SetPosition(to_json(GAME, position or watched.position), stands=True)


@pytest.mark.parametrize(
    ("word", "frames"), choose_rows([(lambda _: StandsSo(), 0), (stands, 2), (lambda _: StandsSo(), 2), (stands, 0)], 2)
)
def test_the_word_for_a_board_is_none_for_what_is_played_before_it_was_learned(
    word: Callable[[Watched], StandsSo | SetPosition], frames: int
) -> None:
    """A first move was swallowed so, and the other side accused of the next."""
    watched = Watched(GAME, put(GAME, SCENE, "G6"), position=GAME.start())
    watched.show(put(GAME, SCENE, "G6"), 1.5)
    say(watched, word(watched))
    if frames:
        watched.show(put(GAME, SCENE, "G6"), frames / FPS)
    watched.show(handed(GAME, put(GAME, SCENE, "G6"), "F7"), 0.4)
    events = watched.show(put(GAME, ONE, "G6"), 2.0)
    assert not any(isinstance(event, Ready) for event in events)
    assert {"F7", "F8", "G6"} <= asked(events)


def test_the_board_that_is_taken_as_it_stands_is_played_on_from_at_once() -> None:
    watched = played(ONE)
    other = put(GAME, ONE, "C11")
    watched.show(other, 3.0)
    game = watched.watcher.match
    gone = bytes(0 if cell == "C11" else p for cell, p in zip(GAME.board.cells, game.position.placement, strict=True))
    say(watched, stands(watched, replace(game.position, placement=gone)))
    assert any(isinstance(event, Ready) for event in watched.show(other, 1.0))
    (move,) = (event for event in watched.show(put(GAME, other, "D11", "D12"), 2.0) if isinstance(event, Moved))
    assert move.notation == "D11-D12"


def test_the_word_for_a_board_that_no_picture_shows_is_refused() -> None:
    watched = Watched(GAME, put(GAME, SCENE, "G6"), position=GAME.start())
    watched.show(put(GAME, SCENE, "G6"), 1.5)
    watched.watcher.report_silence(watched.t + 9.0)
    for word in (StandsSo(), stands(watched)):
        with pytest.raises(InputError, match="cannot be seen now"):
            say(watched, word)
    watched.show(put(GAME, SCENE, "G6"), 1.0)
    say(watched, StandsSo())
    watched.count += 100
    assert not any(isinstance(event, Ready) for event in watched.show(put(GAME, ONE, "G6"), 2.0)), "it was said before"


def test_where_the_camera_was_moved_to_the_word_holds_at_once() -> None:
    """It was looked for anew where the profile has it, for so long that the next move was played meanwhile."""
    watched = Watched(GAME, SCENE)
    watched.show(SCENE, 1.5)
    moved = np.roll(clean(SCENE), (12, 25), axis=(0, 1))
    assert any(isinstance(event, CameraFound) for event in watched.show(moved, 5.0))
    say(watched, PutBack())
    say(watched, StandsSo())
    assert [event.name for event in watched.show(moved, 0.5)] == ["ready"]


def test_the_pieces_are_put_as_was_said() -> None:
    watched = played(ONE, TWO)
    say(watched, Correct(1, "E7-E8"))
    watched.show(TWO, 4.0)
    so = put(GAME, put(GAME, TWO, "F8", "F7"), "E7", "E8")
    assert any(isinstance(event, Ready) for event in watched.show(so, 2.0))


def test_an_answer_that_the_board_does_not_show_is_asked_about() -> None:
    watched = played(ONE)
    say(watched, AsPlayed("F10-F7", by="arbiter"))
    assert asked(watched.show(ONE, 4.0)) == {"F10", "F7"}
    assert len(watched.watcher.match.moves) == 2


def test_what_is_said_and_stands_so_is_asked_about_no_more() -> None:
    watched = played(ONE)
    say(watched, Undo(1))
    say(watched, Correct(1, "F7-F8"))
    assert not asked(watched.show(ONE, 4.0))
    watched = played(ONE)
    say(watched, AsPlayed("F10-F6"))
    assert not asked(watched.show(put(GAME, ONE, "F10", "F6"), 4.0))
    assert watched.watcher.match.phase is Phase.PLAYING


def test_what_a_person_said_wrongly_of_many_cells_is_not_learned() -> None:
    """A capture of five pieces was chosen that nobody had made: one of them had gone, the others stood all the same,
    and cells that stood right were called wrong once it was taken back."""
    game, start = board(Recipe(game="cam-3d", look="green", pieces="white_red", light="office", seed=3))
    one = put(game, start, "1B3", "2C4")
    other = put(game, one, "1B2", "3B4")
    watched = Watched(game, start)
    watched.show(start, 2.0)
    watched.show(one, 2.0)
    assert any(isinstance(event, Illegal) for event in watched.show(other, 3.0))
    assert isinstance(watched.watcher.match.note, Illegal)  # and it stays said
    say(watched, AsPlayed("3C7-1C5x3C3x1E3x3C1x1A3x1C1"))
    watched.show(other, 2.0)
    say(watched, Undo(1))
    watched.show(other, 2.0)
    watched.show(one, 3.0)
    assert watched.watcher.match.phase is Phase.PLAYING
    assert len(watched.watcher.match.moves) == 1
