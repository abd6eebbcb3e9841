"""`referee verify`: whether a record is as it was written."""

from __future__ import annotations

from pathlib import Path

import click

from server.exits import ANSWER_IS_NO, DONE
from server.record.evidence import folder_of
from server.record.store import existing, open_record
from server.record.verifying import faults_of


@click.command(help="Check that nothing in a record was changed since it was written; exit 1 if anything was.")
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--record", "path", type=click.Path(dir_okay=False, path_type=Path), help="Default: your own record.")
def command(games: tuple[str, ...], path: Path | None) -> int:
    """Exit 0 if every chain holds and every game can be played through, 1 with a line for each fault."""
    file = existing(path)
    with open_record(file) as record:
        faults, count = faults_of(record, folder_of(file), games)
    for line in faults:
        click.echo(f"{file}: {line}")
    if not faults:
        click.echo(f"{file}: ok, {count} games")
    return ANSWER_IS_NO if faults else DONE
