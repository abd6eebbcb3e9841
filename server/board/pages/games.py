"""Past games for programs: `/api/v1/games...`, read from the record; taken into it, and out of it for good."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from threading import Lock

from flask import Blueprint, Response, g, jsonify, request

from engine.errors import InputError
from server.board.pages.past_games import PAGE, events_in, export_game, found_games, links_in
from server.record.evidence import find_unshared_pictures, folder_of, remove_pictures
from server.record.imports import (
    NoVariantError,
    add_games,
    assumed_in,
    parse_text,
)
from server.record.journal import NO_END, Journal, LaterResult, format_now
from server.record.seal import load_sealer
from server.record.store import open_record
from server.saying import rules_title, title_of
from server.web.feed import Feed
from server.web.guard import LARGEST_GAMES
from server.web.problems import Problem, read_query_number

AS_WHAT = (
    "{why} (The text does not say which game it is, so it was read as {game}, {rules}: if it is another, choose that.)"
)
NO_VARIANT = (
    "{where}: does not say which game it is, as others in the text do: choose it under “Which game, where the text "
    "does not say it”, or write a line like {example} above its moves."
)
RESULT_CHANGED = "Too late: the result has changed since."
LOOKS_PLAYED = re.compile(r"\d\s*[.…]")
"""What is read as a game has moves with numbers."""
SUMMARY_FIELDS = ("name", "game", "rules", "begun", "plies", "result", "players", "event")


def create_games_routes(
    record: Path | None, feed: Feed, corrected: Callable[[LaterResult], object] = lambda _: None
) -> Blueprint:
    """The blueprint; without a record the list is empty. The game that `feed` shows is not deleted.

    `corrected` hears of each result that was corrected.
    """
    routes = Blueprint("games_api", __name__, url_prefix="/api/v1/games")

    @routes.get("")
    def index() -> Response:
        page = read_query_number("page", 1, least=1)
        found = found_games(record, request.args.get("q", ""))
        shown = [
            {key: (asdict(game) | game.known())[key] for key in SUMMARY_FIELDS}
            for game in found[(page - 1) * PAGE : page * PAGE]
        ]
        return jsonify({"total": len(found), "games": shown})

    @routes.get("/<name>/events")
    def events(name: str) -> Response:
        return jsonify({"name": name, "events": events_in(record, name)})

    @routes.get("/<name>/links")
    def links(name: str) -> Response:
        # Not through Flask, which sorts keys: the hash of an event is that of its keys in their own order.
        said = json.dumps({"name": name, "links": links_in(record, name)}, ensure_ascii=False)
        return Response(said, content_type="application/json")

    @routes.get("/<name>/export.<kind>")
    def export(name: str, kind: str) -> Response:
        return export_game(record, name, kind)

    _add_record_routes(routes, record, feed, corrected)
    return routes


def _add_record_routes(
    routes: Blueprint, record: Path | None, feed: Feed, corrected: Callable[[LaterResult], object]
) -> None:
    """The routes that take games into the record, and out of it."""
    correcting = Lock()  # of two who correct the same, the second is told what the first has done

    @routes.post("/import")
    def take() -> tuple[Response, int]:
        request.max_content_length = LARGEST_GAMES
        body = request.get_json(silent=True)
        said = body if isinstance(body, dict) else {}
        name, text = said.get("name", "text"), said.get("text")
        variant, rules = said.get("variant"), said.get("rules")
        known = isinstance(variant, str | None) and isinstance(rules, str | None)
        strange = set(said) - {"name", "text", "variant", "rules", "by"}
        if not isinstance(name, str) or not isinstance(text, str) or not known or strange:
            raise Problem(422, "text: the games as text; name: what the file is called; variant, rules: of what")
        path = Path(Path(name).name or "text")
        try:
            found = parse_text(text, path, variant, rules)
            with open_record(_require_record(record)) as opened:
                names = add_games(opened, found.games)
        except InputError as error:
            raise _build_refusal(error, text, path, variant, rules) from error
        assumed = None if variant else assumed_in(text, path, rules)
        titles = {"game": title_of(assumed[0]), "rules": rules_title(assumed[1])} if assumed else None
        default = found.find_default_rules()
        unruled = {"game": title_of(default.name), "rules": rules_title(default.rules)} if default else None
        changes = zip(names, found.list_changes(), strict=True)
        told = [{"game": name, **asdict(change)} for name, change in changes if change]
        lacks = found.lacks_result
        said = {"games": names, "assumed": titles, "unruled": unruled, "lacks_result": lacks, "changes": told}
        return jsonify(said), 201

    @routes.post("/<name>/result")
    def correct(name: str) -> Response:
        events_in(record, name)
        if feed.newest_snapshot is not None and feed.newest_snapshot.get("name") == name:
            raise Problem(409, f"game {name}: is on the board; take back or end it there")
        with correcting:
            known = _correct_result(_require_record(record), name)
            if known.is_new:
                corrected(known)
        return jsonify({"corrected": name, "changed": known.is_new})

    @routes.post("/<name>/delete")
    def delete(name: str) -> Response:
        events_in(record, name)
        if feed.newest_snapshot is not None and feed.newest_snapshot.get("name") == name:
            raise Problem(409, f"game {name}: is on the board; begin a new one first")
        try:
            with open_record(_require_record(record)) as opened:
                pictures = find_unshared_pictures(opened, name)
                opened.delete_game(name)
        except InputError as error:
            raise Problem(503, str(error)) from error
        remove_pictures(folder_of(_require_record(record)), pictures)
        return jsonify({"deleted": name})


def _correct_result(record: Path, name: str) -> LaterResult:
    """Do what a request says of the result of a game, unless another stands than `was` seen, where it says so."""
    body, asker = request.get_json(silent=True), g.get("account")
    said = body if isinstance(body, dict) and not set(body) - {"how", "by", "was"} else {}
    seen = _read_seen_result(said["was"]) if "was" in said else None
    try:
        with open_record(record) as opened:
            journal = Journal(opened, name, load_sealer(format_now))
            account = asker.name if asker is not None else None
            known = journal.correct_result(str(said.get("how")), "arbiter", account, seen)
    except InputError as error:
        raise Problem(422, str(error)) from error
    if known is None:
        raise Problem(409, RESULT_CHANGED)
    return known


def _read_seen_result(was: object) -> tuple[str, str]:
    if was is None:
        return NO_END
    if not isinstance(was, dict) or set(was) != {"result", "reason"}:
        raise Problem(422, "was: the result and its reason, as they were shown, or null for a game that was not over")
    return str(was["result"]), str(was["reason"])


def _build_refusal(error: InputError, text: str, path: Path, variant: str | None, rules: str | None) -> Problem:
    """Why games are not taken, and as what they were read where they do not say what they are."""
    if isinstance(error, NoVariantError):
        return Problem(422, NO_VARIANT, where=error.where, example='[Variant "camelot"]')
    try:
        assumed = None if variant else assumed_in(text, path, rules)
    except InputError:  # it is no text of games at all
        assumed = None
    if assumed is None or not LOOKS_PLAYED.search(text):
        return Problem(422, error)
    titles = {"game": title_of(assumed[0]), "rules": rules_title(assumed[1])}
    return Problem(422, AS_WHAT, why=error, **titles)


def _require_record(record: Path | None) -> Path:
    if record is None:
        raise Problem(409, "this referee keeps no games")
    return record
