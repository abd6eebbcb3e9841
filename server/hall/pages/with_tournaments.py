"""Tournaments in the hall's application: their pages, what is asked of them, and how pages hear of a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from flask import Flask

from server.hall.desk.addresses import Address
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Distrust
from server.hall.desk.standing import Boards
from server.hall.pages.tournament_api import tournament_asks
from server.hall.pages.tournaments_page import tournaments_page
from server.hall.tournament.tournament_store import Tournaments
from server.web.feed import Feed


def with_tournaments(
    app: Flask,
    changed: Callable[[], object],
    tournaments: Tournaments,
    boards: Boards,
    ledger: Ledger,
    where: Mapping[str, Address],
    distrust: Callable[[], Distrust],
) -> Flask:
    """The application with them. `where` are the boards that can be told who plays, `distrust` says whose records
    are not to be believed; `changed` is called after whatever somebody asked to change."""
    app.register_blueprint(tournaments_page(tournaments, boards, ledger, distrust, can_tell=bool(where)))
    app.register_blueprint(tournament_asks(tournaments, boards, ledger, where, distrust, changed))
    return app


def tell_pages(feed: Feed, names: Sequence[str]) -> None:
    """Tell the pages which tournaments have changed."""
    feed.publish_event({"event": "hall", "boards": [], "matters": False, "stored": [], "tournaments": list(names)})
