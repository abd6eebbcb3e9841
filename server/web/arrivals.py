"""New connections: taken from the system at once, and let in by turns of the addresses they come from.

To let a connection in (its parser, its timers, the handshake of TLS) costs four times what it costs to take it. Where
one address opens thousands, the first of any other would wait behind them all; here it waits behind one of each. From
the moment it is taken a connection counts in the crowd, so that those who never finish a handshake make way too.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from functools import partial

from server.web.connections import Connections, network_of

QUEUE = 2048
"""Connections that the system keeps until they are taken, as far as it lets a program have so many."""
TAKEN_AT_ONCE = 256
"""Before the loop looks after others: some 9 ms of a processor."""
LET_IN_AT_ONCE = 16
"""Before the loop looks after others: some 2 ms of a processor. With all, up to 2,000, it was away for 0.5 s."""
TAKEN_AGAIN_S = 0.2
"""Until the next try where the system has nothing left for a connection."""


class Arrival:
    """A connection that was taken and is not let in yet. A guest of the crowd."""

    def __init__(self, connection: socket.socket, network: str, leave: Callable[[Arrival], None]) -> None:
        self.connection = connection
        self.network = self.came_from = network
        self.welcome: asyncio.Task[None] | None = None
        self._leave = leave

    def close_now(self) -> None:
        """Make way."""
        self._leave(self)


class Arrivals:
    """Who comes to one listening socket. Belongs to the loop that it is opened in."""

    def __init__(
        self,
        listening: socket.socket,
        crowd: Connections,
        make: Callable[[Arrival], asyncio.Protocol],
        tls: ssl.SSLContext | None,
        handshake_s: float,
    ) -> None:
        """`make` gives who looks after a connection; a TLS handshake may take so many seconds."""
        self._listening, self._crowd, self._make, self._tls = listening, crowd, make, tls
        self._handshake_s = handshake_s if tls else None
        self._turns: dict[str, dict[Arrival, None]] = {}
        self._welcomes: set[asyncio.Task[None]] = set()
        self._letting_in = False

    def start_accepting(self) -> None:
        """From now on whoever comes is let in."""
        self._loop = asyncio.get_running_loop()
        self._listening.setblocking(False)  # noqa: FBT003 - takes no keyword
        self._listening.listen(QUEUE)
        self._loop.add_reader(self._listening, self._accept_connections)

    def stop_accepting(self) -> None:
        """Nobody comes any more; who is not in yet is sent away."""
        self._loop.remove_reader(self._listening)
        self._listening.close()
        for arrival in [arrival for waiting in self._turns.values() for arrival in waiting]:
            self._send_away(arrival)
        for welcome in self._welcomes:
            welcome.cancel()

    def _accept_connections(self) -> None:
        for _ in range(TAKEN_AT_ONCE):
            try:
                connection, address = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                break
            except OSError:  # not a file descriptor left
                self._loop.remove_reader(self._listening)
                self._loop.call_later(TAKEN_AGAIN_S, self._resume_accepting)
                break
            connection.setblocking(False)  # noqa: FBT003 - takes no keyword
            arrival = Arrival(connection, network_of(str(address[0])), self._send_away)
            if self._crowd.admit_guest(arrival):
                self._turns.setdefault(arrival.came_from, {})[arrival] = None
            else:
                connection.close()
        if self._turns and not self._letting_in:
            self._letting_in = True
            self._loop.call_soon(self._start_handshakes)

    def _resume_accepting(self) -> None:
        if self._listening.fileno() >= 0:
            self._loop.add_reader(self._listening, self._accept_connections)

    def _start_handshakes(self) -> None:
        """A few, one of each address in turn."""
        for _ in range(LET_IN_AT_ONCE):
            if not self._turns:
                break
            network = next(iter(self._turns))
            waiting = self._turns.pop(network)
            arrival = next(iter(waiting))
            del waiting[arrival]
            if waiting:
                self._turns[network] = waiting
            arrival.welcome = self._loop.create_task(self._perform_handshake(arrival))
            self._welcomes.add(arrival.welcome)
            arrival.welcome.add_done_callback(partial(self._finish_handshake, arrival))
        self._letting_in = bool(self._turns)
        if self._letting_in:
            self._loop.call_soon(self._start_handshakes)

    async def _perform_handshake(self, arrival: Arrival) -> None:
        try:
            await self._loop.connect_accepted_socket(
                lambda: self._make(arrival),
                arrival.connection,
                ssl=self._tls,
                ssl_handshake_timeout=self._handshake_s,
            )
        except OSError:
            arrival.connection.close()  # it has gone, or speaks no TLS
        finally:
            self._crowd.remove_guest(arrival)

    def _finish_handshake(self, arrival: Arrival, welcome: asyncio.Task[None]) -> None:
        self._welcomes.discard(welcome)
        if welcome.cancelled():
            arrival.connection.close()
            self._crowd.remove_guest(arrival)

    def _send_away(self, arrival: Arrival) -> None:
        if arrival.welcome is not None:
            arrival.welcome.cancel()
            return
        waiting = self._turns[arrival.came_from]
        del waiting[arrival]
        if not waiting:
            del self._turns[arrival.came_from]
        arrival.connection.close()
        self._crowd.remove_guest(arrival)
