"""What comes from the broker: through the door, into the database in batches, and only then acknowledged.

A message that the hall did not acknowledge is sent again by the broker; one that the broker lost is asked for from the
board (server.hall.desk.gaps). Either way it is stored once.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import paho.mqtt.client as mqtt
import sqlalchemy as sa

from engine.errors import InputError
from server.hall import wire
from server.hall.broker import KEEPALIVE_S, Broker, connecting, publishing
from server.hall.desk.ledger import Ledger
from server.hall.desk.standing import Boards
from server.hall.wire import Command, Link

log = logging.getLogger(__name__)

BATCH_S = 0.02
"""How long a batch is gathered in a rush: one commit an event takes 9 ms at 20 events a second, and 915 ms at 500."""
RUSH = 16
"""Messages in a batch from which the next is gathered. Below it what waits is stored at once, and what comes during a
commit is the next batch: 20 of 28 ms from a board to the page were gathering where there was nothing to gather. Higher
spends the machine on more commits when many boards play, lower lets the events of few wait for each other."""
MOST_IN_BATCH = 500
UNACKNOWLEDGED = 1000
"""Messages that the broker sends before the first is acknowledged; what waits here is bounded by it."""
SESSION_S = 3600
"""How long the broker keeps messages for a hall that is away; afterwards they are asked for from the boards."""
SAID_EVERY_S = 10.0
"""A line in the log about dropped messages at most so often."""
COMMIT_AGAIN_S = 0.5
"""After a commit that failed."""


@dataclass(frozen=True, slots=True)
class Came:
    """A message from the broker, to be acknowledged on the connection that it came by."""

    topic: str
    body: bytes
    mid: int
    qos: int
    connection: int


class Intake(threading.Thread):
    """Takes in all that boards under a prefix publish. `told` hears what is new, after it was stored."""

    def __init__(
        self, broker: Broker, ledger: Ledger, boards: Boards, told: Callable[[Sequence[Link], Sequence[str]], object]
    ) -> None:
        super().__init__(name="intake", daemon=True)
        self._broker, self._ledger, self._boards, self._told = broker, ledger, boards, told
        self._came: queue.SimpleQueue[Came | list[Link] | None] = queue.SimpleQueue()
        self._connection, self._is_rush = 0, False
        self.connected = False
        self.counts = {"dropped": 0, "batches": 0}
        self._said_s = -SAID_EVERY_S
        self._client = broker.client(f"{broker.prefix}-hall", manual_ack=True, returns=True)
        self._client.on_connect, self._client.on_message = self._on_connect, self._on_message
        self._client.on_disconnect = self._on_disconnect

    def listen(self) -> None:
        """Connect, now or as soon as the broker is there, and begin."""
        properties = connecting(
            SessionExpiryInterval=SESSION_S, ReceiveMaximum=UNACKNOWLEDGED, MaximumPacketSize=2 * wire.LARGEST_MESSAGE
        )
        self._client.connect_async(
            self._broker.host, self._broker.port, KEEPALIVE_S, clean_start=False, properties=properties
        )
        self._client.loop_start()
        self.start()

    def take(self, links: list[Link]) -> None:
        """Events that came another way than by the broker."""
        self._came.put(links)

    def send(self, board: str, command: Command) -> bool:
        """Publish a command to a board, never retained; False if there is no broker just now."""
        if not self.connected:
            return False
        lasts = max(1, round(command.expires - time.time()))
        where = wire.topic(self._broker.prefix, board, f"{wire.COMMANDS}/{command.role}")
        properties = publishing(MessageExpiryInterval=lasts)
        return self._client.publish(where, command.payload(), qos=1, properties=properties).rc == mqtt.MQTT_ERR_SUCCESS

    def close(self) -> None:
        """Store what has come, and end."""
        self._client.disconnect()
        self._client.loop_stop()
        self._came.put(None)
        self.join(2 * BATCH_S + 10)

    def run(self) -> None:
        """The thread that writes."""
        while True:
            batch, goes_on = self._batch()
            try:
                self._process(batch)
            except Exception:
                log.exception("a batch of %d messages is lost here: what is missing is asked for", len(batch))
            if not goes_on:
                return

    def _batch(self) -> tuple[list[Came | list[Link]], bool]:
        """What has come; in a rush also what comes in the next BATCH_S. False at the end of all."""
        batch: list[Came | list[Link]] = []
        end = 0.0
        while len(batch) < MOST_IN_BATCH:
            try:
                item = self._came.get(timeout=max(0.0, end - time.monotonic()) if batch else None)
            except queue.Empty:
                break
            if item is None:
                return batch, False
            if not batch:
                end = time.monotonic() + (BATCH_S if self._is_rush else 0.0)
            batch.append(item)
        self._is_rush = len(batch) >= RUSH
        return batch, True

    def _process(self, batch: list[Came | list[Link]]) -> None:
        links: list[Link] = []
        changed: set[str] = set()
        for item in batch:
            if isinstance(item, list):
                links += item
                continue
            try:
                board, kind, said = wire.read(self._broker.prefix, item.topic, item.body)
                if isinstance(said, Link):
                    links.append(said)
                elif self._boards.take(board, kind, said):
                    changed.add(board)
            except InputError as error:
                self._drop(error)
        new = self._store(links)
        for item in batch:
            if isinstance(item, Came) and item.connection == self._connection:
                self._client.ack(item.mid, item.qos)
        self.counts["batches"] += 1
        if new or changed:
            self._told(new, sorted(changed | {link.board for link in new}))

    def _store(self, links: list[Link]) -> list[Link]:
        """Until it is done: a database that is away comes back, and the broker waits meanwhile."""
        said = False
        while links:
            try:
                return self._ledger.add(links)
            except sa.exc.SQLAlchemyError as error:
                if not said:
                    log.warning("the database does not take it: %s; tried again", str(error).partition("\n")[0][:300])
                said = True
                time.sleep(COMMIT_AGAIN_S)
        return []

    def _drop(self, error: InputError) -> None:
        self.counts["dropped"] += 1
        if time.monotonic() - self._said_s >= SAID_EVERY_S:
            self._said_s = time.monotonic()
            log.warning("dropped, %d in all: %s", self.counts["dropped"], error)

    def _on_connect(self, client: mqtt.Client, _data: object, _flags: Any, reason: Any, _properties: Any) -> None:
        self.connected = not reason.is_failure
        if reason.is_failure:
            log.warning("broker %s: %s", self._broker, reason)
            return
        self._connection += 1
        client.subscribe([(wire.topic(self._broker.prefix, "+", kind), 1) for kind in wire.SCHEMA_OF])

    def _on_disconnect(self, _client: mqtt.Client, _data: object, _flags: Any, reason: Any, _properties: Any) -> None:
        self.connected = False
        log.warning("broker %s: %s", self._broker, reason)

    def _on_message(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        self._came.put(Came(message.topic, bytes(message.payload), message.mid, message.qos, self._connection))
