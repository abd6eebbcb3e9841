"""A stream that leads elsewhere, by a redirect, a list or a name, is not followed to where it may not go."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration import profile as profiles
from engine.errors import InputError
from server.board.pages.wizard import Wizard
from server.board.setup.gate import ForeignStreamError, Gate, RtspAnswers
from server.board.setup.opening import open_source
from server.board.setup.within import AllowedAddresses, is_own, parse_addresses
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.board.setup import streams
from vision.frames import CameraLost

SESSION = Path(__file__).parents[3] / "data" / "sessions" / "camelot_a"
FILM = (SESSION / "frame_0000.jpg").read_bytes()
ALLOWED, FORBIDDEN = "127.0.0.2", "127.0.0.3"
REACH = AllowedAddresses((ALLOWED,))
MANY = 64
"""Pictures of a stream; the process that opens it is left with fewer descriptors."""
STREAMS = {
    "mjpeg": lambda _: streams.mjpeg(ALLOWED),
    "rtsp": lambda _: streams.rtsp(ALLOWED),
    "hls": lambda folder: streams.hls(ALLOWED, folder),
}


class Camera(ThreadingHTTPServer):
    """A camera in the network at one address; `asked` are the paths that were asked for."""

    def __init__(self, address: str, elsewhere: str = "") -> None:
        self.asked: list[str] = []
        self.elsewhere = elsewhere
        super().__init__((address, 0), Films)
        self.url = f"http://{address}:{self.server_port}"


class Films(BaseHTTPRequestHandler):
    """/video is a film, /away leads to another, /list names another to be played."""

    server: Camera

    def do_GET(self) -> None:  # as the base class names it
        """One answer."""
        self.server.asked.append(self.path)
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", self.server.elsewhere)
            self.end_headers()
            return
        films = b"--next\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (len(FILM), FILM) * 20
        listed = f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{self.server.elsewhere}\n#EXT-X-ENDLIST\n".encode()
        kind, body = ("application/vnd.apple.mpegurl", listed) if "list" in self.path else (MIXED, films)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


MIXED = "multipart/x-mixed-replace; boundary=next"


@contextmanager
def camera(address: str, elsewhere: str = "") -> Iterator[Camera]:
    """One that answers."""
    with Camera(address, elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def test_what_is_allowed_is_opened_also_by_a_redirect() -> None:
    with camera(ALLOWED) as good, camera(ALLOWED, f"{good.url}/video") as first:
        assert next(open_source(f"{good.url}/video", 8, reach=REACH)).image.shape[2] == 3
        assert next(open_source(f"{first.url}/away", 8, reach=REACH)).image.shape[2] == 3
        assert good.asked == ["/video", "/video"]


@pytest.mark.parametrize("path", ["/away", "/list.m3u8"])
def test_nobody_is_led_to_an_address_that_is_not_allowed(path: str) -> None:
    """The first camera is allowed; what it leads to would be opened, and is not even asked."""
    with camera(FORBIDDEN) as secret, camera(ALLOWED, f"{secret.url}/video") as first:
        assert next(open_source(f"{first.url}/away", 8)).image.shape[2] == 3  # as the command line opens it
        secret.asked.clear()
        with pytest.raises((CameraLost, InputError)):
            next(open_source(f"{first.url}{path}", 8, reach=REACH))
        assert path in first.asked
        assert secret.asked == []


def test_a_stream_that_the_page_names_stays_behind_the_gate_and_the_command_lines_does_not(tmp_path: Path) -> None:
    with camera(ALLOWED) as good:
        for named, guarded in (("", True), (f"{good.url}/video", False)):
            wizard = Wizard(tmp_path / "board.toml", 8, named, reach=REACH)
            wizard.choose_source("camelot", "", f"{good.url}/video")
            assert wizard._profile.guarded is guarded
            wizard.release_camera()


@pytest.mark.parametrize("guarded", [True, False])
def test_a_game_watches_a_camera_from_the_page_behind_the_gate_too(tmp_path: Path, guarded: bool) -> None:
    """It was well-behaved while the board was set up, and leads elsewhere when the game is begun."""
    with camera(FORBIDDEN) as secret, camera(ALLOWED, f"{secret.url}/video") as first:
        chosen = replace(profiles.load_profile(SESSION / "profile.toml"), source=f"{first.url}/away", guarded=guarded)
        (tmp_path / "board.toml").write_text(profiles.dump_profile(chosen), encoding="utf-8")
        command = [sys.executable, "-m", "server", "serve", "--profile", str(tmp_path / "board.toml"), "--port", "0"]
        command += ["--record", str(tmp_path / "games.sqlite3"), "--cameras-at", ALLOWED]
        with started(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as referee:
            assert referee.stdout is not None
            url = next(re.finditer(r"http://[^ ]*", referee.stdout.readline()))[0]
            state = "starting"
            while state == "starting" or not first.asked:  # on a busy machine the first try may run out of time
                try:
                    with urlopen(f"{url}healthz", timeout=PATIENCE_S) as answer:  # noqa: S310  # ours
                        state = json.load(answer)["camera"]
                except HTTPError as error:
                    state = json.load(error)["camera"]
        assert first.asked[0] == "/away"
        assert bool(secret.asked) is not guarded
        assert (state == "ok") is not guarded


@pytest.mark.parametrize("kind", ["mjpeg", "rtsp", "hls"])
def test_pictures_come_through_the_gate_for_as_long_as_they_are_asked_for(kind: str, tmp_path: Path) -> None:
    """More pictures than descriptors are left to the process that opens the stream, each once and in order."""
    with ExitStack() as closing:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (MANY - 10, hard))
        closing.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        url, _ = closing.enter_context(STREAMS[kind](tmp_path))
        pictures = closing.enter_context(contextlib.closing(open_source(url, 8, every_s=0.0, reach=REACH)))
        numbers = [streams.number_of(frame.image) for frame in islice(pictures, MANY)]
    assert numbers == list(range(numbers[0], numbers[0] + MANY))


@pytest.mark.parametrize("kind", ["mjpeg", "rtsp"])
def test_a_camera_that_drops_who_watches_is_watched_again(kind: str, tmp_path: Path) -> None:
    with STREAMS[kind](tmp_path) as (url, watched):
        for _ in range(2):
            with contextlib.closing(open_source(url, 8, every_s=0.0, reach=REACH)) as pictures:
                assert next(pictures).image.shape == (streams.HEIGHT, streams.WIDTH, 3)
                watched.drop()
                try:
                    for _picture in pictures:
                        pass
                except CameraLost:
                    continue


@pytest.mark.parametrize("command", ["watch", "record", "certify", "doctor"])
def test_every_command_watches_a_camera_from_the_page_behind_the_gate(command: str, tmp_path: Path) -> None:
    with camera(FORBIDDEN) as secret, camera(ALLOWED, f"{secret.url}/video") as first:
        profile = tmp_path / "board.toml"
        chosen = replace(profiles.load_profile(SESSION / "profile.toml"), source=f"{first.url}/away", guarded=True)
        profile.write_text(profiles.dump_profile(chosen), encoding="utf-8")
        run = [sys.executable, "-m", "server", command, "--profile", str(profile), "--cameras-at", ALLOWED]
        run += {"record": ["--out", str(tmp_path / "kept")], "certify": ["--no-page"]}.get(command, [])
        told = subprocess.run(run, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=PATIENCE_S)
        assert told.returncode != 0
        assert f"leads to {FORBIDDEN}" in told.stdout + told.stderr
        assert "the setting cameras-at" in told.stdout + told.stderr
        assert "/away" in first.asked
        assert secret.asked == []


def test_by_rtsp_nobody_is_led_to_an_address_that_is_not_allowed() -> None:
    """Not even a connection is made, and what is said names where it led."""
    with ExitStack() as held:
        secret = held.enter_context(socket.create_server((FORBIDDEN, 0)))
        elsewhere = f"302 Found\r\nLocation: rtsp://{FORBIDDEN}:{secret.getsockname()[1]}/board"
        url, _ = held.enter_context(streams.rtsp(ALLOWED, lambda asked: elsewhere if "DESCRIBE" in asked else None))
        with pytest.raises(CameraLost, match=f"leads to {FORBIDDEN}"):
            next(open_source(url, 8, reach=REACH))
        secret.setblocking(False)
        with pytest.raises(BlockingIOError):
            secret.accept()


def test_by_rtsp_a_redirect_to_an_allowed_address_is_followed() -> None:
    with streams.rtsp(ALLOWED) as (second, _):
        moved = f"301 Moved Permanently\r\nLocation: {second}"
        with streams.rtsp(ALLOWED, lambda asked: moved if "DESCRIBE" in asked else None) as (first, _):
            assert next(open_source(first, 8, reach=REACH)).image.shape == (streams.HEIGHT, streams.WIDTH, 3)


def test_a_name_is_looked_up_at_each_connection_and_its_answer_is_where_it_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """First it leads to a camera, then to this machine: what it says last is asked, and not connected to."""
    gate, told = Gate(AllowedAddresses((ALLOWED,))), [ALLOWED, FORBIDDEN]
    with socket.create_server((ALLOWED, 0)) as camera:
        place = urlsplit(f"http://cam.example:{camera.getsockname()[1]}")
        monkeypatch.setattr("socket.getaddrinfo", Changing(told))
        with gate.connect_host(place) as first:
            assert first.getpeername()[0] == ALLOWED
        with pytest.raises(ForeignStreamError):
            gate.connect_host(place)
    gate.shutdown()
    gate.server_close()


class Changing:
    """A name service whose answer for a name is another each time; the last one stays."""

    def __init__(self, told: list[str]) -> None:
        self._told, self._asked = told, socket.getaddrinfo

    def __call__(self, host: str, *about: Any, **more: Any) -> list[Any]:
        """As socket.getaddrinfo."""
        if host != "cam.example":
            return self._asked(host, *about, **more)
        return self._asked(self._told.pop(0) if len(self._told) > 1 else self._told[0], *about, **more)


def test_of_several_addresses_the_first_that_answers_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A camera with an address of each kind, in a network that knows one kind only."""
    gate = Gate(AllowedAddresses(("::1", ALLOWED)))
    with socket.create_server((ALLOWED, 0)) as camera:
        found = [(socket.AF_INET6, 1, 6, "", ("::1", 0, 0, 0)), (socket.AF_INET, 1, 6, "", (ALLOWED, 0))]
        with monkeypatch.context() as names:
            names.setattr("server.board.setup.within._look_up_host", lambda host: [str(one[4][0]) for one in found])
            with gate.connect_host(urlsplit(f"http://cam.example:{camera.getsockname()[1]}")) as taken:
                assert taken.getpeername()[0] == ALLOWED
    gate.shutdown()
    gate.server_close()


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_what_a_camera_says_by_rtsp_is_passed_on_to_the_byte_but_for_where_it_leads(size: int) -> None:
    stream = b"$\x00\x00\x05a\r\n\r\n"
    said = b"RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 4\r\n\r\n$bod" + stream
    leads = b"RTSP/1.0 302 Found\r\nLocation:  rtsp://10.0.0.9/x\r\n\r\n"
    answers, out = RtspAnswers(lambda _: "rtsp://gate/x"), b""
    for at in range(0, len(said + leads + stream), size):
        out += answers.filter_data((said + leads + stream)[at : at + size])
    assert out == said + b"RTSP/1.0 302 Found\r\nLocation: rtsp://gate/x\r\n\r\n" + stream


LINES = [b"RTSP/1.0 200 OK\r\n", b"Content-Length: 9\r\n", b"\r\n\r\n"]


@given(st.lists(st.binary(max_size=60) | st.sampled_from(LINES)))
def test_what_is_no_rtsp_is_refused_or_passed_on(parts: list[bytes]) -> None:
    answers = RtspAnswers(str)
    with contextlib.suppress(ValueError):
        for part in parts:
            answers.filter_data(part)


def test_a_locked_thread_connects_to_its_port_only_and_writes_no_file(tmp_path: Path) -> None:
    said = """
import socket, sys
from server.board.setup.lock import restrict_thread
with socket.create_server(("127.0.0.1", 0)) as ours, socket.create_server(("127.0.0.1", 0)) as other:
    if not restrict_thread(ours.getsockname()[1]):
        sys.exit(3)
    socket.create_connection(ours.getsockname()).close()
    for what in (lambda: socket.create_connection(other.getsockname()), lambda: open(sys.argv[1], "w")):
        try:
            what()
        except PermissionError:
            continue
        sys.exit(4)
"""
    code = subprocess.run([sys.executable, "-c", said, str(tmp_path / "written")], check=False).returncode
    newer = tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 7)
    assert code == 0 or (code == 3 and not newer)


def test_nobody_reads_the_cameras_password_in_the_list_of_processes(tmp_path: Path) -> None:
    with STREAMS["mjpeg"](tmp_path) as (url, _):
        secret = url.replace("http://", "http://ann:s3cret@")
        with contextlib.closing(open_source(secret, 8, reach=REACH)) as pictures:
            next(pictures)
            lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
    assert any(b"server.board.setup.opening" in line for line in lines)
    assert not any(b"s3cret" in line for line in lines)


def test_a_list_holds_addresses_networks_and_names(monkeypatch: pytest.MonkeyPatch) -> None:
    reach = parse_addresses(["192.168.4.0/24", "10.0.0.7", "Cam.club.example", "fd00::/8"])
    for host in ("192.168.4.9", "10.0.0.7", "fd00::9"):
        assert reach.resolve_host(host) == [host]
        assert reach.explain_refusal(host) == ""
    for host in ("192.168.5.9", "127.0.0.1", "10.0.0.8", "::1"):
        assert reach.resolve_host(host) == []
        assert "cameras-at" in reach.explain_refusal(host)
    monkeypatch.setattr("socket.getaddrinfo", lambda *_about, **_more: [(0, 0, 0, "", ("10.9.9.9", 0))])
    assert reach.resolve_host("cam.club.example.") == ["10.9.9.9"]
    assert reach.resolve_host("other.example") == []
    for bad in ("", "192.168.4.0/99", "http://10.0.0.7", "a" * 300):
        with pytest.raises(InputError, match="--cameras-at"):
            parse_addresses([bad])


def test_whatever_can_be_listened_at_is_this_machine() -> None:
    assert is_own("127.0.0.1")
    assert is_own("127.9.9.9")
    assert is_own("::ffff:127.0.0.1")
    assert not is_own("192.0.2.7")
    assert not is_own("2001:db8::7")
