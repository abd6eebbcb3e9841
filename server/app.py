"""The web application: what it is made of, and where it is served."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from engine.acts import Act
from engine.errors import InputError
from engine.game import Game
from server import access, guard, problems, visits
from server.accounts import Door
from server.api import api
from server.changes import changes
from server.feed import Feed
from server.games_api import games_api
from server.health import health
from server.help import help_page
from server.hints import SwitchMode
from server.login import login, me
from server.looking import looking
from server.pages import pages
from server.past_games import past_games
from server.phone import Phone
from server.phone_page import phone_page
from server.preferences import preferences
from server.setup_find import Found
from server.setup_routes import live as live_setup
from server.streams import Streams
from server.view import board_view
from server.web import Site, Tls


def create_app(
    feed: Feed,
    put: Callable[[Act | SwitchMode], object],
    game: Game,
    allowed_hosts: Collection[str] = (),
    spectators: Feed | None = None,
    record: Path | None = None,
    door: Door | None = None,
    secure: bool = False,
    behind_proxy: bool = False,
    options: Mapping[str, object] | None = None,
    keep: Callable[[Found], str] | None = None,
    phone: Phone | None = None,
) -> Flask:
    """The application: reads from `feed`, hands inputs to `put`, draws the board of `game`.

    `allowed_hosts` are host names, besides addresses and localhost, under which it may be asked; `spectators` is the
    feed of who only looks on, without it they read `feed`; `record` is the file with the games, for what the pages
    show of past plies. With a `door` only its accounts come in; `secure`: over TLS only. `behind_proxy` believes what
    one proxy says about address, host and TLS of who asks. `options` are shown on the page of settings;
    `keep` stores a place of the board that was found on the set-up page and says where.
    """
    app = Flask(__name__)
    problems.install(app)
    guard.install(app, allowed_hosts)
    if door is not None:
        visits.install(app, door, secure)
        access.install(app, door, feed)
        app.register_blueprint(login(door))
    if behind_proxy:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=1, x_proto=1, x_host=1)  # type: ignore[method-assign]  # as Flask says
    streams = Streams()
    app.register_blueprint(health(feed, streams))
    app.register_blueprint(me(door))
    app.register_blueprint(api(feed, spectators or feed, streams))
    app.register_blueprint(changes(put, game))
    app.register_blueprint(looking(feed, record))
    app.register_blueprint(live_setup(feed, keep))
    app.register_blueprint(phone_page(phone))
    app.register_blueprint(pages(game))
    app.register_blueprint(past_games(record))
    app.register_blueprint(games_api(record))
    app.register_blueprint(preferences(options or {}))
    app.register_blueprint(help_page(game, board_view(game.board)))

    return app


def listen(host: str, port: int) -> socket.socket:
    """The socket of the page, port 0 for a free one; InputError when it cannot be had. Nothing is answered yet."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = "another program uses it" if error.errno == errno.EADDRINUSE else error.strerror
        raise InputError(f"web page on {host}:{port}: {reason}: choose another with --port") from error


def serve(app: Flask, host: str = "127.0.0.1", port: int = 5000, tls: Tls | None = None) -> Site:
    """Answer requests in threads of their own from now on; port 0 takes a free one."""
    return Site(app, listen(host, port), tls)
