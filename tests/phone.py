"""A network camera in a test: a phone that sends one JPEG after another over HTTP."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


@contextmanager
def phone(pictures: Callable[[], Iterable[bytes]]) -> Iterator[str]:
    """Its address; whoever connects gets the `pictures`, packed as JPEG, at their own pace."""

    class Phone(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            for part in pictures():
                head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(part)}\r\n\r\n"
                try:
                    self.wfile.write(head.encode() + part + b"\r\n")
                except OSError:
                    return

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Phone) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/video"
        finally:
            server.shutdown()
