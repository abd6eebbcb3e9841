"""No lights: every frame becomes nothing. For boards without LEDs."""

from __future__ import annotations

from device.ledmap import LedMap
from device.lights import LedFrame
from device.protocol import Pressed


class Protocol:
    """Sends nothing, hears nothing."""

    baud = 115200
    resend_s: float | None = None
    must_answer, answer = False, ""

    def __init__(self, leds: LedMap) -> None:
        self.leds = leds

    def encode(self, frame: LedFrame, t: float) -> bytes:
        """No bytes."""
        return b""

    def feed(self, data: bytes, t: float) -> list[Pressed]:
        """No presses."""
        return []

    def due(self, t: float) -> bytes:
        """No bytes."""
        return b""
