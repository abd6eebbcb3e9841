"""What the firmware promises, each promise one function that raises AssertionError when it is broken.

The tests run them on the firmware as it is, and on firmwares broken on purpose to see that they notice.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from statistics import median

from device.codec import Packet, PacketKind, encode_packet
from device.link import Caps, Status
from device.packets import smallest_packet
from tests.firmware.board import Build, SimulatedBoard, stepped
from tests.firmware.host import Host, Noise

NOISE_RATE = 0.0002
"""Of the bytes, for each kind of damage: one of four full frames arrives broken."""
FRAMES_PER_SEED = 6
BUTTON_NAMES = ("confirm", "undo", "hint", "pause")
SHOWN_S = 0.012
"""An acknowledged picture is latched: 6.2 ms for 160 LEDs, 0.3 before and after, and 1 until the loop wakes."""


def random_picture(dice: random.Random, leds: int) -> bytes:
    """Colours of the whole strip; all zeros and all ones come up more often than by chance."""
    return bytes(dice.choice((0, 255, dice.randrange(256))) for _ in range(3 * leds))


def no_faults(board: SimulatedBoard) -> None:
    """Pulses, display timing and the receiver were right all the time, and the stack kept clear of the variables."""
    seen = board.read_signals()
    assert seen.pulse_faults == 0, seen.pulse_fault
    assert seen.display_faults == 0, seen.display_fault
    assert seen.overruns == 0
    assert seen.ram_never_used >= 64


def pictures_arrive(build: Build) -> None:
    """Every kind of picture packet shows what it says, and every pulse is within the data sheet's limits."""
    dice = random.Random(1)
    with stepped(build) as board:
        host = Host(board)
        host.greet()
        assert host.link.caps
        shown: bytes | None = None
        for turn in range(12):
            wanted = bytearray(shown or bytes(3 * build.leds))
            for led in dice.sample(range(build.leds), (build.leds, 5, build.leds // 2)[turn % 3]):
                colour = dice.choice((b"\xff\0\0", b"\0\xc8\x28", b"\x3c\x3c\x3c", b"\0\0\0"))
                wanted[3 * led : 3 * led + 3] = random_picture(dice, 1) if turn > 8 else colour
            packet = smallest_packet(shown, bytes(wanted), host.link.caps)
            if packet:
                host.post(*packet)
            host.wait(SHOWN_S)
            assert board.latched_pictures()[-1][1] == bytes(wanted)
            shown = bytes(wanted)
        no_faults(board)


def noise_is_survived(build: Build, seed: int) -> None:
    """Over a bad line every picture is shown once, whole and in order, and every button event arrives once."""
    with stepped(build) as board:
        noisy_session(board, seed)


def noisy_session(board: SimulatedBoard, seed: int) -> None:
    """One session of pictures and buttons over a line with that seed's damage."""
    dice = random.Random(seed)
    host = Host(board, Noise(seed, NOISE_RATE))
    host.greet()
    host.wait(0.05)
    board.latched_pictures()
    sent, fingers = [], []
    for _ in range(FRAMES_PER_SEED):
        picture = random_picture(dice, board.build.leds)
        name = dice.choice(BUTTON_NAMES)
        board.press_button(name)
        host.post(PacketKind.FRAME, b"\0\0" + picture)
        host.wait(0.04)
        board.release_button(name)
        host.wait(0.04)
        sent.append(picture)
        fingers += [(BUTTON_NAMES.index(name), True), (BUTTON_NAMES.index(name), False)]
    host.until(lambda: len(host.buttons) >= len(fingers))
    host.wait(0.3)  # a repetition would be here by now
    assert [rgb for _, rgb in board.latched_pictures()] == sent
    assert [(button.index, button.pressed) for button in host.buttons] == fingers


def damaged_packets_are_refused(build: Build) -> None:
    """A packet with one bit flipped, one byte lost or one byte doubled is answered with BAD_CRC and not shown."""
    dice = random.Random(4)
    with stepped(build) as board:
        Host(board).greet()
        board.latched_pictures()
        for turn in range(30):
            wire = bytearray(encode_packet(Packet(PacketKind.FRAME, turn, b"\0\0" + random_picture(dice, 20))))
            at = dice.randrange(len(wire) - 1)
            if turn % 3 == 0:
                wire[at] ^= 1 << dice.choice([bit for bit in range(8) if wire[at] != 1 << bit])
            else:
                wire[at : at + 1] = bytes((wire[at], wire[at])) if turn % 3 == 1 else b""
            board.send_bytes(bytes(wire))
            refused = encode_packet(Packet(PacketKind.ACK, 0, bytes((Status.BAD_CRC,))))
            assert board.advance_time(0.1)[1] == refused, wire.hex()
        board.advance_time(0.1)
        assert board.latched_pictures() == []


def lost_answers_change_nothing(build: Build) -> None:
    """A packet that comes again because its acknowledgement was lost is answered and not applied."""
    with stepped(build) as board:
        Host(board).greet()
        board.latched_pictures()
        frame = encode_packet(Packet(PacketKind.FRAME, 77, bytes(2) + bytes(range(3)) * build.leds))
        answers = []
        for _ in range(2):
            board.send_bytes(frame)
            answers.append(board.advance_time(0.1)[1])
            board.advance_time(SHOWN_S)
        assert answers == [
            encode_packet(Packet(PacketKind.ACK, 77, bytes((status,)))) for status in (Status.OK, Status.DUPLICATE)
        ]
        assert len(board.latched_pictures()) == 1


def current_is_limited(build: Build) -> None:
    """The strip never draws more than the build or the host allows, whatever the picture; the host cannot raise it."""
    with stepped(build) as board:
        host = Host(board)
        host.greet()
        for brightness, milliamps in ((255, 65535), (255, 500), (127, 65535), (255, 1000)):
            host.post(PacketKind.LIMIT, bytes((brightness, *milliamps.to_bytes(2, "big"))))
            host.post(PacketKind.FRAME, b"\0\0" + b"\xff\xff\xff" * build.leds)
            host.wait(2 * SHOWN_S)
            drawn = milliamps_of(board)
            allowed = min(milliamps, build.max_milliamps, 60 * build.leds * (brightness + 1) / 256)
            assert 0.9 * allowed - 60 <= drawn <= allowed, (drawn, allowed)


def milliamps_of(board: SimulatedBoard) -> float:
    """What the LEDs draw now, 20 mA for a channel at full."""
    return sum(map(sum, board.read_signals().rgb)) * 20 / 255


def events_are_repeated(build: Build) -> None:
    """A button event is sent again until the host acknowledges it, and no further."""
    with stepped(build) as board:
        host = Host(board)
        host.greet()
        board.press_button("undo")
        heard = [data for _, data in (board.advance_time(0.3) for _ in range(4)) if data]
        event = encode_packet(Packet(PacketKind.BUTTON, 0, bytes((1, 1, 0b0010))))
        assert heard[:3] == [event] * 3
        board.send_bytes(encode_packet(Packet(PacketKind.EVACK, 0)))
        board.advance_time(0.01)
        _, data = board.advance_time(0.5)
        assert data == b""


def silence_is_shown(build: Build) -> None:
    """Three seconds without the host: a dark strip and HOST LOST; a greeting brings everything back."""
    with stepped(build) as board:
        host = Host(board)
        host.greet()
        host.post(PacketKind.FRAME, b"\0\0" + b"\x40\x20\x10" * build.leds)
        host.wait(2.5)
        assert any(any(led) for led in board.read_signals().rgb), "blank although the host pings"
        silence(board, 1.9)  # the last ping was up to one second ago
        assert "HOST LOST" not in board.read_signals().text[0]
        silence(board, 1.3)
        seen = board.read_signals()
        assert not any(any(led) for led in seen.rgb)
        assert seen.text[0].strip() == "HOST LOST"
        host.t = seen.t
        host.until(lambda: host.greetings == 2)
        host.post(PacketKind.FRAME, b"\0\0" + b"\1\2\3" * build.leds)
        host.wait(SHOWN_S)
        assert board.read_signals().rgb == ((1, 2, 3),) * build.leds


def silence(board: SimulatedBoard, seconds: float) -> None:
    """Time without a byte from the host."""
    end = board.read_signals().t + seconds
    while (now := board.read_signals().t) < end:
        board.advance_time(end - now)


def bounce_is_one_press(build: Build) -> None:
    """A button that chatters for 20 ms is one press and one release, told within 50 ms."""
    dice = random.Random(5)
    with stepped(build) as board:
        host = Host(board)
        host.greet()
        delays = []
        for turn in range(8):
            name = BUTTON_NAMES[turn % 4]
            for act in (board.press_button, board.release_button):
                other = board.release_button if act == board.press_button else board.press_button
                began, before = host.t, len(host.buttons)
                for _ in range(5):
                    act(name)
                    host.wait(dice.uniform(0.0002, 0.002))
                    other(name)
                    host.wait(dice.uniform(0.0002, 0.002))
                act(name)
                settled = host.t
                host.until(lambda before=before: len(host.buttons) > before)
                delays.append(host.t - settled)
                assert host.t - began < 0.05
                host.wait(0.1)
                assert len(host.buttons) == before + 1
        assert median(delays) < 0.02


def frames_per_second(build: Build, frames: int) -> float:
    """Full pictures a second of simulated time, one after the other, each latched."""
    dice = random.Random(2)
    with stepped(build) as board:
        host = Host(board)
        host.greet()
        host.wait(0.05)
        board.latched_pictures()
        began, sent = host.t, []
        for _ in range(frames):
            sent.append(random_picture(dice, build.leds))
            host.post(PacketKind.FRAME, b"\0\0" + sent[-1])
        took = host.t - began
        host.wait(0.05)
        assert [rgb for _, rgb in board.latched_pictures()] == sent
        no_faults(board)
        return frames / took


def hint_latency(build: Build) -> float:
    """Seconds from the first byte of twelve scattered LEDs in three colours until the strip has latched them."""
    with stepped(build) as board:
        host = Host(board)
        host.greet()
        host.post(PacketKind.FRAME, b"\0\0" + bytes(3 * build.leds))
        host.wait(0.05)
        board.latched_pictures()
        wanted = bytearray(3 * build.leds)
        for n in range(12):
            led = (n * 37 + 5) % build.leds
            wanted[3 * led : 3 * led + 3] = (b"\xff\xc8\0", b"\0\xdc\x28", b"\0\xc8\xdc")[n % 3]
        assert isinstance(host.link.caps, Caps)
        packet = smallest_packet(bytes(3 * build.leds), bytes(wanted), host.link.caps)
        assert packet
        began = host.t
        host.post(*packet)
        host.wait(0.05)
        ((latched, rgb),) = board.latched_pictures()
        assert rgb == bytes(wanted)
        return latched - began


def press_latency(build: Build, presses: int) -> list[float]:
    """Seconds from a finger on a button until the host knows it, while full pictures keep the line busy."""
    dice = random.Random(3)
    delays = []
    with stepped(build) as board:
        host = Host(board)
        host.greet()
        for turn in range(presses):
            name = BUTTON_NAMES[turn % 4]
            host.until(lambda: host.link.is_idle)
            host.write(host.link.send_packet(PacketKind.FRAME, b"\0\0" + random_picture(dice, build.leds), host.t))
            host.wait(dice.uniform(0, host.busy_s))
            began, before = host.t, len(host.buttons)
            board.press_button(name)
            while len(host.buttons) == before:
                host.post(PacketKind.FRAME, b"\0\0" + random_picture(dice, build.leds))
            delays.append(host.heard_t - began)
            board.release_button(name)
            host.until(lambda before=before: len(host.buttons) == before + 2)
            host.wait(0.04)
    return delays


def frames_follow_closely(build: Build) -> None:
    """Nothing is lost of a picture that arrives while the one before is written to the strip."""
    assert frames_per_second(build, 5) > 20


CHECKS: tuple[Callable[[Build], None], ...] = (
    pictures_arrive,
    frames_follow_closely,
    damaged_packets_are_refused,
    lost_answers_change_nothing,
    current_is_limited,
    events_are_repeated,
    silence_is_shown,
)
"""Those that together notice each of the firmwares that are broken on purpose."""
