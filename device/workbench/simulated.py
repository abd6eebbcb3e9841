"""The referee display without the hardware: the real firmware on a simulated board, whose serial port is a real one.

The simulator is a program of its own (tests/firmware/simulator), because it links libsimavr and is under the GPL. It
comes with the source code; one line a command goes to it, one line of answer comes back.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from device.lights import Rgb
from device.protocol import split_colours
from device.protocols.camref import BUTTONS
from device.workbench.flash import Firmware, find_program
from engine.errors import InputError

SIMULATOR = Path("tests") / "firmware" / "simulator"
SIMULATOR_SOURCE = Path(__file__).parents[2] / SIMULATOR
SIMULATOR_PACKAGES = "sudo apt install gcc make gcc-avr avr-libc libsimavr-dev libelf-dev"


def find_simulator_source(here: Path) -> Path:
    """The simulator's code: beside this program, else in the checkout in which `here` lies. InputError without."""
    for source in (SIMULATOR_SOURCE, *(above / SIMULATOR for above in (here, *here.parents))):
        if (source / "Makefile").is_file():
            return source
    raise InputError(
        "the simulator is in the source code and not in the installed program: "
        "run this in a checkout of it (git clone), where the README lies"
    )


def build_simulator(folder: Path) -> Path:
    """Compile the simulator into `folder`; InputError with what is missing."""
    source = find_simulator_source(Path.cwd())
    make = find_program("make", SIMULATOR_PACKAGES)
    find_program("gcc", SIMULATOR_PACKAGES)
    command = [make, "-s", "-C", str(source), f"BUILD={folder}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # a list and no shell
    if done.returncode:
        first = next(iter(done.stderr.splitlines()), "make failed")
        raise InputError(f"the simulator cannot be built ({first}): {SIMULATOR_PACKAGES}")
    return folder / "board"


@dataclass(frozen=True)
class SignalsSeen:
    """What a person with an oscilloscope would see."""

    t: float
    rgb: tuple[Rgb, ...]
    latches: int
    text: tuple[str, str]
    buzzer: bool
    overruns: int
    pulse_faults: int
    pulse_fault: str
    display_faults: int
    display_fault: str
    high_0_ns: tuple[int, int]
    high_1_ns: tuple[int, int]
    gap_ns: int
    ram_never_used: int


class SimulatedBoard:
    """One board with power on. Close it with `end_simulation` or use it in a `with`.

    `path` is its serial port once `open_serial_port` was called; until then nothing happens.
    """

    def __init__(self, simulator: Path, elf: Path, firmware: Firmware, path: Path | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.path = str(path or Path(self._folder.name) / "ttyBOARD")
        arguments = [str(simulator), str(elf), firmware.mcu, str(firmware.leds), str(firmware.baud)]
        self._process = subprocess.Popen(  # noqa: S603  # a list and no shell
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end_simulation()

    def open_serial_port(self) -> None:
        """From now on time is real, and `path` is a serial port."""
        self._execute_command(f"pty {self.path}")

    def end_simulation(self) -> None:
        """End the simulation; the serial port vanishes."""
        self._process.communicate()
        if not Path(self.path).exists():
            Path(self.path).unlink(missing_ok=True)  # a board that was killed has left its link
        self._folder.cleanup()

    def read_signals(self) -> SignalsSeen:
        """What is to be seen now."""
        state = json.loads(self._ask_simulator("state"))
        data = bytes.fromhex(state.pop("rgb"))
        state = {name: tuple(value) if isinstance(value, list) else value for name, value in state.items()}
        return SignalsSeen(
            t=state.pop("t_ns") / 1e9, rgb=split_colours(data), buzzer=bool(state.pop("buzzer")), **state
        )

    def press_button(self, button: str) -> None:
        """Put a finger on one of BUTTONS."""
        self._execute_command(f"press {BUTTONS.index(button)}")

    def release_button(self, button: str) -> None:
        """Take it off again."""
        self._execute_command(f"release {BUTTONS.index(button)}")

    def _execute_command(self, command: str) -> None:
        answer = self._ask_simulator(command)
        if answer != "ok":
            raise InputError(f"the simulated board: {command}: {answer}")

    def _ask_simulator(self, command: str) -> str:
        commands, answers = self._process.stdin, self._process.stdout
        if commands is None or answers is None:
            raise InputError("the simulated board is closed")
        try:
            commands.write(command + "\n")
            commands.flush()
            answer = answers.readline().strip("\n")
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise InputError(f"the simulated board is gone (exit code {self._process.wait()})")
        return answer
