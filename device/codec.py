"""Framing of the link `camref/1`: packets to bytes on the wire and back. docs/hardware.md is the reference.

A packet on the wire is `COBS( kind(1) seq(1) body crc(2) ) 00`, the CRC-16/GENIBUS over kind, seq and body, big
endian. Its final inversion matters: a doubled last code byte of COBS adds a zero, unseen by the plain CRC.
"""

from __future__ import annotations

import binascii
from dataclasses import dataclass
from enum import IntEnum

MESSAGE_HEADER_BYTES, CRC_BYTES = 2, 2
FULL_BLOCK = 0xFF
"""COBS code of a block of 254 bytes that no zero follows."""


class PacketKind(IntEnum):
    """What a packet is; those from 0x80 come from the board."""

    HELLO = 0x01
    FRAME = 0x02
    TEXT = 0x03
    PING = 0x04
    EVACK = 0x05
    PALETTE = 0x06
    SPOTS = 0x07
    LIMIT = 0x08
    BEEP = 0x09
    ACK = 0x80
    CAPS = 0x81
    PONG = 0x84
    BUTTON = 0x90


BODY_BYTES = {
    PacketKind.ACK: range(1, 2),
    PacketKind.CAPS: range(13, 46),
    PacketKind.PONG: range(8, 9),
    PacketKind.BUTTON: range(3, 4),
}
"""What the board sends and how long the body may be; anything else is no packet."""
LONGEST_MESSAGE_BYTES = MESSAGE_HEADER_BYTES + max(allowed[-1] for allowed in BODY_BYTES.values()) + CRC_BYTES


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet, `seq` 0..255."""

    kind: PacketKind
    seq: int
    body: bytes = b""


def compute_crc(data: bytes) -> int:
    """CRC-16/GENIBUS: polynomial 0x1021, start 0xFFFF, inverted at the end."""
    return binascii.crc_hqx(data, 0xFFFF) ^ 0xFFFF


def encode_cobs(data: bytes) -> bytes:
    """COBS: the same data without a zero byte, the end not marked. Each block goes up to a zero or 254 bytes."""
    out, at = bytearray(), 0
    while True:
        zero = data.find(0, at, at + FULL_BLOCK - 1)
        end = zero if zero >= 0 else min(at + FULL_BLOCK - 1, len(data))
        out.append(end - at + 1)
        out += data[at:end]
        at = end + (zero >= 0)
        if zero < 0 and at == len(data):
            return bytes(out)


def decode_cobs(wire: bytes) -> bytes | None:
    """What `encode_cobs` was given, or None where `wire` is not something it makes. `wire` has no zero byte."""
    out, at, code = bytearray(), 0, FULL_BLOCK
    while at < len(wire):
        if code != FULL_BLOCK:
            out.append(0)
        code = wire[at]
        block = wire[at + 1 : at + code]
        if len(block) != code - 1:
            return None
        out += block
        at += code
    return bytes(out)


def encode_packet(packet: Packet) -> bytes:
    """The bytes on the wire, closing zero included."""
    data = bytes((packet.kind, packet.seq)) + packet.body
    return encode_cobs(data + compute_crc(data).to_bytes(CRC_BYTES, "big")) + b"\0"


def wire_s(n_bytes: int, baud: int) -> float:
    """Seconds that so many bytes need on the line: ten bits each."""
    return n_bytes * 10 / baud


def decode_packet(wire: bytes) -> Packet | None:
    """The packet between two zeros as the board sends it, or None: unstuffed, CRC, kind and length all right."""
    data = decode_cobs(wire) if len(wire) <= LONGEST_MESSAGE_BYTES + 1 else None
    if data is None or len(data) < MESSAGE_HEADER_BYTES + CRC_BYTES:
        return None
    content, check = data[:-CRC_BYTES], data[-CRC_BYTES:]
    if compute_crc(content) != int.from_bytes(check, "big") or content[0] not in BODY_BYTES:
        return None
    packet = Packet(PacketKind(content[0]), content[1], content[MESSAGE_HEADER_BYTES:])
    return packet if len(packet.body) in BODY_BYTES[packet.kind] else None


class Decoder:
    """Bytes of the board, cut anywhere, to packets. `broken` counts what was none."""

    def __init__(self) -> None:
        self.broken = 0
        self._pending = b""

    def decode_bytes(self, data: bytes) -> list[Packet]:
        """The packets that are whole now. Noise without a zero is not collected for ever."""
        *whole, self._pending = (self._pending + data).split(b"\0")
        self._pending = self._pending[: LONGEST_MESSAGE_BYTES + 2]
        found = [decode_packet(wire) for wire in whole if wire]
        self.broken += found.count(None)
        return [packet for packet in found if packet is not None]
