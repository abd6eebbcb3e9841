"""DDP over UDP (port 4048), as WLED and other network strips speak it: ten bytes of header, then three bytes an LED.

`41` (version 1, show at once), a sequence number 1-15, `0b 01` (8-bit RGB, the default output), the offset and the
number of data bytes, both big endian. Nothing is answered; WLED goes back to its own effects after 2.5 s.
"""

from __future__ import annotations

from device.lights import LedFrame
from device.protocol import OneWayProtocol

VERSION_AND_PUSH = 0x41
RGB_8_BIT, DEFAULT_OUTPUT = 0x0B, 0x01
SEQUENCES = 15
DDP_LEDS = 480
"""One datagram of 1440 data bytes, which every network carries in one piece."""

NETWORKED = True
"""It has no serial port."""


class DdpProtocol(OneWayProtocol):
    """One network strip; buttons do not exist."""

    resend_s = 1.0
    most_leds = DDP_LEDS
    sequence = 0

    def encode_frame(self, frame: LedFrame, t: float) -> bytes:
        """The whole strip in one datagram."""
        self.sequence = self.sequence % SEQUENCES + 1
        colours = self.leds.encode_strip(frame.rgb)
        header = bytes((VERSION_AND_PUSH, self.sequence, RGB_8_BIT, DEFAULT_OUTPUT)) + bytes(4)
        return header + len(colours).to_bytes(2, "big") + colours
