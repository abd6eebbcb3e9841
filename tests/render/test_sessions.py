"""The stored recordings: every picture is there, and what they say of the game is lawful."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import engine.games
from engine.game import Move

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"
FOLDERS = sorted(path.parent for path in SESSIONS.glob("*/truth.json"))


def test_there_are_recordings_to_look_at() -> None:
    assert FOLDERS


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_stored_recording_shows_the_lawful_game_it_says(folder: Path) -> None:
    truth: dict[str, Any] = json.loads((folder / "truth.json").read_text())
    game = engine.games.load(truth["game"], truth.get("rules", "wcf"))
    positions = [game.start()]
    for entry in truth["moves"]:
        move = game.read(positions[-1], entry["notation"])
        assert isinstance(move, Move), move
        assert sorted(game.board.cells[cell] for cell in move.taken) == sorted(entry["captured"])
        positions.append(game.play(positions[-1], move))
    for frame in truth["frames"]:
        assert (folder / frame["file"]).exists()
        if frame["kind"] == "quiet":
            placement = positions[frame["ply"]].placement
            shown = {game.board.cells[c]: game.codes[code] for c, code in enumerate(placement) if code}
            assert frame["logical_board"] == shown
