"""The host's end of camref/1 against a scripted board: what it writes at which time."""

from __future__ import annotations

import math

import pytest

from device.codec import Packet, PacketKind, decode_cobs, encode_packet
from device.link import (
    ANSWER_S,
    GREET_AGAIN_S,
    GREETING_S,
    HEARTBEAT_S,
    LINK_SILENCE_S,
    LONGEST_TURN_S,
    MOST_TRIES,
    Accepted,
    Button,
    DeviceLink,
    Greeted,
    Status,
)
from device.protocol import LinkLost

BAUD = 115_200
TURN_S = 0.005
HELLO = encode_packet(Packet(PacketKind.HELLO, 1, b"\x01"))


def caps(seq: int = 1, boot_id: int = 7, version: int = 1) -> bytes:
    sizes = bytes.fromhex("00a0 10 02 04 01e6 0f")
    return encode_packet(
        Packet(PacketKind.CAPS, seq, bytes((version,)) + sizes + boot_id.to_bytes(2, "big") + b"\x07\xd0board")
    )


def ack(seq: int, status: Status = Status.OK) -> bytes:
    return encode_packet(Packet(PacketKind.ACK, seq, bytes((status,))))


def pong(seq: int, boot_id: int = 7) -> bytes:
    return encode_packet(Packet(PacketKind.PONG, seq, boot_id.to_bytes(2, "big") + bytes(6)))


def greeted() -> DeviceLink:
    """A link that is idle at time 0; its next packet has seq 2."""
    link = DeviceLink(BAUD)
    assert link.take_due_bytes(0.0) == HELLO
    assert isinstance(link.receive_data(caps(), 0.0)[0], Greeted)
    return link


def test_greeting_tells_what_the_board_is() -> None:
    link = greeted()
    assert link.caps and (link.caps.leds, link.caps.max_packet, link.caps.boot_id) == (160, 486, 7)
    assert (link.caps.text_cols, link.caps.text_rows, link.caps.buttons) == (16, 2, 4)
    assert (link.caps.max_milliamps, link.caps.name) == (2000, "board")


def test_the_greeting_is_repeated_until_a_bootloader_is_done() -> None:
    link = DeviceLink(BAUD)
    assert link.take_due_bytes(0.0) == HELLO
    assert link.take_due_bytes(GREET_AGAIN_S / 2) == b""
    t = 0.0
    while t < GREETING_S - 2 * GREET_AGAIN_S:
        t += 1.01 * GREET_AGAIN_S
        assert link.take_due_bytes(t) == HELLO
    assert link.receive_data(caps(), t) != []
    assert link.is_idle


def test_nobody_there_is_a_lost_link() -> None:
    link = DeviceLink(BAUD)
    link.take_due_bytes(0.0)
    with pytest.raises(LinkLost, match="nothing answers"):
        look(link, 0.0, GREETING_S + GREET_AGAIN_S)


def look(link: DeviceLink, begin: float, end: float) -> None:
    """What the port's thread does meanwhile, while the board says nothing."""
    t = begin
    while t < end:
        t += TURN_S
        link.take_due_bytes(t)


def test_time_in_which_the_program_itself_stood_still_does_not_count_against_the_board() -> None:
    starting = DeviceLink(BAUD)
    starting.take_due_bytes(0.0)
    starting.take_due_bytes(60.0)
    assert starting.receive_data(caps(), 60.0) != []
    link, t = greeted(), 0.0
    wire = link.send_packet(PacketKind.BEEP, b"\x05", 0.0)
    for _ in range(2 * MOST_TRIES):  # as on a machine that leaves it a moment each three seconds
        t += 3.0
        if LONGEST_TURN_S * t / 3.0 < LINK_SILENCE_S:
            assert link.take_due_bytes(t) == wire
    link.receive_data(ack(2), t)
    assert link.is_idle


def test_the_boards_own_news_of_its_boot_is_no_answer() -> None:
    link = DeviceLink(BAUD)
    link.take_due_bytes(0.0)
    assert link.receive_data(caps(seq=0), 0.0) == []
    assert not link.is_idle


def test_another_version_is_refused_with_advice() -> None:
    link = DeviceLink(BAUD)
    link.take_due_bytes(0.0)
    with pytest.raises(LinkLost, match=r"camref/2.*flash"):
        link.receive_data(caps(version=2), 0.0)


@pytest.mark.parametrize("status", [Status.OK, Status.DUPLICATE])
def test_one_packet_at_a_time(status: Status) -> None:
    link = greeted()
    assert link.send_packet(PacketKind.BEEP, b"\x05", 0.0) == encode_packet(Packet(PacketKind.BEEP, 2, b"\x05"))
    with pytest.raises(ValueError, match="one packet"):
        link.send_packet(PacketKind.BEEP, b"\x05", 0.0)
    assert link.receive_data(ack(1, status), 0.001) == []  # of an older packet
    assert link.receive_data(ack(2, status), 0.002) == [Accepted()]
    assert link.is_idle


def test_no_answer_is_repeated_then_lost() -> None:
    link = greeted()
    wire = link.send_packet(PacketKind.BEEP, b"\x05", 0.0)
    t = 0.0
    for _ in range(MOST_TRIES):
        assert link.take_due_bytes(t + ANSWER_S) == b""  # the wire's time comes on top
        t += ANSWER_S + 1.3 * len(wire) * 10 / BAUD
        assert link.take_due_bytes(t) == wire
    look(link, t, LINK_SILENCE_S - TURN_S)
    with pytest.raises(LinkLost, match="stopped answering"):
        look(link, LINK_SILENCE_S - TURN_S, LINK_SILENCE_S + 2 * ANSWER_S)


def test_a_refused_crc_is_repeated_at_once_but_only_when_all_was_sent() -> None:
    link = greeted()
    wire = link.send_packet(PacketKind.FRAME, bytes(482), 0.0)
    link.receive_data(ack(0, Status.BAD_CRC), 0.010)
    assert link.take_due_bytes(0.010) == b""  # the piece before a false zero
    link.receive_data(ack(0, Status.BAD_CRC), 0.045)
    assert link.take_due_bytes(0.045) == wire
    assert link.take_due_bytes(0.046) == b""


def test_a_refused_body_is_a_lost_link() -> None:
    link = greeted()
    link.send_packet(PacketKind.FRAME, b"", 0.0)
    with pytest.raises(LinkLost, match="FRAME"):
        link.receive_data(ack(2, Status.BAD_LENGTH), 0.001)


def test_heartbeat_when_idle_only() -> None:
    link = greeted()
    assert link.take_due_bytes(HEARTBEAT_S - 0.01) == b""
    assert link.take_due_bytes(HEARTBEAT_S) == encode_packet(Packet(PacketKind.PING, 2))
    assert not link.is_idle
    assert link.receive_data(pong(2), HEARTBEAT_S) == []
    assert link.is_idle


@pytest.mark.parametrize(
    "news", [ack(2, Status.NO_SESSION), caps(seq=0, boot_id=8), pong(2, boot_id=8)], ids=["refused", "boot", "pong"]
)
def test_a_board_that_was_reset_is_greeted_again(news: bytes) -> None:
    link = greeted()
    link.send_packet(PacketKind.BEEP, b"\x05", 0.0)
    assert link.receive_data(news, 0.01) == []
    assert not link.is_idle
    assert link.take_due_bytes(0.01) == encode_packet(Packet(PacketKind.HELLO, 3, b"\x01"))
    assert isinstance(link.receive_data(caps(seq=3, boot_id=8), 0.02)[0], Greeted)


def event(seq: int, pressed: bool = True) -> bytes:
    return encode_packet(Packet(PacketKind.BUTTON, seq, bytes((1, pressed, 2 * pressed))))


def test_a_button_event_is_acknowledged_each_time_and_told_once() -> None:
    link = greeted()
    assert link.receive_data(event(9), 0.1) == [Button(1, True)]
    whether_more = encode_packet(Packet(PacketKind.PING, 2))
    assert link.take_due_bytes(0.1) == encode_packet(Packet(PacketKind.EVACK, 9)) + whether_more
    assert link.receive_data(event(9), 0.11) == []
    assert link.take_due_bytes(0.11) == encode_packet(Packet(PacketKind.EVACK, 9))
    assert link.receive_data(event(10, False), 0.12) == [Button(1, False)]


def test_a_display_that_repeats_others_than_its_oldest_event_is_not_counted_twice() -> None:
    link = greeted()
    told = [link.receive_data(event(seq), 0.1) for seq in (254, 255, 254, 0, 255, 254, 0)]
    assert [len(heard) for heard in told] == [1, 1, 0, 1, 0, 0, 0]
    for seq in range(1, 600):
        assert link.receive_data(event(seq % 256), 0.2) == [Button(1, True)]


class Wire:
    """A link, and a board that answers within a turn; times are those of the port's thread."""

    def __init__(self) -> None:
        self.link, self.t, self.seq = greeted(), 0.0, 1

    def turn(self, *events: bytes, stood_s: float = 0.0, answers: bool = True) -> list[Button]:
        """One turn, after which the board has sent these events and what answers the host's packets."""
        self.t += TURN_S
        sent = self.link.take_due_bytes(self.t)
        asked = [decode_cobs(packet) for packet in sent.split(b"\0") if packet]
        seqs = [data[1] for data in asked if data is not None and data[0] == PacketKind.PING] if answers else []
        self.t += stood_s
        heard = self.link.receive_data(b"".join(events) + b"".join(map(pong, seqs)), self.t)
        return [one for one in heard if isinstance(one, Button)]


def test_a_press_is_told_with_the_time_after_which_it_was_pressed() -> None:
    wire = Wire()
    for _ in range(150):  # a heartbeat tells that nothing waits on the board
        wire.turn()
    (alone,) = wire.turn(event(1))
    assert wire.t - 3 * TURN_S <= alone.since <= wire.t - TURN_S
    wire.turn(), wire.turn()
    (stopped,) = wire.turn(event(2), stood_s=3.0)
    assert stopped.since <= wire.t - 3.0
    (behind,) = wire.turn(event(3), answers=False)
    assert behind.since == stopped.since, "it may have waited while the program stood still"
    wire.turn(event(3))  # it was not heard that it is acknowledged
    (later,) = wire.turn(event(4))
    assert later.since == stopped.since
    for _ in range(20):  # the packet that asks whether more waits is repeated, and answered
        wire.turn()
    (alone,) = wire.turn(event(5))
    assert alone.since >= wire.t - 4 * TURN_S


def test_of_a_press_that_waited_for_a_greeting_nothing_is_known() -> None:
    link = greeted()
    (pressed,) = link.receive_data(event(0), 5.0)
    assert isinstance(pressed, Button) and pressed.since == -math.inf


def test_after_a_reset_the_boards_event_numbers_start_anew() -> None:
    link = greeted()
    assert link.receive_data(event(0), 0.1) == [Button(1, True)]
    link.receive_data(caps(seq=0, boot_id=8), 0.2)
    link.take_due_bytes(0.2)
    link.receive_data(caps(seq=2, boot_id=8), 0.3)
    assert link.receive_data(event(0), 0.4) == [Button(1, True)]


def test_sequence_numbers_come_round() -> None:
    link = greeted()
    for turn in range(600):
        wire = link.send_packet(PacketKind.BEEP, b"\x00", turn * 0.1)
        seq = (turn + 2) % 256
        assert wire == encode_packet(Packet(PacketKind.BEEP, seq, b"\x00"))
        assert link.receive_data(ack(seq), turn * 0.1) == [Accepted()]
