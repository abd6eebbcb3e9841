"""What is in front of an application: a proxy, and the path under which it has the pages.

The proxy is named by its address: what it says about who asks is believed, and of nobody else.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from engine.errors import InputError

BASE = "BASE"
"""Key of an application's configuration: the path under which browsers find it, "" for none."""
ROOT_AROUND = "referee.around"
"""Key of a request: the path of the application around the one that answers, None where there is none around it."""
TAKEN_OFF = re.compile(r"(/(?!\.{1,2}(/|$))[A-Za-z0-9._~-]+)+")
LONGEST_BASE = 200


def parse_proxy_address(text: str) -> str:
    """The address of a proxy as connections show it. InputError if it is none."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError as error:
        raise InputError(
            f"--behind-proxy {text}: not an address; name the one that the proxy connects from, such as 127.0.0.1"
        ) from error


class NamedProxy:
    """An application that believes `X-Forwarded-For`, `-Proto` and `-Host` of the proxy at one address only; so does
    `server.web.site` with `-Prefix`.

    Who connects from elsewhere, past the proxy, counts as what he is: he can claim no other address, name or TLS.
    """

    def __init__(self, app: WSGIApplication, proxy: str) -> None:
        self._plain, self._proxy = app, proxy
        self._told: Any = ProxyFix(app, x_for=1, x_proto=1, x_host=1)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        app = self._told if environ.get("REMOTE_ADDR") == self._proxy else self._plain
        return app(environ, start_response)


@dataclass(frozen=True, slots=True)
class PlaceOnSite:
    """Who answers a request: SCRIPT_NAME and PATH_INFO as that application has them (PEP 3333)."""

    app: Flask
    root: str
    path: str
    home: str | None


class Mounts:
    """The application of a site, and others below paths of their own. For any thread."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._base = str(app.config.get(BASE, ""))
        self._below: dict[str, Flask] = {}

    def add_application(self, path: str, app: Flask) -> None:
        """Answer what is below `path`, such as /own-board, by `app` from now on."""
        self._below = {**self._below, path: app}

    def find_application(self, path: str, prefix: str) -> PlaceOnSite:
        """Who answers `path`. `prefix` is what a proxy that is believed says it has taken off, "" for nothing."""
        root = prefix if TAKEN_OFF.fullmatch(prefix) and len(prefix) <= LONGEST_BASE else self._base
        if self._base and (path == self._base or path.startswith(f"{self._base}/")):
            path = path.removeprefix(self._base) or "/"
        for below, app in self._below.items():
            if path == below or path.startswith(f"{below}/"):
                return PlaceOnSite(app, root + below, path.removeprefix(below) or "/", root)
        return PlaceOnSite(self._app, root, path, None)


def parse_base(text: str) -> str:
    """The path of --base without a slash at its end; InputError if it is none."""
    path = text.rstrip("/")
    if path and (not TAKEN_OFF.fullmatch(path) or len(path) > LONGEST_BASE):
        raise InputError(f"--base {text[:40]}: not a path; write it as /camelot")
    return path
