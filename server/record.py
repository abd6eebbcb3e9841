"""The game record: an append-only SQLite file that survives a power cut, any number of games in one file.

Every event is one committed transaction in a write-ahead log that is flushed to the disk. Each row carries the hash of
the row before, so that a record that was changed afterwards shows it. This file is the only one that may stop a game.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from engine.errors import InputError

VERSION = 1
"""Of the table below; kept in SQLite's user_version."""
PATIENCE_S = 5.0
"""How long to wait while another program writes to the same file."""

TABLE = """
CREATE TABLE events (
    game TEXT NOT NULL,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (game, number)
) WITHOUT ROWID;
CREATE TRIGGER events_stand BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
"""


class Record:
    """An open record. Belongs to the thread that opened it; readers elsewhere open their own."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def append(self, game: str, event: Mapping[str, object]) -> int:
        """Add one event to a game; it is on the disk when this returns. Its number, counted from 1."""
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        with _transaction(self._db):
            number, previous = self._last(game)
            self._db.execute(
                "INSERT INTO events VALUES (?, ?, ?, ?, ?)", (game, number + 1, text, previous, _link(previous, text))
            )
        return number + 1

    def events(self, game: str) -> list[dict[str, object]]:
        """The events of a game in the order they happened; empty for an unknown game."""
        rows = self._db.execute("SELECT event FROM events WHERE game = ? ORDER BY number", (game,))
        return [json.loads(text) for (text,) in rows]

    def games(self) -> dict[str, int]:
        """Every game with the number of its events."""
        return dict(self._db.execute("SELECT game, COUNT(*) FROM events GROUP BY game ORDER BY game"))

    def broken_at(self, game: str) -> int | None:
        """The number of the first event whose hash or place is wrong, None when the chain holds."""
        last = _genesis(game)
        rows = self._db.execute(
            "SELECT number, event, previous, hash FROM events WHERE game = ? ORDER BY number", (game,)
        )
        for expected, (number, text, previous, stated) in enumerate(rows, start=1):
            if number != expected or previous != last or stated != _link(previous, text):
                return expected
            last = stated
        return None

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Record:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _last(self, game: str) -> tuple[int, str]:
        row = self._db.execute(
            "SELECT number, hash FROM events WHERE game = ? ORDER BY number DESC LIMIT 1", (game,)
        ).fetchone()
        return (row[0], row[1]) if row else (0, _genesis(game))


def open_record(path: Path | str) -> Record:
    """Open a record, or begin one; InputError when the file is something else or of a newer version."""
    try:
        connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        with _transaction(connection):
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version == 0:
                for statement in TABLE.strip().split(";\n"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {VERSION}")
    except sqlite3.Error as error:
        raise InputError(
            f"record {path}: {error}: name a record of this program, or a file that is not there"
        ) from error
    if version > VERSION:
        connection.close()
        raise InputError(f"record {path}: its version {version} is newer than {VERSION}: update camelot-referee")
    return Record(connection)


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; taken for writing from the start, so that two writers queue instead of failing half-way."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _genesis(game: str) -> str:
    return hashlib.sha256(game.encode()).hexdigest()


def _link(previous: str, text: str) -> str:
    return hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()
