"""Who writes a running game into a record: one referee at a time, so that two never continue the same game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import InputError


@contextmanager
def claim(record: Path) -> Iterator[None]:
    """Hold the record while a game is played. InputError if another referee holds it.

    The system lets go of it when the program ends, however it ends.
    """
    lock = _lock(record)
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
    lock = _lock(record)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


def _lock(record: Path) -> FileLock:
    return FileLock(record.with_name(record.name + ".lock"))
