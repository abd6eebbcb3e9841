"""The referee display without the hardware: the real firmware on a simulated board, for tests of everything above it.

    with SimulatedBoard() as board:                # time is real, `board.path` is a serial port
        ...
        board.wait_for(lambda seen: seen.rgb[7] == (255, 0, 0))
        board.tap("undo")

With `realtime=False` nothing happens but in `advance_time`, and time is exact: so the firmware itself is tested.
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
SHORTEST_RUN_NS = 1000
"""Sixteen cycles: so that time always goes on."""


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

    def latched_pictures(self) -> list[tuple[float, bytes]]:
        """Time and colours of every picture the strip latched since this was asked last."""
        found = [entry.split(":") for entry in self._ask_simulator("pictures").split()[1:]]
        return [(int(ns) / 1e9, bytes.fromhex(rgb)) for ns, rgb in found]

    def reset_firmware(self) -> None:
        """The reset button: the firmware starts anew, the port stays."""
        self._execute_command("reset")

    def hang_firmware(self) -> None:
        """The firmware stands still until `resume_firmware`, `reset_firmware` or `plug_cable`."""
        self._execute_command("hang")

    def resume_firmware(self) -> None:
        """It goes on where it stood still."""
        self._execute_command("resume")

    def unplug_cable(self) -> None:
        """The cable comes out: no power for the board, the port vanishes, the strip keeps its last picture."""
        self._execute_command("unplug")

    def plug_cable(self) -> None:
        """And in again."""
        self._execute_command("plug")

    def send_bytes(self, data: bytes) -> None:
        """Bytes from the host, as fast as the wire takes them."""
        if data:
            self._execute_command(f"send {data.hex()}")

    def advance_time(self, seconds: float) -> tuple[float, bytes]:
        """Let time go on that long, or until the board has sent a whole packet: the time then, and the bytes."""
        _, now_ns, *data = self._ask_simulator(f"run {max(SHORTEST_RUN_NS, round(seconds * 1e9))}").split(" ")
        return int(now_ns) / 1e9, bytes.fromhex("".join(data))


@contextmanager
def stepped(build: Build | None = None) -> Iterator[SimulatedBoard]:
    """A board whose time only goes on in `advance_time`, with its start (60 ms for the display) behind it."""
    with SimulatedBoard(build, realtime=False) as board:
        _, data = board.advance_time(1.0)
        assert data, "the firmware never said that it started"
        yield board
