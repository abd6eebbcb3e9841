"""The hall's web application: its pages behind the same guard, accounts and rights as a board's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from flask import Flask, request
from flask.typing import ResponseReturnValue

from server.hall.desk.addresses import Address
from server.hall.desk.database_server import forget_commits, may_be_kept
from server.hall.desk.hall_vitals import HallVitals
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Matters
from server.hall.desk.orders import Orders
from server.hall.desk.standing import Boards
from server.hall.pages.boards_page import Rounds, boards_page
from server.hall.pages.evidence_pages import evidence_pages
from server.hall.pages.hall_health import hall_health
from server.hall.pages.queue import queue_pages
from server.hall.pages.watch_page import watch_page
from server.hall.tournament.games_played import ArbiterDecision, Ruling
from server.web.access.login import create_me_routes
from server.web.access.visitors import Visitors, create_application
from server.web.feed import Feed
from server.web.preferences import create_preference_routes
from server.web.problems import Problem


@dataclass(frozen=True, slots=True)
class Watched:
    """What spectators are given: each line as it is told, and the folder with the files."""

    feed: Feed
    folder: Path


@dataclass(frozen=True, slots=True)
class Desk:
    """What the arbiters' pages are made of."""

    feed: Feed
    """Has an event for each batch that was stored."""
    boards: Boards
    ledger: Ledger
    matters: Matters
    orders: Orders
    vitals: HallVitals
    ruled: Callable[[], object]
    """Hears that an arbiter has decided something."""
    describe_matter: Callable[[str, str, str], Mapping[str, object]]
    """Kind of a matter, board and game -> what it is for a tournament; empty if nothing."""
    find_players: Callable[[str, str], list[str]]
    """Board and game -> who plays it, or played it."""
    decide_result: Callable[[str, str, ArbiterDecision, str], Ruling]
    """Board, game, what was decided and by whom -> how it was ruled before; InputError where it is not as it was
    seen."""


def hall_app(
    desk: Desk, visitors: Visitors, where: Mapping[str, Address], rounds: Rounds, watched: Watched | None = None
) -> Flask:
    """The application. With accounts its pages are the arbiters', but what is `watched` is late, and anybody's."""
    app = create_application(visitors, desk.feed)
    app.before_request(forget_commits)

    @app.errorhandler(sa.exc.SQLAlchemyError)
    def answer_failure(error: sa.exc.SQLAlchemyError) -> ResponseReturnValue:
        desk.vitals.database_failed(error)
        problem = Problem(
            503, "the hall's database refuses it: what you said is not kept; say it again when that is fixed"
        )
        if may_be_kept():
            problem = Problem(
                503,
                "the hall's database has not confirmed it: what you said may or may not be kept; look at it before you "
                "say it again",
            )
        if request.method == "GET":
            problem = Problem(
                503,
                "The hall's database does not answer, so this cannot be shown. Check on the hall's computer that it "
                "is there and its disk has space; this page comes by itself then.",
            )
        return app.handle_http_exception(problem)

    app.register_blueprint(create_me_routes(visitors.door))
    app.register_blueprint(create_preference_routes())
    app.register_blueprint(boards_page(desk.feed, desk.boards, desk.ledger, rounds, where))
    app.register_blueprint(
        queue_pages(
            desk.matters,
            desk.boards,
            desk.orders,
            desk.ruled,
            desk.describe_matter,
            desk.find_players,
            desk.decide_result,
        )
    )
    app.register_blueprint(evidence_pages(desk.boards, where))
    app.register_blueprint(hall_health(desk.vitals, desk.boards, desk.matters, desk.ledger))
    if watched is not None:
        app.register_blueprint(watch_page(watched.feed, watched.folder))
    return app
