"""`referee verify`: whether a record is as it was written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from engine.errors import InputError
from server.cli import ANSWER_IS_NO, DONE
from server.evidence import EVIDENCE, REMOVED, fault, folder_of, hashes
from server.journal import fold
from server.record import DAMAGE, Record, existing, open_record


@click.command(help="Check that nothing in a record was changed since it was written; exit 1 if anything was.")
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--record", "path", type=click.Path(dir_okay=False, path_type=Path), help="Default: your own record.")
def command(games: tuple[str, ...], path: Path | None) -> int:
    """Exit 0 if every chain holds and every game can be played through, 1 with a line for each fault."""
    file = existing(path)
    with open_record(file) as record:
        try:
            faults, count = _faults(record, folder_of(file), games)
        except DAMAGE as error:
            faults, count = [f"the file is damaged: {error}"], 0
    for line in faults:
        click.echo(f"{file}: {line}")
    if not faults:
        click.echo(f"{file}: ok, {count} games")
    return ANSWER_IS_NO if faults else DONE


def _faults(record: Record, folder: Path, games: tuple[str, ...]) -> tuple[list[str], int]:
    """What is wrong, a line each, and how many games were looked at. InputError for a game that is not there."""
    damage = record.damage()
    if damage:
        return [f"the file is damaged: {damage}"], 0
    frame = record.schema_faults()
    try:
        faults, count = _games(record, folder, games)
    except DAMAGE as error:
        faults, count = [f"the file is damaged: {error}"], 0
    return [f"the file is damaged: {fault}" for fault in frame] + faults, count


def _games(record: Record, folder: Path, games: tuple[str, ...]) -> tuple[list[str], int]:
    """The same of the games alone."""
    known = record.chained()
    for name in games:
        if name not in known:
            raise InputError(f"game {name}: not in this record; `referee games list` names them")
    faults = []
    shown: dict[tuple[str, int], list[str]] = {}
    gone: set[str] = set()
    for name in known:
        broken = record.broken_at(name)
        if broken is not None:
            faults += [f"{name}: event {broken} is not as it was written"] if name in (games or known) else []
            continue
        events = record.events(name)
        gone.update(picture for event in events if event.get("event") == REMOVED for picture in hashes(event))
        if games and name not in games:
            continue
        shown |= {(name, n): hashes(event) for n, event in enumerate(events, 1) if event.get("event") == EVIDENCE}
        try:
            fold(events, name)
        except InputError as error:
            faults.append(str(error))
    return faults + _pictures(shown, gone, folder), len(games or known)


def _pictures(shown: Mapping[tuple[str, int], list[str]], gone: set[str], folder: Path) -> list[str]:
    """What is wrong with the stored pictures, a line each. Those that had to make room are not missed."""
    faults = []
    for (game, number), names in shown.items():
        for name in names:
            wrong = None if name in gone and not (folder / f"{name}.jpg").exists() else fault(folder, name)
            if wrong:
                faults.append(f"{game}: event {number}: {wrong}")
    return faults
