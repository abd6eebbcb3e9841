"""The file of an SQLite database while a hall uses it: known again by device and inode, never taken for a new one.

SQLite itself goes on writing into a file that was moved or deleted under it, and makes an empty one where none is.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
import weakref
from collections.abc import Collection, Iterable
from contextlib import closing, suppress
from pathlib import Path

from engine.errors import InputError
from server.disk import (
    OF_DATABASE,
    WHOLE_DATABASE,
    check_plain,
    identify_file,
    move_aside,
    replace_durably,
    write_private,
)
from server.hall.desk.database_journal import NEVER_OPENED, find_damage, is_own_journal, list_tables, read_token
from server.masking import print_line

BUSY_S = 5
"""How long another program may hold the database."""
LITTLE_ROOM = 1_000_000
"""Bytes; with less SQLite says of a full disk what it says of a broken one."""
MADE = ".made"
"""The name's ending of the file beside a database that says that there was one."""
MADE_SAYS = "A hall has stored here: without its database it is not started as if it were new (docs/hall.md).\n"
TOKENS_LINE, ASIDE_LINE, NO_TOKEN = "opened:", "aside:", "-"
"""How its lines begin that have the tokens of the last opening, and a `-wal` that was put aside and lies there yet."""
MIGRATED = "alembic_version"
"""The table that every hall's database has first of all (server.hall.migrations)."""
MOST_TABLES_SAID = 80
"""Letters of the names of tables in a line: more would only fill it, fewer might not show whose they are."""
BRING_BACK = "put it back, or restore a backup and start the hall again"
ANOTHER = "put the one that was there back, or start the hall again to use this one"
WAL_GONE = "end the hall (Ctrl-C) and start it again: what it has is saved as it ends"
OVERWRITTEN = "end the hall and start it again to use this one: what was there is in the -wal, as far as it is kept"
CONTENT_LOOKED_S = 1.0
"""How often it is looked whether somebody has written another database over this one: it costs as much as a commit, and
SQLite writes from the -wal into the file after some hundred commits."""
RESTORE = "end the hall, put the backup of the folder in its place, and start it again"
OTHER_TIME = (
    "{name} is of another time than the -wal beside it: what was in that is kept as {aside}; tournaments, "
    "players, pairings and results entered since are not in it: put the newer database back, or enter them again; "
    "boards send their games"
)


class DatabaseFile:
    """Where a database lies, and which file that was when it was opened. Any thread may ask."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: tuple[int, int] | None = None
        self._lock = threading.Lock()
        self._journal: tuple[int, int] | None = None
        self._open = weakref.WeakSet[_WatchedConnection]()
        self._is_new = False
        self._damage = ""
        self._token, self._looked_s = "", 0.0
        self._made = path.with_name(path.name + MADE)

    @property
    def is_new(self) -> bool:
        """Whether it was begun just now."""
        return self._is_new

    @property
    def was_made(self) -> bool:
        """Whether a hall has stored there before."""
        return self._made.exists()

    def prepare_file(self, *, is_known: bool, anew: bool, by_hall: bool) -> None:
        """See that there is a file to open: an empty one where there never was one, or it is to begin `anew`.

        InputError where one is missing that `is_known` to have been there, and for one that is damaged. A journal that
        is not of the file is put aside `by_hall`; for others too it is an InputError: a hall may be writing it.
        """
        check_plain(self.path)
        left = [ending for ending in OF_DATABASE if _size_of(self._beside(ending))]
        if _size_of(self.path):
            if anew:
                raise InputError(f"hall: {self.path} is there: start without --new-database, or move it away first")
            self._check_content(left, by_hall=by_hall)
        elif anew or not (is_known or self.was_made or OF_DATABASE[0] in left):
            move_aside(self.path, left, WHOLE_DATABASE)
            self.path.touch()
            self._is_new = True
        else:
            raise InputError(self.describe_missing())
        self._known = identify_file(self.path)

    def _check_content(self, left: list[str], *, by_hall: bool) -> None:
        """See that the file is whole, and with it the journal that is `left` beside it."""
        tables = list_tables(self.path)
        if tables and MIGRATED not in tables:
            raise InputError(
                f"hall: {self.path} is no hall's database, it has {', '.join(tables)[:MOST_TABLES_SAID]}: "
                "name another with --database"
            )
        journal = self._beside(OF_DATABASE[0])
        is_own = OF_DATABASE[0] not in left or is_own_journal(self.path, journal, self._read_tokens())
        damage = find_damage(self.path, alone=not is_own)
        if damage and is_own and OF_DATABASE[0] in left and not find_damage(self.path, alone=True):
            is_own, damage = False, ""
        if damage:
            raise InputError(
                f"hall: the database {self.path} is damaged ({damage}): put the backup of the folder in its place, or "
                "move it away and begin with an empty one, --new-database: the boards send what they have"
            )
        if is_own:
            return
        if not by_hall:
            raise InputError(
                f"hall: {self.path} is of another time than the -wal beside it: put the one that was there back, or "
                "start the hall, which keeps both"
            )
        aside = move_aside(self.path, left, WHOLE_DATABASE).name + OF_DATABASE[0]
        print_line(OTHER_TIME.format(name=self.path.name, aside=aside), err=True)
        with suppress(OSError):
            self._write_made([read_token(self.path) or NEVER_OPENED], [*self.list_aside(), aside])

    def list_aside(self) -> list[str]:
        """The names of the journals that were put aside because they were not of the file, and lie there still."""
        names = [line.removeprefix(ASIDE_LINE).strip() for line in self._read_made() if line.startswith(ASIDE_LINE)]
        return [name for name in names if name and self.path.with_name(name).exists()]

    def note_tokens(self, tokens: Iterable[str]) -> None:
        """By these the file and its journal are known to belong together; OSError where that cannot be kept."""
        self._write_made(list(dict.fromkeys(tokens)), self.list_aside())

    def _read_tokens(self) -> Collection[str] | None:
        """The tokens of the last opening, NEVER_OPENED where there are none; None without any marker."""
        if not self.was_made:
            return None
        said = [line.removeprefix(TOKENS_LINE).split() for line in self._read_made() if line.startswith(TOKENS_LINE)]
        return {NEVER_OPENED if one == NO_TOKEN else one for one in (said[-1] if said else [NO_TOKEN])}

    def _read_made(self) -> list[str]:
        try:
            return self._made.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []

    def _write_made(self, tokens: Collection[str], aside: Collection[str]) -> None:
        lines = [
            f"{TOKENS_LINE} {' '.join(token or NO_TOKEN for token in tokens)}",
            *(f"{ASIDE_LINE} {name}" for name in aside),
        ]
        write_private(self._made, "\n".join([MADE_SAYS.rstrip(), *lines, ""]))

    def describe_missing(self) -> str:
        """One line about a database that was there before."""
        if not (self.path.exists() or self.was_made or self._beside(OF_DATABASE[0]).exists()):
            return (
                f"hall: the database {self.path} is missing, and nothing shows that it ever was there: if this hall "
                "has its database elsewhere, name it with --database; else restore a backup of the folder; only if "
                "there is neither, begin with an empty one: --new-database"
            )
        state = "has nothing in it any more" if self.path.exists() else "is missing"
        return (
            f"hall: the database {self.path} {state}: put it back, restore a backup of the folder, name another with "
            "--database, or begin with an empty one: --new-database"
        )

    def remove_unfinished(self) -> None:
        """Where it was begun just now, and could not be finished: the next start finds no half of one."""
        if self._is_new:
            for ending in WHOLE_DATABASE:
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
        """A connection that makes no file, and whose commits fail where the file is not in its place any more.

        It is refused where the journal of the other connections is gone: SQLite would begin another for this one, and
        each would write what the others do not read.
        """
        self.check_place()
        with self._lock:
            if self._open and self._journal is not None:
                self._check_same_journal(self._journal)
        where = f"{self.path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(
            where, uri=True, timeout=BUSY_S, check_same_thread=False, factory=_WatchedConnection
        )
        connection.file = self
        with self._lock:
            self._open.add(connection)
        return connection

    def note_damage(self, said: str) -> None:
        """SQLite has found that the file is not whole: from now on nothing is written into it."""
        self._damage = self._damage or f"The database is damaged: {self.path}: {said}: {RESTORE}"

    def open_with(self, token: str) -> None:
        """From now on the file has this token, and another is said to be another database's."""
        self._token = token

    def check_content(self) -> None:
        """sqlite3.OperationalError where another database was written over this one, as by `cp`."""
        now = time.monotonic()
        if now - self._looked_s < CONTENT_LOOKED_S:
            return
        if self._is_overwritten():
            raise sqlite3.OperationalError(f"{self.path} has another database in it than was opened: {OVERWRITTEN}")
        self._looked_s = now

    def part_from_overwritten(self) -> None:
        """Before the end, at which SQLite writes what is beside the file into it: that is given to no other database.
        Under the name is a copy then, which SQLite knows not to be the file that it has opened."""
        with suppress(OSError):
            if self._is_overwritten():
                copy = self._beside(".new")
                shutil.copy2(self.path, copy)
                replace_durably(copy, self.path)

    def _is_overwritten(self) -> bool:
        if not self._token or read_token(self.path) in {None, self._token}:
            return False
        journal = self._beside(OF_DATABASE[0])  # another hall may have opened it as well
        return not (_size_of(journal) and is_own_journal(self.path, journal, {self._token}))

    @property
    def damage(self) -> str:
        """What is wrong with the file, and what to do; empty while nothing is known to be."""
        return self._damage

    def fold_journal(self) -> None:
        """Write into the file what is beside it, at an orderly end: the file alone is whole then."""
        with suppress(sqlite3.Error):
            self.check_place()
            if not self._damage:
                with closing(self.connect_watched()) as last:
                    last.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def check_place(self) -> None:
        """sqlite3.OperationalError, with what to do, where another file lies under the name, or none."""
        found = identify_file(self.path)
        if found is None:
            raise sqlite3.OperationalError(f"{self.path} is not there any more: {BRING_BACK}")
        if found != self._known:
            raise sqlite3.OperationalError(f"{self.path} is another file than was opened: {ANOTHER}")

    def check_journal(self) -> None:
        """sqlite3.OperationalError where what was just written into the journal is not in the folder."""
        self.check_place()
        with self._lock:
            self._check_same_journal(self._journal)
            self._journal = identify_file(self._beside(OF_DATABASE[0]))

    def note_closed(self, connection: _WatchedConnection) -> None:
        """With its last connection SQLite takes the journal away; the next begins another."""
        with self._lock:
            self._open.discard(connection)
            if not self._open:
                self._journal = None

    def _check_same_journal(self, known: tuple[int, int] | None) -> None:
        """sqlite3.OperationalError where there is no journal, or another than the `known` one."""
        journal = self._beside(OF_DATABASE[0])
        found = identify_file(journal)
        if found is None or known not in {None, found}:
            raise sqlite3.OperationalError(f"{journal} is not there any more: {WAL_GONE}")

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)


class _WatchedConnection(sqlite3.Connection):
    """Commits into the file that people have, or not at all."""

    file: DatabaseFile
    keeps_journal = False
    """Whether what is written goes into the file that ends in -wal first."""

    def close(self) -> None:
        """Once it is closed, the file may have another journal."""
        super().close()
        self.file.note_closed(self)

    def commit(self) -> None:
        """Also afterwards it is looked: what was moved meanwhile is not where anybody looks for it."""
        wrote = self.in_transaction
        self.file.check_place()
        if self.file.damage:
            raise sqlite3.OperationalError(self.file.damage)
        self.file.check_content()
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


def _size_of(path: Path) -> int:
    """Bytes of a file, 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
