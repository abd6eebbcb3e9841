"""The visit of somebody who logged in, kept in a signed cookie: whose it is, until when, and the token of its pages.

The cookie cannot be read by scripts and is not sent by other sites. The token is in a second cookie that our own
scripts can read: they send it as a header with each change, which no other site can.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from dataclasses import asdict, dataclass

from flask import Flask, Response, current_app, session

from server.accounts import Account

VISIT_S = 12 * 3600
"""A tournament day."""
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
    """Visits that were ended by logging out, until they would have ended anyway: a copied cookie opens nothing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until: dict[str, float] = {}

    def add(self, visit: Visit) -> None:
        """That visit is over."""
        with self._lock:
            now = time.time()
            self._until = {name: until for name, until in self._until.items() if until > now} | {visit.id: visit.until}

    def has(self, visit: Visit) -> bool:
        """Whether it is over."""
        return visit.id in self._until


def install(app: Flask, secret: str, secure: bool) -> None:
    """Sign the cookies of `app` with `secret`; `secure`: they travel over TLS only."""
    app.secret_key = secret
    app.config.update(
        SESSION_COOKIE_NAME="visit",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_COOKIE_SECURE=secure,
        PERMANENT_SESSION_LIFETIME=VISIT_S,
        SESSION_REFRESH_EACH_REQUEST=False,
    )
    app.extensions["ended_visits"] = Ended()


def begin(account: Account, response: Response) -> Response:
    """A new visit, whatever cookie was sent before; `response` brings the token."""
    visit = Visit(secrets.token_hex(16), account.name, account.mark, time.time() + VISIT_S, secrets.token_urlsafe(32))
    session.clear()
    session.permanent = True
    session.update(asdict(visit))
    response.set_cookie(
        TOKEN_COOKIE,
        visit.token,
        max_age=VISIT_S,
        secure=current_app.config["SESSION_COOKIE_SECURE"],
        samesite="Strict",
    )
    return response


def end(response: Response) -> Response:
    """The visit is over, also for copies of its cookie."""
    if visit := current():
        current_app.extensions["ended_visits"].add(visit)
    session.clear()
    response.delete_cookie(TOKEN_COOKIE)
    return response


def current() -> Visit | None:
    """The visit of this request, None without or after its end."""
    if "until" not in session:
        return None
    visit = Visit(*(session[name] for name in ("id", "name", "mark", "until", "token")))
    return None if is_over(current_app, visit) else visit


def is_over(app: Flask, visit: Visit) -> bool:
    """Whether the visit has ended, by itself or by logging out."""
    return visit.until < time.time() or bool(app.extensions["ended_visits"].has(visit))
