"""Recordings of random games: what truth.json says is what the engine says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import pytest

import engine.games
from engine.game import Game, Move, Position
from tests.render.script import Recipe, record, stage_of

SMALL = (320, 240)
DISAGREE = {"illegal_move", "captured_left_on_board", "leg_pause"}
"""Events in whose picture the board does not show the position that the game is in."""


def board_json(game: Game, position: Position) -> dict[str, str]:
    return {game.board.cells[c]: game.codes[code] for c, code in enumerate(position.placement) if code}


def played(game: Game, moves: list[dict[str, Any]]) -> list[Position]:
    positions = [game.start()]
    for entry in moves:
        move = game.read(positions[-1], entry["notation"])
        assert isinstance(move, Move), move
        positions.append(game.play(positions[-1], move))
    return positions


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("recording")
    record(Recipe(seed=5, plies=24, size_wh=SMALL), folder)
    data: dict[str, Any] = json.loads((folder / "truth.json").read_text())
    data["folder"] = str(folder)
    return data


def test_every_picture_is_there(truth: dict[str, Any]) -> None:
    for frame in truth["frames"]:
        image = cv2.imread(str(Path(truth["folder"]) / frame["file"]))
        assert image.shape == (SMALL[1], SMALL[0], 3)
    assert [f["i"] for f in truth["frames"]] == list(range(len(truth["frames"])))
    times = [f["t"] for f in truth["frames"]]
    assert times == sorted(times)


def test_quiet_pictures_show_the_game(truth: dict[str, Any]) -> None:
    game = engine.games.load("camelot", truth["rules"])
    positions = played(game, truth["moves"])
    odd = {e["frame"] for e in truth["events"] if e["kind"] in DISAGREE}
    for frame in truth["frames"]:
        if frame["kind"] == "quiet":
            assert frame["logical_board"] == board_json(game, positions[frame["ply"]])
            assert (frame["board"] == frame["logical_board"]) == (frame["i"] not in odd)


def test_frames_after_moves_show_their_positions(truth: dict[str, Any]) -> None:
    game = engine.games.load("camelot", truth["rules"])
    positions = played(game, truth["moves"])
    for entry in truth["moves"]:
        after = truth["frames"][entry["frame_after"]]
        assert after["kind"] == "quiet"
        assert entry["frame_before"] < entry["frame_after"]
        assert after["board"] == board_json(game, positions[after["ply"]])


def test_wrong_moves_are_no_lawful_results(truth: dict[str, Any]) -> None:
    game = engine.games.load("camelot", truth["rules"])
    positions = played(game, truth["moves"])
    wrong = [e for e in truth["events"] if e["kind"] == "illegal_move"]
    assert wrong
    for event in wrong:
        before = positions[event["ply"] - 1]
        shown = truth["frames"][event["frame"]]["board"]
        assert shown not in [board_json(game, game.play(before, move)) for move in game.moves(before)]


def test_pieces_say_where_they_are(truth: dict[str, Any]) -> None:
    for frame in truth["frames"]:
        on_board = {p["cell"]: p["code"] for p in frame["pieces"] if p["where"] == "board"}
        assert on_board == frame["board"]
        assert not any(p["where"] == "held" for p in frame["pieces"] if frame["kind"] == "quiet")


@pytest.mark.parametrize("game", engine.games.names())
def test_every_game_can_be_recorded(game: str) -> None:
    stage, director = stage_of(Recipe(game=game, seed=2, plies=8))
    played(stage.game, director.moves)
    assert len(director.moves) >= 4  # the smallest board may be played out before the eighth ply


def test_same_recipe_same_recording() -> None:
    first, second = (stage_of(Recipe(seed=7, plies=10))[0] for _ in range(2))
    assert [f.cells for f in first.frames] == [f.cells for f in second.frames]
    assert [f.scene for f in first.frames] == [f.scene for f in second.frames]
