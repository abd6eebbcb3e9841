"""The tables of a record: how they are made, brought up from older versions, and whether they are as they were made.

Version 2 added the summaries; version 3 the places, so that no computer's clock says which game was the last; version 4
the names in the summaries.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import astuple

from server.record.summary import Summary

SCHEMA_VERSION = 4
"""Of the tables below; kept in SQLite's user_version."""
ENCODING = "UTF-8"

GUARD = """CREATE TRIGGER events_stay BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"""
STAND = """CREATE TRIGGER events_stand BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"""
EVENTS_TABLE = """CREATE TABLE events (
    game TEXT NOT NULL,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (game, number)
) WITHOUT ROWID"""
SUMMARIES = """CREATE TABLE summaries (
    name TEXT PRIMARY KEY, game TEXT NOT NULL, rules TEXT NOT NULL, begun TEXT NOT NULL,
    plies INTEGER NOT NULL, result TEXT NOT NULL, events INTEGER NOT NULL, head TEXT NOT NULL,
    details TEXT NOT NULL
) WITHOUT ROWID"""
PLACES_TABLE = "CREATE TABLE places (place INTEGER PRIMARY KEY, game TEXT NOT NULL UNIQUE, hash TEXT NOT NULL)"
"""The order of the games: from 1 up as they were begun, from -1 down those that came out of files."""
ALL = (EVENTS_TABLE, STAND, GUARD, SUMMARIES, PLACES_TABLE)
ONLY_HERE = {"events_stay", "events_stand", "summaries", "places"}
"""By one of these a record is known, whatever else is damaged; a table of events other programs have too."""
OF_EVENT = ["game", "number", "event", "previous", "hash"]
"""The columns of ours, all that the first version had."""
NEW_PLACE = {
    False: "SELECT MAX(COALESCE(MAX(place), 0), 0) + 1 FROM places",
    True: "SELECT MIN(COALESCE(MIN(place), 0), 0) - 1 FROM places",
}
"""Whether a game comes out of a file -> its place, behind all of its kind."""


def upgrade_tables(db: sqlite3.Connection) -> int:
    """Make the tables, or what is missing of them; the version that was found. Within a transaction."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version == 0:
        for statement in (EVENTS_TABLE, STAND, GUARD):
            db.execute(statement)
    if version in {2, 3}:
        db.execute("DROP TABLE summaries")
    if version < SCHEMA_VERSION:
        _build_summaries(db)
    if version < 3:
        db.execute(PLACES_TABLE)
        for (game,) in db.execute("SELECT name FROM summaries ORDER BY begun, name").fetchall():
            assign_place(db, game, out_of_a_file=False)
        for name, statement in (("events_stand", STAND), ("events_stay", GUARD)):
            db.execute(f"DROP TRIGGER IF EXISTS {name}")
            db.execute(statement)
    if version < SCHEMA_VERSION:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    return int(version)


def is_blank(db: sqlite3.Connection) -> bool:
    """Whether there is nothing in a file."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return version == 0 and not db.execute("SELECT 1 FROM sqlite_master").fetchone()


def is_foreign(db: sqlite3.Connection) -> bool:
    """Whether there is something in a file, and nothing that only a record has."""
    names = {str(name) for (name,) in db.execute("SELECT name FROM sqlite_master")}
    columns = [str(row[1]) for row in db.execute("PRAGMA table_info(events)")]
    return bool(names) and not names & ONLY_HERE and columns != OF_EVENT


def store_summary(db: sqlite3.Connection, summary: Summary) -> None:
    """Replace what is known of a game."""
    db.execute("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", astuple(summary))


def assign_place(db: sqlite3.Connection, game: str, *, out_of_a_file: bool) -> None:
    """Give a new game its place behind the others of its kind."""
    (number,) = db.execute(NEW_PLACE[out_of_a_file]).fetchone()
    db.execute("INSERT INTO places VALUES (?, ?, ?)", (number, game, _hash_place(number, game)))


def is_placed(db: sqlite3.Connection, game: str) -> bool:
    """Whether the game is at the place that it was given."""
    row = db.execute("SELECT place, hash FROM places WHERE game = ?", (game,)).fetchone()
    return row is not None and row[1] == _hash_place(row[0], game)


def read_places(db: sqlite3.Connection) -> dict[str, int]:
    """Game -> its place, in order; below 0 for one that was taken over from a file."""
    return {str(game): int(number) for game, number in db.execute("SELECT game, place FROM places ORDER BY place")}


def find_schema_faults(db: sqlite3.Connection) -> list[str]:
    """What is not as it was made: text encoding, version, tables with their columns, append-only triggers; a line each.

    What SQLite says of damaged tables is an sqlite3.Error, or a ValueError where a name is no text.
    """
    (encoding,) = db.execute("PRAGMA encoding").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    found = [] if encoding == ENCODING else [f"the text encoding is {encoding}, not {ENCODING}"]
    found += [] if version == SCHEMA_VERSION else [f"the version is {version}, not {SCHEMA_VERSION}"]
    fresh = sqlite3.connect(":memory:")
    for statement in ALL:
        fresh.execute(statement)
    wanted, has = _read_schema(fresh), _read_schema(db)
    fresh.close()
    found += [f"{kind} {name} is missing" for kind, name in wanted.keys() - has.keys()]
    found += [f"{kind} {name} does not belong there" for kind, name in has.keys() - wanted.keys()]
    other = [key for key in wanted.keys() & has.keys() if wanted[key] != has[key]]
    found += [f"{kind} {name} is not as it was made" for kind, name in other]
    return sorted(found)


def _read_schema(db: sqlite3.Connection) -> dict[tuple[str, str], tuple[str, str]]:
    """Kind and name of all that a file is made of -> its table and its definition, whatever the spaces in it."""
    rows = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {(str(kind), str(name)): (str(table), "".join(str(sql).split())) for kind, name, table, sql in rows}


def _hash_place(number: int, game: str) -> str:
    """What a place carries, so that a changed one shows."""
    return hashlib.sha256(f"{number}\n{game}".encode()).hexdigest()


def _build_summaries(db: sqlite3.Connection) -> None:
    """Make the summaries of a file that has none."""
    db.execute(SUMMARIES)
    known: dict[str, Summary] = {}
    for game, text, head in db.execute("SELECT game, event, hash FROM events ORDER BY game, number"):
        known[game] = known.get(game, Summary(game)).after_event(json.loads(text), head)
    for summary in known.values():
        store_summary(db, summary)
