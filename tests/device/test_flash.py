"""`referee lights flash` with the real compiler and, for want of a board, an avrdude that keeps what it is given."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.byte_streams import open_stream
from device.workbench import flash as flashing
from tests.device.test_answers import device
from tests.patience import PATIENCE_S

AVRDUDE = """#!/bin/sh
printf '%s\\n' "$@" > "$KEEP/arguments"
for last; do :; done
file=${last#flash:w:}
cp "${file%:i}" "$KEEP/display.hex"
exit $FAILS
"""


def flash(folder: Path, *arguments: str, fails: int = 0, path: str = os.environ["PATH"]) -> tuple[int, str]:
    """Exit code and standard error."""
    environment = os.environ | {"KEEP": str(folder), "FAILS": str(fails), "PATH": path}
    command = [sys.executable, "-m", "server", "lights", "flash", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    return done.returncode, done.stderr


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A PATH that has the avrdude of this test first."""
    program = tmp_path / "avrdude"
    program.write_text(AVRDUDE, encoding="utf-8")
    program.chmod(0o755)
    return f"{tmp_path}:{os.environ['PATH']}"


@pytest.fixture
def board() -> Iterator[str]:
    """A serial port; what is at its other end takes what comes."""
    with device() as (port, _):
        yield port


def test_the_firmware_is_built_and_handed_to_avrdude(tmp_path: Path, path: str, board: str) -> None:
    port = tmp_path / "tty $(x)"
    port.symlink_to(board)
    assert flash(tmp_path, "--port", str(port), "--leds", "73", path=path) == (0, "")
    *given, picture = (tmp_path / "arguments").read_text().splitlines()
    assert given == ["-p", "atmega328p", "-c", "arduino", "-b", "115200", "-P", str(port), "-D", "-U"]
    assert picture.startswith("flash:w:/") and picture.endswith("/display.hex:i")
    lines = (tmp_path / "display.hex").read_text().split()
    assert (lines[0][0], lines[-1]) == (":", ":00000001FF")


def test_what_is_ready_is_written_as_it_is(tmp_path: Path, path: str, board: str) -> None:
    """The compiler is not asked for: a .hex may come from another computer."""
    ready = tmp_path / "ready.hex"
    ready.write_text(":00000001FF\n", encoding="utf-8")
    for name in ("sh", "cp"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    here = path.split(":", maxsplit=1)[0]
    assert flash(tmp_path, "--port", board, "--hex", str(ready), path=here) == (0, "")
    assert (tmp_path / "display.hex").read_bytes() == ready.read_bytes()
    code, said = flash(tmp_path, "--port", board, "--hex", str(tmp_path / "none"), path=here)
    assert (code, said.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--port", "udp://192.0.2.1:4048"), "over a serial port"),
        (("--port", "screen:"), "over a serial port"),
        (("--port", __file__), "is not a serial port"),
        (("--port", "/dev/null"), "is not a serial port"),
        (("--leds", "177"), "an atmega328p has room for 176: take a board with atmega2560"),
        (("--hex", __file__), "no firmware"),
        (("--hex", "/dev/zero"), "no firmware"),
        (("--old-bootloader", "--mcu", "atmega2560"), "no atmega2560 has an old bootloader: leave it out"),
    ],
)
def test_what_cannot_be_written_is_said_in_a_line_before_anything_runs(
    tmp_path: Path, path: str, board: str, arguments: tuple[str, ...], said: str
) -> None:
    code, told = flash(tmp_path, "--port", board, *arguments, path=path)
    assert (code, told.count("\n")) == (2, 1) and said in told
    assert not (tmp_path / "arguments").exists()


def test_a_board_that_a_running_referee_has_is_left_to_it(tmp_path: Path, path: str, board: str) -> None:
    """It would be reset, and written anew, in the middle of a game."""
    with open_stream(board, 500_000, 0.05):
        code, told = flash(tmp_path, "--port", board, path=path)
    said = "another program has it open, perhaps a referee that is running: close that one"
    assert (code, told) == (2, f"referee: port {board}: {said}\n")
    assert not (tmp_path / "arguments").exists()


def test_as_many_leds_fit_as_the_firmware_says() -> None:
    config = (Path(flashing.__file__).parents[1] / "firmware" / "config.h").read_text(encoding="utf-8")
    assert [int(most) for most in re.findall(r"#if LEDS > (\d+)", config)] == list(flashing.MOST_LEDS_OF.values())


def test_an_old_nano_is_talked_to_slowly(tmp_path: Path, path: str, board: str) -> None:
    assert flash(tmp_path, "--port", board, "--old-bootloader", path=path)[0] == 0
    assert "57600" in (tmp_path / "arguments").read_text().split()


def test_a_board_that_does_not_take_it_is_told(tmp_path: Path, path: str, board: str) -> None:
    code, said = flash(tmp_path, "--port", board, fails=1, path=path)
    assert (code, said) == (2, "referee: avrdude ended with 1: the board was not flashed, see above\n")


def test_what_is_not_installed_is_named_with_its_package(tmp_path: Path, board: str) -> None:
    code, said = flash(tmp_path, "--port", board, path=str(tmp_path))
    assert (code, said.splitlines()) == (
        2,
        ["referee: make is not installed: sudo apt install gcc-avr avr-libc make avrdude"],
    )
