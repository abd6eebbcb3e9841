"""`/watch`: all boards for spectators, as late as the delay, and the files and events that the page is made of.

The files are served here as well as by any web server that is put in front (docs/hall.md).
"""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Response, render_template, send_from_directory

from server.hall.pages.boards_page import all_drawings, game_shapes
from server.web.feed import Feed
from server.web.streams import Streams, requested_event_id

ADDRESS = "/live"
"""Of the files."""


def watch_page(feed: Feed, folder: Path) -> Blueprint:
    """The blueprint; `feed` has each line of the files in `folder`."""
    routes = Blueprint("watch", __name__)
    streams = Streams()

    @routes.get("/watch")
    def index() -> str:
        return render_template("watch.html", all_games=all_drawings(), shapes=game_shapes(), files=ADDRESS)

    @routes.get(f"{ADDRESS}/<path:name>")
    def file(name: str) -> Response:
        answer = send_from_directory(folder.resolve(), name, conditional=True, max_age=1)
        answer.headers["Cache-Control"] = "public, max-age=1"
        return answer

    @routes.get("/api/v1/watch/events")
    def events() -> Response:
        return streams.stream_events(feed, requested_event_id(feed, otherwise=-1), snapshots=False)

    return routes
