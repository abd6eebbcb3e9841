"""What may be done with a recording: pause, go on, skip; play it again, or go on to the own board. `POST /onward`."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, jsonify, request

from server.board.live.narrator import PAUSE, PLAY_ON, SKIP
from server.web.problems import Problem

AGAIN, OWN_BOARD = "again", "own-board"
"""Play the recording once more, as a new game; watch the own board, which is set up on a page the first time."""
ONWARD = (AGAIN, OWN_BOARD, PAUSE, PLAY_ON, SKIP)


def onward(recording: Callable[[str], str | None] | None) -> Blueprint:
    """The blueprint; `recording` does one of ONWARD with what is played now and says which page comes next, "" for
    the same one, None where it cannot; it is None where a camera is watched."""
    routes = Blueprint("onward", __name__, url_prefix="/api/v1")

    @routes.post("/onward")
    def go() -> tuple[Response, int]:
        body = request.get_json(silent=True)
        what = body.get("what") if isinstance(body, dict) and not set(body) - {"what", "by"} else None
        if what not in ONWARD:
            raise Problem(422, f"what: one of {', '.join(ONWARD)}")
        if recording is None:
            raise Problem(409, "a camera is watched: only a recording makes way; end the referee with Ctrl-C")
        page = recording(what)
        if page is None:
            raise Problem(409, f"{what}: for `referee demo` alone")
        return jsonify({"accepted": what, "page": page}), 202

    return routes
