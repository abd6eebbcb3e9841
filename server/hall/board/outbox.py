"""Which events of a record the broker has confirmed, kept beside the record, and which come next.

There is no second queue: what is to be sent is read out of the record, where it is safe already. The file says only how
far each game was confirmed; when it is lost the events are sent again, and the hall knows them.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine import outside
from server.hall.wire import LARGEST_MESSAGE, Link
from server.record.store import Record

log = logging.getLogger(__name__)

SENT_AT_ONCE = 200
"""Links that are read and sent before the next confirmation is awaited."""


class Outbox:
    """Belongs to the publisher's thread."""

    def __init__(self, record: Record, file: Path, hall: str, board: str, current: str) -> None:
        """`hall` and `board` say to whom was confirmed; for another hall it begins with the game `current`."""
        self._record, self._file, self._board = record, file, board
        self._to = f"{hall} {board}"
        known = _read(file, self._to)
        self.confirmed = _before(current, record) if known is None else known
        if known is None:
            self._save()

    def batch(self) -> list[Link]:
        """The next events to send, in the order of each game; empty when everything is confirmed."""
        found: list[Link] = []
        for game, (events, _) in self._record.played().items():
            known = self.confirmed.get(game, 0)
            if events < known:  # the game was deleted, and another has its name
                self.confirmed[game] = known = 0
            if events > known:
                found += self._after(game, known, SENT_AT_ONCE - len(found))
            if len(found) >= SENT_AT_ONCE:
                break
        return found

    def _after(self, game: str, known: int, most: int) -> Iterator[Link]:
        for sequence, event, previous, head in self._record.links(game, known, most):
            yield Link(self._board, game, sequence, previous, head, event)

    def confirm(self, links: list[Link]) -> None:
        """The broker has these."""
        for link in links:
            self.confirmed[link.game] = max(link.sequence, self.confirmed.get(link.game, 0))
        self._save()

    def newest(self, count: int) -> dict[str, int]:
        """The games begun last -> how many of their events were confirmed."""
        return {game: self.confirmed.get(game, 0) for game in list(self._record.played())[-count:]}

    def _save(self) -> None:
        beside = self._file.with_name(f"{self._file.name}.new")
        try:
            beside.write_text(json.dumps({"to": self._to, "confirmed": self.confirmed}), encoding="utf-8")
            beside.replace(self._file)
        except OSError as error:
            log.warning("%s: %s: after a restart some events are sent again", self._file, error.strerror)


def _before(current: str, record: Record) -> dict[str, int]:
    """The games that were begun before `current`: a hall is not told what was played before there was one."""
    earlier = {}
    for game, (events, _) in record.played().items():
        if game == current:
            break
        earlier[game] = events
    return earlier


def file_of(record: Path) -> Path:
    """Where the confirmed numbers of a record are kept."""
    return record.with_name(f"{record.name}.hall.json")


def sendable(link: Link) -> bytes | None:
    """The payload of a link; None for one that is too large for the wire, which the hall asks for over HTTP."""
    body = link.payload()
    return body if len(body) <= LARGEST_MESSAGE else None


def _read(file: Path, to: str) -> dict[str, int] | None:
    """What was confirmed by the same hall, None if nothing is known."""
    with suppress(OSError, ValueError):
        said = outside.json_value(file.read_bytes())
        if isinstance(said, dict) and said.get("to") == to and isinstance(known := said.get("confirmed"), dict):
            return {name: number for name, number in known.items() if isinstance(number, int)}
    return None
