"""Whether the hall itself is well: does the broker carry what is said, does the database take what comes.

A hall that hears nothing must not look like one where nothing happens.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from server.hall.desk.database import find_table
from server.hall.desk.database_server import first_line
from server.mqtt.broker import BREAKS, BREAKS_WITHIN_S
from server.mqtt.wire import NOT_HEARD_S

log = logging.getLogger(__name__)

BROKER, DATABASE, OWN_CLOCK, TURNED_AWAY = "broker", "database", "clock", "turned-away"
SET_ASIDE, OWN_CERTIFICATE, SET_BACK, ANOTHER_HALL = "set-aside", "certificate", "set-back", "another-hall"
"""What may be wrong with a hall; of SET_ASIDE, that what lay beside its database was of another; of SET_BACK, that a
server's database is an earlier one than it was; of ANOTHER_HALL, that one with another broker was started on it."""
WORST_FIRST = (
    *(BROKER, DATABASE, ANOTHER_HALL, SET_BACK, SET_ASIDE),
    *(TURNED_AWAY, OWN_CERTIFICATE, OWN_CLOCK),
)
BY_ITSELF = (TURNED_AWAY, SET_ASIDE, SET_BACK, ANOTHER_HALL, OWN_CERTIFICATE)
"""Faults that are there as long as somebody has said so."""
CARRIES_NOTHING_S = 2.5
"""A broker that has not carried one of the hall's own pulses back for so long, ten of them, is taken for frozen. Less
takes a busy one for that; more tells of it later than 5 s, by when a page has asked."""
GONE_S = 1.3
"""A hall beside this one that was not heard for so long, five of its pulses, is gone although the broker has said no
goodbye for it, and the others store the events of its boards. Less takes a busy hall for a dead one, and both store the
same events for a while; more lets boards wait."""
NO_ROOM = ("is full", "No space left")
"""What SQLite and PostgreSQL say of a disk that is full."""
TAKEN_OVER = (
    "the line breaks again and again: another hall uses this hall's account at the broker: end one of the two, or give "
    "each an account of its own"
)
PART_ENDS_S = 10.0
"""So long the end of the hall waits for each of its parts: a lock and a commit end within 5 s each. A database that is
frozen answers never. Less breaks off what would have been stored; more keeps who ends the hall waiting in vain."""
REFUSED_FOR_S = 2.0
"""A table that has refused something lately is not called well by what the hall tries in it. Longer keeps a fault on
the pages that is over; less lets it come and go where only some of what is asked fails: boards are asked again, and
results looked at, every second."""


@dataclass(frozen=True, slots=True)
class HallFault:
    """Something that is wrong with the hall."""

    what: str
    """One of WORST_FIRST."""
    why: str
    """In a line, in English, as the part itself said it."""
    since: float
    """Seconds since 1970."""


class HallVitals:
    """Written and read by any thread."""

    def __init__(self, store: str, steady: Callable[[], float] = time.monotonic, place: str = "") -> None:
        """`store` names the database, `place` says on which disk it is."""
        self._place, self._breaks = place, deque[float](maxlen=BREAKS)
        self.store, self.run = store, secrets.token_hex(8)
        self._steady, self._lock = steady, threading.Lock()
        self._halls: dict[str, float] = {}
        self._idle: set[str] = set()
        """Other halls that say they store nothing yet, or must not: their boards are the others'."""
        self._living: tuple[str, ...] = (self.run,)
        """The halls on this database that were heard lately, this one always among them."""
        self._storing: tuple[str, ...] = (self.run,)
        """Those of them that share out the boards."""
        self._connected_s: float | None = None
        self._written_s = steady()
        self._why = dict.fromkeys(BY_ITSELF, "")
        self._why[BROKER] = "not connected yet"
        self._broken = ""
        """What the log was told of a line that broke, until one has stood for a while."""
        self._intake_problem = ""
        self._refused: dict[str, tuple[str, float]] = {}
        """Tables that refuse something, "" for what is of none -> why, and when they did last."""
        self._barred, self._is_let_in = "", True
        self._faults: dict[str, HallFault] = {}

    @property
    def is_connected(self) -> bool:
        """Whether the line to the broker stands."""
        return self._connected_s is not None

    @property
    def listens_since(self) -> float | None:
        """Since when (monotonic) the broker carries what is said; None while it does not."""
        with self._lock:
            return self._connected_s if BROKER not in self._faults else None

    def broker_connected(self) -> None:
        """The line stands."""
        with self._lock:
            self._connected_s = self._steady()
            self._halls[self.run] = self._steady()
            self._why[BROKER] = ""

    def broker_lost(self, why: str) -> None:
        """The line broke."""
        with self._lock:
            if self._connected_s is not None:
                self._breaks.append(self._steady())
                said = TAKEN_OVER if self._breaks_again(self._steady()) else why
                if said != self._broken:  # what breaks twice a second is not said twice a second
                    log.warning("broker: %s", said)
                self._broken = said
            self._connected_s, self._why[BROKER] = None, why

    def broker_refused(self, why: str) -> None:
        """The broker, or the way to it, let nobody in."""
        with self._lock:
            if self._why[BROKER] != why:
                log.warning("broker: %s", why)
            self._connected_s, self._why[BROKER] = None, why

    def heard_pulse(self, run: str, store: str, *, stores: bool = True) -> None:
        """A hall on the same database has said that it lives; this one, or another. It `stores` what its boards say, or
        does not yet: then the others go on with all boards."""
        if store == self.store:
            with self._lock:
                self._halls[run] = self._steady()
                (self._idle.discard if stores else self._idle.add)(run)

    def heard_goodbye(self, run: str) -> None:
        """A hall has ended, or its line has: the others have its boards at once."""
        if run != self.run:
            with self._lock:
                self._halls.pop(run, None)
                self._share_boards()

    def owns_board(self, board: str) -> bool:
        """Whether this hall stores the events of a board: of the halls that do the one with the highest hash."""
        halls = self._storing
        if not self.may_store_events:
            return False
        return len(halls) == 1 or max(halls, key=lambda run: _rank_hall(run, board)) == self.run

    @property
    def may_store_events(self) -> bool:
        """Whether this hall may write what boards say into the database."""
        return self._is_let_in and not self._barred

    def living_halls(self) -> tuple[str, ...]:
        """The halls on this database that are heard through the broker, this one among them."""
        return self._living

    def _share_boards(self) -> None:
        self._idle &= self._halls.keys()
        self._living = tuple(sorted({self.run, *self._halls}))
        self._storing = tuple(run for run in self._living if run == self.run or run not in self._idle)

    def keep_out(self) -> None:
        """Until `let_in` this hall writes nothing that boards say: who else uses the database is not known."""
        self._is_let_in = False

    def let_in(self) -> None:
        """Nobody with another broker uses the database, as far as can be seen."""
        self._is_let_in = True

    @property
    def is_let_in(self) -> bool:
        """Whether this hall may write what boards say, as far as it is known who else uses the database."""
        return self._is_let_in

    def note_another_hall(self, place: str, *, is_first: bool) -> None:
        """A hall that uses another broker is on the same database, "" for none; of the two this one `is_first`, or
        may not write."""
        barred = ""
        if place and not is_first:
            barred = (
                f"another hall uses it with another broker ({place}): end one of the two, or give this one a database "
                "of its own (--database)"
            )
        with self._lock:
            if place and not (self._why[ANOTHER_HALL] or self._barred):
                log.warning("another hall, with another broker, is on the same database: %s", place)
            self._why[ANOTHER_HALL], self._barred = place if is_first else "", barred

    def note_set_back(self) -> None:
        """The database was set back to an earlier time while this hall ran: what people entered since is lost."""
        when = time.strftime("%H:%M:%S")
        log.warning("the database was set back to an earlier time: boards are asked for what is not in it any more")
        with self._lock:
            self._why[SET_BACK] = f"noticed at {when}; start the hall again once all is entered"

    def database_failed(self, error: Exception) -> None:
        """It did not take something, or not tell it: that is a fault until it does (`database_wrote`)."""
        why = first_line(error)
        if any(word in why for word in NO_ROOM):
            why = f"{why}: make room on the disk of {self._place or 'the database'}"
        with self._lock:
            if not self._refused:
                log.warning("the database does not take it: %s", why)
            self._refused[find_table(error)] = why, self._steady()

    def refused_tables(self) -> list[str]:
        """The tables that have refused something, and nothing has shown that they do not any more."""
        with self._lock:
            return [table for table in self._refused if table]

    def database_wrote(self, table: str = "", *, is_trial: bool = False) -> None:
        """It took something into a table, "" for into that which is written all the time. After a trial, which asks for
        less than the hall does, a table that has refused something lately is a fault for some time yet."""
        with self._lock:
            now, was_refused = self._steady(), bool(self._refused)
            self._written_s = now
            for name in {"", table} & self._refused.keys():
                if not (is_trial and name) or now - self._refused[name][1] >= REFUSED_FOR_S:
                    del self._refused[name]
            if was_refused and not self._refused:
                log.warning("the database takes it again")

    def note_intake(self, problem: str) -> None:
        """What keeps the hall from taking what has come, in a line; "" for nothing."""
        with self._lock:
            self._intake_problem = problem

    def note_turned_away(self, places: Collection[str]) -> None:
        """From these addresses somebody comes whom the broker does not know."""
        with self._lock:
            self._why[TURNED_AWAY] = ", ".join(places)

    def note_set_aside(self, names: Collection[str]) -> None:
        """These files are of another time than the database, and somebody has to know what was in them."""
        with self._lock:
            self._why[SET_ASIDE] = ", ".join(names)

    def note_certificate(self, problem: str) -> None:
        """What is to be done about the hall's certificate, in a line; "" for nothing."""
        with self._lock:
            if problem and not self._why[OWN_CERTIFICATE]:
                log.warning("certificate: %s", problem)
            self._why[OWN_CERTIFICATE] = problem

    def update_faults(self, hall_clock: str = "") -> bool:
        """Find what is wrong now; whether that has changed. `hall_clock` says what is wrong with the clock here."""
        now = self._steady()
        with self._lock:
            wrong: dict[str, str] = {OWN_CLOCK: hall_clock} if hall_clock else {}
            if not_heard := self._find_broker_fault(now):
                wrong[BROKER] = not_heard
            if not_stored := self._find_database_fault(now):
                wrong[DATABASE] = not_stored
            wrong |= {what: why for what in BY_ITSELF if (why := self._why[what])}
            self._halls = {run: at for run, at in self._halls.items() if now - at < GONE_S or run == self.run}
            self._share_boards()
            before = set(self._faults)
            self._faults = {
                what: HallFault(what, why, self._faults[what].since if what in self._faults else time.time())
                for what, why in wrong.items()
            }
            return before != set(self._faults)

    def _find_database_fault(self, now: float) -> str:
        """Why nothing is stored, in a line; empty while all is. What is of the whole database says more than what is of
        one of its tables."""
        whole, _ = self._refused.get("", ("", 0.0))
        of_table = next((why for why, _ in self._refused.values()), "")
        silent = "it does not answer" if now - self._written_s >= NOT_HEARD_S else ""
        return self._barred or whole or of_table or self._intake_problem or silent

    def _find_broker_fault(self, now: float) -> str:
        """Why nothing is heard by the broker, in a line; empty while it carries."""
        if self._breaks_again(now):
            return TAKEN_OVER
        if self._connected_s is not None and now - self._connected_s >= BREAKS_WITHIN_S:
            self._broken = ""  # the next break is a new one
        if self._connected_s is None:
            return self._why[BROKER]
        heard_s = self._halls.get(self.run, self._connected_s)
        return "it is connected, but carries nothing" if now - heard_s >= CARRIES_NOTHING_S else ""

    def _breaks_again(self, now: float) -> bool:
        """Whether the line breaks more often than by accident."""
        return len(self._breaks) == BREAKS and now - self._breaks[0] < BREAKS_WITHIN_S

    def current_faults(self) -> list[HallFault]:
        """What is wrong, the worst first."""
        with self._lock:
            return [self._faults[what] for what in WORST_FIRST if what in self._faults]


def _rank_hall(run: str, board: str) -> bytes:
    return hashlib.blake2b(f"{run} {board}".encode(), digest_size=8).digest()


def faults_to_json(faults: list[HallFault]) -> list[Mapping[str, object]]:
    """For pages and programs."""
    return [{"what": fault.what, "why": fault.why, "since": round(fault.since, 1)} for fault in faults]
