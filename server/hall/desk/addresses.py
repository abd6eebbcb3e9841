"""Where the pages of boards are: a hall that knows it shows their pictures, and tells them who plays."""

from __future__ import annotations

import http.client
from dataclasses import dataclass, field
from pathlib import Path

from engine import outside
from engine.errors import InputError
from server.inputs import read_text
from server.mqtt.broker import check_name

ASK_S = 5.0
"""How long a board may take to answer."""
LARGEST_ANSWER = 16 * 1024 * 1024
ASKED_AT_ONCE = 8
"""Boards that are asked at the same time."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a board's pages are, and the key of an account there that may read them."""

    url: str
    key: str | None = field(default=None, repr=False)


def read_addresses(path: Path) -> dict[str, Address]:
    """The boards of a TOML file: `[table-7]`, `url = "http://10.0.0.7:5000"`, `key = "..."`. InputError otherwise."""
    try:
        tables = outside.parse_toml(read_text(str(path)), f"boards {path}")
    except OSError as error:
        raise InputError(f"boards {path}: {error}") from error
    found = {}
    for name, table in tables.items():
        if not isinstance(table, dict) or set(table) - {"url", "key"} or not isinstance(table.get("url"), str):
            raise InputError(f"boards {path}: [{name}]: give url, and key if the board has accounts")
        url, key = str(table["url"]), table.get("key")
        parts = outside.parse_address(url, f"boards {path}: [{name}]: url")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InputError(f"boards {path}: [{name}]: url {url!r}: begins with http:// or https://")
        found[check_name(name, "board")] = Address(url.rstrip("/"), str(key) if key else None)
    return found


def fetch_from_board(where: Address, path: str) -> bytes:
    """What a board's pages have at `path`; OSError or InputError if it does not answer with that."""
    parts = outside.parse_address(where.url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    headers = {"Authorization": f"Bearer {where.key}"} if where.key else {}
    # Not by urllib, which would follow a board to any other address and take the key along.
    connection = kind(str(parts.hostname), parts.port, timeout=ASK_S)
    try:
        connection.request("GET", f"{parts.path}{path}", None, headers)
        answer = connection.getresponse()
        body = answer.read(LARGEST_ANSWER + 1)
    except http.client.HTTPException as error:
        raise InputError(f"{type(error).__name__} {error}") from error
    finally:
        connection.close()
    if answer.status != http.HTTPStatus.OK:
        raise InputError(f"it answers {answer.status} {answer.reason}")
    if len(body) > LARGEST_ANSWER:
        raise InputError("its answer is too large")
    return body
