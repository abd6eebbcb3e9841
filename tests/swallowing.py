"""A proxy that can swallow: connections stay open, and nothing goes through them any more, in neither direction."""

from __future__ import annotations

import os
import select
import socket
import threading
from contextlib import suppress

LOOK_S = 0.05
AWAY_S = float(os.environ.get("AWAY_S", "0"))
"""For so long tests leave a line cut after that was said; the measured figures had 60."""


class Swallowing:
    """Listens on a port of its own and passes everything on to `target`, unless it swallows."""

    def __init__(self, target: int) -> None:
        self._target = target
        self.swallows = False
        self._dead = set[socket.socket]()
        self._ends = self._forgets = False
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

    def forget(self) -> None:
        """Connections that there are lead nowhere from now on, and nobody is told: as after a router that was started
        again, or a network that was left and entered. New ones are passed on."""
        self._forgets = True

    def close(self) -> None:
        self._ends = True
        self._thread.join()

    def _run(self) -> None:
        pairs: dict[socket.socket, socket.socket] = {}
        with self._listening:
            while not self._ends:
                readable, _, _ = select.select([self._listening, *pairs], [], [], LOOK_S)
                if self._forgets:
                    self._forgets, self._dead = False, set(pairs)
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
        if data and (self.swallows or one in self._dead):
            return  # what was sent meanwhile is gone, as behind a half-open connection
        if data:
            with suppress(OSError):
                pairs[one].sendall(data)
                return
        other = pairs.pop(one)
        pairs.pop(other, None)
        one.close()
        other.close()
