"""Adalight over a serial port, as WLED and Hyperion firmwares speak it: a six-byte header, then three bytes an LED.

`41 64 61`, the number of LEDs less one (big endian), its high byte ^ low byte ^ 0x55, then the colours. Nothing
is answered. WLED goes back to its own effects 2.5 s after the last frame, so each frame is repeated every second.
"""

from __future__ import annotations

from device.ledmap import LedMap
from device.lights import LedFrame, Rgb
from device.protocol import Pressed

MAGIC = b"Ada"
HEADER_BYTES = 6
BAUDS = (115_200, 230_400, 460_800, 500_000, 576_000, 921_600, 1_000_000)
"""What WLED listens at; 115200 unless its user chose another."""


class Protocol:
    """One LED strip; buttons do not exist."""

    resend_s: float | None = 1.0

    def __init__(self, leds: LedMap, baud: int = BAUDS[0]) -> None:
        self.leds, self.baud = leds, baud

    def encode(self, frame: LedFrame, t: float) -> bytes:
        """The whole strip in one packet."""
        high, low = divmod(len(self.leds.owners) - 1, 256)
        return MAGIC + bytes((high, low, high ^ low ^ 0x55)) + self.leds.strip(frame.rgb)

    def feed(self, data: bytes, t: float) -> list[Pressed]:
        """WLED's greetings are no presses."""
        return []

    def due(self, t: float) -> bytes:
        """Nothing goes without a frame."""
        return b""


def decode(packet: bytes) -> tuple[Rgb, ...]:
    """The colours of one whole packet, in strip order; ValueError when it is none."""
    high, low, check = packet[3:HEADER_BYTES]
    colours = packet[HEADER_BYTES:]
    if not packet.startswith(MAGIC) or check != high ^ low ^ 0x55 or len(colours) != 3 * (high * 256 + low + 1):
        raise ValueError("no whole Adalight packet")
    return tuple((colours[i], colours[i + 1], colours[i + 2]) for i in range(0, len(colours), 3))
