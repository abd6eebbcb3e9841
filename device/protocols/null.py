"""No lights: every frame becomes nothing. For boards without LEDs."""

from __future__ import annotations

from device.lights import LedFrame
from device.protocol import OneWayProtocol


class NullProtocol(OneWayProtocol):
    """Sends nothing, hears nothing."""

    is_trial = True

    def encode_frame(self, frame: LedFrame, t: float) -> bytes:
        """No bytes."""
        return b""
