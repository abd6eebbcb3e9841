"""A database on a server (PostgreSQL): its address, why it cannot be used, and commits that nobody has answered.

No part of a password is ever in what is said: an address that cannot be read is not shown at all.
"""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from typing import Any

import sqlalchemy as sa

from engine.errors import InputError
from server.hall.desk.extras import install_command
from server.masking import mask_passwords

DRIVER = "postgresql+psycopg"
SERVER_SCHEMES = frozenset({"postgres", "postgresql", DRIVER})
"""How people write it, and what SQLAlchemy calls it."""
FILE_SCHEMES = frozenset({"sqlite", "sqlite+pysqlite"})
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+]{0,30}")
EXAMPLE = "postgresql://user@host:5432/name"
LOCK_S = 5
"""How long something that another program has locked is waited for: as long as for a file of SQLite. Less refuses what
two arbiters ask at once; more lets somebody look at a page that does not answer."""
COMMIT_S = 5.0
"""After so long a commit is not waited for any more: the server has it, and waits for its standby. Less gives up on a
standby behind a slow line; more than the 10 s of a page, and the page has given up first."""
CANCEL_S = 2.0
"""How long the server may take to be told so."""
_of_thread = threading.local()

REMEDIES = (
    (
        r"password authentication failed|no password supplied|empty password",
        "correct the password in the address, in PGPASSWORD or in ~/.pgpass",
    ),
    (r"role .* does not exist", "make that user there (createuser), or correct the user in the address"),
    (
        r"database .* does not exist",
        "make it there (createdb) and restore its backup if it had one, or correct the name in the address",
    ),
    (r"no pg_hba\.conf entry", "allow that user from this computer in the server's pg_hba.conf"),
    (r"permission denied|must be owner", "make that user the owner of the database and of its tables"),
    (r"Connection refused", "start PostgreSQL there, or correct host and port in the address"),
    (r"No such file or directory", "start PostgreSQL, or name its host in the address"),
    (r"resolve host|translate host name", "correct the host in the address"),
    (r"timeout expired|[Tt]imed out|No route|unreachable", "check that its computer runs and the network leads there"),
    (r"is starting up|shutting down|recovery mode", "wait until it has started, then try again"),
    (r"too many clients|connection slots", "raise max_connections there, or end programs that are connected"),
    (
        r"relation .* does not exist|no such table",
        "a table is missing: restore a backup of the database, or name another with --database",
    ),
    (r"read-only transaction", "this server only repeats another one: name the one that can be written"),
)
"""What PostgreSQL and its library say -> what to do; both say it in other words where they speak another language."""
ELSE = "see the messages of the database server"


def read_address(text: str) -> sa.URL:
    """The address of a database, with the driver by which it is asked. InputError names what cannot be used."""
    scheme, _, rest = text.partition("://")
    hidden = f"database {scheme}://...: " if SCHEME.fullmatch(scheme) else "database: "
    if scheme.lower() not in SERVER_SCHEMES | FILE_SCHEMES:
        raise InputError(f"{hidden}a hall stores in PostgreSQL or in a file of SQLite: give {EXAMPLE}, or a path")
    try:
        address = sa.make_url(text)
    except (ValueError, sa.exc.ArgumentError):
        address = None
    if scheme.lower() in FILE_SCHEMES and address is not None:
        return address
    if rest.partition("?")[0].count("@") > 1 and (address is None or "@" in (address.host or "")):
        raise InputError(f"{hidden}an @ in the password, or in the user's name, is written as %40")
    if address is None:
        raise InputError(
            f"{hidden}is no address, or its port is no number: write {EXAMPLE}; in a password : / @ are %3A %2F %40"
        )
    return address.set(drivername=DRIVER)


def describe_address(address: sa.URL) -> str:
    """Where a database is, without what opens it."""
    if address.get_backend_name() == "sqlite":
        return mask_passwords(address.render_as_string())
    return address.set(drivername="postgresql", query={}).render_as_string()


def describe_database(text: str) -> str:
    """The same of what somebody has named, an address or a path. InputError as `read_address`."""
    return describe_address(read_address(text)) if "://" in text else text


def create_server_engine(address: sa.URL) -> sa.Engine:
    """An engine that has connected to nothing yet. InputError where its library is not installed."""
    try:
        engine = sa.create_engine(address, pool_pre_ping=True, connect_args={"connect_timeout": LOCK_S})
    except ImportError as error:
        where = describe_address(address)
        raise InputError(f"database {where}: {error}: {install_command('psycopg[binary]')}") from error
    sa.event.listen(engine, "connect", _bound_locks)
    return engine


def explain_refusal(error: Exception, address: sa.URL, otherwise: str = ELSE) -> str:
    """Why a database cannot be used, and what to do about that cause, or `otherwise`, in a line."""
    said = first_line(error)
    said = re.sub(r"^.*FATAL:\s*|^connection failed: ", "", said)
    for secret in (address.password, address.query.get("password")):
        if isinstance(secret, str) and secret:
            said = said.replace(secret, "...")
    advice = next((advice for cause, advice in REMEDIES if re.search(cause, said)), otherwise)
    return f"database {describe_address(address)}: {said}: {advice}"


def first_line(error: Exception) -> str:
    """What a database, or the system, says of a failure, without the toolkit's own words around it."""
    said = str(getattr(error, "orig", None) or getattr(error, "strerror", None) or error).strip()
    return said.partition("\n")[0][:300] or type(error).__name__


def forget_commits() -> None:
    """Somebody asks for something in this thread: from here on it is noted whether something of it is kept."""
    _of_thread.kept = False


def may_be_kept() -> bool:
    """Whether something that was asked for in this thread is kept, or nobody knows whether it is."""
    return bool(getattr(_of_thread, "kept", False))


def watch_commits(engine: sa.Engine) -> None:
    """Note commits for `may_be_kept`; and end those of a server that waits for a standby which does not come."""
    dialect: Any = engine.dialect
    inner, is_server = dialect.do_commit, dialect.name != "sqlite"

    def commit_noted(connection: Any) -> None:
        try:
            if is_server:
                _commit_in_time(connection, inner, dialect)
            else:
                inner(connection)
        except dialect.dbapi.Error as error:
            # an error is an answer, nothing is kept then; a line that breaks is none
            if is_server and dialect.is_disconnect(error, connection.driver_connection, None):
                _of_thread.kept = True
            raise
        _of_thread.kept = True

    dialect.do_commit = commit_noted


def _commit_in_time(connection: Any, inner: Any, dialect: Any) -> None:
    """Commit; an error of the driver where the server has it and its standby, which has to have it too, has not."""
    driver, warned, answered, is_late = connection.driver_connection, list[str](), threading.Event(), threading.Event()

    def note_warning(notice: Any) -> None:
        if notice.severity_nonlocalized == "WARNING":
            warned.append(str(notice.message_primary))

    def give_up() -> None:
        if not answered.wait(COMMIT_S):
            is_late.set()
            with suppress(Exception):  # then it is waited for on: there is no other way to end it
                driver.cancel_safe(timeout=CANCEL_S)

    watching = threading.Thread(target=give_up, name="commit", daemon=True)
    driver.add_notice_handler(note_warning)
    watching.start()
    try:
        inner(connection)
    finally:
        answered.set()
        driver.remove_notice_handler(note_warning)
        watching.join()  # so that it ends no later statement
    if is_late.is_set() and warned:
        _of_thread.kept = True
        raise dialect.dbapi.OperationalError(
            f"no standby has confirmed within {COMMIT_S:.0f} s what was to be kept ({warned[0]}): start the standby, "
            "or see synchronous_standby_names"
        )


def _bound_locks(connection: Any, _record: object) -> None:
    """Nothing that is locked is waited for without end."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{LOCK_S}s'")
    connection.commit()
