"""Work that takes seconds or much memory, in turns: a few requests wait for theirs, and the others are sent away.

Passwords are hashed and exports drawn by a few threads (server.web.lanes); who asks for many at once must not hold all
of them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import g, request

from server.web.problems import Problem

OF_ONE = 2
"""Pieces of work that one address or account may have waiting: a page asks for a film and a sheet."""


class Turns:
    """One piece of work at a time; `most` are done or waited for at once, and OF_ONE by one asker."""

    def __init__(self, what: str, most: int) -> None:
        self._what, self._most = what, most
        self._lock, self._working = threading.Lock(), threading.Lock()
        self._askers: list[str] = []

    @contextmanager
    def turn(self, asker: str) -> Iterator[None]:
        """The asker's turn, waited for; a Problem where too many wait, or too many of them are the asker's own."""
        with self._lock:
            if len(self._askers) >= self._most or self._askers.count(asker) >= OF_ONE:
                raise Problem(503, f"{self._what}: others are served first, try again in some seconds")
            self._askers.append(asker)
        try:
            with self._working:
                yield
        finally:
            with self._lock:
                self._askers.remove(asker)


def asker() -> str:
    """Who asks just now: the account, or the address where there is none."""
    account = g.get("account")
    return str(account.name) if account else request.remote_addr or ""
