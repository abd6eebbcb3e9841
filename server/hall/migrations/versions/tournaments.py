"""Tournaments: who plays, who is away, and who sits where in which round."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "tournaments"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "tournaments",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("said", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_table(
        "entrants",
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
    op.create_table(
        "absences",
        sa.Column("tournament", sa.String(40), primary_key=True),
        sa.Column("round", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("worth", sa.String(10), nullable=False),
    )
    op.create_table(
        "tables",
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
