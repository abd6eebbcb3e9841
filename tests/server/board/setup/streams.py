"""Cameras in the network as they are: one by RTSP (H.264), one by MJPEG, one by HLS, which can drop who watches.

Each picture carries its number, so that whoever receives them knows which are missing.
"""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np

from tests.programs import started
from vision.ground import Image

WIDTH, HEIGHT, RATE = 320, 240, 10
BITS, SQUARE = 20, 32
"""Of a picture's number: white squares are ones, the lowest first, ten in a row."""
PATIENCE_S = 30.0


def numbered(number: int) -> Image:
    """A picture with its number in it."""
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    for bit in range(BITS):
        y, x = divmod(bit, WIDTH // SQUARE)
        image[y * SQUARE : (y + 1) * SQUARE, x * SQUARE : (x + 1) * SQUARE] = 255 * (number >> bit & 1)
    return image


def number_of(image: Image) -> int:
    """The number in a picture."""
    middle = SQUARE // 2
    squares = [divmod(bit, WIDTH // SQUARE) for bit in range(BITS)]
    return sum(
        int(image[y * SQUARE + middle, x * SQUARE + middle].mean() > 127) << bit for bit, (y, x) in enumerate(squares)
    )


class Watched:
    """A camera with connections that it can drop."""

    def __init__(self) -> None:
        self.open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def holding(self, one: socket.socket) -> None:
        """A connection was opened."""
        with self._lock:
            self.open.add(one)

    def drop(self) -> int:
        """Close all connections, as a router does that starts again; how many there were."""
        with self._lock:
            dropped, self.open = self.open, set()
        for one in dropped:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        return len(dropped)


@contextmanager
def mjpeg(address: str, picture: Callable[[int], Image] = numbered) -> Iterator[tuple[str, Watched]]:
    """Its URL, and what drops its connections. `picture` gives those that it shows, by their numbers."""
    watched, begun = Watched(), time.monotonic()

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # as the base class names it
            watched.holding(self.connection)
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
            self.end_headers()
            number = int((time.monotonic() - begun) * RATE)
            with suppress(OSError):
                while True:
                    jpeg = cv2.imencode(".jpg", picture(number))[1].tobytes()
                    self.wfile.write(b"--next\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg))
                    self.wfile.write(jpeg + b"\r\n")
                    number += 1
                    time.sleep(max(0.0, begun + number / RATE - time.monotonic()))
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    with _served(address, Answers) as place:
        yield f"http://{place}/video", watched


@contextmanager
def hls(address: str, folder: Path, files: Callable[[str], str] = str) -> Iterator[tuple[str, Watched]]:
    """A list of films of a second, which grows. `files` changes what the list says."""
    watched = Watched()

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # as the base class names it
            watched.holding(self.connection)
            try:
                data = (folder / self.path.strip("/")).read_bytes()
            except OSError:
                self.send_error(404)
                return
            data = files(data.decode()).encode() if self.path.endswith(".m3u8") else data
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    form = ["-f", "hls", "-hls_time", "1", "-hls_list_size", "8", "-hls_flags", "delete_segments"]
    with _served(address, Answers) as place, _filming([*form, str(folder / "live.m3u8")]):
        _wait((folder / "live2.ts").exists)
        yield f"http://{place}/live.m3u8", watched


@contextmanager
def rtsp(address: str, answer: Callable[[str], str | None] = lambda _: None) -> Iterator[tuple[str, Watched]]:
    """A camera by RTSP over one connection. `answer` may answer a request itself: a status and further lines."""
    with socket.create_server((address, 0)) as server:
        camera = _Rtsp(answer)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=camera.talk, args=(server.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        url = f"rtsp://{address}:{server.getsockname()[1]}/board"
        with _filming(["-f", "rtsp", "-rtsp_transport", "tcp", url]):
            _wait(lambda: camera.running)
            yield url, camera.watched
        server.shutdown(socket.SHUT_RDWR)


class _Rtsp:
    """What a publisher announces and sends is given to all who play it."""

    def __init__(self, answer: Callable[[str], str | None]) -> None:
        self.watched, self.running = Watched(), False
        self._answer, self._announced = answer, b""
        self._players: set[socket.socket] = set()

    def talk(self, one: socket.socket) -> None:
        """One connection, whoever it is."""
        with one, one.makefile("rb") as file, suppress(OSError, ValueError, KeyError):  # cut off within a request
            while first := file.read(1):
                if first == b"$":
                    head = file.read(3)
                    self._hand_on(first + head + file.read(int.from_bytes(head[1:], "big")))
                else:
                    self._asked(one, (first + file.readline()).decode(), self._lines(file), file.read)
        self._players.discard(one)

    def _lines(self, file: Iterator[bytes]) -> dict[str, str]:
        lines = {}
        for line in file:
            if line == b"\r\n":
                break
            name, _, value = line.decode().partition(":")
            lines[name.lower()] = value.strip()
        return lines

    def _asked(self, one: socket.socket, asked: str, lines: dict[str, str], read: Callable[[int], bytes]) -> None:
        method = asked.split(" ", maxsplit=1)[0]
        body = read(int(lines.get("content-length", "0")))
        more, told = "", b""
        if method == "ANNOUNCE":
            self._announced = body
        if method == "DESCRIBE":
            more, told = "Content-Type: application/sdp\r\n", self._announced
        if method == "SETUP":
            more = f"Transport: {lines['transport']}\r\nSession: 1\r\n"
        status = self._answer(asked.strip()) or "200 OK"
        length = f"Content-Length: {len(told)}\r\n" if told else ""
        one.sendall(f"RTSP/1.0 {status}\r\nCSeq: {lines['cseq']}\r\n{more}{length}\r\n".encode() + told)
        if method == "RECORD":
            self.running = True
        if method == "PLAY":
            self.watched.holding(one)
            self._players.add(one)

    def _hand_on(self, packet: bytes) -> None:
        for one in list(self._players):
            try:
                one.sendall(packet)
            except OSError:
                self._players.discard(one)


@contextmanager
def _served(address: str, answers: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer((address, 0), answers) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"{address}:{server.server_port}"
        finally:
            server.shutdown()


@contextmanager
def _filming(form: list[str]) -> Iterator[None]:
    """Numbered pictures at their speed, as H.264 in the form that is asked for."""
    command = ["ffmpeg", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{WIDTH}x{HEIGHT}"]
    command += ["-r", str(RATE), "-i", "-", "-c:v", "libx264", "-tune", "zerolatency", "-preset", "ultrafast"]
    command += ["-pix_fmt", "yuv420p", "-g", str(RATE // 2), *form]
    with started(command, stdin=subprocess.PIPE) as encoder:
        ended = threading.Event()

        def film() -> None:
            begun, number = time.monotonic(), 0
            with suppress(OSError, ValueError):
                while not ended.is_set() and encoder.stdin is not None:
                    encoder.stdin.write(numbered(number).tobytes())
                    number += 1
                    time.sleep(max(0.0, begun + number / RATE - time.monotonic()))

        camera = threading.Thread(target=film, daemon=True)
        camera.start()
        try:
            yield
        finally:
            ended.set()
            camera.join()


def _wait(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > end:
            raise TimeoutError("the camera does not begin")
        time.sleep(0.05)
