"""Who writes a running game into a record: one referee at a time, so that two never continue the same game; and whether
the journal that was left beside a record is its own.

A record is known by its file, not by the name that it was given. Links lead to the one file: a symbolic one is followed
first of all, so that everything beside a record has one place; a hard one shows by the lock on the file itself. SQLite
names its journal after the record: under two names of one file there would be two, and each would undo the other.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import struct
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import InputError
from server.disk import (
    OF_DATABASE,
    WHOLE_DATABASE,
    check_whole,
    identify_file,
    move_aside,
    name_alone,
    name_unwritten,
)
from server.masking import print_line

LOCKED_BYTE = 2**62
"""Of the file; far from those that SQLite locks (from 2**30 on): neither waits for the other."""
FLOCK = "hhqqi0q"
"""A `struct flock` of Linux, with 64 bits for place and length: kind, from where, place, length, process."""
OF_PICTURES = "-pictures"
"""The ending of the folder with a record's pictures."""
LEFT_BESIDE = ("-wal", OF_PICTURES, ".alive", ".hall.json")
"""Endings of what is beside a record only where there has been one: its journal, pictures, sign of life, and how far a
hall has it."""
HEADS = "SELECT name, events, head FROM summaries"
KEPT_BESIDE_LINK = (OF_PICTURES, ".unwritten-1")
"""Endings of what earlier versions kept beside a link, and nobody wants to miss."""
IN_USE_BYTE = 128
"""Of the `-shm`: everybody who has the database open holds it (unix-dms of SQLite's wal.c and os_unix.c)."""
Head = tuple[int, str]
"""How many events a game has, and the hash of the last."""
ANOTHER_REFEREE = "record {record}: another referee is using it; end that one, or keep games in another file"


class RecordClaim:
    """A record that is held while a game is played. Mutable; the main loop's."""

    def __init__(self, record: Path) -> None:
        self._record = record
        self._held: list[int] = []

    def hold_file(self) -> None:
        """Hold the file that lies under the name now: one that was just made, or put back. InputError if another
        referee holds it, under whatever name.

        Those that were held before stay open: closing any handle of a file takes SQLite's own locks on it away.
        """
        try:
            found = self._record.stat()
            if any(os.path.samestat(found, os.fstat(one)) for one in self._held):
                return
            handle = os.open(self._record, os.O_RDWR | os.O_CLOEXEC)
        except OSError:  # there is none yet, or it can only be read: who opens the record says so
            return
        try:
            fcntl.fcntl(handle, fcntl.F_OFD_SETLK, _describe_lock(fcntl.F_WRLCK))
        except OSError as error:
            if error.errno in {errno.EACCES, errno.EAGAIN}:
                os.close(handle)
                raise InputError(ANOTHER_REFEREE, record=self._record) from None
            # A disk that knows no such locks: the one beside the record is all there is.
        self._held.append(handle)

    def close(self) -> None:
        """Let go of it."""
        while self._held:
            os.close(self._held.pop())


@contextmanager
def claim_record(record: Path) -> Iterator[RecordClaim]:
    """Hold the record while a game is played. InputError if another referee holds it.

    The system lets go of it when the program ends, however it ends.
    """
    lock = _record_lock(record)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if not Path(lock.lock_file).exists():  # there is none to wait for: it could not be made
            raise InputError("record {record}: its folder must be writable", record=record) from None
        raise InputError(ANOTHER_REFEREE, record=record) from None
    except OSError as error:
        text = "record {record}: {why}: its folder must be writable"
        raise InputError(text, record=record, why=error.strerror) from error
    try:
        with closing(RecordClaim(record)) as claim:
            claim.hold_file()
            yield claim
    finally:
        lock.release()


def is_claimed(record: Path) -> bool:
    """Whether a referee holds the record now, under whatever name. Not for who has it open (`is_file_held`)."""
    return _is_name_held(record) or is_file_held(record)


def check_name(record: Path) -> None:
    """InputError where a referee holds the file under another name: this one has another journal. Not for who has it
    open (`is_file_held`)."""
    if is_file_held(record) and not _is_name_held(record):
        raise InputError(
            f"record {record}: a referee is playing into the same file under another name (a hard link), and what it "
            "wrote last is only seen under that one: name that, or a copy (referee backup)"
        )


_open_files: dict[object, tuple[Path, tuple[int, int] | None]] = {}
"""The files that this process has open under the names of records, each with a mark of its own. They are not looked at:
to look opens files and closes them again, and that takes away what locks SQLite has on them in this process."""


def note_opened(record: Path) -> object:
    """This process has the file open from now on; the mark for `note_closed`."""
    mark = object()
    _open_files[mark] = record.absolute(), identify_file(record)
    return mark


def note_closed(mark: object) -> None:
    """It has not any more; nothing where that was said before."""
    _open_files.pop(mark, None)


def set_stale_journal_aside(record: Path) -> None:
    """See that SQLite plays no journal into a record that is not its own, before anybody opens it.

    SQLite plays a `-wal` into whatever has its name, also into a copy that was put in the place of the record; and a
    killed service leaves one. What is not of the record is kept aside, which a line says: all that was told is in the
    record itself. InputError where the journal is in use, as another file was put in the place of the record.
    """
    journal, index = (record.with_name(record.name + ending) for ending in OF_DATABASE)
    opened = tuple(_open_files.values())  # at once: other threads open and close files meanwhile
    here = record.absolute(), identify_file(record)
    if here in opened or not (_has_anything(record) and _has_anything(journal)):
        return
    in_use = any(path == here[0] for path, _ in opened) or _is_held(index, IN_USE_BYTE)
    if has_own_journal(record, look_whether_whole=not in_use):
        return
    if in_use:
        raise InputError(
            "record {record}: another file was put in its place while the record was in use: put the record back first",
            record=record,
        )
    try:
        aside = move_aside(record, OF_DATABASE, WHOLE_DATABASE).name + OF_DATABASE[0]
    except OSError as error:
        text = "record {record}: the -wal beside it is of another time, and cannot be moved away: {why}"
        raise InputError(text, record=record, why=error.strerror) from error
    print_line(f"{record}: is of another time than the -wal beside it, which is kept as {aside}", err=True)


def has_own_journal(record: Path, *, look_whether_whole: bool) -> bool:
    """Whether a record with its `-wal` goes on from what it is without it. Nothing is written into either.

    One that cannot be read alone is taken to be waiting for its journal: a power cut may have left it half written.
    """
    alone = _read_heads(name_alone(record), {}, look_whether_whole=look_whether_whole)
    if alone is None:
        return True
    both = _read_heads(name_unwritten(record), alone, look_whether_whole=look_whether_whole)
    return both is not None and alone.keys() <= both.keys()


def _read_heads(where: str, before: Mapping[str, Head], *, look_whether_whole: bool) -> dict[str, Head] | None:
    """The games of a record with their heads; None where it is damaged, not whole, or does not go on from the heads
    `before`. Where it cannot be looked at, those."""
    try:
        with closing(sqlite3.connect(where, uri=True)) as db:
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
            if "summaries" not in tables:  # of an earlier version, or nothing was written yet
                return None if before else {}
            heads = {str(game): (int(count), str(head)) for game, count, head in db.execute(HEADS)}
            changed = [game for game in before if game in heads and heads[game] != before[game]]
            if any(_has_other_events(db, game, before[game], heads[game]) for game in changed):
                return None
            return None if look_whether_whole and check_whole(db) else heads
    except sqlite3.OperationalError:  # nobody can look, as on a disk that is read-only: who opens it says why
        return dict(before)
    except (sqlite3.DatabaseError, UnicodeDecodeError, TypeError, ValueError):
        return None


def _has_other_events(db: sqlite3.Connection, game: str, before: Head, now: Head) -> bool:
    """Whether the events of a game do not go on from what it was before to what is said of it now."""
    hashes = dict(
        db.execute("SELECT number, hash FROM events WHERE game = ? AND number IN (?, ?)", (game, before[0], now[0]))
    )
    (count,) = db.execute("SELECT COUNT(*) FROM events WHERE game = ?", (game,)).fetchone()
    return count != now[0] or hashes.get(before[0]) != before[1] or hashes.get(now[0]) != now[1]


def follow_link(path: Path) -> Path:
    """The file that a symbolic link leads to, for a record has one place; `path` itself where it is none.

    InputError where the link leads nowhere that can be told, or where something of a record lies beside it.
    """
    if not path.is_symlink():
        return path
    try:
        real = path.resolve()
    except (OSError, RuntimeError):
        raise InputError("record {record}: the link leads nowhere; name the file itself", record=path) from None
    left = [name for ending in KEPT_BESIDE_LINK if (name := path.with_name(path.name + ending)).exists()]
    if left:
        text = "record {record}: is a link to {real}, and {left} belongs beside that: move it there and name it {name}"
        there = real.name + left[0].name.removeprefix(path.name)
        raise InputError(text, record=path, real=real, left=left[0].name, name=there)
    return real


def check_not_missing(path: Path) -> None:
    """InputError where a record is gone and what belongs to it is not: an empty one in its place would look as if
    nothing had ever been played, and its journal would be given to another file."""
    left = [path.name + end for end in LEFT_BESIDE if _has_anything(path.with_name(path.name + end))]
    whole = _has_anything(path) and (path.name + LEFT_BESIDE[0] in left or _has_version(path))
    if left and not whole:
        raise InputError(
            f"record {path}: is missing or empty, and {left[0]} beside it is of one that was there: put it back, take "
            f"a copy back (referee restore), or, to begin anew, move away what is left: {', '.join(left)}"
        )


def _has_anything(path: Path) -> bool:
    """Whether there is a file with something in it, or such a folder of pictures."""
    if path.name.endswith(OF_PICTURES):
        return path.is_dir() and any(path.iterdir())
    return path.is_file() and path.stat().st_size > 0


def _has_version(path: Path) -> bool:
    """Whether tables were ever written into a file: cut off after its header SQLite takes it for a new one."""
    with path.open("rb") as file:
        return any(file.read(64)[60:64])  # the number of its version: sqlite.org/fileformat2.html


def _record_lock(record: Path) -> FileLock:
    """Nobody else may read it: who can read a file can lock it."""
    real = follow_link(record)
    path = real.with_name(real.name + ".lock")
    with suppress(OSError):
        path.chmod(0o600)  # of an earlier version
    return FileLock(path, mode=0o600)


def _is_name_held(record: Path) -> bool:
    """Whether a referee holds the record by this name."""
    lock = _record_lock(record)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


def is_file_held(record: Path) -> bool:
    """Whether a referee holds the file itself.

    To look opens it and closes it again, and that takes away what locks SQLite has on it in this process.
    """
    return _is_held(record, LOCKED_BYTE)


def _is_held(path: Path, byte: int) -> bool:
    """Whether somebody holds a byte of a file."""
    with suppress(OSError):  # no file, or none that can be read; or a disk that knows no such locks
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            found = fcntl.fcntl(handle, fcntl.F_OFD_GETLK, _describe_lock(fcntl.F_WRLCK, byte))
        finally:
            os.close(handle)
        return int(struct.unpack(FLOCK, found)[0]) != fcntl.F_UNLCK
    return False


def _describe_lock(kind: int, byte: int = LOCKED_BYTE) -> bytes:
    """What is asked of the system: the one byte, for whom it belongs to as long as the file is open."""
    return struct.pack(FLOCK, kind, os.SEEK_SET, byte, 1, 0)
