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
from tests.render.script import Recipe, stage_of
from tests.tools.bench_vision import SESSIONS, drawn_recipe
from tests.tools.takes import session_folders
from tests.vision.pictures import photograph, true_views
from vision.ground import Image

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


class Drawn:
    """The pictures of a drawn game."""

    def __init__(self, recipe: Recipe) -> None:
        self.stage, _ = stage_of(recipe)
        self.board = self.stage.game.board

    def over(self, seen: Surroundings, number: int, since: float = 0.0) -> Over:
        scene = self.stage.frames[number].scene
        return seen.over(photograph(scene), true_views(scene), since)

    def numbers(self, text: str) -> list[int]:
        """Pictures whose note begins so."""
        return [n for n, frame in enumerate(self.stage.frames) if frame.note.startswith(text)]


CUP = Drawn(drawn_recipe(10656))


def test_a_cup_put_down_is_no_arm_once_it_has_stood() -> None:
    seen, cup = Surroundings(CUP.board), CUP.numbers("cup")[0]
    arm, after = cup + 1, next(n for n in CUP.numbers("after") if n > cup)
    seen.clear(CUP.over(seen, cup - 1))
    assert CUP.over(seen, cup).reached  # its shadow goes from the edge of the picture to the board
    seen.rests(CUP.over(seen, cup, since=4.0), photograph(CUP.stage.frames[cup].scene))
    assert CUP.over(seen, cup, since=4.0).arm  # the same rest as yet
    assert not CUP.over(seen, cup, since=6.0).arm
    assert not CUP.over(seen, cup, since=6.0).near
    assert CUP.over(seen, after, since=6.0).untouched
    assert CUP.over(seen, arm, since=6.0).arm
    assert CUP.over(seen, after).reached
    assert not CUP.over(seen, cup).passed_by  # nobody has been elsewhere
    assert CUP.over(seen, CUP.numbers("after")[-1]).passed_by


def test_an_arm_is_near_what_it_holds_and_not_near_everything() -> None:
    seen, centres = Surroundings(CUP.board), np.array(CUP.board.centres_xy)
    seen.clear(CUP.over(seen, 0))
    assert CUP.over(seen, 0).near == ()
    for carry in CUP.numbers("carry"):
        scene, over = CUP.stage.frames[carry].scene, CUP.over(seen, carry)
        held = next(piece.xyz for piece in scene.pieces if piece.name == scene.held)
        view = over.now.views[0]
        seems_at = view.on_plane(view.project(np.array([held])))
        assert over.near[np.linalg.norm(centres - seems_at, axis=1).argmin()], carry
        assert sum(over.near) < len(over.near) * 2 / 3, carry


def test_a_hand_that_stops_close_to_the_board_is_no_part_of_it() -> None:
    drawn = Drawn(drawn_recipe(11632))
    quiet, stops, after = 47, 50, 53  # in the last one no hand is seen
    seen = Surroundings(drawn.board)
    seen.understood(drawn.over(seen, quiet))
    for since in (4.0, 4.0):  # twice in one rest
        over = drawn.over(seen, stops, since)
        assert over.coming is not None
        assert not over.reached
        seen.understood(over)
        assert not drawn.over(seen, after).reached
    seen.understood(drawn.over(seen, stops, since=6.0))  # still there after something has moved: it is a thing
    assert drawn.over(seen, stops).coming is None


def test_a_cup_close_to_the_board_is_no_arm_beside_the_next_ply() -> None:
    """In drawn game 10730 the piece that was taken touched the cup in the picture."""
    drawn = Drawn(drawn_recipe(10730))
    cup, carry, after = 40, 41, 43
    seen = Surroundings(drawn.board)
    seen.understood(drawn.over(seen, cup - 1))
    seen.understood(drawn.over(seen, cup, since=4.0))
    over = drawn.over(seen, after, since=6.0)
    assert over.reached
    assert not over.arm
    assert over.near == ()
    assert drawn.over(seen, carry, since=6.0).arm


def test_an_arm_that_has_rested_for_long_and_goes_is_no_arm() -> None:
    seen = Surroundings(CUP.board)
    arm, other_arm = (n for n in CUP.numbers("carry")[:2])
    seen.clear(CUP.over(seen, 0))
    seen.clear(CUP.over(seen, arm))
    assert not CUP.over(seen, arm).reached
    assert not CUP.over(seen, 0).reached
    assert CUP.over(seen, other_arm).reached


def test_an_arm_changes_the_light_of_a_part_and_a_lamp_of_all() -> None:
    drawn = Drawn(drawn_recipe(10612))
    seen, dark = Surroundings(drawn.board), drawn.numbers("light off")[0]
    assert not drawn.over(seen, 0).same_light  # nothing to compare with
    seen.clear(drawn.over(seen, dark - 1))
    assert not drawn.over(seen, dark).same_light
    for number, frame in enumerate(drawn.stage.frames[:dark]):
        assert drawn.over(seen, number).same_light, (number, frame.note)
