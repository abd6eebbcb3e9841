"""The options by which a board joins a hall, and what they come to."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from engine.errors import InputError
from server.hall.board.commands import Commands, heard_by
from server.hall.board.publisher import Publisher
from server.hall.broker import Broker, broker_of, named
from server.live.feed import Feed
from server.record.store import read_record

LOGIN_VARIABLE = "CAMELOT_REFEREE_HALL_PASSWORD"
"""Where a password may stand instead of in the address, which others on this computer can read."""


@dataclass(frozen=True, slots=True)
class Hall:
    """The broker to publish to, and the name of this board there."""

    broker: Broker
    board: str


@contextmanager
def joined(hall: Hall | None, record: Path, feed: Feed, current: str, put: Callable[[Any], object]) -> Iterator[None]:
    """Publish a record while this lasts, from the game `current` on; nothing without a hall.

    What the hall wants the board to do goes to `put`.
    """
    if hall is None:
        yield
        return
    prefix, commands = hall.broker.prefix, Commands(hall.broker.prefix, hall.board, feed, put)
    with read_record(record) as known:
        commands.know(known)
    publisher = Publisher(hall.broker, hall.board, record, feed, current, {heard_by(prefix, hall.board): commands.hear})
    publisher.start()
    try:
        yield
    finally:
        publisher.close()


def options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a click command these options, and its function one argument `hall` for them, None without --hall."""

    @click.option("--hall", "hall_url", metavar="URL", help="Publish the game to this broker: mqtt://host/prefix.")
    @click.option("--board-name", help="Name of this board in the hall, like table-7.")
    @functools.wraps(command)
    def with_hall(*, hall_url: str | None, board_name: str | None, **others: Any) -> int:
        return command(hall=_hall(hall_url, board_name), **others)

    return with_hall


def _hall(url: str | None, board: str | None) -> Hall | None:
    if url is None:
        return None
    broker = broker_of(url, os.environ.get(LOGIN_VARIABLE))
    if board is None and broker.user is None:
        raise InputError("--hall: give the board a name too: --board-name table-7")
    return Hall(broker, named(board or broker.user or "", "--board-name"))
