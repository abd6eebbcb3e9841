"""Options of commands that belong together, handed to the command as one value."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import click

AnyCommand = Callable[..., Any]


class NumberRange(click.FloatRange):
    """A number between two bounds; "nan" is none, and no bound keeps it out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # as click has it
        """The number."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


class FilePath(click.Path):
    """A file to read or to write. A named pipe is refused: opening one waits for good for somebody at its other end.

    What a shell hands over already opened (`/dev/stdout`, `<(...)`) is taken.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # as click has it
        """The path."""
        path = Path(os.fsdecode(value))
        if path.is_fifo() and not os.path.realpath(path).startswith("/proc/"):
            self.fail(f"{click.format_filename(path)} is a pipe: name a file", param, ctx)
        return super().convert(value, param, ctx)


A_FILE = FilePath(dir_okay=False, path_type=Path)
FILE_OR_FOLDER = FilePath(path_type=Path)


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
