"""The way out for what opens a stream: a proxy on this machine that connects only to where streams may come from.

FFmpeg follows redirects and lists of what to play next by itself. By http and https it asks the proxy that the
environment names for every connection; by rtsp it is given the gate's own address in place of the camera's, and where
an answer sends it elsewhere, it is sent to the gate again. So each connection is looked at here, and goes to the
address that was looked at. Where the kernel can (server.board.setup.lock), what opens the stream can connect to nothing
else.
"""

from __future__ import annotations

import os
import re
import select
import socket
import socketserver
import ssl
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from io import BufferedIOBase
from typing import BinaryIO
from urllib.parse import SplitResult

from engine import outside
from server.board.setup.lock import restrict_thread
from server.board.setup.within import AllowedAddresses
from vision.network_camera import STREAM_S

LONGEST_HEADER, MOST_HEADERS = 8192, 64
"""Of a request's or an answer's head; FFmpeg sends six lines, cameras some twenty."""
LONGEST_SDP = 1 << 20
"""Bytes of an answer's body by rtsp: what it says of a stream is one or two thousand."""
MOST_REDIRECTS = 8
"""As many as FFmpeg follows by http."""
PASSED_ON = 1 << 16
"""Bytes read and written at a time: a picture of a camera or two."""
REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
CONNECTED = b"HTTP/1.1 200 Connected\r\n\r\n"
LEADS_ON = re.compile(r"RTSP/\S+ +3\d\d")
OF_ONE_CONNECTION = frozenset({"connection", "proxy-connection", "proxy-authorization", "keep-alive"})
DEFAULT_PORTS = {"http": 80, "https": 443, "rtsp": 554, "rtsps": 322}
PROTOCOLS_SPOKEN = {"http": "http,https,httpproxy,tcp,tls,crypto", "rtsp": "rtsp,tcp"}
"""What FFmpeg may speak for a source: no files, no datagrams, nothing that asks no proxy."""


class ForeignStreamError(Exception):  # it says where it leads
    """A stream leads to where none may come from."""


class Gate(socketserver.ThreadingTCPServer):
    """The proxy, for one stream."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, reach: AllowedAddresses) -> None:
        self.refused = ""
        """The host to which it was asked to connect last and did not, as it may not."""
        self.redirects = 0
        self.stream = SplitResult("", "", "", "", "")
        """The camera that is reached by rtsp through the gate's own address."""
        self._reach = reach
        super().__init__(("127.0.0.1", 0), _Through)
        threading.Thread(target=self.serve_forever, name="gate", daemon=True).start()

    def redirect_source(self, source: str) -> str:
        """What to open in place of `source`. From now on FFmpeg in this thread comes through the gate only."""
        for name in ("no_proxy", "NO_PROXY"):
            os.environ.pop(name, None)
        os.environ["http_proxy"] = f"http://127.0.0.1:{self.server_address[1]}"
        parts = outside.parse_address(source, "camera")
        by_rtsp = parts.scheme.lower().startswith("rtsp")
        spoken = PROTOCOLS_SPOKEN["rtsp" if by_rtsp else "http"]
        os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = f"protocol_whitelist;{spoken}|rtsp_transport;tcp"
        restrict_thread(self.server_address[1])
        return self.redirect_stream(parts) if by_rtsp else source

    def redirect_stream(self, stream: SplitResult) -> str:
        """The address at the gate by which that stream is reached from now on."""
        self.stream = stream
        before, at, _ = stream.netloc.rpartition("@")
        return stream._replace(scheme="rtsp", netloc=f"{before}{at}127.0.0.1:{self.server_address[1]}").geturl()

    def follow_redirect(self, location: str) -> str:
        """The same for where a camera sends its reader. Elsewhere where that is too far, or may not be."""
        parts = outside.parse_address(location)
        self.redirects += 1
        if self.redirects > MOST_REDIRECTS or parts.scheme.lower() not in {"rtsp", "rtsps"}:
            raise ForeignStreamError(location)
        self.resolve_host(parts.hostname or "")
        return self.redirect_stream(parts)

    def resolve_host(self, host: str) -> list[str]:
        """Where to connect for a host. Elsewhere where that is not allowed, OSError where nobody knows it."""
        found = self._reach.resolve_host(host)
        if not found:
            if self._reach.explain_refusal(host):
                self.refused = host
                raise ForeignStreamError(host)
            raise OSError(f"{host}: no such host")
        return found

    def connect_host(self, parts: SplitResult) -> socket.socket:
        """A connection to the first address of a host that answers. OSError and Elsewhere as above."""
        scheme = parts.scheme.lower() or "https"
        problem = OSError("no address")
        for address in self.resolve_host(parts.hostname or ""):
            try:
                plain = socket.create_connection((address, parts.port or DEFAULT_PORTS[scheme]), STREAM_S)
            except OSError as error:
                problem = error
                continue
            return _encrypt_socket(plain) if scheme == "rtsps" else plain
        raise problem


class _Through(socketserver.StreamRequestHandler):
    """One connection: by http one request and all that comes back, by rtsp all that is said."""

    server: Gate
    rbufsize = 0  # nothing that came after a head is held back from what passes on

    def handle(self) -> None:
        """Look where it leads, connect there, and pass on."""
        with suppress(OSError, ValueError):
            self.connection.settimeout(STREAM_S)
            first = self.rfile.readline(LONGEST_HEADER)
            method, target, version = first.decode("latin-1").split(" ", 2)
            head = "" if version.startswith("RTSP/") else _read_head(self.rfile)
            self.connection.settimeout(None)  # who reads slowly is waited for: it ends with the process
            try:
                if version.startswith("RTSP/"):
                    self._relay_rtsp(first)
                elif method == "CONNECT":
                    self._relay_tunnel(outside.parse_address(f"//{target}"))
                else:
                    self._relay_http(method, outside.parse_address(target), head)
            except ForeignStreamError:
                self.wfile.write(REFUSED)

    def _relay_rtsp(self, first: bytes) -> None:
        with closing(self.server.connect_host(self.server.stream)) as far:
            far.sendall(first)
            _relay_both_ways(self.connection, far, RtspAnswers(self.server.follow_redirect).filter_data)

    def _relay_tunnel(self, place: SplitResult) -> None:
        with closing(self.server.connect_host(place)) as far:
            self.wfile.write(CONNECTED)
            _relay_both_ways(self.connection, far, bytes)

    def _relay_http(self, method: str, place: SplitResult, head: str) -> None:
        """One request; further ones would have to be looked at as well, so each side is told that there are none."""
        if place.scheme.lower() != "http":
            raise ForeignStreamError(place.scheme)
        path = place._replace(scheme="", netloc="").geturl() or "/"
        with closing(self.server.connect_host(place)) as far:
            far.sendall(f"{method} {path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode("latin-1"))
            with far.makefile("rb") as answer:
                status = answer.readline(LONGEST_HEADER).decode("latin-1")
                self.wfile.write(f"{status}{_read_head(answer)}Connection: close\r\n\r\n".encode("latin-1"))
                while data := answer.read1(PASSED_ON):
                    self.wfile.write(data)


class RtspAnswers:
    """What a camera says by rtsp, passed on as it comes; where it sends its reader elsewhere, `follow_redirect`
    says to where.

    Between the answers lie parts of the stream, each after a dollar, its channel and its length (RFC 2326, 10.12).
    """

    def __init__(self, led_on: Callable[[str], str]) -> None:
        self._led_on = led_on
        self._held = bytearray()

    def filter_data(self, data: bytes) -> bytes:
        """What of it can be passed on now. ValueError for what is no rtsp, and what `follow_redirect` raises."""
        self._held += data
        out = bytearray()
        while whole := self._first_message_length():
            message = bytes(self._held[:whole])
            del self._held[:whole]
            out += message if message.startswith(b"$") else self._rewrite_location(message)
        return bytes(out)

    def _first_message_length(self) -> int:
        """The length of the first message that is held, 0 while it is not whole."""
        held = self._held
        if held.startswith(b"$"):
            whole = 4 + int.from_bytes(held[2:4], "big")
        else:
            end = held.find(b"\r\n\r\n")
            if end < 0:
                if len(held) > LONGEST_HEADER:
                    raise ValueError("no end of an answer's head")
                return 0
            whole = end + 4 + _body_length(bytes(held[:end]))
        return whole if 4 <= whole <= len(held) else 0

    def _rewrite_location(self, message: bytes) -> bytes:
        head, blank, body = message.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        leads = LEADS_ON.match(lines[0]) is not None
        for at, line in enumerate(lines):
            name, _, value = line.partition(":")
            if leads and name.strip().lower() == "location":
                lines[at] = f"Location: {self._led_on(value.strip())}"
        return "\r\n".join(lines).encode("latin-1") + blank + body


def _body_length(head: bytes) -> int:
    """Of the body that follows a head."""
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
            if not 0 <= length <= LONGEST_SDP:
                raise ValueError("no length of an answer")
            return length
    return 0


def _read_head(file: BufferedIOBase | BinaryIO) -> str:
    """The lines that follow the first, without what is said of one connection alone."""
    kept = ""
    for _ in range(MOST_HEADERS):
        line = file.readline(LONGEST_HEADER).decode("latin-1")
        if line.strip() == "":
            return kept
        if line.partition(":")[0].strip().lower() not in OF_ONE_CONNECTION:
            kept += line
    raise ValueError("too many lines")


def _relay_both_ways(near: socket.socket, far: socket.socket, looked_at: Callable[[bytes], bytes]) -> None:
    """Pass on what comes, until one side has ended or the far one says nothing for STREAM_S."""
    while True:
        waiting = isinstance(far, ssl.SSLSocket) and far.pending() > 0
        ready = [far] if waiting else select.select([near, far], [], [], STREAM_S)[0]
        if not ready:
            return
        for source in ready:
            data = source.recv(PASSED_ON)
            if not data:
                return
            if source is near:
                far.sendall(data)
            else:
                near.sendall(looked_at(data))


def _encrypt_socket(plain: socket.socket) -> socket.socket:
    """Encrypted, with whoever answers: as FFmpeg does it, since cameras have certificates that they made themselves."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        return context.wrap_socket(plain)
    except OSError:
        plain.close()
        raise
