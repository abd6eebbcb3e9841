"""The web interface for programs: `/api/v1/...`. Reading comes from the feed, changes go to the main loop's queue."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, request

from engine.acts import Act, Correct, NewGame, Resign, Undo
from engine.game import Game
from server.feed import Feed, Message
from server.openapi import document
from server.problems import Problem

MOST_STREAMS = 24
"""Open event and picture streams; each holds a thread of the web server, which has eight more for the rest."""
PICTURE_S = 0.2
"""At most five pictures a second to one viewer: enough to see a hand, little for a small computer."""
LONGEST_NOTATION = 400
"""Characters; the longest chain of the recorded championship games has 60."""


def api(feed: Feed, put: Callable[[Act], object], game: Game) -> Blueprint:
    """The blueprint; `put` hands an input to the main loop and returns at once."""
    routes = Blueprint("api", __name__, url_prefix="/api/v1")
    streams = threading.BoundedSemaphore(MOST_STREAMS)

    def stream(chunks: Iterator[bytes], content_type: str) -> Response:
        if not streams.acquire(blocking=False):
            raise Problem(503, f"{MOST_STREAMS} streams are open already: close one")
        response = Response(chunks, content_type=content_type, headers={"Cache-Control": "no-store"})
        response.call_on_close(streams.release)
        return response

    @routes.get("/game")
    def game_() -> Response:
        if feed.snapshot is None:
            raise Problem(503, "the referee is starting: ask again in a moment")
        return _fresh(jsonify(feed.snapshot))

    @routes.get("/events")
    def events() -> Response:
        messages = feed.listen(_last_id(feed), snapshots=request.args.get("snapshots") == "1")
        return stream(_server_sent(messages, feed.run), "text/event-stream")

    @routes.get("/camera.jpg")
    def camera_jpg() -> Response:
        if feed.jpeg is None:
            raise Problem(404, "there is no picture from the camera yet")
        return _fresh(Response(feed.jpeg, content_type="image/jpeg"))

    @routes.get("/camera.mjpeg")
    def camera_mjpeg() -> Response:
        return stream(_parts(feed.pictures(PICTURE_S)), "multipart/x-mixed-replace; boundary=picture")

    @routes.get("/camera/grid")
    def camera_grid() -> Response:
        if feed.grid is None:
            raise Problem(404, "the board was not found in the picture yet")
        return _fresh(jsonify(feed.grid))

    @routes.get("/openapi.json")
    def openapi() -> Response:
        return jsonify(document())

    def accept(asked: Act) -> tuple[Response, int]:
        put(asked)
        return jsonify({"accepted": type(asked).__name__}), 202

    @routes.post("/undo")
    def undo() -> tuple[Response, int]:
        return accept(Undo(_number(_body({"plies"}), "plies", 1)))

    @routes.post("/correct")
    def correct() -> tuple[Response, int]:
        body = _body({"ply", "notation"})
        notation = body.get("notation")
        if not isinstance(notation, str) or not 0 < len(notation.strip()) <= LONGEST_NOTATION:
            raise Problem(422, "notation: the move as it is written, like E6-C8")
        return accept(Correct(_number(body, "ply", None), notation.strip()))

    @routes.post("/resign")
    def resign() -> tuple[Response, int]:
        side = _body({"side"}).get("side")
        if side not in game.seats:
            raise Problem(422, f"side: one of {', '.join(game.seats)}")
        return accept(Resign(str(side)))

    @routes.post("/new-game")
    def new_game() -> tuple[Response, int]:
        setup = _body({"setup"}).get("setup")
        if setup is not None and setup not in game.setups:
            raise Problem(422, f"setup: one of {', '.join(game.setups)}, or left out")
        return accept(NewGame(setup))

    return routes


def _body(keys: set[str]) -> Mapping[str, Any]:
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise Problem(400, "the body must be one JSON object")
    strange = sorted(set(body) - keys)
    if strange:
        raise Problem(422, f"unknown key {', '.join(strange)}: known are {', '.join(sorted(keys))}")
    return body


def _number(body: Mapping[str, Any], key: str, default: int | None) -> int:
    value = body.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Problem(422, f"{key}: a whole number from 1")
    return value


def _last_id(feed: Feed) -> int:
    """The number after which events are wanted; -1, which no event has, for an id from another run of the program."""
    text = request.headers.get("Last-Event-ID", request.args.get("last_id", ""))
    run, _, number = text.rpartition("-")
    if not text:
        return 0
    return int(number) if run == feed.run and number.isdecimal() else -1


def _server_sent(messages: Iterator[Message], run: str) -> Iterator[bytes]:
    yield b": connected\n\n"  # the browser learns at once that somebody answers
    for message in messages:
        if message.kind == "alive":
            yield b": alive\n\n"
        elif message.kind == "event":
            yield f"id: {run}-{message.id}\ndata: {message.text}\n\n".encode()
        else:
            yield f"id: {run}-{message.id}\nevent: {message.kind}\ndata: {message.text}\n\n".encode()


def _parts(pictures: Iterator[bytes]) -> Iterator[bytes]:
    for jpeg in pictures:
        yield b"--picture\r\nContent-Type: image/jpeg\r\n\r\n" + jpeg + b"\r\n"


def _fresh(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response
