"""`/tournaments` and `/tournaments/<name>`: pairings, standings and crosstable, and the event as files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from engine import games
from engine.errors import InputError
from engine.explain.wording import words_of
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Distrust
from server.hall.desk.standing import Boards
from server.hall.desk.troubles import CHANGED_LATER
from server.hall.pages.tournament_parts import (
    CROSSTABLE_PART,
    PLAYERS_PART,
    ROUND_PART,
    STANDINGS_PART,
    PageAsked,
    names_of,
    read_page_request,
)
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament import trf
from server.hall.tournament.event import (
    BY_BOARD,
    TABLES_OF_THREE,
    Elsewhere,
    Seating,
    Tournament,
    find_earlier_round,
)
from server.hall.tournament.event_site import EventSite, event_to_json
from server.hall.tournament.games_played import find_ruling
from server.hall.tournament.pairing_gacrux import missing_library
from server.hall.tournament.results import LETTERS_OF
from server.hall.tournament.results_from_boards import TableGame, find_table_game
from server.hall.tournament.standings import Standings, StandingsRow, compute_standings
from server.hall.tournament.tournament_store import Tournaments
from server.web.preferences import current_language
from server.web.problems import Problem
from server.web.turns import Turns, current_asker

PACKING = Turns("the files of an event", 3)
"""An event of 64 players takes half a minute and more, at first; pages of games that are kept are not made again."""
THREE = ("1-0-0", "0-1-0", "0-0-1", "1/3-1/3-1/3", "1/2-1/2-0", "1/2-0-1/2", "0-1/2-1/2")


def tournaments_page(
    tournaments: Tournaments, boards: Boards, ledger: Ledger, distrust: Callable[[], Distrust], *, can_tell: bool
) -> Blueprint:
    """The blueprint. `can_tell`: the addresses of boards are known."""
    routes = Blueprint("tournaments", __name__)

    def find_tournament(name: str) -> Tournament:
        try:
            return tournaments.load_tournament(name)
        except InputError as error:
            raise Problem(404, error) from error

    @routes.get("/tournaments")
    def index() -> str:
        known = [tournaments.load_tournament(name) for name in tournaments.list_names()]
        return render_template("tournaments.html", known=known, games=_list_games(), missing=missing_library())

    @routes.get("/tournaments/<name>")
    def page(name: str) -> str:
        tournament = find_tournament(name)
        asked = read_page_request(tournament, request.args)
        return render_template(
            "tournament.html",
            tournament=tournament,
            asked=asked,
            rows=_select_round_rows(tournament, asked, ledger, distrust(), tournaments.find_elsewhere(name))
            if asked.has(ROUND_PART)
            else (),
            results=THREE if tournament.system == TABLES_OF_THREE else tuple(LETTERS_OF),
            boards=_list_boards(tournament, boards),
            can_tell=can_tell,
            cut=trf.find_cut(tournament),
            players=asked.select_rows(PLAYERS_PART, tournament.entrants, names_of) if asked.has(PLAYERS_PART) else (),
            edited=next((player for player in tournament.entrants if player.number == asked.edit), None),
            **_select_standings(tournament, asked),
        )

    @routes.get("/api/v1/hall/tournaments")
    def all_of_them() -> Response:
        return jsonify({"tournaments": tournaments.list_names()})

    @routes.get("/api/v1/hall/tournaments/<name>")
    def said(name: str) -> Response:
        asked = find_tournament(name)
        whole = event_to_json(asked, _require_standings(asked), {})
        rows = _list_round_rows(asked, asked.paired, ledger, distrust(), tournaments.find_elsewhere(name))
        open_ = [found | {"round": asked.paired} for found in rows]
        return jsonify(whole | {"version": asked.version, "now": open_})

    _add_file_routes(routes, find_tournament, ledger)
    return routes


def _add_file_routes(routes: Blueprint, one: Callable[[str], Tournament], ledger: Ledger) -> None:
    """The routes of the files of an event; `one` is the tournament of a name, or a Problem."""
    site_in = cache(EventSite)  # which keeps the pages of games that nothing new was stored of

    @routes.get("/tournaments/<name>/report.trf")
    def report(name: str) -> Response:
        try:
            return _build_attachment(
                trf.write_tournament(one(name)).encode(), f"{name}.trf", "text/plain; charset=utf-8"
            )
        except InputError as error:
            raise Problem(409, error) from error

    @routes.get("/tournaments/<name>/site.zip")
    def site(name: str) -> Response:
        packed, held = one(name), io.BytesIO()
        _require_standings(packed)
        with PACKING.wait_for_turn(current_asker()), zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as zipped:
            for path, content in site_in(current_language().code).build_files(packed, ledger).items():
                zipped.writestr(f"{name}/{path}", content)
        return _build_attachment(held.getvalue(), f"{name}.zip", "application/zip")


def _require_standings(tournament: Tournament) -> Standings:
    """The standings; a Problem says where the library that makes them is missing."""
    try:
        return compute_standings(tournament)
    except InputError as error:
        raise Problem(503, error) from error


def _select_standings(tournament: Tournament, asked: PageAsked) -> dict[str, Standings | None]:
    """Standings and crosstable, as far as the page shows them."""
    if not asked.has(STANDINGS_PART) and not asked.has(CROSSTABLE_PART):
        return {"standings": None, "crosstable_rows": None}
    whole = _require_standings(tournament)
    named: Callable[[StandingsRow], Sequence[str]] = lambda row: names_of(row.entrant)  # noqa: E731
    rows = asked.select_rows(STANDINGS_PART, whole.rows, named) if asked.has(STANDINGS_PART) else ()
    cells = (
        asked.select_rows(CROSSTABLE_PART, whole.rows, named, len(whole.columns) + 4)
        if asked.has(CROSSTABLE_PART)
        else ()
    )
    return {"standings": replace(whole, rows=tuple(rows)), "crosstable_rows": replace(whole, rows=tuple(cells))}


def _select_round_rows(
    tournament: Tournament, asked: PageAsked, ledger: Ledger, distrust: Distrust, elsewhere: Elsewhere
) -> Sequence[dict[str, Any]]:
    """The tables of the round that is shown; of many those first whose results are open."""
    tables = tournament.at(asked.round)
    if asked.part:
        tables = tuple(sorted(tables, key=lambda table: (bool(table.result), table.table)))
    wanted = asked.select_rows(
        ROUND_PART,
        tables,
        lambda table: (str(table.table), table.board, *(tournament.find_entrant(one).name for one in table.players)),
    )
    return [_table_to_row(tournament, table, ledger, distrust, elsewhere) for table in wanted]


def _list_round_rows(
    tournament: Tournament, round_: int, ledger: Ledger, distrust: Distrust, elsewhere: Elsewhere
) -> list[dict[str, Any]]:
    """The tables of a round, with what their boards say of the one that goes on."""
    return [_table_to_row(tournament, table, ledger, distrust, elsewhere) for table in tournament.at(round_)]


def _table_to_row(
    tournament: Tournament, table: Seating, ledger: Ledger, distrust: Distrust, elsewhere: Elsewhere
) -> dict[str, Any]:
    by_hand = table.result and table.source != BY_BOARD
    is_now = table.round == tournament.paired and table.board and not by_hand and not table.is_bye
    found = find_table_game(tournament, table, ledger, distrust, elsewhere) if is_now else TableGame(table.game)
    ruling = find_ruling(tournament, table, ledger)
    if ruling is not None and ruling.dispute_kind:
        found = TableGame(table.game, ruling.board_says, ruling.dispute_kind)
    return {
        "table": table.table,
        "board": table.board,
        "players": [tournament.find_entrant(number) for number in table.players],
        "result": table.result,
        "source": "" if found.misfit == CHANGED_LATER else table.source,
        "game": found.game,
        "misfit": found.misfit,
        "board_says": found.result if found.misfit else "",
        "can_take": found.can_take,
        "later": found.later,
        "earlier": find_earlier_round(tournament, table),
    }


def _list_boards(tournament: Tournament, boards: Boards) -> list[str]:
    names = {board.name for board in boards.list_boards()} | set(tournament.boards)
    return sorted(names | {table.board for table in tournament.tables if table.board}, key=running.board_order)


def _list_games() -> list[tuple[str, str]]:
    return [(name, words_of(games.load(name)).title) for name in games.names()]


def _build_attachment(content: bytes, name: str, kind: str) -> Response:
    answer = Response(content, content_type=kind)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
