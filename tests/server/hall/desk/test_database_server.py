"""A database on a server: addresses that are wrong, causes by their own names, and commits that nobody answers."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.errors import InputError
from server.hall.desk.database import STORED_ITSELF, explain_failures, open_database, read_database_name
from server.hall.desk.database_server import COMMIT_S, forget_commits, may_be_kept
from tests.patience import PATIENCE_S
from tests.server.hall.parts import Postgres

SECRET = "gehe1m"  # noqa: S105


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (f"postgresql+psycopg://hall:{SECRET}@127.0.0.1:54x2/hall", "its port is no number"),
        (f"postgresql://hall:{SECRET}/hall", "its port is no number"),
        (f"postgresql+psycopg://hall:x@{SECRET}@127.0.0.1:5432/hall", "written as %40"),
        (f"postgresql://hall:x@{SECRET}:y@127.0.0.1/hall", "written as %40"),
        (f"mysql://hall:{SECRET}@127.0.0.1/hall", "PostgreSQL or in a file of SQLite"),
        (f"postgresql+asyncpg://hall:{SECRET}@127.0.0.1/hall", "PostgreSQL or in a file of SQLite"),
        (f"nonsense {SECRET}://x", "PostgreSQL or in a file of SQLite"),
        (f"postgresql://hall:a {SECRET}'b@127.0.0.1:1/hall", "start PostgreSQL there"),
        (f"postgresql://hall@127.0.0.1:1/hall?password={SECRET}", "start PostgreSQL there"),
        (f"postgres://hall:{SECRET}@127.0.0.1:1/hall", "start PostgreSQL there"),
        (f"postgresql://hall:{SECRET}@no.such.host.invalid/hall", "correct the host"),
    ],
)
def test_what_is_no_address_of_a_database_is_one_line_without_the_password(address: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        open_database(address)
    assert said in str(refused.value) and "\n" not in str(refused.value)
    assert SECRET not in str(refused.value)


def test_each_cause_is_said_with_what_to_do_about_it(postgres: Postgres) -> None:
    engine = open_database(postgres.url.replace("postgresql://", "postgres://"))  # as other programs write it
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE USER guest PASSWORD 'right'")
    engine.dispose()
    others = {
        postgres.url.replace("referee", "nobody"): "make that user there",
        postgres.url.replace("/postgres", "/nothing"): "make it there (createdb)",
        postgres.url.replace("referee@", "guest@").replace("/postgres", "/template1"): "make that user the owner",
    }
    for url, advice in others.items():
        with pytest.raises(InputError, match=advice.replace("(", r"\(").replace(")", r"\)")):
            open_database(url)


def test_a_start_without_a_table_says_that_and_nothing_of_what_was_asked(postgres: Postgres) -> None:
    engine = open_database(postgres.url)
    with engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE matters RENAME TO gone")
    with (
        pytest.raises(InputError) as refused,
        explain_failures(engine, asked=False),
        engine.connect() as connection,
    ):
        connection.exec_driver_sql("SELECT * FROM matters")
    with engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE gone RENAME TO matters")
    engine.dispose()
    assert "a table is missing: restore a backup" in str(refused.value) and "asked" not in str(refused.value)


def beat(engine: sa.Engine, value: float) -> None:
    with engine.begin() as connection:
        connection.execute(sa.update(STORED_ITSELF).values(beat=value))


def read_beat(engine: sa.Engine) -> object:
    with engine.connect() as connection:
        return connection.execute(sa.select(STORED_ITSELF.c.beat)).scalar()


def set_standby(engine: sa.Engine, name: str) -> None:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
        connection.exec_driver_sql("SELECT pg_reload_conf()")
    time.sleep(0.5)


def test_a_commit_of_which_nobody_knows_is_not_called_lost(postgres: Postgres) -> None:
    """Also one that waits for a standby ends by itself, and where the server dies meanwhile it may be kept."""
    engine = open_database(postgres.url)
    read_database_name(engine)
    set_standby(engine, "nobody")
    forget_commits()
    begun = time.monotonic()
    with pytest.raises(sa.exc.OperationalError, match="no standby has confirmed"):
        beat(engine, 7.0)
    assert COMMIT_S <= time.monotonic() - begun < PATIENCE_S and may_be_kept()
    assert read_beat(engine) == 7.0
    forget_commits()
    timer = threading.Timer(COMMIT_S / 3, postgres.kill)
    timer.start()
    with pytest.raises(sa.exc.OperationalError, match=r"closed the connection|terminated"):
        beat(engine, 8.0)
    assert may_be_kept()
    timer.join()
    postgres.start()
    assert read_beat(engine) == 8.0, "it stands"
    forget_commits()
    set_standby(engine, "")
    engine.dispose()


def test_what_another_program_has_locked_is_not_waited_for_without_end(postgres: Postgres) -> None:
    engine, other = open_database(postgres.url), open_database(postgres.url)
    read_database_name(engine)
    with other.begin() as holding:
        holding.exec_driver_sql("LOCK TABLE itself IN ACCESS EXCLUSIVE MODE")
        forget_commits()
        with pytest.raises(sa.exc.OperationalError, match="lock timeout"):
            beat(engine, 9.0)
        assert not may_be_kept(), "an error is an answer"
    engine.dispose()
    other.dispose()


def test_what_a_file_has_taken_before_it_fails_is_not_called_lost(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "hall.sqlite3"))
    read_database_name(engine)
    forget_commits()
    with pytest.raises(sa.exc.OperationalError), engine.connect() as connection:
        connection.exec_driver_sql("SELECT * FROM nothing")
    assert not may_be_kept()
    beat(engine, 1.0)
    assert may_be_kept()
    engine.dispose()
