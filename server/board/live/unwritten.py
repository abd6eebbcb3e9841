"""What the record took nothing of until the program ended: kept in a file that the next start writes into the record.

A line for each thing said: the game, how many events it had and the hash of the last of them, the event, and whether
the game is sealed with it. The file lies beside the record, or in the system's folder for temporary files where the
disk of the record takes nothing. Where the next start cannot write it either, the game goes on from it all the same:
what was kept is still to be written then, before anything else.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar, cast

from engine.errors import InputError
from server.disk import write_new
from server.record.chain import encode_event
from server.record.seal import SEALED
from server.record.store import Record, Seal
from server.record.summary import Summary
from server.waits import StorageWaits

log = logging.getLogger(__name__)
T = TypeVar("T")

MOST_FILES = 100
"""Of one record: each end of the program may leave one, and each start takes them back."""
MOST_KEPT = 100_000_000
"""Bytes: 20,000 things said, of which none has more than a few kilobytes."""


NOT_WITHOUT = "it has plies that the record lacks: mend it, or move it away to begin without them"


class UnwrittenError(InputError):
    """Something that was said is not in the record, and the program ends."""


@dataclass(frozen=True, slots=True)
class UnwrittenEvent:
    """One event that is still to be written."""

    game: str
    after: int
    head: str
    event: Mapping[str, object]
    sealed: bool


class RecordInMemory:
    """Stands where a record does and keeps in memory what is written into it; what is read of it has that too."""

    def __init__(self, record: Record, seal: Seal | None = None) -> None:
        """With `seal` games are sealed once this is written into the record."""
        self.seal = seal
        self.lines: list[UnwrittenEvent] = []
        self.files: list[Path] = []
        """Where the first of the lines lie too, until they are in a record or in another file."""
        self.beneath = record
        """The record in whose place it stands."""
        self._known: dict[str, Summary] = {}

    def as_record(self) -> Record:
        """The same, for whoever asks for a record: it answers all that a journal and the start of a game ask."""
        return cast(Record, self)

    def append_event(self, game: str, event: Mapping[str, object], seal: Seal | None = None) -> int:
        """Keep an event, and after what it follows, as far as that can be told."""
        event = json.loads(encode_event(event))  # as it is read of a record
        known = self.find_summary(game) or Summary(game)
        before = self._read(lambda: self.beneath.find_last(game), None) or Summary(game)
        self._known[game] = known.after_event(event, "")
        self.lines.append(UnwrittenEvent(game, before.events, before.head, event, sealed=seal is not None))
        return known.events + 1

    def read_events(self, game: str) -> list[dict[str, object]]:
        """The events of a game in the order they happened."""
        said = self._read(lambda: self.beneath.read_events(game), list[dict[str, object]]())
        return [*said, *(dict(line.event) for line in self.lines if line.game == game)]

    def event_counts(self) -> dict[str, int]:
        """Every game with the number of its events."""
        counts = self._read(self.beneath.event_counts, dict[str, int]())
        return counts | {game: known.events for game, known in self._known.items()}

    def find_summary(self, game: str) -> Summary | None:
        """What is known of a game; None for an unknown one."""
        return self._known.get(game) or self._read(lambda: self.beneath.find_last(game), None)

    def find_last(self, game: str) -> Summary | None:
        """The same: nobody else writes here."""
        return self.find_summary(game)

    def follow_game(self, game: str) -> None:
        """Have the record beneath watch over that game."""
        self.beneath.follow_game(game)

    def list_summaries(self) -> list[Summary]:
        """All games, the one that was begun last first."""
        there = self.beneath.list_summaries()
        new = [known for game, known in self._known.items() if game not in {one.name for one in there}]
        return [*reversed(new), *(self._known.get(one.name, one) for one in there)]

    def played_games(self) -> dict[str, tuple[int, str]]:
        """Every game that was played here, the newest last: how many events it has, and the hash of the last that has
        one."""
        return self.beneath.played_games() | {game: (one.events, one.head) for game, one in self._known.items()}

    def read_hashes(self, game: str) -> list[str]:
        """The hash of each event that is in the record beneath."""
        return self.beneath.read_hashes(game)

    def remove_files(self) -> None:
        """What was kept is in the record now, or in another file."""
        for file in self.files:
            _remove_file(file)
        self.files.clear()

    def _read(self, ask: Callable[[], T], unread: T) -> T:
        """What the record answers, `unread` where it cannot be read: what was said is kept all the same. What it
        follows is compared before it is written into a record, and what does not fit stays in its file."""
        try:
            return ask()
        except (StorageWaits, sqlite3.Error, UnicodeDecodeError) as error:
            log.warning("%s", error)
            return unread


def save_lines(record: Path, lines: Sequence[UnwrittenEvent]) -> Path | None:
    """The new file with these lines, on the disk when this returns; None where no folder takes it."""
    text = "".join(json.dumps(asdict(line), ensure_ascii=False) + "\n" for line in lines)
    for names in _candidate_paths(record):
        path = next((path for path in names if not os.path.lexists(path)), None)
        if path is None:
            log.warning("%s: there are %d such files already", names[-1], len(names))
            continue
        try:
            write_new(path, text.encode())
            _sync_file(path)
        except OSError as error:
            log.warning("%s: %s", path, error.strerror)
            _remove_file(path)
        else:
            return path
    return None


def restore_lines(path: Path, record: Record, seal: Seal | None) -> RecordInMemory | None:
    """Write into the record at `path` what was kept of it, each file once, the oldest first. Where it takes nothing:
    what stands in its place and has it all, for a game that goes on from it. What does not fit the record is said, and
    left where it is. InputError for a file that cannot be read: without it plies would be missing."""
    kept = RecordInMemory(record, seal)
    for file in _list_files(path):
        lines = _read_lines(file)
        try:
            if not kept.files and _write_now(file, record, lines, seal):
                continue
            write_lines(kept.as_record(), lines, seal)
        except InputError as error:
            log.warning("%s: what the record took nothing of is still there: %s", file, error)
            continue
        kept.files.append(file)
    return kept if kept.files else None


def write_lines(record: Record, lines: Sequence[UnwrittenEvent], seal: Seal | None) -> None:
    """Write what is not in the record yet. StorageWaits where it takes nothing: then this can be tried again.
    InputError where a game has gone on without them."""
    for game in dict.fromkeys(line.game for line in lines):
        _write_game(record, game, [line for line in lines if line.game == game], seal)


def _write_now(file: Path, record: Record, lines: Sequence[UnwrittenEvent], seal: Seal | None) -> bool:
    """Write the lines of a file and remove it; False where the record takes nothing. InputError as in `write_lines`."""
    try:
        write_lines(record, lines, seal)
    except StorageWaits as waits:
        log.warning("%s: %s; the game goes on from what is kept there, to be written later", file, waits.says)
        return False
    log.warning("%s: the %d things said last time that the record took nothing of are in it now", file, len(lines))
    _remove_file(file)
    return True


def _write_game(record: Record, game: str, own: Sequence[UnwrittenEvent], seal: Seal | None) -> None:
    """Write those of a game that are not in the record yet, all that is if the last try was cut off."""
    after, heads = own[0].after, record.read_hashes(game)
    there = [event for event in record.read_events(game)[after:] if event.get("event") != SEALED]
    follows = len(heads) >= after and (after == 0 or heads[after - 1] == own[0].head)
    if not follows or there[: len(own)] != [dict(line.event) for line in own[: len(there)]]:
        raise InputError(f"{game}: has gone on in the record without it")
    for line in own[len(there) :]:
        record.append_event(game, line.event, seal if line.sealed else None)


def is_beside(file: Path, record: Path) -> bool:
    """Whether a file lies where the record does, rather than among temporary files."""
    return file.parent == record.absolute().parent


def _list_files(record: Path) -> list[Path]:
    """The files that are there, the oldest first."""
    return sorted(
        filter(_is_own, chain.from_iterable(_candidate_paths(record))), key=lambda file: file.lstat().st_mtime_ns
    )


def _candidate_paths(record: Path) -> tuple[list[Path], list[Path]]:
    """Where what is unwritten may lie: beside the record, and where it goes when that is not possible."""
    where = str(record.absolute())
    mark = hashlib.sha256(where.encode()).hexdigest()[:16]
    stems = (f"{where}.unwritten", Path(tempfile.gettempdir()) / f"camelot-referee-{mark}.unwritten")
    beside, elsewhere = ([Path(f"{stem}-{number}") for number in range(1, MOST_FILES)] for stem in stems)
    return beside, elsewhere


def _is_own(file: Path) -> bool:
    """Whether it is a file that this user made: in the folder for temporary files anybody may make one."""
    try:
        found = file.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_size <= MOST_KEPT


def _read_lines(file: Path) -> list[UnwrittenEvent]:
    """Its lines. InputError where it cannot be read, or is not as it was written."""
    try:
        lines = [UnwrittenEvent(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
        if not all(
            isinstance(line.game, str) and isinstance(line.after, int) and isinstance(line.event, dict)
            for line in lines
        ):
            raise ValueError("not as it was written")
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}: {NOT_WITHOUT}") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{file}: damaged: {error}: {NOT_WITHOUT}") from error
    return lines


def _sync_file(path: Path) -> None:
    """It is on the disk when this returns."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_file(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s: %s", path, error.strerror)
