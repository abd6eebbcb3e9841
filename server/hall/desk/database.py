"""The hall's tables, and the database that has them: SQLite by a path, anything else by SQLAlchemy's URL."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.util import CommandError

from engine.errors import InputError
from server.hall.desk.database_file import DatabaseFile, make_durable
from server.hall.desk.database_journal import NEVER_OPENED, create_token, is_damage, read_token
from server.hall.desk.database_server import (
    create_server_engine,
    describe_address,
    explain_refusal,
    first_line,
    may_be_kept,
    read_address,
    watch_commits,
)
from server.hall.desk.troubles import OF_ONE_GAME

METADATA = sa.MetaData()

STORED_EVENTS = sa.Table(
    "events",
    METADATA,
    sa.Column("board", sa.String(40), primary_key=True),
    sa.Column("game", sa.String(80), primary_key=True),
    sa.Column("sequence", sa.Integer, primary_key=True),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("previous", sa.String(64), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
)
"""Every event once; of each game without gaps, from the first on."""

STORED_GAMES = sa.Table(
    "games",
    METADATA,
    sa.Column("board", sa.String(40), primary_key=True),
    sa.Column("name", sa.String(80), primary_key=True),
    sa.Column("game", sa.String(40), nullable=False),
    sa.Column("rules", sa.String(200), nullable=False),
    sa.Column("begun", sa.String(40), nullable=False),
    sa.Column("plies", sa.Integer, nullable=False),
    sa.Column("result", sa.String(20), nullable=False),
    sa.Column("events", sa.Integer, nullable=False),
    sa.Column("head", sa.String(64), nullable=False),
    sa.Column("details", sa.Text, nullable=False),
    sa.Column("came", sa.Integer, nullable=False),
    sa.Column("reason", sa.String(20), nullable=False),
)
"""A line for each game, as its events say it (server.record.summary): how far it is known, the newest hash, why it is
over, and its place among its board's games, which tell them in their order whatever the board's clock says."""

LASTS_OF_BOARD = f"lasts AND kind NOT IN ({', '.join(map(repr, OF_ONE_GAME))})"
"""Of a trouble that is not of one game alone a board has one matter, whatever is played. A database that is there has
this by its migration: another list needs another one."""
STORED_MATTERS = sa.Table(
    "matters",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("board", sa.String(40), nullable=False),
    sa.Column("game", sa.String(80), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("opened", sa.Double, nullable=False),
    sa.Column("state", sa.String(10), nullable=False),
    sa.Column("owner", sa.String(100), nullable=False),
    sa.Column("lease", sa.Double, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("ruling", sa.Text, nullable=False),
    sa.Column("lasts", sa.Boolean, nullable=False),
    sa.Column("sent", sa.Double, nullable=False),
    sa.Column("refused", sa.Text, nullable=False),
    sa.Column("fits", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Index("matters_by_state", "state", "id"),
    sa.Index(
        "one_matter_of_board",
        *("board", "kind"),
        unique=True,
        sqlite_where=sa.text(LASTS_OF_BOARD),
        postgresql_where=sa.text(LASTS_OF_BOARD),
    ),
    sa.Index(
        "one_matter_of_game",
        *("board", "kind", "game"),
        unique=True,
        sqlite_where=sa.text("lasts"),
        postgresql_where=sa.text("lasts"),
    ),
)
"""What arbiters have to see to, how they ruled, and whether its trouble was there when the board was last heard of
(server.hall.desk.matters)."""

STORED_DEPARTURES = sa.Table(
    "departures",
    METADATA,
    sa.Column("board", sa.String(40), primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
)
"""The boards that have left the hall for good, and when somebody has said so (seconds since 1970)."""

STORED_TOURNAMENTS = sa.Table(
    "tournaments",
    METADATA,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("said", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
)
"""A line for each tournament: what is said about it once, as JSON, and how often anything in it was changed."""

STORED_ENTRANTS = sa.Table(
    "entrants",
    METADATA,
    sa.Column("tournament", sa.String(40), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("rating", sa.Integer, nullable=False),
    sa.Column("title", sa.String(3), nullable=False),
    sa.Column("sex", sa.String(1), nullable=False),
    sa.Column("federation", sa.String(3), nullable=False),
    sa.Column("fide_id", sa.BigInteger, nullable=False),
    sa.Column("birth", sa.String(10), nullable=False),
    sa.Column("since", sa.Integer, nullable=False),
    sa.Column("until", sa.Integer, nullable=False),
)

STORED_ABSENCES = sa.Table(
    "absences",
    METADATA,
    sa.Column("tournament", sa.String(40), primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("worth", sa.String(10), nullable=False),
)

STORED_TABLES = sa.Table(
    "tables",
    METADATA,
    sa.Column("tournament", sa.String(40), primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("table", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("players", sa.String(40), nullable=False),
    sa.Column("board", sa.String(40), nullable=False),
    sa.Column("result", sa.String(20), nullable=False),
    sa.Column("game", sa.String(80), nullable=False),
    sa.Column("after", sa.String(130), nullable=False),
    sa.Column("source", sa.String(100), nullable=False),
    sa.Column("overruled", sa.String(20), nullable=False),
)
"""Who sits where in which round, and what came of it (server.hall.tournament.tournament_store)."""

STORED_ITSELF = sa.Table(
    "itself",
    METADATA,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("beat", sa.Double, nullable=False),
    sa.Column("opened", sa.String(40), nullable=False, server_default=""),
)
"""One line: by its name boards know a database that is new, and tell it everything; `beat` is written all the time, so
that a disk that takes nothing is noticed, and with it `opened`, the token of the last opening (database_journal)."""

STORED_HALLS = sa.Table(
    "halls",
    METADATA,
    sa.Column("run", sa.String(40), primary_key=True),
    sa.Column("begun", sa.Double, nullable=False),
    sa.Column("place", sa.String(200), nullable=False),
    sa.Column("seen", sa.Double, nullable=False),
    sa.Column("beat", sa.Integer, nullable=False),
    sa.Column("listens", sa.Boolean, nullable=False),
)
"""A line for each hall that runs on this database: where it is, and a number that it raises all the time. By it a hall
knows a database that was set back, and one that another hall uses with another broker (server.hall.neighbours)."""

WRITTEN_ALL_THE_TIME = (STORED_ITSELF, STORED_HALLS)
FILE_OPTION = "database_file"
"""Under this name an engine has the file that it uses."""
NAMED_AS_TABLE = re.compile(r'\b(?:INTO|UPDATE|FROM)\s+"?(\w+)')
NOTHING_IN_IT = (
    "hall: the database {where} has nothing in it any more: restore a backup, name another with --database, or begin "
    "with an empty one: --new-database"
)
OF_ANOTHER_VERSION = (
    "hall: the database {where} was made by another version of this program ({why}): start that version, or name an "
    "empty database with --database: boards send their games again, tournaments must be entered again"
)
MIGRATIONS = Path(__file__).parents[1] / "migrations"


def open_database(
    url: str,
    *,
    is_known: bool = False,
    anew: bool = False,
    by_hall: bool = False,
    check: Callable[[sa.Connection], object] | None = None,
) -> sa.Engine:
    """The database at `url`, or the SQLite file at a path, with its tables as they are today; InputError otherwise.

    One that `is_known` to have been there is not made: only to begin `anew`. `by_hall` a journal that is of another
    file is put aside. `check` looks at it first, and refuses it by an InputError.
    """
    address = read_address(url) if "://" in url else sa.URL.create("sqlite", database=url)
    engine, file = _create_engine(address)
    try:
        if file is not None:
            file.prepare_file(is_known=is_known, anew=anew, by_hall=by_hall)
        missing = ""
        if not anew and (is_known or (file and file.was_made)):
            missing = file.describe_missing() if file else NOTHING_IN_IT.format(where=describe_address(address))
        _upgrade_tables(engine, missing, check)
        if file is not None and by_hall:
            _renew_token(engine, file)
    except CommandError as error:
        engine.dispose()
        raise InputError(
            OF_ANOTHER_VERSION.format(where=file.path if file else describe_address(address), why=error)
        ) from error
    except (sa.exc.SQLAlchemyError, OSError) as error:
        engine.dispose()
        if file is None:
            raise InputError(explain_refusal(error, address)) from error
        file.remove_unfinished()
        raise InputError(f"database {file.path}: {first_line(error)}: {file.describe_remedy()}") from error
    if file is not None:
        file.note_made()
    return engine


@contextmanager
def explain_failures(engine: sa.Engine, *, asked: bool = True) -> Iterator[None]:
    """While this lasts, what the database does not take is an InputError: one line, with what it says, and what has
    become of what somebody `asked` for."""
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        if (file := find_file(engine)) is not None and file.damage:
            raise InputError(f"hall: {file.damage}") from error
        became = ""
        if asked:
            became = "; what was asked for last is not kept: ask again when it is mended"
        if asked and may_be_kept():
            became = "; what was asked for last may or may not be kept: look at it before you ask again"
        remedy = (file.describe_remedy(),) if file is not None else ()
        raise InputError(f"{explain_refusal(error, engine.url, *remedy)}{became}") from error


def find_table(error: Exception) -> str:
    """Which of the tables it was that did not take something, or not tell it; "" where that is not known, and for those
    that are written all the time."""
    said = str(getattr(error, "statement", None) or "")
    found = next((name for name in NAMED_AS_TABLE.findall(said) if name in METADATA.tables), "")
    return "" if found in {one.name for one in WRITTEN_ALL_THE_TIME} else found


def find_file(engine: sa.Engine) -> DatabaseFile | None:
    """The SQLite file that an engine uses; None for a server's database."""
    found = engine.get_execution_options().get(FILE_OPTION)
    return found if isinstance(found, DatabaseFile) else None


def close_database(engine: sa.Engine) -> None:
    """End with it. What SQLite has beside its file is in the file then, if that is the one that was opened."""
    file = find_file(engine)
    if file is not None:
        file.part_from_overwritten()
    engine.dispose()
    if file is not None:
        file.fold_journal()


def _renew_token(engine: sa.Engine, file: DatabaseFile) -> None:
    """Give this opening a token of its own, in the file itself. Until it stands there the earlier one holds too."""
    read_database_name(engine)
    with engine.connect() as connection:
        before = connection.execute(sa.select(STORED_ITSELF.c.opened)).scalar() or NEVER_OPENED
    token = create_token()
    with suppress(OSError):  # else the earlier one stays: no room for another
        if not file.is_new:
            file.note_tokens([read_token(file.path) or NEVER_OPENED, before, token])
        with engine.begin() as connection:
            connection.execute(sa.update(STORED_ITSELF).values(opened=token))
        with engine.connect() as connection:
            is_busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
        with engine.begin() as connection:  # so that what lies beside the file begins with it
            connection.execute(sa.update(STORED_ITSELF).values(beat=time.time()))
        if not is_busy:
            file.note_tokens([token])
            file.open_with(token)


def _upgrade_tables(engine: sa.Engine, missing: str, check: Callable[[sa.Connection], object] | None) -> None:
    """Bring the tables up to date, or make them; InputError with what is said where one that was there has none."""
    try:
        with engine.begin() as connection:
            if check is not None:
                check(connection)
            if missing and not sa.inspect(connection).get_table_names():
                raise InputError(missing)
    except InputError:
        engine.dispose()
        raise
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _create_engine(address: sa.URL) -> tuple[sa.Engine, DatabaseFile | None]:
    """An engine that has connected to nothing yet, and the file that it uses if it does."""
    if address.get_backend_name() != "sqlite":
        engine, file = create_server_engine(address), None
    elif not address.database or address.database == ":memory:" or address.query:
        raise InputError(
            f"database {describe_address(address)}: is not a file: give the path of one, or the URL of a PostgreSQL "
            "database"
        )
    else:
        file = DatabaseFile(Path(address.database))
        engine = sa.create_engine(
            address, pool_pre_ping=True, creator=file.connect_watched, execution_options={FILE_OPTION: file}
        )
        sa.event.listen(engine, "connect", make_durable)
        sa.event.listen(engine, "handle_error", _note_damage)
    watch_commits(engine)
    return engine, file


def _note_damage(context: sa.engine.ExceptionContext) -> None:
    """Whoever meets it: a file that is damaged takes nothing any more."""
    if context.engine is not None and is_damage(context.original_exception) and (file := find_file(context.engine)):
        file.note_damage(str(context.original_exception))


def read_database_name(engine: sa.Engine) -> str:
    """The name that a database was given when it was made; several halls that make it at once give it one."""
    with engine.connect() as connection:
        found = connection.execute(sa.select(STORED_ITSELF.c.name)).scalar()
    if found:
        return str(found)
    with suppress(sa.exc.IntegrityError), engine.begin() as connection:
        connection.execute(sa.insert(STORED_ITSELF).values(number=1, name=secrets.token_hex(12), beat=0.0))
    return read_database_name(engine)
