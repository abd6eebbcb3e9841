"""`/hall` and `/hall/<board>`, and what their script asks for under `/api/v1/hall`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from flask import Blueprint, Response, jsonify, redirect, render_template, url_for
from werkzeug.wrappers import Response as Redirect

from engine import games
from engine.explain.wording import words_of
from server.drawing import board_view
from server.hall.desk.addresses import Address
from server.hall.desk.ledger import Ledger
from server.hall.desk.standing import Boards, BoardStanding, sort_by_trouble
from server.hall.desk.troubles import BOARD_TROUBLES
from server.saying import add_texts
from server.web.feed import Feed
from server.web.preferences import current_language
from server.web.problems import Problem
from server.web.streams import Streams, requested_event_id

Rounds = Callable[[], list[dict[str, object]]]
"""The rounds under way (server.hall.tournament.under_way.LastRounds)."""


def boards_page(feed: Feed, boards: Boards, ledger: Ledger, rounds: Rounds, where: Mapping[str, Address]) -> Blueprint:
    """The blueprint; `feed` has an event for each batch that was stored, `where` says where boards have their own
    pages."""
    routes = Blueprint("hall", __name__)
    streams = Streams()

    @routes.get("/")
    def root() -> Redirect:
        return redirect(url_for("hall.index"), 303)

    @routes.get("/hall")
    def index() -> str:
        return _render_boards(None, "")

    @routes.get("/hall/<board>")
    def one(board: str) -> str:
        _require_board(board)
        return _render_boards(board, where[board].url if board in where else "")

    @routes.get("/api/v1/hall/boards")
    def all_boards() -> Response:
        return jsonify(
            {
                "boards": sort_by_trouble([boards.board_to_json(board) for board in boards.list_boards()]),
                "rounds": rounds(),
            }
        )

    @routes.get("/api/v1/hall/rounds")
    def all_rounds() -> Response:
        return jsonify({"rounds": rounds()})

    @routes.get("/api/v1/hall/boards/<board>")
    def one_board(board: str) -> Response:
        shown = boards.board_to_json(known := _require_board(board))
        game = known.state["name"] if known.state else ""
        return jsonify(shown | {"moves": list_moves(ledger, board, game)})

    @routes.get("/api/v1/hall/games")
    def all_games() -> Response:
        rows = [
            {"board": board, "name": name, "game": known.summary.game, "plies": known.summary.plies}
            | {"result": known.summary.result, "events": known.summary.events, "fits": known.broken_at is None}
            for (board, name), known in sorted(ledger.stored_games().items())
        ]
        return jsonify({"games": rows})

    @routes.get("/api/v1/hall/events")
    def events() -> Response:
        return streams.stream_events(feed, requested_event_id(feed, otherwise=-1), snapshots=False)

    def _require_board(name: str) -> BoardStanding:
        board = boards.find_board(name)
        if board is None:
            raise Problem(404, f"board {name[:50]!r} was not heard of: see the list at /hall")
        return board

    return routes


def _render_boards(only: str | None, its_page: str) -> str:
    drawings, shapes = all_drawings(), game_shapes()
    return render_template(
        "hall.html", only=only, its_page=its_page, all_games=drawings, shapes=shapes, troubles=BOARD_TROUBLES
    )


def list_moves(ledger: Ledger, board: str, game: str) -> list[dict[str, object]]:
    """The moves of a game that stand, by the events that are stored."""
    found: dict[int, dict[str, object]] = {}
    for link in ledger.read_links(board, game):
        event = link.event
        if event.get("event") == "move" and isinstance(ply := event.get("ply"), int):
            found = {known: move for known, move in found.items() if known < ply}
            found[ply] = {"ply": ply, "side": event.get("side"), "notation": event.get("notation")}
        elif event.get("event") == "takeback" and isinstance(plies := event.get("plies"), int):
            found = {known: move for known, move in found.items() if known <= len(found) - plies}
    return list(found.values())


@cache
def all_drawings() -> list[dict[str, object]]:
    """What the drawings of all games are made of: name, view and words."""
    loaded = [games.load(name) for name in games.names()]
    return [{"name": game.name, "view": board_view(game.board), "words": words_of(game)} for game in loaded]


def game_shapes() -> dict[str, object]:
    """For the script: where each game's cells are, whose its pieces are, and what its sides are called."""
    language = current_language()
    found: dict[str, object] = {}
    for name in games.names():
        game = games.load(name)
        words, view = words_of(game), board_view(game.board)
        say = add_texts(words, language).translate_text
        sides = {code: game.seats[seat] for code, seat in zip(game.codes, game.seat_of, strict=True) if code}
        found[name] = {
            "size": [view.width, view.height],
            "cells": {cell.name: [cell.x, cell.y] for cell in view.cells},
            "pieces": {
                code: {"side": sides[code], "letter": kind.letter, "drawn": bool(kind.drawing)}
                for code, kind in words.kinds.items()
            },
            "seats": [[seat, say(text)] for seat, text in words.seats.items()],
        }
    return found
