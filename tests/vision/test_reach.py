"""Arms that reach over the board are told from a board on which pieces have moved, in path-traced pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from vision.reach import Over, Surroundings

from calibration.solve import by_corners
from calibration.view import View
from engine import games
from tests.tools.takes import session_folders
from vision.ground import Image

FOLDERS = session_folders(Path(__file__).parents[1] / "data" / "sessions")


class Taken:
    """A recording: its pictures, and where the board is in each of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.truth: dict[str, Any] = json.loads((folder / "truth.json").read_text())
        self.board = games.load(self.truth["game"], "wcf").board
        self.frames: list[dict[str, Any]] = [f for f in self.truth["frames"] if f["kind"] != "empty"]

    def image(self, frame: dict[str, Any]) -> Image:
        return np.asarray(cv2.imread(str(self.folder / frame["file"])), np.uint8)

    def view(self, frame: dict[str, Any]) -> View:
        corners = [(x, y) for x, y in self.truth["cameras"][frame["camera"]]["grid_corners_px"]]
        return by_corners(self.board, self.image(frame), corners, 0).view

    def over(self, seen: Surroundings, frame: dict[str, Any]) -> Over:
        return seen.over(self.image(frame), [self.view(frame)], since=0.0)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_arm_is_told_from_pieces_that_have_moved(folder: Path) -> None:
    taken = Taken(folder)
    seen = Surroundings(taken.board)
    last = taken.frames[0]
    assert not taken.over(seen, last).reached  # nothing to compare with
    mistaken = []
    for frame in taken.frames:
        if "shaken" in frame["note"]:
            continue
        over, arm = taken.over(seen, frame), frame["kind"] == "moving"
        if over.reached != arm and frame["light"] == last["light"]:  # a switched lamp may seem to reach over the board
            mistaken.append(frame["file"])
        if not arm:
            seen.clear(over)
            last = frame
    assert not mistaken


def test_in_another_light_nothing_is_known() -> None:
    taken = Taken(FOLDERS[0])
    seen = Surroundings(taken.board)
    quiet, arm = (next(f for f in taken.frames if f["kind"] == kind) for kind in ("quiet", "moving"))
    seen.clear(taken.over(seen, quiet))
    assert taken.over(seen, arm).reached
    seen.forget()
    assert not taken.over(seen, arm).reached
