"""The host's end of `camref/1`: greet, one packet at a time, repeat, heartbeat, buttons. Bytes and times in, bytes out.

| state    | what happens                                          | next     |
|----------|-------------------------------------------------------|----------|
| greeting | HELLO every GREET_AGAIN_S; CAPS answers it            | idle     |
|          | no CAPS for GREETING_S                                | LinkLost |
| idle     | `send_packet`; PING after HEARTBEAT_S                        | waiting  |
| waiting  | ACK 0 or 4 (applied before), PONG, of the same seq    | idle     |
|          | ACK 1 (CRC) after the whole packet left; no answer    | repeats  |
|          | more than MOST_TRIES answers missing for LINK_SILENCE_S    | LinkLost |
| any      | ACK 5, or another boot id: the board knows nothing    | greeting |

Button events come by themselves, are repeated by the board until acknowledged, and are passed on once. The board says
nothing of when a button was pressed, and an event waits on it while an older one is not acknowledged: so each is passed
on with the time after which it must have been pressed (`Button.since`).
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum

from device.codec import Decoder, Packet, PacketKind, encode_packet, wire_s
from device.protocol import LinkLost

LINK_VERSION = 1
GREET_AGAIN_S = 0.1
GREETING_S = 3.0
"""Opening its port resets an Arduino, and its bootloader listens up to 2 s (ATmega2560) before the firmware does."""
ANSWER_S = 0.030
"""The board's longest silence: 6 ms for the strip; FTDI chips hold bytes back for 16 ms."""
WIRE_SHARE = 1.2
"""Room for adapters that leave gaps between bytes."""
MOST_TRIES = 6
LINK_SILENCE_S = 1.0
"""A board that has not answered to so many tries within so long is lost. Raising it says later that a board hangs,
lowering it loses one whose firmware begins anew by its watchdog (0.6 s), or a simulated one on a busy machine."""
LONGEST_TURN_S = 0.1
"""Bytes are asked for each 5 ms. What goes beyond this between two times is time in which this program stood still,
stopped or on a busy machine, and heard nobody: it does not count against the board. Raising it counts more of it,
lowering it says later of a board that it is silent."""
HEARTBEAT_S = 0.5
"""Four of them fit into the silence after which the board says HOST LOST."""
EVENTS_KEPT = 8
"""So many events may be repeated and count once all the same, for a display that repeats others than its oldest.
Raising it takes the events of a display that counts anew for old ones, lowering it counts such a display's twice."""


NO_ANSWER = "nothing answers at that port: is the firmware on the board, and the same baud rate?"
NO_DISPLAY = (
    "something answers at that port, but not as the referee display: flash it, or name its --protocol and --baud"
)


class Status(IntEnum):
    """What an ACK says."""

    OK = 0
    BAD_CRC = 1
    BAD_TYPE = 2
    BAD_LENGTH = 3
    DUPLICATE = 4
    NO_SESSION = 5


@dataclass(frozen=True, slots=True)
class Caps:
    """What the board is: sizes, the longest packet it takes, what else it can do, and which of its lives this is."""

    version: int
    leds: int
    text_cols: int
    text_rows: int
    buttons: int
    max_packet: int
    features: int
    boot_id: int
    max_milliamps: int
    name: str

    @classmethod
    def parse_body(cls, body: bytes) -> Caps:
        """From the body of a CAPS packet, 13 bytes and the name."""
        two = [int.from_bytes(body[at : at + 2], "big") for at in (1, 6, 9, 11)]
        leds, max_packet, boot_id, milliamps = two
        name = body[13:].decode("ascii", "replace")
        return cls(body[0], leds, body[3], body[4], body[5], max_packet, body[8], boot_id, milliamps, name)


@dataclass(frozen=True, slots=True)
class Greeted:
    """The board answered, for the first time or after a reset: it shows nothing of what was sent before."""

    caps: Caps


@dataclass(frozen=True, slots=True)
class Accepted:
    """The packet that was posted last is applied."""


@dataclass(frozen=True, slots=True)
class Button:
    """Button `index` went down or up, certainly not before `since` seconds."""

    index: int
    pressed: bool
    since: float = field(default=-math.inf, compare=False)


Heard = Greeted | Accepted | Button


class DeviceLink:
    """One connection at `baud`.

    Give it every byte with `receive_data`, write what `take_due_bytes` and `send_packet` return.
    """

    def __init__(self, baud: int) -> None:
        self.baud = baud
        self.caps: Caps | None = None
        self._decoder = Decoder()
        self._seq = 1  # the board tells of its boot with a CAPS 0, which must not look like an answer
        self._waiting: Packet | None = None
        self._sent_t, self._tries = 0.0, 0
        self._again = False
        self._greeting_since: float | None = None
        self._boot_id: int | None = None
        self._events: deque[int] = deque(maxlen=EVENTS_KEPT)
        """The numbers of the newest events, each of which counts once."""
        self._event_acks = b""
        self._event_since, self._may_have_events = -math.inf, True
        """Since when the newest event may have waited, and whether another one may wait on the board behind it."""
        self._barrier = self._asks_at_once = False
        """Whether the answer that is waited for tells that none does; whether that is to be asked without delay."""
        self._due_t = self._emptied_t = -math.inf
        self._listened_s = self._sent_s = 0.0
        """For how long answers were looked for in all, and how long when the packet was sent first."""
        self._hears = True
        """When bytes were asked for last; when they were last before a read that gave nothing; whether any came since.
        """
        self._noise = False
        """Whether anything was heard, be it a packet or not."""

    @property
    def is_idle(self) -> bool:
        """Whether `send_packet` may be called."""
        return self.caps is not None and self._waiting is None

    def send_packet(self, kind: PacketKind, body: bytes, t: float) -> bytes:
        """Send one packet; only when idle. `Accepted` follows once the board has applied it."""
        if not self.is_idle:
            raise ValueError("the link waits for an answer: one packet at a time")
        return self._start_packet(Packet(kind, self._seq, body), t)

    def receive_data(self, data: bytes, t: float) -> list[Heard]:
        """What the bytes from the board tell, in order. Raises LinkLost for a board that speaks another version."""
        heard: list[Heard] = []
        self._noise, self._hears = self._noise or bool(data), self._hears or bool(data)
        for packet in self._decoder.decode_bytes(data):
            match packet.kind:
                case PacketKind.CAPS:
                    heard += self._on_caps(packet)
                case PacketKind.ACK:
                    heard += self._on_ack(packet, t)
                case PacketKind.PONG:
                    heard += self._on_pong(packet, t)
                case PacketKind.BUTTON:
                    heard += self._on_button(packet)
        return heard

    def take_due_bytes(self, t: float) -> bytes:
        """Bytes that have to go out now, b"" for none. Raises LinkLost when the board does not answer any more."""
        self._note_looking(t)
        out, self._event_acks = self._event_acks, b""
        if self.caps is None:
            return out + self._greet_board(t)
        if self._waiting is None:
            due = self._asks_at_once or t - self._sent_t >= HEARTBEAT_S
            return out + (self.send_packet(PacketKind.PING, b"", t) if due else b"")
        if self._again or t >= self._answer_deadline(self._waiting):
            out += self._repeat_packet(self._waiting, t)
        return out

    def _note_looking(self, t: float) -> None:
        """Bytes are asked for now. What comes after a read that gave nothing has come after that read began."""
        if not self._hears:
            self._emptied_t = self._due_t
        if self._due_t > -math.inf:
            self._listened_s += min(t - self._due_t, LONGEST_TURN_S)
        self._due_t, self._hears = t, False

    def _start_packet(self, packet: Packet, t: float) -> bytes:
        self._waiting, self._sent_t, self._tries, self._again = packet, t, 1, False
        self._sent_s = self._listened_s
        if not self._event_acks:
            self._barrier, self._asks_at_once = self._may_have_events, False
        self._seq = (self._seq + 1) % 256
        return encode_packet(packet)

    def _repeat_packet(self, packet: Packet, t: float) -> bytes:
        if self._tries > MOST_TRIES and self._listened_s - self._sent_s >= LINK_SILENCE_S:
            raise LinkLost("the LED board stopped answering: press its reset button, or plug it in again")
        self._tries, self._sent_t, self._again = self._tries + 1, t, False
        return encode_packet(packet)

    def _answer_deadline(self, packet: Packet) -> float:
        return self._sent_t + ANSWER_S + WIRE_SHARE * self._wire_s(packet)

    def _wire_s(self, packet: Packet) -> float:
        return wire_s(len(encode_packet(packet)), self.baud)

    def _greet_board(self, t: float) -> bytes:
        if self._greeting_since is None:
            self._greeting_since = self._listened_s
        elif self._listened_s - self._greeting_since >= GREETING_S:
            raise LinkLost(NO_DISPLAY if self._noise else NO_ANSWER)
        if self._waiting is None:
            return self._start_packet(Packet(PacketKind.HELLO, self._seq, bytes((LINK_VERSION,))), t)
        if t - self._sent_t < GREET_AGAIN_S:
            return b""
        self._sent_t = t
        return encode_packet(self._waiting)

    def _forget_board(self) -> None:
        """The board was reset or gave the host up: greet it again."""
        self.caps, self._waiting, self._greeting_since = None, None, None

    def _on_caps(self, packet: Packet) -> list[Heard]:
        caps = Caps.parse_body(packet.body)
        if self.caps is not None:
            if caps.boot_id != self.caps.boot_id:
                self._forget_board()
            return []
        if self._waiting is None or packet.seq != self._waiting.seq:
            return []
        if caps.version != LINK_VERSION:
            raise LinkLost(
                f"the LED board speaks camref/{caps.version}, this program camref/{LINK_VERSION}: flash it anew"
            )
        if caps.boot_id != self._boot_id:
            self._boot_id = caps.boot_id
            self._events.clear()
        while len(self._events) > 1:  # it may count anew from here, but for what it repeats
            self._events.popleft()
        self.caps, self._waiting, self._greeting_since = caps, None, None
        self._event_since, self._may_have_events = -math.inf, True
        return [Greeted(caps)]

    def _on_ack(self, packet: Packet, t: float) -> list[Heard]:
        waiting, status = self._waiting, packet.body[0]
        if waiting is None:
            return []
        if status == Status.BAD_CRC:
            # One for a piece of a packet that is still on its way would only repeat it twice.
            self._again = self._again or t - self._sent_t >= self._wire_s(waiting)
            return []
        if packet.seq != waiting.seq:
            return []
        if status == Status.NO_SESSION:
            self._forget_board()
            return []
        if status in (Status.BAD_TYPE, Status.BAD_LENGTH):
            raise LinkLost(f"the LED board refuses {waiting.kind.name} ({Status(status).name}): flash it anew")
        if self.caps is None:
            return []
        self._note_answered()
        return [Accepted()]

    def _on_pong(self, packet: Packet, t: float) -> list[Heard]:
        if self.caps is not None and int.from_bytes(packet.body[:2], "big") != self.caps.boot_id:
            self._forget_board()
        elif self._waiting is not None and (packet.seq, PacketKind.PING) == (self._waiting.seq, self._waiting.kind):
            self._note_answered()
        return []

    def _note_answered(self) -> None:
        """The packet is answered. If it left after the newest event was acknowledged, and no event came before this
        answer, then none waited: the board sends the next one before it takes another packet."""
        self._waiting = None
        self._may_have_events = self._may_have_events and not self._barrier

    def _on_button(self, packet: Packet) -> list[Heard]:
        self._event_acks += encode_packet(Packet(PacketKind.EVACK, packet.seq))
        is_first, self._may_have_events = not self._may_have_events, True
        self._barrier, self._asks_at_once = False, True
        if packet.seq in self._events:
            return []  # and what waits behind it was pressed after it was pressed, not after it was repeated
        self._events.append(packet.seq)
        self._event_since = self._emptied_t if is_first else self._event_since
        return [Button(packet.body[0], pressed=bool(packet.body[1]), since=self._event_since)]
