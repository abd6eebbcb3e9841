"""What an arbiter looks at: the lawful moves of any past position, what the camera believes, pictures behind a ply."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from flask import Blueprint, Response, jsonify, request, send_file, url_for

from engine.errors import InputError
from engine.explain.reasons import read_reason
from engine.match.arbiter import find_dropped
from engine.text.positions import to_json
from engine.text.records import typed_move
from server.board.live.as_it_stands import read_board_now
from server.record.evidence import EVIDENCE, file_of, find_picture_fault, folder_of
from server.record.store import read_record
from server.web.feed import Feed
from server.web.problems import NOTHING_YET, Problem, read_query_number

SIDES = ("before", "after")
UNREAD_BOARD = "the camera has not read the board yet: wait until it sees it, or set the position by hand"


def find_unconfirmed(feed: Feed, confirmed: Collection[str]) -> tuple[str, ...]:
    """The cells of the board as it stands that are in doubt, and that nobody has looked at. Problem where it was not
    read."""
    now = feed.current_state
    read = None if now.match is None else read_board_now(now.match, now.beliefs)
    if read is None:
        raise Problem(409, UNREAD_BOARD)
    return tuple(cell for cell in read.doubtful if cell not in confirmed)


def create_arbiter_routes(feed: Feed, record: Path | None) -> Blueprint:
    """The blueprint; without a `record` there are no pictures of past plies."""
    routes = Blueprint("looking", __name__, url_prefix="/api/v1")

    _add_rules_routes(routes, feed)

    @routes.get("/stands")
    def stands() -> Response | tuple[str, int]:
        now = feed.current_state
        if now.match is None:
            raise Problem(503, "the referee is starting: ask again in a moment")
        read = read_board_now(now.match, now.beliefs)
        if read is None:
            return "", NOTHING_YET
        position = to_json(now.match.game, read.position)
        return jsonify({"position": position, "differs": read.differs, "doubtful": read.doubtful})

    @routes.get("/camera/cells")
    def cells() -> Response | tuple[str, int]:
        beliefs = feed.current_state.beliefs
        return jsonify(beliefs) if beliefs is not None else ("", NOTHING_YET)

    @routes.get("/evidence/<name>/<int:ply>")
    def evidence(name: str, ply: int) -> Response:
        kept = _last_event(record, name, ply, EVIDENCE)
        reason = read_reason(_last_event(record, name, ply, "move").get("reason"))
        pictures = {side: url_for("looking.picture", name=name, ply=ply, side=side) for side in SIDES if side in kept}
        return jsonify({"pictures": pictures, "scores": kept.get("scores", {}), "reason": reason and reason.to_json()})

    @routes.get("/evidence/<name>/<int:ply>/<any(before, after):side>.jpg")
    def picture(name: str, ply: int, side: str) -> Response:
        kept = _last_event(record, name, ply, EVIDENCE)
        if record is None or side not in kept:
            raise Problem(404, f"no picture {side} ply {ply} of {name} was kept")
        folder, digest = folder_of(record), str(kept[side])
        wrong = find_picture_fault(folder, digest)
        if wrong:
            raise Problem(404, wrong)
        return send_file(file_of(folder, digest).resolve(), mimetype="image/jpeg", max_age=0)

    return routes


def _add_rules_routes(routes: Blueprint, feed: Feed) -> None:
    """The routes that say what the rules make of the game that is shown; nothing is changed by them."""

    @routes.get("/lawful")
    def lawful() -> Response:
        match = feed.current_state.match
        if match is None:
            raise Problem(503, "the referee is starting: ask again in a moment")
        ply = read_query_number("ply", len(match.positions))
        if not 1 <= ply <= len(match.positions):
            raise Problem(404, f"ply {ply}: count from 1 to {len(match.positions)}")
        stood, game, cells = match.positions[ply - 1], match.game, match.game.board.cells
        moves = [
            {"notation": game.write(stood, move), "from": cells[move.origin], "to": cells[move.target]}
            for move in game.moves(stood)
        ]
        return jsonify({"ply": ply, "side": game.seats[stood.seat], "position": to_json(game, stood), "moves": moves})

    @routes.get("/correction")
    def foresee_correction() -> Response:
        match = feed.current_state.match
        if match is None:
            raise Problem(503, "the referee is starting: ask again in a moment")
        ply, notation = read_query_number("ply", 0), request.args.get("notation", "").strip()
        try:
            lost = find_dropped(match, ply, typed_move(notation))
        except InputError as error:
            raise Problem(422, error) from error
        return jsonify({"ply": ply, "drops": lost and lost.to_json()})


def _last_event(record: Path | None, name: str, ply: int, kind: str) -> dict[str, object]:
    """The last event of a kind about a ply, empty if there is none. No request names a file: the record does."""
    if record is None:
        return {}
    with read_record(record) as opened:
        events = opened.read_events(name)
    return next((e for e in reversed(events) if e.get("event") == kind and e.get("ply") == ply), {})
