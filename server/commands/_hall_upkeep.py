"""`referee hall renew|move`: what is done to a hall while it is stopped, so that its boards go on with it."""

from __future__ import annotations

from pathlib import Path

import click

from server.hall import hall_folder
from server.hall.hall_folder import HallFolder
from server.masking import print_line

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
