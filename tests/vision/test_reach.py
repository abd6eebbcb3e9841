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
from engine.board import Board
from tests.render.script import Recipe, stage_of
from tests.tools.bench_vision import SESSIONS, drawn_recipe
from tests.tools.referee_recording import session_folders
from tests.vision.pictures import photograph, true_views
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
    last = taken.frames[0]
    assert not seen.reached(taken.image(last), [taken.view(last)], taken.board)  # nothing to compare with
    mistaken = []
    for frame in taken.frames:
        if "shaken" in frame["note"]:
            continue
        image, views = taken.image(frame), [taken.view(frame)]
        arm, reached = frame["kind"] == "moving", seen.reached(image, views, taken.board)
        if reached != arm and frame["light"] == last["light"]:  # a switched lamp may seem to reach over the board
            mistaken.append(frame["file"])
        if not arm:
            seen.clear(image, views, taken.board)
            last = frame
    assert not mistaken


def test_in_another_light_nothing_is_known() -> None:
    taken, seen = Taken(FOLDERS[0]), Surroundings()
    quiet, arm = (next(f for f in taken.frames if f["kind"] == kind) for kind in ("quiet", "moving"))
    seen.clear(taken.image(quiet), [taken.view(quiet)], taken.board)
    assert seen.reached(taken.image(arm), [taken.view(arm)], taken.board)
    seen.forget()
    assert not seen.reached(taken.image(arm), [taken.view(arm)], taken.board)


class Drawn:
    """The pictures of a drawn game, each as `Surroundings` wants it."""

    def __init__(self, recipe: Recipe) -> None:
        self.stage, _ = stage_of(recipe)
        self.board = self.stage.game.board

    def picture(self, number: int) -> tuple[Image, list[View], Board]:
        scene = self.stage.frames[number].scene
        return photograph(scene), true_views(scene), self.board

    def numbers(self, text: str) -> list[int]:
        """Pictures whose note begins so."""
        return [n for n, frame in enumerate(self.stage.frames) if frame.note.startswith(text)]


CUP = Drawn(drawn_recipe(10656))


def test_a_cup_put_down_is_no_arm_once_it_has_stood() -> None:
    seen, cup = Surroundings(), CUP.numbers("cup")[0]
    arm, after = cup + 1, next(n for n in CUP.numbers("after") if n > cup)
    seen.clear(*CUP.picture(cup - 1))
    assert seen.reached(*CUP.picture(cup))  # its shadow goes from the edge of the picture to the board
    seen.rests(*CUP.picture(cup), since=4.0)
    assert not seen.untouched(*CUP.picture(cup), since=4.0)  # the same rest as yet
    assert seen.untouched(*CUP.picture(cup), since=6.0)
    assert seen.untouched(*CUP.picture(after), since=6.0)
    assert not seen.untouched(*CUP.picture(arm), since=6.0)
    assert seen.reached(*CUP.picture(after))
    assert not seen.passed_by(*CUP.picture(cup))  # nobody has been elsewhere
    assert seen.passed_by(*CUP.picture(CUP.numbers("after")[-1]))


def test_an_arm_is_near_what_it_holds_and_not_near_everything() -> None:
    seen, centres = Surroundings(), np.array(CUP.board.centres_xy)
    seen.clear(*CUP.picture(0))
    assert seen.near(*CUP.picture(0)) == ()
    for carry in CUP.numbers("carry"):
        scene, (image, views, board) = CUP.stage.frames[carry].scene, CUP.picture(carry)
        held = next(piece.xyz for piece in scene.pieces if piece.name == scene.held)
        seems_at = views[0].on_plane(views[0].project(np.array([held])))
        near = seen.near(image, views, board)
        assert near[np.linalg.norm(centres - seems_at, axis=1).argmin()], carry
        assert sum(near) < len(near) * 2 / 3, carry


def test_an_arm_that_has_rested_for_long_and_goes_is_no_arm() -> None:
    seen = Surroundings()
    arm, other_arm = (n for n in CUP.numbers("carry")[:2])
    seen.clear(*CUP.picture(0))
    seen.clear(*CUP.picture(arm))
    assert not seen.reached(*CUP.picture(arm))
    assert not seen.reached(*CUP.picture(0))
    assert seen.reached(*CUP.picture(other_arm))


def test_an_arm_changes_the_light_of_a_part_and_a_lamp_of_all() -> None:
    drawn = Drawn(drawn_recipe(10612))
    seen, dark = Surroundings(), drawn.numbers("light off")[0]
    assert not seen.same_light(drawn.picture(0)[0])  # nothing to compare with
    seen.clear(*drawn.picture(dark - 1))
    assert not seen.same_light(drawn.picture(dark)[0])
    for number, frame in enumerate(drawn.stage.frames[:dark]):
        assert seen.same_light(drawn.picture(number)[0]), (number, frame.note)
