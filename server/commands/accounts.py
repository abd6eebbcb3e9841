"""`referee accounts`: who may use the page from other machines."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from engine.errors import InputError
from server.exits import DONE
from server.masking import print_line, print_text
from server.options import A_FILE
from server.web.access.accounts import (
    ROLES,
    Account,
    Accounts,
    add_key,
    create_account,
    default_path,
    read_accounts,
    write_accounts,
)


@click.group(help="Who may use the page from other machines.")
@click.option(
    "--file",
    "path",
    type=A_FILE,
    envvar="CAMELOT_REFEREE_ACCOUNTS",
    help="Where accounts are kept; default: beside the settings.",
)
@click.pass_context
def command(context: click.Context, path: Path | None) -> None:
    """Each subcommand gets the path of the file."""
    context.obj = path or default_path()


@command.command(name="add", help="Make an account; the password is asked for.")
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), required=True, help="What it may do.")
@click.option("--stdin", "piped", is_flag=True, help="Read the password as one line from standard input.")
@click.option("--no-password", is_flag=True, help="For a program: it gets keys only.")
@click.pass_obj
def add_account(path: Path, name: str, role: str, *, piped: bool, no_password: bool) -> int:
    """Refuse a name that is there already."""
    accounts = read_accounts(path)
    if name in accounts.by_name:
        raise InputError(f"account {name}: is there already; change it with: referee accounts password|remove")
    write_accounts(
        path, accounts.with_account(create_account(name, role, "" if no_password else _ask_password(piped=piped)))
    )
    print_line(f"{name} is {role} now, in {path}.")
    return DONE


@command.command(name="password", help="Change a password; everybody logged in with the old one is logged out.")
@click.argument("name")
@click.option("--stdin", "piped", is_flag=True, help="Read the password as one line from standard input.")
@click.pass_obj
def change_password(path: Path, name: str, *, piped: bool) -> int:
    """The keys stay."""
    accounts = read_accounts(path)
    account = _find_account(accounts, name)
    write_accounts(
        path,
        accounts.with_account(
            replace(create_account(name, account.role, _ask_password(piped=piped)), keys=account.keys)
        ),
    )
    print_line(f"{name} has another password now.")
    return DONE


@command.command(name="key", help="Make an API key; it is shown once.")
@click.argument("name")
@click.option("--revoke", is_flag=True, help="Take back all keys of the account instead.")
@click.pass_obj
def make_key(path: Path, name: str, *, revoke: bool) -> int:
    """One line on standard output: the key."""
    accounts = read_accounts(path)
    account = _find_account(accounts, name)
    if revoke:
        write_accounts(path, accounts.with_account(replace(account, keys=())))
        print_line(f"{name} has no keys now.")
        return DONE
    account, shown = add_key(account)
    write_accounts(path, accounts.with_account(account))
    print_text(shown)
    click.echo("Send it as `Authorization: Bearer KEY`. It is not shown again.", err=True)
    return DONE


@command.command(name="remove", help="Remove an account with its keys.")
@click.argument("name")
@click.pass_obj
def remove_account(path: Path, name: str) -> int:
    """Whoever used it is out at the next request."""
    accounts = read_accounts(path)
    _find_account(accounts, name)
    write_accounts(path, accounts.without_account(name))
    print_line(f"{name} is removed.")
    return DONE


@command.command(name="list", help="Names and roles.")
@click.pass_obj
def list_accounts(path: Path) -> int:
    """One account a line."""
    for account in read_accounts(path).by_name.values():
        has = [*(["password"] if account.password else []), *([f"{len(account.keys)} keys"] if account.keys else [])]
        print_line(f"{account.name:20} {account.role:10} {', '.join(has)}")
    return DONE


def _find_account(accounts: Accounts, name: str) -> Account:
    if name not in accounts.by_name:
        raise InputError(f"account {name}: there is none; referee accounts list shows them")
    return accounts.by_name[name]


def _ask_password(*, piped: bool) -> str:
    """As typed twice, or as piped in."""
    said = sys.stdin.readline().rstrip("\n") if piped else click.prompt("Password", hide_input=True, default="")
    if not said:
        raise InputError("password: it may not be empty")
    if not piped and click.prompt("The same again", hide_input=True, default="") != said:
        raise InputError("password: the two are not the same")
    return str(said)
