"""`referee hall`: stores what boards publish, and shows them all on a page."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path

import click
import cv2
import sqlalchemy as sa

from engine.errors import InputError
from server.access.serving import Serving, serving_options
from server.exits import DONE
from server.exports.qr import qr_svg
from server.hall.broker import Broker, broker_of, pin_of
from server.hall.delayed.delay import Delay
from server.hall.delayed.shelf import Shelf
from server.hall.desk.database import open_database
from server.hall.desk.gaps import Gaps, addresses
from server.hall.desk.intake import Intake
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Matters
from server.hall.desk.orders import Orders
from server.hall.desk.standing import Board, Boards
from server.hall.entering import keep, try_broker
from server.hall.installing import STATE_FOLDER, cards, compose, hall_command, units
from server.hall.joining import HALL_ACCOUNT, HOME_ACCOUNT, new_folder, prepare
from server.hall.pages.hall_app import Watched, hall_app
from server.hall.pages.with_tournaments import tell_pages, with_tournaments
from server.hall.proxy_site import nginx_site
from server.hall.tournament.flow import Flow
from server.hall.tournament.kept import Tournaments
from server.hall.wire import Link
from server.http.site import Site
from server.http.tls import own
from server.live.feed import Feed
from server.pictures import frames
from server.record.store import default_path, made
from server.settings import default_path as settings_path
from server.table.publishing import LOGIN_VARIABLE

log = logging.getLogger(__name__)

MOST_LOOKED = 2000
"""Frames in which a card is looked for: a minute of a camera."""
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
@click.option(
    "--spectators",
    "spectators_path",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for what spectators may see: their page is /watch, and any web server can serve the folder.",
)
@click.option(
    "--delay",
    "delay_min",
    type=click.FloatRange(0, 600),
    default=15.0,
    show_default=True,
    help="Minutes by which spectators are behind the boards.",
)
@serving_options
def command(
    broker_url: str | None,
    database: str | None,
    boards_path: Path | None,
    spectators_path: Path | None,
    delay_min: float,
    serving: Serving,
) -> int:
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
        delay = _delay(spectators_path, delay_min, ledger, closing)
        tournaments = Tournaments(engine)
        flow = Flow(tournaments, ledger, lambda names: tell_pages(feed, names))

        def told(stored: Sequence[Link], changed: Sequence[str]) -> None:
            known = [board for name in changed if (board := boards.one(name)) is not None]
            if delay is not None:
                delay.hear(stored, known)
            orders.heard(stored)
            new = [_noted(matters, boards, board) for board in known]
            feed.publish(_news(boards, known, any(new), stored))
            flow.note(stored)

        try:
            intake = Intake(broker, ledger, boards, told)
        except OSError as error:  # with a pin the broker is asked at once
            raise InputError(f"broker {broker}: {error}: is it running?") from error
        gaps = Gaps(boards, where, intake.take)
        orders = Orders(matters, boards, intake.send)
        watched = Watched(delay.feed, delay.shelf.folder) if delay else None
        app = hall_app(feed, boards, ledger, matters, orders, serving.visitors, where, watched)
        with_tournaments(app, feed, tournaments, boards, ledger, where)
        site = Site(app, listening, serving.tls)
        closing.callback(site.close)
        closing.callback(feed.close)
        for begin, end in (
            (flow.start, flow.close),
            (intake.listen, intake.close),
            (orders.start, orders.close),
            (gaps.start, gaps.close),
        ):
            begin()
            closing.callback(end)
        click.echo(f"The hall is at {serving.address(site.url)}hall and listens to {broker}.")
        click.echo("Ctrl-C ends it; the broker keeps what comes meanwhile for an hour.")
        threading.Event().wait()
    return DONE


def _news(boards: Boards, known: Sequence[Board], queue: bool, stored: Sequence[Link]) -> dict[str, object]:
    """What pages are told: how boards stand, whether the `queue` has changed, and what was stored."""
    return {
        "event": "hall",
        "boards": [boards.shown(board) for board in known],
        "matters": queue,
        "stored": [[link.board, link.game, link.sequence] for link in stored],
    }


def _delay(folder: Path | None, minutes: float, ledger: Ledger, closing: ExitStack) -> Delay | None:
    """What tells spectators, running until `closing`; None where nobody is told."""
    if folder is None:
        return None
    delay = Delay(ledger, Shelf(folder), Feed(KEPT_NEWS), minutes * 60)
    delay.start()
    closing.callback(delay.close)
    return delay


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
    "--at",
    "url",
    default="mqtt://127.0.0.1/camelot",
    show_default=True,
    help="Where boards find the broker; mqtts:// with a certificate that is made.",
)
@click.option("--one-game", "pairs", multiple=True, metavar="BOARD=BOARD", help="Two boards that play as one.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def init(count: int, url: str, pairs: Sequence[str], folder: Path) -> None:
    """Prepare a hall in a new FOLDER: broker, accounts, rights, TLS, nginx, systemd, and a code for each board."""
    broker = broker_of(url)
    boards = [f"table-{number}" for number in range(1, count + 1)]
    together = [_pair(text, boards) for text in pairs]
    new_folder(folder)
    folder = folder.resolve()
    tls = own(folder, [broker.host]) if broker.tls else None
    certificate = (Path(tls.cert), Path(tls.key)) if tls else None
    passwords = prepare(folder, broker, boards, certificate, together)
    codes = {name: _code(broker, name, password, certificate) for name, password in passwords.items()}
    written = _install(folder, broker, codes, passwords[HALL_ACCOUNT], certificate)
    click.echo(f"In {folder}: {', '.join(written)}")
    click.echo(f"Start the broker: mosquitto -c {folder}/mosquitto.conf")
    click.echo("These passwords are shown once, and are on the cards to print:")
    uses = {HALL_ACCOUNT: "referee hall --broker ", HOME_ACCOUNT: "Home Assistant: "}
    for name, code in codes.items():
        click.echo(f"{uses.get(name, 'referee hall join ')}{code}")


def _pair(text: str, boards: Sequence[str]) -> tuple[str, str]:
    one, _, other = text.partition("=")
    if one == other or one not in boards or other not in boards:
        raise InputError(f"--one-game {text[:90]!r}: two of {boards[0]} to {boards[-1]}, like table-1=table-2")
    return one, other


def _code(broker: Broker, name: str, password: str, certificate: tuple[Path, Path] | None) -> str:
    """The address by which an account reaches the broker, and knows it again: the hall, here, by the file itself."""
    kind = "mqtts" if broker.tls else "mqtt"
    address = f"{kind}://{name}:{password}@{broker.host}:{broker.port}/{broker.prefix}"
    if certificate is None:
        return address
    if name in {HALL_ACCOUNT, HOME_ACCOUNT}:
        return f"{address}?ca={certificate[0]}"
    return f"{address}?pin={pin_of(certificate[0].read_text(encoding='ascii'))}"


def _install(
    folder: Path, broker: Broker, codes: Mapping[str, str], password: str, certificate: tuple[Path, Path] | None
) -> list[str]:
    """Write what runs the hall for good; the names of the files."""
    address = f"{'mqtts' if broker.tls else 'mqtt'}://{HALL_ACCOUNT}@{broker.host}:{broker.port}/{broker.prefix}"
    arguments = hall_command(folder, address, certificate[0] if certificate else None)
    listen = "443" if certificate else "80"
    of_boards = {name: code for name, code in codes.items() if name not in {HALL_ACCOUNT, HOME_ACCOUNT}}
    files = {
        **units(folder, folder.owner(), "/opt/camelot-referee/.venv/bin/referee", arguments),
        "compose.yaml": compose(folder, f"{os.getuid()}:{os.getgid()}", arguments),
        "nginx.conf": nginx_site(broker.host, listen, STATE_FOLDER / "live", "http://127.0.0.1:5000", certificate),
        "hall.env": f"{LOGIN_VARIABLE}={password}\n",
        "cards.html": cards(of_boards, {name: qr_svg(code) for name, code in of_boards.items()}),
    }
    try:
        for name, text in files.items():
            (folder / name).touch(0o600)
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"hall init: {folder}: {error}") from error
    return sorted(path.name for path in folder.iterdir())


@command.command
@click.option("--camera", help="Where the card is held before the camera: device, stream URL, picture or folder.")
@click.argument("code", required=False)
def join(code: str | None, camera: str | None) -> None:
    """Join the hall of CODE from now on: typed, or read from its card by the camera."""
    if (code is None) == (camera is None):
        raise InputError("hall join: give the CODE of the card, or --camera to show the card to")
    code = code or _scanned(str(camera))
    broker = broker_of(code)
    if broker.user is None:
        raise InputError("hall join: this code has no board's name and password: take it from the board's card")
    try_broker(broker)
    keep(settings_path(os.environ), code)
    click.echo(f"{broker.user} has joined {broker}: `referee serve` publishes there from now on.")


def _scanned(camera: str) -> str:
    """The first code that is seen; InputError after MOST_LOOKED frames without one."""
    detector = cv2.QRCodeDetector()
    click.echo("Hold the card before the camera.")
    for frame in islice(frames(camera), MOST_LOOKED):
        text, _, _ = detector.detectAndDecode(frame.image)
        if text:
            return str(text)
    raise InputError(f"--camera {camera}: no code is seen: hold the card nearer and still, or type its code")
