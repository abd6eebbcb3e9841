"""What is wrong with a record, a line each: its file, its frame, its games and their pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.errors import InputError
from server.record.details import DETAILS
from server.record.evidence import EVIDENCE, NAME, REMOVED, fault, file_of, hashes
from server.record.journal import fold
from server.record.seal import ENDINGS, RESULT_EVENT, SEALED, seal_faults, short
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


def unproven(record: Record, own: str) -> list[str]:
    """The games that ended here without a seal of the public key `own` on their end, a line each.

    A referee that has a key seals each end together with it, so there was none yet, or the key could not be read, or
    somebody wrote the game anew. Games that came out of files have no seals.
    """
    over, sealed_by = set[str](), dict[str, str]()
    for game, _, event in record.every(*ENDINGS, "move", "takeback", DETAILS, SEALED):
        kind = str(event["event"])
        if kind == SEALED:
            sealed_by[game] = str(event.get("key"))
        elif kind in ENDINGS or (kind == DETAILS and game in over):
            sealed_by[game] = ""
        if kind == RESULT_EVENT:
            over.add(game)
        elif kind in {"move", "takeback"}:
            over.discard(game)
    doubt = "anybody could have written it: its score sheet tells (--head CODE)"
    return [
        f"{game}: ended, and sealed by another referee (key {short(key)}): {doubt}"
        if key
        else f"{game}: ended, and its end is not sealed: {doubt}"
        for game, key in sorted(sealed_by.items())
        if (not key or key != own) and not record.is_out_of_a_file(game)
    ]


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
            wrong = fault(folder, name)
            if wrong and name in gone and NAME.fullmatch(name) and not file_of(folder, name).exists():
                wrong = None
            if wrong:
                faults.append(f"{game}: event {number}: {wrong}")
    return faults
