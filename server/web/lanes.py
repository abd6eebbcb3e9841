"""Who answers a request: threads for all, of which one address has half, and a few beside them for what is dear.

A login, the drawing of an export and the files of an event take a second and more. They have threads of their own, and
no queue: whoever finds those taken is sent away by the event loop, before a thread has seen it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar

from server.web.crowd import network_of

WORKERS = 12
"""Threads for what comes from memory, and pictures of past plies."""
OF_ONE_ADDRESS = WORKERS // 2
DEAR = (("POST", re.compile(r"/login"), 4), ("GET", re.compile(r".*/(export\.(gif|html|pdf)|site\.zip)"), 3))
"""Method and path of what is dear, and how many of its kind may be under way: one works, the others wait for it
(server.web.turns)."""

Answer = TypeVar("Answer")


class Busy(Exception):  # noqa: N818  # it is the lane that is busy, an answer like others
    """Too many of this kind are under way."""


class Lanes:
    """The threads of one site. Belongs to its event loop."""

    def __init__(self, proxy: str = "") -> None:
        """At the address `proxy` one connects for all: it has all threads."""
        self._proxy = proxy
        self._threads = ThreadPoolExecutor(WORKERS, "web")
        self._dear = [(method, path, ThreadPoolExecutor(most, "dear"), [most]) for method, path, most in DEAR]
        self._shares: dict[str, tuple[asyncio.Semaphore, list[int]]] = {}

    async def run(self, method: str, path: str, address: str, work: Callable[[], Answer]) -> Answer:
        """What `work` returns, in the lane of that request. Busy where that one is full."""
        loop = asyncio.get_running_loop()
        for kind, pattern, threads, free in self._dear:
            if kind == method and pattern.fullmatch(path):
                if free[0] == 0:
                    raise Busy
                free[0] -= 1
                try:
                    return await loop.run_in_executor(threads, work)
                finally:
                    free[0] += 1
        async with self._share(network_of(address)):
            return await loop.run_in_executor(self._threads, work)

    @asynccontextmanager
    async def _share(self, network: str) -> AsyncIterator[None]:
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
