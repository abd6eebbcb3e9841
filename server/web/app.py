"""The web application: what it is made of, and where it is served."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from flask import Flask

from engine.game import Game
from server.access import rights, visits
from server.access.accounts import Door
from server.access.login import login, me
from server.drawing import board_view
from server.http import guard, problems
from server.http.proxy import NamedProxy
from server.http.site import BEHIND_PROXY, Site, Tls, listen
from server.http.streams import Streams
from server.live.feed import Feed
from server.live.phone import Phone
from server.setup.find import Found
from server.setup.routes import live as live_setup
from server.web.api import api
from server.web.changes import Asked, changes
from server.web.games import games_api
from server.web.health import health
from server.web.help import help_page
from server.web.looking import looking
from server.web.onward import onward
from server.web.pages import pages
from server.web.past_games import past_games
from server.web.phone_page import phone_page
from server.web.preferences import preferences


def create_app(
    feed: Feed,
    put: Callable[[Asked], object],
    game: Game,
    allowed_hosts: Collection[str] = (),
    spectators: Feed | None = None,
    record: Path | None = None,
    door: Door | None = None,
    secure: bool = False,
    behind_proxy: str = "",
    options: Mapping[str, object] | None = None,
    keep: Callable[[Found], str] | None = None,
    phone: Phone | None = None,
    make_way: Callable[[str], object] | None = None,
    embed_on: Collection[str] = (),
) -> Flask:
    """The application: reads from `feed`, hands inputs to `put`, draws the board of `game`.

    `allowed_hosts` are host names, besides addresses and localhost, under which it may be asked; `spectators` is the
    feed of who only looks on, without it they read `feed`; `record` is the file with the games, for what the pages
    show of past plies. With a `door` only its accounts come in; `secure`: over TLS only. `behind_proxy` is the address
    of a proxy that is believed about address, host and TLS of who asks. `options` are shown on the page of settings;
    `keep` stores a place of the board that was found on the set-up page and says where; `make_way` ends a recording for
    what is named (server.web.onward), None where a camera is watched. On the sites `embed_on` the board may be shown,
    and then anybody may see what spectators see.
    """
    app = Flask("server")  # whose templates/ and static/ it has
    problems.install(app)
    guard.install(app, allowed_hosts)
    if door is not None:
        visits.install(app, door, secure)
        rights.install(app, door, feed, shown=bool(embed_on))
        app.register_blueprint(login(door))
    if behind_proxy:
        app.config[BEHIND_PROXY] = behind_proxy
        app.wsgi_app = NamedProxy(app.wsgi_app, behind_proxy)  # type: ignore[method-assign]  # as Flask says
    streams = Streams()
    app.register_blueprint(health(feed, streams, record))
    app.register_blueprint(me(door))
    app.register_blueprint(api(feed, spectators or feed, streams))
    app.register_blueprint(changes(put, game))
    app.register_blueprint(onward(make_way))
    app.register_blueprint(looking(feed, record))
    app.register_blueprint(live_setup(feed, keep))
    app.register_blueprint(phone_page(phone))
    app.register_blueprint(pages(game, embed_on))
    app.register_blueprint(past_games(record))
    app.register_blueprint(games_api(record, feed))
    app.register_blueprint(preferences(options or {}))
    app.register_blueprint(help_page(game, board_view(game.board)))

    return app


def serve(app: Flask, host: str = "127.0.0.1", port: int = 5000, tls: Tls | None = None) -> Site:
    """Answer requests in threads of their own from now on; port 0 takes a free one."""
    return Site(app, listen(host, port), tls)
