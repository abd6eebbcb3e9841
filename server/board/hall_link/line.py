"""A board's connection to the broker: what it publishes is confirmed or the line is broken, and what it hears."""

from __future__ import annotations

import logging
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from socket import SHUT_RDWR
from typing import Any

import paho.mqtt.client as mqtt

from server.board.hall_link import homeassistant
from server.board.hall_link.outbox import encode_link
from server.mqtt import wire
from server.mqtt.broker import BOARD_UNKNOWN, KEEPALIVE_S, Broker, why_broken, why_refused
from server.mqtt.certificates import why_not_accepted
from server.mqtt.wire import EventLink

log = logging.getLogger(__name__)

CONFIRM_S = 5.0
"""A broker that confirms nothing for so long is taken for dead."""

Ears = Mapping[str, Callable[[mqtt.MQTTMessage], object]]
"""Topic, with + for any level -> who hears what comes by it."""


class BrokerLine:
    """One connection to the broker; broken once, it is thrown away. OSError wherever it is found broken."""

    def __init__(self, broker: Broker, board: str, wake: threading.Event, ears: Ears) -> None:
        """`wake` is set when there is something new to look at; `ears` hear what comes, in the client's thread."""
        self._broker, self._board, self._wake, self._ears = broker, board, wake, ears
        self._client = broker.create_client(f"{broker.prefix}-{board}")
        self._available = wire.build_topic(broker.prefix, board, wire.AVAILABLE)
        self._client.will_set(self._available, wire.OFFLINE, qos=1, retain=True)
        self._client.on_connect, self._client.on_disconnect = self._on_connect, self._on_disconnect
        self._client.on_publish, self._client.on_message = self._on_publish, self._on_message
        self._client.on_subscribe = self._on_subscribe
        self._changed = threading.Condition()
        self._open, self._fault, self._sent, self._confirmed = False, "", 0, 0
        self.greeted = True
        """Whether somebody who wants to discover this board has come: at first, and when Home Assistant starts."""

    def connect_broker(self) -> None:
        """Connect, and say that the board is there."""
        try:
            self._client.connect(self._broker.host, self._broker.port, KEEPALIVE_S, clean_start=True)
        except ssl.SSLCertVerificationError as error:
            raise OSError(why_not_accepted((self._broker.host, self._broker.port), error)) from error
        self._client.loop_start()
        with self._changed:
            self._changed.wait_for(lambda: self._open or self._fault, CONFIRM_S)
        self.check_connection()
        self._client.subscribe([(topic, 1) for topic in (homeassistant.BIRTH, *self._ears)])
        self.send_confirmed(self._available, wire.ONLINE.encode(), retain=True)

    def send_confirmed(self, topic: str, body: bytes, *, retain: bool = False) -> None:
        """Publish at QoS 1, and wait until the broker has it."""
        self._publish_body(topic, body, retain=retain)
        self._await_confirmation()

    def send_unconfirmed(self, topic: str, body: bytes) -> None:
        """Publish at QoS 0: what does not arrive now is not wanted later."""
        self._sent += 1
        self._client.publish(topic, body, qos=0)

    def send_all(self, links: list[EventLink]) -> None:
        """Publish events, and wait until the broker has them all."""
        for link in links:
            if (body := encode_link(link)) is not None:
                self._publish_body(wire.build_topic(self._broker.prefix, self._board, wire.EVENTS), body)
            else:
                log.error("event %d of %s is too large to be sent: the hall lacks it", link.sequence, link.game)
        self._await_confirmation()

    def check_connection(self) -> None:
        """OSError if the line is broken."""
        if not self._open or self._fault:
            raise OSError(self._fault or "no answer from the broker")

    def close_connection(self, *, polite: bool) -> None:
        """End it; not `polite` leaves the last will to the broker."""
        if polite and self._open:
            info = self._client.publish(self._available, wire.OFFLINE, qos=1, retain=True)
            with self._changed:
                self._changed.wait_for(lambda: info.is_published() or not self._open, CONFIRM_S)
            self._client.disconnect()
        elif (socket := self._client.socket()) is not None:
            with suppress(OSError):
                # Closed alone it would be waited for by the client's thread for another second.
                socket.shutdown(SHUT_RDWR)  # type: ignore[attr-defined]  # sockets have it
            socket.close()
        self._client.loop_stop()

    def _publish_body(self, topic: str, body: bytes, *, retain: bool = False) -> None:
        self._sent += 1
        self._client.publish(topic, body, qos=1, retain=retain)

    def _await_confirmation(self) -> None:
        with self._changed:
            done = self._changed.wait_for(lambda: self._confirmed >= self._sent or not self._open, CONFIRM_S)
        if not done:
            self._fault = "the broker confirms nothing"
        self.check_connection()

    def _on_connect(self, _client: mqtt.Client, _data: object, _flags: Any, reason: Any, _properties: Any) -> None:
        with self._changed:
            self._open = not reason.is_failure
            self._fault = why_refused(reason, BOARD_UNKNOWN) if reason.is_failure else self._fault
            self._changed.notify_all()

    def _on_disconnect(self, _client: mqtt.Client, _data: object, _flags: Any, reason: Any, _properties: Any) -> None:
        with self._changed:
            self._open, self._fault = False, self._fault or f"the line broke: {why_broken(reason)}"
            self._changed.notify_all()
        self._wake.set()

    def _on_publish(self, _client: mqtt.Client, _data: object, _mid: int, reason: Any, _properties: Any) -> None:
        with self._changed:
            self._confirmed += 1
            if reason.is_failure:
                self._fault = f"the broker does not take it: {reason}"
            self._changed.notify_all()

    def _on_subscribe(self, _client: mqtt.Client, _data: object, _mid: int, reasons: Any, _properties: Any) -> None:
        if any(reason.is_failure for reason in reasons):
            log.warning(
                "the broker lets this board hear less than it needs: what is stored is not known here; "
                "write its access list anew (docs/hall.md)"
            )

    def _on_message(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        if message.topic == homeassistant.BIRTH:
            self.greeted |= message.payload == wire.ONLINE.encode()
            self._wake.set()
            return
        for topic, hear in self._ears.items():
            if mqtt.topic_matches_sub(topic, message.topic):
                try:
                    hear(message)
                except Exception:  # what comes from elsewhere must not end the line
                    log.exception("what came by %s cannot be taken", message.topic)
                self._wake.set()
