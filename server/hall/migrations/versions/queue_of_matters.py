"""Matters for arbiters."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "matters",
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
    )
    op.create_index("matters_by_state", "matters", ["state", "id"])
