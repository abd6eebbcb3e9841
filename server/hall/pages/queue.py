"""The arbiters' queue for the page and for programs: `/api/v1/hall/matters`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response, g, jsonify

from engine import outside
from engine.errors import InputError
from server.hall.desk.matters import LONGEST_RULING, SHOWN_FOR_S, Matter, Matters
from server.hall.desk.orders import Orders
from server.hall.desk.standing import Boards, BoardStanding
from server.hall.desk.troubles import DISPUTED, HOLD_RESULTS, TWINS, WRONG_CLOCK
from server.hall.pages.bodies import body_of, text_of
from server.hall.tournament.games_played import ArbiterDecision, Ruling
from server.web.problems import Problem

LONGEST_ARBITER = 100
DecideResult = Callable[[str, str, ArbiterDecision, str], Ruling]
"""As games_played.Rulings.decide_result."""
ON_GAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
ON_PLIES = 100_000
"""Names and lengths of games as they go over the wire."""
NOT_YOURS = "this matter is not yours any more: look at the list again"
ORDERS_FROM_HERE = ("stands-so", "pause", "resume")
"""What an arbiter may have a board do from here."""


def queue_pages(
    matters: Matters,
    boards: Boards,
    orders: Orders,
    ruled: Callable[[], object],
    describe_matter: Callable[[str, str, str], Mapping[str, object]],
    find_players: Callable[[str, str], list[str]],
    decide_result: DecideResult,
) -> Blueprint:
    """The blueprint. Who claims and rules is the account that asks; without accounts, the name that is given. `ruled`
    hears that something was decided; `describe_matter` says of a kind, a board and a game what it is for a tournament,
    `find_players` who plays it or played it, and `decide_result` has one of two results count."""
    routes = Blueprint("queue", __name__, url_prefix="/api/v1/hall")

    @routes.get("/matters")
    def unsettled() -> Response:
        shown = [
            _matter_to_json(matter)
            | _describe_board(boards.find_board(matter.board), matter, find_players)
            | dict(describe_matter(matter.kind, matter.board, matter.game))
            for matter in matters.list_unsettled(time.time() - SHOWN_FOR_S)
        ]
        sent = [asdict(order) for order in orders.recent_orders()]
        me = str(g.account.name)[:LONGEST_ARBITER] if "account" in g else None
        return jsonify({"matters": shown, "orders": sent, "me": me})

    @routes.get("/boards/<board>/rulings")
    def rulings(board: str) -> Response:
        return jsonify({"rulings": [_matter_to_json(matter) for matter in matters.list_rulings(board)]})

    @routes.post("/matters/<int(max=2147483647):matter>/claim")
    def claim(matter: int) -> Response:
        body = body_of("version", "who")
        if not matters.claim_matter(matter, _read_version(body), _arbiter_name(body), time.time()):
            raise Problem(409, "another arbiter was first: look at the list again")
        return jsonify({"claimed": matter})

    @routes.post("/matters/<int(max=2147483647):matter>/release")
    def release(matter: int) -> Response:
        body = body_of("version", "who")
        if not matters.release_matter(matter, _read_version(body), _arbiter_name(body)):
            raise Problem(409, NOT_YOURS)
        return jsonify({"released": matter})

    _add_rule_route(routes, matters, ruled, decide_result)
    _add_left_route(routes, matters, boards, ruled)
    _add_order_route(routes, boards, orders)
    return routes


def _add_rule_route(
    routes: Blueprint, matters: Matters, ruled: Callable[[], object], decide_result: DecideResult
) -> None:
    """The route by which an arbiter decides a matter, and with it which result of a game counts."""

    @routes.post("/matters/<int(max=2147483647):matter>/rule")
    def rule(matter: int) -> Response:
        body = body_of("version", "who", "ruling", "result", "was", "says")
        if not (ruling := _read_line(body.get("ruling"), LONGEST_RULING)):
            raise Problem(
                422, f"ruling: what was decided, at most {LONGEST_RULING} characters, without control characters"
            )
        version, who, counts = _read_version(body), _arbiter_name(body), dict[str, object]()
        if result := text_of(body, "result"):
            if (own := matters.find_claimed(matter, version, who)) is None:
                raise Problem(409, NOT_YOURS)
            decided = ArbiterDecision(result, (text_of(body, "was"), text_of(body, "says")))
            counts = _settle_result(own, decided, who, decide_result)
        if not matters.record_ruling(matter, version, who, ruling):
            raise Problem(409, NOT_YOURS)
        ruled()
        return jsonify({"ruled": matter} | counts)


def _settle_result(own: Matter, decided: ArbiterDecision, who: str, decide_result: DecideResult) -> dict[str, object]:
    """Have the result count that was decided on; what counts now, what counted before, and where."""
    if own.kind not in DISPUTED:
        raise Problem(422, f"result: a matter of {own.kind} is not about one: leave it out")
    try:
        before = decide_result(own.board, own.game, decided, who)
    except InputError as error:
        raise Problem(412, error) from error
    where = {"tournament": before.tournament, "round": before.table.round, "table": before.table.table}
    return where | {"counts": decided.result, "counted": before.table.result}


def _add_left_route(routes: Blueprint, matters: Matters, boards: Boards, ruled: Callable[[], object]) -> None:
    """The routes by which an arbiter says that a board is not in this hall any more: of a matter that it has, or of the
    board itself, of which nothing waits."""

    @routes.post("/matters/<int(max=2147483647):matter>/left")
    def note_left(matter: int) -> Response:
        body = body_of("version", "who")
        version, who = _read_version(body), _arbiter_name(body)
        known = boards.find_board(matters.read_board_name(matter))
        if known is not None and known.online:
            raise Problem(
                409, f"board {known.name} is connected, so it has not left: have it join the other hall first"
            )
        if not matters.mark_left(matter, version, who, time.time()):
            raise Problem(409, NOT_YOURS)
        ruled()
        return jsonify({"left": matter})

    @routes.post("/boards/<board>/left")
    def note_departure(board: str) -> Response:
        body_of()
        if (known := boards.find_board(board)) is None or known.online:
            raise Problem(409, f"board {board[:50]!r} is connected, or was not heard of: look again")
        matters.note_departure(board, time.time())
        ruled()
        return jsonify({"left": board})


def _add_order_route(routes: Blueprint, boards: Boards, orders: Orders) -> None:
    """The route by which a board is asked to do something at once."""

    @routes.post("/boards/<board>/commands")
    def command(board: str) -> tuple[Response, int]:
        body = body_of("do", "who", "on")
        if (do := body.get("do")) not in ORDERS_FROM_HERE:
            raise Problem(422, f"do: one of {', '.join(ORDERS_FROM_HERE)}")
        known = boards.find_board(board)
        if known is None or not known.online:
            raise Problem(409, f"board {board[:50]!r} is not connected: go there")
        if not (name := orders.send_order(board, str(do), _arbiter_name(body), _read_game_and_ply(body.get("on")))):
            raise Problem(503, "the broker is away: try again")
        return jsonify({"sent": do, "id": name}), 202


def _matter_to_json(matter: Matter) -> dict[str, object]:
    return asdict(matter) | {"free": matter.lease < time.time()}


def _describe_board(
    board: BoardStanding | None, matter: Matter, find_players: Callable[[str, str], list[str]]
) -> dict[str, object]:
    """What an arbiter wants to know of the board of a matter before going there: the players are those of its game,
    also where the board is at the next one. Of two programs of one name each says something else in turn: then no more
    than the games of both."""
    is_double = board is not None and TWINS in board.doubts
    state = (board.state if board and not is_double else None) or {}
    is_its = state.get("name") == matter.game
    said = list(state.get("players", {}).values()) if is_its else []
    return {
        "age": round(time.time() - matter.opened),
        "online": board is not None and board.online,
        "on": {"game": state["name"], "ply": state["ply"]} if state else None,
        "players": said if said or is_double else find_players(matter.board, matter.game),
        "note": state.get("note") if is_its else None,
        "holds_results": matter.kind in HOLD_RESULTS,
        "skew": round(board.clock_skew) if board and matter.kind == WRONG_CLOCK else 0,
        "games": board.games_spoken_of if board and matter.kind == TWINS else [],
    }


def _read_game_and_ply(said: object) -> tuple[str, int] | None:
    """The game that an order was decided on, and how many plies it had; None where nobody says."""
    if said is None:
        return None
    game, ply = (said.get("game"), said.get("ply")) if isinstance(said, dict) and len(said) == 2 else (None, None)
    if not isinstance(game, str) or not ON_GAME.fullmatch(game) or type(ply) is not int or not 0 <= ply <= ON_PLIES:
        raise Problem(422, 'on: what it was decided on, like {"game": "camelot-0001", "ply": 12}')
    return game, ply


def _read_version(body: dict[str, Any]) -> int:
    version = body.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or not 0 < version < 2**31:
        raise Problem(422, "version: the one that the list gives")
    return version


def _arbiter_name(body: dict[str, Any]) -> str:
    if "account" in g:
        return str(g.account.name)[:LONGEST_ARBITER]
    if not (who := _read_line(body.get("who"), LONGEST_ARBITER)):
        raise Problem(422, f"who: the arbiter's name, at most {LONGEST_ARBITER} characters, without control characters")
    return who


def _read_line(said: object, longest: int) -> str:
    """A text in one line, so that breaks are spaces; empty if it is none, too long, or has control characters."""
    line = outside.compose_letters(" ".join(said.split())) if isinstance(said, str) else ""
    return line if len(line) <= longest and line.isprintable() else ""
