"""`referee print` as a person calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
from click.testing import CliRunner

from calibration.printing.boards import board_drawings
from calibration.printing.paper import PAPERS, fitting_cell_mm
from engine import games
from engine.errors import InputError
from server.commands import calibrate
from server.commands.print import THINGS, command
from tests.examples import choose_rows
from tests.render.printed import PrintedSet, noised
from tests.render.scene import look_from


def printed(*arguments: str) -> str:
    answer = CliRunner().invoke(command, list(arguments), standalone_mode=False, catch_exceptions=False)
    assert answer.return_value == 0
    return answer.output


@pytest.mark.parametrize("what", THINGS)
@pytest.mark.parametrize("suffix", [".pdf", ".svg"])
def test_everything_can_be_printed(what: str, suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"file{suffix}"
    assert "mm a cell" in printed(what, "tri-camelot", "--paper", "a3", "-o", str(out))
    assert out.read_bytes().startswith(b"%PDF" if suffix == ".pdf" else b"<svg")


KINDS = ("board", "travel")
BOARDS = [(KINDS[(n + turn) % 2], paper) for turn in (0, 1) for n, paper in enumerate(PAPERS)]


@pytest.mark.parametrize(("what", "paper"), choose_rows(BOARDS, len(PAPERS)))
def test_a_photograph_of_a_printed_board_is_calibrated(what: str, paper: str, tmp_path: Path) -> None:
    """The sheet askew on a table, in slanting light, with noise: every cell within a twelfth of its size."""
    printed(what, "camelot", "--paper", paper, "-o", str(tmp_path / "board.pdf"))
    loaded = games.load("camelot")
    cell_mm = fitting_cell_mm(board_drawings(loaded, 1.0)[0].size, paper)
    board = PrintedSet(loaded, tmp_path / "board.pdf", tmp_path / "none.pdf", paper, cell_mm)
    camera = look_from(loaded.board, 52, -75, 56, size_wh=(1280, 960), seed=5)
    photograph = noised(board.lit(board.page, camera), np.random.default_rng(2))
    cv2.imwrite(str(tmp_path / "board.png"), photograph)
    words = [
        "--game",
        "camelot",
        "--camera",
        str(tmp_path / "board.png"),
        "--out",
        str(tmp_path / "board.toml"),
        "--json",
    ]
    answer = CliRunner().invoke(calibrate.command, words, standalone_mode=False, catch_exceptions=False)
    found = json.loads(answer.stdout)
    assert (answer.return_value, found["by"]) == (0, "markers")
    centres = np.array([(*xy, 0.0) for xy in loaded.board.centres_xy])
    there = camera.project(centres)
    side = np.linalg.norm(camera.project(centres + (1.0, 0.0, 0.0)) - there, axis=1)
    seen = np.array([found["cells_px"][cell] for cell in loaded.board.cells])
    assert (np.linalg.norm(seen - there, axis=1) / side).max() < 0.08


def test_a_large_board_takes_as_many_pages_as_it_says(tmp_path: Path) -> None:
    out = tmp_path / "board.pdf"
    said = printed("board", "camelot", "--cell-mm", "30", "-o", str(out))
    with pypdfium2.PdfDocument(out) as document:
        assert f"{len(document)} sheets of a4" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["board", "camelot", "-o", "board.doc"], ".pdf or an .svg"),
        (["board", "camelot", "--cell-mm", "1", "-o", "board.pdf"], "5 to 200 millimetres"),
        (["board", "ludo", "-o", "board.pdf"], "not known"),
        (["board", "camelot", "-o", "/nowhere/board.pdf"], "No such file"),
    ],
)
def test_what_cannot_be_printed_is_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        printed(*arguments)


def test_the_program_answers_with_one_line() -> None:
    words = [sys.executable, "-m", "server", "print", "board", "camelot", "-o", "x.doc"]
    run = subprocess.run(words, check=False, capture_output=True, text=True)
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1
