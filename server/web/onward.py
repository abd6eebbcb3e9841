"""After a recording: the same once more, or a board of one's own. `POST /api/v1/onward`."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, jsonify, request

from server.http.problems import Problem

AGAIN, OWN_BOARD = "again", "own-board"
"""Play the recording once more, as a new game; watch the own board, which is set up on a page the first time."""


def onward(make_way: Callable[[str], object] | None) -> Blueprint:
    """The blueprint; `make_way` ends what is played now, None where that is no recording."""
    routes = Blueprint("onward", __name__, url_prefix="/api/v1")

    @routes.post("/onward")
    def go() -> tuple[Response, int]:
        body = request.get_json(silent=True)
        what = body.get("what") if isinstance(body, dict) and not set(body) - {"what", "by"} else None
        if what not in (AGAIN, OWN_BOARD):
            raise Problem(422, f"what: one of {AGAIN}, {OWN_BOARD}")
        if make_way is None:
            raise Problem(409, "a camera is watched: only a recording makes way; end the referee with Ctrl-C")
        make_way(what)
        return jsonify({"accepted": what}), 202

    return routes
