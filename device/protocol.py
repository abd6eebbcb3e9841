"""What the port thread and the protocols tell each other."""

from __future__ import annotations

import typing
from dataclasses import dataclass

from device.ledmap import LedMap
from device.lights import LedFrame


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button was pressed at `t` seconds of the port's clock: "confirm", "undo", "hint" or "pause"."""

    t: float
    button: str


class LinkLost(OSError):  # noqa: N818 - names what happened, like CameraLost
    """The other side stopped answering although the port is open; the port thread connects again."""


class Protocol(typing.Protocol):
    """What the port thread asks of every protocol. `t` never runs backwards; no frame it gets still blinks."""

    leds: LedMap
    baud: int
    """Bits per second of the serial port."""
    resend_s: float | None
    """The same frame is encoded again after that many seconds; None where the other side remembers."""
    must_answer: bool
    """Whether nothing is lit before the other side has answered; where it need not, silence proves nothing."""
    answer: str
    """Who answered, in words for the user; "" while nobody has."""

    def encode(self, frame: LedFrame, t: float) -> bytes:
        """Bytes that show `frame`. One that must wait (for an acknowledgement) keeps the newest and returns b""."""

    def feed(self, data: bytes, t: float) -> list[Pressed]:
        """Take what the port gave, cut anywhere; the buttons it tells of, each once."""

    def due(self, t: float) -> bytes:
        """Bytes to be written now (greeting, answers, repetitions, heartbeat), b"" for none; raises LinkLost."""
