"""Firmwares broken on purpose: the checks notice each of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from device.protocol import LinkLost
from tests.firmware.board import BUILD, FIRMWARE, Build
from tests.firmware.checks import CHECKS

BREAKAGES = {
    "no-crc-check": ("codec.c", "whole && decoder->crc == CRC_RESIDUE ?", "whole ?"),
    "no-duplicate-check": ("session.c", "} else if (seq == last_seq) {", "} else if (0) {"),
    "no-watchdog": ("session.c", "if (clock_since(heard_at) >= TICKS_MS(SILENCE_MS))", "if (0)"),
    "no-event-resend": (
        "session.c",
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
