"""Arms that reach over the board are told from a board on which pieces have moved, in path-traced pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.solve import by_corners
from calibration.view import View
from engine import games
from tests.tools.bench_vision import SESSIONS
from tests.tools.referee_recording import session_folders
from vision.ground import Image
from vision.reach import Surroundings

FOLDERS = session_folders(SESSIONS)


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


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_arm_is_told_from_pieces_that_have_moved(folder: Path) -> None:
    taken, seen = Taken(folder), Surroundings()
    cells, last = len(taken.board.cells), taken.frames[0]
    assert not seen.reached(taken.image(last), [taken.view(last)], cells)  # nothing to compare with
    mistaken = []
    for frame in taken.frames:
        if "shaken" in frame["note"]:
            continue
        image, views = taken.image(frame), [taken.view(frame)]
        arm, reached = frame["kind"] == "moving", seen.reached(image, views, cells)
        if reached != arm and frame["light"] == last["light"]:  # a switched lamp may seem to reach over the board
            mistaken.append(frame["file"])
        if not arm:
            seen.clear(image, views, cells)
            last = frame
    assert not mistaken


def test_in_another_light_nothing_is_known() -> None:
    taken, seen = Taken(FOLDERS[0]), Surroundings()
    quiet, arm = (next(f for f in taken.frames if f["kind"] == kind) for kind in ("quiet", "moving"))
    seen.clear(taken.image(quiet), [taken.view(quiet)], len(taken.board.cells))
    assert seen.reached(taken.image(arm), [taken.view(arm)], len(taken.board.cells))
    seen.forget()
    assert not seen.reached(taken.image(arm), [taken.view(arm)], len(taken.board.cells))
