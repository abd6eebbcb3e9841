"""What the broker lost is asked for from the board itself, over HTTP: the broker is a wire, not the truth."""

from __future__ import annotations

import http.client
import logging
import threading
import time
import tomllib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit

from engine import outside
from engine.errors import InputError
from server.hall.broker import named
from server.hall.desk.standing import Boards
from server.hall.wire import Link, read_link

log = logging.getLogger(__name__)

STILL_COMING_S = 0.5
"""What is missing for less may still be on its way."""
ASK_S = 5.0
"""How long a board may take to answer."""
AFTER_FAULT_S = 1.0
"""A board that did not answer is asked again after this: it was being started. Boards that are not connected come last,
so that those which are gone keep nobody waiting."""
LARGEST_ANSWER = 16 * 1024 * 1024
ASKED_AT_ONCE = 8
"""Boards that are asked at the same time."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a board's pages are, and the key of an account there that may read them."""

    url: str
    key: str | None = field(default=None, repr=False)


def addresses(path: Path) -> dict[str, Address]:
    """The boards of a TOML file: `[table-7]`, `url = "http://10.0.0.7:5000"`, `key = "..."`. InputError otherwise."""
    try:
        tables = outside.parse_toml(path.read_text(encoding="utf-8"), f"boards {path}")
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"boards {path}: {error}") from error
    found = {}
    for name, table in tables.items():
        if not isinstance(table, dict) or set(table) - {"url", "key"} or not isinstance(table.get("url"), str):
            raise InputError(f"boards {path}: [{name}]: give url, and key if the board has accounts")
        url, key = str(table["url"]), table.get("key")
        if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
            raise InputError(f"boards {path}: [{name}]: url {url!r}: begins with http:// or https://")
        found[named(name, "board")] = Address(url.rstrip("/"), str(key) if key else None)
    return found


class Gaps(threading.Thread):
    """Looks for what is missing, and hands what the boards answer to `take`."""

    def __init__(self, boards: Boards, where: Mapping[str, Address], take: Callable[[list[Link]], object]) -> None:
        super().__init__(name="gaps", daemon=True)
        self._boards, self._where, self._take = boards, where, take
        self._end = threading.Event()
        self._since: dict[tuple[str, str], tuple[int, float]] = {}
        self._not_before: dict[str, float] = {}
        self.asked = 0

    def close(self) -> None:
        """Ask no more."""
        self._end.set()
        self.join(ASK_S)

    def run(self) -> None:
        """The thread."""
        asking: dict[str, Future[None]] = {}
        with ThreadPoolExecutor(ASKED_AT_ONCE, "asking") as pool:
            while not self._end.wait(STILL_COMING_S / 2):
                try:
                    asking = {board: asked for board, asked in asking.items() if not asked.done()}
                    for board, games in self._due().items():
                        if len(asking) < ASKED_AT_ONCE and board not in asking:
                            asking[board] = pool.submit(self._ask, board, games)
                except Exception:
                    log.exception("what is missing cannot be found just now")

    def _due(self) -> dict[str, list[tuple[str, int]]]:
        """Boards -> game and first number of what is missing for long enough; boards that are connected come first."""
        now, missing = time.monotonic(), self._boards.missing()
        self._since = {
            key: self._since[key] if self._since.get(key, (0, 0.0))[0] == first else (first, now)
            for key, first in missing.items()
        }
        due: dict[str, list[tuple[str, int]]] = {}
        for (board, game), (first, since) in self._since.items():
            if board in self._where and now - since >= STILL_COMING_S and now >= self._not_before.get(board, 0.0):
                due.setdefault(board, []).append((game, first))
        return dict(sorted(due.items(), key=lambda row: not self._is_connected(row[0])))

    def _is_connected(self, name: str) -> bool:
        board = self._boards.one(name)
        return board is not None and board.online

    def _ask(self, board: str, games: list[tuple[str, int]]) -> None:
        """Everything of games from a number on; a board that does not answer is asked again later."""
        for game, first in games:
            self.asked += 1
            after = first - 1
            try:
                while links := answered(self._where[board], board, game, after):
                    self._take(links)
                    after = links[-1].sequence
            except (OSError, ValueError) as error:
                log.warning("board %s is asked for events of %s in vain: %s", board, game, str(error)[:300])
                self._not_before[board] = time.monotonic() + AFTER_FAULT_S
                return
            except Exception:
                log.exception("board %s cannot be asked for events of %s", board, game)
                return


def answered(where: Address, board: str, game: str, after: int) -> list[Link]:
    """What a board answers for a game after a number; OSError or InputError if that is nothing usable."""
    said = outside.json_value(fetched(where, f"/api/v1/games/{quote(game, safe='')}/links?after={after}"))
    if not isinstance(said, dict) or not isinstance(rows := said.get("links"), list):
        raise InputError("its answer has no links")
    links = [read_link(board, {"board": board} | row) if isinstance(row, dict) else None for row in rows]
    found = [link for link in links if link is not None and link.game == game]
    if [link.sequence for link in found] != list(range(after + 1, after + 1 + len(rows))):
        raise InputError("its answer has other events than those that were asked for")
    return found


def fetched(where: Address, path: str) -> bytes:
    """What a board's pages have at `path`; OSError or InputError if it does not answer with that."""
    parts = urlsplit(where.url)
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
