"""The hall's tables, and the database that has them: SQLite by a path, anything else by SQLAlchemy's URL."""

from __future__ import annotations

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
from server.hall.desk.database_file import BUSY_S, DatabaseFile, make_durable
from server.hall.desk.database_journal import OF_OLDER, create_token, is_damage, read_token
from server.hall.desk.extras import install_command
from server.masking import mask_passwords

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
)
"""A line for each game, as its events say it (server.record.summary): how far it is known, and the newest hash; and
its place among its board's games, which tell them in their order whatever the board's clock says."""

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
    sa.Index("matters_by_state", "state", "id"),
    sa.Index(
        "one_matter_each",
        "board",
        "kind",
        unique=True,
        sqlite_where=sa.text("lasts"),
        postgresql_where=sa.text("lasts"),
    ),
)
"""What arbiters have to see to, how they ruled, and whether its trouble was there when the board was last heard of
(server.hall.desk.matters)."""

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

FILE_OPTION = "database_file"
"""Under this name an engine has the file that it uses."""
NOTHING_IN_IT = (
    "hall: the database {where} has nothing in it any more: restore a backup, name another with --database, or begin "
    "with an empty one: --new-database"
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
    url = url if "://" in url else f"sqlite:///{url}"
    url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    file = None
    try:
        engine, file = _create_engine(url)
        if file is not None:
            file.prepare_file(is_known=is_known, anew=anew, by_hall=by_hall)
        missing = ""
        if not anew and (is_known or (file and file.was_made)):
            missing = file.describe_missing() if file else NOTHING_IN_IT.format(where=mask_passwords(url))
        _upgrade_tables(engine, missing, check)
        if file is not None and by_hall:
            _renew_token(engine, file)
    except (sa.exc.SQLAlchemyError, CommandError, ImportError, OSError) as error:
        said = first_line(error)
        advice = "give a file that can be written, or the URL of a PostgreSQL database that runs"
        advice = install_command("psycopg[binary]") if isinstance(error, ImportError) else advice
        if file is not None:
            advice = file.describe_remedy()
            engine.dispose()
            file.remove_unfinished()
        raise InputError(f"database {mask_passwords(url)}: {said}: {advice}") from error
    if file is not None:
        file.note_made()
    return engine


@contextmanager
def explain_failures(engine: sa.Engine) -> Iterator[None]:
    """While this lasts, what the database does not take is an InputError: one line, with what it says."""
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        if (file := find_file(engine)) is not None and file.damage:
            raise InputError(f"hall: {file.damage}") from error
        where = engine.url.render_as_string()
        raise InputError(
            f"database {where}: {first_line(error)}: what was asked for last is not kept; ask again when it is mended"
        ) from error


def first_line(error: Exception) -> str:
    """What a database, or the system, says of a failure, without the toolkit's own words around it."""
    said = str(getattr(error, "orig", None) or getattr(error, "strerror", None) or error).strip()
    return said.partition("\n")[0][:300] or type(error).__name__


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
        before = connection.execute(sa.select(STORED_ITSELF.c.opened)).scalar() or OF_OLDER
    token = create_token()
    with suppress(OSError):  # else the earlier one stays: no room for another
        if not file.is_new:
            file.note_tokens([read_token(file.path) or OF_OLDER, before, token])
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


def _create_engine(url: str) -> tuple[sa.Engine, DatabaseFile | None]:
    """An engine that has connected to nothing yet, and the file that it uses if it does."""
    where = sa.make_url(url)
    if where.get_backend_name() != "sqlite":
        return sa.create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": BUSY_S}), None
    if not where.database or where.database == ":memory:" or where.query:
        raise InputError(f"database {url}: is no file: give the path of one, or the URL of a PostgreSQL database")
    file = DatabaseFile(Path(where.database))
    engine = sa.create_engine(
        url, pool_pre_ping=True, creator=file.connect_watched, execution_options={FILE_OPTION: file}
    )
    sa.event.listen(engine, "connect", make_durable)
    sa.event.listen(engine, "handle_error", _note_damage)
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
