"""Which serial port the LED board is at, found without opening any: opening a port resets whatever Arduino is there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from engine.errors import InputError

AUTO = "auto"
"""Stands for a port that is to be found."""
BY_ID = Path("/dev/serial/by-id")
"""Where Linux keeps names that stay the same after a replug."""
MAKERS = ("usb-Arduino", "usb-1a86", "usb-FTDI", "usb-Silicon_Labs")
"""How the names there begin for boards that the firmware runs on: Arduino, CH340, FT232R and CP2102 adapters."""
USB_BOARDS = {
    (0x2341, 0x0001),  # Uno
    (0x2341, 0x0043),  # Uno R3
    (0x2A03, 0x0043),
    (0x2341, 0x0010),  # Mega 2560
    (0x2341, 0x0042),  # Mega 2560 R3
    (0x2A03, 0x0042),
    (0x1A86, 0x7523),  # CH340, on most clones
    (0x0403, 0x6001),  # FT232R, on the first Nanos
    (0x10C4, 0xEA60),  # CP2102
}
"""USB vendor and product of the same boards, from Arduino's boards.txt and the makers of the adapters."""


def resolve_port(url: str) -> str:
    """`url`, or the port of the only LED board there is for "auto"."""
    return find_led_port() if url == AUTO else url


def list_led_ports(by_id: Path = BY_ID, listed: Iterable[ListPortInfo] | None = None) -> list[str]:
    """The ports at which an LED board may be."""
    there = sorted(str(path) for path in by_id.glob("*") if path.name.startswith(MAKERS))
    if there:
        return there
    ports = list_ports.comports() if listed is None else listed
    return sorted(port.device for port in ports if (port.vid, port.pid) in USB_BOARDS)


def find_led_port(by_id: Path = BY_ID, listed: Iterable[ListPortInfo] | None = None) -> str:
    """The one port that an LED board may be at; InputError if there is none, or more than one."""
    there = list_led_ports(by_id, listed)
    if len(there) == 1:
        return there[0]
    if there:
        raise InputError(f"several may be the LED board: name one of {', '.join(there)}")
    raise InputError("no LED board is plugged in, or it is of an unknown kind: plug it in, or name its port")
