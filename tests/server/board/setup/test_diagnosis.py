"""Set-ups that are wrong are named, and none of them starts a game by itself."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.find_board import find_by_itself
from engine import games
from engine.game import looks_at_start
from server.board.setup import diagnosis
from server.board.setup.diagnosis import Cause, Diagnosis, diagnose_place
from tests.bench.wrong_setups import ASKED, SETUPS, SetUp, is_named, told
from tests.calibration.test_find_board import drawn
from tests.render.scene import cell_xy

QUICK = {
    "tri-camelot's board",
    "chivalry's board",
    "camelot's board, chivalry chosen",
    "mirrored, with markers",
    "empty",
    "two pieces missing",
    "White alone on a bright board",
    "Black alone on a bright board",
    "dark",
    "overexposed",
    "cut",
} | {"turned half round, with markers"}
"""Some of each kind; all of them, on other seeds: python -m tests.bench.wrong_setups."""


@pytest.mark.parametrize("setup", [one for one in SETUPS if one.name in QUICK], ids=lambda one: one.name)
def test_what_is_wrong_is_named_and_starts_nothing(setup: SetUp, tmp_path: Path) -> None:
    path = tmp_path / "camera.png"
    cv2.imwrite(str(path), setup.picture(7))
    said = told(setup, path)
    assert is_named(setup, said), said
    assert not said["started"]


def test_what_is_right_is_ready_but_for_the_mirror(tmp_path: Path) -> None:
    upside_down = next(one for one in SETUPS if one.name == "upside down")
    path = tmp_path / "camera.png"
    cv2.imwrite(str(path), upside_down.picture(7))
    said = told(upside_down, path)
    assert (said["cause"], said["started"]) == (ASKED, False)


@pytest.mark.parametrize("named", ["chivalry", "camblam"])
def test_a_board_of_the_same_lattice_is_named_at_once(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most lines of the wrong game's board are there, so that it fitted, and was saved. No other game is looked for."""
    monkeypatch.delattr(diagnosis, "_boards_of_others")
    image, _ = drawn("camelot", "walnut", "white_black", 62, -20)
    game = games.load(named)
    found = find_by_itself(game.board, image, looks_at_start(game))
    assert diagnose_place(game, image, found, None) == Diagnosis(Cause.OTHER_GAME, game="camelot")


def test_a_board_without_its_last_ranks_is_cut_off_and_not_another_one() -> None:
    image, camera = drawn("camelot", "lines", "maple_black", 62, -90)
    game = games.load("camelot")
    lowest = float(camera.project(np.array([[*cell_xy(game.board, game.board.index["F2"]), 0.0]]))[0, 1])
    cut = np.ascontiguousarray(image[: round(lowest)])
    found = find_by_itself(game.board, cut, looks_at_start(game))
    assert diagnose_place(game, cut, found, None).cause is Cause.CUT
