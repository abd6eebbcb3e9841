"""The pages of past games: the list with its search, one game to replay, the game as a file.

Every request reads the record by a connection of its own; the game that is being played is in it as far as it came.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from flask import Blueprint, Response, render_template, request, url_for

from engine import games
from engine.errors import InputError
from server.archive import as_replay, events_of
from server.charts import charts
from server.exports import FORMATS
from server.exports.page import replay_words
from server.exports.photos import pictures_after
from server.journal import told
from server.problems import Problem
from server.record import Record, read_record
from server.summary import Summary
from server.view import board_view

PAGE = 50
"""Games on one page of the list."""
KINDS = {"pgn": "text", "pdf": "score sheet", "html": "web page", "gif": "film", "jsonl": "data"}
"""Ending of an export -> what the page calls it."""
TYPES = {
    "pgn": "text/plain; charset=utf-8",
    "pdf": "application/pdf",
    "html": "text/html; charset=utf-8",
    "gif": "image/gif",
    "jsonl": "application/x-ndjson",
}


def past_games(path: Path | None) -> Blueprint:
    """The blueprint under /games; without a record at `path` the list is empty."""
    routes = Blueprint("past_games", __name__, url_prefix="/games")
    routes.app_context_processor(lambda: {"replay_words": replay_words})

    @routes.get("")
    def index() -> str:
        asked = request.args.get("q", "").strip()[:100]
        with _reading(path) as record:
            found = [game for game in record.summaries() if _matches(game, asked)] if record else []
        page = max(1, request.args.get("page", 1, type=int))
        first = (page - 1) * PAGE
        shown = found[first : first + PAGE]
        return render_template("games.html", found=shown, q=asked, page=page, first=first + 1, all=len(found))

    @routes.get("/<name>")
    def one(name: str) -> str:
        events = _events(path, name)
        pictures = {ply: url_for("looking.picture", name=name, ply=ply, side="after") for ply in pictures_after(events)}
        data = as_replay(name, events, pictures)
        view = board_view(games.load(str(data["game"]), str(data["rules"])).board)
        drawn = charts(told(events), _begun_t(events))
        return render_template("game.html", data=data, view=view, charts=drawn, kinds=KINDS)

    @routes.get("/<name>/export.<kind>")
    def export(name: str, kind: str) -> Response:
        if kind not in FORMATS:
            raise Problem(404, f"a game is not saved as {kind!r}: choose from {', '.join(sorted(FORMATS))}")
        data = FORMATS[kind](name, _events(path, name))
        response = Response(data, content_type=TYPES[kind])
        response.headers.set("Content-Disposition", "attachment", filename=f"{name}.{kind}")
        return response

    return routes


@contextmanager
def _reading(path: Path | None) -> Iterator[Record | None]:
    """The record, None where there is none; a Problem when it cannot be read."""
    if path is None or not path.is_file():
        yield None
        return
    try:
        with read_record(path) as record:
            yield record
    except InputError as error:
        raise Problem(503, str(error)) from error


def _events(path: Path | None, name: str) -> Sequence[Mapping[str, object]]:
    """The events of a game; a Problem if there is none of that name. The name is only ever looked up in the record."""
    with _reading(path) as record:
        try:
            return events_of(record, name) if record else _missing(name)
        except InputError:
            return _missing(name)


def _missing(name: str) -> Sequence[Mapping[str, object]]:
    raise Problem(404, f"game {name!r} is not in the record: see the list at /games")


def _matches(game: Summary, asked: str) -> bool:
    """Whether every word asked for is in what the list says of the game."""
    said = f"{game.name} {game.game} {game.rules} {game.begun} {game.result}".lower()
    return all(word in said for word in asked.lower().split())


def _begun_t(events: Sequence[Mapping[str, object]]) -> float:
    """When the board was ready, 0 if nobody said."""
    return next((float(str(event["t"])) for event in events if event.get("event") == "ready"), 0.0)
