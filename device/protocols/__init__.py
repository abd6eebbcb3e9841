"""LED protocols: one file each, found by its name. A protocol turns frames into bytes and bytes into presses.

A protocol touches no port and reads no clock: the port thread (device/port.py) makes a fresh one for each
connection, calls `encode`, `feed` and `due` with the time, and writes what they return. So a protocol without
answers is one function, and one with acknowledgements is a state machine that tests can feed by hand.
"""

from __future__ import annotations

import importlib
import pkgutil
import typing
from dataclasses import dataclass

from device.ledmap import LedMap
from device.lights import LedFrame
from engine.errors import InputError


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button was pressed at `t` seconds of the port's clock: "confirm", "undo", "hint" or "pause"."""

    t: float
    button: str


class LinkLost(OSError):  # noqa: N818 - names what happened, like CameraLost
    """The other side stopped answering although the port is open; the port thread connects again."""


class Protocol(typing.Protocol):
    """What the port thread asks of every protocol. `t` never runs backwards; no frame it gets still blinks."""

    baud: int
    """Bits per second of the serial port."""
    resend_s: float | None
    """The same frame is encoded again after that many seconds; None where the other side remembers."""

    def encode(self, frame: LedFrame, t: float) -> bytes:
        """Bytes that show `frame`. One that must wait (for an acknowledgement) keeps the newest and returns b""."""

    def feed(self, data: bytes, t: float) -> list[Pressed]:
        """Take what the port gave, cut anywhere; the buttons it tells of, each once."""

    def due(self, t: float) -> bytes:
        """Bytes to be written now (greeting, answers, repetitions, heartbeat), b"" for none; raises LinkLost."""


def names() -> list[str]:
    """Every protocol there is."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def load(name: str, leds: LedMap, baud: int | None = None) -> Protocol:
    """A fresh protocol for one connection, or InputError naming the ones there are.

    `baud` is one of the protocol's BAUDS, None for the first; protocols without a serial port have none.
    """
    if name not in names():
        raise InputError(f"protocol {name!r}: unknown, use one of {', '.join(names())}")
    module = importlib.import_module(f"{__name__}.{name}")
    bauds: tuple[int, ...] = getattr(module, "BAUDS", ())
    if baud is not None and baud not in bauds:
        speeds = f"use {' or '.join(map(str, bauds))}" if bauds else "it has no serial port, leave it out"
        raise InputError(f"--baud {baud}: not a speed of {name}: {speeds}")
    protocol: Protocol = module.Protocol(leds) if baud is None else module.Protocol(leds, baud)
    return protocol
