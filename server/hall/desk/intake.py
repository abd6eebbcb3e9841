"""What comes from the broker: through the door, into the database in batches, and only then acknowledged to the board.

The broker is a wire and nothing more: it keeps nothing for a hall that is away. What a board is not told to be stored
it sends again, and what it claims to have and is not here is asked for (server.hall.desk.monitor).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import paho.mqtt.client as mqtt
import sqlalchemy as sa
from paho.mqtt.subscribeoptions import SubscribeOptions

from engine.errors import InputError
from server.hall.desk.hall_vitals import DATABASE, HallVitals
from server.hall.desk.ledger import Ledger
from server.hall.desk.shares import Batch, BrokerMessage, Shares
from server.hall.desk.standing import Boards
from server.mqtt import wire
from server.mqtt.broker import (
    HALL_UNKNOWN,
    KEEPALIVE_S,
    Broker,
    connect_properties,
    publish_properties,
    why_broken,
    why_refused,
)
from server.mqtt.wire import Command, EventLink

log = logging.getLogger(__name__)

BATCH_S = 0.02
"""How long a batch is gathered in a rush: one commit an event takes 9 ms at 20 events a second, and 915 ms at 500."""
RUSH = 16
"""Messages in a batch from which the next is gathered. Below it what waits is stored at once, and what comes during a
commit is the next batch: 20 of 28 ms from a board to the page were gathering where there was nothing to gather. Higher
spends the machine on more commits when many boards play, lower lets the events of few wait for each other."""
MOST_IN_BATCH = 500
SAID_TOGETHER_S = 0.2
"""In a rush boards are told so often how far they are stored: to say it after each batch takes as long as to store it.
Longer lets a board wait that has sent all it may (outbox.MOST_UNSTORED) and shows what is stored later."""
RECEIVED_AT_ONCE = 1000
"""Messages that the broker has under way to the hall."""
LEFT_OUT_S, LONGEST_LEFT_OUT_S, FORGIVEN_S = 10.0, 300.0, 600.0
"""A board whose share of what waits is full is not listened to for so long, each time twice as long, from the start
again after it has kept still. Each time that it is listened to anew the others wait for what it sends until its share
is full, some tenths of a second; longer keeps a board that was mended from being heard."""
FAILED_S = 1.0
"""How long nothing is taken after something went wrong that should not: less fills the log, more delays what comes."""
SAID_EVERY_S = 10.0
"""A line in the log about dropped messages at most so often."""

ToldLinks = Callable[[Sequence[EventLink], Sequence[str]], object]
"""Hears what was stored, and which boards have said something else of themselves."""


class Intake(threading.Thread):
    """Takes in all that boards under a prefix publish. `told` hears what is new, after it was stored."""

    def __init__(
        self,
        broker: Broker,
        ledger: Ledger,
        boards: Boards,
        vitals: HallVitals,
        told: ToldLinks,
        owns: Callable[[str], bool],
    ) -> None:
        """`owns` says of which boards this hall stores the events."""
        super().__init__(name="intake", daemon=True)
        self._broker, self._ledger, self._boards, self._told, self._owns = broker, ledger, boards, told, owns
        self._came, self._is_rush = Shares(), False
        self._was_refused = self._ends = False
        self._subscribed: Mapping[str, int] = {}
        """Topics at the broker, and their QoS."""
        self._listening = threading.Lock()
        self._left_out: dict[str, tuple[float, float]] = {}
        """Boards that sent more than is taken -> when they are listened to again (monotonic), and for how long not."""
        self._owed: dict[str, dict[str, tuple[int, str]]] = {}
        """Boards that are to be told how far their games are stored."""
        self._told_s = 0.0
        self._untold_links: list[EventLink] = []
        self._untold_boards: set[str] = set()
        """What was stored, and which boards have said something, that could not be told: it is with the next batch."""
        self._vitals = vitals
        self.counts = {"dropped": 0, "batches": 0}
        self._said_s = -SAID_EVERY_S
        self.on_answer: Callable[[Mapping[str, Any]], object] = lambda said: None
        """Hears what boards answer to commands."""
        self._client = broker.create_client(f"{broker.prefix}-{wire.HALL}-{vitals.run}", returns=True)
        self._client.on_connect, self._client.on_message = self._on_connect, self._on_message
        self._client.on_disconnect = self._on_disconnect
        self._goodbye = (
            wire.build_topic(broker.prefix, wire.HALL, wire.STORED),
            self._build_stored_message({}, again=False, whole=False),
        )
        self._client.will_set(*self._goodbye)

    def start_listening(self) -> None:
        """Connect, now or as soon as the broker is there, and begin."""
        properties = connect_properties(ReceiveMaximum=RECEIVED_AT_ONCE, MaximumPacketSize=2 * wire.LARGEST_MESSAGE)
        self._client.connect_async(
            self._broker.host, self._broker.port, KEEPALIVE_S, clean_start=True, properties=properties
        )
        self._client.loop_start()
        self.start()

    def count_waiting(self) -> int:
        """How many messages have come and are not looked at yet, of no board more than some hundred."""
        return self._came.count_waiting()

    def mark_changed(self, boards: Iterable[str]) -> None:
        """Tell of these boards, which are not as they were."""
        self._came.mark_changed(boards)

    def send_command(self, board: str, command: Command) -> bool:
        """Publish a command to a board, never retained; False if there is no broker just now."""
        if not self._vitals.is_connected:
            return False
        lasts = max(1, round(command.expires - time.time()))
        where = wire.build_topic(self._broker.prefix, board, f"{wire.COMMANDS}/{command.role}")
        properties = publish_properties(MessageExpiryInterval=lasts)
        return (
            self._client.publish(where, command.to_payload(), qos=1, properties=properties).rc == mqtt.MQTT_ERR_SUCCESS
        )

    def acknowledge_games(
        self, board: str, games: Mapping[str, tuple[int, str]], *, again: bool, whole: bool = False
    ) -> None:
        """Tell a board how far its games are stored; `again` asks for what follows, `whole` says these are all."""
        body = self._build_stored_message(games, again=again, whole=whole)
        self._client.publish(wire.build_topic(self._broker.prefix, board, wire.STORED), body, qos=0)

    def _build_stored_message(self, games: Mapping[str, tuple[int, str]], *, again: bool, whole: bool) -> bytes:
        said = {"store": self._vitals.store, "run": self._vitals.run, "again": again, "whole": whole}
        return wire.build_payload(wire.STORED, said | {"games": {game: list(known) for game, known in games.items()}})

    def send_pulse(self) -> None:
        """Tell every board that a hall is here, and why it stores nothing if so; the hall hears itself too, and
        so knows whether the broker carries."""
        said = {"store": self._vitals.store, "run": self._vitals.run, "at": round(time.time(), 3)}
        said["stores"] = self._vitals.may_store_events
        if problem := next((fault.why for fault in self._vitals.current_faults() if fault.what == DATABASE), ""):
            said["trouble"] = problem
        where = wire.build_topic(self._broker.prefix, wire.HALL, wire.PULSE)
        self._client.publish(where, wire.build_payload(wire.HALL_PULSE, said), qos=0)
        self._update_subscriptions()

    def stop_listening(self) -> None:
        """Store what has come, and end."""
        self._ends = True
        self._client.publish(*self._goodbye)
        self._client.disconnect()
        self._client.loop_stop()
        self._came.end_input()
        self.join(2 * BATCH_S + 10)

    def run(self) -> None:
        """The thread that writes."""
        while True:
            due_s = max(0.0, self._told_s + SAID_TOGETHER_S - time.monotonic()) if self._owed else None
            try:
                batch = self._came.take_batch(MOST_IN_BATCH, BATCH_S if self._is_rush else 0.0, due_s)
            except Exception:  # whatever it was, the boards that are well are heard on
                log.exception("what waits could not be taken: it is tried again")
                self._vitals.note_intake("what has come cannot be taken: if that lasts, start the hall again")
                time.sleep(FAILED_S)
                continue
            self._vitals.note_intake("")
            self._is_rush = len(batch.came) >= RUSH
            try:
                self._process_batch(batch)
            except sa.exc.SQLAlchemyError as error:  # nothing is lost: boards send again what was not stored
                self._vitals.database_failed(error)
            except Exception:
                self._untold_links, self._untold_boards = [], set()
                log.exception("%d messages could not be taken in: what is missing is asked for", len(batch.came))
            if batch.is_last:
                return

    def _process_batch(self, batch: Batch) -> None:
        links: list[EventLink] = []
        changed = set(batch.changed)
        for came in batch.came:
            try:
                self._sort_message(came, links, changed)
            except InputError as error:
                kept = "; the broker keeps it, until an empty one is published there" if came.is_old else ""
                self._drop_message(InputError(f"{error}{kept}"))
        self._untold_links += self._store_links(links)
        self._untold_boards |= changed
        self._acknowledge_stored()
        self.counts["batches"] += 1
        if self._untold_links or self._untold_boards:
            self._told(self._untold_links, sorted(self._untold_boards))
            self._untold_links, self._untold_boards = [], set()

    def _sort_message(self, came: BrokerMessage, links: list[EventLink], changed: set[str]) -> None:
        """Put what a message says where it belongs. InputError if it is none."""
        board, kind, said = wire.read_message(self._broker.prefix, came.topic, came.body)
        if isinstance(said, EventLink):
            if self._owns(board):
                links.append(said)
        elif kind == wire.ANSWERS and isinstance(said, Mapping):
            self.on_answer(said)
        elif self._boards.note_message(board, kind, said, came.at, is_old=came.is_old) and kind != wire.PULSE:
            changed.add(board)

    def _store_links(self, links: list[EventLink]) -> list[EventLink]:
        """What of it is new; nothing where the database does not take it: the boards send it again."""
        if not links:
            return []
        new: list[EventLink] = []
        try:
            new = self._ledger.store_links(links)
            for board, game in {(link.board, link.game) for link in links}:
                if (known := self._ledger.find_game(board, game)) is not None:
                    self._owed.setdefault(board, {})[game] = (known.summary.events, known.summary.head)
        except sa.exc.SQLAlchemyError as error:
            self._vitals.database_failed(error)
        return new

    def _acknowledge_stored(self) -> None:
        """Tell boards how far they are stored; in a rush not after each batch."""
        if not self._owed or (self._is_rush and time.monotonic() - self._told_s < SAID_TOGETHER_S):
            return
        for board, games in self._owed.items():
            self.acknowledge_games(board, games, again=False)
        self._owed, self._told_s = {}, time.monotonic()

    def _drop_message(self, error: InputError) -> None:
        self.counts["dropped"] += 1
        if time.monotonic() - self._said_s >= SAID_EVERY_S:
            self._said_s = time.monotonic()
            log.warning("dropped, %d in all: %s", self.counts["dropped"], error)

    def _on_connect(self, client: mqtt.Client, _data: object, _flags: Any, reason: Any, _properties: Any) -> None:
        self._was_refused = reason.is_failure
        if reason.is_failure:
            self._vitals.broker_refused(why_refused(reason, HALL_UNKNOWN))
            return
        self._vitals.broker_connected()
        with self._listening:
            self._subscribed = {}
        self._update_subscriptions()

    def _update_subscriptions(self) -> None:
        """Hear all boards; while there are some that send too much, all others that are known, by their names."""
        if not self._vitals.is_connected:
            return
        now = time.monotonic()
        with self._listening:
            out = {board for board, (until, _) in self._left_out.items() if now < until}
            names = {board.name for board in self._boards.list_boards()} - out if out else {"+"}
            wanted = self._list_topics(names)
            if new := wanted.keys() - self._subscribed.keys():
                self._client.subscribe(
                    [(topic, self._subscribe_options(topic, wanted[topic])) for topic in sorted(new)]
                )
            if old := self._subscribed.keys() - wanted.keys():
                self._client.unsubscribe(sorted(old))
            self._subscribed = wanted

    def _subscribe_options(self, topic: str, qos: int) -> SubscribeOptions:
        """How to subscribe. Of what the broker keeps, a state is old: it is wanted where nothing was heard before."""
        is_heard = bool(self._subscribed) and not topic.endswith((f"/{wire.AVAILABLE}", f"/{wire.HEALTH}"))
        kept = SubscribeOptions.RETAIN_DO_NOT_SEND if is_heard else SubscribeOptions.RETAIN_SEND_ON_SUBSCRIBE
        return SubscribeOptions(qos=qos, noLocal=topic.endswith(f"/{wire.STORED}"), retainHandling=kept)

    def _list_topics(self, names: Collection[str]) -> dict[str, int]:
        """What is to be heard of these boards, and of halls, with its QoS."""
        prefix = self._broker.prefix
        wanted = {wire.build_topic(prefix, name, kind): 1 for name in names for kind in wire.KEPT}
        wanted |= {wire.build_topic(prefix, name, wire.PULSE): 0 for name in {*names, wire.HALL}}
        return wanted | {wire.build_topic(prefix, "+", wire.STORED): 0}

    def _leave_out(self, board: str) -> None:
        """Hear a board no more for a while, that sends more than is taken of one."""
        now = time.monotonic()
        until, pause_s = self._left_out.get(board, (now, LEFT_OUT_S / 2))
        pause_s = min(LONGEST_LEFT_OUT_S, 2 * pause_s if now < until + FORGIVEN_S else LEFT_OUT_S)
        log.warning("board %s sends more than a board does: it is not listened to for %.0f s", board, pause_s)
        with self._listening:
            self._left_out = {**self._left_out, board: (now + pause_s, pause_s)}
        self._update_subscriptions()

    def _on_disconnect(self, _client: mqtt.Client, _data: object, _flags: Any, reason: Any, _properties: Any) -> None:
        if not (self._was_refused or self._ends):  # else the client says only that it has given up, or was told to end
            self._vitals.broker_lost(why_broken(reason))

    def _on_message(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        board, _, kind = message.topic.removeprefix(f"{self._broker.prefix}/").partition("/")
        if board == wire.HALL or kind == wire.STORED:
            self._handle_hall_message(board, kind, bytes(message.payload))
            return
        if self._left_out.get(board, (0.0, 0.0))[0] > time.monotonic():
            return  # was under way when it was left out
        came = BrokerMessage(message.topic, bytes(message.payload), is_old=message.retain, at=time.time())
        if not self._came.add_message(board, came) and self._came.is_served:
            self._leave_out(board)

    def _handle_hall_message(self, board: str, kind: str, body: bytes) -> None:
        """This hall's own pulse, and what other halls on the same database say. Under its own name a hall says goodbye
        there, or the broker does for one that was killed."""
        try:
            said = wire.read_body(wire.HALL_PULSE if kind == wire.PULSE else wire.STORED, wire.HALL, body)
        except InputError as error:
            self._drop_message(error)
            return
        if kind == wire.PULSE:
            self._vitals.heard_pulse(str(said["run"]), str(said["store"]), stores=bool(said.get("stores", True)))
        elif board == wire.HALL:
            self._vitals.heard_goodbye(str(said["run"]))
        else:
            self._ledger.mark_stale((board, game) for game in said["games"])
