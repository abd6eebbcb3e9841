"""Who writes a running game into a record: one referee at a time, so that two never continue the same game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import InputError
from server.record.store import default_path, ensure_folder


@contextmanager
def claim_record(record: Path) -> Iterator[None]:
    """Hold the record while a game is played. InputError if another referee holds it.

    The system lets go of it when the program ends, however it ends.
    """
    lock = _record_lock(record)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if not Path(lock.lock_file).exists():  # there is none to wait for: it could not be made
            raise InputError("record {record}: its folder must be writable", record=record) from None
        text = "record {record}: another referee is playing into it; end it, or keep games in another file"
        raise InputError(text, record=record) from None
    except OSError as error:
        text = "record {record}: {why}: its folder must be writable"
        raise InputError(text, record=record, why=error.strerror) from error
    try:
        yield
    finally:
        lock.release()


def is_claimed(record: Path) -> bool:
    """Whether a referee holds the record now."""
    lock = _record_lock(record)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


def _record_lock(record: Path) -> FileLock:
    return FileLock(record.with_name(record.name + ".lock"))


def record_at(path: Path | None) -> Path:
    """The record to write: `path`, or the user's own, whose folder is made. InputError for a folder that is not there:
    a slip in a name would hide the games."""
    if path is None:
        return ensure_folder(default_path())
    if not path.parent.is_dir():
        raise InputError(f"--record {path}: there is no folder {path.parent}; make it first, or name another place")
    return path
