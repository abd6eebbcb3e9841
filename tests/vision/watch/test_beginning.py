"""Begun, resumed, gone on with: a board that stands otherwise than the record is asked about, never taken as moves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.profile import load_profile
from engine import games
from engine.errors import InputError
from engine.game import Game, Move, Position
from engine.match.acts import Adjourn, Correct, Resume, StandsSo
from engine.match.events import CannotSee, Event, Moved, Ready, SeenAgain, SetUp, Vouched
from engine.match.referee import new_match
from engine.match.state import Phase
from server.pictures import read_frames
from tests.engine.sights import line
from tests.engine.stand import stand
from tests.render.scene import Scene
from tests.render.script import Recipe
from tests.vision.filmed import FPS, Watched, board, clean, handed, put
from tests.vision.pictures import photograph, scene_of, true_cells, true_views
from vision.ground import Image
from vision.watch.beginning import begin_game
from vision.watch.watcher import Watcher

GAME, SCENE = board()
HAND_AT_START = Path(__file__).parents[2] / "data" / "hand_at_start"
"""A start that is first seen to stand beside the hand that makes the first move; drawn by another renderer."""
DEMO = Path(__file__).parents[2] / "data" / "sessions" / "demonstration"
LOW = Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=(640, 480), elevation=18.0, hfov=70.0)
TRI = Recipe(game="tri-camelot", look="lines", light="office", seed=4, size_wh=(960, 720))


@lru_cache(maxsize=4)
def after(*texts: str) -> Position:
    """The position after some plies from the start."""
    position = GAME.start()
    for text in texts:
        move = GAME.read(position, text)
        assert isinstance(move, Move)
        position = GAME.play(position, move)
    return position


def of(kind: type[Event], events: Sequence[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, kind)]


def watched(game: Game, scene: Scene, position: Position) -> Watched:
    """A referee who expects a position and sees a scene."""
    return Watched(game, scene, position=position)


def test_one_ply_further_is_asked_about_and_ready_once_it_is_answered() -> None:
    further = put(GAME, SCENE, "E6", "E5")
    here = watched(GAME, further, GAME.start())
    events = here.show(further, 1.5)
    assert not of(Ready, events)
    assert not of(Moved, events)
    asked = of(SetUp, events)[-1]
    assert isinstance(asked, SetUp)
    assert {"E5", "E6"} <= set(asked.wrong)
    assert asked.options[0] == "E6-E5"
    answered = here.watcher.perform_act(Correct(1, asked.options[0]), here.t)
    assert isinstance(answered[0], Moved)
    assert here.watcher.match.phase is Phase.SETUP
    assert of(Ready, here.show(further, 1.0))
    assert len(here.watcher.match.moves) == 1


@pytest.mark.parametrize(
    ("look", "light", "seed", "stands"),
    [("paper", "evening", 22, ""), ("walnut", "day", 11, "BM D5"), ("green", "evening", 52, "WN C4")],
)
def test_a_board_with_hardly_a_piece_is_not_as_expected(look: str, light: str, seed: int, stands: str) -> None:
    """Read as it seemed to stand it was empty, and the referee ended: an empty board tells nothing of pieces."""
    recipe = Recipe(game="camette", look=look, pieces="white_black", light=light, seed=seed, size_wh=(640, 480))
    game, position = stand("camette", "white", stands)
    _, scene = scene_of(recipe, position)
    begun = begin_game(game, game.start(), true_views(scene), photograph(scene))
    missing = {cell for cell, piece in enumerate(game.start().placement) if piece and not position.placement[cell]}
    assert missing <= set(begun.wrong)


def test_a_ply_that_explains_all_that_seems_wrong_is_asked_about_in_the_first_look() -> None:
    """On a busy machine each further look takes a second, and people wait."""
    further = put(GAME, SCENE, "E6", "E5")
    first = of(SetUp, watched(GAME, further, GAME.start()).show(further, 1.5))[0]
    assert isinstance(first, SetUp)
    assert first.options == ("E6-E5",)


def test_two_plies_further_are_asked_about_one_after_the_other() -> None:
    further = put(GAME, put(GAME, SCENE, "E6", "E5"), "H11", "H12")
    here = watched(GAME, further, GAME.start())
    for played, ply in (("E6-E5", 1), ("H11-H12", 2)):
        asked = of(SetUp, here.show(further, 2.5))[-1]
        assert isinstance(asked, SetUp)
        assert played in asked.options
        here.watcher.perform_act(Correct(ply, played), here.t)
    assert of(Ready, here.show(further, 1.0))
    assert [GAME.write(p, m) for p, m in zip(here.watcher.match.positions, here.watcher.match.moves, strict=False)] == [
        "E6-E5",
        "H11-H12",
    ]


def test_after_an_adjournment_the_board_is_looked_at_anew() -> None:
    here = watched(GAME, SCENE, GAME.start())
    assert of(Ready, here.show(SCENE, 1.0))
    here.watcher.perform_act(Adjourn(), here.t)
    further = put(GAME, SCENE, "E6", "E5")
    assert not here.show(further, 1.0)
    here.watcher.perform_act(Resume(), here.t)
    events = here.show(further, 1.5)
    assert not of(Ready, events)
    assert not of(Moved, events)
    asked = of(SetUp, events)[-1]
    assert isinstance(asked, SetUp)
    assert asked.options == ("E6-E5",)


def test_a_board_of_another_game_than_the_record_is_named_to_the_cell() -> None:
    """Somebody put "J6-J5" into the record for C6-C5: a ply that explains a part of it was asked, and written by a tap.
    Of the cells J5 and J6 nothing was said: the empty one had taught how a white piece looks."""
    game, scene = scene_of(Recipe(size_wh=(640, 480)))
    shown = put(game, put(game, put(game, put(game, scene, "D6", "D5"), "D11", "D12"), "C6", "C5"), "E11", "E12")
    recorded = after("D6-D5", "D11-D12", "J6-J5", "E11-E12")
    asked = of(SetUp, watched(game, shown, recorded).show(shown, 2.5))
    assert not [event for event in asked if isinstance(event, SetUp) and event.options]
    assert isinstance(asked[-1], SetUp)
    assert set(asked[-1].wrong) == {"C5", "C6", "J5", "J6"}


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_board_of_which_one_level_has_no_pieces_is_read(level: int) -> None:
    """A lawful position of Cam 3-D: nothing could be learned from that level, and the referee ended."""
    game, scene = scene_of(Recipe("cam-3d", size_wh=(960, 720), elevation=60.0, seed=6))
    placed = game.start().placement
    there = [cell for cell, piece in enumerate(placed) if piece and game.board.levels[cell] == level]
    position = replace(game.start(), placement=bytes(0 if c in there else piece for c, piece in enumerate(placed)))
    for cell in there:
        scene = put(game, scene, game.board.cells[cell])
    assert begin_game(game, position, true_views(scene), clean(scene), asks=False).wrong == ()


def test_what_no_lawful_ply_explains_has_no_options() -> None:
    gone = put(GAME, SCENE, "F7")
    asked = of(SetUp, watched(GAME, gone, GAME.start()).show(gone, 1.5))
    assert asked
    assert all(isinstance(event, SetUp) and event.options == () for event in asked)
    assert "options" not in asked[-1].to_json()


def test_a_person_says_that_it_does_stand_so() -> None:
    gone = put(GAME, SCENE, "F7")
    here = watched(GAME, gone, GAME.start())
    assert not of(Ready, here.show(gone, 1.5))
    assert here.watcher.perform_act(StandsSo(by="arbiter"), here.t) == (Vouched(here.t, by="arbiter"),)
    assert of(Ready, here.show(gone, 1.0))
    with pytest.raises(InputError, match="stands so: the referee does not wait"):
        here.watcher.perform_act(StandsSo(), here.t)


def test_another_answer_takes_the_word_back() -> None:
    """Somebody vouches for the board, and adjourns before it is seen: the next time it is looked at as ever."""
    gone = put(GAME, SCENE, "F7")
    here = watched(GAME, gone, GAME.start())
    here.show(gone, 1.0)
    for act in (StandsSo(), Adjourn(), Resume()):
        here.watcher.perform_act(act, here.t)
    assert not of(Ready, here.show(gone, 1.5))


def test_a_position_that_was_given_is_looked_at_too() -> None:
    """A game that begins in the middle: the board stands as it did a ply before."""
    here = watched(GAME, SCENE, after("E6-E5"))
    events = here.show(SCENE, 1.5)
    assert not of(Ready, events)
    wrong = of(SetUp, events)[-1]
    assert isinstance(wrong, SetUp)
    assert {"E5", "E6"} <= set(wrong.wrong)


def test_before_a_game_a_look_does_a_part_and_the_next_frame_the_next() -> None:
    here = watched(GAME, SCENE, GAME.start())
    while not here.watcher.stages.looks_ms:
        assert not here.show(SCENE, 1 / FPS)
    assert not here.watcher.has_begun, "the first look only learns the board"
    assert of(Ready, here.show(SCENE, 1 / FPS))
    assert len(here.watcher.stages.looks_ms) == 2


def test_what_stirs_between_two_parts_is_seen() -> None:
    """The board is learned, and before it is checked a hand comes and takes a piece."""
    here = watched(GAME, SCENE, GAME.start())
    while not here.watcher.stages.looks_ms:
        here.show(SCENE, 1 / FPS)
    taken = put(GAME, SCENE, "F7")
    events = here.show(handed(GAME, taken, "F8"), 2 / FPS) + here.show(taken, 1.0)
    assert not of(Ready, events)
    named = of(SetUp, events)[-1]
    assert isinstance(named, SetUp)
    assert "F7" in named.wrong


def test_a_hand_is_no_start() -> None:
    held = handed(GAME, SCENE, "F8")
    assert not of(Ready, watched(GAME, held, GAME.start()).show(held, 1.5))


def test_sides_of_three_colours_the_wrong_way_round() -> None:
    game, scene = scene_of(TRI)
    turned = {"blue": "red", "red": "green", "green": "blue"}
    other = replace(scene, pieces=tuple(replace(piece, look=turned[piece.look]) for piece in scene.pieces))
    here = watched(game, other, game.start())
    events = here.show(other, 1.5)
    assert not of(Ready, events)
    named = of(SetUp, events)[-1]
    assert isinstance(named, SetUp)
    assert len(named.wrong) == len(scene.pieces)


def test_a_camera_that_looks_along_the_board_is_told_so_instead_of_cells() -> None:
    """Far cells are a few pixels high there: what stands in them cannot be told."""
    game, scene = board(LOW)
    here = watched(game, put(game, scene, "D6"), game.start())
    events = here.show(put(game, scene, "D6"), 2.0)
    assert not of(SetUp, events)
    assert [event.cause for event in events if isinstance(event, CannotSee)] == ["small"]
    events = list(here.watcher.perform_act(StandsSo(by="player"), here.t)) + here.show(put(game, scene, "D6"), 2.0)
    assert of(Ready, events)
    assert of(SeenAgain, events)


def stained(scene: Scene) -> Image:
    """A scene on a board with a dark stain on D9: nobody can say that nothing stands there."""
    image = clean(scene).copy()
    x, y = true_cells(SCENE)[GAME.board.index["D9"]]
    cv2.circle(image, (round(float(x)), round(float(y))), 7, (40, 40, 150), -1, cv2.LINE_AA)
    return image


def test_one_odd_cell_has_no_veto_once_people_play_on() -> None:
    here = watched(GAME, SCENE, GAME.start())
    events = here.show(stained(SCENE), 2.0)
    assert not of(Ready, events)
    assert {name for event in of(SetUp, events) if isinstance(event, SetUp) for name in event.wrong} == {"D9"}
    here.show(stained(handed(GAME, SCENE, "F8", holds="F7")), 0.5)
    events = here.show(stained(put(GAME, SCENE, "F7", "F8")), 1.5)
    assert [event.name for event in events if isinstance(event, Ready | Moved)] == ["ready", "move"]
    assert [event.notation for event in events if isinstance(event, Moved)] == ["F7-F8"]


def test_a_start_that_is_put_right_is_ready_and_no_ply() -> None:
    here = watched(GAME, SCENE, GAME.start())
    beside = put(GAME, SCENE, "F7", "F9")
    assert not of(Ready, here.show(beside, 1.5))
    here.show(handed(GAME, SCENE, "F8", holds="F7"), 0.5)
    events = here.show(SCENE, 2.0)
    assert [event.name for event in events if isinstance(event, Ready | Moved)] == ["ready"]


def test_a_board_in_the_dark_is_called_dark_and_not_empty() -> None:
    game, scene = board()
    here = watched(game, scene, game.start())
    events = here.say(np.asarray(clean(scene) * 0.07, np.uint8), 5.0, 1.0)
    assert not of(SetUp, events)
    assert [event.cause for event in events if isinstance(event, CannotSee)] == ["dark"]


def test_a_game_that_goes_on_is_not_gone_on_with_while_a_piece_is_missing() -> None:
    """The service was ended with H6 in a hand: whatever stirs on the board meanwhile, nothing is played without it."""
    missing = put(GAME, SCENE, "H6")
    here = Watched(GAME, missing, match=replace(new_match(GAME), ready=True))
    events = here.show(missing, 1.5)
    assert [event.wrong for event in events if isinstance(event, SetUp)] == [("H6",)]
    events = [*here.show(handed(GAME, missing, "H8"), 0.6), *here.show(missing, 1.5)]
    events += here.show(put(GAME, missing, "E6", "E5"), 2.0)
    assert not of(Ready, events)
    assert not of(Moved, events)
    here.show(SCENE, 6.0)
    assert here.watcher.match.phase is Phase.PLAYING


def test_a_start_that_is_seen_beside_the_first_hand_loses_no_ply() -> None:
    """Two shadows seemed to be pieces until the hand was there; then all plies were taken for faults of the set-up."""
    profile = load_profile(HAND_AT_START / "profile.toml")
    watcher = Watcher(profile, new_match(games.load(profile.game, profile.rules)))
    events = [e for frame in read_frames(str(HAND_AT_START / "film.mp4")) for e in watcher.take_frame(frame)]
    assert [e.notation for e in events if isinstance(e, Moved)] == ["E6-D5", "E10-E9"]


@pytest.mark.parametrize(("plies", "picture"), [(1, 3), (8, 36)])
def test_a_game_that_goes_on_finds_no_knight_and_man_exchanged(plies: int, picture: int) -> None:
    """A restart called right positions of the demonstration wrong: pieces in other places look otherwise."""
    profile, lines = load_profile(DEMO / "profile.toml"), (DEMO / "events.jsonl").read_text(encoding="utf-8")
    game = games.load(profile.game)
    played = [one["notation"] for one in map(json.loads, lines.splitlines()) if one["event"] == "move"]
    position, _ = line(game, " ".join(played[:plies]))
    image = cv2.imread(str(DEMO / f"frame_{picture:04}.jpg"))
    assert image is not None
    assert begin_game(game, position[-1], profile.views, np.asarray(image, np.uint8)).wrong == ()
