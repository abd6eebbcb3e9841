"""Markers, points and corners to a view, on rendered pictures whose every cell is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.lattice import refine_view
from calibration.markers import detect_markers, marker_places
from calibration.solve import MARKED_FIT, solve_by_corners, solve_by_markers, solve_by_points
from calibration.view import Lens, View
from engine.errors import InputError
from tests.render.scene import marker_corners
from tests.render.script import Recipe
from tests.vision.pictures import GAMES, SIZE_WH, corners_of, moved_corners, off_by, photograph, scene_of, true_cells

NEAR, NEAR_SMALL = 0.02, 0.05
"""Cells, median over the board; a cell is 40 px on Camelot's board here and 25 to 30 px on the others, which are drawn
with wide margins or three at once."""


def recipe(game: str = "camelot", seed: int = 1, **more: object) -> Recipe:
    return replace(Recipe(game=game, seed=seed, size_wh=SIZE_WH, light="office"), **more)  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize("game", GAMES)
def test_markers_lie_where_the_printed_ones_do(game: str) -> None:
    board = scene_of(recipe(game))[1].setting.board
    levels = range(max(board.levels) + 1)
    ours = {n: np.array(square) for level in levels for n, square in marker_places(board, level).items()}
    printed = marker_corners(board)
    assert ours.keys() == printed.keys()
    assert np.allclose(ours[0], printed[0])


@pytest.mark.parametrize("game", GAMES)
def test_a_board_is_found_by_its_printed_markers(game: str) -> None:
    played, scene = scene_of(replace(recipe(game), size_wh=(1280, 960)))
    image = photograph(scene)
    board = played.board
    for level in range(max(board.levels) + 1):
        found = solve_by_markers(board, image, marker_places(board, level), level)
        assert found.by == "markers"
        assert np.median(off_by(found.view, scene, level)) <= (NEAR if game == "camelot" else NEAR_SMALL)
        assert found.fit >= MARKED_FIT


def test_two_markers_are_enough_and_one_is_not() -> None:
    game, scene = scene_of(recipe())
    image = photograph(scene)
    seen = detect_markers(image)
    assert set(seen) == {0, 1, 2, 3}
    for number in (0, 1):
        x, y = seen[number].mean(axis=0).astype(int)
        image[y - 12 : y + 12, x - 12 : x + 12] = 128
    assert np.median(off_by(solve_by_markers(game.board, image, marker_places(game.board)).view, scene)) <= 0.05
    x, y = seen[2].mean(axis=0).astype(int)
    image[y - 12 : y + 12, x - 12 : x + 12] = 128
    with pytest.raises(InputError, match=r"found 3 of \[0, 1, 2, 3\]; show at least two"):
        solve_by_markers(game.board, image, marker_places(game.board))


@pytest.mark.parametrize(("look", "azimuth"), [("lines", -80.0), ("green", 15.0), ("dark", 95.0), ("walnut", -110.0)])
def test_corners_three_pixels_off(look: str, azimuth: float) -> None:
    game, scene = scene_of(recipe(seed=int(azimuth) % 7, look=look, azimuth=azimuth, markers=False))
    found = solve_by_corners(game.board, photograph(scene), moved_corners(scene, 3.0, seed=5))
    assert np.median(off_by(found.view, scene)) <= NEAR
    assert found.fit >= MARKED_FIT


def test_hexagons_from_their_corners() -> None:
    game, scene = scene_of(recipe("tri-camelot", look="walnut"))
    found = solve_by_corners(game.board, photograph(scene), moved_corners(scene, 3.0, seed=2))
    assert np.median(off_by(found.view, scene)) <= NEAR


def test_a_board_is_found_by_named_cells_a_few_pixels_off() -> None:
    game, scene = scene_of(recipe(seed=3))
    names = ["A4", "L4", "A13", "L13", "F8", "C2"]
    pixels = true_cells(scene)[[game.board.index[n] for n in names]] + np.random.default_rng(1).normal(0, 1.5, (6, 2))
    points = {n: (float(x), float(y)) for n, (x, y) in zip(names, pixels, strict=True)}
    found = solve_by_points(game.board, photograph(scene), points)
    assert found.by == "points"
    assert np.median(off_by(found.view, scene)) <= NEAR
    assert found.error_cells < 0.1


def test_points_that_are_no_board() -> None:
    game, scene = scene_of(recipe())
    image = photograph(scene)
    pixels = {
        n: tuple(map(float, true_cells(scene)[game.board.index[n]])) for n in ("A4", "L4", "A13", "L13", "B4", "C4")
    }
    with pytest.raises(InputError, match="3 cells of level 1 given"):
        solve_by_points(game.board, image, {n: pixels[n] for n in ("A4", "L4", "A13")})  # type: ignore[misc]  # pairs
    with pytest.raises(InputError, match="on one line"):
        solve_by_points(game.board, image, {n: pixels[n] for n in ("A4", "B4", "C4", "L4")})  # type: ignore[misc]  # pairs


def test_corners_half_a_board_away_do_not_fit() -> None:
    game, scene = scene_of(recipe())
    shifted = [(float(x) + 30, float(y) + 25) for x, y in corners_of(scene)]
    assert solve_by_corners(game.board, photograph(scene), shifted).fit < MARKED_FIT


def test_a_bent_lens_is_followed() -> None:
    game, scene = scene_of(recipe(seed=8))
    camera = scene.camera
    flat = View(Lens(camera.size_wh, camera.matrix[0][0]), game.board.size_wh, tuple(map(tuple, corners_of(scene))))
    found = refine_view(game.board, flat, photograph(scene)).view
    assert np.median(off_by(found, scene)) <= NEAR


@pytest.mark.parametrize("k1", [-0.25, 0.1])
def test_corners_given_for_a_wide_lens_are_kept_and_the_lens_is_found(k1: float) -> None:
    game, scene = scene_of(recipe(seed=8))
    wide = replace(scene, camera=replace(scene.camera, dist=(k1, 0.0, 0.0, 0.0, 0.0)))
    found = solve_by_corners(game.board, photograph(wide), [(float(x), float(y)) for x, y in corners_of(wide)])
    assert found.fit >= MARKED_FIT
    assert np.median(off_by(found.view, wide)) <= NEAR_SMALL
    assert found.view.lens.k1 == pytest.approx(k1, abs=0.15)
