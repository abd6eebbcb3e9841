"""The referee display without the hardware: the real firmware on a simulated board, for tests of everything above it.

    with SimulatedBoard() as board:                # time is real, `board.path` is a serial port
        ...
        board.wait_for(lambda seen: seen.rgb[7] == (255, 0, 0))
        board.tap("undo")

With `realtime=False` nothing happens until `run`, and time is exact: that is how the firmware itself is tested.
"""

from __future__ import annotations

import fcntl
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from device.protocols.camref import BUTTONS
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


@dataclass(frozen=True)
class Seen:
    """What a person with an oscilloscope would see."""

    t: float
    rgb: tuple[tuple[int, int, int], ...]
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
    """One board with power on. Close it with `close` or use it in a `with`."""

    def __init__(self, build: Build | None = None, *, realtime: bool = True) -> None:
        self.build = build or Build()
        make(Path(__file__).parent / "simulator")
        self._folder = tempfile.TemporaryDirectory()
        self.path = str(Path(self._folder.name) / "ttyBOARD")
        arguments = [self.build.elf(), self.build.mcu, str(self.build.leds), str(self.build.baud)]
        self._process = subprocess.Popen(
            [BUILD / "simulator" / "board", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if realtime:
            self._ask(f"pty {self.path}")

    def __enter__(self) -> SimulatedBoard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the simulation; the serial port vanishes."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._folder.cleanup()

    def look(self) -> Seen:
        """What is to be seen now."""
        state = json.loads(self._ask("state"))
        data = bytes.fromhex(state.pop("rgb"))
        state = {name: tuple(value) if isinstance(value, list) else value for name, value in state.items()}
        return Seen(t=state.pop("t_ns") / 1e9, rgb=colours(data), buzzer=bool(state.pop("buzzer")), **state)

    def pictures(self) -> list[tuple[float, bytes]]:
        """Time and colours of every picture the strip latched since this was asked last."""
        found = [entry.split(":") for entry in self._ask("pictures").split()[1:]]
        return [(int(ns) / 1e9, bytes.fromhex(rgb)) for ns, rgb in found]

    def wait_for(self, condition: Callable[[Seen], bool]) -> Seen:
        """Look until the condition holds (real time only); AssertionError with what was seen last."""
        end = time.monotonic() + PATIENCE_S
        while not condition(seen := self.look()):
            assert time.monotonic() < end, f"it never came, only {seen}"
            time.sleep(0.005)
        return seen

    def press(self, button: str) -> None:
        """Put a finger on one of BUTTONS."""
        self._do(f"press {BUTTONS.index(button)}")

    def release(self, button: str) -> None:
        """Take it off again."""
        self._do(f"release {BUTTONS.index(button)}")

    def tap(self, button: str) -> None:
        """Press and release (real time only)."""
        self.press(button)
        end = self.look().t + TAP_S
        self.wait_for(lambda seen: seen.t >= end)
        self.release(button)

    def reset(self) -> None:
        """The reset button: the firmware starts anew, the port stays."""
        self._do("reset")

    def hang(self) -> None:
        """The firmware stands still until `resume`, `reset` or `plug`."""
        self._do("hang")

    def resume(self) -> None:
        """It goes on where it stood still."""
        self._do("resume")

    def unplug(self) -> None:
        """The cable comes out: no power for the board, the port vanishes, the strip keeps its last picture."""
        self._do("unplug")

    def plug(self) -> None:
        """And in again."""
        self._do("plug")

    def send(self, data: bytes) -> None:
        """Bytes from the host, as fast as the wire takes them."""
        if data:
            self._do(f"send {data.hex()}")

    def run(self, seconds: float) -> tuple[float, bytes]:
        """Let time go on that long, or until the board has sent a whole packet: the time then, and the bytes."""
        _, now_ns, *data = self._ask(f"run {max(SHORTEST_RUN_NS, round(seconds * 1e9))}").split(" ")
        return int(now_ns) / 1e9, bytes.fromhex("".join(data))

    def _do(self, command: str) -> None:
        answer = self._ask(command)
        assert answer == "ok", f"{command}: {answer}"

    def _ask(self, command: str) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip("\n")
        assert answer, f"the simulated board is gone (exit code {self._process.poll()})"
        return answer


@contextmanager
def stepped(build: Build | None = None) -> Iterator[SimulatedBoard]:
    """A board whose time only goes on in `run`, with its start (60 ms for the display) behind it."""
    with SimulatedBoard(build, realtime=False) as board:
        _, data = board.run(1.0)
        assert data, "the firmware never said that it started"
        yield board


def colours(data: bytes) -> tuple[tuple[int, int, int], ...]:
    """Three bytes an LED as triples."""
    return tuple((data[at], data[at + 1], data[at + 2]) for at in range(0, len(data), 3))
