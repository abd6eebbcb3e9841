"""`referee lights simulate`: the real firmware behind a port that other commands talk to, and what it shows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from device import mapfile
from device.ledmap import LedMap
from device.lights import DARK
from device.workbench.simulated import SIMULATOR_PACKAGES
from engine.games import load
from server.board.led_setup import read_map
from server.commands._simulated import draw_display, find_cell_light
from server.commands.lights import WALK_COLOUR, light_cells
from tests.device.test_answers import lit
from tests.device.test_lights_command import lights
from tests.device.test_protocols import row_of
from tests.firmware.board import Build, SimulatedBoard
from tests.patience import PATIENCE_S

MAPS = Path(mapfile.__file__).with_name("maps")
NO_SIMAVR = """#!/bin/sh
case "$*" in *simavr*) echo 'main.c:14:10: fatal error: avr_extint.h: No such file or directory' >&2; exit 1;; esac
"""


class Simulation:
    """The command in a process of its own, its keys and what it drew."""

    def __init__(self, link: Path, drawn: Path, *options: str) -> None:
        self.link, self.drawn = link, drawn
        command = [sys.executable, "-m", "server", "lights", "simulate", "--link", str(link), *options]
        with drawn.open("w") as out:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT)

    def wait(self, word: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while word not in self.drawn.read_text():
            assert self.process.poll() is None and time.monotonic() < end, self.drawn.read_text()[-2000:]
            time.sleep(0.05)

    def end(self) -> int:
        self.type("q")
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)

    def type(self, keys: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(keys.encode())
        self.process.stdin.flush()


def test_a_display_without_hardware_is_a_port_and_a_picture(tmp_path: Path) -> None:
    one = Simulation(tmp_path / "display", tmp_path / "drawn")
    try:
        one.wait("[CAMELOT REFEREE ]")
        command = [sys.executable, "-m", "server", "lights", "test", "--port", str(one.link), "--protocol", "camref"]
        with subprocess.Popen([*command, "--seconds", "8"], stdout=subprocess.PIPE, text=True) as testing:
            one.wait("[red             ]")
            assert one.drawn.read_text().count("In another terminal:") == 1, "below each picture of a file"
            one.type("u")
            said, _ = testing.communicate(timeout=PATIENCE_S)
        assert "undo" in said.split(), "its keys are its buttons"
        one.wait("[HOST LOST       ]")
        second = lights("simulate", "--link", str(one.link))
        assert (second.returncode, second.stderr.count("\n")) == (2, 1)
        assert "something is there already" in second.stderr
    finally:
        assert one.end() == 0
    assert not one.link.exists()


@pytest.mark.parametrize("name", ["corners", "frame"])
def test_a_cell_that_shares_its_leds_is_drawn_where_all_of_them_are_lit(name: str) -> None:
    """As on the board: at F5's corners its eight neighbours have LEDs too, and along its file and rank 26 cells."""
    leds = read_map(load("camelot"), MAPS / f"camelot-{name}.toml")
    cyan = f"\x1b[48;2;{';'.join(map(str, WALK_COLOUR))}m"
    with SimulatedBoard(Build("atmega2560", len(leds.owners))) as board, lit(board.path, "camref", leds) as port:
        port.show_frame(light_cells(leds.board, "F5"))
        seen = board.wait_for(lambda seen: any(map(any, seen.rgb)))
    assert draw_display(seen, leds).count(cyan) == 1
    assert sum(map(any, find_cell_light(seen.rgb, leds))) == 1


def test_the_command_that_is_told_names_the_map(tmp_path: Path) -> None:
    """Without it the game that it begins has 160 LEDs, and the board stays dark."""
    map_file = tmp_path / "my frame.toml"
    map_file.write_text((MAPS / "camelot-frame.toml").read_text())
    one = Simulation(tmp_path / "display", tmp_path / "drawn", "--map", str(map_file))
    try:
        one.wait("[CAMELOT REFEREE ]")
        assert f"referee demo --lights {one.link} --protocol camref --map '{map_file}'\n" in one.drawn.read_text()
    finally:
        assert one.end() == 0


def test_a_cell_with_leds_of_its_own_is_drawn_where_one_of_them_is_lit() -> None:
    """As on a walk, which lights one LED after another."""
    board = row_of(3)
    rgb = ((0, 0, 9), (0, 0, 0), (0, 5, 0), (7, 0, 0))
    assert find_cell_light(rgb, LedMap(board, ((0,), (0,), (1, 2), (2,)))) == [(0, 0, 9), (0, 5, 0), (7, 0, 0)]
    assert find_cell_light(rgb, LedMap(board, ((0, 1), (1, 2), (2,), (0, 2)), "GRB")) == [(0, 7, 0), DARK, (5, 0, 0)]


def test_a_link_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    link = tmp_path / "none" / "display"
    done = lights("simulate", "--link", str(link))
    said = f"referee: --link {link}: there is no folder {link.parent}: make it first\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_a_board_that_was_killed_leaves_no_link(tmp_path: Path) -> None:
    one = Simulation(tmp_path / "display", tmp_path / "drawn")
    one.wait("[CAMELOT REFEREE ]")
    (board,) = Path(f"/proc/{one.process.pid}/task/{one.process.pid}/children").read_text().split()
    os.kill(int(board), signal.SIGKILL)
    assert one.process.wait(PATIENCE_S) == 2
    assert one.process.stdin is not None
    one.process.stdin.close()
    assert one.drawn.read_text().splitlines()[-1] == "referee: the simulated board is gone (exit code -9)"
    assert not os.path.lexists(one.link)


@pytest.mark.parametrize("closed", ["< /dev/null", "<&-"])
def test_without_anybody_to_type_it_goes_on_and_says_so(tmp_path: Path, closed: str) -> None:
    """As under a service manager: it is a port all the same, until it is ended."""
    program = f"exec {sys.executable} -m server lights simulate --link {tmp_path / 'display'} --seconds 3 {closed}"
    done = subprocess.run(["sh", "-c", program], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("No keys: the input is closed. Ctrl-C ends it.") == 1
    assert "[CAMELOT REFEREE ]" in done.stdout, "it ended before the display had begun"


@pytest.mark.parametrize(
    ("programs", "said"),
    [
        ({}, f"make is not installed: {SIMULATOR_PACKAGES}"),
        ({"gcc": NO_SIMAVR, "make": "", "sh": "", "mkdir": "", "mv": ""}, "avr_extint.h: No such file"),
    ],
)
def test_what_is_missing_is_one_line(tmp_path: Path, programs: dict[str, str], said: str) -> None:
    for name, text in programs.items():
        here = tmp_path / name
        if text:
            here.write_text(text, encoding="utf-8")
            here.chmod(0o755)
        else:
            real = subprocess.run(["which", name], capture_output=True, text=True, check=True).stdout.strip()
            here.symlink_to(real)
    command = [sys.executable, "-m", "server", "lights", "simulate", "--link", str(tmp_path / "display")]
    done = subprocess.run(
        command,
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and SIMULATOR_PACKAGES in done.stderr and done.stderr.count("\n") == 1
