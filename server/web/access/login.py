"""Logging in and out, and who one is."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from flask import Blueprint, Response, g, jsonify, render_template, request

from engine import outside
from engine.errors import InputError
from server.web.access import visits
from server.web.access.accounts import LONGEST_NAME, LONGEST_PASSWORD, ROLES, Door
from server.web.connections import network_of
from server.web.problems import Problem
from server.web.turns import Turns

log = logging.getLogger(__name__)

WINDOW_S = 60.0
MOST_FROM_ONE, MOST_ON_ONE, MOST_OF_ALL = 5, 10, 30
"""Failed logins a minute from one address, at one account, and of all: an eight-letter word list takes years, and the
hashing of 30 passwords (1.5 s of one core) is no burden for the game."""
MOST_WITH_NEW = 120
"""The same of all where an address has not failed yet: guesses from a few addresses keep nobody else out. At most six
seconds of a core a minute."""
MOST_ENTERED = 30
"""Logins a minute with the right password to one account from one address, each 50 ms of a core: a club that shares an
account at the beginning of a round stays below, a program that does nothing else does not."""
MOST_KNOWN = 1000
"""Pairs of address and account that are remembered for having come in."""
MOST_HASHING = 4
"""Logins that are looked at or wait for it: each holds one of the threads that answer everybody."""

HASHING_NICENESS = 10
"""Niceness of hashing, which works on four threads at once and holds the processors of whoever draws or looks: 0 is as
the rest of the program, 19 waits for every other program too."""


class Attempts:
    """Counts failed logins in a sliding window.

    Where somebody was in before only his own failures count: what others guess, from the same address or at the same
    account, does not keep him out.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failed: deque[tuple[float, str, str]] = deque()
        self._entered: deque[tuple[float, str, str]] = deque()
        self._known: dict[tuple[str, str], None] = {}

    def must_wait(self, address: str, name: str) -> bool:
        """Whether a login to that account from that address has to wait."""
        address = network_of(address)
        with self._lock:
            while self._failed and self._failed[0][0] < time.monotonic() - WINDOW_S:
                self._failed.popleft()
            while self._entered and self._entered[0][0] < time.monotonic() - WINDOW_S:
                self._entered.popleft()
            if sum((other, at) == (address, name) for _, other, at in self._entered) >= MOST_ENTERED:
                return True
            if (address, name) in self._known:
                return sum((other, at) == (address, name) for _, other, at in self._failed) >= MOST_FROM_ONE
            mine = sum(other == address for _, other, _ in self._failed)
            at_it = sum(other == name for _, _, other in self._failed)
            of_all = MOST_OF_ALL if mine else MOST_WITH_NEW
            return mine >= MOST_FROM_ONE or at_it >= MOST_ON_ONE or len(self._failed) >= of_all

    def check_allowed(self, address: str, name: str) -> None:
        """A Problem if it has to wait."""
        if self.must_wait(address, name):
            raise Problem(429, f"too many logins: wait {WINDOW_S:.0f} s")

    def is_known(self, address: str, name: str) -> bool:
        """Whether the account was opened from there before."""
        with self._lock:
            return (network_of(address), name) in self._known

    def note_failure(self, address: str, name: str) -> None:
        """One more."""
        with self._lock:
            self._failed.append((time.monotonic(), network_of(address), name))

    def note_success(self, address: str, name: str) -> None:
        """The account was opened from there."""
        with self._lock:
            self._entered.append((time.monotonic(), network_of(address), name))
            self._known[network_of(address), name] = None
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]


def create_me_routes(door: Door | None) -> Blueprint:
    """`/api/v1/me`; without accounts everybody is the arbiter."""
    routes = Blueprint("me", __name__)

    @routes.get("/api/v1/me")
    def who() -> Response:
        account = g.get("account") if door else None
        return jsonify({"name": account.name if account else None, "role": account.role if account else ROLES[-1]})

    return routes


def create_login_routes(door: Door) -> Blueprint:
    """The login page and what its script asks for."""
    routes = Blueprint("login", __name__)
    attempts, hashing = Attempts(), Turns("log in", MOST_HASHING)
    aside = ThreadPoolExecutor(1, "hashing", _lower_priority)

    @routes.get("/login")
    def page() -> str:
        found = visits.find_visitor(door) if "next" in request.args else None  # sent here by a page that is not theirs
        then = _own_path(request.args.get("next", "/"))
        return render_template("login.html", then=then, logged_in=found[0].name if found else "")

    @routes.post("/login")
    def enter() -> Response:
        body = request.get_json(silent=True)
        name, password = (body.get(key) if isinstance(body, dict) else None for key in ("name", "password"))
        if not isinstance(name, str) or not isinstance(password, str) or _is_long(name, password):
            raise Problem(422, "send a name and a password")
        address = request.remote_addr or ""
        attempts.check_allowed(address, name)  # before the turn, so that who has guessed enough takes no place
        known = attempts.is_known(address, name)
        with hashing.wait_for_turn(
            network_of(address), goes_first=known
        ):  # it takes memory and a core, which the game needs too
            attempts.check_allowed(address, name)  # others may have failed meanwhile
            account = aside.submit(door.current_accounts.check_password, name, password).result()
            if account is None:
                attempts.note_failure(address, name)
                log.warning("failed login from %s", address)  # what was typed as a name may be the password
                raise Problem(403, "name or password is wrong")
            attempts.note_success(address, name)
        log.info("%s has logged in from %s", account.name, address)
        return visits.begin_visit(account, jsonify({"name": account.name, "role": account.role}))

    @routes.post("/logout")
    def leave() -> Response:
        return visits.end_visit(jsonify({}))

    return routes


def _lower_priority() -> None:
    """Have the system run this thread, and those that it starts, when nothing else of the program wants to run."""
    with suppress(OSError):  # a system that knows no priority of a thread
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), HASHING_NICENESS)


def _is_long(name: str, password: str) -> bool:
    """Whether no account has such a name or password: it is not worth counting."""
    return len(name) > LONGEST_NAME or len(password) > LONGEST_PASSWORD


def _own_path(target: str) -> str:
    """The path to go to after the login: never another site's."""
    try:
        parts = outside.parse_address(target)
    except InputError:
        return "/"
    own = target.startswith("/") and not target.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return target if own and target.isprintable() else "/"
