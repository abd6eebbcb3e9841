"""Which boards have left the hall for good, and since when."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "boards_that_left"
down_revision = "halls_on_it"


def upgrade() -> None:
    """Make the table; of boards of which somebody has said so before nobody knows when, so they are in none."""
    op.create_table(
        "departures",
        sa.Column("board", sa.String(40), primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
    )
