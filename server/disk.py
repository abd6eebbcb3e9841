"""Files that a power cut leaves whole: under their name is the old one or the new one, and the name is on the disk."""

from __future__ import annotations

import errno
import os
import secrets
import sqlite3
import stat
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count, takewhile
from pathlib import Path
from typing import NamedTuple

from calibration.door import NO_FILE, read_beginning
from engine.errors import InputError
from server.masking import print_line

OF_DATABASE = ("-wal", "-shm")
"""What SQLite keeps beside a database. With another database the first would spoil it."""
WHOLE_DATABASE = ("", *OF_DATABASE)
"""The endings of all that a database may have on the disk."""

CHECK_S = 20.0
"""How long it is looked whether a database is whole: 5 GB of events (165 MB took 0.6 s). What is not found by then
shows when it is read."""
STEPS_CHECKED = 20_000
"""Steps of SQLite after which the time is looked at, some milliseconds."""
LONGEST_DAMAGE = 200
"""Characters of what SQLite finds wrong."""


def replace_durably(unfinished: Path, path: Path) -> None:
    """Rename a file that was flushed; the new name is on the disk when this returns."""
    unfinished.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Flush which files a folder has: without it a power cut may take back a name that the record counts on."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_private(path: Path, text: str) -> None:
    """Replace a file that only its owner may read, whole and at once."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    replace_durably(new, path)


def write_new(path: Path, data: bytes) -> None:
    """A new file that only its owner may read, or none; FileExistsError where there is one."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def name_aside(path: Path, endings: Sequence[str] = ("",)) -> Path:
    """The first of `NAME.before-1` and so on that no file has, with none of these `endings`."""
    number = 1
    while any(path.with_name(f"{path.name}.before-{number}{ending}").exists() for ending in endings):
        number += 1
    return path.with_name(f"{path.name}.before-{number}")


def move_aside(path: Path, moved: Sequence[str], endings: Sequence[str]) -> Path:
    """Give what a file has beside it, whose names go on with those that are `moved`, the name that `name_aside` finds:
    together they are whole again. That name."""
    aside = name_aside(path, endings)
    for ending in moved:
        if (file := path.with_name(path.name + ending)).exists():
            file.rename(aside.with_name(aside.name + ending))
    sync_folder(path.parent)
    return aside


def list_asides(path: Path) -> list[Path]:
    """What `name_aside` has named, the last first."""
    named = (path.with_name(f"{path.name}.before-{number}") for number in count(1))
    return [*takewhile(Path.exists, named)][::-1]


def set_existing_aside(path: Path) -> None:
    """Keep what a file has under another name, `NAME.before-1` and so on, and say so: somebody may want it back.

    What a shell has opened (`/dev/stdout`) keeps its name: it is not ours.
    """
    if path.is_file() and path.stat().st_size and not _is_opened_elsewhere(path):
        aside = name_aside(path)
        path.rename(aside)
        print_line(f"{path}: was there already, and is {aside.name} now", err=True)


def write_output(path: Path, data: bytes, option: str) -> None:
    """Write what a command was asked for with an option, and keep what was there. InputError where it cannot be."""
    try:
        _write_whole(path, data, lambda: set_existing_aside(path))
    except OSError as error:
        raise InputError(f"{option} {path}: {_describe_write_error(error)}") from error


def replace_output(path: Path, data: bytes) -> None:
    """Write what a command was asked for over what was there. InputError where it cannot be: then that is still
    there."""
    try:
        _write_whole(path.resolve() if path.is_symlink() and not _is_opened_elsewhere(path) else path, data)
    except OSError as error:
        kept = "; what was there before still is" if path.is_file() else ""
        raise InputError(f"{path}: {_describe_write_error(error)}{kept}") from error


def _write_whole(path: Path, data: bytes, before_rename: Callable[[], object] = lambda: None) -> None:
    """Under its name is what was there, or all of `data`. OSError where the disk does not take it: then there is
    nothing of it. What is no file of the disk, and a file in a folder that takes no other, is written into."""
    known = path.is_file()
    if _is_opened_elsewhere(path) or (path.exists() and not known):
        path.write_bytes(data)
        return
    beside = path.with_name(f".{secrets.token_hex(4)}.part")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except PermissionError:
        if not known:
            raise
        path.write_bytes(data)
        return
    try:
        with os.fdopen(handle, "wb") as file:
            if known:
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        before_rename()
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _is_opened_elsewhere(path: Path) -> bool:
    """Whether it names what a shell has opened, like `/dev/stdout`: that is written into."""
    return path.absolute().parts[1] in {"dev", "proc"}


def _describe_write_error(error: OSError) -> str:
    """What the system says, and what to do where the disk is full."""
    is_full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    return f"{error.strerror}{': free some space there, or name another place' if is_full else ''}"


def check_plain(path: Path) -> None:
    """InputError for what calls itself an empty file and has something in it, or waits: programs that open it by its
    name alone, as SQLite does, would wait too. OSError where it cannot be read."""
    if path.is_file() and not path.stat().st_size and read_beginning(path, 1):
        raise InputError(f"{path}: {NO_FILE}")


def identify_file(path: Path) -> tuple[int, int] | None:
    """Which file lies under a name, whatever other names it has; None for none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class FileStamp(NamedTuple):
    """Which file it is, and when it was written into: SQLite writes where it moves its journal into the file."""

    device: int
    inode: int
    size: int
    written_ns: int


def stamp_file(path: str) -> FileStamp | None:
    """Which file lies under a name, and when it was written into, None for none."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return FileStamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def identify_journal(path: str) -> tuple[tuple[int, int], ...] | None:
    """Which files SQLite has beside this one, None while it has not made both. It keeps them as long as one who writes
    has the file open, and deletes them with the last."""
    found = tuple(one for ending in OF_DATABASE if (one := identify_file(Path(path + ending))))
    return found if len(found) == len(OF_DATABASE) else None


def create_private(path: Path) -> None:
    """Make an empty file that only its owner may read, where there is none; nothing where it cannot be made."""
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def name_unwritten(path: Path) -> str:
    """How SQLite is asked for a database into which nothing is to be written."""
    return f"{path.absolute().as_uri()}?mode=ro"


def name_alone(path: Path) -> str:
    """The same without what lies beside it."""
    return f"{name_unwritten(path)}&immutable=1"


def check_whole(db: sqlite3.Connection) -> str:
    """What SQLite finds wrong with a database; empty where nothing, or where that takes longer than CHECK_S."""
    end = time.monotonic() + CHECK_S
    db.set_progress_handler(lambda: time.monotonic() > end, STEPS_CHECKED)
    try:
        said = " ".join(" ".join(str(row[0]) for row in db.execute("PRAGMA quick_check(1)")).split())
    except sqlite3.OperationalError:
        return ""
    return "" if said == "ok" else said[:LONGEST_DAMAGE]
