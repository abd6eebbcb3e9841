"""The web application and the server that runs it beside the main loop."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable, Collection

from flask import Flask, jsonify
from flask.typing import ResponseReturnValue
from waitress.server import create_server

from engine.acts import Act
from engine.errors import InputError
from engine.game import Game
from server import guard, problems
from server.api import MOST_STREAMS, api
from server.feed import Feed
from server.pages import pages

THREADS = MOST_STREAMS + 8
"""One for each open stream and a few for everything that is answered at once."""

SHUTDOWN_S = 1
"""How long answers under way may take at the end."""


def create_app(feed: Feed, put: Callable[[Act], object], game: Game, allowed_hosts: Collection[str] = ()) -> Flask:
    """The application: reads from `feed`, hands inputs to `put`, draws the board of `game`.

    `allowed_hosts` are host names, besides addresses and localhost, under which it may be asked.
    """
    app = Flask(__name__)
    problems.install(app)
    guard.install(app, allowed_hosts)
    app.register_blueprint(api(feed, put, game))
    app.register_blueprint(pages(game))

    @app.get("/healthz")
    def healthz() -> ResponseReturnValue:
        ready = feed.snapshot is not None
        return jsonify({"status": "ok" if ready else "starting"}), 200 if ready else 503

    return app


class Site:
    """A running web server: `url`, and `close` to end it."""

    def __init__(self, app: Flask, host: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}/"
        self._server = create_server(app, sockets=[listening], threads=THREADS, ident=None)
        threading.Thread(target=self._server.run, name="web", daemon=True).start()

    def close(self) -> None:
        """Stop answering. Close the feed first, so that open streams end."""
        self._server.task_dispatcher.shutdown(timeout=SHUTDOWN_S)
        self._server.close()


def serve(app: Flask, host: str = "127.0.0.1", port: int = 5000) -> Site:
    """Answer requests in threads of their own from now on; port 0 takes a free one."""
    try:
        return Site(app, host, port)
    except OSError as error:
        reason = "another program uses it" if error.errno == errno.EADDRINUSE else error.strerror
        raise InputError(f"web page on {host}:{port}: {reason}: choose another with --port") from error
