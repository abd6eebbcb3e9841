"""Firmwares broken on purpose: the checks notice each of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from device.codec import PacketKind
from device.protocol import LinkLost
from tests.firmware.board import BUILD, FIRMWARE, Build, stepped
from tests.firmware.checks import CHECKS
from tests.firmware.host import Host

BREAKAGES = {
    "no-crc-check": ("codec.c", "whole && decoder->crc == CRC_RESIDUE ?", "whole ?"),
    "no-duplicate-check": ("host_session.c", "} else if (seq == last_seq) {", "} else if (0) {"),
    "no-watchdog": ("host_session.c", "if (clock_since(heard_at) >= TICKS_MS(SILENCE_MS))", "if (0)"),
    "no-event-resend": (
        "host_session.c",
        "event_is_sent && clock_since(event_sent_at) < TICKS_MS(",
        "event_is_sent && 0 < (",
    ),
    "pulse-too-long": ("strip.c", "    sbrs %[byte], 7     \\n", "rjmp .+0\\n rjmp .+0\\n sbrs %[byte], 7\\n"),
    "deaf-while-writing": ("strip.c", "        uart_poll();\n", ""),
    "no-current-limit": ("strip.c", "return channel_limit * 256 / channels;", "return brightness;"),
}


@pytest.fixture(params=BREAKAGES)
def broken(request: pytest.FixtureRequest) -> Iterator[Build]:
    """The firmware with one line changed."""
    file, right, wrong = BREAKAGES[request.param]
    source = BUILD / "broken" / request.param
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(FIRMWARE, source)
    text = (source / file).read_text(encoding="utf-8")
    assert right in text
    (source / file).write_text(text.replace(right, wrong), encoding="utf-8")
    yield Build(source=source, max_milliamps=2000 if request.param == "no-current-limit" else 60_000)
    shutil.rmtree(source)


def test_a_broken_firmware_is_noticed(broken: Build) -> None:
    assert any(complains(check, broken) for check in CHECKS)


def complains(check: object, build: Build) -> bool:
    assert callable(check)
    try:
        check(build)
    except (AssertionError, LinkLost):
        return True
    return False


def test_the_same_checks_pass_on_the_firmware_as_it_is() -> None:
    for check in CHECKS:
        check(Build())


def test_a_firmware_that_hangs_starts_anew_by_itself() -> None:
    """The watchdog is on: a loop that does not come round any more is left, and the host finds a board that booted."""
    source = BUILD / "broken" / "hangs"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(FIRMWARE, source)
    path = source / "apply.c"
    text = path.read_text(encoding="utf-8")
    hang = "if (body[0] == 0xEE)\n        for (;;)\n            ;\n    buzzer_sound(body[0]);"
    path.write_text(text.replace("    buzzer_sound(body[0]);", f"    {hang}"), encoding="utf-8")
    with stepped(Build(source=source)) as board:
        host = Host(board)
        host.greet()
        assert host.link.caps is not None
        before = host.link.caps.boot_id
        host.write(host.link.send_packet(PacketKind.BEEP, b"\xee", host.t))
        host.wait(2.0)
        assert host.link.caps is not None and host.link.caps.boot_id == before + 1, "it goes on with what has booted"
    shutil.rmtree(source)
