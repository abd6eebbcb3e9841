"""Options that say who plays and where, for the commands that begin a game."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from engine.errors import InputError
from server.record.details import FIELDS, Details, read

OPTIONS = (
    click.option("--player", "players", multiple=True, metavar="SIDE=NAME", help="Who plays a side: white=Anna."),
    click.option("--rating", "ratings", multiple=True, metavar="SIDE=NUMBER", help="Rating of a side: white=1720."),
    click.option("--event", "event_name", help="Name of the event, kept with the game."),
    click.option("--round", "round_name", help="Round of the event."),
    click.option("--place", "place_name", help="Where it is played."),
    click.option("--arbiter", "arbiter_name", help="Name of the arbiter."),
)


def options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a click command these options, and its function one argument `naming` for them."""

    @functools.wraps(command)
    def with_naming(*, players: Sequence[str], ratings: Sequence[str], **others: Any) -> int:
        said: dict[str, object] = {field: others.pop(f"{field}_name") or "" for field in FIELDS}
        said["players"] = _pairs(players, "--player", "SIDE=NAME, like white=Anna")
        said["ratings"] = _pairs(ratings, "--rating", "SIDE=NUMBER, like white=1720")
        return command(naming=said, **others)

    for option in reversed(OPTIONS):
        with_naming = option(with_naming)
    return with_naming


def _pairs(said: Sequence[str], option: str, form: str) -> dict[str, str]:
    """What stands on either side of the signs. InputError for a text without one."""
    found: dict[str, str] = {}
    for text in said:
        side, sign, value = text.partition("=")
        if not sign:
            raise InputError(f"{option} {text}: write {form}")
        found[side.strip()] = value.strip()
    return found


def naming_of(said: Mapping[str, object], seats: Sequence[str]) -> Details | None:
    """What was said on the command line for a game of `seats`; None for nothing. InputError for a side it has not."""
    details = read(said, seats)
    return details if details != Details() else None
