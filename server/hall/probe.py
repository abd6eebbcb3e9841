"""Looks after what the hall rests on, beside all else: whether the database takes what is written, and is what it was;
why a broker does not let in."""

from __future__ import annotations

import logging
import socket
import ssl
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

import sqlalchemy as sa

from engine.errors import InputError
from server.hall.desk.database import (
    METADATA,
    STORED_ABSENCES,
    STORED_ENTRANTS,
    STORED_EVENTS,
    STORED_TABLES,
    STORED_TOURNAMENTS,
    WRITTEN_ALL_THE_TIME,
    find_file,
)
from server.hall.desk.hall_vitals import HallVitals
from server.hall.neighbours import Neighbours, NotWholeError
from server.mqtt.broker import Broker
from server.mqtt.certificates import why_not_accepted

log = logging.getLogger(__name__)

PROBE_EVERY_S = 1.0
"""How often the database is written to although nothing comes: a disk that is full is known before a move is lost."""
LOOKS_AGAIN_S = 0.25
"""As often as halls are heard, until it is known who else uses the database."""
SPEAKS_TLS = "the port speaks TLS, and the address does not: write mqtts:// in the place of mqtt://"
REACH_S = 2.0
"""How long a broker may take to say why it cannot be reached."""
TRIED_TABLES = [table for table in METADATA.sorted_tables if table not in WRITTEN_ALL_THE_TIME]
"""Those that are not written all the time."""
NEVER_CHANGED = (STORED_EVENTS,)
TAKEN_FROM = (STORED_TOURNAMENTS, STORED_ENTRANTS, STORED_ABSENCES, STORED_TABLES)
"""Tables in which rows are never changed, and those from which rows are taken: no hall asks for more rights."""
BLANK: Mapping[type, object] = {str: "", int: 0, float: 0.0, bool: False}
SAYS_GOODBYE_S = 2.0
"""How long the end waits for a database that may not answer."""


class Probe(threading.Thread):
    """Writes to the database although nothing comes, asks a broker that does not let in why, and looks whom it turns
    away and how long the certificate is good; beside all else, because each may take as long as it likes."""

    def __init__(
        self,
        neighbours: Neighbours,
        engine: sa.Engine,
        broker: Broker,
        vitals: HallVitals,
        reread: Callable[[], object],
        follow: Callable[[], object],
        turned_away: Callable[[], Collection[str]] = tuple,
        certificate: Callable[[], str] = str,
    ) -> None:
        """`reread` is called where the database may have been set back, until it raises nothing, `follow` every time
        that it is well. `turned_away` says from where somebody came lately whom the broker does not know, `certificate`
        what is to be done about the hall's. Until the first look the hall writes nothing that boards say."""
        super().__init__(name="probe", daemon=True)
        self._neighbours, self._engine, self._broker, self._vitals = neighbours, engine, broker, vitals
        self._reread, self._follow = reread, follow
        self._turned_away, self._certificate = turned_away, certificate
        self._end = threading.Event()
        self._was_away, self._is_untried = False, True
        vitals.keep_out()

    def stop_probing(self) -> None:
        """Ask no more; a database that answers is told that this hall has ended."""
        self._end.set()
        self.join(SAYS_GOODBYE_S)

    def run(self) -> None:
        """The thread."""
        while True:
            self._look_after_database()
            self._vitals.note_turned_away(self._turned_away())
            if (file := find_file(self._engine)) is not None:
                self._vitals.note_set_aside(file.list_aside())
            self._vitals.note_certificate(self._certificate())
            if not self._vitals.is_connected and (why := explain_unreachable(self._broker)):
                self._vitals.broker_refused(why)
            if self._end.wait(PROBE_EVERY_S if self._vitals.is_let_in else LOOKS_AGAIN_S):
                break
        with suppress(sa.exc.SQLAlchemyError):
            self._neighbours.sign_out()

    def _look_after_database(self) -> None:
        """Whether it takes something, and is the one that it was."""
        try:
            is_set_back = self._neighbours.sign_in()
            if is_set_back:
                self._vitals.note_set_back()
            if self._was_away or is_set_back:  # also one that was away may have come back as it was before
                self._was_away = self._is_untried = True
                self._reread()
                self._was_away = False
            self._neighbours.judge_others()
            self._follow()
        except sa.exc.SQLAlchemyError as error:
            self._was_away = True
            if isinstance(error, NotWholeError):
                self._vitals.keep_out()
            self._vitals.database_failed(error)
            return
        self._try_tables()
        self._vitals.database_wrote()

    def _try_tables(self) -> None:
        """Whether tables take what the hall writes, all at first and then those that have refused something: a role may
        lack a right in one of them."""
        for table in TRIED_TABLES:
            if self._is_untried or table.name in self._vitals.refused_tables():
                try:
                    try_table(self._engine, table, self._vitals.run)
                    self._vitals.database_wrote(table.name, is_trial=True)
                except sa.exc.SQLAlchemyError as error:
                    self._vitals.database_failed(error)
        self._is_untried = False


def try_table(engine: sa.Engine, table: sa.Table, run: str) -> None:
    """Do with a row of this hall's own in a table what the hall does there, and leave nothing of it; SQLAlchemyError
    where it cannot."""
    texts = {column: column.type for column in table.columns if isinstance(column.type, sa.String)}
    row = {column.name: BLANK[column.type.python_type] for column in table.columns if column.autoincrement is not True}
    row |= {
        column.name: run[: kind.length]
        for column, kind in texts.items()
        if column.primary_key or column.name == "board"
    }
    its = next(column for column in texts if column.name in row) == run
    with engine.connect() as connection:
        connection.execute(sa.insert(table).values(row))
        connection.execute(sa.select(table).where(its)).all()
        if table not in NEVER_CHANGED:
            connection.execute(sa.update(table).where(its).values({[*texts][-1].name: ""}))
        if table in TAKEN_FROM:
            connection.execute(sa.delete(table).where(its))
        connection.rollback()


def explain_unreachable(broker: Broker) -> str:
    """Why a broker cannot be reached, in a line; empty if it can, whatever it says to who comes."""
    with suppress(InputError):  # said by the client itself
        try:
            with socket.create_connection((broker.host, broker.port), REACH_S) as line:
                if broker.tls and not broker.pin:
                    context = ssl.create_default_context(cafile=broker.ca)
                    with context.wrap_socket(line, server_hostname=broker.host):
                        return ""
                if not broker.tls and _speaks_tls(line):
                    return SPEAKS_TLS
        except ssl.SSLCertVerificationError as error:
            return why_not_accepted((broker.host, broker.port), error)
        except OSError as error:
            return f"it cannot be reached at {broker.host}:{broker.port}: {error.strerror or error}"
    return ""


def _speaks_tls(line: socket.socket) -> bool:
    """Whether who answers there does, whatever its certificate; one who does not closes the line."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # nothing is said to it
    try:
        with context.wrap_socket(line):
            return True
    except OSError:
        return False
