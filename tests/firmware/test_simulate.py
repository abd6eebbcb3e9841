"""`referee lights simulate`: the real firmware behind a port that other commands talk to, and what it shows."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from device.workbench.simulated import SIMULATOR_PACKAGES
from tests.device.test_lights_command import lights
from tests.patience import PATIENCE_S

NO_SIMAVR = """#!/bin/sh
case "$*" in *simavr*) echo 'main.c:14:10: fatal error: avr_extint.h: No such file or directory' >&2; exit 1;; esac
"""


class Simulation:
    """The command in a process of its own, its keys and what it drew."""

    def __init__(self, link: Path, drawn: Path) -> None:
        self.link, self.drawn = link, drawn
        command = [sys.executable, "-m", "server", "lights", "simulate", "--link", str(link)]
        with drawn.open("w") as out:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT)

    def wait(self, word: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while word not in self.drawn.read_text():
            assert self.process.poll() is None and time.monotonic() < end, self.drawn.read_text()[-2000:]
            time.sleep(0.05)

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
        one.type("q")
        assert one.process.wait(PATIENCE_S) == 0
        assert one.process.stdin is not None
        one.process.stdin.close()
    assert not one.link.exists()


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
