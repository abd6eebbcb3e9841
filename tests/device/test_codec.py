"""Framing of camref/1: one table read in both directions, and wires that say nothing."""

from __future__ import annotations

import random

import pytest

from device.codec import (
    LONGEST_MESSAGE_BYTES,
    Decoder,
    Packet,
    PacketKind,
    compute_crc,
    decode_cobs,
    decode_packet,
    encode_cobs,
    encode_packet,
)

WIRES = [
    (Packet(PacketKind.HELLO, 1, b"\x01"), "06 01 01 01 27 43 00"),
    (Packet(PacketKind.PING, 0), "02 04 03 2e 34 00"),
    (Packet(PacketKind.FRAME, 1, bytes.fromhex("0000ff0000")), "03 02 01 01 02 ff 01 03 e4 11 00"),
    (Packet(PacketKind.EVACK, 0), "02 05 03 1d 05 00"),
    (Packet(PacketKind.ACK, 77, b"\x00"), "03 80 4d 03 73 a9 00"),
    (Packet(PacketKind.ACK, 77, b"\x04"), "06 80 4d 04 33 2d 00"),
    (Packet(PacketKind.BUTTON, 0, b"\x01\x01\x02"), "02 90 06 01 01 02 ec 3a 00"),
]


@pytest.mark.parametrize(("packet", "wire"), WIRES)
def test_the_bytes_of_a_packet(packet: Packet, wire: str) -> None:
    assert encode_packet(packet) == bytes.fromhex(wire)


@pytest.mark.parametrize(("packet", "wire"), [(packet, wire) for packet, wire in WIRES if packet.kind >= 0x80])
def test_the_packet_of_the_bytes(packet: Packet, wire: str) -> None:
    assert Decoder().decode_bytes(bytes.fromhex(wire)) == [packet]


def test_the_crc_is_genibus() -> None:
    assert compute_crc(b"123456789") == 0xD64E  # the check value of its catalogue entry


@pytest.mark.parametrize("length", [0, 1, 253, 254, 255, 508, 509, 1000])
@pytest.mark.parametrize("filler", [0, 1, 255, None])
def test_stuffing_comes_back_and_has_no_zero(length: int, filler: int | None) -> None:
    dice = random.Random(length)
    data = bytes(dice.choice((0, 7)) if filler is None else filler for _ in range(length))
    assert 0 not in encode_cobs(data)
    assert decode_cobs(encode_cobs(data)) == data
    assert len(encode_cobs(data)) <= length + 1 + length // 254


@pytest.mark.parametrize("wire", ["02", "05 01 02", "01 03 01", "ff 01"])
def test_what_stuffing_never_makes(wire: str) -> None:
    assert decode_cobs(bytes.fromhex(wire)) is None


@pytest.mark.parametrize(
    "packet",
    [
        Packet(PacketKind.HELLO, 1, b"\x01"),  # the board greets nobody
        Packet(PacketKind.ACK, 1),  # too short
        Packet(PacketKind.BUTTON, 1, bytes(4)),  # too long
        Packet(PacketKind.CAPS, 1, bytes(46)),
    ],
)
def test_what_a_board_never_sends_is_no_packet(packet: Packet) -> None:
    assert decode_packet(encode_packet(packet)[:-1]) is None


def test_bytes_may_be_cut_anywhere() -> None:
    packets = [packet for packet, _ in WIRES if packet.kind >= 0x80]
    wire, decoder = b"".join(map(encode_packet, packets)), Decoder()
    assert [packet for byte in wire for packet in decoder.decode_bytes(bytes((byte,)))] == packets
    assert decoder.broken == 0


def test_a_broken_packet_does_not_take_the_next_one_along() -> None:
    packet, decoder = Packet(PacketKind.ACK, 5, b"\x00"), Decoder()
    wire = bytearray(encode_packet(packet))
    wire[2] ^= 4
    assert decoder.decode_bytes(bytes(wire) + encode_packet(packet)) == [packet]
    assert decoder.broken == 1


def test_noise_without_an_end_is_not_kept() -> None:
    packet, decoder = Packet(PacketKind.ACK, 5, b"\x00"), Decoder()
    for _ in range(100):
        assert decoder.decode_bytes(b"\x55" * LONGEST_MESSAGE_BYTES) == []
    assert decoder.decode_bytes(b"\x00" + encode_packet(packet)) == [packet]
    assert decoder.broken == 1
