"""What several tests of the hall are given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from server.hall.desk.database import METADATA, open_database
from tests.server.hall.parts import Postgres


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    running = Postgres()
    yield running
    running.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.Engine]:
    """A database with nothing in it, of either kind."""
    if request.param == "sqlite":
        engine = open_database(str(tmp_path / "hall.sqlite3"))
    else:
        engine = open_database(request.getfixturevalue("postgres").url)
        with engine.begin() as connection:
            for table in METADATA.sorted_tables:
                connection.execute(sa.delete(table))
    yield engine
    engine.dispose()
