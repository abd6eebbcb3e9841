"""The thread that publishes: events out of the record, then the state, then the health, to one broker.

The main loop knows nothing of it: the feed's bell wakes this thread, and all it says is read from the record and from
the newest snapshot. A connection that ends takes nothing along, because what no hall has stored is still in the record.
"""

from __future__ import annotations

import logging
import random
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from server.board.hall_link import homeassistant, reports
from server.board.hall_link.line import CONFIRM_S, BrokerLine, Ears
from server.board.hall_link.outbox import Outbox, file_of
from server.board.hall_link.presence import Presence
from server.mqtt import wire
from server.mqtt.broker import BREAKS, BREAKS_WITHIN_S, LONGEST_RETRY_S, SHORTEST_RETRY_S, Broker
from server.record.store import DAMAGE, read_record
from server.web.feed import Feed

log = logging.getLogger(__name__)

Said = Mapping[str, object]
Beside = Callable[[], Said | None]
"""Called at every look: what the moves message is to be, None for none."""
Answers = Callable[[], Sequence[Said]]
"""Called at every look: what is to be answered to commands."""

OK = "ok"
NO_HALL_AFTER_S = 4.0
"""When no hall was heard for so long it is said at the board. Two of one name, and a broker that is started again, take
the line for a moment; longer lets people play on for a hall that hears nothing, and is said later than after 5 s."""
RECORD_EVERY_S = 1.0
"""The record is looked at so often also when no bell rings: notes beside the game ring none."""
STATE_EVERY_S = 0.2
"""The state is sent at most so often; events are sent at once."""
HEALTH_EVERY_S = 10.0
MOST_ANSWERS = 1000
"""Answers that wait for a broker; of more the oldest are left out. An hour's orders of a busy arbiter are some hundred.
More takes some 300 bytes each, less loses answers to who orders much at a board with a bad line."""


@dataclass
class ToldState:
    """What was said on a connection, and when (monotonic)."""

    state: Said = field(default_factory=dict)
    health: Said = field(default_factory=dict)
    moves: Said | None = None
    state_s: float = -STATE_EVERY_S
    health_s: float = -HEALTH_EVERY_S
    pulse_s: float = -wire.PULSE_EVERY_S


class Publisher(threading.Thread):
    """Publishes one record as the board of that name until it is closed."""

    def __init__(
        self,
        broker: Broker,
        board: str,
        record: Path,
        feed: Feed,
        current: str,
        ears: Ears | None = None,
        beside: Beside | None = None,
        answers: Answers = tuple,
        presence: Presence | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`current` is the game that is played; `ears` hear what comes from the broker, `beside` is done by the way,
        `presence` hears of the hall, and `clock` is this computer's, in seconds since 1970."""
        super().__init__(name="hall", daemon=True)
        self._ears, self._beside, self._answers = ears or {}, beside, answers
        self.presence = presence or Presence(broker.prefix)
        self._clock = clock
        self._run = secrets.token_hex(8)
        """Tells two boards of one name apart."""
        self._broker, self._board, self._record, self._feed, self._current = broker, board, record, feed, current
        self._wake, self._closed = threading.Event(), False
        self._why, self._since_s = "it has not been reached yet", time.monotonic()
        """Why there is no line, empty while there is; and since when that is so (monotonic)."""
        self._begun_s = self._since_s
        self._breaks: deque[float] = deque(maxlen=BREAKS)
        """When the line broke lately (monotonic)."""
        self._unconfirmed: deque[Said] = deque(maxlen=MOST_ANSWERS)
        """Answers to commands that no broker has confirmed."""
        self._differs: Callable[[str], bool] = lambda game: False
        feed.add_bell(self._wake.set)
        feed.vitals.hall = self.describe_trouble

    def stop_publishing(self) -> None:
        """Say what is known, say goodbye, and end."""
        self._closed = True
        self._wake.set()
        self.join(CONFIRM_S)

    def describe_trouble(self) -> str:
        """`ok`, or why the hall does not follow this board. A line that is broken for a moment only is none; what was
        said holds until a hall was heard again."""
        now = time.monotonic()
        if len(self._breaks) == BREAKS and now - self._breaks[0] < BREAKS_WITHIN_S:
            return f"{self._broker}: the line breaks again and again: does another program run as {self._board}?"
        if min(now - self._begun_s, self.presence.quiet_s()) >= NO_HALL_AFTER_S:
            return f"{self._broker}: {self._why or 'the broker is there, and no hall is heard'}"
        if self._differs(str((self._feed.newest_snapshot or {}).get("name"))):
            return "the hall has stored another record of this game than this board has: an arbiter's word counts"
        return self.presence.describe_unstored() or OK

    def _note_line_state(self, why: str) -> None:
        """Note that there is a line, or why there is none."""
        if bool(why) != bool(self._why):
            self._since_s = time.monotonic()
            if why:
                self._breaks.append(self._since_s)
        self._why = why

    def run(self) -> None:
        """The thread."""
        wait_s, told = SHORTEST_RETRY_S, False
        chance = random.Random()  # of this thread alone: the common one belongs to whoever seeds it
        while not self._closed:
            try:
                with read_record(self._record) as record:
                    outbox = Outbox(record, file_of(self._record), self._board, self._current, self.presence)
                    with self._open_line(outbox) as line:
                        log.info("hall %s: connected as %s", self._broker, self._board)
                        self._differs = outbox.has_conflict
                        self._note_line_state("")
                        wait_s = SHORTEST_RETRY_S
                        self._publish_record(line, outbox)
            except (OSError, ValueError, *DAMAGE) as error:  # InputError is a ValueError
                told = told and (bool(self._why) or time.monotonic() - self._since_s < NO_HALL_AFTER_S)
                self._note_line_state(str(error) or type(error).__name__)
                if not told:
                    log.warning("hall %s: %s; tried again, the game goes on", self._broker, self._why)
                told = True
            except Exception as error:
                self._note_line_state(type(error).__name__)
                log.exception("hall %s: publishing failed; tried again, the game goes on", self._broker)
            if not self._closed:
                time.sleep(wait_s * chance.uniform(0.5, 1.0))
                wait_s = min(LONGEST_RETRY_S, 2 * wait_s)

    @contextmanager
    def _open_line(self, outbox: Outbox) -> Iterator[BrokerLine]:
        stored = wire.build_topic(self._broker.prefix, self._board, wire.STORED)
        ears = {**self._ears, self.presence.topic: self.presence.handle_message, stored: outbox.handle_message}
        line = BrokerLine(self._broker, self._board, self._wake, ears)
        try:
            line.connect_broker()
            yield line
        finally:
            outbox.save_numbers(at_once=True)
            line.close_connection(polite=self._closed)

    def _publish_record(self, line: BrokerLine, outbox: Outbox) -> None:
        """Until the line breaks (OSError) or this is closed."""
        told = ToldState()
        while True:
            closing = self._closed
            self._wake.clear()
            while batch := outbox.next_batch():
                line.send_all(batch)
                outbox.mark_sent(batch)
                self._tell_pulse(line, outbox, told)
            outbox.save_numbers()
            self._send_answers(line)
            if line.greeted:
                line.greeted = False
                for where, body in homeassistant.build_discovery(
                    self._broker.prefix, self._board, self._feed.newest_snapshot or {}
                ):
                    line.send_confirmed(where, body, retain=True)
            wait_s = RECORD_EVERY_S
            if (snapshot := self._feed.newest_snapshot) is not None and "name" in snapshot:
                wait_s = self._tell_state(line, outbox, told, snapshot, closing=closing)
                self._tell_health(line, outbox, told, snapshot)
            wait_s = min(wait_s, self._tell_pulse(line, outbox, told))
            if self._beside is not None and (moves := self._beside()) is not None and moves != told.moves:
                self._send_retained(line, wire.FAR_MOVES, moves)
                told.moves = moves
            line.check_connection()
            if closing:
                return
            self._wake.wait(wait_s)

    def _send_answers(self, line: BrokerLine) -> None:
        """Whatever is to be answered, and first what no broker has confirmed yet: an order that came is done, and who
        gave it has to know, also where the line broke as that was said."""
        self._unconfirmed += self._answers()
        while self._unconfirmed:
            line.send_confirmed(
                wire.build_topic(self._broker.prefix, self._board, wire.ANSWERS),
                wire.build_payload(wire.ANSWERS, self._unconfirmed[0]),
            )
            self._unconfirmed.popleft()

    def _tell_state(
        self, line: BrokerLine, outbox: Outbox, told: ToldState, snapshot: Mapping[str, Any], *, closing: bool
    ) -> float:
        """Send the state if it is new and the last is old enough; how long until it is to be looked at again."""
        now = time.monotonic()
        if now - told.state_s < STATE_EVERY_S and not closing:
            return STATE_EVERY_S
        new = reports.build_state(self._board, snapshot, *outbox.game_head(str(snapshot["name"])))
        if (
            reports.remove_clock_times(new) != reports.remove_clock_times(told.state)
            or now - told.state_s >= HEALTH_EVERY_S
        ):
            self._send_retained(line, wire.STATE, new)
            told.state, told.state_s = new, now
        return RECORD_EVERY_S

    def _tell_health(self, line: BrokerLine, outbox: Outbox, told: ToldState, snapshot: Mapping[str, Any]) -> None:
        now = time.monotonic()
        if now - told.health_s < HEALTH_EVERY_S:
            return
        new = reports.build_health(self._board, snapshot, outbox.newest_games(reports.NEWEST_GAMES))
        if new != told.health:
            self._send_retained(line, wire.HEALTH, new)
        told.health, told.health_s = new, now

    def _tell_pulse(self, line: BrokerLine, outbox: Outbox, told: ToldState) -> float:
        """Say that the board lives, by its own clock, and how its record stands; how long until it is due again."""
        now = time.monotonic()
        if now - told.pulse_s >= wire.PULSE_EVERY_S:
            said: dict[str, object] = {"board": self._board, "run": self._run, "at": round(self._clock(), 3)}
            said["told"] = outbox.count_events()
            name = (self._feed.newest_snapshot or {}).get("name")
            if name is not None:
                events, head = outbox.game_head(str(name))
                said |= {"name": name, "events": events, "head": head}
            line.send_unconfirmed(
                wire.build_topic(self._broker.prefix, self._board, wire.PULSE), wire.build_payload(wire.PULSE, said)
            )
            told.pulse_s = now
        return max(0.01, told.pulse_s + wire.PULSE_EVERY_S - now)

    def _send_retained(self, line: BrokerLine, kind: str, said: Said) -> None:
        line.send_confirmed(
            wire.build_topic(self._broker.prefix, self._board, kind), wire.build_payload(kind, said), retain=True
        )
