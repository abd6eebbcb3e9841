"""All tables, as the first release has them. The step has an older name: databases that have it go on as they are."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "boards_that_left"
down_revision = None

OF_BOARD = "lasts AND kind NOT IN ('missing', 'changed-later', 'contradicted', 'doubt', 'refused', 'flag')"


def upgrade() -> None:
    """Make them."""
    _make_games()
    _make_matters()
    _make_tournaments()
    op.create_table(
        "itself",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        _text("name", 40),
        sa.Column("beat", sa.Double, nullable=False),
        _text("opened", 40, server_default=""),
    )
    op.create_table(
        "halls",
        sa.Column("run", sa.String(40), primary_key=True),
        sa.Column("begun", sa.Double, nullable=False),
        _text("place", 200),
        sa.Column("seen", sa.Double, nullable=False),
        sa.Column("beat", sa.Integer, nullable=False),
        sa.Column("listens", sa.Boolean, nullable=False),
    )
    op.create_table(
        "departures",
        sa.Column("board", sa.String(40), primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
    )


def _make_games() -> None:
    op.create_table(
        "events",
        sa.Column("board", sa.String(40), primary_key=True),
        sa.Column("game", sa.String(80), primary_key=True),
        sa.Column("sequence", sa.Integer, primary_key=True),
        sa.Column("event", sa.Text, nullable=False),
        _text("previous", 64),
        _text("hash", 64),
    )
    op.create_table(
        "games",
        sa.Column("board", sa.String(40), primary_key=True),
        sa.Column("name", sa.String(80), primary_key=True),
        _text("game", 40),
        _text("rules", 200),
        _text("begun", 40),
        sa.Column("plies", sa.Integer, nullable=False),
        _text("result", 20),
        sa.Column("events", sa.Integer, nullable=False),
        _text("head", 64),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("came", sa.Integer, nullable=False, server_default=sa.text("0")),
        _text("reason", 20, server_default=""),
    )


def _make_matters() -> None:
    op.create_table(
        "matters",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        _text("board", 40),
        _text("game", 80),
        _text("kind", 20),
        sa.Column("opened", sa.Double, nullable=False),
        _text("state", 10),
        _text("owner", 100),
        sa.Column("lease", sa.Double, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("ruling", sa.Text, nullable=False),
        sa.Column("lasts", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("sent", sa.Double, nullable=False, server_default=sa.text("0")),
        sa.Column("refused", sa.Text, nullable=False, server_default=""),
    )
    op.create_index("matters_by_state", "matters", ["state", "id"])
    for name, columns, rule in (
        ("one_matter_of_board", ["board", "kind"], OF_BOARD),
        ("one_matter_of_game", ["board", "kind", "game"], "lasts"),
    ):
        where = sa.text(rule)
        op.create_index(name, "matters", columns, unique=True, sqlite_where=where, postgresql_where=where)


def _make_tournaments() -> None:
    op.create_table(
        "tournaments",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("said", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_table(
        "entrants",
        *_numbered("number"),
        _text("name", 100),
        sa.Column("rating", sa.Integer, nullable=False),
        _text("title", 3),
        _text("sex", 1),
        _text("federation", 3),
        sa.Column("fide_id", sa.BigInteger, nullable=False),
        _text("birth", 10),
        sa.Column("since", sa.Integer, nullable=False),
        sa.Column("until", sa.Integer, nullable=False),
    )
    op.create_table("absences", *_numbered("round", "number"), _text("worth", 10))
    op.create_table(
        "tables",
        *_numbered("round", "table"),
        _text("players", 40),
        _text("board", 40),
        _text("result", 20),
        _text("game", 80),
        _text("after", 130),
        _text("source", 100),
        _text("overruled", 20, server_default=""),
    )


def _text(name: str, longest: int, server_default: str | None = None) -> sa.Column[str]:
    return sa.Column(name, sa.String(longest), nullable=False, server_default=server_default)


def _numbered(*names: str) -> list[sa.Column[Any]]:
    """The key of what belongs to a tournament: its name, and these numbers."""
    numbers = [sa.Column(name, sa.Integer, primary_key=True, autoincrement=False) for name in names]
    return [sa.Column("tournament", sa.String(40), primary_key=True), *numbers]
