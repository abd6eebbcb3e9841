"""An application's pages on a port of this machine, for tests that read them as browsers do."""

from __future__ import annotations

from flask import Flask

from server.web.site import Site, Tls, create_listener


def serve_app(app: Flask, port: int = 0, tls: Tls | None = None) -> Site:
    """Answer requests in threads of their own from now on; port 0 takes a free one."""
    return Site(app, create_listener("127.0.0.1", port), tls)
