"""What may be done with what is watched: `POST /onward`.

A recording is paused, goes on, is skipped, is played again or makes way for the own board. At the own board another
camera may be chosen, where the one that is watched gives no picture, and another game.
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, jsonify, request

from server.board.live.narrator import PAUSE, PLAY_ON, SKIP
from server.web.problems import Problem

AGAIN, OWN_BOARD = "again", "own-board"
"""Play the recording once more, as a new game; watch the own board, which is set up on a page the first time."""
OTHER_CAMERA = "other-camera"
"""Set up the own board with another camera; the game goes on where it stood."""
CHANGE_GAME = "other-game"
"""Set up the board of another game under the same camera; the game that is played is kept."""
ONWARD = (AGAIN, OWN_BOARD, PAUSE, PLAY_ON, SKIP, OTHER_CAMERA, CHANGE_GAME)


def create_onward_routes(watched: Callable[[str], str | None] | None) -> Blueprint:
    """The blueprint; `watched` does one of ONWARD with what is watched now and says which page comes next, "" for
    the same one, None where it cannot; it is None where nothing can be done but to end the referee."""
    routes = Blueprint("onward", __name__, url_prefix="/api/v1")

    @routes.post("/onward")
    def go() -> tuple[Response, int]:
        body = request.get_json(silent=True)
        what = body.get("what") if isinstance(body, dict) and not set(body) - {"what", "by"} else None
        if what not in ONWARD:
            raise Problem(422, f"what: one of {', '.join(ONWARD)}")
        if watched is None:
            raise Problem(409, "a camera is watched: only a recording makes way; end the referee with Ctrl-C")
        page = watched(what)
        if page is None:
            raise Problem(409, f"{what}: not with what is watched now")
        return jsonify({"accepted": what, "page": page}), 202

    return routes
