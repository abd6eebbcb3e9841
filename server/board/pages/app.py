"""The web application: what it is made of, and where it is served."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from flask import Flask, redirect, url_for
from werkzeug.wrappers import Response

from engine.game import Game
from server.board.live.phone import Phone
from server.board.live.wishes import Wish
from server.board.pages.api import create_api_routes
from server.board.pages.changes import PageRequest, create_change_routes
from server.board.pages.games import create_games_routes
from server.board.pages.health import create_health_routes
from server.board.pages.help import create_help_routes
from server.board.pages.looking import create_arbiter_routes, find_unconfirmed
from server.board.pages.onward import create_onward_routes
from server.board.pages.pages import create_page_routes
from server.board.pages.past_games import create_past_games_routes
from server.board.pages.phone_page import create_phone_routes
from server.board.setup.routes import KeepingOfGame
from server.board.setup.routes import create_live_setup_routes as live_setup
from server.drawing import board_view
from server.record.journal import LaterResult
from server.record.store import default_path
from server.web.access.login import create_me_routes
from server.web.access.visitors import Visitors, create_application
from server.web.feed import Feed
from server.web.preferences import Options, create_preference_routes
from server.web.streams import Streams

DEMONSTRATED_AT = "/demonstration"
"""Where the games of the demonstration are, below the pages of another board."""


@dataclass(frozen=True, slots=True)
class Running:
    """What the pages have of a referee that runs, besides the game."""

    spectators: Feed | None = None
    """What those hear who only look on; without it they hear the same as the players."""
    options: Options = Options()  # noqa: RUF009  # a frozen value
    """What the program was started with, for the page of settings."""
    keep: KeepingOfGame | None = None
    """Stores what is found out on the set-up page."""
    phone: Phone | None = None
    """The phone that is the camera."""
    explained: bool = False
    """Whether a recording is shown with captions (server.board.live.narrator)."""
    watched: Callable[[str], str | None] | None = None
    """Does with what is watched what is named (server.board.pages.onward); None where nothing can be done with it."""
    other_camera: bool = False
    """Whether another camera may be chosen on a page."""
    other_game: bool = False
    """Whether another game may be: its board lies under the same camera."""
    demonstration: Path | None = None
    """The record of the demonstration, whose games are shown beside the own ones."""
    corrected: Callable[[LaterResult], object] = lambda _: None
    """Hears of a result that was corrected in the record."""
    profile: Path | None = None
    """The profile of the board; None for the user's own."""


def create_app(
    feed: Feed,
    put: Callable[[PageRequest | Wish], object],
    game: Game,
    record: Path | None = None,
    visitors: Visitors = Visitors(),  # noqa: B008  # a frozen value
    running: Running = Running(),
) -> Flask:
    """The application: reads from `feed`, hands inputs to `put`, draws the board of `game`.

    `record` is the file with the games, for what the pages show of past plies.
    """
    app = create_application(visitors, feed)
    streams = app.extensions["streams"] = Streams()
    app.register_blueprint(create_health_routes(feed, streams, record))
    app.register_blueprint(create_me_routes(visitors.door))
    app.register_blueprint(create_api_routes(feed, running.spectators or feed, streams))
    app.register_blueprint(create_change_routes(put, game, feed.run, partial(find_unconfirmed, feed)))
    app.register_blueprint(create_onward_routes(running.watched))
    app.register_blueprint(create_arbiter_routes(feed, record))
    app.register_blueprint(live_setup(feed, running.keep))
    app.register_blueprint(create_phone_routes(running.phone))
    app.context_processor(lambda: {"by_phone": running.phone is not None})
    asks_way_round = running.keep.asks_way_round if running.keep else lambda: False
    app.register_blueprint(
        create_page_routes(
            game,
            visitors.sites,
            asks_way_round,
            explained=running.explained,
            other_camera=running.other_camera,
            other_game=running.other_game,
        )
    )
    shown = create_past_games_routes(
        record, game, feed, running.profile, demonstrated=running.demonstration is not None
    )
    app.register_blueprint(shown)
    app.register_blueprint(create_games_routes(record, feed, running.corrected))
    app.register_blueprint(create_preference_routes(running.options))
    app.register_blueprint(create_help_routes(game, board_view(game.board)))

    return app


def demonstration_record() -> Path:
    """Where the games of `referee demo` are kept, beside the user's own."""
    return default_path().with_name("demo.sqlite3")


def demonstrated_games(record: Path, visitors: Visitors) -> Flask:
    """The application with the games of the demonstration alone, to look at, to save as files and to delete."""
    nobody_plays = Feed()
    app = create_application(visitors, nobody_plays)
    for routes in (
        create_past_games_routes(record),
        create_games_routes(record, nobody_plays),
        create_arbiter_routes(nobody_plays, record),
    ):
        app.register_blueprint(routes)
    app.register_blueprint(create_preference_routes())

    @app.get("/")
    def begin() -> Response:
        return redirect(url_for("past_games.index"), 303)

    return app
