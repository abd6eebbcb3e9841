"""The referee display: LEDs, two lines of text and four buttons behind the acknowledged link `camref/1`.

Only what changed is sent, in the smallest packet that says it, one packet at a time; the newest frame wins. After a
reset of the board, or a silence that made it blank itself, everything is sent again.
"""

from __future__ import annotations

from device.codec import PacketKind
from device.ledmap import LedMap
from device.lights import LedFrame
from device.link import Accepted, Button, Caps, DeviceLink, Greeted
from device.network.wled import describe_spare
from device.packets import smallest_packet
from device.protocol import NOTICED_S, LinkLost, Pressed

BUTTONS = ("confirm", "undo", "hint", "pause")
FULL_BRIGHTNESS = 255
TEXT_ROWS = 2
BAUDS = (500_000, 115_200)
"""500000 is exact for a 16 MHz board, and a whole picture takes 3 ms; the firmware has to be built for the other."""
STRIPS, HEARD_BYTES = (b"Ada\n", b"Ada\r\n", b"WLED"), 64
"""How other receivers greet, and how much of what came is kept to find it."""
CAN_BEEP = 8
"""Bit of `Caps.features`."""
BEEP_CENTISECONDS = 15
"""Long enough to be heard across a table, short enough not to be a complaint."""


class CamrefProtocol:
    """One board. What it shows is known from what it acknowledged, never assumed."""

    resend_s: float | None = None
    must_answer = True

    def __init__(self, leds: LedMap, baud: int = BAUDS[0]) -> None:
        self.leds, self.baud = leds, baud
        self.link = DeviceLink(baud)
        self._frame: LedFrame | None = None
        self._limited = False
        self._shown: bytes | None = None
        self._rows: dict[int, bytes] = {}
        self._posted: tuple[PacketKind, object] | None = None
        self._beep_due = False
        self._heard = b""
        self._standing = LedFrame(()).standing
        self._standing_t = 0.0
        """How the match stands for who reads the text, and since when; None: not certain, or the text is of no match.
        """

    @property
    def answer(self) -> str:
        """The board's name and sizes."""
        caps = self.link.caps
        if caps is None:
            return ""
        spare = describe_spare(caps.leds, len(self.leds.owners))
        return f"{caps.name}, {caps.leds} LEDs, limit {caps.max_milliamps} mA{spare}"

    def encode_frame(self, frame: LedFrame, t: float) -> bytes:
        """Keep the frame; the first packet for it if the link is free. A beep is due when one begins to ask for it."""
        if self._frame is not None:
            self._beep_due = frame.beep and (self._beep_due or not self._frame.beep)
        self._frame = frame
        out = self._next_packet(t)
        self._note_text(t)
        return out

    def receive_data(self, data: bytes, t: float) -> list[Pressed]:
        """Buttons pressed. Raises LinkLost for a board with fewer LEDs than the map, and for what is no such board."""
        pressed = []
        self._heard = (self._heard + data)[-HEARD_BYTES:]
        if self.link.caps is None and any(word in self._heard for word in STRIPS):
            raise LinkLost("a strip with WLED or an Adalight sketch is at that port: use --protocol adalight")
        for heard in self.link.receive_data(data, t):
            if isinstance(heard, Greeted):
                self._on_greeted(heard.caps)
            elif isinstance(heard, Accepted):
                self._on_accepted()
            elif isinstance(heard, Button) and heard.pressed and heard.index < len(BUTTONS):
                seen = self._standing if self._standing_t <= heard.since - NOTICED_S else None
                pressed.append(Pressed(t, BUTTONS[heard.index], seen))
            self._note_text(t)
        return pressed

    def take_due_bytes(self, t: float) -> bytes:
        """Greeting, answers to buttons, repetitions, heartbeat, and what the newest frame still needs."""
        out = self.link.take_due_bytes(t) + self._next_packet(t)
        self._note_text(t)
        return out

    def _note_text(self, t: float) -> None:
        """Once the board has acknowledged all text of the newest frame, the match is read as that has it."""
        frame, caps = self._frame, self.link.caps
        if frame is None or caps is None:
            self._note_standing(None, t)
        elif self._posted is None or self._posted[0] is not PacketKind.TEXT:
            rows = range(min(TEXT_ROWS, caps.text_rows))
            if all(self._rows.get(row) == _encode_line(frame, row, caps) for row in rows):
                self._note_standing(frame, t)

    def _note_standing(self, frame: LedFrame | None, t: float) -> None:
        standing = None if frame is None else frame.standing
        if standing != self._standing:
            self._standing, self._standing_t = standing, t

    def _on_greeted(self, caps: Caps) -> None:
        if caps.leds < len(self.leds.owners):
            needed = len(self.leds.owners)
            advice = f"flash it again with `--leds {needed}`, or name the map of this strip"
            raise LinkLost(f"the LED map has {needed} LEDs, the firmware {caps.leds}: {advice}")
        self._limited, self._shown, self._posted = False, None, None
        self._rows.clear()

    def _on_accepted(self) -> None:
        match self._posted:
            case (PacketKind.LIMIT, _):
                self._limited = True
            case (PacketKind.BEEP, _):
                self._beep_due = False
            case (PacketKind.TEXT, (int(row), bytes(line))):
                self._rows[row] = line
            case (_, bytes(strip)):
                self._shown = strip
        self._posted = None

    def _next_packet(self, t: float) -> bytes:
        """The next packet towards the newest frame: the current limit before any light, then text, then sound."""
        caps = self.link.caps
        if caps is None or not self.link.is_idle or self._frame is None:
            return b""
        if not self._limited:
            milliamps = min(self.leds.max_milliamps, caps.max_milliamps)
            return self._send_packet(PacketKind.LIMIT, bytes((FULL_BRIGHTNESS, *milliamps.to_bytes(2, "big"))), None, t)
        strip = self.leds.encode_strip(self._frame.rgb).ljust(3 * caps.leds, b"\0")
        packet = smallest_packet(self._shown, strip, caps)
        if packet:
            return self._send_packet(*packet, strip, t)
        for row in range(min(TEXT_ROWS, caps.text_rows)):
            line = _encode_line(self._frame, row, caps)
            if self._rows.get(row) != line:
                if self._frame.standing != self._standing:
                    self._note_standing(None, t)
                return self._send_packet(PacketKind.TEXT, bytes((row, 0)) + line, (row, line), t)
        if self._beep_due and caps.features & CAN_BEEP:
            return self._send_packet(PacketKind.BEEP, bytes((BEEP_CENTISECONDS,)), None, t)
        return b""

    def _send_packet(self, kind: PacketKind, body: bytes, state: object, t: float) -> bytes:
        self._posted = (kind, state)
        return self.link.send_packet(kind, body, t)


def _encode_line(frame: LedFrame, row: int, caps: Caps) -> bytes:
    """A row of the text as the display is sent it."""
    return frame.text[row].encode("ascii", "replace")[: caps.text_cols].ljust(caps.text_cols)
