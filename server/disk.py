"""Files that a power cut leaves whole: under their name is the old one or the new one, and the name is on the disk."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count, takewhile
from pathlib import Path
from typing import NamedTuple

from calibration.door import NO_FILE, read_beginning
from engine.errors import InputError
from server.masking import print_line

OF_DATABASE = ("-wal", "-shm")
"""What SQLite keeps beside a database. With another database the first would spoil it."""


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
    """A new file that only its owner may read; FileExistsError where there is one."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)


def name_aside(path: Path) -> Path:
    """The first of `NAME.before-1` and so on that no file has."""
    number = 1
    while (aside := path.with_name(f"{path.name}.before-{number}")).exists():
        number += 1
    return aside


def list_asides(path: Path) -> list[Path]:
    """What `name_aside` has named, the last first."""
    named = (path.with_name(f"{path.name}.before-{number}") for number in count(1))
    return [*takewhile(Path.exists, named)][::-1]


def set_existing_aside(path: Path) -> None:
    """Keep what a file has under another name, `NAME.before-1` and so on, and say so: somebody may want it back.

    What a shell has opened (`/dev/stdout`) keeps its name: it is not ours.
    """
    if path.is_file() and path.stat().st_size and path.absolute().parts[1] not in {"dev", "proc"}:
        aside = name_aside(path)
        path.rename(aside)
        print_line(f"{path}: was there already, and is {aside.name} now", err=True)


def write_output(path: Path, data: bytes, option: str) -> None:
    """Write what a command was asked for with an option, and keep what was there. InputError where it cannot be."""
    try:
        set_existing_aside(path)
        path.write_bytes(data)
    except OSError as error:
        raise InputError(f"{option} {path}: {error.strerror}") from error


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
