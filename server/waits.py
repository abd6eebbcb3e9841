"""Why a record takes nothing just now, where that may end by itself: the game goes on, and nothing is lost; and what is
said of a file that cannot be used at all."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import InputError

DISK_TROUBLES = {
    sqlite3.SQLITE_FULL: ("full", "the record's disk is full: free some space on it"),
    sqlite3.SQLITE_READONLY: ("read-only", "the record's disk is read-only: make it writable"),
    sqlite3.SQLITE_IOERR: ("gone", "the record's disk does not respond: is it plugged in?"),
    sqlite3.SQLITE_CANTOPEN: ("gone", "the record's disk does not respond: is it plugged in?"),
}
"""What SQLite calls it, by the lower byte (sqlite.org/rescode.html) -> our word for it, and what to do."""
DISK_SAYS = {
    errno.EROFS: DISK_TROUBLES[sqlite3.SQLITE_READONLY],
    errno.ENOSPC: DISK_TROUBLES[sqlite3.SQLITE_FULL],
    errno.EDQUOT: DISK_TROUBLES[sqlite3.SQLITE_FULL],
}
"""The same by what the system answers who writes. SQLite calls it an I/O error where a disk has become read-only under
an open file, as the system makes one that fails."""
NEARLY_FULL = "the disk of the record is nearly full, and takes no more pictures: make room on it"
MOVED = "the record's file is gone from its place: put it back"
ANOTHER_FILE = "another file is where the record was: put the record back"
CUT_OFF = "the record's file is cut short: put a copy of it back"
NOT_AS_WRITTEN = "the file of the record cannot be used ({why}): put a copy of it back"


class StorageWaits(InputError):  # noqa: N818  # a state of the record, which may end by itself
    """Nothing was written or read. `kind` is held, full, read-only or gone; `says` is why, to people."""

    kind = "held"
    says = "the record is held by another program"


class RecordHeld(StorageWaits):
    """Another program has the record: a copy is made of it, or somebody looks into it."""


class Unwritable(StorageWaits):
    """The disk takes nothing."""

    def __init__(self, game: str, kind: str, says: str) -> None:
        super().__init__(f"record, {game}: {says}; all before is kept")
        self.kind, self.says = kind, says


def classify_error(error: sqlite3.Error, game: str, file: str) -> StorageWaits | None:
    """What an error of SQLite's on `file` comes to; None for one that does not end by itself."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return RecordHeld(
            f"record, {game}: {error}: all before is kept; end the program that holds it, and start again"
        )
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHORT_READ:
        return Unwritable(game, "gone", CUT_OFF)
    if code == sqlite3.SQLITE_IOERR:
        return Unwritable(game, *DISK_SAYS.get(_probe_write_error(Path(file).parent), DISK_TROUBLES[code]))
    return Unwritable(game, *DISK_TROUBLES[code]) if code in DISK_TROUBLES else None


def _probe_write_error(folder: Path) -> int:
    """The number of the error that the system answers who writes into a folder; 0 where it lets him, or says none."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600))
    except OSError as error:
        return error.errno or 0
    return 0


def wait_for_file(error: sqlite3.Error, game: str, file: str) -> StorageWaits:
    """The same for a game that goes on: what does not end by itself may end when somebody puts the file back."""
    return classify_error(error, game, file) or Unwritable(game, "gone", NOT_AS_WRITTEN.format(why=error))


@contextmanager
def convert_errors(game: str, file: str) -> Iterator[None]:
    """Waits where the record takes nothing just now, or lets nobody read."""
    try:
        yield
    except sqlite3.OperationalError as error:
        waits = classify_error(error, game, file)
        if waits is None:
            raise
        raise waits from error


def describe_failure(where: str, error: Exception) -> str:
    """One line about a file of which SQLite said this: its disk is full, read-only or gone, or it is damaged."""
    code = getattr(error, "sqlite_errorcode", 0)
    trouble = None if code == sqlite3.SQLITE_IOERR_SHORT_READ else DISK_TROUBLES.get(code & 0xFF)
    advice = "take a copy of it back; docs/record.md says how to save what is left"
    return f"record {where}: {trouble[1] if trouble else f'damaged: {error}: {advice}'}"
