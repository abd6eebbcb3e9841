"""The service's port thread, a real serial port and the real firmware together, in real time."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from device.port import LedPort
from device.protocol import Pressed
from device.workbench.simulated import SignalsSeen
from tests.firmware.board import SimulatedBoard
from tests.firmware.session import port_on, random_frame, replug_times, shows
from tests.patience import PATIENCE_S, wait_until
from tests.programs import started

STOPPED_S = 1.5
"""Together with the silence after which it says HOST LOST longer than any write to a port or a greeting takes."""


def test_pictures_text_and_buttons_over_a_serial_port() -> None:
    dice = random.Random(1)
    with SimulatedBoard() as board, port_on(board) as (port, pressed):
        for button in ("confirm", "undo", "hint", "pause"):
            frame = random_frame(dice, 160)
            port.show_frame(frame)
            board.wait_for(lambda seen, frame=frame: shows(seen, frame))
            board.tap(button)
        told(board, pressed, 4)
        assert [press.button for press in pressed] == ["confirm", "undo", "hint", "pause"]
        assert board.read_signals().pulse_faults == 0


def told(board: SimulatedBoard, pressed: list[Pressed], n_presses: int) -> SignalsSeen:
    return board.wait_for(lambda _: len(pressed) >= n_presses)


def test_a_board_that_was_reset_shows_the_picture_again() -> None:
    with SimulatedBoard() as board, port_on(board) as (port, _):
        frame = random_frame(random.Random(2), 160)
        port.show_frame(frame)
        board.wait_for(lambda seen: shows(seen, frame))
        latches = board.read_signals().latches
        board.reset_firmware()
        board.wait_for(lambda seen: seen.latches > latches + 1 and shows(seen, frame))


def test_unplugged_and_plugged_in_again_it_shows_the_newest_picture() -> None:
    with SimulatedBoard() as board, port_on(board) as (port, _):
        frame = random_frame(random.Random(3), 160)
        port.show_frame(frame)
        board.wait_for(lambda seen: shows(seen, frame))
        assert len(replug_times(board, port, 3)) == 3


def test_a_board_that_stood_still_comes_back() -> None:
    with SimulatedBoard() as board, port_on(board) as (port, _):
        first, second = (random_frame(random.Random(seed), 160) for seed in (4, 5))
        port.show_frame(first)
        board.wait_for(lambda seen: shows(seen, first))
        board.hang_firmware()
        port.show_frame(second)
        wait_for_problem(port)
        board.resume_firmware()
        board.wait_for(lambda seen: shows(seen, second))


def wait_for_problem(port: LedPort) -> None:
    wait_until(lambda: port.known_problem is not None)


def test_the_lights_command_lights_the_board() -> None:
    with SimulatedBoard() as board:
        arguments = ["lights", "show", "--port", board.path, "--protocol", "camref", "--seconds", str(PATIENCE_S)]
        with started([sys.executable, "-m", "server", *arguments], stdout=subprocess.DEVNULL) as command:
            board.wait_for(lambda seen: any(map(any, seen.rgb)) and "move" in seen.text[0])
            command.terminate()
        seen = board.read_signals()
        assert (seen.pulse_faults, seen.display_faults, seen.overruns) == (0, 0, 0)


def test_a_program_that_was_stopped_shows_its_picture_again_at_once_and_warns_of_nothing(tmp_path: Path) -> None:
    """The display said HOST LOST and never stopped: what is wrong is not with it."""
    said = tmp_path / "said"
    with SimulatedBoard() as board, said.open("w") as out:
        command = [sys.executable, "-m", "server", "demo", "--lights", board.path, "--protocol", "camref"]
        page = ("--port", "0", "--no-open")
        with subprocess.Popen([*command, *page], stdout=out, stderr=subprocess.STDOUT) as program:
            try:
                board.wait_for(lambda seen: seen.text[0].strip() == "Starting")
                program.send_signal(signal.SIGSTOP)
                board.wait_for(lambda seen: seen.text[0].strip() == "HOST LOST")
                time.sleep(STOPPED_S)
                program.send_signal(signal.SIGCONT)
                board.wait_for(lambda seen: seen.text[0].strip() == "Starting")
            finally:
                program.kill()
    assert "LED port" not in said.read_text(), said.read_text()
