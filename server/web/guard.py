"""What keeps other web sites and oversized requests away from the referee on this machine.

A page elsewhere may point its own host name at this machine (DNS rebinding) or post to it from a browser here. So a
request must name this machine by an address or by a name that was allowed, and a change must come from our own page.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
from collections.abc import Collection
from typing import Any

from flask import Flask, Response, request
from flask.json.provider import DefaultJSONProvider
from markupsafe import Markup

from engine import outside
from engine.errors import InputError
from server.web.problems import Problem

PICTURES = "/api/v1/camera/frames"
"""Where the pictures are sent to."""
LARGEST_JPEG = 1_500_000
"""Bytes; 1920x1080 of quality 0.85 has 300 to 700 thousand."""

LARGEST_BODY = 16 * 1024
"""Bytes of a request; the longest is a correction with one move in it."""
TAKEN_IN = "/api/v1/games/import"
"""Where games are sent to."""
LARGEST_GAMES = 256 * 1024
"""Bytes; a game as data has 1.2 KB a ply with the scores of its pictures, so this is 200 plies of it. As text it is 370
games of 60 plies, which take 13 seconds to be played through: more is for the command."""
LARGER_BODIES: dict[str, tuple[str, int]] = {
    PICTURES: ("image/jpeg", LARGEST_JPEG),
    TAKEN_IN: ("application/json", LARGEST_GAMES),
}
"""Paths to which more is sent, or something else than JSON: its media type and its most bytes. A browser asks before it
sends that to another site, as with JSON."""
LISTS = re.compile(r"/api/v1/hall/tournaments(?:/[a-z0-9-]{1,40}/players)?")
"""Paths to which a hall's arbiters send lists of players."""
LARGEST_LIST_BODY = 512 * 1024
"""Bytes of such a list: 401 players with long names are 17 KB; the text in it may have 256 (people.LARGEST_LIST)."""
BEFORE_BODY, GO_ON = "referee.before-body", 204
"""Key of a request of which only the headers are known yet, and the status that asks for the rest."""
PROXY_BELIEVED = "werkzeug.proxy_fix.orig"
"""Key of a request about which the proxy that is named was believed (server.web.proxy)."""
NO_FRAME = "frame-ancestors 'none'"
SITE = re.compile(r"https?://[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?(:\d{1,5})?")
LOAD_AGAIN = (
    'addEventListener("error", ({ target }) => '
    'target.matches?.("script, [rel=stylesheet]") && setTimeout(() => location.reload(), 2000), true)'
)
"""The only script that is in the pages themselves. A page whose scripts do not come, as the referee just ends or begins
anew, would look alive and do nothing: it is loaded again."""
_ITS_HASH = base64.b64encode(hashlib.sha256(LOAD_AGAIN.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; script-src 'self' 'sha256-{_ITS_HASH}'; style-src 'self'; img-src 'self'; "
    f"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; {NO_FRAME}"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Json(DefaultJSONProvider):
    """What every body goes through: JSON that can be written again, or a Problem; ValueError if it is no JSON."""

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """The value in a body."""
        try:
            return outside.json_value(s)
        except InputError as error:
            raise Problem(422, f"body: {error}") from error


def install_guard(app: Flask, allowed_hosts: Collection[str]) -> None:
    """Check every request to `app` before it is answered, and mark every answer."""
    names = {"localhost", *(name.lower() for name in allowed_hosts)}
    app.json = Json(app)
    app.jinja_env.globals["load_again"] = Markup(LOAD_AGAIN)  # noqa: S704  # nosec B704  # a constant
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY

    @app.before_request
    def check() -> None:
        if not is_ours(request.host, names):
            raise Problem(421, f"host {request.host!r} is not served here: use the address, or allow the name")
        if request.method not in {"GET", "HEAD", "OPTIONS"}:
            check_change()

    @app.after_request
    def mark(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response


def parse_site(text: str) -> str:
    """A site that may show the board in a frame of its pages, as browsers write it. InputError if it is none."""
    if not SITE.fullmatch(text.lower()):
        raise InputError(f"--embed-on {text}: not a site; write it as https://club.example.org, without a path")
    return text.lower()


def may_frame(response: Response, sites: Collection[str]) -> Response:
    """Let pages of these sites show the answer in a frame; without any nobody may."""
    if sites:
        response.headers["Content-Security-Policy"] = POLICY.replace(NO_FRAME, f"frame-ancestors {' '.join(sites)}")
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def is_ours(host: str, names: Collection[str]) -> bool:
    """Whether a Host header names this machine: an address, which no foreign name server can give away, or a name."""
    try:
        name = outside.parse_address(f"//{host}").hostname or ""
    except InputError:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in names
    return True


def larger_body(path: str) -> tuple[str, int]:
    """The media type and the most bytes of what a path takes that takes more than others; 0 for any other."""
    return ("application/json", LARGEST_LIST_BODY) if LISTS.fullmatch(path) else LARGER_BODIES.get(path, ("", 0))


def check_change() -> None:
    """A request that changes something is JSON and comes from our own page or from no browser; else a Problem."""
    other, _ = larger_body(request.path)
    if request.mimetype not in {"application/json", other}:
        raise Problem(415, f"send the body as {other or 'application/json'}")
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in {"same-origin", "none"}:
        raise Problem(403, "changes are taken from the referee's own page only")
    origin = request.headers.get("Origin")
    if origin is not None and not _is_own(origin):
        raise Problem(403, f"changes are taken from the referee's own page only, not from {origin}{_proxy_hint()}")


def _proxy_hint() -> str:
    """Where a proxy is in front: which of its headers is probably why a page of ours is not known as such."""
    if PROXY_BELIEVED in request.environ:
        header, wrong = "X-Forwarded-Host", f"the proxy in front says that the page is at {request.host}"
    elif any(name in request.headers for name in ("X-Forwarded-For", "X-Forwarded-Host", "Forwarded")):
        header, wrong = "Host", f"a proxy in front, which --behind-proxy does not name, asks for {request.host}"
    else:
        return ""
    return (
        f": {wrong}. If you came by that proxy, let it pass on the name with its port "
        f"(nginx: proxy_set_header {header} $http_host;)"
    )


def _is_own(origin: str) -> bool:
    try:
        return outside.parse_address(origin).netloc == request.host
    except InputError:
        return False


def install_before_body(app: Flask) -> None:
    """Answer requests of which only the headers are known, once all other checks of `app` have let them pass.

    An application that has it already, because it is served a second time, keeps it.
    """
    if "answers before the body" in app.extensions:
        return
    app.extensions["answers before the body"] = True

    @app.before_request
    def go_on() -> Response | None:
        return Response(status=GO_ON) if BEFORE_BODY in request.environ else None
