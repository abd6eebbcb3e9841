"""DRGB over UDP (port 21324), WLED's own realtime protocol: two bytes of header, then three bytes an LED.

`02`, the seconds after which WLED goes back to its own effects, then the colours from the first LED on. Nothing is
answered. DDP does the same for longer strips; this is for firmware and tools that know no other.
"""

from __future__ import annotations

from device.ledmap import LedMap
from device.lights import LedFrame, Rgb
from device.protocol import Pressed
from engine.errors import InputError

DRGB, KEEP_S = 0x02, 2
"""The strip outlives one lost repetition and is free again soon after the referee has ended."""
HEADER_BYTES = 2
DRGB_LEDS = 490
"""What WLED documents for one DRGB packet."""


class Protocol:
    """One network strip; buttons do not exist."""

    baud = 115200
    resend_s: float | None = 1.0
    must_answer, answer = False, ""

    def __init__(self, leds: LedMap) -> None:
        if len(leds.owners) > DRGB_LEDS:
            raise InputError(f"protocol drgb: {len(leds.owners)} LEDs, at most {DRGB_LEDS} fit: use a shorter strip")
        self.leds = leds

    def encode(self, frame: LedFrame, t: float) -> bytes:
        """The whole strip in one datagram."""
        return bytes((DRGB, KEEP_S)) + self.leds.strip(frame.rgb)

    def feed(self, data: bytes, t: float) -> list[Pressed]:
        """What a strip answers is no press."""
        return []

    def due(self, t: float) -> bytes:
        """Nothing goes without a frame."""
        return b""


def decode(packet: bytes) -> tuple[Rgb, ...]:
    """The colours of one whole datagram, in strip order; ValueError when it is none."""
    colours = packet[HEADER_BYTES:]
    if len(packet) < HEADER_BYTES or packet[0] != DRGB or len(colours) % 3:
        raise ValueError("no whole DRGB packet")
    return tuple((colours[i], colours[i + 1], colours[i + 2]) for i in range(0, len(colours), 3))
