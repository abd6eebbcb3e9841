"""The options by which a board joins a hall, and what they come to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from engine.errors import InputError
from engine.game import Game
from server.board.hall_link.commands import Commands, command_topic
from server.board.hall_link.entering import FIND_HALL, join_by_code
from server.board.hall_link.far import FarBoard
from server.board.hall_link.presence import Presence
from server.board.hall_link.publisher import Publisher
from server.masking import print_line
from server.mqtt.broker import Broker, broker_of, check_name
from server.mqtt.invitations import normalize_code
from server.options import gather_options
from server.record.store import DAMAGE, read_record
from server.settings import default_path as settings_path
from server.web.feed import Feed

LOGIN_VARIABLE = "CAMELOT_REFEREE_HALL_PASSWORD"
"""Where a password may stand instead of in the address, which others on this computer can read."""


@dataclass(frozen=True, slots=True)
class HallOptions:
    """The broker to publish to, and the name of this board there."""

    broker: Broker
    board: str
    far: Mapping[str, str] = field(default_factory=dict)
    """Sides that are played at another board -> its name."""


@contextmanager
def join_hall(
    hall: HallOptions | None, record: Path, feed: Feed, current: str, put: Callable[[Any], object]
) -> Iterator[None]:
    """Publish a record while this lasts, from the game `current` on; nothing without a hall.

    What the hall wants the board to do goes to `put`.
    """
    if hall is None:
        yield
        return
    prefix, presence = hall.broker.prefix, Presence(hall.broker.prefix)
    commands = Commands(prefix, hall.board, feed, put, presence.hall_time, partial(_has_game, record))
    far = FarBoard(prefix, hall.board, next(iter(hall.far.values())), hall.far, feed, put) if hall.far else None
    ears: dict[str, Callable[[Any], object]] = {command_topic(prefix, hall.board): commands.handle_message}
    ears |= {far.topic: far.handle_message} if far else {}
    with read_record(record) as known:
        commands.load_rulings(known)
        if far is not None:
            far.load_pairings(known)
    beside = far.exchange_moves if far else None
    publisher = Publisher(
        hall.broker, hall.board, record, feed, current, ears, beside, commands.drain_answers, presence
    )
    publisher.start()
    try:
        yield
    finally:
        publisher.stop_publishing()


def _has_game(record: Path, game: str) -> bool:
    """Whether a record has a game of that name; also where it cannot be read just now: what is written waits for it."""
    try:
        with read_record(record) as known:
            return known.find_summary(game) is not None
    except (OSError, InputError, *DAMAGE):
        return True


def find_remote_seats(hall: HallOptions | None, game: Game) -> frozenset[int]:
    """The seats that are played at another board. InputError for a side that is none, or if all are."""
    far = hall.far if hall else {}
    if strange := set(far) - set(game.seats):
        raise InputError(f"--far {sorted(strange)[0][:40]!r}: no side of this game, which has {', '.join(game.seats)}")
    if len(far) == len(game.seats):
        raise InputError("--far: at least one side is played at this board")
    return frozenset(game.seats.index(side) for side in far)


def _parse_far_sides(said: Sequence[str]) -> dict[str, str]:
    """Side -> board, for each SIDE=BOARD."""
    pairs = {side: check_name(board, "--far") for side, _, board in (text.partition("=") for text in said)}
    if len(set(pairs.values())) > 1:
        raise InputError("--far: one other board; sides at a third one cannot be followed")
    return pairs


def _build_hall_options(hall_url: str | None, board_name: str | None, far: Sequence[str]) -> HallOptions | None:
    if hall_url is None:
        if far:
            raise InputError("--far: the other board is reached by the hall's broker: give --hall too")
        return None
    if hall_url == FIND_HALL or normalize_code(hall_url):
        hall_url = join_by_code(hall_url, board_name, settings_path(os.environ), _ask_hall_code)
        board_name = None  # the account's is the one that the hall has given
        is_known = False
    else:
        is_known = click.get_current_context().get_parameter_source("hall_url") is ParameterSource.COMMANDLINE
    broker = broker_of(hall_url, os.environ.get(LOGIN_VARIABLE))
    if board_name is None and broker.user is None:
        raise InputError("--hall: give the board a name too: --board-name table-7")
    own, others = check_name(board_name or broker.user or "", "--board-name"), _parse_far_sides(far)
    if own in others.values():
        raise InputError(f"--far: {own} is this board: name the other one")
    if not is_known:  # whoever named a broker knows which one it is
        print_line(f"This board publishes to the hall at {broker.host} as {own}.")
    return HallOptions(broker, own, others)


def _ask_hall_code() -> str:
    """The code, as somebody types it. InputError where nobody can be asked."""
    try:
        return str(click.prompt("Code of the hall (its page says it, under Add a board)"))
    except click.Abort:
        raise InputError("--hall auto: nobody typed a code; write --hall CODE") from None


hall_options = gather_options(
    "hall",
    _build_hall_options,
    click.option(
        "--hall",
        "hall_url",
        metavar="URL",
        help="Publish the game to a hall: auto, the hall's code, or a broker, mqtt://host/prefix.",
    ),
    click.option("--board-name", help="Name of this board in the hall, like table-7."),
    click.option(
        "--far", "far", multiple=True, metavar="SIDE=BOARD", help="This side is played at another board of the hall."
    ),
)
"""Give a command the argument `hall`, None without --hall."""
