"""The pages of past games: the list with its search, one game to replay, the game as a file.

Every request reads the record by a connection of its own; the game that is being played is in it as far as it came.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path

from flask import Blueprint, Response, render_template, request, url_for

from engine import games
from engine.errors import InputError
from engine.explain.wording import words_of
from engine.game import Game
from engine.match.state import Phase
from server.board.computer.analysis import Analyses
from server.board.pages.charts import Chart, draw_charts
from server.board.setup.save import default_profile, find_start_command
from server.drawing import board_view
from server.record.archive import Events, as_replay, read_game_events
from server.record.decisions import list_decisions
from server.record.evidence import folder_of
from server.record.exports import FORMATS
from server.record.exports.page import render_page, replay_words
from server.record.exports.photos import pictures_after, small_photo_uri
from server.record.exports.qr import qr_svg
from server.record.journal import fold_events, read_moves
from server.record.store import Record, read_record
from server.record.summary import Summary
from server.saying import tell_decision, title_of
from server.web.feed import Feed
from server.web.preferences import current_language
from server.web.problems import Problem, read_query_number
from server.web.turns import Turns, current_asker

LIST_COLUMNS = ("name", "begun", "players", "event", "game", "plies", "result")
"""What the list can be sorted by."""
PAGE = 50
"""Games on one page of the list."""
LINKS = 200
"""Events with their hashes in one answer; who wants more asks for those after the last."""
EXPORT_KINDS = {"pgn": "text", "pdf": "score sheet", "html": "web page", "gif": "film", "jsonl": "data"}
"""Ending of an export -> what the page calls it."""
TYPES = {
    "pgn": "text/plain; charset=utf-8",
    "pdf": "application/pdf",
    "html": "text/html; charset=utf-8",
    "gif": "image/gif",
    "jsonl": "application/x-ndjson",
}

DRAWN = frozenset({"gif", "html", "pdf"})
"""Exports that take a second or more and some hundred megabytes."""
DRAWING = Turns("exports", 3)


def create_past_games_routes(
    path: Path | None,
    board: Game | None = None,
    feed: Feed | None = None,
    profile: Path | None = None,
    *,
    demonstrated: bool = False,
) -> Blueprint:
    """The blueprint under /games; without a record at `path` the list is empty. `board` is what is played here, if
    anything, by this `profile` or the user's own, and `feed` tells which game is on it; `demonstrated`: there are games
    of the demonstration beside them."""
    routes, analyses = Blueprint("past_games", __name__, url_prefix="/games"), Analyses()
    routes.app_context_processor(lambda: {"title_of": title_of})

    @routes.get("")
    def index() -> str:
        asked = request.args.get("q", "").strip()[:100]
        by = request.args.get("by", "")
        found = sorted_games(found_games(path, asked), by)
        number = read_query_number("page", 1, least=1)
        first = (number - 1) * PAGE
        more: dict[str, object] = {"page": number, "first": first + 1, "all": len(found)}
        more |= {"found": found[first : first + PAGE], "titles": {name: title_of(name) for name in games.names()}}
        return render_template("games.html", q=asked, by=by, demonstrated=demonstrated, **more)

    @routes.get("/<name>")
    def one(name: str) -> str:
        events = events_in(path, name)
        pictures = {ply: url_for("looking.picture", name=name, ply=ply, side="after") for ply in pictures_after(events)}
        data = as_replay(name, events, pictures)
        game, language = games.load(str(data["game"]), str(data["rules"])), current_language()
        words, goes_on = words_of(game), _may_go_on(path, name, events) and _find_where(name, game, board, feed)
        return render_template(
            "game.html",
            data=data,
            events=len(events),
            view=board_view(game.board),
            words=words,
            replay_words=replay_words(game, data, language),
            decided=[tell_decision(one, words, language) for one in list_decisions(events)],
            charts=_draw_charts(events, data),
            kinds=EXPORT_KINDS,
            goes_on=goes_on,
            start=goes_on == "elsewhere" and find_start_command(name, game, profile or default_profile()),
        )

    @routes.get("/<name>/analysis")
    def analysis(name: str) -> dict[str, object]:
        match = fold_events(events_in(path, name), name)
        try:
            return analyses.request_analysis(name, match, played_here=_is_played_here(path, name))
        except InputError as error:
            raise Problem(409, str(error)) from error

    _add_file_routes(routes, path)
    return routes


def _add_file_routes(routes: Blueprint, path: Path | None) -> None:
    """The routes of a game as a file, and of the code that leads to it."""

    @routes.get("/<name>/qr.svg")
    def qr(name: str) -> Response:
        events_in(path, name)
        drawn = qr_svg(url_for("past_games.one", name=name, _external=True))
        return Response(drawn, content_type="image/svg+xml")

    @routes.get("/<name>/export.<kind>")
    def export(name: str, kind: str) -> Response:
        return export_game(path, name, kind)


def _render_page(path: Path | None, name: str, events: Events) -> bytes:
    """The game as a page for any disk, in the language of who asks, with the pictures that were kept."""
    kept = pictures_after(events) if path else {}
    pictures = {ply: small_photo_uri(folder_of(path), stored) for ply, stored in kept.items()} if path else {}
    shown = {ply: picture for ply, picture in pictures.items() if picture}
    return render_page(as_replay(name, events, shown), current_language().code).encode()


def export_game(path: Path | None, name: str, kind: str) -> Response:
    """A game as a file; a Problem for an unknown kind."""
    if kind not in FORMATS:
        raise Problem(404, f"a game is not saved as {kind!r}: choose from {', '.join(sorted(FORMATS))}")
    events = events_in(path, name)
    with DRAWING.wait_for_turn(current_asker()) if kind in DRAWN else nullcontext():
        data = _render_page(path, name, events) if kind == "html" else FORMATS[kind](name, events)
    response = Response(data, content_type=TYPES[kind])
    response.headers.set("Content-Disposition", "attachment", filename=f"{name}.{kind}")
    return response


def _find_where(name: str, game: Game, board: Game | None, feed: Feed | None) -> str:
    """Where a game that is not over goes on: "board", it stands there now; "here" once it is taken up; or "elsewhere",
    where this service plays another game or under other rules."""
    if feed is not None and (feed.newest_snapshot or {}).get("name") == name:
        return "board"
    same = board is not None and (game.name, game.rules) == (board.name, board.rules)
    return "here" if same else "elsewhere"


def _is_played_here(path: Path | None, name: str) -> bool:
    """Whether the game came out of no file."""
    with _open_record(path) as record:
        return record is None or record.read_places().get(name, 1) > 0


def _may_go_on(path: Path | None, name: str, events: Events) -> bool:
    """Whether the game was begun here and is not over."""
    with _open_record(path) as record:
        begun_here = record is not None and name in record.played_games()
    return begun_here and fold_events(events, name).phase is not Phase.OVER


@contextmanager
def _open_record(path: Path | None) -> Iterator[Record | None]:
    """The record, None where there is none; a Problem when it cannot be read."""
    if path is None or not path.is_file():
        yield None
        return
    try:
        with read_record(path) as record:
            yield record
    except InputError as error:
        raise Problem(503, str(error)) from error


def events_in(path: Path | None, name: str) -> Events:
    """The events of a game; a Problem if there is none of that name. The name is only ever looked up in the record."""
    with _open_record(path) as record:
        try:
            return read_game_events(record, name) if record else _raise_unknown(name)
        except InputError as error:
            if record is not None and record.find_summary(name):
                raise Problem(409, str(error)) from error
            return _raise_unknown(name)


def links_in(path: Path | None, name: str) -> list[dict[str, object]]:
    """The events of a game after the number that is asked for, with their hashes, at most LINKS.

    A Problem for a number that none has, and as for `events_in`.
    """
    after = read_query_number("after", 0)
    with _open_record(path) as record:
        if record is None or record.find_summary(name) is None:
            raise _unknown_problem(name)
        return [
            {"game": name, "sequence": number, "previous": previous, "hash": head, "event": event}
            for number, event, previous, head in record.read_links(name, after, LINKS)
        ]


def _raise_unknown(name: str) -> Events:
    raise _unknown_problem(name)


def _unknown_problem(name: str) -> Problem:
    return Problem(404, f"game {name!r} is not in the record: see the list at /games")


def found_games(path: Path | None, asked: str) -> Sequence[Summary]:
    """The games in which every word of `asked` is found, none without a record."""
    with _open_record(path) as record:
        return [game for game in record.list_summaries() if _has_all_words(game, asked)] if record else []


def sorted_games(found: Sequence[Summary], by: str) -> Sequence[Summary]:
    """The games by a column of the list, the other way round with "-" before it; as they are for any other word."""
    column, backwards = by.removeprefix("-"), by.startswith("-")
    if column not in LIST_COLUMNS:
        return found
    if column == "plies":
        return sorted(found, key=lambda game: game.plies, reverse=backwards)
    return sorted(found, key=lambda game: str((asdict(game) | game.known())[column]).casefold(), reverse=backwards)


def _has_all_words(game: Summary, asked: str) -> bool:
    """Whether every word asked for is in what the list says of the game."""
    said = " ".join((game.name, game.game, game.rules, game.begun, game.result, *game.known().values())).lower()
    return all(word in said for word in asked.lower().split())


def _draw_charts(events: Events, data: Mapping[str, object]) -> tuple[Chart, ...]:
    """The charts of the plies that stand: what was taken back, or replaced, is none of them."""
    said, steps = {moved.ply: moved for moved in read_moves(events)}, data["positions"]
    standing = steps[1:] if isinstance(steps, list) else []
    told = [said[step["ply"]] for step in standing if step["ply"] in said]
    return draw_charts(told, {step["ply"]: step["spent"] for step in standing if step["spent"] is not None})
