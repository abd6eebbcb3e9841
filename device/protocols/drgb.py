"""DRGB over UDP (port 21324), WLED's own realtime protocol: two bytes of header, then three bytes an LED.

`02`, the seconds after which WLED goes back to its own effects, then the colours from the first LED on. Nothing is
answered. DDP does the same for longer strips; this is for firmware and tools that know no other.
"""

from __future__ import annotations

from device.lights import LedFrame
from device.protocol import OneWayProtocol

DRGB, KEEP_S = 0x02, 2
"""The strip outlives one lost repetition and is free again soon after the referee has ended."""
DRGB_LEDS = 490
"""What WLED documents for one DRGB packet."""

NETWORKED = True
"""It has no serial port."""


class DrgbProtocol(OneWayProtocol):
    """One network strip; buttons do not exist."""

    resend_s = 1.0
    most_leds = DRGB_LEDS

    def encode_frame(self, frame: LedFrame, t: float) -> bytes:
        """The whole strip in one datagram."""
        return bytes((DRGB, KEEP_S)) + self.leds.encode_strip(frame.rgb)
