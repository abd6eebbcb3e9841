"""What a program may ask: `GET /api/v1/...`, answered from the feed without touching the main loop."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request

from server.board.pages.openapi import build_document
from server.web.feed import Feed
from server.web.problems import NOTHING_YET, Problem
from server.web.streams import Streams, requested_event_id

PICTURE_S = 0.2
"""At most five pictures a second to one viewer: enough to see a hand, little for a small computer."""


def create_api_routes(feed: Feed, spectators: Feed, streams: Streams) -> Blueprint:
    """The blueprint; `spectators` is told later, or the same feed."""
    routes = Blueprint("api", __name__, url_prefix="/api/v1")

    _add_feed_routes(routes, "", feed, streams)
    _add_feed_routes(routes, "/spectator", spectators, streams)

    @routes.get("/camera.jpg")
    def camera_jpg() -> Response:
        jpeg = feed.newest_jpeg
        return _disable_caching(Response(jpeg, content_type="image/jpeg") if jpeg else Response(status=NOTHING_YET))

    @routes.get("/camera.mjpeg")
    def camera_mjpeg() -> Response:
        return streams.stream_pictures(feed, PICTURE_S)

    @routes.get("/camera/grid")
    def camera_grid() -> Response:
        grid = feed.current_state.grid
        return _disable_caching(jsonify(grid) if grid is not None else Response(status=NOTHING_YET))

    @routes.get("/openapi.json")
    def openapi() -> Response:
        return jsonify(build_document())

    return routes


def _add_feed_routes(routes: Blueprint, under: str, feed: Feed, streams: Streams) -> None:
    """The routes `under`/game and `under`/events that read from `feed`."""

    @routes.get(f"{under}/game", endpoint=f"{under[1:]}game")
    def game() -> Response:
        snapshot = feed.newest_snapshot
        if snapshot is None:
            raise Problem(503, "the referee is starting, or the broadcast has not begun: ask again in a moment")
        return _disable_caching(jsonify(snapshot))

    @routes.get(f"{under}/events", endpoint=f"{under[1:]}events")
    def events() -> Response:
        last = requested_event_id(feed, otherwise=0)
        return streams.stream_events(feed, last, snapshots=request.args.get("snapshots") == "1")


def _disable_caching(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response
