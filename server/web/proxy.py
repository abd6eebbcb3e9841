"""One proxy in front, named by its address: what it says about who asks is believed, and of nobody else."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from werkzeug.middleware.proxy_fix import ProxyFix

from engine.errors import InputError


def address(text: str) -> str:
    """The address of a proxy as connections show it. InputError if it is none."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError as error:
        raise InputError(
            f"--behind-proxy {text}: not an address; name the one that the proxy connects from, such as 127.0.0.1"
        ) from error


class NamedProxy:
    """An application that believes `X-Forwarded-For`, `-Proto` and `-Host` of the proxy at one address only.

    Who connects from elsewhere, past the proxy, counts as what he is: he can claim no other address, name or TLS.
    """

    def __init__(self, app: WSGIApplication, proxy: str) -> None:
        self._plain, self._proxy = app, proxy
        self._told: Any = ProxyFix(app, x_for=1, x_proto=1, x_host=1)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        app = self._told if environ.get("REMOTE_ADDR") == self._proxy else self._plain
        return app(environ, start_response)
