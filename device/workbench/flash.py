"""Build the display's firmware, and write it to a board with avrdude; both have to be installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from device.byte_streams import open_stream
from device.port import explain_error
from engine.errors import InputError

PACKAGES = "sudo apt install gcc-avr avr-libc make avrdude"
NOT_BUILT, NOT_FLASHED = "the firmware was not built", "the board was not flashed"
PROGRAMMERS = {"atmega328p": ("-c", "arduino", "-b", "115200"), "atmega2560": ("-c", "wiring", "-b", "115200")}
"""What the bootloaders of Uno and newer Nano, and of Mega 2560, listen to."""
MOST_LEDS_OF = {"atmega328p": 176, "atmega2560": 512}
"""For how many LEDs config.h finds room."""
OLD_BOOTLOADER = ("-c", "arduino", "-b", "57600")
"""Nanos made before 2018 and most clones of them."""
NANO_MCU = "atmega328p"


@dataclass(frozen=True)
class Firmware:
    """What the firmware is built for; see docs/hardware.md for the largest strips."""

    mcu: str = "atmega328p"
    leds: int = 160
    baud: int = 500_000
    max_milliamps: int = 2000


def flash_board(firmware: Firmware, port: str, *, old_bootloader: bool = False, ready: Path | None = None) -> None:
    """Build, or take what is `ready` as .hex, and write; programs talk to the terminal. InputError when one is missing
    or fails, and for what no compiler or programmer has to be asked about."""
    if old_bootloader and firmware.mcu != NANO_MCU:
        raise InputError(f"--old-bootloader: no {firmware.mcu} has an old bootloader: leave it out")
    _check_port(port, firmware.baud)
    if ready is None:
        _check_size(firmware)
        find_program("make", PACKAGES)
    else:
        _check_hex(ready)
    avrdude = find_program("avrdude", PACKAGES)
    programmer = OLD_BOOTLOADER if old_bootloader else PROGRAMMERS[firmware.mcu]
    with tempfile.TemporaryDirectory() as folder:
        picture = ready or build_firmware(firmware, Path(folder)).with_suffix(".hex")
        _run_program(
            [avrdude, "-p", firmware.mcu, *programmer, "-P", port, "-D", "-U", f"flash:w:{picture}:i"], NOT_FLASHED
        )


def _check_port(port: str, baud: int) -> None:
    """InputError for what no programmer can write to."""
    if "://" in port or port.endswith(":"):
        raise InputError(f"--port {port}: firmware is written over a serial port: name one like /dev/ttyUSB0")
    there = Path(port)
    if not there.exists():
        raise InputError(f"--port {port}: there is no such device: plug the board in, or see `referee lights find`")
    if not there.is_char_device():
        raise InputError(f"--port {port}: is not a serial port: name one like /dev/ttyUSB0")
    try:  # whoever has it open keeps it: a board that referees would be reset
        with open_stream(port, baud, 0.0):
            pass
    except OSError as error:
        raise InputError(f"port {explain_error(error, port)}") from error


def _check_size(firmware: Firmware) -> None:
    """InputError for a strip that is longer than the chip can light."""
    most = MOST_LEDS_OF[firmware.mcu]
    if firmware.leds > most:
        larger = [mcu for mcu, leds in MOST_LEDS_OF.items() if leds >= firmware.leds]
        advice = f"take a board with {larger[0]} and `--mcu {larger[0]}`" if larger else "use a shorter strip"
        raise InputError(f"--leds {firmware.leds}: an {firmware.mcu} has room for {most}: {advice}")


def _check_hex(file: Path) -> None:
    """InputError for a file that no `make firmware` has written."""
    whole = file.is_file()  # no device is read to its end
    if not whole or not file.read_bytes().startswith(b":"):
        raise InputError(
            f"--hex {file}: no firmware in Intel's HEX format: `make firmware` writes it into dist/firmware"
        )


def build_firmware(firmware: Firmware, folder: Path) -> Path:
    """Compile into `folder`: the ELF file, beside it the same as .hex. InputError when a tool is missing or fails."""
    _check_size(firmware)
    make, _ = (find_program(name, PACKAGES) for name in ("make", "avr-gcc"))
    sizes = (f"LEDS={firmware.leds}", f"BAUD={firmware.baud}", f"MAX_MILLIAMPS={firmware.max_milliamps}")
    with resources.as_file(resources.files("device") / "firmware") as source:
        _run_program([make, "-s", "-C", str(source), f"MCU={firmware.mcu}", *sizes, f"BUILD={folder}"], NOT_BUILT)
    return folder / "display.elf"


def find_program(name: str, packages: str) -> str:
    """Where a program is; InputError with what installs it when it is nowhere."""
    found = shutil.which(name)
    if found is None:
        raise InputError(f"{name} is not installed: {packages}")
    return found


def _run_program(arguments: list[str], so: str) -> None:
    code = subprocess.run(arguments, check=False).returncode  # noqa: S603  # a list of arguments and no shell
    if code:
        raise InputError(f"{Path(arguments[0]).name} ended with {code}: {so}, see above")
