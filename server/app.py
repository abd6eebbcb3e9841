"""The web application and the server that runs it beside the main loop."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, cast

from flask import Flask, jsonify
from flask.typing import ResponseReturnValue
from waitress.server import BaseWSGIServer, create_server
from waitress.wasyncore import close_all, loop
from werkzeug.middleware.proxy_fix import ProxyFix

from engine.acts import Act
from engine.errors import InputError
from engine.game import Game
from server import access, guard, problems, visits
from server.accounts import Door
from server.api import api
from server.changes import changes
from server.feed import Feed
from server.login import login, me
from server.looking import looking
from server.pages import pages
from server.streams import MOST_STREAMS

THREADS = MOST_STREAMS + 8
"""One for each open stream and a few for everything that is answered at once."""

LOOP_S = 0.2
"""How long the server sleeps when nothing comes, and so how long `close` may take to be noticed."""
SHUTDOWN_S = 1
"""How long answers under way may take at the end."""


def create_app(
    feed: Feed,
    put: Callable[[Act], object],
    game: Game,
    allowed_hosts: Collection[str] = (),
    spectators: Feed | None = None,
    record: Path | None = None,
    door: Door | None = None,
    secure: bool = False,
    behind_proxy: bool = False,
) -> Flask:
    """The application: reads from `feed`, hands inputs to `put`, draws the board of `game`.

    `allowed_hosts` are host names, besides addresses and localhost, under which it may be asked; `spectators` is the
    feed of who only looks on, without it they read `feed`; `record` is the file with the games, for what the pages
    show of past plies. With a `door` only its accounts come in; `secure`: over TLS only. `behind_proxy` believes what
    one proxy says about address, host and TLS of who asks.
    """
    app = Flask(__name__)
    problems.install(app)
    guard.install(app, allowed_hosts)
    if door is not None:
        visits.install(app, door.accounts.secret, secure)
        access.install(app, door, feed)
        app.register_blueprint(login(door))
    if behind_proxy:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=1, x_proto=1, x_host=1)  # type: ignore[method-assign]  # as Flask says
    app.register_blueprint(me(door))
    app.register_blueprint(api(feed, spectators or feed))
    app.register_blueprint(changes(put, game))
    app.register_blueprint(looking(feed, record))
    app.register_blueprint(pages(game))

    @app.get("/healthz")
    def healthz() -> ResponseReturnValue:
        ready = feed.snapshot is not None
        return jsonify({"status": "ok" if ready else "starting"}), 200 if ready else 503

    return app


class Site:
    """A running web server: `url`, and `close` to end it. Its sockets belong to one thread, which also closes them."""

    def __init__(self, app: Flask, listening: socket.socket) -> None:
        host, port = listening.getsockname()[:2]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
        self._sockets: dict[int, Any] = {}
        server = create_server(app, map=self._sockets, sockets=[listening], threads=THREADS, ident=None)
        self._server = cast(BaseWSGIServer, server)  # what one socket gives
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop answering. Close the feed first, so that open streams end."""
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            loop(timeout=LOOP_S, map=self._sockets, count=1)
        self._server.task_dispatcher.shutdown(timeout=SHUTDOWN_S)
        close_all(self._sockets)


def listen(host: str, port: int) -> socket.socket:
    """The socket of the page, port 0 for a free one; InputError when it cannot be had. Nothing is answered yet."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = "another program uses it" if error.errno == errno.EADDRINUSE else error.strerror
        raise InputError(f"web page on {host}:{port}: {reason}: choose another with --port") from error


def serve(app: Flask, host: str = "127.0.0.1", port: int = 5000) -> Site:
    """Answer requests in threads of their own from now on; port 0 takes a free one."""
    return Site(app, listen(host, port))
