"""What a board knows of the hall: whether one was heard lately, into which database it stores, and what its clock says.

Halls say so every second at QoS 0, and no broker keeps that for later.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable

import paho.mqtt.client as mqtt

from engine.errors import InputError
from server.mqtt import wire

log = logging.getLogger(__name__)

PULSES_COMPARED = 8
"""Of so many pulses the one that came fastest tells how far the clocks are apart. More are steadier and notice later
that a clock was set; fewer take a slow line for a slow clock."""


class Presence:
    """Written by the thread of the MQTT client, read by any."""

    def __init__(
        self, prefix: str, clock: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` is this computer's, in seconds since 1970; `steady` is never set."""
        self.topic = wire.build_topic(prefix, wire.HALL, wire.PULSE)
        self._clock, self._steady = clock, steady
        self._heard_s = -wire.NOT_HEARD_S
        self._ahead: deque[float] = deque(maxlen=PULSES_COMPARED)
        self.store = ""
        """The database of the hall that was heard last; empty for none."""

    @property
    def is_there(self) -> bool:
        """Whether a hall was heard lately."""
        return self._steady() - self._heard_s < wire.NOT_HEARD_S

    def hall_time(self) -> float:
        """The time by the hall's clock, by this computer's where no hall was heard: commands expire by it."""
        ahead = tuple(self._ahead)
        return self._clock() + (max(ahead) if ahead else 0.0)

    def handle_message(self, message: mqtt.MQTTMessage) -> None:
        """A hall's pulse."""
        try:
            said = wire.read_body(wire.HALL_PULSE, wire.HALL, bytes(message.payload))
        except InputError as error:
            log.warning("not taken: %s", error)
            return
        if message.retain:
            return  # of old, whoever made it so
        if self._steady() - self._heard_s >= wire.NOT_HEARD_S:
            self._ahead.clear()
        self._ahead.append(float(said["at"]) - self._clock())
        self.store, self._heard_s = str(said["store"]), self._steady()
