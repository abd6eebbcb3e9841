"""Byte streams by URL: serial ports as pyserial names them, `auto` for the LED board, `udp://host:port`, `screen:`."""

from __future__ import annotations

import socket
import sys
import time
import typing
from collections.abc import Iterator
from contextlib import contextmanager

import serial

from device.plugged import AUTO, resolve_port
from engine import outside
from engine.errors import InputError

WRITE_TIMEOUT_S = 1.0
"""A device that takes nothing for so long counts as unplugged; pyserial's default would wait for ever."""
DATAGRAM_BYTES = 2048
LARGEST_PORT = 65535
DDP_PORT, DRGB_PORT = 4048, 21324
"""Where WLED takes the one and the other."""
NETWORK_KINDS = frozenset({"udp", "socket", "rfc2217"})
"""How lights in the network are reached."""
PORT_KINDS = NETWORK_KINDS | {"loop", "hwgrep"}
"""Kinds of address that are opened: a serial port found by what it is, and none at all for trying. Others of pyserial's
write any file (spy), or load what they name (alt), and a profile may come from anybody."""


class ByteStream(typing.Protocol):
    """An open stream. Both raise OSError when it is gone."""

    def write(self, data: bytes) -> None:
        """All of it, within WRITE_TIMEOUT_S."""

    def read(self) -> bytes:
        """What has come, waiting a little for the first byte; b"" if nothing came."""


@contextmanager
def open_stream(url: str, baud: int, read_s: float) -> Iterator[ByteStream]:
    """An open stream, closed at the end; OSError when it cannot be opened. See `check_url`."""
    url = resolve_port(url)
    if url == "screen:":
        yield _Screen(read_s)
    elif url.startswith("udp://"):
        host, port = udp_address(url)
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as udp:
            udp.settimeout(read_s)
            udp.connect(address)
            yield _Udp(udp)
    else:
        # Without `exclusive` a second program silently shares the port, and each reads half of the answers.
        port_ = serial.serial_for_url(url, baud, timeout=read_s, write_timeout=WRITE_TIMEOUT_S, exclusive=True)
        with port_:
            yield _Serial(port_)


def udp_address(url: str) -> tuple[str, int]:
    """Host and port of `udp://host:port`; an IPv6 number stands in brackets."""
    try:
        parts = outside.parse_address(url)
        host, port = parts.hostname, parts.port
    except InputError:
        host, port = None, None
    if not host or not port:
        usual = f"WLED takes ddp at {DDP_PORT} and drgb at {DRGB_PORT}"
        raise InputError(f"port {url!r}: write udp://host:port with a port from 1 to {LARGEST_PORT}; {usual}")
    return host, port


def check_url(url: str) -> None:
    """InputError unless `url` is of a kind that can be opened; nothing is opened."""
    if not url.strip():
        raise InputError(f"port {url!r}: name the port of the LEDs, like /dev/ttyUSB0, or `auto`")
    kind, is_kind, _ = url.partition("://")
    if is_kind and kind.lower() not in PORT_KINDS:
        raise InputError(
            f"port {url!r}: {kind}:// is not a kind of port for lights; known are {', '.join(sorted(PORT_KINDS))}"
        )
    if url.startswith("udp://"):
        udp_address(url)
    elif url not in ("screen:", AUTO):
        try:
            serial.serial_for_url(url, do_not_open=True)
        except serial.SerialException:
            return  # it is looked for by what it is, and may be plugged in later
        except Exception as error:  # each kind of address has a reader of its own in pyserial, with faults of its own
            raise InputError(f"port {url!r}: {error}") from error


class _Serial:
    def __init__(self, port: serial.Serial) -> None:
        self.port = port

    def write(self, data: bytes) -> None:
        self.port.write(data)

    def read(self) -> bytes:
        return bytes(self.port.read(max(1, self.port.in_waiting)))


class _Udp:
    def __init__(self, udp: socket.socket) -> None:
        self.udp = udp

    def write(self, data: bytes) -> None:
        self.udp.send(data)

    def read(self) -> bytes:
        try:
            return self.udp.recv(DATAGRAM_BYTES)
        except TimeoutError:
            return b""


class _Screen:
    def __init__(self, read_s: float) -> None:
        self.read_s = read_s

    def write(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def read(self) -> bytes:
        time.sleep(self.read_s)
        return b""
