"""Options of commands that belong together, handed to the command as one value."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable
from contextlib import suppress
from inspect import signature
from pathlib import Path
from typing import Any

import click
from click.types import StringParamType

from calibration.door import read_beginning
from engine.errors import InputError
from server.disk import OF_DATABASE, check_plain

AnyCommand = Callable[..., Any]


class NumberRange(click.FloatRange):
    """A number between two bounds; "nan" is none, and no bound keeps it out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # as click has it
        """The number."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


BESIDE_ONE = (*OF_DATABASE, ".lock", ".alive", ".hall.json")
"""Endings of what lies beside a record, and belongs to it."""
DATABASE_MARKS = (b"SQLite format 3\0", b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
"""How databases and their journals begin (sqlite.org/fileformat2.html), whatever they are called."""
OF_SESSION = {".jpg", ".jpeg", ".png"}
"""Endings of what is read of a folder that is named as the camera."""
NAMED_FILES = "camelot-referee.files"
"""Where click keeps which files a command was given: option, file, whether it is written."""


class FilePath(click.Path):
    """A file to read or to write. A named pipe is refused: opening one waits for good for somebody at its other end.

    What a shell hands over already opened (`/dev/stdout`, `<(...)`) is taken.
    """

    is_written = False

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # as click has it
        """The path."""
        path = Path(os.fsdecode(value))
        if path.is_fifo() and not os.path.realpath(path).startswith("/proc/"):
            self.fail(f"{click.format_filename(path)} is a pipe: name a file", param, ctx)
        with suppress(OSError):  # who opens it says why
            try:
                check_plain(path)
            except InputError as error:
                self.fail(str(error), param, ctx)
        if self.is_written and _belongs_to_database(path):
            self.fail(f"{click.format_filename(path)} is a database, or belongs to one: name another file", param, ctx)
        note_file(self, path, param, ctx)
        return super().convert(value, param, ctx)


class OutFile(FilePath):
    """A file that a command writes: never a record or what belongs to one, and none that the same command reads or
    writes besides. What else is there is kept (server.disk.write_output)."""

    is_written = True


class PictureSource(StringParamType):
    """A device, an address, or a file or folder that is read."""

    is_written = False

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # as click has it
        """The text as it is."""
        with suppress(OSError):  # an address may be longer than a name
            if Path(value).exists():
                note_file(self, Path(value), param, ctx)
        return value


def note_file(
    kind: FilePath | PictureSource, path: Path, param: click.Parameter | None, ctx: click.Context | None
) -> None:
    """Remember a file that an option names; fails where one is written that is another option's too, whichever came
    first."""
    if ctx is None:
        return
    named: list[tuple[click.Parameter | None, Path, bool]] = ctx.meta.setdefault(NAMED_FILES, [])
    for other_param, other, other_written in named:
        pairs = [(path, other)] * kind.is_written + [(other, path)] * other_written
        if other_param is not param and any(_is_part_of(out, used) for out, used in pairs):
            kind.fail(f"{click.format_filename(path)} would be written, and is used by this command", param, ctx)
    named.append((param, path, kind.is_written))


def _is_part_of(out: Path, used: Path) -> bool:
    """Whether a file is another that is used, by whatever name, or belongs to it."""
    real, whole = Path(os.path.realpath(out)), Path(os.path.realpath(used))
    if real.exists() and not real.is_file():  # /dev/null takes what anybody writes
        return False
    if whole.is_dir():
        return real.suffix.lower() in OF_SESSION and real.exists() and real.is_relative_to(whole)
    family = [whole.with_name(whole.name + ending) for ending in ("", *BESIDE_ONE)]
    return real in family or any(real.exists() and one.exists() and real.samefile(one) for one in family)


def _belongs_to_database(path: Path) -> bool:
    """Whether a file is a database or its journal, or has the name of something beside one."""
    real = Path(os.path.realpath(path))
    stems = [real.with_name(real.name.removesuffix(ending)) for ending in BESIDE_ONE if real.name.endswith(ending)]
    return _begins_with(real, DATABASE_MARKS) or any(_begins_with(stem, DATABASE_MARKS[:1]) for stem in stems)


def _begins_with(path: Path, marks: tuple[bytes, ...]) -> bool:
    """Whether there is a file that begins so; not for one that cannot be read."""
    with suppress(OSError, InputError):
        return read_beginning(path, len(DATABASE_MARKS[0])).startswith(marks)
    return False


A_FILE = FilePath(dir_okay=False, path_type=Path)
FILE_OR_FOLDER = FilePath(path_type=Path)
OUT_FILE = OutFile(dir_okay=False, path_type=Path)
A_SOURCE = PictureSource()


def gather_options(
    argument: str, make: Callable[..., object], *options: Callable[[AnyCommand], AnyCommand]
) -> Callable[[AnyCommand], AnyCommand]:
    """A decorator: gives a command these options, and its function as `argument` what `make` makes of them.

    `make` is called with the values of the options that its parameters name, and of arguments gathered above it; a
    parameter that none of them has keeps its default.
    """
    names = tuple(signature(make).parameters)

    def decorate_command(command: AnyCommand) -> AnyCommand:
        @functools.wraps(command)
        def with_value(**others: Any) -> Any:
            value = make(**{name: others.pop(name) for name in names if name in others})
            return command(**{argument: value}, **others)

        taking: AnyCommand = with_value
        for option in reversed(options):
            taking = option(taking)
        return taking

    return decorate_command
