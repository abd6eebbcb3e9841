"""`referee hall`: stores what boards publish, and shows them all on a page."""

from __future__ import annotations

import os
import shlex
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

import click
import cv2
import sqlalchemy as sa
from click.core import ParameterSource

from engine.errors import InputError
from server.board.hall_link.entering import join_by_code, save_hall_address, try_broker
from server.board.publishing import LOGIN_VARIABLE
from server.commands import _hall_upkeep
from server.exits import DONE, take_signals
from server.hall.desk.addresses import read_addresses
from server.hall.desk.database import close_database, explain_failures, open_database
from server.hall.desk.database_server import describe_database
from server.hall.hall_folder import HALL_DATABASE, describe_certificate
from server.hall.installing import STATE_FOLDER, hall_command, render_cards, render_compose, render_units
from server.hall.joining import HALL_ACCOUNT, HOME_ACCOUNT, new_folder, prepare_broker
from server.hall.proxy_site import nginx_site
from server.hall.standalone import ACCOUNTS, BROKER_LOG, FIRST_ARBITER, Standalone
from server.hall.turned_away import TurnedAway
from server.hall.whole import Hall, Open
from server.masking import print_line
from server.mqtt.broker import Broker, broker_of
from server.mqtt.certificates import pin_of
from server.mqtt.invitations import Invitations, normalize_code
from server.mqtt.nearby import Announcer
from server.options import A_FILE, NumberRange
from server.pictures import read_frames
from server.record.exports.qr import qr_svg
from server.record.store import record_at
from server.settings import default_path as settings_path
from server.web.access.accounts import Door
from server.web.access.serving import Serving, serving_options
from server.web.site import Site
from server.web.tls import ensure_certificate, own_names

MOST_LOOKED = 2000
"""Frames in which a card is looked for: a minute of a camera."""


@click.group(
    invoke_without_command=True,
    help="Follow many boards: store what they publish, and show them all on a page. In an empty folder everything that "
    "it takes is made and started; with --broker it uses one that runs.",
)
@click.option("--broker", "broker_url", metavar="URL", help="A broker that runs: mqtt://name@host/prefix.")
@click.option(
    "--broker-port",
    type=click.IntRange(1, 65535),
    help="Of the broker that is made in an empty folder; default: the first from 8883 on that is free.",
)
@click.option(
    "--database",
    help="A file for SQLite, or postgresql://...; default: the folder's own, else one beside your record.",
)
@click.option(
    "--boards",
    "boards_path",
    type=A_FILE,
    help="Addresses of the boards (TOML), to show their pictures, and to tell them who plays.",
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
    type=NumberRange(0, 600),
    default=15.0,
    show_default=True,
    help="Minutes by which spectators are behind the boards.",
)
@click.option(
    "--new-database",
    "anew",
    is_flag=True,
    help="Begin with an empty database where there was one, and it is gone.",
)
@serving_options
def command(
    broker_url: str | None,
    broker_port: int | None,
    database: str | None,
    boards_path: Path | None,
    spectators_path: Path | None,
    delay_min: float,
    serving: Serving,
    *,
    anew: bool,
) -> int:
    """Run until Ctrl-C."""
    if click.get_current_context().invoked_subcommand is not None:
        return DONE
    where = read_addresses(boards_path) if boards_path else {}
    ended = threading.Event()
    with take_signals(ended.set), ExitStack() as closing:
        alone = Standalone(Path(), broker_port) if broker_url is None else None
        if alone is not None:
            serving = _open_to_network(alone, serving)
        listening = closing.enter_context(serving.open_listener())
        broker = alone.broker if alone else broker_of(str(broker_url), os.environ.get(LOGIN_VARIABLE))
        engine = _open_database(alone, database, anew=anew)
        closing.callback(close_database, engine)
        closing.enter_context(explain_failures(engine, asked=False))
        open_ = None
        if alone is not None and alone.has_broker:
            found = urlsplit(serving.public_address(f"https://{serving.host}:{serving.port}")).hostname or ""
            turned_away, invitations = TurnedAway(alone.folder / BROKER_LOG), Invitations(alone.certificate_der)
            open_ = Open(invitations, alone.admit_board, alone.board_names, found, turned_away.list_places)
            closing.callback(alone.stop_broker)
            alone.start_broker()
        try:
            own = alone.tls_files.cert if alone else broker.ca or ""
            certificate = partial(describe_certificate, Path(own))
            hall = Hall(broker, engine, serving.visitors, where, spectators_path, delay_min * 60, open_, certificate)
        except OSError as error:  # with a pin the broker is asked at once
            raise InputError(f"broker {broker}: {error}: is it running?") from error
        site = Site(hall.app, listening, serving.tls)
        closing.callback(site.stop_server)
        closing.callback(hall.feed.end_listeners)
        hall.start_parts(closing)
        print_line(f"The hall is at {serving.public_address(site.url)}hall {_describe_listening(broker, alone)}")
        if alone is not None and open_ is not None:
            _announce_hall(alone, open_, listening.getsockname()[1], closing)
        click.echo("Ctrl-C ends it; the boards keep what comes meanwhile.")
        ended.wait()
    return DONE


def _describe_listening(broker: Broker, alone: Standalone | None) -> str:
    """Where boards reach the broker, for people."""
    if alone is None or not alone.has_broker:
        return f"and hears the boards by {broker}."
    return f"and its broker listens to boards on port {alone.port} of every network of this computer."


def _open_database(alone: Standalone | None, database: str | None, *, anew: bool) -> sa.Engine:
    """The database that is named, or the folder's own, or the one beside the own record. A folder's hall has the one
    that was named from then on: started without it, it would be another hall, or none."""
    if alone is None:
        return open_database(database or str(record_at(None).with_name(HALL_DATABASE)), anew=anew, by_hall=True)
    if database is None:
        return open_database(alone.files.find_database(), is_known=alone.had_database, anew=anew, by_hall=True)
    engine = open_database(database, anew=anew, by_hall=True)
    try:
        if alone.files.keep_database(database):
            print_line(f"This hall uses {describe_database(database)} from now on; --database need not be given again.")
    except InputError as error:  # the database itself can be written, so the hall is not kept from its work
        print_line(f"{error}: give --database at the next start too", err=True)
    return engine


def _open_to_network(alone: Standalone, serving: Serving) -> Serving:
    """The pages for every network, with the account and the certificate of the folder."""
    is_said = click.get_current_context().get_parameter_source("host") is not ParameterSource.DEFAULT
    host = serving.host if is_said else "0.0.0.0"  # noqa: S104  # nosec B104  # boards ask it
    if alone.password:  # at once: whatever fails from here on, it is shown this once
        print_line(f"{alone.folder} is a hall now. Log in as {FIRST_ARBITER}, password {alone.password}")
        print_line(f"(another: referee accounts --file {alone.folder / ACCOUNTS} password {FIRST_ARBITER}).")
        click.echo("The browser asks whether to trust the certificate, which was made here.")
    if alone.renewed:
        print_line(alone.renewed)
    door = Door(alone.folder / ACCOUNTS)
    visitors = replace(serving.visitors, door=door, secure=True, hosts=(*serving.visitors.hosts, *own_names()))
    return replace(serving, host=host, tls=alone.tls_files, visitors=visitors)


def _announce_hall(alone: Standalone, open_: Open, port: int, closing: ExitStack) -> None:
    """Say what is new here, and how boards join; and have them find it."""
    announcer = Announcer(socket.gethostname().partition(".")[0] or "hall", port)
    announcer.start()
    closing.callback(announcer.stop_answering)
    print_line(f"At each board: referee serve --hall auto, and the code {open_.invitations.current_code()}")


@command.command("init")
@click.option("--boards", "count", type=click.IntRange(1, 500), default=10, show_default=True, help="How many boards.")
@click.option(
    "--at",
    "url",
    default="mqtt://127.0.0.1/camelot",
    show_default=True,
    help="Where boards find the broker; mqtts:// with a certificate that is made.",
)
@click.option("--one-game", "pairs", multiple=True, metavar="BOARD=BOARD", help="Two boards that play as one.")
@click.option(
    "--halls",
    "hall_count",
    type=click.IntRange(1, 9),
    default=1,
    show_default=True,
    help="How many halls are to run on one database, each with an account of its own: hall, hall-2, ...",
)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def prepare_hall(count: int, url: str, pairs: Sequence[str], hall_count: int, folder: Path) -> None:
    """Prepare a hall in a new FOLDER: broker, accounts, rights, TLS, nginx, systemd, and a code for each board."""
    broker = broker_of(url)
    boards = [f"table-{number}" for number in range(1, count + 1)]
    halls = [HALL_ACCOUNT, *(f"{HALL_ACCOUNT}-{number}" for number in range(2, hall_count + 1))]
    together = [_parse_pair(text, boards) for text in pairs]
    new_folder(folder)
    folder = folder.resolve()
    tls = ensure_certificate(folder, [broker.host]) if broker.tls else None
    certificate = (Path(tls.cert), Path(tls.key)) if tls else None
    passwords = prepare_broker(folder, broker, boards, certificate, together, halls)
    codes = {name: _build_account_address(broker, name, password, certificate) for name, password in passwords.items()}
    of_boards = {name: codes[name] for name in boards}
    written = _write_hall_files(folder, broker, of_boards, passwords[HALL_ACCOUNT], certificate)
    print_line(f"In {folder}: {', '.join(written)}")
    print_line(f"Start the broker: mosquitto -c {folder}/mosquitto.conf")
    click.echo("These passwords are shown once, and are on the cards to print:")
    uses = dict.fromkeys(halls, "referee hall --broker ") | {HOME_ACCOUNT: "Home Assistant: "}
    for name, code in codes.items():
        print_line(f"{uses.get(name, 'referee hall join ')}{code if name == HOME_ACCOUNT else shlex.quote(code)}")


def _parse_pair(text: str, boards: Sequence[str]) -> tuple[str, str]:
    one, _, other = text.partition("=")
    if one == other or one not in boards or other not in boards:
        raise InputError(f"--one-game {text[:90]!r}: two of {boards[0]} to {boards[-1]}, like table-1=table-2")
    return one, other


def _build_account_address(broker: Broker, name: str, password: str, certificate: tuple[Path, Path] | None) -> str:
    """The address by which an account reaches the broker, and knows it again: Home Assistant by the file itself."""
    kind = "mqtts" if broker.tls else "mqtt"
    address = f"{kind}://{name}:{password}@{broker.host}:{broker.port}/{broker.prefix}"
    if certificate is None:
        return address
    if name == HOME_ACCOUNT:
        return f"{address}?ca={certificate[0]}"
    return f"{address}?pin={pin_of(certificate[0].read_text(encoding='ascii'))}"


def _write_hall_files(
    folder: Path, broker: Broker, of_boards: Mapping[str, str], password: str, certificate: tuple[Path, Path] | None
) -> list[str]:
    """Write what runs the hall for good, and cards with the codes of the boards; the names of the files."""
    address = f"{'mqtts' if broker.tls else 'mqtt'}://{HALL_ACCOUNT}@{broker.host}:{broker.port}/{broker.prefix}"
    arguments = hall_command(folder, address, certificate[0] if certificate else None)
    listen = "443" if certificate else "80"
    files = {
        **render_units(folder, folder.owner(), "/opt/camelot-referee/.venv/bin/referee", arguments),
        "compose.yaml": render_compose(folder, f"{os.getuid()}:{os.getgid()}", arguments),
        "nginx.conf": nginx_site(broker.host, listen, STATE_FOLDER / "live", "http://127.0.0.1:5000", certificate),
        "hall.env": f"{LOGIN_VARIABLE}={password}\n",
        "cards.html": render_cards(of_boards, {name: qr_svg(code) for name, code in of_boards.items()}),
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
@click.argument("typed", metavar="CODE", nargs=-1)
def join(typed: Sequence[str], camera: str | None) -> None:
    """Join the hall of CODE from now on: of the hall's page, or of a card, typed or read by the camera."""
    if bool(typed) == (camera is not None):
        raise InputError("hall join: give the CODE of the hall's page or of the card, or --camera to show the card to")
    code, settings = " ".join(typed) or _scan_code(str(camera)), settings_path(os.environ)
    if normalize_code(code):
        broker = broker_of(join_by_code(code, None, settings, str))
    else:
        broker = broker_of(code)
        if broker.user is None:
            raise InputError("hall join: this code has no board's name and password: take it from the board's card")
        try_broker(broker)
        save_hall_address(settings, code)
    print_line(f"{broker.user} has joined {broker}: `referee serve` publishes there from now on.")


command.add_command(_hall_upkeep.renew_hall)
command.add_command(_hall_upkeep.move_hall)


def _scan_code(camera: str) -> str:
    """The first code that is seen; InputError after MOST_LOOKED frames without one."""
    detector = cv2.QRCodeDetectorAruco()  # the plain one does not see one code in fifty, however it is held
    click.echo("Hold the card before the camera.")
    for frame in islice(read_frames(camera), MOST_LOOKED):
        text, _, _ = detector.detectAndDecode(frame.image)
        if text:
            return str(text)
    raise InputError(f"--camera {camera}: no code is seen: hold the card nearer and still, or type its code")
