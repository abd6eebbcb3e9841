"""The game record: an append-only SQLite file that survives a power cut, any number of games in one file.

Every event is one committed transaction in a write-ahead log that is flushed to the disk, and moved into the file at
once: nothing is lost with the log. Each row carries the hash of the row before, so that a record that was changed
afterwards shows it. This file is the only one that may stop a game.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType

from engine.errors import InputError
from server.disk import FileStamp, create_private, identify_journal, stamp_file
from server.record import schema
from server.record.chain import encode_event, genesis_hash, hash_event
from server.record.playing import (
    check_name,
    check_not_missing,
    follow_link,
    note_closed,
    note_opened,
    set_stale_journal_aside,
)
from server.record.schema import SCHEMA_VERSION
from server.record.summary import Summary, parse_summary
from server.waits import (
    ANOTHER_FILE,
    MOVED,
    RecordHeld,
    Unwritable,
    classify_error,
    convert_errors,
    describe_failure,
    wait_for_file,
)

log = logging.getLogger(__name__)

PATIENCE_S = 5.0
"""How long to wait in silence while another program writes to the same file."""
LONGEST_LOCK_S = 600.0
"""How long a game waits for one before it ends: somebody may copy a large record to a slow stick. The camera is watched
meanwhile (server.board.upkeep.held)."""
IN_A_LOOP_S = 0.05
"""The same for a main loop, which has frames to take: it tries again later."""
DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading a damaged file raises: names of columns that are no text any more are Python's to say, not SQLite's."""
Seal = Callable[[str, int, str], Mapping[str, object]]
"""Game, number and hash of its last event -> the event that seals it so far (server.record.seal)."""
DAMAGED = ("malformed", "already exists", "no such table", "no such column", "unsupported")
"""What SQLite says of a file that is a record, and damaged, rather than something else or out of reach."""


class Record:
    """An open record. Belongs to the thread that opened it; readers elsewhere open their own."""

    def __init__(self, connection: sqlite3.Connection, where: str) -> None:
        self._db, self.where = connection, where
        self._stamp = stamp_file(where)
        self._mark = note_opened(Path(where))
        self._journal = identify_journal(where)
        self._version = _read_version(connection)
        self._last = Summary("")
        self.on_wait: Callable[[str], object] = log.warning
        """Told, once each time, that another program holds the file and is waited for."""
        self.on_reopened: Callable[[], object] = lambda: None
        """Told that the file under the name was opened anew; InputError where it must not be written."""
        self._waits = True

    def follow_game(self, game: str) -> None:
        """From now on nothing is written where the file does not have of this game what it has now."""
        self._last = self.find_summary(game) or Summary("")

    def disable_waiting(self) -> None:
        """From now on whoever finds that the record takes nothing is told so at once (Waits), and tries again."""
        self._db.execute(f"PRAGMA busy_timeout = {IN_A_LOOP_S * 1000:.0f}")
        self._waits = False

    def append_event(self, game: str, event: Mapping[str, object], seal: Seal | None = None) -> int:
        """Add one event to a game; it is on the disk when this returns. Its number, counted from 1.

        With it goes the event that `seal` makes of it. InputError if the disk does not take it: then nothing of it is
        in the record.
        """
        with self._write_transaction(game):
            self._check_last(game)
            number = self._insert_event(game, event)
            if seal is not None and (known := self.find_summary(game)) is not None:
                self._insert_event(game, seal(game, number, known.head))
            last = self.find_summary(game)
        self._last = last or Summary("")
        return number

    def import_games(self, games: Iterable[tuple[str, Iterable[Mapping[str, object]]]]) -> None:
        """Add whole games that come out of files, all or none; they stand behind those that were played here."""
        with self._write_transaction("import"):
            for game, events in games:
                for event in events:
                    self._insert_event(game, event, out_of_a_file=True)

    @contextmanager
    def _write_transaction(self, game: str) -> Iterator[None]:
        """A transaction; InputError if the disk does not take it."""
        try:
            self.check_place(game)
            with _run_transaction(self._db, self._begin_writing):
                yield
            self._move_journal()
        except DAMAGE as error:
            if not isinstance(error, sqlite3.Error):
                error = sqlite3.DatabaseError(str(error))
            raise wait_for_file(error, game, self.where) from error
        stamp = stamp_file(self.where)
        if stamp is not None and self._stamp is not None and stamp[:2] == self._stamp[:2]:
            self._stamp = stamp  # SQLite has moved its journal into the file
        self._journal = self._journal or identify_journal(self.where)

    def _move_journal(self) -> None:
        """Move what is in the journal into the file; what that does not take is moved with the next."""
        with suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._version = _read_version(self._db)

    def _begin_writing(self) -> None:
        """Begin to write. Another program that holds the file is waited for, up to LONGEST_LOCK_S."""
        end, told = time.monotonic() + LONGEST_LOCK_S, False
        while True:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if (
                    not (isinstance(classify_error(error, "", self.where), RecordHeld) and self._waits)
                    or time.monotonic() >= end
                ):
                    raise
                if not told:
                    self.on_wait("the record is held by another program: the game waits for it, and nothing is lost")
                told = True

    def check_place(self, game: str) -> None:
        """Waits where the file is not where it was: SQLite would go on writing into one that nobody finds again.

        One that came back, as a disk that was plugged in again, is opened anew if it has what was written last. So is
        one that was written into since, for nobody can tell SQLite, which moves its journal into the file, from a copy
        that was put over it; and SQLite does not look, and would mix what it remembers of the one with the other.
        """
        stamp = stamp_file(self.where)
        if stamp is None:
            raise Unwritable(game, "gone", MOVED)
        if stamp == self._stamp:
            if self._journal not in {None, identify_journal(self.where)}:
                self._begin_journal(game)
            return
        if not stamp.size:  # SQLite would take away the journal of an empty one
            raise Unwritable(game, "gone", ANOTHER_FILE)
        is_other = self._stamp is None or stamp[:2] != self._stamp[:2]
        if is_other and self._journal is not None and self._journal == identify_journal(self.where):
            raise Unwritable(game, "gone", ANOTHER_FILE)  # beside the journal of what was there, which would spoil it
        found = Record(_connect_reader(self.where), self.where)
        try:
            found._last = self._last
            found._check_last(game)
            if found.find_damage() or (self._last.name and found.find_broken_event(self._last.name)):
                raise Unwritable(game, "gone", ANOTHER_FILE)
        finally:
            found.close_file()
        if is_other:
            try:
                self.on_reopened()
            except InputError as error:
                raise Unwritable(game, "gone", ANOTHER_FILE) from error
        self._open_anew(stamp)

    def _begin_journal(self, game: str) -> None:
        """Open the file anew where its journal was taken away or replaced: SQLite would go on writing into the one that
        nobody finds again. Waits where the file is not whole then, or somebody reads it just now."""
        with suppress(sqlite3.ProgrammingError):  # closed by an attempt before this one
            if _read_version(self._db) == self._version:  # else another has written, beside a journal of its own
                (busy, *_) = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if busy:
                    raise Unwritable(game, "gone", ANOTHER_FILE)
            self._db.close()
        self._open_anew(stamp_file(self.where))
        journal, self._journal = self._journal, ()  # the next attempt comes here too, unless this one comes to its end
        self._check_last(game)
        if self.find_damage():
            raise Unwritable(game, "gone", ANOTHER_FILE)
        self._journal = journal
        log.warning("%s: its -wal or -shm was moved or deleted: nothing is lost, it is made anew", self.where)

    def _open_anew(self, stamp: FileStamp | None) -> None:
        """Write through another connection from now on, into what lies under the name."""
        self._db, self._stamp = _connect_file(self.where), stamp
        note_closed(self._mark)
        self._mark = note_opened(Path(self.where))
        self._db.execute(f"PRAGMA busy_timeout = {(PATIENCE_S if self._waits else IN_A_LOOP_S) * 1000:.0f}")
        self._version, self._journal = _read_version(self._db), identify_journal(self.where)

    def _check_last(self, game: str) -> None:
        """Waits where what was written last is not the last of its game any more."""
        if self._last.name and self.find_summary(self._last.name) != self._last:
            raise Unwritable(game, "gone", ANOTHER_FILE)

    def find_last(self, game: str) -> Summary | None:
        """What is known of a game: as it was written, whatever has become of the file since then, if it was the last
        that was written into; None for an unknown one."""
        return self._last if game == self._last.name else self.find_summary(game)

    def _insert_event(self, game: str, event: Mapping[str, object], *, out_of_a_file: bool = False) -> int:
        text = encode_event(event)
        known = self.find_summary(game)
        if known is None:
            schema.assign_place(self._db, game, out_of_a_file=out_of_a_file)
        before = known or Summary(game)
        number, previous = before.events + 1, before.head or genesis_hash(game)
        head = hash_event(previous, text)
        self._db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", (game, number, text, previous, head))
        schema.store_summary(self._db, before.after_event(event, head))
        return number

    def read_events(self, game: str) -> list[dict[str, object]]:
        """The events of a game in the order they happened; empty for an unknown game."""
        rows = self._db.execute("SELECT event FROM events WHERE game = ? ORDER BY number", (game,))
        return [_parse_event(text, game) for (text,) in rows]

    def read_links(self, game: str, after: int, most: int) -> list[tuple[int, dict[str, object], str, str]]:
        """At most `most` events after number `after`, in order: number, event, hash of the one before, own hash."""
        rows = self._db.execute(
            "SELECT number, event, previous, hash FROM events WHERE game = ? AND number > ? ORDER BY number LIMIT ?",
            (game, after, most),
        )
        return [(number, _parse_event(text, game), previous, head) for number, text, previous, head in rows]

    def played_games(self) -> dict[str, tuple[int, str]]:
        """Every game that was played here, the newest last: how many events it has, and the hash of the last."""
        rows = self._db.execute(
            "SELECT name, events, head FROM summaries JOIN places ON places.game = name WHERE place > 0 ORDER BY place"
        )
        return {name: (count, head) for name, count, head in rows}

    def find_summary(self, game: str) -> Summary | None:
        """What is known of a game; None for an unknown one."""
        with convert_errors(game, self.where):
            row = self._db.execute("SELECT * FROM summaries WHERE name = ?", (game,)).fetchone()
        return parse_summary(row) if row else None

    def list_summaries(self) -> list[Summary]:
        """All games, the one that was begun last first, whatever date it has; those that came out of files last."""
        self._db.execute("SELECT 1 FROM events LIMIT 1")  # without them the list would tell of games that are gone
        rows = self._db.execute(
            "SELECT summaries.* FROM summaries LEFT JOIN places ON places.game = name ORDER BY place DESC, name DESC"
        )
        return [parse_summary(row) for row in rows]

    def event_counts(self) -> dict[str, int]:
        """Every game with the number of its events."""
        with convert_errors("list of games", self.where):
            return dict(self._db.execute("SELECT name, events FROM summaries ORDER BY name"))

    def read_places(self) -> dict[str, int]:
        """Every game with its place: those that came out of files below 0, those begun here from 1, in their order."""
        return schema.read_places(self._db)

    def read_hashes(self, game: str) -> list[str]:
        """The hash of each event of a game, in order."""
        rows = self._db.execute("SELECT hash FROM events WHERE game = ? ORDER BY number", (game,))
        return [str(head) for (head,) in rows]

    def find_by_hash(self, beginning: str) -> tuple[str, int] | None:
        """Game and number of the event whose hash begins so, None if there is none."""
        row = self._db.execute(
            "SELECT game, number FROM events WHERE substr(hash, 1, ?) = ?", (len(beginning), beginning)
        ).fetchone()
        return (str(row[0]), int(row[1])) if row else None

    def find_broken_event(self, game: str) -> int | None:
        """The number of the first event that was changed, moved, added or removed; None when the chain holds.

        A summary that says otherwise than its events counts as the last of them, a changed place as the first.
        """
        built, number = Summary(game, head=genesis_hash(game)), 0
        rows = self._db.execute(
            "SELECT number, event, previous, hash FROM events WHERE game = ? ORDER BY number", (game,)
        )
        for number, (stated, text, previous, head) in enumerate(rows, start=1):
            if stated != number or previous != built.head or head != hash_event(previous, text):
                return number
            built = built.after_event(_parse_event(text, game), head)
        known = self.find_summary(game)
        if known is None or known.events < number:
            return (known.events if known else 0) + 1
        if known.events > number:
            return number + 1
        if known != built:
            return number
        return None if schema.is_placed(self._db, game) else 1

    def list_all_names(self) -> list[str]:
        """Names of all games that have events, a summary or a place, for checking."""
        return [
            str(name)
            for (name,) in self._db.execute(
                "SELECT game FROM events UNION SELECT name FROM summaries UNION SELECT game FROM places"
            )
        ]

    def find_events(self, *kinds: str) -> Iterator[tuple[str, int, dict[str, object]]]:
        """Game, number and content of every event of these kinds, in all games."""
        for game, number, text in self._db.execute("SELECT game, number, event FROM events ORDER BY game, number"):
            if any(f'"event":"{kind}"' in str(text) for kind in kinds):
                yield game, number, _parse_event(text, game)

    def schema_faults(self) -> list[str]:
        """What is wrong with tables, triggers and text encoding, a line each."""
        return schema.find_schema_faults(self._db)

    def find_damage(self) -> str | None:
        """What SQLite finds wrong with the file itself, None if nothing."""
        (answer,) = self._db.execute("PRAGMA integrity_check(1)").fetchone()
        return None if answer == "ok" else " ".join(str(answer).replace("*", "").split())

    def delete_game(self, game: str) -> None:
        """Remove a game for good; the only way past the guard that keeps the record append-only."""
        with _run_transaction(self._db):
            self._db.execute("DROP TRIGGER events_stay")
            self._db.execute("DELETE FROM events WHERE game = ?", (game,))
            self._db.execute("DELETE FROM summaries WHERE name = ?", (game,))
            self._db.execute("DELETE FROM places WHERE game = ?", (game,))
            self._db.execute(schema.GUARD)
        self._move_journal()

    def close_file(self) -> None:
        """Close the file."""
        self._db.close()
        note_closed(self._mark)

    def __enter__(self) -> Record:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close_file()
        if isinstance(error, DAMAGE):
            raise InputError(describe_failure(self.where, error)) from error


def open_record(path: Path | str) -> Record:
    """Open a record, or begin one; InputError when the file is something else, of a newer version, or is missing."""
    check_not_missing(Path(path))
    set_stale_journal_aside(Path(path))
    _check_own(Path(path))
    try:
        create_private(Path(path))
        connection = _connect_file(str(path))
        with _run_transaction(connection):
            version = schema.upgrade_tables(connection)
    except DAMAGE as error:
        if not isinstance(error, sqlite3.Error) or any(sign in str(error) for sign in DAMAGED):
            raise InputError(describe_failure(str(path), error)) from error
        if isinstance(error, sqlite3.OperationalError):
            advice = "its folder must be there and writable, with space; with its -wal file it can be read elsewhere"
        else:
            advice = "name a record of this program, or a file that is not there"
        raise InputError(f"record {path}: {error}: {advice}") from error
    if version > SCHEMA_VERSION:
        connection.close()
        raise InputError(f"record {path}: its version {version} is newer than {SCHEMA_VERSION}: update camelot-referee")
    return Record(connection, str(path))


def _check_own(path: Path) -> None:
    """InputError where another program's database is, before anything is written into it."""
    with suppress(*DAMAGE), closing(_connect_reader(path)) as db:  # who opens a damaged one says what it is
        if schema.is_foreign(db):
            raise InputError(f"record {path}: is another database, and no record: name another file")


def _connect_file(path: str) -> sqlite3.Connection:
    """The file, opened so that what is committed is on the disk, and that nothing in it runs by itself."""
    connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _read_version(db: sqlite3.Connection) -> int:
    """Another number once somebody else has written into the file; 0 where it cannot be read."""
    try:
        return int(db.execute("PRAGMA data_version").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def _connect_reader(path: Path | str) -> sqlite3.Connection:
    """The file, opened for reading alone."""
    connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=rw", uri=True, timeout=PATIENCE_S)
    connection.execute("PRAGMA query_only = ON")
    return connection


def read_record(path: Path) -> Record:
    """Open a record that is there for reading alone: never a lock that the game would wait for; InputError as above."""
    set_stale_journal_aside(path)
    try:
        connection = _connect_reader(path)
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error as error:
        raise InputError(f"record {path}: {error}: name a record of this program") from error
    if version != SCHEMA_VERSION:
        connection.close()
        raise InputError(
            f"record {path}: its version is {version}, not {SCHEMA_VERSION}: `referee games list` brings it up"
        )
    return Record(connection, str(path))


def default_path() -> Path:
    """Where games are kept when nothing else is said: the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "camelot-referee" / "games.sqlite3"


def ensure_folder(path: Path) -> Path:
    """`path`, with its folder there. InputError if it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--record {path}: {error.strerror}") from error
    return path


def record_at(path: Path | None) -> Path:
    """The record to write: `path`, or the user's own, whose folder is made. InputError for a folder that is not there:
    a slip in a name would hide the games."""
    if path is None:
        return follow_link(ensure_folder(default_path()))
    real = follow_link(path)
    if not real.parent.is_dir():
        raise InputError(f"--record {path}: there is no folder {real.parent}; make it first, or name another place")
    return real


def require_record(path: Path | None) -> Path:
    """The record to read: `path`, or the user's own. InputError if there is none yet, or if a referee is playing into
    it under another name."""
    chosen = follow_link(path or default_path())
    if not chosen.is_file():
        raise InputError(f"record {chosen}: there is none; play a game first, or name another with --record")
    check_name(chosen)
    set_stale_journal_aside(chosen)
    if _is_blank(chosen):
        raise InputError(f"record {chosen}: is empty; to copy one that is in use, run `referee backup`")
    return chosen


def _is_blank(path: Path) -> bool:
    """Whether nothing was ever written into a file, as into a copy without what its -wal file held."""
    with suppress(*DAMAGE), closing(_connect_reader(path)) as db:  # who opens a damaged one says what it is
        return schema.is_blank(db)
    return False


@contextmanager
def _run_transaction(db: sqlite3.Connection, begin: Callable[[], object] | None = None) -> Iterator[None]:
    """All or nothing; taken for writing from the start, so that two writers queue instead of failing half-way."""
    if begin is None:
        db.execute("BEGIN IMMEDIATE")
    else:
        begin()
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


def _parse_event(text: object, game: str) -> dict[str, object]:
    """An event as it was written; sqlite3.DatabaseError where none is."""
    try:
        event = json.loads(str(text))
    except (ValueError, RecursionError) as error:
        raise sqlite3.DatabaseError(f"{game}: an event cannot be read: {error}") from None
    if not isinstance(event, dict) or not isinstance(event.get("event", ""), str):
        raise sqlite3.DatabaseError(f"{game}: an event is none")
    return event
