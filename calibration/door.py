"""The one door for files from outside: what is opened is a file, and no larger than files of its kind are.

A pipe without a writer never answers, /dev/zero never ends, and opening some devices does something. What comes in is
bytes; `engine.outside` is the door for the text in them.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from engine.errors import InputError

MOST_TEXT = 64_000_000
"""Bytes of a file of games: a hundred thousand, each as long as a championship game."""
MOST_TABLES = 200_000
"""Bytes of a profile, a lens or a map of LEDs: a hundred times what this program writes."""
MOST_PICTURE = 64_000_000
"""Bytes of one picture, not compressed twenty megapixels."""
NO_FILE = "is made by the system while it is read, and is no file: name a file"


def read_file(path: Path, most: int) -> bytes:
    """What is in a file of at most `most` bytes. OSError where it cannot be read; InputError where it is something else
    than a file, or larger."""
    data = read_beginning(path, most + 1)
    if len(data) > most:
        raise InputError(f"{path}: is larger than {most / 1e6:g} MB")
    return data


def read_beginning(path: Path, most: int) -> bytes:
    """The first bytes of a file, at most so many; OSError and InputError as `read_file`."""
    _check_kind(path, path.stat().st_mode)  # before it is opened: that alone starts some devices
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        _check_kind(path, os.fstat(handle).st_mode)
        try:
            data: bytes | None = file.read(most)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error  # which file it was
    if data is None:  # /proc/kmsg calls itself a file, and would be waited for
        raise InputError(f"{path}: {NO_FILE}")
    return data


def check_inside(path: Path, folder: Path) -> None:
    """InputError where a file of a folder, which may have come from anybody, is a link that leads out of it."""
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise InputError(f"{path}: is a link that leads out of its folder: put the file itself there")


def _check_kind(path: Path, kind: int) -> None:
    if not stat.S_ISREG(kind):
        raise InputError(f"{path}: is a {'folder' if stat.S_ISDIR(kind) else 'device or pipe'}, not a file")


def read_text(path: Path, most: int) -> str:
    """The same as text in UTF-8; InputError also where it is none."""
    try:
        return read_file(path, most).decode("utf-8-sig")  # some editors put a mark before the text
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}: line {line}: not UTF-8 text at byte {error.start}; save it as UTF-8") from None
    except ValueError as error:
        raise InputError(f"{str(path)!r}: {error}") from None
