"""The `referee` command: each file in server/commands is one subcommand, found by its name and imported when used."""

from __future__ import annotations

import difflib
import importlib
import os
import pkgutil
import re
import sys

import click
from click.core import ParameterSource

from engine import outside
from engine.errors import InputError, shorten_text
from server import commands
from server.exits import BROKEN_OFF, DONE, UNUSABLE, watch_signals
from server.masking import mask_passwords, print_line, print_text
from server.settings import PREFIX, default_path, load_settings

WITHOUT_SETTINGS = ("report",)
"""Commands that read no settings, which are written down even where the file of settings cannot be used."""


class CommandFolder(click.Group):
    """A click group whose subcommands are the modules of server.commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all subcommands."""
        names = (module.name for module in pkgutil.iter_modules(commands.__path__))
        return sorted(name.replace("_", "-") for name in names if not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand of that name, or None."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"server.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but a name that is none gets the one that was probably meant."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in self.list_commands(ctx):
            near = difflib.get_close_matches(name, self.list_commands(ctx), 1)
            meant = f"did you mean `referee {near[0]}`?" if near else "`referee --help` lists all"
            raise click.UsageError(f"there is no command {name!r}: {meant}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=CommandFolder, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="camelot-referee", prog_name="referee")
@click.pass_context
def referee(context: click.Context) -> None:
    """Referee and record Camelot games on a real board in front of a camera."""
    name = context.invoked_subcommand
    command = referee.get_command(context, name) if name else None
    if name and command and name not in WITHOUT_SETTINGS:
        context.default_map = {name: load_settings(name, command, known=referee.list_commands(context))}


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 the answer is "no", 2 unusable input with one line on stderr."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        for number, argument in enumerate(arguments, start=1):
            outside.check_text(argument, f"argument {number}")
        with watch_signals():
            status = referee.main(args=arguments, prog_name="referee", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        print_text(error.format_message())
        sys.exit(DONE)
    except click.BadParameter as error:
        exit_with_error(f"{_name_settings_source(error)}{_simplify_message(error.format_message())}")
    except click.ClickException as error:
        exit_with_error(error.format_message())
    except InputError as error:
        exit_with_error(str(error))
    except OSError as error:
        exit_with_error(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))
    except (click.Abort, KeyboardInterrupt):
        sys.exit(BROKEN_OFF)
    sys.exit(status if isinstance(status, int) else DONE)


def _simplify_message(message: str) -> str:
    """What click says of a number, in people's words."""
    return re.sub(r"is not a valid (integer|float)( range)?", "is not a number", message)


def _name_settings_source(error: click.BadParameter) -> str:
    """Where a value that cannot be used was set, if nobody typed it just now."""
    name = error.param.name if error.param else None
    if error.ctx is None or name is None or error.ctx.get_parameter_source(name) is not ParameterSource.DEFAULT_MAP:
        return ""
    return f"settings {default_path(os.environ)}, or its variable {PREFIX}_...: "


def exit_with_error(message: str) -> None:
    """One line on standard error, exit code 2."""
    print_line(f"referee: {' '.join(mask_passwords(shorten_text(message)).split())}", err=True)
    sys.exit(UNUSABLE)
