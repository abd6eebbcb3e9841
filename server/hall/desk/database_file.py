"""The file of an SQLite database while a hall uses it: known again by device and inode, never taken for a new one.

SQLite itself goes on writing into a file that was moved or deleted under it, and makes an empty one where none is.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

from engine.errors import InputError

BUSY_S = 5
"""How long another program may hold the database."""
LITTLE_ROOM = 1_000_000
"""Bytes; with less SQLite says of a full disk what it says of a broken one."""
MADE = ".made"
"""The name's ending of the file beside a database that says that there was one."""
MADE_SAYS = "A hall has stored here: without its database it is not started as if it were new (docs/hall.md).\n"
OF_DATABASE = ("-wal", "-shm")
"""What SQLite keeps beside a database. With another database the first would spoil it."""
BRING_BACK = "put it back, or restore a backup and start the hall again"
ANOTHER = "put the one that was there back, or start the hall again to use this one"
WAL_GONE = "end the hall (Ctrl-C) and start it again: what it has is saved as it ends"


class DatabaseFile:
    """Where a database lies, and which file that was when it was opened. Any thread may ask."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: tuple[int, int] | None = None
        self._is_new = False
        self._made = path.with_name(path.name + MADE)

    @property
    def was_made(self) -> bool:
        """Whether a hall has stored there before."""
        return self._made.exists()

    def prepare_file(self, *, is_known: bool, anew: bool) -> None:
        """See that there is a file to open: an empty one where there never was one, or it is to begin `anew`.

        InputError where one is missing that `is_known` to have been there.
        """
        left = [ending for ending in OF_DATABASE if _size_of(self._beside(ending))]
        if _size_of(self.path):
            if anew:
                raise InputError(f"hall: {self.path} is there: start without --new-database, or move it away first")
        elif anew or not (is_known or self.was_made or OF_DATABASE[0] in left):
            self._set_aside(left)
            self.path.touch()
            self._is_new = True
        else:
            raise InputError(self.describe_missing())
        self._known = _identity_of(self.path)

    def describe_missing(self) -> str:
        """One line about a database that was there before."""
        state = "has nothing in it any more" if self.path.exists() else "is missing"
        return (
            f"hall: the database {self.path} {state}: put it back, restore a backup of the folder, name another with "
            "--database, or begin with an empty one: --new-database"
        )

    def remove_unfinished(self) -> None:
        """Where it was begun just now, and could not be finished: the next start finds no half of one."""
        if self._is_new:
            for ending in ("", *OF_DATABASE):
                self._beside(ending).unlink(missing_ok=True)

    def describe_remedy(self) -> str:
        """What to do about a file that cannot be used."""
        with suppress(OSError):
            if shutil.disk_usage(self.path.parent).free < LITTLE_ROOM:
                return "its disk is full: make room there"
        return "its folder must be there and writable, with space"

    def note_made(self) -> None:
        """From now on its absence is noticed."""
        with suppress(OSError):
            if not self.was_made:
                self._made.write_text(MADE_SAYS, encoding="utf-8")

    def connect_watched(self) -> sqlite3.Connection:
        """A connection that makes no file, and whose commits fail where the file is not in its place any more."""
        self.check_place()
        where = f"{self.path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(
            where, uri=True, timeout=BUSY_S, check_same_thread=False, factory=_WatchedConnection
        )
        connection.file = self
        return connection

    def check_place(self) -> None:
        """sqlite3.OperationalError, with what to do, where another file lies under the name, or none."""
        found = _identity_of(self.path)
        if found is None:
            raise sqlite3.OperationalError(f"{self.path} is not there any more: {BRING_BACK}")
        if found != self._known:
            raise sqlite3.OperationalError(f"{self.path} is another file than was opened: {ANOTHER}")

    def check_journal(self) -> None:
        """sqlite3.OperationalError where what was just written into the journal is not in the folder."""
        self.check_place()
        if not self._beside(OF_DATABASE[0]).exists():
            raise sqlite3.OperationalError(f"{self._beside(OF_DATABASE[0])} is not there any more: {WAL_GONE}")

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)

    def _set_aside(self, endings: list[str]) -> None:
        """Keep what is left of an earlier database under another name: together with it, it is whole again."""
        number = 1
        while any(self._beside(f".before-{number}{ending}").exists() for ending in ("", *OF_DATABASE)):
            number += 1
        for ending in endings:
            self._beside(ending).rename(self._beside(f".before-{number}{ending}"))


class _WatchedConnection(sqlite3.Connection):
    """Commits into the file that people have, or not at all."""

    file: DatabaseFile
    keeps_journal = False
    """Whether what is written goes into the file that ends in -wal first."""

    def commit(self) -> None:
        """Also afterwards it is looked: what was moved meanwhile is not where anybody looks for it."""
        wrote = self.in_transaction
        self.file.check_place()
        super().commit()
        if wrote and self.keeps_journal:
            self.file.check_journal()
        else:
            self.file.check_place()


def make_durable(connection: sqlite3.Connection, _record: object) -> None:
    """What is acknowledged to the broker is on the disk: it is not sent again."""
    cursor = connection.cursor()
    (mode,) = cursor.execute("PRAGMA journal_mode = WAL").fetchone()
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()
    if isinstance(connection, _WatchedConnection):
        connection.keeps_journal = mode == "wal"


def _identity_of(path: Path) -> tuple[int, int] | None:
    """Which file lies under a name, None for none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _size_of(path: Path) -> int:
    """Bytes of a file, 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
