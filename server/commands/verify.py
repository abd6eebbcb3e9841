"""`referee verify`: whether a record is as it was written."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import click

from engine.errors import InputError
from server.cli import ANSWER_IS_NO, DONE
from server.journal import fold
from server.record import Record, existing, open_record


@click.command(help="Check that nothing in a record was changed since it was written; exit 1 if anything was.")
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--record", "path", type=click.Path(dir_okay=False, path_type=Path), help="Default: your own record.")
def command(games: tuple[str, ...], path: Path | None) -> int:
    """Exit 0 if every chain holds and every game can be played through, 1 with a line for each fault."""
    file = existing(path)
    with open_record(file) as record:
        try:
            faults, count = _faults(record, games)
        except (sqlite3.Error, ValueError) as error:
            faults, count = [f"the file is damaged: {error}"], 0
    for fault in faults:
        click.echo(f"{file}: {fault}")
    if not faults:
        click.echo(f"{file}: ok, {count} games")
    return ANSWER_IS_NO if faults else DONE


def _faults(record: Record, games: tuple[str, ...]) -> tuple[list[str], int]:
    """What is wrong, a line each, and how many games were looked at. InputError for a game that is not there."""
    damage = record.damage()
    if damage:
        return [f"the file is damaged: {damage}"], 0
    known = record.chained()
    for name in games:
        if name not in known:
            raise InputError(f"game {name}: not in this record; `referee games list` names them")
    faults = []
    for name in games or known:
        broken = record.broken_at(name)
        if broken is not None:
            faults.append(f"{name}: event {broken} is not as it was written")
            continue
        try:
            fold(record.events(name), name)
        except InputError as error:
            faults.append(str(error))
    return faults, len(games or known)
