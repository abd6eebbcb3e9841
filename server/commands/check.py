"""`referee check`: game records played through, and where they break the rules."""

from __future__ import annotations

import click

from engine.errors import InputError
from engine.records import Record, read
from engine.replay import Replay, opening, replay
from server.inputs import read_text

BROKEN = 1


@click.command
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def command(files: tuple[str, ...]) -> int:
    """Read game records and say of each file whether every move is lawful; exit 1 if any is broken."""
    records = {file: _readable(file) for file in files}
    broken = False
    for file, games in records.items():
        played = [replay(record) for record in games]
        broken |= any(found.fault for found in played)
        for line in verdicts(games, played):
            click.echo(f"{file}: {line}")
    return BROKEN if broken else 0


def _readable(file: str) -> tuple[Record, ...]:
    """The games of a file, each with a usable opening."""
    games = read(read_text(file), file)
    for record in games:
        try:
            opening(record)
        except InputError as error:
            raise InputError(f"{file}: {error}") from None
    return games


def verdicts(records: tuple[Record, ...], played: list[Replay]) -> list[str]:
    """One line for a file that is well, else one for each broken game."""
    faults = [
        (f"game {number}: " if len(played) > 1 else "") + str(found.fault)
        for number, found in enumerate(played, start=1)
        if found.fault
    ]
    if faults:
        return faults
    plies = sum(len(found.texts) for found in played)
    games = f"{len(played)} games, " if len(played) > 1 else ""
    return [f"ok, {games}{plies} plies, {', '.join(record.result for record in records)}"]
