"""A proxy that can swallow: connections stay open, and nothing goes through them any more, in neither direction."""

from __future__ import annotations

import select
import socket
import threading
from contextlib import suppress

LOOK_S = 0.05


class Swallowing:
    """Listens on a port of its own and passes everything on to `target`, unless it swallows."""

    def __init__(self, target: int) -> None:
        self._target = target
        self.swallows = False
        self._ends = False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def aim(self, target: int) -> None:
        """Pass on to another port from now on: the service was started again."""
        self._target = target

    def close(self) -> None:
        self._ends = True
        self._thread.join()

    def _run(self) -> None:
        pairs: dict[socket.socket, socket.socket] = {}
        with self._listening:
            while not self._ends:
                readable, _, _ = select.select([self._listening, *pairs], [], [], LOOK_S)
                for one in readable:
                    if one is self._listening:
                        self._accept(pairs)
                    elif one in pairs:
                        self._pass(one, pairs)
        for one in pairs:
            one.close()

    def _accept(self, pairs: dict[socket.socket, socket.socket]) -> None:
        client, _ = self._listening.accept()
        try:
            server = socket.create_connection(("127.0.0.1", self._target), timeout=5)
        except OSError:
            client.close()
            return
        pairs[client], pairs[server] = server, client

    def _pass(self, one: socket.socket, pairs: dict[socket.socket, socket.socket]) -> None:
        data = b""
        with suppress(OSError):
            data = one.recv(65536)
        if data and self.swallows:
            return  # what was sent meanwhile is gone, as behind a half-open connection
        if data:
            with suppress(OSError):
                pairs[one].sendall(data)
                return
        other = pairs.pop(one)
        pairs.pop(other, None)
        one.close()
        other.close()
