"""From the printer to the first moves: the real files of `referee print`, photographed, calibrated and refereed."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from engine import games
from server.cli import referee
from tests.render.printed import PrintedSet, noised
from tests.render.scene import look_from

QUIET, MOVING = 8, 2
"""Frames of a board at rest (a second), and with a hand over it."""
GAMES = [
    ("camelot", ["E6-C8", "H11-F9"], 45, -100),
    ("tri-camelot", ["E6-G8", "D13-D11"], 62, 40),
    ("camblam", ["E3-E5", "D10-D8"], 70, 170),
]


def run(*words: str) -> str:
    answer = CliRunner().invoke(referee, list(words), standalone_mode=False)
    assert answer.exception is None, answer.output
    return answer.stdout


@pytest.mark.parametrize(("name", "moves", "elevation", "azimuth"), GAMES)
def test_a_printed_game_is_refereed(name: str, moves: list[str], elevation: int, azimuth: int, tmp_path: Path) -> None:
    game = games.load(name)
    board_file, pieces_file, shots = tmp_path / "board.pdf", tmp_path / "pieces.pdf", tmp_path / "shots"
    said = run("print", "board", name, "--paper", "a3", "-o", str(board_file))
    run("print", "pieces", name, "--paper", "a3", "-o", str(pieces_file))
    cell_mm = float(said.split(" mm a cell")[0].split()[-1])
    printed = PrintedSet(game, board_file, pieces_file, "a3", cell_mm)
    camera = look_from(game.board, elevation, azimuth, 56, size_wh=(1280, 960), seed=2)
    shots.mkdir()
    position, count, rng = game.start(), 0, np.random.default_rng(4)

    def shoot(frames: int, hand_at: int | None = None) -> None:
        nonlocal count
        light = printed.lit(printed.laid(position.placement, seed=1), camera, hand_at)
        for _ in range(frames):
            cv2.imwrite(str(shots / f"{count:04d}.jpg"), noised(light, rng), [cv2.IMWRITE_JPEG_QUALITY, 92])
            count += 1

    shoot(2 * QUIET)
    for text in moves:
        move = next(move for move in game.moves(position) if game.write(position, move) == text)
        shoot(MOVING, move.origin)
        position = game.play(position, move)
        shoot(MOVING, move.target)
        shoot(QUIET)
    profile = tmp_path / "board.toml"
    assert "by markers" in run("calibrate", "--game", name, "--camera", str(shots), "--out", str(profile))
    events = [json.loads(line) for line in run("watch", "--profile", str(profile), "--json").splitlines()]
    told = [event.get("notation", event["event"]) for event in events if event["event"] != "lifted"]
    assert told == ["ready", *moves, "end"]
