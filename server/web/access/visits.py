"""The visit of somebody who logged in, kept in a signed cookie: whose it is, until when, and the token of its pages.

The cookie cannot be read by scripts and is not sent by other sites. The token is in a second cookie that our own
scripts can read: they send it as a header with each change, which no other site can.
"""

from __future__ import annotations

import hmac
import logging
import os
import secrets
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from flask import Flask, Response, current_app, session

from server.disk import write_private
from server.web.access.accounts import Account, Door
from server.web.proxy import BASE

log = logging.getLogger(__name__)

VISIT_S = 12 * 3600
"""A tournament day."""
MOST_ENDED = 20_000
"""Of the newest that are remembered: to push one of them out takes as many logins, which take 15 minutes of hashing.
Not by their time: a computer's clock that is set forward and back must open nothing."""
TOKEN_COOKIE, TOKEN_HEADER = "csrf", "X-CSRF-Token"


@dataclass(frozen=True, slots=True)
class Visit:
    """`mark` is the account's at the login, `until` a time in seconds since 1970, `token` what its pages send."""

    id: str
    name: str
    mark: str
    until: float
    token: str

    def is_sent_by_its_page(self, token: str) -> bool:
        """Whether this is the token of the visit."""
        return hmac.compare_digest(self.token.encode(), token.encode())


class Ended:
    """Visits that were ended by logging out, in a file too: a copied cookie opens nothing, also after a restart."""

    def __init__(self, path: Path) -> None:
        """`path` has one id a line, the newest last."""
        self._path, self._lock = path, threading.Lock()
        self._ids = self._read_ids()

    def add_visit(self, visit: Visit) -> None:
        """That visit is over. Where the disk does not take it, until the program ends."""
        with self._lock:
            self._ids[visit.id] = None
            try:
                with os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as file:
                    file.write(f"\n{visit.id}\n")
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                log.error("%s: %s: who has logged out is out until the referee is started again", self._path, error)

    def has_visit(self, visit: Visit) -> bool:
        """Whether it is over."""
        return visit.id in self._ids

    def _read_ids(self) -> dict[str, None]:
        """The newest ids; a file that has become long is written anew with them."""
        try:
            found = self._path.read_text(encoding="ascii", errors="replace").split()
        except OSError:
            return {}
        ids = dict.fromkeys(found[-MOST_ENDED:])
        if len(found) > 2 * MOST_ENDED:
            write_private(self._path, "".join(f"{name}\n" for name in ids))
        return ids


def install_visits(app: Flask, door: Door, *, secure: bool) -> None:
    """Sign the cookies of `app` with the secret of the accounts; `secure`: they travel over TLS only."""
    app.secret_key = door.current_accounts.secret
    app.config.update(
        SESSION_COOKIE_NAME="visit",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_COOKIE_SECURE=secure,
        SESSION_COOKIE_PATH=app.config[BASE] or "/",
        PERMANENT_SESSION_LIFETIME=VISIT_S,
        SESSION_REFRESH_EACH_REQUEST=False,
    )
    app.extensions["ended_visits"] = Ended(door.path.with_name(f"{door.path.name}-ended"))


def find_visitor(door: Door) -> tuple[Account, Visit] | None:
    """The account of whose browser asks, which is as it was at the login, and the visit; None for a stranger."""
    visit = current_visit()
    account = door.current_accounts.by_name.get(visit.name) if visit else None
    return (account, visit) if account and visit and visit.mark == account.password_mark else None


def begin_visit(account: Account, response: Response) -> Response:
    """A new visit, whatever cookie was sent before; `response` brings the token."""
    visit = Visit(
        secrets.token_hex(16), account.name, account.password_mark, time.time() + VISIT_S, secrets.token_urlsafe(32)
    )
    session.clear()
    session.permanent = True
    session.update(asdict(visit))
    response.set_cookie(
        TOKEN_COOKIE,
        visit.token,
        max_age=VISIT_S,
        path=current_app.config["SESSION_COOKIE_PATH"],
        secure=current_app.config["SESSION_COOKIE_SECURE"],
        samesite="Strict",
    )
    return response


def end_visit(response: Response) -> Response:
    """The visit is over, also for copies of its cookie."""
    if visit := current_visit():
        current_app.extensions["ended_visits"].add_visit(visit)
    session.clear()
    response.delete_cookie(TOKEN_COOKIE, path=current_app.config["SESSION_COOKIE_PATH"])
    return response


def current_visit() -> Visit | None:
    """The visit of this request, None without or after its end."""
    if "until" not in session:
        return None
    visit = Visit(*(session[name] for name in ("id", "name", "mark", "until", "token")))
    return None if is_over(current_app, visit) else visit


def is_over(app: Flask, visit: Visit) -> bool:
    """Whether the visit has ended, by itself or by logging out."""
    return visit.until < time.time() or bool(app.extensions["ended_visits"].has_visit(visit))
