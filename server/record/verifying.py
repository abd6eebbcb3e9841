"""What is wrong with a record, a line each: its file, its frame, its games and their pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.errors import InputError
from server.record.evidence import EVIDENCE, REMOVED, fault, hashes
from server.record.journal import fold
from server.record.seal import seal_faults
from server.record.store import DAMAGE, Record


def faults_of(record: Record, folder: Path, games: tuple[str, ...] = ()) -> tuple[list[str], int]:
    """What is wrong, a line each, and how many games were looked at. InputError for a game that is not there."""
    frame: list[str] = []
    try:
        damage = record.damage()
        if damage:
            return [f"the file is damaged: {damage}"], 0
        frame = record.schema_faults()
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
        faults += [*seal_faults(name, events, record.hashes(name)), *_unfoldable(name, events)]
        shown |= {(name, n): hashes(event) for n, event in enumerate(events, 1) if event.get("event") == EVIDENCE}
    return faults + _pictures(shown, gone, folder), len(games or known)


def _unfoldable(name: str, events: Sequence[Mapping[str, object]]) -> list[str]:
    """Why the events of a game are no game, if they are none."""
    try:
        fold(events, name)
    except InputError as error:
        return [str(error)]
    return []


def _pictures(shown: Mapping[tuple[str, int], list[str]], gone: set[str], folder: Path) -> list[str]:
    """What is wrong with the stored pictures, a line each. Those that had to make room are not missed."""
    faults = []
    for (game, number), names in shown.items():
        for name in names:
            wrong = None if name in gone and not (folder / f"{name}.jpg").exists() else fault(folder, name)
            if wrong:
                faults.append(f"{game}: event {number}: {wrong}")
    return faults
