"""The referee display without the hardware: the real firmware on a simulated board, for tests of everything above it.

    with SimulatedBoard() as board:                # time is real, `board.path` is a serial port
        ...
        board.wait_for(lambda seen: seen.rgb[7] == (255, 0, 0))
        board.tap("undo")

With `realtime=False` nothing happens until `run`, and time is exact: that is how the firmware itself is tested.
"""

from __future__ import annotations

import fcntl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from device.workbench import simulated
from device.workbench.flash import Firmware
from device.workbench.simulated import SIMULATOR_SOURCE, SignalsSeen
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
FIRMWARE = ROOT / "device" / "firmware"
BUILD = ROOT / "build"
TAP_S = 0.06
"""As long as a quick finger; the firmware wants 5 ms."""


@dataclass(frozen=True)
class Build:
    """What the firmware is compiled for, and from which folder."""

    mcu: str = "atmega328p"
    leds: int = 160
    baud: int = 500_000
    max_milliamps: int = 60_000
    """Far above what 160 LEDs draw, so that colours come out as sent; tests of the limit set it."""
    source: Path = FIRMWARE

    def elf(self) -> Path:
        """Compile if need be; the firmware's ELF file."""
        where = BUILD / "firmware" if self.source == FIRMWARE else self.source / "out"
        folder = where / f"{self.mcu}-{self.leds}-{self.baud}-{self.max_milliamps}"
        names = ("MCU", "LEDS", "BAUD", "MAX_MILLIAMPS", "BUILD")
        values = (self.mcu, self.leds, self.baud, self.max_milliamps, folder)
        make(self.source, *(f"{name}={value}" for name, value in zip(names, values, strict=True)))
        return folder / "display.elf"


def make(folder: Path, *arguments: str) -> str:
    """Run make there, one at a time on this machine; what it printed."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(["make", "-s", "-C", folder, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class SimulatedBoard(simulated.SimulatedBoard):
    """One board with power on, its firmware and simulator compiled if need be."""

    def __init__(self, build: Build | None = None, *, realtime: bool = True) -> None:
        self.build = build or Build()
        make(SIMULATOR_SOURCE)
        firmware = Firmware(self.build.mcu, self.build.leds, self.build.baud, self.build.max_milliamps)
        super().__init__(BUILD / "simulator" / "board", self.build.elf(), firmware)
        if realtime:
            self.open_serial_port()

    def wait_for(self, condition: Callable[[SignalsSeen], bool]) -> SignalsSeen:
        """Look until the condition holds (real time only); AssertionError with what was seen last."""
        end = time.monotonic() + PATIENCE_S
        while not condition(seen := self.read_signals()):
            assert time.monotonic() < end, f"it never came, only {seen}"
            time.sleep(0.005)
        return seen

    def tap(self, button: str) -> None:
        """Press and release (real time only)."""
        self.press_button(button)
        end = self.read_signals().t + TAP_S
        self.wait_for(lambda seen: seen.t >= end)
        self.release_button(button)


@contextmanager
def stepped(build: Build | None = None) -> Iterator[SimulatedBoard]:
    """A board whose time only goes on in `run`, with its start (60 ms for the display) behind it."""
    with SimulatedBoard(build, realtime=False) as board:
        _, data = board.advance_time(1.0)
        assert data, "the firmware never said that it started"
        yield board
