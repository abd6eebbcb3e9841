"""Which events of a record the hall has stored, kept beside the record, and which are to be sent next.

There is no second queue: what is to be sent is read out of the record, where it is safe already. Confirmed is what a
hall has said it stored, by number and hash; that a broker took it proves nothing: it takes what nobody hears.
"""

from __future__ import annotations

import json
import logging
import queue
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt

from engine import outside
from engine.errors import InputError
from server.board.hall_link.presence import Presence
from server.mqtt import wire
from server.mqtt.wire import LARGEST_MESSAGE, EventLink
from server.record.store import Record

log = logging.getLogger(__name__)

SENT_AT_ONCE = 200
"""Links that are read and sent before the next confirmation of the broker is awaited."""
MOST_UNSTORED = 400
"""Events that are sent to a hall that is there before it has stored the first of them. More fill the broker's queue
when many boards come back at once, and what does not fit there is sent in vain; fewer let a fast line wait for the
hall."""
SEND_AGAIN_S, LONGEST_SEND_AGAIN_S = 4.0, 32.0
"""What a hall that is there has not stored after so long is sent again, then after twice as long: a hall that knows of
it has asked before. Shorter doubles what is only late in a rush, longer makes what no hall knows of last longer."""
SAVED_EVERY_S = 1.0
"""How often the numbers are written: what is lost of them is sent again."""


class Outbox:
    """Belongs to the publisher's thread; `handle_message` to that of the MQTT client. One for each connection."""

    def __init__(
        self,
        record: Record,
        file: Path,
        board: str,
        current: str,
        presence: Presence,
    ) -> None:
        """For a hall that nothing is known of it begins with the game `current`."""
        self._record, self._file, self._board, self._presence = record, file, board, presence
        known = _read_numbers(file)
        self._earlier = _games_before(current, record) if known is None else set(map(str, known["earlier"]))
        self._store = str(known["store"]) if known else ""
        self.stored: dict[str, int] = dict(known["stored"]) if known else {}
        """Game -> how many of its events the hall has stored."""
        self._sent = dict(self.stored)
        self._differs: dict[str, int] = {}
        """Games that the hall has otherwise -> the number of the newest event that it has."""
        self._unproved: set[str] = set()
        """Of these those of which the hall is to be shown the own event of that number: then it sees it too."""
        self._heard: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self._moved_s = self._saved_s = time.monotonic()
        self._again_s, self._is_saved = SEND_AGAIN_S, known is not None
        self.save_numbers(at_once=True)

    def handle_message(self, message: mqtt.MQTTMessage) -> None:
        """How far the hall has games."""
        try:
            self._heard.put(wire.read_body(wire.STORED, wire.HALL, bytes(message.payload)))
        except InputError as error:
            log.warning("not taken: %s", error)

    def next_batch(self) -> list[EventLink]:
        """The next events to send, in the order of each game; empty when nothing is to be sent just now."""
        is_progress, played = self._apply_received(), self._games_for_hall()
        self._presence.note_unconfirmed(self._count_unconfirmed(played), is_progress=is_progress)
        self._send_again(played)
        found = [link for game in sorted(self._unproved) for link in self._prove_event(game, played)]
        most = len(found) + min(SENT_AT_ONCE, self._free_capacity(played))
        for game, (events, _) in played.items():
            sent = self._sent.get(game, 0)
            if events < sent:  # the game was deleted, and another has its name
                self._sent[game] = sent = self.stored[game] = 0
            if events > sent and game not in self._differs:
                found += self._read_links(game, sent, most - len(found))
            if len(found) >= most:
                break
        return found

    def _count_unconfirmed(self, played: Mapping[str, tuple[int, str]]) -> int:
        """How many events no hall has confirmed, of games that it does not have otherwise."""
        return sum(
            max(0, events - self.stored.get(game, 0))
            for game, (events, _) in played.items()
            if game not in self._differs
        )

    def _prove_event(self, game: str, played: Mapping[str, tuple[int, str]]) -> Iterator[EventLink]:
        """The own event in the place of the newest that the hall has; none as long as this record goes less far."""
        at = self._differs.get(game, 0)
        if at and played.get(game, (0, ""))[0] >= at:
            self._unproved.discard(game)
            yield from self._read_links(game, at - 1, 1)

    def mark_sent(self, links: list[EventLink]) -> None:
        """The broker has these."""
        for link in links:
            self._sent[link.game] = max(link.sequence, self._sent.get(link.game, 0))

    def newest_games(self, count: int) -> dict[str, int]:
        """The games begun last -> how many events they have."""
        return {game: events for game, (events, _) in list(self._games_for_hall().items())[-count:]}

    def count_events(self) -> int:
        """The events of all games that a hall is told."""
        return sum(events for events, _ in self._games_for_hall().values())

    def has_conflict(self, game: str) -> bool:
        """Whether the hall has stored another record of a game than this one."""
        return game in self._differs

    def game_head(self, game: str) -> tuple[int, str]:
        """How many events a game has, and the hash of the last."""
        known = self._record.find_summary(game)
        return (known.events, known.head) if known else (0, "")

    def save_numbers(self, *, at_once: bool = False) -> None:
        """Write the numbers, if anything is new and the last time is long enough ago."""
        if self._is_saved or not (at_once or time.monotonic() - self._saved_s >= SAVED_EVERY_S):
            return
        beside = self._file.with_name(f"{self._file.name}.new")
        said = {"store": self._store, "earlier": sorted(self._earlier), "stored": self.stored}
        try:
            beside.write_text(json.dumps(said), encoding="utf-8")
            beside.replace(self._file)
        except OSError as error:
            log.warning("%s: %s: after a restart some events are sent again", self._file, error.strerror)
        self._is_saved, self._saved_s = True, time.monotonic()

    def _games_for_hall(self) -> dict[str, tuple[int, str]]:
        return {game: known for game, known in self._record.played_games().items() if game not in self._earlier}

    def _read_links(self, game: str, known: int, most: int) -> Iterator[EventLink]:
        for sequence, event, previous, head in self._record.read_links(game, known, most):
            yield EventLink(self._board, game, sequence, previous, head, event)

    def _free_capacity(self, played: Mapping[str, tuple[int, str]]) -> int:
        """How many more may be sent: any number where no hall is, for those who only listen."""
        if not self._presence.is_there:
            return SENT_AT_ONCE
        under_way = sum(
            max(0, self._sent.get(game, 0) - self.stored.get(game, 0)) for game in played if game not in self._differs
        )
        return max(0, MOST_UNSTORED - under_way)

    def _send_again(self, played: Mapping[str, tuple[int, str]]) -> None:
        """Begin again after what is stored, when a hall is there and has stored nothing more for long enough."""
        store = self._presence.store
        if store and store != self._store:
            if self._store:
                log.warning("the hall has another database than before: it is told everything")
            self._store, self.stored, self._sent, self._differs, self._unproved = store, {}, {}, {}, set()
            self._note_progress(SEND_AGAIN_S)
        elif not self._presence.is_there or all(
            self._sent.get(game, 0) <= self.stored.get(game, 0) or game in self._differs for game in played
        ):
            self._moved_s, self._again_s = time.monotonic(), SEND_AGAIN_S
        elif time.monotonic() - self._moved_s >= self._again_s:
            self._sent = dict(self.stored)
            self._moved_s, self._again_s = time.monotonic(), min(LONGEST_SEND_AGAIN_S, 2 * self._again_s)

    def _apply_received(self) -> bool:
        """Take what was heard; whether a hall has stored more than was known."""
        before = dict(self.stored)
        with suppress(queue.Empty):
            while True:
                self._apply_stored(self._heard.get_nowait())
        return any(events > before.get(game, 0) for game, events in self.stored.items())

    def _apply_stored(self, said: Mapping[str, Any]) -> None:
        """How far the hall has games; `whole` names all that it has, `again` asks for what follows."""
        if said["store"] != self._presence.store and self._presence.store:
            return  # of a hall that was here before
        if not self._earlier.isdisjoint(said["games"]):
            self._reopen_earlier(said["games"])
        if said["whole"]:
            self.stored = {}
            self._sent = {}
        for game, (events, head) in said["games"].items():
            if self._is_in_record(game, events, head):
                self._differs.pop(game, None)
                self._unproved.discard(game)
                self.stored[game] = events
                self._sent[game] = events if said["again"] else max(events, self._sent.get(game, 0))
                self._note_progress(SEND_AGAIN_S)
            elif self._differs.get(game) == events:
                self._unproved |= {game} if said["again"] else set()  # the hall answers each that it is shown
            else:
                self._unproved.add(game)
                self._differs[game] = events
                self._log_conflict(game, events)

    def _log_conflict(self, game: str, events: int) -> None:
        """Once for each game and database: a board that has a twin comes back to the hall every second."""
        if self._presence.conflicts_told.get(game) != self._presence.store:
            log.warning("the hall has another event %d of %s than this record: an arbiter is told", events, game)
        self._presence.conflicts_told[game] = self._presence.store

    def _is_in_record(self, game: str, events: int, head: str) -> bool:
        if not events:
            return True
        return any(own == head for _, _, _, own in self._record.read_links(game, events - 1, 1))

    def _reopen_earlier(self, games: Mapping[str, Any]) -> None:
        """Games that the hall has were told to it, with all that came after, whatever was forgotten here."""
        played = list(self._record.played_games())
        first = min((at for at, game in enumerate(played) if game in games), default=len(played))
        self._earlier -= set(played[first:])

    def _note_progress(self, again_s: float) -> None:
        self._moved_s, self._again_s, self._is_saved = time.monotonic(), again_s, False


def _games_before(current: str, record: Record) -> set[str]:
    """The games that were begun before `current`: a hall is not told what was played before there was one."""
    played = list(record.played_games())
    return set(played[: played.index(current)] if current in played else played)


def file_of(record: Path) -> Path:
    """Where the stored numbers of a record are kept."""
    return record.with_name(f"{record.name}.hall.json")


def encode_link(link: EventLink) -> bytes | None:
    """The payload of a link; None for one that is too large for the wire."""
    body = link.to_payload()
    return body if len(body) <= LARGEST_MESSAGE else None


def _read_numbers(file: Path) -> dict[str, Any] | None:
    """What was stored, None if nothing is known. What an older version wrote is of brokers: only which games it had
    told is taken from it, and those are asked for by the hall if it lacks any."""
    with suppress(OSError, ValueError):
        said = outside.json_value(file.read_bytes())
        if not isinstance(said, dict):
            return None
        if isinstance(said.get("confirmed"), dict):
            return None
        stored, earlier = said.get("stored"), said.get("earlier")
        if isinstance(stored, dict) and isinstance(earlier, list) and isinstance(said.get("store"), str):
            numbers = {name: number for name, number in stored.items() if isinstance(number, int)}
            return {"store": said["store"], "earlier": earlier, "stored": numbers}
    return None
