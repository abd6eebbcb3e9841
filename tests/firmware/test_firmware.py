"""The firmware as it is shipped, in simulated time."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.codec import Packet, PacketKind, encode_packet
from device.link import Status
from tests.firmware import checks
from tests.firmware.board import FIRMWARE, Build, make, stepped
from tests.firmware.host import Host

NORMAL = Build()


@pytest.mark.parametrize("mcu", ["atmega328p", "atmega2560"])
def test_every_kind_of_picture_is_shown_with_clean_pulses(mcu: str) -> None:
    checks.pictures_arrive(Build(mcu=mcu))


def test_the_longest_strip_of_the_small_chip_fits() -> None:
    checks.pictures_arrive(Build(leds=176))


def test_a_damaged_packet_is_refused() -> None:
    checks.damaged_packets_are_refused(NORMAL)


def test_a_packet_that_comes_twice_is_applied_once() -> None:
    checks.lost_answers_change_nothing(NORMAL)


def test_a_button_event_is_repeated_until_acknowledged() -> None:
    checks.events_are_repeated(NORMAL)


def test_three_silent_seconds_say_host_lost() -> None:
    checks.silence_is_shown(NORMAL)


def test_a_bouncing_button_is_one_press() -> None:
    checks.bounce_is_one_press(NORMAL)


def test_the_current_is_limited_in_the_firmware() -> None:
    checks.current_is_limited(Build(max_milliamps=2000))


@pytest.mark.parametrize("seed", range(6))
def test_a_bad_line_loses_and_doubles_nothing(seed: int) -> None:
    checks.noise_is_survived(NORMAL, seed)


@pytest.mark.parametrize(("baud", "wanted"), [(500_000, 75), (115_200, 20)])
def test_full_frames_per_second(baud: int, wanted: int) -> None:
    assert checks.frames_per_second(Build(baud=baud), 20) >= wanted


def test_a_hint_is_latched_within_12_ms_on_the_slow_line() -> None:
    assert checks.hint_latency(Build(baud=115_200)) <= 0.012


def test_a_press_is_known_within_50_ms_on_a_busy_line() -> None:
    assert max(checks.press_latency(NORMAL, 8)) <= 0.050


def test_the_board_shows_text_and_sounds_its_buzzer() -> None:
    with stepped(NORMAL) as board:
        host = Host(board)
        host.greet()
        assert host.link.caps and host.link.caps.name == "camelot-referee"
        host.post(PacketKind.TEXT, b"\x00\x00" + b"White to move   ")
        host.post(PacketKind.TEXT, b"\x01\x04" + b"E6-C8")
        host.post(PacketKind.BEEP, bytes((10,)))
        assert board.read_signals().buzzer
        host.wait(0.12)
        seen = board.read_signals()
        assert not seen.buzzer
        assert seen.text[0] == "White to move   "
        assert seen.text[1][4:9] == "E6-C8"
        checks.no_faults(board)


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        (PacketKind.FRAME, b"", Status.BAD_LENGTH),
        (PacketKind.FRAME, b"\x00\x00\x01\x02", Status.BAD_LENGTH),
        (PacketKind.FRAME, b"\x00\xa0\x01\x02\x03", Status.BAD_LENGTH),
        (PacketKind.FRAME, b"\xff\xff\x01\x02\x03", Status.BAD_LENGTH),
        (PacketKind.PALETTE, b"\x00" + bytes(80), Status.BAD_LENGTH),
        (PacketKind.PALETTE, b"\x11" + bytes(131), Status.BAD_LENGTH),
        (PacketKind.PALETTE, b"\x01" + bytes(82), Status.BAD_LENGTH),
        (PacketKind.SPOTS, b"\x01\x02\x03\x02\x00", Status.BAD_LENGTH),
        (PacketKind.SPOTS, b"\x01\x02\x03\x01\xa0", Status.BAD_LENGTH),
        (PacketKind.TEXT, b"\x02\x00A", Status.BAD_LENGTH),
        (PacketKind.TEXT, b"\x00\x0fAB", Status.BAD_LENGTH),
        (PacketKind.TEXT, b"\x00\xffA", Status.BAD_LENGTH),
        (PacketKind.LIMIT, b"\x00", Status.BAD_LENGTH),
        (PacketKind.BEEP, b"", Status.BAD_LENGTH),
        (PacketKind.PONG, b"", Status.BAD_TYPE),
    ],
)
def test_a_wrong_body_is_refused_and_changes_nothing(kind: PacketKind, body: bytes, status: Status) -> None:
    with stepped(NORMAL) as board:
        Host(board).greet()
        board.send_bytes(encode_packet(Packet(kind, 9, body)))
        assert board.advance_time(0.1)[1] == encode_packet(Packet(PacketKind.ACK, 9, bytes((status,))))
        board.advance_time(0.02)
        assert not any(any(led) for led in board.read_signals().rgb)


def test_a_reset_is_noticed_and_needs_a_new_greeting() -> None:
    with stepped(NORMAL) as board:
        host = Host(board)
        host.greet()
        first = host.link.caps
        host.post(PacketKind.FRAME, b"\0\0" + bytes(480))
        board.reset_firmware()
        host.until(lambda: host.greetings == 2)
        assert first and host.link.caps and first.boot_id != host.link.caps.boot_id
        board.press_button("hint")
        host.wait(0.5)
        assert [(button.index, button.pressed) for button in host.buttons] == [(2, True)], "no button is held down"


def test_many_presses_wait_for_a_host_that_is_slow_to_answer() -> None:
    with stepped(NORMAL) as board:
        host = Host(board)
        host.greet()
        for _ in range(4):
            board.press_button("hint")
            checks.silence(board, 0.05)
            board.release_button("hint")
            checks.silence(board, 0.05)
        host.wait(0.5)
        assert [(button.index, button.pressed) for button in host.buttons] == [(2, True), (2, False)] * 4


def test_another_baud_rate_is_garbage_and_not_a_crash() -> None:
    with stepped(NORMAL) as board:
        board.send_bytes(bytes(range(256)) * 8)
        for _ in range(50):
            board.advance_time(0.01)
        host = Host(board)
        host.greet()
        assert host.greetings == 1


def test_the_build_is_small_and_says_so() -> None:
    printed = make(FIRMWARE, "LEDS=176", "MAX_MILLIAMPS=2000")
    assert "flash" in printed
    words = printed.split()
    assert int(words[words.index("flash") + 1]) < 8192
    assert int(words[words.index("RAM") + 1]) <= 2048 - 256


def test_the_simulator_is_kept_out_of_the_package() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    include = text.split("[tool.setuptools.packages.find]")[1].split("\n")[1]
    assert "tests" not in include
