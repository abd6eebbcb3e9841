"""The port thread on a real pseudo-terminal: frames arrive whole, before and after the plug was pulled out."""

from __future__ import annotations

import os
import pty
import queue
import socket
import time
import tty
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from serial import SerialTimeoutException

from device.byte_streams import open_stream
from device.ledmap import LedMap, build_plain_map
from device.lights import LedFrame
from device.port import STOOD_STILL_S, LedPort, _write_in_time, explain_error
from device.protocol import Pressed, split_colours
from device.protocols import load_protocol
from device.protocols.adalight import HEADER_BYTES, MAGIC
from engine.board import Board
from engine.errors import InputError
from tests.patience import PATIENCE_S

BOARD = Board(("A1", "B1"), ((0, 0, 0), (1, 0, 0)), ((0.5, 0.5), (1.5, 0.5)), ((1, 0, 0), (-1, 0, 0)))
RED, GREEN, DARK = (255, 0, 0), (0, 255, 0), (0, 0, 0)
PACKET = 12


class Plug:
    """The far end of a serial cable whose near end is always found under the same name; takes packets of `size`."""

    size = PACKET

    def __init__(self, path: Path) -> None:
        self.path, self.far, self.near = path, -1, -1

    def put_in(self) -> None:
        self.far, self.near = pty.openpty()
        tty.setraw(self.near)
        self.path.symlink_to(os.ttyname(self.near))

    def pull_out(self) -> None:
        self.path.unlink()
        os.close(self.far)
        os.close(self.near)

    def packet(self) -> tuple[tuple[int, int, int], ...]:
        data = b""
        while len(data) < self.size:
            data += os.read(self.far, self.size - len(data))
            data = data[data.find(MAGIC) :] if MAGIC in data else data[-2:]  # what asks who is there comes first
        assert data[3] ^ data[4] ^ 0x55 == data[5]
        return split_colours(data[HEADER_BYTES:])

    def until(self, wanted: tuple[tuple[int, int, int], ...]) -> None:
        end = time.monotonic() + PATIENCE_S
        while self.packet() != wanted:
            assert time.monotonic() < end, f"{wanted} never came"


@pytest.fixture
def plug(tmp_path: Path) -> Plug:
    found = Plug(tmp_path / "ttyLights")
    found.put_in()
    return found


@pytest.fixture
def port(plug: Plug) -> Iterator[LedPort]:
    presses: queue.SimpleQueue[Pressed] = queue.SimpleQueue()
    leds = build_plain_map(BOARD)
    port = LedPort(str(plug.path), lambda: load_protocol("adalight", leds), presses.put)
    port.start_connecting()
    yield port
    port.close_port()


def test_the_newest_frame_arrives_whole(plug: Plug, port: LedPort) -> None:
    port.show_frame(LedFrame((RED, DARK)))
    plug.until((RED, DARK))
    port.show_frame(LedFrame((DARK, GREEN)))
    plug.until((DARK, GREEN))


def test_adalight_repeats_itself_for_wled(plug: Plug, port: LedPort) -> None:
    port.show_frame(LedFrame((RED, GREEN)))
    assert [plug.packet(), plug.packet()] == [(RED, GREEN)] * 2


def test_what_blinks_goes_dark_and_comes_back(plug: Plug, port: LedPort) -> None:
    port.show_frame(LedFrame((RED, GREEN), frozenset({1})))
    for wanted in ((RED, GREEN), (RED, DARK), (RED, GREEN)):
        plug.until(wanted)


def test_after_each_replug_the_whole_picture_is_there_again(plug: Plug, port: LedPort) -> None:
    port.show_frame(LedFrame((RED, DARK)))
    plug.until((RED, DARK))
    for turn in range(5):
        plug.pull_out()
        shown = (RED, GREEN) if turn % 2 else (GREEN, RED)
        port.show_frame(LedFrame(shown))
        plug.put_in()
        plug.until(shown)


def test_a_device_that_takes_nothing_is_left_and_tried_again_without_making_the_game_wait(tmp_path: Path) -> None:
    plug, leds = Plug(tmp_path / "ttyStuck"), LedMap(BOARD, ((0,),) * 1000)
    plug.put_in()
    port = LedPort(str(plug.path), lambda: load_protocol("adalight", leds), print)
    port.start_connecting()
    end, red = time.monotonic() + PATIENCE_S, 0
    while "takes nothing" not in (port.known_problem or ""):
        red = (red + 1) % 256
        port.show_frame(LedFrame(((red, 0, 0), DARK)))
        assert time.monotonic() < end, "nobody noticed"
        time.sleep(0.01)
    end = time.monotonic() + PATIENCE_S
    os.set_blocking(plug.far, False)
    while port.known_problem is not None:  # it is tried again, and now somebody takes what comes
        with suppress(BlockingIOError):
            os.read(plug.far, 4096)
        port.show_frame(LedFrame((RED, DARK)))
        assert time.monotonic() < end, "it was not tried again"
        time.sleep(0.001)
    port.close_port()
    plug.pull_out()


def test_a_network_strip_gets_datagrams() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as strip:
        strip.bind(("127.0.0.1", 0))
        strip.settimeout(PATIENCE_S)
        leds = build_plain_map(BOARD)
        port = LedPort(f"udp://127.0.0.1:{strip.getsockname()[1]}", lambda: load_protocol("ddp", leds), print)
        port.start_connecting()
        port.show_frame(LedFrame((RED, GREEN)))
        assert strip.recv(100)[-6:] == bytes((*RED, *GREEN))
        port.close_port()


def test_a_cable_that_was_pulled_out_is_called_so(plug: Plug, port: LedPort) -> None:
    port.show_frame(LedFrame((RED, DARK)))
    plug.until((RED, DARK))
    plug.pull_out()
    end = time.monotonic() + PATIENCE_S
    while port.known_problem is None:
        assert time.monotonic() < end, "nobody noticed"
        time.sleep(0.01)
    assert port.known_problem == f"{plug.path}: unplugged: plug it in again"
    plug.put_in()


def test_permission_denied_names_the_group() -> None:
    assert "usermod -aG dialout" in explain_error(PermissionError(13, "Permission denied"), "/dev/ttyUSB0")


@pytest.mark.parametrize("url", ["nonsense://x", "udp://strip", "udp://:4048"])
def test_a_url_of_no_known_kind_is_refused_at_once(url: str) -> None:
    with pytest.raises(InputError, match=url.split(":", maxsplit=1)[0]):
        LedPort(url, lambda: load_protocol("null", build_plain_map(BOARD)), print)


def test_a_write_that_a_stop_of_the_program_cut_off_is_no_fault_of_the_device() -> None:
    """Nobody reads at the other end, so that each write takes too long; of the second one the program stood still."""
    other, own = pty.openpty()
    tty.setraw(own)
    try:
        with open_stream(os.ttyname(own), 115200, 0.05) as stream:
            with pytest.raises(SerialTimeoutException):
                _write_in_time(stream, bytes(100_000), time.monotonic() + PATIENCE_S)
            assert not _write_in_time(stream, bytes(100_000), time.monotonic() - STOOD_STILL_S)
    finally:
        os.close(other)
        os.close(own)
