"""The first ply of the demonstration, as it was filmed: a fist reaches over several pieces and takes one of them."""

from __future__ import annotations

import json
from pathlib import Path

import cv2

from calibration.profile import load_profile
from engine import games
from engine.match.events import Event, Lifted, Moved
from engine.match.referee import new_match
from vision.frames import Frame
from vision.watch.watcher import Watcher

DEMO = Path(__file__).parents[2] / "data" / "sessions" / "demonstration"
PICTURES = 4
"""The board, the fist twice, and the board after E7-D8."""


def test_no_other_piece_is_lifted_than_the_one_that_is_taken() -> None:
    profile = load_profile(DEMO / "profile.toml")
    watcher = Watcher(profile, new_match(games.load(profile.game)))
    film = json.loads((DEMO / "recording.json").read_text(encoding="utf-8"))
    told, taken = list[Event](), 0
    for number in range(PICTURES):
        image = cv2.imread(str(DEMO / f"frame_{number:04}.jpg"))
        assert image is not None
        for _ in range(film["repeat"][number]):
            told += watcher.take_frame(Frame(taken / film["fps"], image))
            taken += 1
    assert [one.notation for one in told if isinstance(one, Moved)] == ["E7-D8"]
    assert {one.cell for one in told if isinstance(one, Lifted)} <= {"E7"}
