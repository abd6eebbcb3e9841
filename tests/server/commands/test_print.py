"""`referee print` as a person calls it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pypdfium2
import pytest
from click.testing import CliRunner

from engine.errors import InputError
from server.commands.print import THINGS, command


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
