"""Options that say who plays and where, for the commands that begin a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from engine.errors import InputError
from server.options import gather_options
from server.record.details import Details, parse_details


def _collect_naming(
    players: Sequence[str],
    ratings: Sequence[str],
    event: str | None,
    round_name: str | None,
    place: str | None,
    arbiter: str | None,
) -> dict[str, object]:
    said = {"event": event, "round": round_name, "place": place, "arbiter": arbiter}
    known: dict[str, object] = {field: text or "" for field, text in said.items()}
    return known | {
        "players": _split_pairs(players, "--player", "SIDE=NAME, like white=Anna"),
        "ratings": _split_pairs(ratings, "--rating", "SIDE=NUMBER, like white=1720"),
    }


def _split_pairs(said: Sequence[str], option: str, form: str) -> dict[str, str]:
    """What stands on either side of the signs. InputError for a text without one."""
    found: dict[str, str] = {}
    for text in said:
        side, sign, value = text.partition("=")
        if not sign:
            raise InputError(f"{option} {text}: write {form}")
        found[side.strip()] = value.strip()
    return found


naming_options = gather_options(
    "naming",
    _collect_naming,
    click.option("--player", "players", multiple=True, metavar="SIDE=NAME", help="Who plays a side: white=Anna."),
    click.option("--rating", "ratings", multiple=True, metavar="SIDE=NUMBER", help="Rating of a side: white=1720."),
    click.option("--event", help="Name of the event, kept with the game."),
    click.option("--round", "round_name", help="Round of the event."),
    click.option("--place", help="Where it is played."),
    click.option("--arbiter", help="Name of the arbiter."),
)
"""Give a command the argument `naming`."""


def naming_of(said: Mapping[str, object], seats: Sequence[str]) -> Details | None:
    """What was said on the command line for a game of `seats`; None for nothing. InputError for a side it has not."""
    details = parse_details(said, seats)
    return details if details != Details() else None
