"""Options that need not be typed each time: from a TOML file, overridden by the environment, then by the command line.

The file has a table for each command, with the long names of its options: `[serve]`, `port = 5001`, `new = true`; of
one with a second word `[games.export]`. In the environment the same option is CAMELOT_REFEREE_SERVE_PORT.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from calibration import door
from engine import outside
from engine.errors import InputError
from server.disk import write_private
from server.masking import mask_passwords

PREFIX = "CAMELOT_REFEREE"
ON_THE_PAGE = ("mode", "clock", "delay", "pictures", "palette")
"""Options that may be changed on the page: those by which no camera, no file and no port is opened."""
Value = str | int | float | bool
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


def load_settings(
    name: str, command: click.Command, environ: Mapping[str, str] = os.environ, known: Sequence[str] = ()
) -> dict[str, object]:
    """Values for the options of `command`, by their names in the code. InputError for a file that cannot be used."""
    path = default_path(environ)
    table = _read_table(path, name, known, asked=f"{PREFIX}_SETTINGS" in environ)
    return _read_values(path, name, command, table, environ)


def _read_values(
    path: Path, name: str, command: click.Command, table: object, environ: Mapping[str, str]
) -> dict[str, object]:
    """What the `table` of the file and the environment say of a command, and of those that are its second words."""
    if not isinstance(table, dict):
        raise InputError(f"settings {path}: {name!r} must be a table, written [{name}]")
    options, words = option_names(command), command.commands if isinstance(command, click.Group) else {}
    found: dict[str, object] = {}
    for key, value in table.items():
        if key not in options and key not in words:
            known = ", ".join([*options, *sorted(words)])
            raise InputError(f"settings {path}: [{name}] has no option {key!r}, use {known}")
        if key in options:
            found[options[key]] = _convert_value(command, options[key], value, f"settings {path}: [{name}]: {key}")
    for option, parameter in options.items():
        key = re.sub("[-.]", "_", f"{PREFIX}_{name}_{option}".upper())
        if key in environ:
            found[parameter] = outside.check_text(environ[key], key)
    inner = {word: _read_values(path, f"{name}.{word}", words[word], table.get(word, {}), environ) for word in words}
    return found | inner


def _convert_value(command: click.Command, name: str, value: object, where: str) -> object:
    """The value as click takes it: one, or a list where an option may be given more than once. InputError otherwise."""
    option = next(one for one in command.params if one.name == name)
    is_many = option.nargs != 1 or (isinstance(option, click.Option) and option.multiple)
    values = value if is_many and isinstance(value, list) else [value]
    if any(isinstance(one, list | Mapping) for one in values):
        raise InputError(f"{where}: give one value, no list or table")
    kept = [one if isinstance(option.type, TAKEN_BY.get(type(one), ())) else _value_as_typed(one) for one in values]
    return kept if is_many else kept[0]


def _value_as_typed(value: object) -> str:
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


def shown_options(context: click.Context) -> dict[str, object]:
    """The options of a running command with their values, as a page may show them: no passwords of addresses."""
    values = {option: context.params.get(parameter) for option, parameter in option_names(context.command).items()}
    texts = {True: "true", False: "false"}
    return {
        option: texts[value] if isinstance(value, bool) else mask_passwords(str(value))
        for option, value in values.items()
        if value not in (None, ())
    }


def edit_settings(text: str, table: str, values: Mapping[str, Value | None]) -> str:
    """The settings file with these values in a table, and all else, notes too, as it was; None takes an option out.
    InputError where a file is written so that this cannot be done line by line."""
    lines = text.splitlines()
    for key, value in values.items():
        lines = _replace_line(
            lines, table, key, [] if value is None else [f"{key} = {json.dumps(value, ensure_ascii=False)}"]
        )
    out = "\n".join(lines) + "\n"
    wanted = outside.parse_toml(text, "settings")
    known = wanted.get(table, {})
    own: dict[str, object] = dict(known) if isinstance(known, dict) else {}
    own = {key: value for key, value in {**own, **values}.items() if value is not None}
    try:
        read = outside.parse_toml(out, "settings")
    except InputError:
        read = {}
    if read != wanted | {table: own}:
        raise InputError(f"settings: [{table}] is written in a way that only people can change; do it in the file")
    return out


def _replace_line(lines: Sequence[str], table: str, key: str, new: Sequence[str]) -> list[str]:
    """The lines with `new` in place of the option `key` of a table, at its head where the option is not there yet."""
    out = list(lines)
    heads = [number for number, line in enumerate(out) if line.split("#")[0].strip() == f"[{table}]"]
    if not heads:
        out += ["", f"[{table}]"] if out else [f"[{table}]"]
    first = (heads or [len(out) - 1])[0] + 1
    end = next((n for n in range(first, len(out)) if out[n].lstrip().startswith("[")), len(out))
    at = next((n for n in range(first, end) if re.match(rf"\s*{re.escape(key)}\s*=", out[n])), None)
    out[slice(first, first) if at is None else slice(at, at + 1)] = new
    return out


class ChangeableOptions:
    """The options that a page of a running command may change: in the file, for its next start."""

    def __init__(
        self, name: str, context: click.Context, path: Path, check: Callable[[Mapping[str, object]], object]
    ) -> None:
        """Of the command `name` as it runs in `context`, in the file at `path`; `check` raises InputError for values
        that do not go together."""
        self._table, self._path, self._check = name, path, check
        self._options = option_names(context.command)
        self._kinds = {str(parameter.name): parameter for parameter in context.command.params}
        self._context, self._lock = context, threading.Lock()
        self.values = {name: context.params.get(self._options[name]) for name in ON_THE_PAGE}
        """As they will be at the next start."""
        source = context.get_parameter_source
        variables = {name: f"{PREFIX}_{self._table}_{name}".upper().replace("-", "_") for name in ON_THE_PAGE}
        self.fixed = frozenset(
            name
            for name in ON_THE_PAGE
            if source(self._options[name]) is ParameterSource.COMMANDLINE or variables[name] in os.environ
        )
        """What was said on the command line or in the environment: the file is not asked for it."""

    def change_option(self, name: str, text: str) -> None:
        """Keep it. InputError for what cannot be used, or not be kept."""
        if name not in ON_THE_PAGE:
            raise InputError(f"{name[:40]}: is not set on this page")
        if name in self.fixed:
            raise InputError(f"{name}: the command line or the environment has it: change it there")
        parameter = self._kinds[self._options[name]]
        try:
            value = parameter.type_cast_value(self._context, text.strip()) if text.strip() else None
        except click.BadParameter as error:
            raise _build_refusal(parameter, text, error) from error
        with self._lock:
            usual = parameter.default if isinstance(parameter.default, Value) else None
            self._check(self.values | {name: usual if value is None else value})
            before = door.read_text(self._path, door.MOST_TABLES) if self._path.is_file() else ""
            after = edit_settings(before, self._table, {name: value})
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                write_private(self._path, after)
            except OSError as error:
                raise InputError(f"settings {self._path}: {error.strerror}: its folder must be writable") from error
            self.values = self.values | {name: value}


def _build_refusal(parameter: click.Parameter, text: str, error: click.BadParameter) -> InputError:
    """What is wrong with the text of a setting."""
    match parameter.type:
        case click.IntRange(min=least, max=None):
            return InputError("{typed}: write a whole number from {least} on", typed=text, least=least)
        case click.FloatRange(min=least, max=most):
            return InputError("{typed}: write a number from {least} to {most}", typed=text, least=least, most=most)
    return InputError(error.message)


def _read_table(path: Path, name: str, known: Sequence[str], *, asked: bool) -> object:
    if not path.is_file() and not asked:
        return {}
    try:
        said = door.read_text(path, door.MOST_TABLES)
    except (OSError, InputError) as error:
        raise InputError(f"settings {path}: {error}") from error
    tables = outside.parse_toml(said, f"settings {path}")
    strange = next((key for key in tables if known and key not in known), None)
    if strange is not None:
        raise InputError(f"settings {path}: {strange!r} is no command; a table is one of [{'], ['.join(known)}]")
    return tables.get(name, {})
