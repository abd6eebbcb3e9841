"""The referee display's protocol: which packets a frame becomes, and what a board that was away gets again."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from device.codec import MESSAGE_HEADER_BYTES, Packet, PacketKind, decode_cobs, encode_packet
from device.ledmap import build_plain_map
from device.lights import LedFrame
from device.link import Caps
from device.packets import smallest_packet
from device.protocol import LinkLost, Pressed
from device.protocols import load_protocol
from device.protocols.camref import CamrefProtocol
from engine.board import Board
from tests.device.test_link import ack, caps, event

CAPS = Caps(1, 160, 16, 2, 4, 486, 0x0F, 7, 2000, "board")
DARK, RED, GREEN = (0, 0, 0), (255, 0, 0), (0, 255, 0)
"""As a screen shows them and as an LED is sent them alike."""
LEDS = 160


def strip_board() -> Board:
    where = tuple((i % 12, i // 12, 0) for i in range(LEDS))
    names = tuple(f"{'ABCDEFGHIJKL'[x]}{y + 1}" for x, y, _ in where)
    return Board(names, where, tuple((x + 0.5, y + 0.5) for x, y, _ in where), ((1, 0, 0),))


def frame(lit: dict[int, tuple[int, int, int]], text: tuple[str, str] = ("", "")) -> LedFrame:
    return LedFrame(tuple(lit.get(i, DARK) for i in range(LEDS)), text=text)


def packet_of(wire: bytes) -> tuple[int, bytes]:
    """Kind and body of one packet on the wire."""
    data = decode_cobs(wire[:-1])
    assert data is not None and wire[-1] == 0
    return data[0], data[MESSAGE_HEADER_BYTES:-2]


class Session:
    """A board that acknowledges everything; keeps the packets that came."""

    def __init__(self, board: Board | None = None) -> None:
        self.protocol, self.t, self.seq = CamrefProtocol(build_plain_map(board or strip_board())), 0.0, 1
        self.protocol.take_due_bytes(0.0)
        assert self.protocol.receive_data(caps(), 0.0) == []

    def show(self, picture: LedFrame) -> list[tuple[int, bytes]]:
        """The packets until the frame is shown."""
        return self.answer(self.protocol.encode_frame(picture, self.t))

    def answer(self, wire: bytes) -> list[tuple[int, bytes]]:
        packets = []
        while wire:
            packets.append(packet_of(wire))
            self.seq, self.t = (self.seq + 1) % 256, self.t + 0.01
            self.protocol.receive_data(ack(self.seq), self.t)
            wire = self.protocol.take_due_bytes(self.t)
        return packets


def test_it_is_found_by_its_name() -> None:
    assert isinstance(load_protocol("camref", build_plain_map(strip_board())), CamrefProtocol)


def test_first_the_current_limit_then_light_then_text() -> None:
    session = Session()
    kinds = [kind for kind, _ in session.show(frame({5: RED}, ("White to move", "E6")))]
    assert kinds == [PacketKind.LIMIT, PacketKind.PALETTE, PacketKind.TEXT, PacketKind.TEXT]


def test_only_what_changed_is_sent() -> None:
    session = Session()
    session.show(frame({5: RED}, ("White", "")))
    assert session.show(frame({5: RED}, ("White", ""))) == []
    assert session.show(frame({5: RED}, ("Black", ""))) == [(PacketKind.TEXT, b"\x00\x00Black           ")]
    assert session.show(frame({5: GREEN}, ("Black", ""))) == [(PacketKind.FRAME, bytes((0, 5, *GREEN)))]
    hint = {5: GREEN, 9: GREEN, 70: RED}
    assert session.show(frame(hint, ("Black", ""))) == [(PacketKind.SPOTS, bytes((*GREEN, 1, 9, *RED, 1, 70)))]


def test_the_newest_frame_wins_while_the_link_is_busy() -> None:
    session = Session()
    session.show(frame({}))
    wire = session.protocol.encode_frame(frame({1: RED}), session.t)
    for led in range(2, 50):
        assert session.protocol.encode_frame(frame({led: RED}), session.t) == b""
    packets = session.answer(wire)
    assert packets == [(PacketKind.FRAME, bytes((0, 1, *RED))), (PacketKind.SPOTS, bytes((*DARK, 1, 1, *RED, 1, 49)))]


def test_a_board_that_was_reset_gets_everything_again() -> None:
    session = Session()
    picture = frame({5: RED}, ("White", ""))
    first = session.show(picture)
    session.protocol.receive_data(caps(seq=0, boot_id=8), session.t)
    assert packet_of(session.protocol.take_due_bytes(session.t))[0] == PacketKind.HELLO
    session.seq = (session.seq + 1) % 256
    session.protocol.receive_data(caps(seq=session.seq, boot_id=8), session.t)
    assert session.answer(session.protocol.take_due_bytes(session.t)) == first


def test_a_beep_comes_once_after_the_picture_and_not_with_a_connection() -> None:
    quiet, loud = frame({}), replace(frame({5: RED}), beep=True)
    session = Session()
    session.show(loud)
    assert session.show(loud) == []
    session.show(quiet)
    assert [kind for kind, _ in session.show(loud)] == [PacketKind.FRAME, PacketKind.BEEP]
    assert [kind for kind, _ in session.show(replace(frame({}), beep=True))] == [PacketKind.FRAME]


def test_a_beep_that_is_no_longer_meant_is_left_out() -> None:
    session = Session()
    session.show(frame({}))
    wire = session.protocol.encode_frame(replace(frame({5: RED}), beep=True), session.t)
    assert session.protocol.encode_frame(frame({}), session.t) == b""
    assert [kind for kind, _ in session.answer(wire)] == [PacketKind.FRAME, PacketKind.FRAME]


def row_of(leds: int) -> Board:
    places = range(leds)
    return Board(tuple(f"C{i}" for i in places), tuple((i, 0, 0) for i in places), tuple((i, 0.0) for i in places), ())


def test_a_strip_that_is_too_short_is_a_lost_link_that_says_what_to_do() -> None:
    protocol = CamrefProtocol(build_plain_map(row_of(161)))
    protocol.take_due_bytes(0.0)
    with pytest.raises(LinkLost, match="--leds 161"):
        protocol.receive_data(caps(), 0.0)


def test_what_is_left_of_a_longer_strip_stays_dark_and_it_is_said() -> None:
    """Maybe the map is another strip's: then the LEDs are other cells'."""
    assert "the LED map" not in Session().protocol.answer
    session = Session(row_of(3))
    assert session.protocol.answer.startswith("board, 160 LEDs, limit 2000 mA; the LED map has only 3 of them")
    (_, _), (kind, body), *_ = session.show(LedFrame((RED, RED, RED)))
    assert shown_by(bytes(480), PacketKind(kind), body) == bytes(RED) * 3 + bytes(3 * 157)


def test_presses_are_told_and_releases_are_not() -> None:
    session = Session()
    assert session.protocol.receive_data(event(3), 1.0) == [Pressed(1.0, "undo")]
    assert session.protocol.receive_data(event(3), 1.2) == []
    assert session.protocol.receive_data(event(4, pressed=False), 1.3) == []


def shown_by(old: bytes, kind: PacketKind, body: bytes) -> bytes:
    """What a strip shows after the packet, worked out in the plainest way."""
    strip = bytearray(old)
    match kind:
        case PacketKind.FRAME:
            first = 3 * int.from_bytes(body[:2], "big")
            strip[first : first + len(body) - 2] = body[2:]
        case PacketKind.PALETTE:
            colours, nibbles = body[1 : 1 + 3 * body[0]], body[1 + 3 * body[0] :].hex()
            strip = bytearray(b"".join(colours[3 * int(n, 16) : 3 * int(n, 16) + 3] for n in nibbles))[: len(old)]
        case PacketKind.SPOTS:
            while body:
                colour, n_leds = body[:3], body[3]
                for led in body[4 : 4 + n_leds]:
                    strip[3 * led : 3 * led + 3] = colour
                body = body[4 + n_leds :]
    return bytes(strip)


@pytest.mark.parametrize("seed", range(40))
def test_the_smallest_packet_shows_what_is_wanted(seed: int) -> None:
    dice = random.Random(seed)
    leds, n_colours = dice.choice((1, 2, 73, 160, 161, 221, 300)), dice.choice((2, 5, 16, 17, 200))
    palette = [dice.randbytes(3) for _ in range(n_colours)]
    shown = b"".join(dice.choice(palette) for _ in range(leds))
    wanted = bytearray(shown)
    for led in dice.sample(range(leds), dice.randrange(leds + 1)):
        wanted[3 * led : 3 * led + 3] = dice.choice(palette)
    for before in (shown, None):
        packet = smallest_packet(before, bytes(wanted), CAPS)
        if packet is None:
            assert before == wanted
        else:
            assert shown_by(before or bytes(3 * leds), *packet) == wanted
            assert len(packet[1]) <= 2 + 3 * leds


def test_sizes_that_the_wire_time_was_planned_with() -> None:
    colours = [bytes((n, 0, 0)) for n in range(16)]
    whole = smallest_packet(None, b"".join(colours[i % 16] for i in range(LEDS)), CAPS)
    assert whole and whole[0] == PacketKind.PALETTE
    assert len(whole[1]) == 1 + 48 + 80
    assert len(encode_packet(Packet(whole[0], 0, whole[1]))) < 140


def test_a_board_without_palette_and_spots_gets_frames() -> None:
    plain = Caps(1, 160, 16, 2, 4, 486, 0, 7, 2000, "board")
    assert smallest_packet(bytes(9), b"\0\0\0\1\2\3\0\0\0", plain) == (PacketKind.FRAME, b"\0\1\1\2\3")
