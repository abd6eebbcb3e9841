"""`referee hall`: stores what boards publish, and shows them all on a page."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import click

from server.access.serving import Serving, options
from server.commands._publishing import PASSWORD
from server.exits import DONE
from server.hall.broker import broker_of
from server.hall.desk.database import open_database
from server.hall.desk.gaps import Gaps, addresses
from server.hall.desk.intake import Intake
from server.hall.desk.ledger import Ledger
from server.hall.desk.standing import Boards
from server.hall.pages.hall_app import hall_app
from server.hall.wire import Link
from server.http.site import Site
from server.live.feed import Feed
from server.record.store import default_path, made

log = logging.getLogger(__name__)

KEPT_NEWS = 200
"""Batches that a page may lag behind, some seconds in a busy hall; then it asks for all boards anew."""


@click.command(help="Follow many boards: store what they publish to a broker, and show them all on a page.")
@click.option("--broker", "broker_url", metavar="URL", required=True, help="The broker: mqtt://name@host/prefix.")
@click.option("--database", help="A file for SQLite, or postgresql://...; default: hall.sqlite3 beside your record.")
@click.option(
    "--boards",
    "boards_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Addresses of the boards (TOML), to ask for what the broker lost.",
)
@options
def command(broker_url: str, database: str | None, boards_path: Path | None, serving: Serving) -> int:
    """Run until Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    broker = broker_of(broker_url, os.environ.get(PASSWORD))
    where = addresses(boards_path) if boards_path else {}
    with ExitStack() as closing, suppress(KeyboardInterrupt):
        listening = closing.enter_context(serving.listen())
        engine = open_database(database or str(made(default_path()).with_name("hall.sqlite3")))
        closing.callback(engine.dispose)
        feed, ledger = Feed(KEPT_NEWS), Ledger(engine)
        boards = Boards(ledger)

        def told(stored: Sequence[Link], changed: Sequence[str]) -> None:
            known = [board for name in changed if (board := boards.one(name)) is not None]
            news = {
                "event": "hall",
                "boards": [boards.shown(board) for board in known],
                "stored": [[link.board, link.game, link.sequence] for link in stored],
            }
            feed.publish(news)

        intake = Intake(broker, ledger, boards, told)
        gaps = Gaps(boards, where, intake.take)
        site = Site(hall_app(feed, boards, ledger, serving), listening, serving.tls)
        closing.callback(site.close)
        closing.callback(feed.close)
        intake.listen()
        closing.callback(intake.close)
        gaps.start()
        closing.callback(gaps.close)
        click.echo(f"The hall is at {serving.address(site.url)}hall and listens to {broker}.")
        click.echo("Ctrl-C ends it; the broker keeps what comes meanwhile for an hour.")
        threading.Event().wait()
    return DONE
