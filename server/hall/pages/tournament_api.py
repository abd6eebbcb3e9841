"""What arbiters ask of a tournament: `POST /api/v1/hall/tournaments...`; each answer is a version, or why not."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flask import Blueprint, Response, g, jsonify, request

from engine import games
from engine.errors import InputError, Worded
from server.hall.desk.addresses import Address
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Distrust
from server.hall.desk.standing import Boards
from server.hall.pages.bodies import body_of, count_of, text_of
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament import pairing_gacrux as fide
from server.hall.tournament import people
from server.hall.tournament.event import COLOURS_OF_TWO, ROUND_ROBIN, SYSTEMS, TABLES_OF_THREE, Tournament
from server.hall.tournament.results_from_boards import (
    build_pairing,
    change_by_arbiter,
    give_board,
    give_result,
)
from server.hall.tournament.telling import tell_boards
from server.hall.tournament.tournament_store import Tournaments
from server.web.guard import larger_body
from server.web.preferences import translate_error
from server.web.problems import Problem

SAID_BY = "arbiter"
"""Who said a result where there are no accounts and nobody gave a name."""
Changed = Callable[..., Response]
"""Changes the tournament of a name by a function, tells of it and answers with its version, and with the notes that the
function has made."""
EDITED = ("name", "rating", "title", "federation", "fide_id")
TEXTS = ("title", "place", "federation", "begins", "ends", "arbiter")


def tournament_asks(
    tournaments: Tournaments,
    boards: Boards,
    ledger: Ledger,
    where: Mapping[str, Address],
    distrust: Callable[[], Distrust],
    changed: Callable[[], object],
) -> Blueprint:
    """The blueprint; `changed` is called after each change, `where` the boards are."""
    routes = Blueprint("tournament_asks", __name__, url_prefix="/api/v1/hall/tournaments")
    routes.before_request(_allow_lists)

    def apply_change(name: str, function: Callable[[Tournament], Tournament], notes: Sequence[Worded] = ()) -> Response:
        try:
            after = change_by_arbiter(tournaments, name, function, ledger, distrust())
        except InputError as error:
            raise Problem(422, error) from error
        changed()
        said = [translate_error(note) for note in notes]
        return jsonify({"version": after.version} | ({"note": "; ".join(said)} if said else {}))

    @routes.post("")
    def make() -> Response:
        made = _read_new_tournament(
            body_of("name", "system", "rounds", "times", "game", "first", "boards", "players", "tie_breaks", *TEXTS)
        )
        try:
            tournaments.add_tournament(made)
        except InputError as error:
            raise Problem(422, error) from error
        changed()
        return jsonify({"name": made.name})

    @routes.post("/<name>/tell")
    def tell(name: str) -> Response:
        body_of()
        try:
            said = tell_boards(tournaments.load_tournament(name), boards, where)
        except InputError as error:
            raise Problem(404, error) from error
        problems = "; ".join(f"{board}: {problem}" for board, problem in said.items() if problem)
        return jsonify(
            {"told": [board for board in said if not said[board]]} | ({"problem": problems} if problems else {})
        )

    _add_player_routes(routes, apply_change)
    _add_pairing_routes(routes, apply_change, tournaments, boards, ledger)
    _add_table_routes(routes, apply_change, ledger)
    return routes


def _allow_lists() -> None:
    request.max_content_length = larger_body(request.path)[1] or request.max_content_length


def _add_player_routes(routes: Blueprint, changed: Changed) -> None:
    """The routes that enter players and say when they play."""

    @routes.post("/<name>/players")
    def enter(name: str) -> Response:
        text = text_of(body_of("players"), "players", people.LARGEST_LIST)
        return changed(name, lambda it: running.enter_players(it, people.read_players(text, "players", it.entrants)))

    @routes.post("/<name>/player")
    def edit(name: str) -> Response:
        body = body_of("number", *EDITED)
        words = [text_of(body, field) for field in EDITED]
        return changed(name, lambda it: running.edit_player(it, count_of(body, "number"), people.parse_player(words)))

    @routes.post("/<name>/withdraw")
    def withdraw(name: str) -> Response:
        body = body_of("number", "back", "name")
        number, back, was = count_of(body, "number"), body.get("back") is True, text_of(body, "name")
        return changed(name, lambda it: running.withdraw_player(it, number, back=back, was=was))

    @routes.post("/<name>/bye")
    def bye(name: str) -> Response:
        body = body_of("number", "round", "worth")
        number, round_, worth = count_of(body, "number"), count_of(body, "round"), text_of(body, "worth")
        return changed(name, lambda it: running.set_absence(it, number, round_, worth))


def _add_pairing_routes(
    routes: Blueprint, changed: Changed, tournaments: Tournaments, boards: Boards, ledger: Ledger
) -> None:
    """The routes that pair the players of a round, and take it back."""

    @routes.post("/<name>/pair")
    def pair(name: str) -> Response:
        round_ = count_of(body_of("round"), "round")
        known = sorted((board.name for board in boards.list_boards()), key=running.board_order)
        return changed(name, *build_pairing(tournaments, ledger, name, round_, known))

    @routes.post("/<name>/unpair")
    def unpair(name: str) -> Response:
        round_ = count_of(body_of("round"), "round")
        return changed(name, lambda it: running.unpair_round(it, round_))


def _add_table_routes(routes: Blueprint, changed: Changed, ledger: Ledger) -> None:
    """The routes that seat players at boards and take their results."""

    @routes.post("/<name>/result")
    def result(name: str) -> Response:
        body = body_of("round", "table", "result", "was", "who")
        round_, table, who = count_of(body, "round"), count_of(body, "table"), _arbiter_name(body)
        told_, was = text_of(body, "result"), text_of(body, "was")
        return changed(
            name,
            lambda it: give_result(it, round_, table, told_, who, was, ledger),
        )

    @routes.post("/<name>/swap")
    def swap(name: str) -> Response:
        body = body_of("round", "table")
        return changed(name, lambda it: running.swap_sides(it, count_of(body, "round"), count_of(body, "table")))

    @routes.post("/<name>/exchange")
    def exchange(name: str) -> Response:
        body = body_of("round", "one", "other")
        round_, one, other = (count_of(body, field) for field in ("round", "one", "other"))
        return changed(name, lambda it: running.exchange_players(it, round_, one, other))

    @routes.post("/<name>/board")
    def board(name: str) -> Response:
        body = body_of("round", "table", "board", "game")
        round_, table, at = count_of(body, "round"), count_of(body, "table"), text_of(body, "board")
        return changed(name, lambda it: give_board(it, round_, table, at, ledger, text_of(body, "game")))


def _read_new_tournament(body: dict[str, Any]) -> Tournament:
    """A new tournament as it was asked for, with its players. A Problem says what cannot be used."""
    name, game = text_of(body, "name"), text_of(body, "game") or "camelot"
    if game not in games.names():
        raise Problem(422, "game {game}: one of {choices}", game=repr(game[:20]), choices=", ".join(games.names()))
    said = {key: text_of(body, key) for key in TEXTS}
    system = text_of(body, "system") or SYSTEMS[0]
    follows = system == ROUND_ROBIN and not body.get("rounds")
    made = Tournament(
        name,
        said["title"] or name,
        system,
        0 if follows else count_of(body, "rounds"),
        game,
        said["place"],
        said["federation"],
        said["begins"],
        said["ends"],
        said["arbiter"],
        first=text_of(body, "first") or secrets.choice(COLOURS_OF_TWO),
        tie_breaks=tuple(text_of(body, "tie_breaks").replace(",", " ").split()),
        boards=tuple(text_of(body, "boards", people.LARGEST_LIST).replace(",", " ").split()),
        times=count_of({"times": 1} | body, "times"),
    )
    players = text_of(body, "players", people.LARGEST_LIST)
    try:
        if made.system != TABLES_OF_THREE:  # also without any: it says where the library that pairs is missing
            fide.check_tie_breaks(made.tie_breaks)
        return running.enter_players(made, people.read_players(players, "players")) if players.strip() else made
    except InputError as error:
        raise Problem(422, error) from error


def _arbiter_name(body: dict[str, Any]) -> str:
    return str(g.account.name) if "account" in g else text_of(body, "who") or SAID_BY
