"""The options by which a board joins a hall, and what they come to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from engine.errors import InputError
from server.hall.board.publisher import Publisher
from server.hall.broker import Broker, broker_of, named
from server.live.feed import Feed
from server.options import gathered

LOGIN_VARIABLE = "CAMELOT_REFEREE_HALL_PASSWORD"
"""Where a password may stand instead of in the address, which others on this computer can read."""


@dataclass(frozen=True, slots=True)
class Hall:
    """The broker to publish to, and the name of this board there."""

    broker: Broker
    board: str


@contextmanager
def joined(hall: Hall | None, record: Path, feed: Feed, current: str) -> Iterator[None]:
    """Publish a record while this lasts, from the game `current` on; nothing without a hall."""
    if hall is None:
        yield
        return
    publisher = Publisher(hall.broker, hall.board, record, feed, current)
    publisher.start()
    try:
        yield
    finally:
        publisher.close()


def _hall(hall_url: str | None, board_name: str | None) -> Hall | None:
    if hall_url is None:
        return None
    broker = broker_of(hall_url, os.environ.get(LOGIN_VARIABLE))
    if board_name is None and broker.user is None:
        raise InputError("--hall: give the board a name too: --board-name table-7")
    return Hall(broker, named(board_name or broker.user or "", "--board-name"))


hall_options = gathered(
    "hall",
    _hall,
    click.option("--hall", "hall_url", metavar="URL", help="Publish the game to this broker: mqtt://host/prefix."),
    click.option("--board-name", help="Name of this board in the hall, like table-7."),
)
"""Give a command the argument `hall`, None without --hall."""
