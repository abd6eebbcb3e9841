"""A hall's database is copied into another, whole: boards see the same hall there, and have nothing to do."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from engine.errors import InputError
from server.disk import WHOLE_DATABASE
from server.hall.desk.database import METADATA, STORED_EVENTS, STORED_GAMES, STORED_ITSELF, open_database
from server.hall.desk.database_file import MADE
from server.hall.desk.database_server import describe_database, first_line, read_address
from server.hall.probe import PROBE_EVERY_S

AT_ONCE = 1000
"""Rows that are carried together."""
STILL_S = 3 * PROBE_EVERY_S
"""A hall that stores into a database writes a line in it all the time: after so long it would have."""


def move_database(source: str, target: str) -> Mapping[str, int]:
    """Copy every table from the database at `source` into that at `target`, in one transaction; how many rows each has.

    Read again afterwards, each has the same rows. InputError where a hall stores into the source now, where there is
    anything in the target, and where it does not take all; then it has nothing of it, as before.
    """
    with _opened(source) as read:
        _check_still(read, source)
        if file := _file_of(target):
            _check_no_file(file)
        engine = open_database(target, anew=True, check=lambda connection: _check_empty(connection, target))
        try:
            with read.connect() as connection, engine.begin() as into:
                counts = {table.name: _copy_table(connection, into, table) for table in METADATA.sorted_tables}
                _check_heads(into)
                _set_next_numbers(into)
        except (sa.exc.SQLAlchemyError, InputError) as error:
            engine.dispose()
            if file:
                for ending in (*WHOLE_DATABASE, MADE):
                    file.with_name(file.name + ending).unlink(missing_ok=True)
            raise InputError(
                f"hall move: {describe_database(target)}: {first_line(error)}: nothing was moved"
            ) from error
        engine.dispose()
    return counts


@contextmanager
def _opened(source: str) -> Iterator[sa.Engine]:
    """The database that is copied. InputError where it is not there."""
    if (file := _file_of(source)) and not file.exists():
        raise InputError(f"hall move: {file} is not there: name the database with --from")
    engine = open_database(source, is_known=True)
    try:
        yield engine
    finally:
        engine.dispose()


def _file_of(url: str) -> Path | None:
    """The file of an SQLite database; None for any other."""
    if "://" not in url:
        return Path(url)
    where = read_address(url)
    return Path(where.database) if where.get_backend_name() == "sqlite" and where.database else None


def _check_still(engine: sa.Engine, source: str) -> None:
    """InputError while a hall stores into it."""
    beats = []
    for wait_s in (STILL_S, 0.0):
        with engine.connect() as connection:
            beats.append(connection.execute(sa.select(STORED_ITSELF.c.beat)).scalar())
        time.sleep(wait_s)
    if beats[0] != beats[1]:
        raise InputError(f"hall move: a hall stores into {describe_database(source)} now: end it first (Ctrl-C)")


def _check_no_file(file: Path) -> None:
    """InputError where there is something under that name already."""
    if file.exists() and (not file.is_file() or file.stat().st_size):
        raise InputError(f"hall move: {file} has something in it: name another, or move it away first")


def _check_empty(connection: sa.Connection, target: str) -> None:
    """InputError where there is more in a database than the tables of a hall that has stored nothing."""
    there = sorted({*sa.inspect(connection).get_table_names()} - {"alembic_version"})
    for name in there:
        known = METADATA.tables.get(name)
        if known is None or connection.execute(sa.select(sa.literal(1)).select_from(known).limit(1)).first():
            raise InputError(
                f"hall move: {describe_database(target)} has something in it, {name}: name a database that is empty"
            )


def _copy_table(read: sa.Connection, into: sa.Connection, table: sa.Table) -> int:
    """Copy the rows of a table; how many. InputError where others are read afterwards."""
    before, sent = _Rows(), sa.insert(table)
    for rows in _read_rows(read, table):
        before.note_rows(rows)
        into.execute(sent, [dict(zip(table.columns.keys(), row, strict=True)) for row in rows])
    after = _Rows()
    for rows in _read_rows(into, table):
        after.note_rows(rows)
    if (before.count, before.total) != (after.count, after.total):
        raise InputError(f"of {before.count} rows of {table.name} {after.count} are there, and they are not the same")
    return before.count


def _read_rows(connection: sa.Connection, table: sa.Table) -> Iterator[list[tuple[object, ...]]]:
    """All rows of a table, some at a time."""
    with connection.execute(sa.select(table).execution_options(yield_per=AT_ONCE)) as found:
        for rows in found.partitions():
            yield [tuple(row) for row in rows]


class _Rows:
    """What rows come to, in any order: how many, and a sum of their hashes."""

    def __init__(self) -> None:
        self.count, self.total = 0, 0

    def note_rows(self, rows: list[tuple[object, ...]]) -> None:
        """Add them."""
        for row in rows:
            self.count += 1
            self.total += int.from_bytes(hashlib.sha256(repr(row).encode()).digest(), "big")


def _check_heads(connection: sa.Connection) -> None:
    """InputError for a game whose last event is not the one that its line names: boards would send it all again."""
    last = STORED_EVENTS.c
    joined = sa.join(
        STORED_GAMES,
        STORED_EVENTS,
        sa.and_(
            last.board == STORED_GAMES.c.board,
            last.game == STORED_GAMES.c.name,
            last.sequence == STORED_GAMES.c.events,
            last.hash == STORED_GAMES.c.head,
        ),
    )
    games = connection.execute(sa.select(sa.func.count()).select_from(STORED_GAMES)).scalar()
    whole = connection.execute(sa.select(sa.func.count()).select_from(joined)).scalar()
    if games != whole:
        raise InputError(f"of {games} games {whole} end with the event that their line names: the source is not whole")


def _set_next_numbers(connection: sa.Connection) -> None:
    """What PostgreSQL numbers by itself goes on after what was copied."""
    if connection.dialect.name != "postgresql":
        return
    for table in METADATA.sorted_tables:
        for number in (column for column in table.columns if column.autoincrement is True):
            highest = connection.execute(sa.select(sa.func.max(number))).scalar()
            if highest is not None:
                own = sa.func.pg_get_serial_sequence(table.name, number.name)
                connection.execute(sa.select(sa.func.setval(own, highest)))
