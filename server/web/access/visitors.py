"""Who may visit the pages and by which ways they come, and an application that lets in nobody else."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask

from server.web import guard, offline, problems, squeezed
from server.web.access import rights, visits
from server.web.access.accounts import Door
from server.web.access.login import create_login_routes
from server.web.feed import Feed
from server.web.preferences import translate_error
from server.web.proxy import BASE, NamedProxy
from server.web.site import BEHIND_PROXY


@dataclass(frozen=True, slots=True)
class Visitors:
    """By default everybody on this computer, and nobody else."""

    hosts: tuple[str, ...] = ()
    """Names, besides addresses and localhost, under which the pages may be asked for."""
    door: Door | None = None
    """With one only its accounts come in."""
    secure: bool = False
    """Whether browsers see the pages encrypted: here, or by the proxy."""
    proxy: str = ""
    """Address of a proxy that is believed about address, host and TLS of who asks; empty for none."""
    sites: tuple[str, ...] = ()
    """Sites that may show the board in a frame; anybody may then see what spectators see."""
    base: str = ""
    """The path under which browsers find the pages, where a proxy in front has others at "/"; empty for none."""


def create_application(visitors: Visitors, feed: Feed) -> Flask:
    """An application without pages yet, for these visitors; `feed` says whether a tournament is played."""
    app = Flask("server")  # whose templates/ and static/ it has
    app.config[BASE] = visitors.base
    problems.install_error_handler(app, translate_error)
    offline.install_offline_page(app)
    squeezed.install_compression(app)
    guard.install_guard(app, visitors.hosts)
    if visitors.door is not None:
        visits.install_visits(app, visitors.door, secure=visitors.secure)
        rights.install_rights(app, visitors.door, feed, shown=bool(visitors.sites))
        app.register_blueprint(create_login_routes(visitors.door))
    if visitors.proxy:
        app.config[BEHIND_PROXY] = visitors.proxy
        app.wsgi_app = NamedProxy(app.wsgi_app, visitors.proxy)  # type: ignore[method-assign]  # as Flask says
    return app
