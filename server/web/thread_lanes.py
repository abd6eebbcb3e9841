"""Who answers a request: threads for all, of which one address has half, and a few beside them for what is dear.

A login, the drawing of an export and the files of an event take a second and more. They have threads of their own.
Whoever finds those taken is sent away by the event loop, before a thread has seen it; a login waits for its turn.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, TypeVar

from server.web.connections import network_of

WORKERS = 12
"""Threads for what comes from memory, and pictures of past plies."""
OF_ONE_ADDRESS = WORKERS // 2
DEAR = (("POST", re.compile(r"/login"), 4, 64), ("GET", re.compile(r".*/(export\.(gif|html|pdf)|site\.zip)"), 3, 0))
"""Method and path of what is dear, how many of its kind may be under way (one works, the others wait for it,
server.web.turns), and how many more may wait for these. A login waits, for most are answered within milliseconds: who
has failed too frequently is told so, and nothing is hashed."""
KNOWN_AT_ONCE, MOST_KNOWN_NETWORKS = 4, 1000
"""Threads more for logins from where one has come in before, and how many such addresses are remembered."""
DEAR_OF_ONE = 2
"""Logins of one address under way or waiting: what others ask for from elsewhere sends nobody away."""

Answer = TypeVar("Answer", bound=tuple[int, Any, Any])


class Busy(Exception):  # noqa: N818  # it is the lane that is busy, an answer like others
    """Too many of this kind are under way."""


class _Dear:
    """The lane of one kind of dear requests."""

    def __init__(self, most: int, waiting: int) -> None:
        self.threads = ThreadPoolExecutor(most + (KNOWN_AT_ONCE if waiting else 0), "dear")
        self._free, self._places, self._waits = asyncio.Semaphore(most), most + waiting, waiting > 0
        self._askers: Counter[str] = Counter()
        self._known: dict[str, asyncio.Semaphore] = {}

    def remember_network(self, network: str) -> None:
        """What this network asked for was granted: next time it has a place of its own."""
        self._known.setdefault(network, asyncio.Semaphore(1))
        if len(self._known) > MOST_KNOWN_NETWORKS:
            del self._known[next(iter(self._known))]

    @asynccontextmanager
    async def hold_place(self, network: str) -> AsyncIterator[None]:
        """A thread, when it is free. Busy where too many wait, or too many of this network; "" is one without limit."""
        if self._places == 0 or (self._waits and network and self._askers[network] >= DEAR_OF_ONE):
            raise Busy
        self._places -= 1
        self._askers[network] += 1
        try:
            async with self._known.get(network, self._free):
                yield
        finally:
            self._places += 1
            self._askers[network] -= 1
            self._askers += Counter()  # forgets those that have none


class ThreadLanes:
    """The threads of one site. Belongs to its event loop."""

    def __init__(self, proxy: str = "") -> None:
        """At the address `proxy` one connects for all: it has all threads."""
        self._proxy = proxy
        self._threads = ThreadPoolExecutor(WORKERS, "web")
        self._dear = [(method, path, _Dear(most, waiting)) for method, path, most, waiting in DEAR]
        self._shares: dict[str, tuple[asyncio.Semaphore, list[int]]] = {}

    async def run_in_lane(self, method: str, path: str, address: str, work: Callable[[], Answer]) -> Answer:
        """What `work` returns, in the lane of that request. Busy where that one is full."""
        loop = asyncio.get_running_loop()
        for kind, pattern, dear in self._dear:
            if kind == method and pattern.fullmatch(path):
                network = network_of(address)
                async with dear.hold_place("" if network == self._proxy else network):
                    answer = await loop.run_in_executor(dear.threads, work)
                if kind == "POST" and answer[0] == HTTPStatus.OK:
                    dear.remember_network(network)
                return answer
        async with self._hold_share(network_of(address)):
            return await loop.run_in_executor(self._threads, work)

    @asynccontextmanager
    async def _hold_share(self, network: str) -> AsyncIterator[None]:
        """Wait until this network has fewer than its share of threads."""
        if network == self._proxy:
            yield
            return
        share, users = self._shares.setdefault(network, (asyncio.Semaphore(OF_ONE_ADDRESS), [0]))
        users[0] += 1
        try:
            async with share:
                yield
        finally:
            users[0] -= 1
            if not users[0]:
                self._shares.pop(network, None)
