"""What can be wrong with a port, a socket or what is at it: each is named, in one line, and warned of once."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path

import pytest
import serial

from device.codec import Packet, PacketKind, encode_packet
from device.ledmap import LedMap, build_plain_map
from device.lights import LedFrame
from device.network.wled import ASK_WLED_S
from device.port import ANSWERED_WITHIN_S, LedPort
from device.protocols import load_protocol
from engine.errors import TROUBLE_OVER
from tests.device.test_answers import INFO, answering, device, lit, strip, until
from tests.device.test_port import BOARD, GREEN, RED, Plug
from tests.patience import PATIENCE_S, wait_until

UNPLUGGED_S = 10.0
AT_ONCE_S = 2.0
"""A cable that is out is said within that."""


@contextmanager
def missing(folder: Path) -> Iterator[str]:
    yield str(folder / "none")


@contextmanager
def a_file(folder: Path) -> Iterator[str]:
    (folder / "file").write_text("x")
    yield str(folder / "file")


@contextmanager
def a_folder(folder: Path) -> Iterator[str]:
    yield str(folder)


@contextmanager
def busy(folder: Path) -> Iterator[str]:
    with device() as (path, _), serial.Serial(path, exclusive=True):
        yield path


@contextmanager
def silent(folder: Path) -> Iterator[str]:
    with device() as (path, _):
        yield path


@contextmanager
def saying(words: bytes) -> Iterator[str]:
    """A device that says that again and again."""
    over = threading.Event()
    with device() as (path, far):

        def talk() -> None:
            while not over.wait(0.05):
                with suppress(BlockingIOError):
                    os.write(far, words)

        os.set_blocking(far, False)
        thread = threading.Thread(target=talk)
        thread.start()
        try:
            yield path
        finally:
            over.set()
            thread.join()


@contextmanager
def closed_datagrams(folder: Path) -> Iterator[str]:
    with strip() as url:
        pass
    yield url


@contextmanager
def nobody_of_that_name(folder: Path) -> Iterator[str]:
    yield "udp://no-such-strip.invalid:4048"


@contextmanager
def listening(then: Callable[[socket.socket], object] | None) -> Iterator[str]:
    """A server that does this with who connects; None: it is gone."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        if then is None:
            server.close()
            yield url
            return
        kept: list[socket.socket] = []

        def serve() -> None:
            with suppress(OSError):
                while True:
                    one, _ = server.accept()
                    kept.append(one)
                    then(one)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield url
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for one in kept:
                one.close()


@contextmanager
def taking_nothing(folder: Path) -> Iterator[str]:
    """A device that is full already: it opens each time, and each time fails a second later."""
    with device() as (path, _):
        near = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        with suppress(BlockingIOError):
            while True:
                os.write(near, bytes(1000))
        try:
            yield path
        finally:
            os.close(near)


def hang_up(one: socket.socket) -> None:
    """After what came first."""
    one.recv(1000)
    one.shutdown(socket.SHUT_RDWR)


FAULTS: tuple[tuple[str, Callable[[Path], object], str, str], ...] = (
    ("no such device", missing, "adalight", "there is no such device"),
    ("a file", a_file, "adalight", "is not a serial port"),
    ("a folder", a_folder, "camref", "is not a serial port"),
    ("a device that is none for that", lambda _: nullcontext("/dev/random"), "camref", "is not a serial port"),
    ("everybody's address", lambda _: nullcontext("udp://255.255.255.255:4048"), "ddp", "cannot be reached"),
    ("another program's port", busy, "adalight", "another program has it open"),
    ("silent port", silent, "camref", "nothing answers at that port"),
    ("a thermometer", lambda _: saying(b"21.5 C\r\n"), "camref", "but not as the referee display"),
    ("a strip, not a display", lambda _: saying(b"Ada\n"), "camref", "use --protocol adalight"),
    (
        "a display, not a strip",
        lambda _: saying(b"\0" + encode_packet(Packet(PacketKind.ACK, 0, b"\1"))),
        "adalight",
        "use --protocol camref",
    ),
    ("closed port of a strip", closed_datagrams, "ddp", "nobody answers at that address"),
    ("no such name", nobody_of_that_name, "ddp", "no host of that name|no name can be looked up"),
    ("closed port of a server", lambda _: listening(None), "camref", "nobody answers at that address"),
    ("a server that hangs up", lambda _: listening(hang_up), "camref", "hung up"),
    ("dead socket", lambda _: listening(lambda one: None), "camref", "nothing answers at that port"),
)


@pytest.mark.parametrize(("at", "protocol", "said"), [fault[1:] for fault in FAULTS], ids=[one[0] for one in FAULTS])
def test_what_is_wrong_is_named_in_one_line(
    tmp_path: Path, at: Callable[[Path], object], protocol: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with at(tmp_path) as url, caplog.at_level(logging.WARNING), lit(url, protocol) as port:  # type: ignore[attr-defined]
        port.show_frame(LedFrame((RED, GREEN)))
        assert port.wait_for_answer() == ""
        end, words = time.monotonic() + PATIENCE_S, said.split("|")
        while not any(word in (port.known_problem or "") for word in words):
            assert time.monotonic() < end, port.known_problem
            time.sleep(0.01)
        problem = port.known_problem or ""
    assert problem.startswith(f"{url}: ") and "\n" not in problem and "Errno" not in problem
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1


OPENING = (
    ("closed port of a strip", closed_datagrams, "ddp", "nobody answers"),
    ("a server that hangs up", lambda _: listening(hang_up), "adalight", "hung up"),
    ("a device that takes nothing", taking_nothing, "adalight", "takes nothing"),
)
WATCHED_S = 4.0
"""Each is opened anew a second after it failed, and the slowest fails a second later: that twice."""


@pytest.mark.parametrize(("at", "protocol", "said"), [one[1:] for one in OPENING], ids=[one[0] for one in OPENING])
def test_a_port_that_opens_and_fails_again_and_again_is_one_outage(
    tmp_path: Path, at: Callable[[Path], object], protocol: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    """One warning, and no moment at which it is said to work."""
    with at(tmp_path) as url, caplog.at_level(logging.WARNING), lit(url, protocol) as port:  # type: ignore[attr-defined]
        port.show_frame(LedFrame((RED, GREEN), blink=frozenset({0})))
        until(port, said)
        end = time.monotonic() + WATCHED_S
        while time.monotonic() < end:
            assert said in (port.known_problem or "")
            time.sleep(0.002)
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1


def test_a_strip_that_comes_back_in_the_network_works_again_within_three_seconds() -> None:
    with strip() as url:
        pass
    host, _, number = url.removeprefix("udp://").rpartition(":")
    with lit(url, "ddp") as port:
        port.show_frame(LedFrame((RED, GREEN)))
        until(port, "nobody answers")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as back:
            back.bind((host, int(number)))
            back.settimeout(PATIENCE_S)
            assert back.recv(100)[-6:] == bytes((*RED, *GREEN))
            begun = time.monotonic()
            while port.known_problem:
                assert time.monotonic() - begun < PATIENCE_S
                time.sleep(0.01)


def test_a_strip_that_is_switched_off_is_named_and_back_again() -> None:
    """WLED over the network is never answered; that it is gone is seen from its web server."""
    with strip() as url:
        with answering(json.dumps(INFO).encode()) as http:
            port = LedPort(url, lambda: load_protocol("ddp", build_plain_map(BOARD)), print, http)
            port.start_connecting()
            assert port.wait_for_answer()
        until(port, "does not answer any more")
        assert "\n" not in (port.known_problem or "")
        port.close_port()


@contextmanager
def answering_and_then(later: Callable[[socket.socket], object]) -> Iterator[int]:
    """A strip that is WLED when it is asked first, and afterwards does this with who asks."""
    whole = b"HTTP/1.0 200 OK\r\n\r\n" + json.dumps(INFO).encode()
    asked = 0

    def answer(one: socket.socket) -> None:
        nonlocal asked
        asked += 1
        with suppress(OSError):  # a question that is still open when the test is over is cut off
            one.recv(1000)
            if asked > 1:
                later(one)
            else:
                one.sendall(whole)
                one.shutdown(socket.SHUT_RDWR)

    with listening(lambda one: threading.Thread(target=answer, args=(one,), daemon=True).start()) as url:
        yield int(url.rpartition(":")[2])


def drip(one: socket.socket) -> None:
    """A byte now and then, for ever: each comes within any time limit."""
    one.sendall(b"HTTP/1.0 200 OK\r\nX-Never-Over: ")
    while True:
        one.sendall(b"x")
        time.sleep(0.1)


def nest(one: socket.socket) -> None:
    """JSON that ends a recursion."""
    one.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + b"[" * 60000)
    one.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("later", [drip, nest, lambda one: None], ids=["drips", "nests", "hangs"])
def test_a_strip_that_no_more_answers_as_itself_is_said(
    later: Callable[[socket.socket], object], caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever it says instead, and however slowly; and it is warned of once."""
    with strip() as url, answering_and_then(later) as http, caplog.at_level(logging.WARNING):
        port = LedPort(url, lambda: load_protocol("ddp", build_plain_map(BOARD)), print, http)
        port.start_connecting()
        try:
            assert port.wait_for_answer()
            until(port, "does not answer any more")
            time.sleep(3 * ASK_WLED_S)
        finally:
            port.close_port()
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1


def test_unplugged_for_ten_seconds_is_said_at_once_and_once_and_lit_when_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plug = Plug(tmp_path / "ttyLights")
    plug.put_in()
    leds: LedMap = build_plain_map(BOARD)
    with caplog.at_level(logging.WARNING):
        port = LedPort(str(plug.path), lambda: load_protocol("adalight", leds), print)
        port.start_connecting()
        port.show_frame(LedFrame((RED, GREEN)))
        plug.until((RED, GREEN))
        plug.pull_out()
        out = time.monotonic()
        while port.known_problem is None:
            assert time.monotonic() - out < AT_ONCE_S
            time.sleep(0.01)
        time.sleep(UNPLUGGED_S)
        assert "there is no such device" in port.known_problem
        assert len(caplog.records) == 1
        port.show_frame(LedFrame((GREEN, RED)))
        plug.put_in()
        plug.until((GREEN, RED))
        assert port.known_problem is None
        port.close_port()


def until_doubted(port: LedPort, word: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while word not in (port.suspected_problem or ""):
        assert time.monotonic() < end, f"{word!r} never came, only {port.suspected_problem!r}"
        time.sleep(0.01)


def told(caplog: pytest.LogCaptureFixture, level: int = logging.WARNING) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == level]


def test_a_port_that_speaks_rubbish_is_said_once_and_that_it_is_over(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(TROUBLE_OVER), saying(bytes(range(128, 256))) as path, lit(path, "adalight") as port:
        assert (port.wait_for_answer(), port.known_problem) == ("", None)
        until_doubted(port, "but not as a strip of this kind")
        time.sleep(1.0)
        assert len(told(caplog)) == 1 and "see --protocol and --baud" in told(caplog)[0]


def test_a_greeting_that_comes_late_and_in_parts_is_no_other_speaker(caplog: pytest.LogCaptureFixture) -> None:
    """As each greeting does: a port that is read byte by byte gives its first byte alone."""
    with caplog.at_level(TROUBLE_OVER), device() as (path, far), lit(path, "adalight") as port:
        port.wait_for_answer()
        time.sleep(ANSWERED_WITHIN_S)
        for part in (b"A", b"da\n"):
            os.write(far, part)
            time.sleep(0.2)
        assert port.answered_by == "a strip that greets as Adalight does"
    assert (told(caplog), told(caplog, TROUBLE_OVER)) == ([], [])


def test_a_receiver_that_is_back_and_silent_is_not_said_to_work(caplog: pytest.LogCaptureFixture) -> None:
    """Who hears that the lights work looks no further; a packet that nobody refuses is no sign of that."""
    with caplog.at_level(TROUBLE_OVER), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.bind(("127.0.0.1", 0))
        number = there.getsockname()[1]
        with lit(f"udp://127.0.0.1:{number}", "ddp", wled_port=1) as port:
            port.show_frame(LedFrame((RED, GREEN)))
            port.wait_for_answer()
            there.close()
            until(port, "nobody answers")
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as back:
                back.bind(("127.0.0.1", number))
                wait_until(lambda: told(caplog, TROUBLE_OVER))
    (over,) = told(caplog, TROUBLE_OVER)
    assert over.endswith("over, it is open again; nobody has answered"), over


@contextmanager
def not_found() -> Iterator[int]:
    with answering(b"no such page", 404) as http:
        yield http


@contextmanager
def never_answering() -> Iterator[int]:
    with listening(lambda one: None) as url:
        yield int(url.rpartition(":")[2])


@contextmanager
def hanging_up(said: bytes = b"") -> Iterator[int]:
    """Takes who asks, and is gone, before a word or in the middle of one."""

    def answer(one: socket.socket) -> None:
        with suppress(OSError):
            if said:
                one.recv(1000)
            one.sendall(said)
            one.close()

    with listening(answer) as url:
        yield int(url.rpartition(":")[2])


CUT_OFF = b"HTTP/1.0 200 OK\r\nContent-Length: 500\r\n\r\n{"

STRANGE = (
    ("hangs up", hanging_up, "hung up before it had answered"),
    ("hangs up within", lambda: hanging_up(CUT_OFF), "hung up before it had answered"),
    ("an error", lambda: answering(b"oh", 500), "answers with error 500"),
    ("a page", lambda: answering(b"<html>rubbish", 200), "not as WLED does"),
    ("too late", never_answering, "has not answered within"),
)


@pytest.mark.parametrize(("at", "said"), [one[1:] for one in STRANGE], ids=[one[0] for one in STRANGE])
def test_what_answers_in_the_place_of_wled_is_said_with_what_to_do(
    at: Callable[[], object], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(TROUBLE_OVER), strip() as url, at() as http, lit(url, "ddp", wled_port=http) as port:  # type: ignore[attr-defined]
        assert (port.wait_for_answer(), port.known_problem) == ("", None)
        assert said in port.describe_silence(), "the first that is said of it"
        time.sleep(2 * ASK_WLED_S)
    assert len(told(caplog)) == 1 and said in told(caplog)[0]


def test_a_receiver_of_another_maker_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(TROUBLE_OVER), strip() as url, not_found() as http, lit(url, "ddp", wled_port=http) as port:
        assert "another kind of receiver" in port.wait_for_answer()
        assert (port.suspected_problem, port.known_problem, told(caplog)) == (None, None, [])


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What is opened in the course of a test, and closed at its end."""
    with ExitStack() as opened:
        yield opened


def test_one_warning_for_each_outage_of_wled_one_for_another_fault_and_one_that_it_is_over(
    caplog: pytest.LogCaptureFixture, stack: ExitStack
) -> None:
    """Its web server is gone first, then it is out of the network, comes back too short and is put right."""
    stack.enter_context(caplog.at_level(TROUBLE_OVER))
    short = INFO | {"leds": {"count": 1}}
    there = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    there.bind(("127.0.0.1", 0))
    number = there.getsockname()[1]
    with answering(json.dumps(INFO).encode()) as http:
        port = LedPort(f"udp://127.0.0.1:{number}", lambda: load_protocol("ddp", build_plain_map(BOARD)), print, http)
        port.start_connecting()
        stack.callback(port.close_port)
        port.show_frame(LedFrame((RED, GREEN)))
        assert port.wait_for_answer()
    until(port, "does not answer any more")
    there.close()
    until(port, "nobody answers")
    stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)).bind(("127.0.0.1", number))
    with answering(json.dumps(short).encode(), number=http):
        until(port, "1 LEDs")
        assert [len(told(caplog)), told(caplog, TROUBLE_OVER)] == [2, []]
    with answering(json.dumps(INFO).encode(), number=http):
        wait_until(lambda: told(caplog, TROUBLE_OVER))
    silent, too_short = told(caplog)
    assert "answer" in silent and "the LED map has 2" in too_short
    assert "over, the lights work: WLED 0.14.4" in told(caplog, TROUBLE_OVER)[0]
