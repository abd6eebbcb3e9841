"""A stream that leads elsewhere, by a redirect, a list or a name, is not followed to where it may not go."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from calibration import profile as profiles
from engine.errors import InputError
from server.setup.gate import Gate
from server.setup.opening import opened
from server.setup.within import Reach, checked, is_own
from server.web.wizard import Wizard
from tests.patience import PATIENCE_S
from tests.programs import started
from vision.frames import CameraLost

SESSION = Path(__file__).parents[2] / "data" / "sessions" / "camelot_a"
FILM = (SESSION / "frame_0000.jpg").read_bytes()
ALLOWED, FORBIDDEN = "127.0.0.2", "127.0.0.3"
REACH = Reach((ALLOWED,))


class Camera(ThreadingHTTPServer):
    """A camera in the network at one address; `asked` are the paths that were asked for."""

    def __init__(self, address: str, elsewhere: str = "") -> None:
        self.asked: list[str] = []
        self.elsewhere = elsewhere
        super().__init__((address, 0), Answers)
        self.url = f"http://{address}:{self.server_port}"


class Answers(BaseHTTPRequestHandler):
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
        assert next(opened(f"{good.url}/video", 8, reach=REACH)).image.shape[2] == 3
        assert next(opened(f"{first.url}/away", 8, reach=REACH)).image.shape[2] == 3
        assert good.asked == ["/video", "/video"]


@pytest.mark.parametrize("path", ["/away", "/list.m3u8"])
def test_nobody_is_led_to_an_address_that_is_not_allowed(path: str) -> None:
    """The first camera is allowed; what it leads to would be opened, and is not even asked."""
    with camera(FORBIDDEN) as secret, camera(ALLOWED, f"{secret.url}/video") as first:
        assert next(opened(f"{first.url}/away", 8)).image.shape[2] == 3  # as the command line opens it
        secret.asked.clear()
        with pytest.raises((CameraLost, InputError)):
            next(opened(f"{first.url}{path}", 8, reach=REACH))
        assert path in first.asked
        assert secret.asked == []


def test_a_stream_that_the_page_names_stays_behind_the_gate_and_the_command_lines_does_not(tmp_path: Path) -> None:
    with camera(ALLOWED) as good:
        for named, guarded in (("", True), (f"{good.url}/video", False)):
            wizard = Wizard(tmp_path / "board.toml", 8, named, reach=REACH)
            wizard.choose("camelot", "", f"{good.url}/video")
            assert wizard._profile.guarded is guarded
            wizard.close()


@pytest.mark.parametrize("guarded", [True, False])
def test_a_game_watches_a_camera_from_the_page_behind_the_gate_too(tmp_path: Path, guarded: bool) -> None:
    """It was well-behaved while the board was set up, and leads elsewhere when the game is begun."""
    with camera(FORBIDDEN) as secret, camera(ALLOWED, f"{secret.url}/video") as first:
        chosen = replace(profiles.load(SESSION / "profile.toml"), source=f"{first.url}/away", guarded=guarded)
        (tmp_path / "board.toml").write_text(profiles.dump(chosen), encoding="utf-8")
        command = [sys.executable, "-m", "server", "serve", "--profile", str(tmp_path / "board.toml"), "--port", "0"]
        command += ["--record", str(tmp_path / "games.sqlite3"), "--cameras-at", ALLOWED]
        with started(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as referee:
            assert referee.stdout is not None
            url = next(re.finditer(r"http://[^ ]*", referee.stdout.readline()))[0]
            state = "starting"
            while state == "starting":
                try:
                    with urlopen(f"{url}healthz", timeout=PATIENCE_S) as answer:  # noqa: S310  # ours
                        state = json.load(answer)["camera"]
                except HTTPError as error:
                    state = json.load(error)["camera"]
        assert "/away" in first.asked
        assert bool(secret.asked) is not guarded
        assert (state == "ok") is not guarded


@contextmanager
def rtsp(address: str, answer: Callable[[str], str]) -> Iterator[tuple[str, list[str]]]:
    """A server that answers each request by RTSP with these lines, and what it was asked."""
    asked: list[str] = []

    def serve(one: socket.socket) -> None:
        with one, one.makefile("rwb") as file:
            for line in file:
                if line.startswith((b"OPTIONS", b"DESCRIBE")):
                    asked.append(line.decode().strip())
                if line.lower().startswith(b"cseq:"):
                    number = line.decode().strip()
                if line == b"\r\n":
                    file.write(f"RTSP/1.0 {answer(asked[-1])}\r\n{number}\r\n\r\n".encode())
                    file.flush()

    with socket.create_server((address, 0)) as server:

        def accept() -> None:
            try:
                while True:
                    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
            except OSError:
                return

        threading.Thread(target=accept, daemon=True).start()
        yield f"rtsp://{address}:{server.getsockname()[1]}/stream", asked
        server.shutdown(socket.SHUT_RDWR)


def test_by_rtsp_no_picture_comes_from_elsewhere() -> None:
    with ExitStack() as both:
        away, asked = both.enter_context(rtsp(FORBIDDEN, lambda _: "404 Not Found"))
        first, _ = both.enter_context(rtsp(ALLOWED, lambda _: f"302 Found\r\nLocation: {away}"))
        with pytest.raises((CameraLost, InputError)):
            next(opened(first, 8, reach=REACH))
        assert len(asked) <= 2  # it is met, but nothing of it would be handed on: see the next test


def test_a_connection_past_the_gate_is_noticed() -> None:
    gate, stranger = Gate(REACH), "127.0.0.4"
    with ExitStack() as held:
        secret, good = (held.enter_context(socket.create_server((one, 0))) for one in (stranger, ALLOWED))
        held.enter_context(socket.create_connection(good.getsockname()))
        assert stranger not in gate.strangers()
        held.enter_context(socket.create_connection(secret.getsockname()))
        assert stranger in gate.strangers()
    gate.shutdown()
    gate.server_close()


def test_a_list_holds_addresses_networks_and_names(monkeypatch: pytest.MonkeyPatch) -> None:
    reach = checked(["192.168.4.0/24", "10.0.0.7", "Cam.club.example", "fd00::/8"])
    for host in ("192.168.4.9", "10.0.0.7", "fd00::9"):
        assert reach.address(host) == host
        assert reach.refused(host) == ""
    for host in ("192.168.5.9", "127.0.0.1", "10.0.0.8", "::1"):
        assert reach.address(host) is None
        assert "cameras-at" in reach.refused(host)
    monkeypatch.setattr("socket.getaddrinfo", lambda *_about, **_more: [(0, 0, 0, "", ("10.9.9.9", 0))])
    assert reach.address("cam.club.example.") == "10.9.9.9"
    assert reach.address("other.example") is None
    assert reach.pinned("rtsp://ann:secret@CAM.club.example:554/a?b=c") == "rtsp://ann:secret@10.9.9.9:554/a?b=c"
    with pytest.raises(InputError, match="cameras-at"):
        reach.pinned("rtsp://other.example/a")
    for bad in ("", "192.168.4.0/99", "http://10.0.0.7", "a" * 300):
        with pytest.raises(InputError, match="--cameras-at"):
            checked([bad])


def test_whatever_can_be_listened_at_is_this_machine() -> None:
    assert is_own("127.0.0.1")
    assert is_own("127.9.9.9")
    assert is_own("::ffff:127.0.0.1")
    assert not is_own("192.0.2.7")
    assert not is_own("2001:db8::7")
