"""Opened is not answered: who is at the other end of a port, on real ports, sockets and the JSON of a real WLED."""

from __future__ import annotations

import json
import logging
import os
import pty
import signal
import socket
import struct
import sys
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from device.ledmap import LedMap, build_plain_map
from device.lights import DARK, LedFrame
from device.network import mdns, wled
from device.network.wled import ASK_WLED_S, SENT_IN_VAIN, SHOWS_NOTHING, WledInfo, WledPoller
from device.port import HALTED_S, LedPort
from device.protocols import guess_protocol, load_protocol
from tests.device.test_port import BOARD, GREEN, RED
from tests.patience import PATIENCE_S
from tests.programs import started

INFO = {
    "ver": "0.14.4",
    "vid": 2405180,
    "leds": {"count": 160, "pwr": 412, "fps": 42, "maxpwr": 2000, "maxseg": 32, "rgbw": False},
    "name": "Board lights",
    "udpport": 21324,
    "live": True,
    "brand": "WLED",
    "product": "FOSS",
    "arch": "esp32",
}
"""What WLED 0.14.4 on an ESP32 answers at /json/info while it shows what is sent, shortened."""


@contextmanager
def answering(body: bytes, status: int = 200, number: int = 0) -> Iterator[int]:
    """A web server on that port, 0 for a free one, that answers everything so."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/json/info" else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", number), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def lit(url: str, name: str, leds: LedMap | None = None, wled_port: int = 1) -> Iterator[LedPort]:
    port = LedPort(url, lambda: load_protocol(name, leds or build_plain_map(BOARD)), print, wled_port)
    port.start_connecting()
    try:
        yield port
    finally:
        port.close_port()


@contextmanager
def strip() -> Iterator[str]:
    """A socket that takes datagrams and never answers: its address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.bind(("127.0.0.1", 0))
        yield f"udp://127.0.0.1:{there.getsockname()[1]}"


@contextmanager
def device() -> Iterator[tuple[str, int]]:
    """A serial port and its far end."""
    far, near = pty.openpty()
    tty.setraw(near)
    try:
        yield os.ttyname(near), far
    finally:
        os.close(far)
        os.close(near)


def until(port: LedPort, word: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while word not in (port.known_problem or ""):
        assert time.monotonic() < end, f"{word!r} never came, only {port.known_problem!r}"
        time.sleep(0.01)


def test_wled_in_the_network_is_asked_who_it_is() -> None:
    with strip() as url, answering(json.dumps(INFO).encode()) as http, lit(url, "ddp", wled_port=http) as port:
        assert port.wait_for_answer().startswith("WLED 0.14.4 'Board lights', 160 LEDs, limit 2000 mA")
        assert port.answered_by.endswith("has only 2 of them: where wrong places light up, name the map of this strip")


def test_a_receiver_that_never_answers_is_no_fault_but_not_greeted_either() -> None:
    with strip() as url, lit(url, "ddp") as port:
        assert (port.wait_for_answer(), port.known_problem, port.answered_by) == ("", None, "")


def test_a_strip_that_is_shorter_than_the_map_is_said() -> None:
    short = INFO | {"leds": {"count": 1}}
    with strip() as url, answering(json.dumps(short).encode()) as http, lit(url, "drgb", wled_port=http) as port:
        assert port.wait_for_answer() == ""
        assert "1 LEDs, no current limit: the LED map has 2" in (port.known_problem or "")


@pytest.mark.parametrize(("live", "is_said"), [({"live": False}, True), ({"live": True}, False), ({}, False)])
def test_a_strip_that_shows_nothing_of_what_is_sent_is_said_within_seconds(
    live: dict[str, bool], is_said: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """It answers, as its web server does, and stays dark: datagrams that it does not take are refused by nobody."""
    body = json.dumps({key: value for key, value in INFO.items() if key != "live"} | live).encode()
    with caplog.at_level(logging.WARNING), strip() as url, answering(body) as http, lit(url, "ddp", None, http) as port:
        port.show_frame(LedFrame((RED, GREEN)))
        assert port.wait_for_answer().startswith("WLED 0.14.4")
        if is_said:
            until(port, "shows nothing of what is sent")
        else:
            time.sleep((SENT_IN_VAIN + 2) * ASK_WLED_S)
    said = [record.getMessage() for record in caplog.records]
    assert said == ([f"LED port: {url}: {SHOWS_NOTHING}"] if is_said else [])


def test_a_strip_is_not_blamed_for_what_was_never_sent() -> None:
    """Nor for a picture or two that a radio lost; and when it shows them again nothing is wrong any more."""
    dark, shown = (WledInfo("Board lights", "0.14.4", 160, 0, is_live) for is_live in (False, True))
    poller = WledPoller("127.0.0.1", 2, 1)
    poller.stop_asking()
    found = [poller.find_sent_in_vain(dark, 0) for _ in range(2 * SENT_IN_VAIN)]
    found += [poller.find_sent_in_vain(info, n) for n, info in enumerate((dark, dark, shown, dark, dark), 1)]
    assert found == [None] * len(found)
    assert poller.find_sent_in_vain(shown, 9) is None
    assert [poller.find_sent_in_vain(dark, n) for n in (10, 10, 11, 12)] == [None, None, None, SHOWS_NOTHING]
    assert [poller.find_sent_in_vain(info, 12) for info in (dark, shown)] == [SHOWS_NOTHING, None]


def info_with(leds: str) -> bytes:
    return f'{{"ver": "0.14.4", "leds": {leds}}}'.encode()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"<html>", 200),
        (b"[]", 200),
        (b"{}", 404),
        (b'{"leds": {}}', 200),
        (b"[" * 60000, 200),
        (info_with('{"count": 1e999}'), 200),
        (info_with('{"count": NaN}'), 200),
        (info_with('{"count": -5}'), 200),
        (info_with('{"count": %s}' % ("9" * 6000)), 200),
        (info_with('{"count": 160, "maxpwr": null}'), 200),
        (b"\xff\xfe{}", 200),
    ],
)
def test_another_web_server_is_no_wled(body: bytes, status: int) -> None:
    with answering(body, status) as http, pytest.raises(ValueError, match="WLED"):
        wled.ask_strip("127.0.0.1", http)


def test_wled_on_usb_tells_of_itself() -> None:
    with device() as (path, far), lit(path, "adalight", LedMap(BOARD, ((0,), (1,)))) as port:
        while b'{"v":true}\n' not in os.read(far, 100):
            pass
        os.write(far, json.dumps({"state": {"on": True}, "info": INFO}).encode() + b"\r\n")
        assert port.wait_for_answer().startswith("WLED 0.14.4 'Board lights', 160 LEDs, limit 2000 mA")
        assert port.answered_by.endswith("has only 2 of them: where wrong places light up, name the map of this strip")


def test_a_silent_port_is_no_display_and_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    with device() as (path, _), lit(path, "camref") as port, caplog.at_level(logging.WARNING):
        assert port.wait_for_answer() == ""
        assert "nothing answers at that port" in (port.known_problem or "")
        time.sleep(4.0)  # it is greeted again and again
        assert "nothing answers at that port" in (port.known_problem or "")
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("auto", "camref"),
        ("udp://192.168.1.20:21324", "drgb"),
        ("udp://[fe80::1]:4048", "ddp"),
        ("/dev/ttyUSB0", "adalight"),
        ("screen:", "screen"),
    ],
)
def test_what_is_usual_at_a_port(url: str, name: str) -> None:
    assert guess_protocol(url) == name


def test_ipv6_is_spoken() -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as there:
        try:
            there.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
        there.settimeout(PATIENCE_S)
        with lit(f"udp://[::1]:{there.getsockname()[1]}", "ddp") as port:
            port.show_frame(LedFrame((RED, GREEN)))
            assert there.recv(100)[-6:] == bytes((*RED, *GREEN))


def test_strips_are_found_by_multicast_dns() -> None:
    name = b"\x0cBoard lights"
    reply = b"\0\0\x84\0\0\1\0\1\0\0\0\0" + mdns.SERVICE + b"\0\x0c\0\1"
    reply += b"\xc0\x0c\0\x0c\0\1" + struct.pack(">IH", 120, len(name) + 2) + name + b"\xc0\x0c"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as responder:
        responder.bind(("127.0.0.1", 0))
        responder.settimeout(PATIENCE_S)

        def answer() -> None:
            asked, address = responder.recvfrom(100)
            assert asked == mdns.WHICH_STRIPS
            responder.sendto(b"\xff" * 20, address)
            responder.sendto(reply, address)

        thread = threading.Thread(target=answer)
        thread.start()
        assert mdns.find_strips(responder.getsockname(), 1.0) == {"127.0.0.1": "Board lights"}
        thread.join()


@pytest.mark.parametrize("reply", [b"", b"\0" * 12, b"\0\0\0\0\0\0\0\1\0\0\0\0\xc0\x0c", bytes(range(256))])
def test_what_is_no_answer_names_nothing(reply: bytes) -> None:
    assert list(mdns.read_strip_names(reply)) == []


@pytest.mark.parametrize("name", ["adalight", "ddp", "drgb"])
def test_a_loop_that_stands_still_is_shown_instead_of_what_it_said_last(name: str) -> None:
    """And when it goes on, what it says is shown again."""
    halted = LedFrame((GREEN, GREEN))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there, device() as (path, far):
        there.bind(("127.0.0.1", 0))
        there.settimeout(PATIENCE_S)
        url = path if name == "adalight" else f"udp://127.0.0.1:{there.getsockname()[1]}"

        def shown(wanted: bytes) -> float:
            end = time.monotonic() + PATIENCE_S
            while time.monotonic() < end:
                data = os.read(far, 1000) if name == "adalight" else there.recv(100)
                if data.endswith(wanted):
                    return time.monotonic()
            raise AssertionError(f"{wanted!r} never came")

        with lit(url, name) as port:
            port.set_halted_frame(lambda: halted)
            port.show_frame(LedFrame((RED, DARK)))
            began = shown(bytes((*RED, *DARK)))
            assert HALTED_S - 0.5 < shown(bytes((*GREEN, *GREEN))) - began < 3.0
            port.mark_alive()
            shown(bytes((*RED, *DARK)))


def test_what_blinks_begins_lit() -> None:
    for wait_s in (0.0, 0.3, 0.5):
        with device() as (path, far), lit(path, "adalight") as port:
            port.show_frame(LedFrame((RED, DARK)))
            while not os.read(far, 1000).endswith(bytes((*RED, *DARK))):
                pass
            time.sleep(wait_s)
            port.show_frame(LedFrame((GREEN, DARK), frozenset({0})))
            first = os.read(far, 1000)
            assert first.endswith(bytes((*GREEN, *DARK)))


BEATING = """
import sys, time
from device.ledmap import build_plain_map
from device.lights import LedFrame
from device.port import LedPort
from device.protocols import load_protocol
from tests.device.test_port import BOARD, DARK, GREEN, RED

port = LedPort(sys.argv[1], lambda: load_protocol("ddp", build_plain_map(BOARD)), print, 1)
port.set_halted_frame(lambda: LedFrame((GREEN, GREEN)))
port.show_frame(LedFrame((RED, DARK)))
port.start_connecting()
while True:
    time.sleep(0.2)
    port.mark_alive()
"""


def test_a_program_that_was_stopped_and_goes_on_is_no_loop_that_hangs() -> None:
    """All of it stood still, and all of it goes on: a tenth of a second later its loop beats again."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.bind(("127.0.0.1", 0))
        there.settimeout(PATIENCE_S)
        command = [sys.executable, "-c", BEATING, f"udp://127.0.0.1:{there.getsockname()[1]}"]
        with started(command) as process:
            assert there.recv(100)[-6:] == bytes((*RED, *DARK))
            for _ in range(3):
                process.send_signal(signal.SIGSTOP)
                time.sleep(HALTED_S + 1.0)
                process.send_signal(signal.SIGCONT)
                seen = [there.recv(100)[-6:] for _ in range(2)]
                assert seen == [bytes((*RED, *DARK))] * 2
            process.kill()
