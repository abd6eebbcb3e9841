"""The way out for what opens a stream: a proxy on this machine that connects only to where streams may come from.

FFmpeg follows redirects and the lists of what to play next by itself. It asks the proxy that the environment names for
every connection by http and https, so each of them is looked at here and goes to the address that was looked at. RTSP
knows no proxy: its name is replaced by its address first, and `strangers` finds where it went from there.
"""

from __future__ import annotations

import os
import socket
import socketserver
import threading
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from server.setup.within import Reach
from vision.frames import STREAM_S

LONGEST_HEADER, MOST_HEADERS = 8192, 64
"""Of a request's head; FFmpeg sends six lines."""
PASSED_ON = 1 << 16
"""Bytes read and written at a time: a picture of a camera or two."""
REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
CONNECTED = b"HTTP/1.1 200 Connected\r\n\r\n"


class Gate(socketserver.ThreadingTCPServer):
    """The proxy. Once it is installed, this process reaches the web through it only."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        super().__init__(("127.0.0.1", 0), _Through)
        threading.Thread(target=self.serve_forever, name="gate", daemon=True).start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    def install(self) -> None:
        """Have FFmpeg in this process use it for everything."""
        for name in ("no_proxy", "NO_PROXY"):
            os.environ.pop(name, None)
        os.environ["http_proxy"] = f"http://127.0.0.1:{self.port}"

    def strangers(self) -> list[str]:
        """Addresses to which this process is connected past the gate, and should not be."""
        met = []
        for descriptor in list(Path("/proc/self/fd").iterdir()):
            with suppress(OSError, ValueError), socket.socket(fileno=os.dup(int(descriptor.name))) as one:
                if one.family not in {socket.AF_INET, socket.AF_INET6}:
                    continue
                own, other = one.getsockname(), one.getpeername()
                if self.port not in {own[1], other[1]} and self.reach.address(other[0]) is None:
                    met.append(str(other[0]))
        return met


class _Through(socketserver.StreamRequestHandler):
    """One connection: one request, and all that comes back."""

    timeout = STREAM_S
    server: Gate

    def handle(self) -> None:
        """Look where it leads, connect there, and pass on."""
        with suppress(OSError, ValueError, UnicodeError):
            method, target, _ = self.rfile.readline(LONGEST_HEADER).decode("latin-1").split(" ", 2)
            head = self._head()
            parts = urlsplit(f"//{target}" if method == "CONNECT" else target)
            address = self.server.reach.address(parts.hostname or "")
            if address is None or parts.scheme not in {"", "http"}:
                self.wfile.write(REFUSED)
                return
            with socket.create_connection((address, parts.port or 80), STREAM_S) as far:
                if method == "CONNECT":
                    self.wfile.write(CONNECTED)
                    threading.Thread(target=_pump, args=(self.connection, far), daemon=True).start()
                else:
                    path = parts._replace(scheme="", netloc="").geturl() or "/"
                    far.sendall(f"{method} {path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode("latin-1"))
                _pump(far, self.connection)

    def _head(self) -> str:
        """The lines that follow the first, without what is said of this connection alone."""
        kept = ""
        for _ in range(MOST_HEADERS):
            line = self.rfile.readline(LONGEST_HEADER).decode("latin-1")
            if line.strip() == "":
                return kept
            if line.partition(":")[0].lower() not in {"connection", "proxy-connection", "proxy-authorization"}:
                kept += line
        raise ValueError("too many lines")


def _pump(source: socket.socket, sink: socket.socket) -> None:
    """Pass on what comes, until one side has ended."""
    with suppress(OSError):
        while data := source.recv(PASSED_ON):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
