"""Set-ups that are wrong are named, and none of them starts a game by itself."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest

from tests.bench.wrong_setups import ASKED, SETUPS, SetUp, is_named, told

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
