"""A board joins a hall: its code is tried at the broker, and kept in the settings, so that `referee serve` uses it.

`--hall auto` finds the hall in the network and asks for the code that the hall's page shows; a board that has joined is
asked nothing any more.
"""

from __future__ import annotations

import os
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt

from engine.errors import InputError
from engine.outside import parse_toml
from server.disk import replace_durably
from server.mqtt.broker import KEEPALIVE_S, Broker, broker_of
from server.mqtt.certificates import why_not_accepted
from server.mqtt.invitations import place_of, redeem_code
from server.mqtt.nearby import PagesAddress, find_halls

FIND_HALL = "auto"
"""In the place of a broker's address: find the hall, and ask for its code."""
PAGES_PORT = 5000
"""Where a hall has its pages if nobody says otherwise."""
KEY = re.compile(r"(?m)^hall *=.*$")
SERVE_TABLE = re.compile(r"(?m)^\[serve\] *$")


def join_by_code(said: str, name: str | None, settings: Path, ask: Callable[[], str]) -> str:
    """The address by which a board publishes, for `--hall auto` or `--hall CODE`; kept in the settings.

    `ask` has somebody type the code. InputError says why it cannot be done.
    """
    if said == FIND_HALL:
        if known := read_hall_address(settings):
            return known
        said = ask()
    address = redeem_code(said, name, _find_places(said))
    try_broker(broker_of(address))
    save_hall_address(settings, address)
    return address


def _find_places(code: str) -> Iterator[PagesAddress]:
    """Where halls are: at the address that stands with the code, or found in the network."""
    at = code.partition("@")[2].strip()
    if at:
        yield place_of(at, PAGES_PORT)
        return
    try:
        yield from find_halls()
    except OSError as error:
        raise InputError(f"--hall: cannot look for halls in this network: {error}: write CODE@ADDRESS") from error


def read_hall_address(settings: Path) -> str:
    """The address by which this board has joined a hall; empty if it has not."""
    try:
        said = _hall_in(settings.read_text(encoding="utf-8"), settings)
    except (OSError, InputError):
        return ""
    return str(said) if str(said).startswith(("mqtt://", "mqtts://")) else ""


def try_broker(broker: Broker) -> None:
    """Log in once. InputError says why it cannot be done."""
    answered, said = threading.Event(), list[Any]()
    try:
        client = broker.create_client(f"{broker.prefix}-joining")

        def on_connect(_client: mqtt.Client, _data: object, _flags: Any, reason: Any, _properties: Any) -> None:
            said.append(reason)
            answered.set()

        client.on_connect = on_connect
        client.connect(broker.host, broker.port, KEEPALIVE_S)
        client.loop_start()
    except ssl.SSLCertVerificationError as error:
        raise InputError(f"broker {broker}: {why_not_accepted((broker.host, broker.port), error)}") from error
    except OSError as error:
        raise InputError(f"broker {broker}: {error}: is it running, and is this the same network?") from error
    answered.wait(KEEPALIVE_S)
    client.disconnect()
    client.loop_stop()
    if not said:
        raise InputError(f"broker {broker}: it does not answer")
    if said[0].is_failure:
        raise InputError(f"broker {broker}: {said[0]}: is the code that of this hall, and the newest?")


def save_hall_address(settings: Path, code: str) -> None:
    """Write the code into the settings, as `hall` of [serve], and leave all else there as it is."""
    try:
        before = settings.read_text(encoding="utf-8") if settings.exists() else ""
        line = f'hall = "{code}"'
        head, table, tail = (*SERVE_TABLE.split(before, maxsplit=1), "")[0], SERVE_TABLE.search(before), ""
        if table is not None:
            tail = before[table.end() :]
            mine, found, others = tail.partition("\n[")
            mine = KEY.sub(lambda _: line, mine, 1) if KEY.search(mine) else f"\n{line}{mine}"
            after = f"{head}[serve]{mine}{found}{others}"
        else:
            after = f"{before.rstrip()}\n\n[serve]\n{line}\n".lstrip()
        if _hall_in(after, settings) != code:
            raise InputError(f'settings {settings}: write there yourself, under [serve]: hall = "CODE"')
        settings.parent.mkdir(parents=True, exist_ok=True)
        beside = settings.with_name(f"{settings.name}.new")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        replace_durably(beside, settings)
    except OSError as error:
        raise InputError(f"settings {settings}: {error}") from error


def _hall_in(text: str, settings: Path) -> object:
    """What the text of the settings names as `hall` of [serve], None for nothing. InputError where it is no TOML."""
    serve = parse_toml(text, f"settings {settings}").get("serve")
    return serve.get("hall") if isinstance(serve, dict) else None
