"""Whether the hall itself is well: does the broker carry what is said, does the database take what comes.

A hall that hears nothing must not look like one where nothing happens.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass

import sqlalchemy as sa

from engine.errors import InputError
from server.hall.desk.database import STORED_ITSELF, find_file, first_line
from server.mqtt.broker import BREAKS, BREAKS_WITHIN_S, Broker
from server.mqtt.certificates import why_not_accepted
from server.mqtt.wire import NOT_HEARD_S

log = logging.getLogger(__name__)

BROKER, DATABASE, OWN_CLOCK, TURNED_AWAY = "broker", "database", "clock", "turned-away"
SET_ASIDE, OWN_CERTIFICATE = "set-aside", "certificate"
"""What may be wrong with a hall; of SET_ASIDE, that what lay beside its database was of another."""
WORST_FIRST = (BROKER, DATABASE, SET_ASIDE, TURNED_AWAY, OWN_CERTIFICATE, OWN_CLOCK)
PROBE_EVERY_S = 1.0
"""How often the database is written to although nothing comes: a disk that is full is known before a move is lost."""
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
REACH_S = 2.0
"""How long a broker may take to say why it cannot be reached."""


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
        self._living: tuple[str, ...] = (self.run,)
        """The halls on this database that were heard lately, this one always among them."""
        self._connected_s: float | None = None
        self._written_s = steady()
        self._why = dict.fromkeys((DATABASE, TURNED_AWAY, SET_ASIDE, OWN_CERTIFICATE), "")
        self._why[BROKER] = "not connected yet"
        self._intake_problem = ""
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
                log.warning("broker: %s", why)
                self._breaks.append(self._steady())
            self._connected_s, self._why[BROKER] = None, why

    def broker_refused(self, why: str) -> None:
        """The broker, or the way to it, let nobody in."""
        with self._lock:
            if self._why[BROKER] != why:
                log.warning("broker: %s", why)
            self._connected_s, self._why[BROKER] = None, why

    def heard_pulse(self, run: str, store: str) -> None:
        """A hall on the same database has said that it lives; this one, or another."""
        if store == self.store:
            with self._lock:
                self._halls[run] = self._steady()

    def heard_goodbye(self, run: str) -> None:
        """A hall has ended, or its line has: the others have its boards at once."""
        if run != self.run:
            with self._lock:
                self._halls.pop(run, None)
                self._living = tuple(sorted({self.run, *self._halls}))

    def owns_board(self, board: str) -> bool:
        """Whether this hall stores the events of a board: of the halls that live the one with the highest hash."""
        halls = self._living
        return len(halls) == 1 or max(halls, key=lambda run: _rank_hall(run, board)) == self.run

    def database_failed(self, error: Exception) -> None:
        """It did not take something."""
        why = first_line(error)
        if any(word in why for word in NO_ROOM):
            why = f"{why}: make room on the disk of {self._place or 'the database'}"
        with self._lock:
            if not self._why[DATABASE]:
                log.warning("the database does not take it: %s", why)
            self._why[DATABASE] = why

    def database_wrote(self) -> None:
        """It took something."""
        with self._lock:
            if self._why[DATABASE]:
                log.warning("the database takes it again")
            self._written_s, self._why[DATABASE] = self._steady(), ""

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
            if not_stored := self._why[DATABASE] or self._intake_problem:
                wrong[DATABASE] = not_stored
            elif now - self._written_s >= NOT_HEARD_S:
                wrong[DATABASE] = "it does not answer"
            by_itself = TURNED_AWAY, SET_ASIDE, OWN_CERTIFICATE
            wrong |= {what: why for what in by_itself if (why := self._why[what])}
            self._halls = {run: at for run, at in self._halls.items() if now - at < GONE_S or run == self.run}
            self._living = tuple(sorted({self.run, *self._halls}))
            before = set(self._faults)
            self._faults = {
                what: HallFault(what, why, self._faults[what].since if what in self._faults else time.time())
                for what, why in wrong.items()
            }
            return before != set(self._faults)

    def _find_broker_fault(self, now: float) -> str:
        """Why nothing is heard by the broker, in a line; empty while it carries."""
        if len(self._breaks) == BREAKS and now - self._breaks[0] < BREAKS_WITHIN_S:
            return TAKEN_OVER
        if self._connected_s is None:
            return self._why[BROKER]
        heard_s = self._halls.get(self.run, self._connected_s)
        return "it is connected, but carries nothing" if now - heard_s >= CARRIES_NOTHING_S else ""

    def current_faults(self) -> list[HallFault]:
        """What is wrong, the worst first."""
        with self._lock:
            return [self._faults[what] for what in WORST_FIRST if what in self._faults]


def _rank_hall(run: str, board: str) -> bytes:
    return hashlib.blake2b(f"{run} {board}".encode(), digest_size=8).digest()


class Probe(threading.Thread):
    """Writes to the database although nothing comes, asks a broker that does not let in why, and looks whom it turns
    away and how long the certificate is good; beside all else, because each may take as long as it likes."""

    def __init__(
        self,
        engine: sa.Engine,
        broker: Broker,
        vitals: HallVitals,
        turned_away: Callable[[], Collection[str]] = tuple,
        certificate: Callable[[], str] = str,
    ) -> None:
        """`turned_away` says from where somebody came lately whom the broker does not know, `certificate` what is to
        be done about the hall's."""
        super().__init__(name="probe", daemon=True)
        self._engine, self._broker, self._vitals = engine, broker, vitals
        self._turned_away, self._certificate = turned_away, certificate
        self._end = threading.Event()

    def stop_probing(self) -> None:
        """Ask no more."""
        self._end.set()

    def run(self) -> None:
        """The thread."""
        while not self._end.wait(PROBE_EVERY_S):
            try:
                with self._engine.begin() as connection:
                    connection.execute(sa.update(STORED_ITSELF).values(beat=time.time()))
                self._vitals.database_wrote()
            except sa.exc.SQLAlchemyError as error:
                self._vitals.database_failed(error)
            self._vitals.note_turned_away(self._turned_away())
            if (file := find_file(self._engine)) is not None:
                self._vitals.note_set_aside(file.list_aside())
            self._vitals.note_certificate(self._certificate())
            if not self._vitals.is_connected and (why := explain_unreachable(self._broker)):
                self._vitals.broker_refused(why)


def explain_unreachable(broker: Broker) -> str:
    """Why a broker cannot be reached, in a line; empty if it can, whatever it says to who comes."""
    with suppress(InputError):  # said by the client itself
        try:
            with socket.create_connection((broker.host, broker.port), REACH_S) as line:
                if broker.tls and not broker.pin:
                    context = ssl.create_default_context(cafile=broker.ca)
                    with context.wrap_socket(line, server_hostname=broker.host):
                        return ""
        except ssl.SSLCertVerificationError as error:
            return why_not_accepted((broker.host, broker.port), error)
        except OSError as error:
            return f"it cannot be reached at {broker.host}:{broker.port}: {error.strerror or error}"
    return ""


def faults_to_json(faults: list[HallFault]) -> list[Mapping[str, object]]:
    """For pages and programs."""
    return [{"what": fault.what, "why": fault.why, "since": round(fault.since, 1)} for fault in faults]
