"""Options of commands that belong together, handed to the command as one value."""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import signature
from typing import Any

Command = Callable[..., Any]


def gathered(
    argument: str, make: Callable[..., object], *options: Callable[[Command], Command]
) -> Callable[[Command], Command]:
    """A decorator: gives a command these options, and its function as `argument` what `make` makes of them.

    `make` is called with the values of the options that its parameters name, and of arguments gathered above it; a
    parameter that none of them has keeps its default.
    """
    names = tuple(signature(make).parameters)

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_value(**others: Any) -> Any:
            value = make(**{name: others.pop(name) for name in names if name in others})
            return command(**{argument: value}, **others)

        taking: Command = with_value
        for option in reversed(options):
            taking = option(taking)
        return taking

    return decorate
