"""`referee hall renew|move`: what is done to a hall while it is stopped, so that its boards go on with it."""

from __future__ import annotations

from pathlib import Path

import click

from server.hall import hall_folder
from server.hall.hall_folder import HALL_DATABASE, HallFolder
from server.hall.moving import move_database
from server.masking import mask_passwords, print_line
from server.record.store import record_at

FOLDER = click.Path(file_okay=False, exists=True, path_type=Path)


@click.command
@click.argument("folder", type=FOLDER, default=".")
def renew(folder: Path) -> None:
    """Make a new certificate for the hall of FOLDER (this one), by which the boards that have joined know it again."""
    held = HallFolder(folder)
    held.lock()
    print_line(hall_folder.renew(held.path))
    if held.is_hall:
        print_line(f"Start the hall again: referee hall, in {held.path}")
    else:
        click.echo("Start its broker and the hall again, and nginx where that has the certificate too.")


@click.command
@click.option("--to", "target", metavar="DATABASE", required=True, help="An empty one: a new file, or postgresql://...")
@click.option(
    "--from",
    "source",
    metavar="DATABASE",
    help="Default: that of the hall whose folder this is, else hall.sqlite3 beside your record.",
)
def move(target: str, source: str | None) -> None:
    """Copy the database of the hall of this folder, which is stopped, into another one, and use that from now on."""
    folder = HallFolder(Path())
    is_own = source is None and folder.is_hall
    if is_own:
        folder.lock()
    before = source or (folder.find_database() if is_own else str(record_at(None).with_name(HALL_DATABASE)))
    moved = move_database(before, target)
    told = ", ".join(f"{count} {name}" for name, count in moved.items() if count and name != "itself")
    print_line(f"Copied and compared: {told or 'nothing was in it'}. {mask_passwords(before)} is as it was.")
    if is_own:
        folder.keep_database(target)
        print_line("Start the hall again: referee hall. It uses the new one; nothing is to be done at the boards.")
    else:
        print_line(f"Start the hall with --database {mask_passwords(target)}; nothing is to be done at the boards.")
