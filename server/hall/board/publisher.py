"""The thread that publishes: events out of the record, then the state, then the health, to one broker.

The main loop knows nothing of it: the feed's bell wakes this thread, and all it says is read from the record and from
the newest snapshot. A connection that ends takes nothing along, because what was not confirmed is still in the record.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt

from server.hall import wire
from server.hall.board import homeassistant, reports
from server.hall.board.outbox import Outbox, file_of, sendable
from server.hall.broker import KEEPALIVE_S, Broker
from server.hall.wire import Link
from server.live.feed import Feed
from server.record.store import DAMAGE, read_record

log = logging.getLogger(__name__)

Said = Mapping[str, object]

RECORD_EVERY_S = 1.0
"""The record is looked at so often also when no bell rings: notes beside the game ring none."""
STATE_EVERY_S = 0.2
"""The state is sent at most so often; events are sent at once."""
HEALTH_EVERY_S = 10.0
CONFIRM_S = 5.0
"""A broker that confirms nothing for so long is taken for dead."""
SHORTEST_RETRY_S, LONGEST_RETRY_S = 0.2, 2.0
"""Between attempts to connect; a broker that comes back is found within the longer one."""


class Publisher(threading.Thread):
    """Publishes one record as the board of that name until it is closed."""

    def __init__(self, broker: Broker, board: str, record: Path, feed: Feed, current: str) -> None:
        super().__init__(name="hall", daemon=True)
        self._broker, self._board, self._record, self._feed, self._current = broker, board, record, feed, current
        self._wake, self._closed = threading.Event(), False
        feed.on_news(self._wake.set)

    def close(self) -> None:
        """Say what is known, say goodbye, and end."""
        self._closed = True
        self._wake.set()
        self.join(CONFIRM_S)

    def run(self) -> None:
        """The thread."""
        wait_s, told = SHORTEST_RETRY_S, False
        while not self._closed:
            try:
                with self._connected() as line, read_record(self._record) as record:
                    log.info("hall %s: connected as %s", self._broker, self._board)
                    told, wait_s = False, SHORTEST_RETRY_S
                    self._publish(
                        line, Outbox(record, file_of(self._record), str(self._broker), self._board, self._current)
                    )
            except (OSError, ValueError, *DAMAGE) as error:  # InputError is a ValueError
                if not told:
                    log.warning(
                        "hall %s: %s; tried again, the game goes on", self._broker, error or type(error).__name__
                    )
                told = True
            except Exception:
                log.exception("hall %s: publishing failed; tried again, the game goes on", self._broker)
            if not self._closed:
                time.sleep(wait_s * random.uniform(0.5, 1.0))
                wait_s = min(LONGEST_RETRY_S, 2 * wait_s)

    @contextmanager
    def _connected(self) -> Iterator[Line]:
        line = Line(self._broker, self._board, self._wake)
        try:
            line.open()
            yield line
        finally:
            line.close(polite=self._closed)

    def _publish(self, line: Line, outbox: Outbox) -> None:
        """Until the line breaks (OSError) or this is closed."""
        state: Said = {}
        health: Said = {}
        state_s, health_s = -STATE_EVERY_S, -HEALTH_EVERY_S
        while True:
            closing = self._closed
            self._wake.clear()
            while batch := outbox.batch():
                line.send_all(batch)
                outbox.confirm(batch)
            if line.greeted:
                line.greeted = False
                for where, body in homeassistant.discovery(self._broker.prefix, self._board, self._feed.snapshot or {}):
                    line.send(where, body, retain=True)
            wait_s, now = RECORD_EVERY_S, time.monotonic()
            if (snapshot := self._feed.snapshot) is not None and "name" in snapshot:
                if now - state_s >= STATE_EVERY_S or closing:
                    new = reports.state(self._board, snapshot, outbox.confirmed.get(str(snapshot["name"]), 0))
                    if reports.still(new) != reports.still(state) or now - state_s >= HEALTH_EVERY_S:
                        self._report(line, wire.STATE, new)
                        state, state_s = new, now
                else:
                    wait_s = STATE_EVERY_S
                if now - health_s >= HEALTH_EVERY_S:
                    new = reports.health(self._board, snapshot, outbox.newest(reports.NEWEST_GAMES))
                    if new != health:
                        self._report(line, wire.HEALTH, new)
                    health, health_s = new, now
            line.check()
            if closing:
                return
            self._wake.wait(wait_s)

    def _report(self, line: Line, kind: str, said: Said) -> None:
        line.send(wire.topic(self._broker.prefix, self._board, kind), wire.payload(kind, said), retain=True)


class Line:
    """One connection to the broker; broken once, it is thrown away. OSError wherever it is found broken."""

    def __init__(self, broker: Broker, board: str, wake: threading.Event) -> None:
        self._broker, self._board, self._wake = broker, board, wake
        self._client = broker.client(f"{broker.prefix}-{board}")
        self._available = wire.topic(broker.prefix, board, wire.AVAILABLE)
        self._client.will_set(self._available, wire.OFFLINE, qos=1, retain=True)
        self._client.on_connect, self._client.on_disconnect = self._on_connect, self._on_disconnect
        self._client.on_publish, self._client.on_message = self._on_publish, self._on_message
        self._changed = threading.Condition()
        self._open, self._fault, self._sent, self._confirmed = False, "", 0, 0
        self.greeted = True
        """Whether somebody who wants to discover this board has come: at first, and when Home Assistant starts."""

    def open(self) -> None:
        """Connect, and say that the board is there."""
        self._client.connect(self._broker.host, self._broker.port, KEEPALIVE_S, clean_start=True)
        self._client.loop_start()
        with self._changed:
            self._changed.wait_for(lambda: self._open or self._fault, CONFIRM_S)
        self.check()
        self._client.subscribe(homeassistant.BIRTH, qos=1)
        self.send(self._available, wire.ONLINE.encode(), retain=True)

    def send(self, topic: str, body: bytes, retain: bool = False) -> None:
        """Publish at QoS 1, and wait until the broker has it."""
        self._put(topic, body, retain)
        self._await()

    def send_all(self, links: list[Link]) -> None:
        """Publish events, and wait until the broker has them all."""
        for link in links:
            if (body := sendable(link)) is not None:
                self._put(wire.topic(self._broker.prefix, self._board, wire.EVENTS), body)
            else:
                log.warning(
                    "event %d of %s is too large for the broker: the hall asks for it", link.sequence, link.game
                )
        self._await()

    def check(self) -> None:
        """OSError if the line is broken."""
        if not self._open or self._fault:
            raise OSError(self._fault or "no answer from the broker")

    def close(self, polite: bool) -> None:
        """End it; not `polite` leaves the last will to the broker."""
        if polite and self._open:
            info = self._client.publish(self._available, wire.OFFLINE, qos=1, retain=True)
            with self._changed:
                self._changed.wait_for(lambda: info.is_published() or not self._open, CONFIRM_S)
            self._client.disconnect()
        elif (socket := self._client.socket()) is not None:
            socket.close()
        self._client.loop_stop()

    def _put(self, topic: str, body: bytes, retain: bool = False) -> None:
        self._sent += 1
        self._client.publish(topic, body, qos=1, retain=retain)

    def _await(self) -> None:
        with self._changed:
            done = self._changed.wait_for(lambda: self._confirmed >= self._sent or not self._open, CONFIRM_S)
        if not done:
            self._fault = "the broker confirms nothing"
        self.check()

    def _on_connect(self, _client: mqtt.Client, _data: object, _flags: Any, reason: Any, _properties: Any) -> None:
        with self._changed:
            self._open, self._fault = not reason.is_failure, str(reason) if reason.is_failure else self._fault
            self._changed.notify_all()

    def _on_disconnect(self, _client: mqtt.Client, _data: object, _flags: Any, reason: Any, _properties: Any) -> None:
        with self._changed:
            self._open, self._fault = False, self._fault or f"the line broke: {reason}"
            self._changed.notify_all()
        self._wake.set()

    def _on_publish(self, _client: mqtt.Client, _data: object, _mid: int, reason: Any, _properties: Any) -> None:
        with self._changed:
            self._confirmed += 1
            if reason.is_failure:
                self._fault = f"the broker does not take it: {reason}"
            self._changed.notify_all()

    def _on_message(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        if message.topic == homeassistant.BIRTH and message.payload == wire.ONLINE.encode():
            self.greeted = True
            self._wake.set()
