"""`referee hall renew|move`: what is done to a hall while it is stopped, so that its boards go on with it."""

from __future__ import annotations

from pathlib import Path

import click

from engine.errors import InputError
from server.board.hall_link.entering import try_broker
from server.hall import hall_folder
from server.hall.desk.database_server import describe_database
from server.hall.hall_folder import HALL_DATABASE, HallFolder
from server.hall.moving import move_database
from server.masking import print_line
from server.mqtt.broker import broker_of
from server.record.store import record_at

BROKER_HERE = "own"
AT_BROKER = "mqtts://hall:...@host/prefix?pin=..."
HALL_FOLDER = click.Path(file_okay=False, exists=True, path_type=Path)


@click.command("renew")
@click.argument("folder", type=HALL_FOLDER, default=".")
def renew_hall(folder: Path) -> None:
    """Make a new certificate for the hall of FOLDER (this one), by which the boards that have joined know it again."""
    held = HallFolder(folder)
    held.lock_folder()
    print_line(hall_folder.renew_hall_certificate(held.path))
    if held.is_hall:
        print_line(f"Start the hall again: referee hall, in {held.path}")
    else:
        click.echo("Start its broker and the hall again, and nginx where that has the certificate too.")


@click.command("move")
@click.option("--to", "target", metavar="DATABASE", help="Into an empty one: a new file, or postgresql://...")
@click.option(
    "--from",
    "source",
    metavar="DATABASE",
    help="Default: that of the hall whose folder this is, else hall.sqlite3 beside your record.",
)
@click.option(
    "--broker",
    "broker_url",
    metavar="URL",
    help="To one that runs: the hall's account there, mqtts://hall:...@host/prefix?pin=...; own: one in this folder.",
)
def move_hall(target: str | None, source: str | None, broker_url: str | None) -> None:
    """Move the hall of this folder, which is stopped, to another database or another broker, from now on."""
    if target is None and broker_url is None:
        raise InputError("hall move: name the database with --to, or the broker with --broker")
    folder = HallFolder(Path())
    if broker_url is not None:
        _move_to_broker(folder, broker_url)
    if target is not None:
        _move_to_database(folder, source, target)


def _move_to_broker(folder: HallFolder, url: str) -> None:
    """Use a broker that runs elsewhere, or one of the own again. InputError where it does not let the hall in."""
    if not folder.is_hall:
        raise InputError(
            f"hall move: {folder.path} is no hall that `referee hall` made: start it with --broker {AT_BROKER}"
        )
    folder.lock_folder()
    if url == BROKER_HERE:
        folder.keep_broker("")
        print_line("Start the hall again: referee hall. Boards join it with the code that it shows.")
        return
    broker = broker_of(url)
    try_broker(broker)
    folder.keep_broker(url)
    print_line(f"Start the hall again: referee hall. It hears the boards by {broker}.")
    click.echo(
        "At each board: referee hall join CODE, with the code that was shown for its name; then start its referee."
    )


def _move_to_database(folder: HallFolder, source: str | None, target: str) -> None:
    is_own = source is None and folder.is_hall
    if is_own:
        folder.lock_folder()
    before = source or (folder.find_database() if is_own else str(record_at(None).with_name(HALL_DATABASE)))
    moved = move_database(before, target)
    told = ", ".join(f"{count} {name}" for name, count in moved.items() if count and name != "itself")
    print_line(f"Copied and compared: {told or 'nothing was in it'}. {describe_database(before)} is as it was.")
    if is_own:
        try:
            folder.keep_database(target)
        except InputError as error:
            raise InputError(f"{error}: the database is copied: start the hall with --database") from error
        print_line("Start the hall again: referee hall. It uses the new one; nothing is to be done at the boards.")
    else:
        print_line(f"Start the hall with --database {describe_database(target)}; nothing is to be done at the boards.")
