"""The hall's web application: its pages behind the same guard, accounts and rights as a board's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from flask import Flask

from server.access import rights, visits
from server.access.login import login, me
from server.access.serving import Serving
from server.hall.desk.gaps import Address
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Matters
from server.hall.desk.standing import Boards
from server.hall.pages.boards_page import boards_page
from server.hall.pages.queue import queue
from server.hall.pages.tournament_asks import tournament_asks
from server.hall.pages.tournaments_page import tournaments_page
from server.hall.tournament.kept import Tournaments
from server.http import guard, problems
from server.live.feed import Feed
from server.web.preferences import preferences


def hall_app(
    feed: Feed,
    boards: Boards,
    ledger: Ledger,
    matters: Matters,
    tournaments: Tournaments,
    where: Mapping[str, Address],
    serving: Serving,
) -> Flask:
    """The application. With accounts its pages are the arbiters': what is live and not delayed is for nobody else."""
    app = Flask("server")  # whose templates/ and static/ it has
    problems.install(app)
    guard.install(app, serving.names)
    if serving.door is not None:
        visits.install(app, serving.door, serving.secure)
        rights.install(app, serving.door, feed)
        app.register_blueprint(login(serving.door))
    app.register_blueprint(me(serving.door))
    app.register_blueprint(preferences({}))
    app.register_blueprint(boards_page(feed, boards, ledger))
    app.register_blueprint(queue(matters))
    app.register_blueprint(tournaments_page(tournaments, boards, ledger, can_tell=bool(where)))
    told = partial(tell, feed)
    app.register_blueprint(tournament_asks(tournaments, boards, ledger, where, told))
    return app


def tell(feed: Feed, names: Sequence[str]) -> None:
    """Tell the pages which tournaments have changed."""
    feed.publish({"event": "hall", "boards": [], "matters": False, "stored": [], "tournaments": list(names)})
