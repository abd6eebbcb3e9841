"""The hall's web application: its pages behind the same guard, accounts and rights as a board's."""

from __future__ import annotations

from flask import Flask

from server.access.login import me
from server.access.visitors import Visitors, application
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Matters
from server.hall.desk.standing import Boards
from server.hall.pages.boards_page import boards_page
from server.hall.pages.queue import queue
from server.live.feed import Feed
from server.web.preferences import preferences


def hall_app(feed: Feed, boards: Boards, ledger: Ledger, matters: Matters, visitors: Visitors) -> Flask:
    """The application. With accounts its pages are the arbiters': what is live and not delayed is for nobody else."""
    app = application(visitors, feed)
    app.register_blueprint(me(visitors.door))
    app.register_blueprint(preferences({}))
    app.register_blueprint(boards_page(feed, boards, ledger))
    app.register_blueprint(queue(matters))
    return app
