"""What the page or a program may ask for: `POST /api/v1/...`. The main loop decides what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, request

from engine.acts import Act, Correct, NewGame, Resign, Undo
from engine.game import Game
from server.problems import Problem

LONGEST_NOTATION = 400
"""Characters; the longest chain of the recorded championship games has 60."""


def changes(put: Callable[[Act], object], game: Game) -> Blueprint:
    """The blueprint; `put` hands an act to the main loop and returns at once."""
    routes = Blueprint("changes", __name__, url_prefix="/api/v1")

    def accept(asked: Act) -> tuple[Response, int]:
        put(asked)
        return jsonify({"accepted": type(asked).__name__}), 202

    @routes.post("/undo")
    def undo() -> tuple[Response, int]:
        return accept(Undo(_count(_body({"plies"}), "plies", 1)))

    @routes.post("/correct")
    def correct() -> tuple[Response, int]:
        body = _body({"ply", "notation"})
        notation = body.get("notation")
        if not isinstance(notation, str) or not 0 < len(notation.strip()) <= LONGEST_NOTATION:
            raise Problem(422, "notation: the move as it is written, like E6-C8")
        return accept(Correct(_count(body, "ply", None), notation.strip()))

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


def _count(body: Mapping[str, Any], key: str, default: int | None) -> int:
    value = body.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Problem(422, f"{key}: a whole number from 1")
    return value
