"""A board whose camera was moved is found where it is, never half a cell or a cell beside it, or said to be lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration import relocate
from calibration.agreement import Agreement, agreement_with
from calibration.find_rough import step_view
from calibration.find_side import board_turns, turn_view
from calibration.relocate import LEAST_FIT, farthest_px, relocate_board
from calibration.view import View
from engine.game import Game, looks_at_start
from tests.examples import choose_rows
from tests.render.scene import Scene
from tests.render.script import Recipe
from tests.vision.filmed import put
from tests.vision.pictures import off_by, photograph, scene_of, true_views
from vision.ground import Image

RECIPES = {
    "camelot": Recipe(seed=3, size_wh=(960, 720)),
    "camblam": Recipe(game="camblam", seed=4, size_wh=(960, 720), elevation=65.0),
    "tri-camelot": Recipe(game="tri-camelot", seed=5, size_wh=(960, 720)),
    "cam-3d": Recipe(game="cam-3d", seed=6, size_wh=(1280, 960), elevation=60.0),
}
RIGHT_CELLS = 0.1


def carried(scene: Scene, turn_deg: Sequence[float], shift_cells: Sequence[float]) -> Scene:
    """The same from a camera that was carried on: turned in its own axes about the middle of the board, and shifted."""
    camera, (w, h) = scene.camera, scene.setting.board.size_wh
    turn = np.asarray(cv2.Rodrigues(np.radians(np.asarray(turn_deg, float)))[0])
    middle = camera.rotation @ np.array([w / 2, h / 2, 0.0]) + np.array(camera.tvec)
    (rx, ry, rz) = cv2.Rodrigues(turn @ camera.rotation)[0][:, 0].tolist()
    (tx, ty, tz) = (turn @ (np.array(camera.tvec) - middle) + middle + np.array(shift_cells)).tolist()
    return replace(scene, camera=replace(camera, rvec=(rx, ry, rz), tvec=(tx, ty, tz)))


def agrees(game: Game, image: Image) -> Agreement:
    return agreement_with(game.board, image, looks_at_start(game))


def off(views: Sequence[View], scene: Scene) -> float:
    return max(float(off_by(view, scene, level).max()) for level, view in enumerate(views))


WAYS_CARRIED = ((0.0, 0.0, 14.0), (6.0, -8.0, 3.0))
CARRIED = [(name, WAYS_CARRIED[(n + turn) % 2]) for turn in (0, 1) for n, name in enumerate(sorted(RECIPES))]


@pytest.mark.parametrize(("name", "turn_deg"), choose_rows(CARRIED, len(RECIPES)))
def test_a_camera_that_was_carried_on_is_followed(name: str, turn_deg: Sequence[float]) -> None:
    game, scene = scene_of(RECIPES[name])
    after = carried(scene, turn_deg, (1.0, -0.6, 1.5))
    image = photograph(after)
    found = relocate_board(game.board, true_views(scene), image, agrees(game, image))
    assert found is not None
    assert off(found.views, after) < RIGHT_CELLS


@pytest.mark.parametrize("step", [(0.45, 0.0), (0.0, -0.5), (1.0, 0.0), (0.0, 1.0), (1.0, -1.0), (2.0, 0.0)])
def test_no_place_beside_the_board_is_believed(step: tuple[float, float]) -> None:
    """Half a cell and whole cells off lines lie on lines: at fit 83 one was believed 0.45 cell off."""
    game, scene = scene_of(RECIPES["camelot"])
    image = photograph(scene)
    beside = [step_view(view, step) for view in true_views(scene)]
    found = relocate_board(game.board, beside, image, agrees(game, image))
    assert found is not None
    assert off(found.views, scene) < RIGHT_CELLS


@pytest.mark.parametrize("shift", [(0.0, -0.2), (0.0, -0.3), (0.3, 0.0)])
def test_pieces_that_all_stand_off_the_middle_move_no_board(shift: tuple[float, float]) -> None:
    game, scene = scene_of(RECIPES["camelot"])
    moved = [replace(one, xyz=(one.xyz[0] + shift[0], one.xyz[1] + shift[1], one.xyz[2])) for one in scene.pieces]
    image = photograph(replace(scene, pieces=tuple(moved)))
    found = relocate_board(game.board, true_views(scene), image, agrees(game, image))
    assert found is None or off(found.views, scene) < RIGHT_CELLS


def test_which_side_is_which_is_told_by_the_pieces() -> None:
    """Somebody films from the other side of the table."""
    game, scene = scene_of(RECIPES["camelot"])
    image = photograph(scene)
    other_side = [turn_view(view, board_turns(game.board)[1]) for view in true_views(scene)]
    found = relocate_board(game.board, other_side, image, agrees(game, image))
    assert found is not None
    assert off(found.views, scene) < RIGHT_CELLS


def test_a_board_that_stayed_stays_to_the_pixel() -> None:
    game, scene = scene_of(RECIPES["camelot"])
    first, second = photograph(scene), photograph(replace(scene, seed=9))
    begun = relocate_board(game.board, true_views(scene), first, agrees(game, first))
    assert begun is not None
    again = relocate_board(game.board, begun.views, second, agrees(game, second))
    assert again is not None
    assert farthest_px(again.views, begun.views) == 0.0


def test_pieces_tell_where_the_lines_are_poor() -> None:
    """A small picture by a weak lamp: the lines alone fit no better at the right place than at a wrong one."""
    game, scene = scene_of(replace(RECIPES["camelot"], size_wh=(640, 480)))
    after = carried(scene, (0.0, 0.0, 3.0), (0.4, -0.5, 0.2))
    image = cv2.GaussianBlur(photograph(after), (0, 0), 0.8)
    rng = np.random.default_rng(4)
    image = np.clip(0.35 * image + rng.normal(0.0, 4.0, image.shape), 0, 255).astype(np.uint8)
    found = relocate_board(game.board, true_views(scene), image, agrees(game, image))
    assert found is not None
    assert found.fit < LEAST_FIT
    assert off(found.views, after) < 2 * RIGHT_CELLS


def plain(image: Image) -> Image:
    return np.full_like(image, 120)


def covered(image: Image) -> Image:
    out = image.copy()
    out[:, : out.shape[1] * 4 // 5] = 90
    return out


@pytest.mark.parametrize("spoiled", [plain, covered])
def test_a_board_that_is_not_seen_is_lost(spoiled: Callable[[Image], Image]) -> None:
    game, scene = scene_of(RECIPES["camelot"])
    image = spoiled(photograph(scene))
    assert relocate_board(game.board, true_views(scene), image, agrees(game, image)) is None


def test_another_position_is_not_taken_for_this_one() -> None:
    """An empty board tells nothing of where its cells are numbered from: it is not believed by its lines alone."""
    game, scene = scene_of(RECIPES["camelot"])
    image = photograph(replace(scene, pieces=()))
    assert relocate_board(game.board, true_views(scene), image, agrees(game, image)) is None


def test_lines_of_another_board_that_no_camera_could_see_so_end_no_game() -> None:
    """They led to a view of the board from below, and the game closed itself with that error. This way of laying the
    other board is one of 40 that were drawn."""
    game, scene = scene_of(Recipe(game="camette", seed=5, size_wh=(640, 480)))
    _, other = scene_of(Recipe(game="tri-camelot", seed=5, size_wh=(640, 480)))
    w, h = scene.camera.size_wh
    rim = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32)
    laid = np.asarray(rim + np.random.default_rng(15).normal(0, 0.18, (4, 2)) * [w, h], np.float32)
    image = np.asarray(cv2.warpPerspective(photograph(other), cv2.getPerspectiveTransform(rim, laid), (w, h)), np.uint8)
    assert relocate_board(game.board, true_views(scene), image, agrees(game, image)) is None
    assert not relocate.SEARCHES.are_under_way


def test_while_a_board_is_looked_for_that_is_known() -> None:
    game, scene = scene_of(RECIPES["camelot"])
    image, asked = photograph(scene), list[bool]()

    def agreement(views: Sequence[View]) -> float:
        asked.append(relocate.SEARCHES.are_under_way)
        return agrees(game, image)(views)

    assert relocate_board(game.board, true_views(scene), image, agreement) is not None
    assert asked and all(asked) and not relocate.SEARCHES.are_under_way


def test_a_search_for_whose_end_somebody_waits_is_not_made_to_its_end() -> None:
    """Ctrl-C waits for the look that is under way; on a busy machine the search of a board of two levels took longer
    than anybody waits."""
    game, scene = scene_of(RECIPES["camelot"])
    image = photograph(replace(scene, pieces=()))
    agreement, places = agrees(game, image), list[int]()

    def find(cut_after: int) -> int:
        """How many places are looked at for a board that is not found, if somebody ends it after some of them."""
        places.clear()
        with ExitStack() as ending:

            def agree(views: Sequence[View]) -> float:
                places.append(len(views))
                if len(places) == cut_after:
                    ending.enter_context(relocate.SEARCHES.cut_short())
                return agreement(views)

            assert relocate_board(game.board, true_views(scene), image, agree) is None
        return len(places)

    whole = find(cut_after=0)
    assert 1 <= find(cut_after=1) < whole
    assert not relocate.SEARCHES.are_cut_short


def test_a_board_whose_mirror_image_stands_on_it_is_not_turned_round() -> None:
    """Turned by half, what stands there is what should, but dark for light: pieces change no colour."""
    game, scene = scene_of(RECIPES["camelot"])
    image = photograph(put(game, put(game, scene, "J6", "K7"), "J11", "K10"))
    looks, index = looks_at_start(game), game.board.index
    for origin, target in (("C6", "B7"), ("C11", "B10")):
        looks[index[target]], looks[index[origin]] = looks[index[origin]], looks[index[target]]
    found = relocate_board(game.board, true_views(scene), image, agreement_with(game.board, image, looks))
    assert found is None or off(found.views, scene) < RIGHT_CELLS
