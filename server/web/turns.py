"""Work that takes seconds or much memory, in turns: a few requests wait for theirs, and the others are sent away.

Passwords are hashed and exports drawn by a few threads (server.web.thread_lanes); who asks for many at once must not
hold all of them.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import g, request

from server.web.problems import Problem

OF_ONE = 2
"""Pieces of work that one address or account may have waiting: a page asks for a film and a sheet."""


RESERVED = 2
"""More pieces of work of those that go first: what strangers have waiting takes no place from them."""


class Turns:
    """One piece of work at a time; `most` are done or waited for at once, and OF_ONE by one asker."""

    def __init__(self, what: str, most: int) -> None:
        self._what, self._most = what, most
        self._changed, self._is_busy = threading.Condition(), False
        self._askers: list[str] = []
        self._waiting: list[tuple[bool, int]] = []
        self._numbers = itertools.count()

    @contextmanager
    def wait_for_turn(self, asker: str, *, goes_first: bool = False) -> Iterator[None]:
        """The asker's turn, waited for; a Problem where too many wait, or too many of them are the asker's own.

        Who `goes_first` has places that nobody else may take, and waits only for what is being done.
        """
        with self._changed:
            most = self._most + (RESERVED if goes_first else 0)
            if len(self._askers) >= most or self._askers.count(asker) >= OF_ONE:
                raise Problem(503, f"{self._what}: others are served first, try again in some seconds")
            self._askers.append(asker)
            ticket = (not goes_first, next(self._numbers))
            self._waiting.append(ticket)
            self._changed.wait_for(lambda: not self._is_busy and min(self._waiting) == ticket)
            self._waiting.remove(ticket)
            self._is_busy = True
        try:
            yield
        finally:
            with self._changed:
                self._askers.remove(asker)
                self._is_busy = False
                self._changed.notify_all()


def current_asker() -> str:
    """Who asks just now: the account, or the address where there is none."""
    account = g.get("account")
    return str(account.name) if account else request.remote_addr or ""
