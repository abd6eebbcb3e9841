"""A broker for a hall, ready to start: accounts, who may do what, and the commands by which boards join."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from engine.errors import InputError
from server.mqtt import wire
from server.mqtt.broker import Broker

HALL_ACCOUNT, HOME_ACCOUNT = wire.HALL, "home"
"""Who stores, and Home Assistant or any other that looks on; every other account is a board of that name."""
HEARD_BY_HOME = (wire.STATE, wire.HEALTH, wire.AVAILABLE)
COMPONENTS = ("sensor", "binary_sensor", "button")
PASSWORD_BYTES = 18
SAYS_USER = re.compile(r"(?m)^user ")

CONFIG = """\
# Made by `referee hall init`. Start the broker with: mosquitto -c {folder}/mosquitto.conf
per_listener_settings false
listener {port} {host}
{encryption}
allow_anonymous false
password_file {folder}/passwords
acl_file {folder}/acl
# An account cannot end another's connection by taking its name.
use_username_as_clientid true
max_inflight_messages 1000
max_queued_messages 20000
# So much waits for who does not take it, however large the messages are.
max_queued_bytes 33554432
message_size_limit {largest}
{persistence}
"""
PERSISTENCE = "persistence true\npersistence_location {folder}/\n"


def render_access_list(
    prefix: str,
    boards: Sequence[str],
    together: Sequence[tuple[str, str]] = (),
    halls: Sequence[str] = (HALL_ACCOUNT,),
) -> str:
    """Mosquitto's access list: a board writes its own topics and nothing else; halls read all, and command."""
    others: dict[str, list[str]] = {}
    for one, other in together:
        others.setdefault(one, []).append(other)
        others.setdefault(other, []).append(one)
    return "\n".join(_access_lines(prefix, boards, others, halls)) + "\n"


def _access_lines(
    prefix: str, boards: Sequence[str], together: Mapping[str, Sequence[str]], halls: Sequence[str]
) -> Iterator[str]:
    for hall in halls:
        yield f"user {hall}"
        yield from (f"topic read {wire.build_topic(prefix, '+', kind)}" for kind in wire.SCHEMA_OF)
        yield f"topic write {wire.build_topic(prefix, '+', wire.COMMANDS)}/{wire.ROLE_ARBITER}"
        yield f"topic readwrite {wire.build_topic(prefix, '+', wire.STORED)}"
        yield f"topic write {wire.build_topic(prefix, wire.HALL, wire.PULSE)}"
        yield ""
    yield f"user {HOME_ACCOUNT}"
    yield from (f"topic read {wire.build_topic(prefix, '+', kind)}" for kind in HEARD_BY_HOME)
    yield from (f"topic read homeassistant/{component}/+/+/config" for component in COMPONENTS)
    yield "topic readwrite homeassistant/status"
    yield f"topic write {wire.build_topic(prefix, '+', wire.COMMANDS)}/{wire.ROLE_PLAYER}"
    for board in boards:
        yield f"\nuser {board}"
        yield from (f"topic write {wire.build_topic(prefix, board, kind)}" for kind in wire.SCHEMA_OF)
        yield from (f"topic write homeassistant/{part}/{prefix}-{board}/+/config" for part in COMPONENTS)
        yield f"topic read {wire.build_topic(prefix, board, wire.COMMANDS)}/+"
        yield f"topic read {wire.build_topic(prefix, board, wire.STORED)}"
        yield f"topic read {wire.build_topic(prefix, wire.HALL, wire.PULSE)}"
        for other in together.get(board, ()):
            yield f"topic write {wire.build_topic(prefix, board, wire.FAR_MOVES)}"
            yield f"topic read {wire.build_topic(prefix, other, wire.FAR_MOVES)}"
        yield "topic read homeassistant/status"


def hash_board_password(folder: Path, name: str, password: str) -> str:
    """The line of Mosquitto's file of passwords for an account; InputError if its tool cannot make it.

    Not by its arguments: anybody on this computer can read those.
    """
    beside = folder / "passwords.one"
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(f"{name}:{password}\n")
        subprocess.run([_find_hash_tool(), "-U", beside], check=True, capture_output=True)  # noqa: S603  # our own paths
        return beside.read_text(encoding="utf-8").strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise InputError(f"hall: {folder}: {error}") from error
    finally:
        beside.unlink(missing_ok=True)


def _find_hash_tool() -> str:
    """Mosquitto's tool for passwords. InputError when it is missing."""
    program = shutil.which("mosquitto_passwd")
    if program is None:
        raise InputError("hall: mosquitto_passwd is missing: install Mosquitto (Debian: apt install mosquitto)")
    return program


def new_folder(folder: Path) -> None:
    """Make a folder for what is secret; InputError when there is something in it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise InputError(f"hall init: {folder} is not empty: name a new folder")
    except OSError as error:
        raise build_unwritable_error(folder, error) from error


def prepare_broker(
    folder: Path,
    broker: Broker,
    boards: Sequence[str],
    certificate: tuple[Path, Path] | None = None,
    together: Sequence[tuple[str, str]] = (),
    halls: Sequence[str] = (HALL_ACCOUNT,),
) -> dict[str, str]:
    """Write the broker's files into a folder; each account's password. With a certificate and its key it encrypts.

    `together` are pairs of boards that play as one, `halls` the accounts of halls. InputError
    when Mosquitto's own tool for passwords is missing.
    """
    hashing = _find_hash_tool()
    try:
        accounts = {name: secrets.token_urlsafe(PASSWORD_BYTES) for name in (*halls, HOME_ACCOUNT, *boards)}
        (folder / "acl").write_text(render_access_list(broker.prefix, boards, together, halls), encoding="utf-8")
        passwords = folder / "passwords"
        passwords.touch(0o600)
        passwords.write_text("".join(f"{name}:{word}\n" for name, word in accounts.items()), encoding="utf-8")
        subprocess.run([hashing, "-U", passwords], check=True, capture_output=True)  # noqa: S603  # our own paths
        where = folder.resolve()
        encryption = "# No TLS: passwords travel for all to read."
        if certificate:
            encryption = f"certfile {certificate[0]}\nkeyfile {certificate[1]}"
        said = CONFIG.format(
            folder=where,
            port=broker.port,
            host=broker.host,
            largest=2 * wire.LARGEST_MESSAGE,
            persistence=PERSISTENCE.format(folder=where).strip(),
            encryption=encryption,
        )
        (folder / "mosquitto.conf").write_text(stay_root(said), encoding="utf-8")
    except OSError as error:
        raise build_unwritable_error(folder, error) from error
    except subprocess.CalledProcessError as error:
        raise InputError(f"hall: {folder}: {error}") from error
    return accounts


def stay_root(config: str) -> str:
    """The same where root starts the broker: it would become another user, who may not read what is secret here."""
    return f"user root\n{config}" if os.getuid() == 0 and not SAYS_USER.search(config) else config


def build_unwritable_error(path: Path, error: OSError) -> InputError:
    """What is said where a hall's folder, or a file in it, does not take what is to be written."""
    is_read_only = error.errno == errno.EROFS
    todo = (
        "make its disk writable, or have the folder on another" if is_read_only else "it must be writable, with space"
    )
    return InputError(f"hall: {path}: {error.strerror}: {todo}")
