"""The printed sheet before lenses that are known: what `referee calibrate-lens` makes of it, and what for."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.lens import find_sheet, load_lens, solve_lens
from calibration.profile import load_profile
from calibration.view import Floats
from engine import games
from engine.errors import InputError
from server.cli import referee
from tests.render.printed import DOTS_PER_MM, PrintedSet, noised, on_table, pages
from tests.render.scene import Camera, cell_xy, look_from

SIZE_WH = (960, 720)
SQUARE_MM = 23.0
MIDDLE_MM = np.array([105.0, 150.0])
WIDE = (620.0, -0.22)
"""Focal length and k1 of a wide webcam lens."""


def lens_camera(focal: float, k1: float, rvec: Floats, away_mm: float, aside_mm: Floats) -> Camera:
    """A camera over the sheet (in millimetres about its middle), turned by `rvec` from looking straight down."""
    matrix = ((focal, 0.0, SIZE_WH[0] / 2), (0.0, focal, SIZE_WH[1] / 2), (0.0, 0.0, 1.0))
    down = np.diag([1.0, -1.0, -1.0])
    turn = cv2.Rodrigues(cv2.Rodrigues(rvec)[0] @ down)[0][:, 0]
    shift = (float(aside_mm[0]), float(aside_mm[1]), away_mm)
    return Camera(SIZE_WH, matrix, (k1, 0.0, 0.0, 0.0, 0.0), (float(turn[0]), float(turn[1]), float(turn[2])), shift)


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The printed sheet."""
    out = tmp_path_factory.mktemp("lens") / "lens.pdf"
    words = ["print", "lens", "--cell-mm", str(SQUARE_MM), "-o", str(out)]
    assert CliRunner().invoke(referee, words, standalone_mode=False).exception is None
    return out


@pytest.fixture(scope="module")
def shots(sheet: Path) -> Path:
    """Pictures of the sheet from ten sides through a wide lens, and one without it."""
    (page,) = pages(sheet)
    rng = np.random.default_rng(8)

    def to_page(mm: Floats) -> Floats:
        at = mm + MIDDLE_MM
        return np.column_stack([at[:, 0], 297 - at[:, 1]]) * DOTS_PER_MM

    folder = sheet.parent / "shots"
    folder.mkdir()
    for number in range(10):
        tilt = rng.uniform(-0.6, 0.6, 3)
        camera = lens_camera(*WIDE, tilt, rng.uniform(230, 340), rng.uniform(-60, 60, 2))
        cv2.imwrite(str(folder / f"{number:02d}.png"), noised(np.asarray(on_table(page, to_page, camera), float), rng))
    cv2.imwrite(str(folder / "10.png"), np.full((SIZE_WH[1], SIZE_WH[0], 3), 90, np.uint8))
    return folder


def test_a_known_lens_is_measured_and_makes_the_board_exact(shots: Path, tmp_path: Path) -> None:
    out = tmp_path / "lens.toml"
    answer = CliRunner().invoke(
        referee, ["calibrate-lens", "--camera", str(shots), "--out", str(out)], standalone_mode=False
    )
    assert answer.return_value == 0, answer.output
    lens = load_lens(out, SIZE_WH)
    assert lens.focal_px == pytest.approx(WIDE[0], rel=0.01)
    assert lens.k1 == pytest.approx(WIDE[1], abs=0.01)
    assert load_lens(out, (1920, 1440)).focal_px == pytest.approx(2 * lens.focal_px)

    game = games.load("camelot")
    seen = look_from(game.board, 50, -70, 75, size_wh=SIZE_WH, seed=3)
    matrix = lens_camera(*WIDE, np.zeros(3), 1.0, np.zeros(2)).matrix
    camera = Camera(SIZE_WH, matrix, (WIDE[1], 0.0, 0.0, 0.0, 0.0), seen.rvec, seen.tvec)
    board_file = tmp_path / "board.pdf"
    words = ["print", "board", "camelot", "--paper", "a4", "-o", str(board_file)]
    assert "15 mm a cell" in CliRunner().invoke(referee, words, standalone_mode=False).output
    printed = PrintedSet(game, board_file, board_file, "a4", 15.0)
    image = noised(printed.lit(printed.page, camera), np.random.default_rng(5))
    true = camera.project(np.array([[*cell_xy(game.board, i), 0.0] for i in range(len(game.board.cells))]))
    index = game.board.index
    points = {name: (float(x), float(y)) for name in ("A4", "L4", "L13", "A13") for x, y in [true[index[name]]]}
    profile = tmp_path / "board.toml"
    cv2.imwrite(str(tmp_path / "board.png"), image)
    named = " ".join(f"{name}={x},{y}" for name, (x, y) in points.items())
    words = ["calibrate", "--game", "camelot", "--camera", str(tmp_path / "board.png"), "--points", named]
    words += ["--lens", str(out), "--out", str(profile)]
    answer = CliRunner().invoke(referee, words, standalone_mode=False)
    assert answer.return_value == 0, answer.output
    (view,) = load_profile(profile).views
    assert view.lens.k1 == pytest.approx(lens.k1, abs=1e-4)
    centres = np.array(game.board.centres_xy)
    off = np.linalg.norm(view.project_points(centres) - true, axis=1) / view.pitch_px(centres)
    assert off.max() < 0.05


def test_what_tells_no_lens_is_refused(shots: Path, tmp_path: Path) -> None:
    image = cv2.imread(str(shots / "00.png"))
    assert image is not None
    sighting = find_sheet(np.asarray(image, np.uint8))
    assert sighting is not None
    with pytest.raises(InputError, match="seen in 1 pictures"):
        solve_lens([sighting], SIZE_WH)
    assert find_sheet(np.full((90, 120, 3), 200, np.uint8)) is None
    (tmp_path / "no.toml").write_text("[camera]\nsize = 3\n")
    with pytest.raises(InputError, match="no lens in it"):
        load_lens(tmp_path / "no.toml", SIZE_WH)
    (tmp_path / "wide.toml").write_text("[camera]\nsize = [1280, 720]\nfocal_px = 900\n")
    with pytest.raises(InputError, match="these are 960x720"):
        load_lens(tmp_path / "wide.toml", SIZE_WH)
