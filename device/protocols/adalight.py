"""Adalight over a serial port, as WLED and Hyperion firmwares speak it: a six-byte header, then three bytes an LED.

`41 64 61`, the number of LEDs less one (big endian), its high byte ^ low byte ^ 0x55, then the colours. No frame is
answered, but WLED tells of itself when it is asked in JSON, and its version for a `v`; sketches look for the header and
take no notice. WLED goes back to its own effects 2.5 s after the last frame, so each frame is repeated every second.
"""

from __future__ import annotations

import json

from device.codec import Decoder
from device.ledmap import LedMap
from device.lights import LedFrame
from device.network.wled import WledInfo, describe_spare
from device.protocol import LinkLost, Pressed

MAGIC = b"Ada"
HEADER_BYTES = 6
BAUDS = (115_200, 230_400, 460_800, 500_000, 576_000, 921_600, 1_000_000)
"""What WLED listens at; 115200 unless its user chose another."""
WHO_IS_IT, STILL = b'{"v":true}\n', b"v"
"""Who are you, and are you still there?"""
STILL_THERE_S = 2.0
UNANSWERED_S = 7.0
"""A WLED strip that leaves three questions unanswered hangs."""
MOST_HEARD = 16384
"""All that WLED says of itself takes 2 to 4 KB."""


class AdalightProtocol:
    """One LED strip; buttons do not exist."""

    resend_s: float | None = 1.0
    must_answer = False

    def __init__(self, leds: LedMap, baud: int = BAUDS[0]) -> None:
        self.leds, self.baud, self.answer = leds, baud, ""
        self._heard, self._decoder = b"", Decoder()
        self._asked_t: float | None = None
        self._heard_t = 0.0

    def encode_frame(self, frame: LedFrame, t: float) -> bytes:
        """The whole strip in one packet."""
        high, low = divmod(len(self.leds.owners) - 1, 256)
        return MAGIC + bytes((high, low, high ^ low ^ 0x55)) + self.leds.encode_strip(frame.rgb)

    def receive_data(self, data: bytes, t: float) -> list[Pressed]:
        """What is told of the strip is no press. Raises LinkLost for our own display, and a strip too short."""
        if self._decoder.decode_bytes(data):
            raise LinkLost("the referee display is at that port: use --protocol camref")
        self._heard_t = t
        self._heard = (self._heard + data)[-MOST_HEARD:]
        if not self.answer or self.answer == UNNAMED:
            self._identify_strip()
        return []

    def take_due_bytes(self, t: float) -> bytes:
        """The question who is there. Raises LinkLost when a WLED strip does not answer it any more."""
        if self._asked_t is None:
            self._asked_t = t
            return WHO_IS_IT
        if not self.answer.startswith("WLED") or t - self._asked_t < STILL_THERE_S:
            return b""
        if t - self._heard_t > UNANSWERED_S:
            raise LinkLost("the WLED strip stopped answering: plug it in again")
        self._asked_t = t
        return STILL

    def _identify_strip(self) -> None:
        """Look for who it is in what was heard."""
        start = self._heard.find(b"{")
        try:
            said, _ = json.JSONDecoder().raw_decode(self._heard[max(0, start) :].decode("utf-8", "replace"))
            found = WledInfo.parse_info(said.get("info") if isinstance(said, dict) else None)
        except (ValueError, RecursionError):  # not whole yet, or no WLED
            if b"Ada" in self._heard:
                self.answer = UNNAMED
            return
        self.answer = f"{found}{describe_spare(found.leds, len(self.leds.owners))}"
        if problem := found.too_few(len(self.leds.owners)):
            raise LinkLost(problem)


UNNAMED = "a strip that greets as Adalight does"
