"""`referee hall`: stores what boards publish, and shows them all on a page."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import click
import sqlalchemy as sa

from engine.errors import InputError
from server.access.serving import Serving, serving_options
from server.exits import DONE
from server.hall.broker import broker_of
from server.hall.desk.database import open_database
from server.hall.desk.gaps import Gaps, addresses
from server.hall.desk.intake import Intake
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Matters
from server.hall.desk.standing import Board, Boards
from server.hall.joining import HALL_ACCOUNT, HOME_ACCOUNT, prepare
from server.hall.pages.hall_app import hall_app
from server.hall.pages.with_tournaments import tell_pages, with_tournaments
from server.hall.tournament.flow import Flow
from server.hall.tournament.kept import Tournaments
from server.hall.wire import Link
from server.http.site import Site
from server.live.feed import Feed
from server.record.store import default_path, made
from server.table.publishing import LOGIN_VARIABLE

log = logging.getLogger(__name__)

KEPT_NEWS = 200
"""Batches that a page may lag behind, some seconds in a busy hall; then it asks for all boards anew."""


@click.group(
    invoke_without_command=True,
    help="Follow many boards: store what they publish to a broker, and show them all on a page.",
)
@click.option("--broker", "broker_url", metavar="URL", help="The broker: mqtt://name@host/prefix.")
@click.option("--database", help="A file for SQLite, or postgresql://...; default: hall.sqlite3 beside your record.")
@click.option(
    "--boards",
    "boards_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Addresses of the boards (TOML), to ask for what the broker lost, and to tell them who plays.",
)
@serving_options
def command(broker_url: str | None, database: str | None, boards_path: Path | None, serving: Serving) -> int:
    """Run until Ctrl-C."""
    if click.get_current_context().invoked_subcommand is not None:
        return DONE
    if broker_url is None:
        raise InputError("hall: name the broker: --broker mqtt://host/prefix; `referee hall init` prepares one")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    broker = broker_of(broker_url, os.environ.get(LOGIN_VARIABLE))
    where = addresses(boards_path) if boards_path else {}
    with ExitStack() as closing, suppress(KeyboardInterrupt):
        listening = closing.enter_context(serving.listen())
        engine = open_database(database or str(made(default_path()).with_name("hall.sqlite3")))
        closing.callback(engine.dispose)
        feed, ledger = Feed(KEPT_NEWS), Ledger(engine)
        boards, matters = Boards(ledger), Matters(engine)
        tournaments = Tournaments(engine)
        flow = Flow(tournaments, ledger, lambda names: tell_pages(feed, names))

        def told(stored: Sequence[Link], changed: Sequence[str]) -> None:
            known = [board for name in changed if (board := boards.one(name)) is not None]
            new = [_noted(matters, boards, board) for board in known]
            news = {
                "event": "hall",
                "boards": [boards.shown(board) for board in known],
                "matters": any(new),
                "stored": [[link.board, link.game, link.sequence] for link in stored],
            }
            feed.publish(news)
            flow.note(stored)

        intake = Intake(broker, ledger, boards, told)
        gaps = Gaps(boards, where, intake.take)
        app = hall_app(feed, boards, ledger, matters, serving.visitors)
        with_tournaments(app, feed, tournaments, boards, ledger, where)
        site = Site(app, listening, serving.tls)
        closing.callback(site.close)
        closing.callback(feed.close)
        flow.start()
        closing.callback(flow.close)
        intake.listen()
        closing.callback(intake.close)
        gaps.start()
        closing.callback(gaps.close)
        click.echo(f"The hall is at {serving.address(site.url)}hall and listens to {broker}.")
        click.echo("Ctrl-C ends it; the broker keeps what comes meanwhile for an hour.")
        threading.Event().wait()
    return DONE


def _noted(matters: Matters, boards: Boards, board: Board) -> bool:
    """Whether the queue has changed; a database that is away does not keep the page from being told."""
    if board.state is None:
        return False
    try:
        return matters.note(board.name, board.state["name"], boards.troubles(board), time.time())
    except sa.exc.SQLAlchemyError as error:
        log.warning("the arbiters' queue is behind: %s", str(error).partition("\n")[0][:300])
        return False


@command.command
@click.option("--boards", "count", type=click.IntRange(1, 500), default=10, show_default=True, help="How many boards.")
@click.option(
    "--at", "url", default="mqtt://127.0.0.1/camelot", show_default=True, help="Where the broker is to listen."
)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def init(count: int, url: str, folder: Path) -> None:
    """Prepare a Mosquitto broker in a new FOLDER: accounts, who may do what, and how each board joins."""
    broker = broker_of(url)
    if broker.tls:
        raise InputError("hall init: it prepares no TLS: put a certificate into mosquitto.conf, and write mqtt:// here")
    boards = [f"table-{number}" for number in range(1, count + 1)]
    passwords = prepare(folder, broker, boards)
    click.echo(f"Start the broker: mosquitto -c {folder}/mosquitto.conf")
    click.echo("These passwords are shown once:")
    for name, password in passwords.items():
        address = f"mqtt://{name}:{password}@{broker.host}:{broker.port}/{broker.prefix}"
        use = {HALL_ACCOUNT: "referee hall --broker ", HOME_ACCOUNT: "Home Assistant: "}
        click.echo(f"{use.get(name, 'referee serve --hall ')}{address}")
