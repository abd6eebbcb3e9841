"""The game record: an append-only SQLite file that survives a power cut, any number of games in one file.

Every event is one committed transaction in a write-ahead log that is flushed to the disk. Each row carries the hash of
the row before, so that a record that was changed afterwards shows it. This file is the only one that may stop a game.
Version 2 added the summaries; an older file gets them when it is opened.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from types import TracebackType

from engine.errors import InputError
from server.summary import Summary

VERSION = 2
"""Of the tables below; kept in SQLite's user_version."""
PATIENCE_S = 5.0
"""How long to wait while another program writes to the same file."""

GUARD = """CREATE TRIGGER events_stay BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"""
EVENTS = (
    """CREATE TABLE events (
        game TEXT NOT NULL,
        number INTEGER NOT NULL,
        event TEXT NOT NULL,
        previous TEXT NOT NULL,
        hash TEXT NOT NULL,
        PRIMARY KEY (game, number)
    ) WITHOUT ROWID""",
    """CREATE TRIGGER events_stand BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END""",
    GUARD,
)
SUMMARIES = """CREATE TABLE summaries (
    name TEXT PRIMARY KEY, game TEXT NOT NULL, rules TEXT NOT NULL, begun TEXT NOT NULL,
    plies INTEGER NOT NULL, result TEXT NOT NULL, events INTEGER NOT NULL, head TEXT NOT NULL
) WITHOUT ROWID"""


class Record:
    """An open record. Belongs to the thread that opened it; readers elsewhere open their own."""

    def __init__(self, connection: sqlite3.Connection, where: str) -> None:
        self._db, self._where = connection, where

    def append(self, game: str, event: Mapping[str, object]) -> int:
        """Add one event to a game; it is on the disk when this returns. Its number, counted from 1.

        InputError if the disk does not take it: then nothing of it is in the record.
        """
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        try:
            with _transaction(self._db):
                before = self.summary(game) or Summary(game)
                number, previous = before.events + 1, before.head or _genesis(game)
                head = _link(previous, text)
                self._db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", (game, number, text, previous, head))
                _keep(self._db, before.after(event, head))
        except sqlite3.OperationalError as error:
            raise InputError(
                f"record, {game}: {error}: all before is kept; make the disk writable, with space, and start again"
            ) from error
        return number

    def events(self, game: str) -> list[dict[str, object]]:
        """The events of a game in the order they happened; empty for an unknown game."""
        rows = self._db.execute("SELECT event FROM events WHERE game = ? ORDER BY number", (game,))
        return [json.loads(text) for (text,) in rows]

    def summary(self, game: str) -> Summary | None:
        """What is known of a game; None for an unknown one."""
        row = self._db.execute("SELECT * FROM summaries WHERE name = ?", (game,)).fetchone()
        return Summary(*row) if row else None

    def summaries(self) -> list[Summary]:
        """All games, the newest first; those of recordings, which have no date, last."""
        return [Summary(*row) for row in self._db.execute("SELECT * FROM summaries ORDER BY begun DESC, name DESC")]

    def games(self) -> dict[str, int]:
        """Every game with the number of its events."""
        return dict(self._db.execute("SELECT name, events FROM summaries ORDER BY name"))

    def broken_at(self, game: str) -> int | None:
        """The number of the first event that was changed, moved, added or removed; None when the chain holds.

        A summary that says otherwise than its events counts as the last of them.
        """
        built, number = Summary(game, head=_genesis(game)), 0
        rows = self._db.execute(
            "SELECT number, event, previous, hash FROM events WHERE game = ? ORDER BY number", (game,)
        )
        for number, (stated, text, previous, head) in enumerate(rows, start=1):
            if stated != number or previous != built.head or head != _link(previous, text):
                return number
            built = built.after(json.loads(text), head)
        known = self.summary(game)
        if known is None or known.events < number:
            return (known.events if known else 0) + 1
        if known.events > number:
            return number + 1
        return None if known == built else number

    def chained(self) -> list[str]:
        """Names of all games that have events or a summary, for checking."""
        return [name for (name,) in self._db.execute("SELECT game FROM events UNION SELECT name FROM summaries")]

    def every(self, *kinds: str) -> Iterator[tuple[str, int, dict[str, object]]]:
        """Game, number and content of every event of these kinds, in all games."""
        for game, number, text in self._db.execute("SELECT game, number, event FROM events ORDER BY game, number"):
            if any(f'"event":"{kind}"' in text for kind in kinds):
                yield game, number, json.loads(text)

    def damage(self) -> str | None:
        """What SQLite finds wrong with the file itself, None if nothing."""
        (answer,) = self._db.execute("PRAGMA integrity_check(1)").fetchone()
        return None if answer == "ok" else " ".join(str(answer).replace("*", "").split())

    def delete(self, game: str) -> None:
        """Remove a game for good; the only way past the guard that keeps the record append-only."""
        with _transaction(self._db):
            self._db.execute("DROP TRIGGER events_stay")
            self._db.execute("DELETE FROM events WHERE game = ?", (game,))
            self._db.execute("DELETE FROM summaries WHERE name = ?", (game,))
            self._db.execute(GUARD)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Record:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
        if isinstance(error, sqlite3.DatabaseError):
            raise InputError(damaged(self._where, error)) from error


def damaged(where: str, error: sqlite3.Error) -> str:
    """One line about a file that SQLite cannot read any more."""
    return f"record {where}: damaged: {error}: take a copy of it back; docs/record.md says how to save what is left"


def open_record(path: Path | str) -> Record:
    """Open a record, or begin one; InputError when the file is something else or of a newer version."""
    try:
        connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        with _transaction(connection):
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version == 0:
                for statement in EVENTS:
                    connection.execute(statement)
            if version < VERSION:
                _summarize(connection)
                connection.execute(f"PRAGMA user_version = {VERSION}")
    except sqlite3.Error as error:
        if "malformed" in str(error):
            raise InputError(damaged(str(path), error)) from error
        if isinstance(error, sqlite3.OperationalError):
            advice = "its folder must be there and writable, with space; with its -wal file it can be read elsewhere"
        else:
            advice = "name a record of this program, or a file that is not there"
        raise InputError(f"record {path}: {error}: {advice}") from error
    if version > VERSION:
        connection.close()
        raise InputError(f"record {path}: its version {version} is newer than {VERSION}: update camelot-referee")
    return Record(connection, str(path))


def read_record(path: Path) -> Record:
    """Open a record that is there for reading alone: never a lock that the game would wait for; InputError as above."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=PATIENCE_S)
        connection.execute("PRAGMA query_only = ON")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error as error:
        raise InputError(f"record {path}: {error}: name a record of this program") from error
    if version != VERSION:
        connection.close()
        raise InputError(f"record {path}: its version is {version}, not {VERSION}: `referee games list` brings it up")
    return Record(connection, str(path))


def default_path() -> Path:
    """Where games are kept when nothing else is said: the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "camelot-referee" / "games.sqlite3"


def made(path: Path) -> Path:
    """`path`, with its folder there. InputError if it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--record {path}: {error.strerror}") from error
    return path


def existing(path: Path | None) -> Path:
    """The record to read: `path`, or the user's own. InputError if there is none yet."""
    chosen = path or default_path()
    if not chosen.is_file():
        raise InputError(f"record {chosen}: there is none; play a game first, or name another with --record")
    return chosen


def _summarize(db: sqlite3.Connection) -> None:
    """Make the summaries of a file that has none."""
    db.execute(SUMMARIES)
    known: dict[str, Summary] = {}
    for game, text, head in db.execute("SELECT game, event, hash FROM events ORDER BY game, number"):
        known[game] = known.get(game, Summary(game)).after(json.loads(text), head)
    for summary in known.values():
        _keep(db, summary)


def _keep(db: sqlite3.Connection, summary: Summary) -> None:
    db.execute("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", astuple(summary))


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; taken for writing from the start, so that two writers queue instead of failing half-way."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:  # a full disk may have ended it already
            db.execute("ROLLBACK")
        raise
    try:
        db.execute("COMMIT")
    except sqlite3.Error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _genesis(game: str) -> str:
    return hashlib.sha256(game.encode()).hexdigest()


def _link(previous: str, text: str) -> str:
    return hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()
