"""Options that need not be typed each time: from a TOML file, overridden by the environment, then by the command line.

The file has a table for each command, with the long names of its options: `[serve]`, `port = 5001`, `new = true`.
In the environment the same option is CAMELOT_REFEREE_SERVE_PORT.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from engine import outside
from engine.errors import InputError
from server.masking import masked

PREFIX = "CAMELOT_REFEREE"
TAKEN_BY: Mapping[type, tuple[type[click.ParamType[Any]], ...]] = {
    bool: (click.types.BoolParamType,),
    int: (click.types.IntParamType, click.types.FloatParamType),
    float: (click.types.FloatParamType,),
}
"""Values of a file that options of these types take as they are."""


def default_path(environ: Mapping[str, str]) -> Path:
    """Where the file is looked for: the user's configuration folder, or what CAMELOT_REFEREE_SETTINGS names."""
    named = environ.get(f"{PREFIX}_SETTINGS")
    base = Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return Path(named) if named else base / "camelot-referee" / "settings.toml"


def settings(
    name: str, command: click.Command, environ: Mapping[str, str] = os.environ, known: Sequence[str] = ()
) -> dict[str, object]:
    """Values for the options of `command`, by their names in the code. InputError for a file that cannot be used."""
    path = default_path(environ)
    options = option_names(command)
    found: dict[str, object] = {}
    for key, value in _table(path, name, f"{PREFIX}_SETTINGS" in environ, known).items():
        if key not in options:
            raise InputError(f"settings {path}: [{name}] has no option {key!r}, use {', '.join(options)}")
        found[options[key]] = _of_kind(command, options[key], value, f"settings {path}: [{name}]: {key}")
    for option, parameter in options.items():
        key = f"{PREFIX}_{name}_{option}".upper().replace("-", "_")
        if key in environ:
            found[parameter] = outside.text(environ[key], key)
    return found


def _of_kind(command: click.Command, name: str, value: object, where: str) -> object:
    """The value as click takes it: one, or a list where an option may be given more than once. InputError otherwise."""
    option = next(one for one in command.params if one.name == name)
    is_many = option.nargs != 1 or (isinstance(option, click.Option) and option.multiple)
    values = value if is_many and isinstance(value, list) else [value]
    if any(isinstance(one, list | Mapping) for one in values):
        raise InputError(f"{where}: give one value, no list or table")
    kept = [one if isinstance(option.type, TAKEN_BY.get(type(one), ())) else _as_typed(one) for one in values]
    return kept if is_many else kept[0]


def _as_typed(value: object) -> str:
    """As somebody would have typed it, so that it is taken or refused like that."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def option_names(command: click.Command) -> dict[str, str]:
    """Long name of each option without its hyphens -> its name in the code."""
    return {
        opt.removeprefix("--"): str(parameter.name)
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden
        for opt in parameter.opts
        if opt.startswith("--")
    }


def shown(context: click.Context) -> dict[str, object]:
    """The options of a running command with their values, as a page may show them: no passwords of addresses."""
    values = {option: context.params.get(parameter) for option, parameter in option_names(context.command).items()}
    texts = {True: "true", False: "false"}
    return {
        option: texts[value] if isinstance(value, bool) else masked(str(value))
        for option, value in values.items()
        if value not in (None, ())
    }


def _table(path: Path, name: str, asked: bool, known: Sequence[str]) -> Mapping[str, object]:
    if not path.is_file() and not asked:
        return {}
    try:
        said = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"settings {path}: {error}") from error
    tables = outside.parse_toml(said, f"settings {path}")
    strange = next((key for key in tables if known and key not in known), None)
    if strange is not None:
        raise InputError(f"settings {path}: {strange!r} is no command; a table is one of [{'], ['.join(known)}]")
    table = tables.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"settings {path}: {name!r} must be a table, written [{name}]")
    return table
