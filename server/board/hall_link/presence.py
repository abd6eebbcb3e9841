"""What a board knows of the hall: whether one was heard lately, into which database it stores, whether it does store
what it is sent, and what its clock says.

Halls say so several times a second at QoS 0, and no broker keeps that for later. It outlives each connection.
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


STORES_NOTHING_S = 1.0
"""Where several halls share a database one may be well: only when none that is was heard for so long it is said."""
UNCONFIRMED_S = 3.5
"""A hall that is there has stored nothing of what it lacks for so long. It asks for what is missing after 0.6 s, and
again after one; less says it of a hall that is busy, more tells of it later than 5 s."""


class Presence:
    """Written by the threads of the MQTT client and the publisher, read by any."""

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
        self._stores_s, self._trouble = self._heard_s, ""
        self._lacking: tuple[int, float, float] | None = None
        """How many events no hall has confirmed, and since when nothing of them was: steady, and by the clock."""
        self.conflicts_told: dict[str, str] = {}
        """Games of which it was logged that the hall has another record of them."""

    @property
    def is_there(self) -> bool:
        """Whether a hall was heard lately."""
        return self._steady() - self._heard_s < wire.NOT_HEARD_S

    def quiet_s(self) -> float:
        """For how long no hall was heard."""
        return self._steady() - self._heard_s

    def note_unconfirmed(self, count: int, *, is_progress: bool) -> None:
        """So many events are not confirmed; whether a hall has confirmed more of them since this was noted last."""
        if not count or not self.is_there:
            self._lacking = None
        elif self._lacking is None or is_progress:
            self._lacking = count, self._steady(), self._clock()
        else:
            self._lacking = count, *self._lacking[1:]

    def describe_unstored(self) -> str:
        """Why the hall that is there stores nothing of what it is sent, in a line; empty while it does."""
        if self._trouble and self._steady() - self._stores_s >= STORES_NOTHING_S:
            return f"the hall stores nothing: {self._trouble}"
        lacking = self._lacking
        if lacking is None or self._steady() - lacking[1] < UNCONFIRMED_S:
            return ""
        since = time.strftime("%H:%M:%S", time.localtime(lacking[2]))
        return f"the hall is there, and confirms nothing since {since}: events that are only here: {lacking[0]}"

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
        self.store, self._heard_s, self._trouble = str(said["store"]), self._steady(), str(said.get("trouble", ""))
        if not self._trouble:
            self._stores_s = self._heard_s
