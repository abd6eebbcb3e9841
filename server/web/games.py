"""Past games for programs: `GET /api/v1/games...`, read from the record."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from flask import Blueprint, Response, jsonify, request

from server.http.problems import Problem
from server.web.past_games import PAGE, events_in, exported, found_games

SUMMARY_FIELDS = ("name", "game", "rules", "begun", "plies", "result", "players", "event")


def games_api(record: Path | None) -> Blueprint:
    """The blueprint; without a record the list is empty."""
    routes = Blueprint("games_api", __name__, url_prefix="/api/v1/games")

    @routes.get("")
    def index() -> Response:
        page = request.args.get("page", 1, type=int)
        if page < 1:
            raise Problem(422, "page: count from 1")
        found = found_games(record, request.args.get("q", ""))
        shown = [
            {key: (asdict(game) | game.known())[key] for key in SUMMARY_FIELDS}
            for game in found[(page - 1) * PAGE : page * PAGE]
        ]
        return jsonify({"total": len(found), "games": shown})

    @routes.get("/<name>/events")
    def events(name: str) -> Response:
        return jsonify({"name": name, "events": events_in(record, name)})

    @routes.get("/<name>/export.<kind>")
    def export(name: str, kind: str) -> Response:
        return exported(record, name, kind)

    return routes
