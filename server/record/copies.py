"""Whole copies of a record with its pictures, made while a game goes on, and put back; all checked by verify."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from engine.errors import InputError
from server.disk import WHOLE_DATABASE, move_aside, replace_durably, write_new
from server.record.evidence import EVIDENCE, REMOVED, file_of, folder_of, picture_names, read_picture
from server.record.playing import OF_PICTURES
from server.record.store import DAMAGE, open_record
from server.record.verifying import find_record_faults
from server.waits import describe_failure

ATTEMPTS = 5
"""At a copy in which no picture went to make room while it was made; one such takes milliseconds."""
PAGES = 256
"""Of the file that are copied before the game may write again."""
PARTIAL = ".part"
"""What the name of a copy ends in while it is made."""


def copy_record(source: Path, target: Path) -> tuple[list[str], int]:
    """Copy a record with its pictures to `target`, where no file is; what verify says of the copy, and its games.

    With a fault nothing is left at `target`. InputError where it cannot be read or written.
    """
    unfinished = target.with_name(target.name + PARTIAL)
    try:
        for _ in range(ATTEMPTS):
            _remove_record(unfinished)
            write_new(unfinished, b"")  # what cannot be written is not called damaged
            _copy_file(source, unfinished)
            if _copy_pictures(source, unfinished):
                break
        with open_record(unfinished) as record:
            faults, count = find_record_faults(record, folder_of(unfinished))
        if not faults:
            move_record(unfinished, target)
        return faults, count
    except OSError as error:
        raise InputError(f"{target}: {error.strerror or error}: nothing was copied") from error
    finally:
        _remove_record(unfinished)


def move_record(source: Path, target: Path) -> None:
    """Give a whole copy its name: the pictures first, which nobody misses without the record."""
    if folder_of(source).exists():
        folder_of(source).rename(folder_of(target))
    replace_durably(source, target)


def set_aside(path: Path) -> Path | None:
    """Move a record and its pictures out of the way, also what is left of one that is gone: its journal would be given
    to the next. Where they are now, None if there was nothing."""
    endings = (*WHOLE_DATABASE, OF_PICTURES)
    if not any(path.with_name(path.name + ending).exists() for ending in endings):
        return None
    return move_aside(path, endings, endings)


def _copy_file(source: Path, target: Path) -> None:
    """SQLite's own way to copy a file that is in use, with all that is in its journal."""
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as old,
            closing(sqlite3.connect(target)) as new,
        ):
            old.backup(new, pages=PAGES)
            new.execute("PRAGMA journal_mode = DELETE")
    except DAMAGE as error:
        if not os.access(source.parent, os.W_OK):  # SQLite needs to make files beside it, also to read
            advice = "copy it, with what ends in -wal, to another disk, and name that copy"
            raise InputError(f"record {source}: its disk is read-only: {advice}") from error
        copy, code = str(target).removesuffix(PARTIAL), getattr(error, "sqlite_errorcode", 0) & 0xFF
        either = {sqlite3.SQLITE_FULL: copy, sqlite3.SQLITE_IOERR: f"{source} or its copy {copy}"}
        where = either.get(code, str(source))
        raise InputError(describe_failure(where, error)) from error
    with target.open("rb") as file:
        os.fsync(file.fileno())


def _copy_pictures(source: Path, target: Path) -> bool:
    """Copy what the copied events name; whether all of it was there, but for what they say is gone."""
    named: set[str] = set()
    gone: set[str] = set()
    with open_record(target) as record:
        for _, _, event in record.find_events(EVIDENCE, REMOVED):
            (gone if event["event"] == REMOVED else named).update(picture_names(event))
    old, new = folder_of(source), folder_of(target)
    if named:
        new.mkdir(mode=0o700, parents=True, exist_ok=True)
    whole = True
    for name in named:
        try:
            write_new(file_of(new, name), read_picture(old, name))
        except FileNotFoundError:
            whole = whole and name in gone
        except InputError:
            continue  # verify says of the copy what is wrong with it
    return whole


def _remove_record(path: Path) -> None:
    for ending in WHOLE_DATABASE:
        path.with_name(path.name + ending).unlink(missing_ok=True)
    shutil.rmtree(folder_of(path), ignore_errors=True)
