"""What the port thread and the protocols tell each other."""

from __future__ import annotations

import typing
from dataclasses import dataclass

from device.ledmap import LedMap
from device.lights import LedFrame, Rgb
from engine.errors import InputError
from engine.match.buttons import StandingSeen

NOTICED_S = 0.2
"""Who presses a button sooner after a text came than that has not read it, and meant what stood there before: people
need a fifth of a second to press at a light that they wait for. The way of a press to the host, 25 ms at most, is part
of it. Raising it refuses people who know what comes next, lowering it takes what they could not have read."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button was pressed at `t` seconds of the port's clock: "confirm", "undo", "hint" or "pause"."""

    t: float
    button: str
    seen: StandingSeen | None = None
    """How the match stood on the display when it was pressed; None where that is not certain."""


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

    def encode_frame(self, frame: LedFrame, t: float) -> bytes:
        """Bytes that show `frame`. One that must wait (for an acknowledgement) keeps the newest and returns b""."""

    def receive_data(self, data: bytes, t: float) -> list[Pressed]:
        """Take what the port gave, cut anywhere; the buttons it tells of, each once."""

    def take_due_bytes(self, t: float) -> bytes:
        """Bytes to be written now (greeting, answers, repetitions, heartbeat), b"" for none; raises LinkLost."""


class OneWayProtocol:
    """What all receivers have in common that answer nothing and have no buttons; they are sent frames, see
    `encode_frame`."""

    baud = 115200
    resend_s: float | None = None
    must_answer, answer = False, ""
    is_trial = False
    """Whether nobody is at the other end."""
    most_leds: int | None = None
    """How many fit into one packet; None for any number."""

    def __init__(self, leds: LedMap) -> None:
        if self.most_leds is not None and len(leds.owners) > self.most_leds:
            name = type(self).__module__.rpartition(".")[2]
            raise InputError(
                f"protocol {name}: {len(leds.owners)} LEDs, at most {self.most_leds} fit: use a shorter strip"
            )
        self.leds = leds

    def receive_data(self, data: bytes, t: float) -> list[Pressed]:
        """What a receiver answers is no press."""
        return []

    def take_due_bytes(self, t: float) -> bytes:
        """Nothing goes without a frame."""
        return b""


def split_colours(data: bytes) -> tuple[Rgb, ...]:
    """Three bytes an LED as triples; ValueError for a part of one."""
    if len(data) % 3:
        raise ValueError("no whole number of colours")
    return tuple((data[at], data[at + 1], data[at + 2]) for at in range(0, len(data), 3))
