"""The host's end of `camref/1`: greet, one packet at a time, repeat, heartbeat, buttons. Bytes and times in, bytes out.

| state    | what happens                                          | next     |
|----------|-------------------------------------------------------|----------|
| greeting | HELLO every GREET_AGAIN_S; CAPS answers it            | idle     |
|          | no CAPS for GREETING_S                                | LinkLost |
| idle     | `send_packet`; PING after HEARTBEAT_S                        | waiting  |
| waiting  | ACK 0 or 4 (applied before), PONG, of the same seq    | idle     |
|          | ACK 1 (CRC) after the whole packet left; no answer    | repeats  |
|          | more than MOST_TRIES answers missing                       | LinkLost |
| any      | ACK 5, or another boot id: the board knows nothing    | greeting |

Button events come by themselves, are repeated by the board until acknowledged, and are passed on once.
"""

from __future__ import annotations

from dataclasses import dataclass
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
HEARTBEAT_S = 0.5
"""Four of them fit into the silence after which the board says HOST LOST."""


NO_ANSWER = "nothing answers at that port: is the firmware on the board, and the same baud rate?"
NO_DISPLAY = "what is at that port speaks, but not as the referee display: flash it, or name its --protocol and --baud"


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
    """Button `index` went down or up."""

    index: int
    pressed: bool


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
        self._last_event: int | None = None
        self._event_acks = b""
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
        self._noise = self._noise or bool(data)
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
        out, self._event_acks = self._event_acks, b""
        if self.caps is None:
            return out + self._greet_board(t)
        if self._waiting is None:
            return out + (self.send_packet(PacketKind.PING, b"", t) if t - self._sent_t >= HEARTBEAT_S else b"")
        if self._again or t >= self._answer_deadline(self._waiting):
            out += self._repeat_packet(self._waiting, t)
        return out

    def _start_packet(self, packet: Packet, t: float) -> bytes:
        self._waiting, self._sent_t, self._tries, self._again = packet, t, 1, False
        self._seq = (self._seq + 1) % 256
        return encode_packet(packet)

    def _repeat_packet(self, packet: Packet, t: float) -> bytes:
        if self._tries > MOST_TRIES:
            raise LinkLost("the LED board stopped answering: press its reset button, or plug it in again")
        self._tries, self._sent_t, self._again = self._tries + 1, t, False
        return encode_packet(packet)

    def _answer_deadline(self, packet: Packet) -> float:
        return self._sent_t + ANSWER_S + WIRE_SHARE * self._wire_s(packet)

    def _wire_s(self, packet: Packet) -> float:
        return wire_s(len(encode_packet(packet)), self.baud)

    def _greet_board(self, t: float) -> bytes:
        if self._greeting_since is None:
            self._greeting_since = t
        elif t - self._greeting_since >= GREETING_S:
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
            self._boot_id, self._last_event = caps.boot_id, None
        self.caps, self._waiting, self._greeting_since = caps, None, None
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
        self._waiting = None
        return [Accepted()]

    def _on_pong(self, packet: Packet, t: float) -> list[Heard]:
        if self.caps is not None and int.from_bytes(packet.body[:2], "big") != self.caps.boot_id:
            self._forget_board()
        elif self._waiting is not None and (packet.seq, PacketKind.PING) == (self._waiting.seq, self._waiting.kind):
            self._waiting = None
        return []

    def _on_button(self, packet: Packet) -> list[Heard]:
        self._event_acks += encode_packet(Packet(PacketKind.EVACK, packet.seq))
        if packet.seq == self._last_event:
            return []
        self._last_event = packet.seq
        return [Button(packet.body[0], pressed=bool(packet.body[1]))]
