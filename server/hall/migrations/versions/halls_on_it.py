"""The halls that run on the database, so that each knows of the others whatever broker they use."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "halls_on_it"
down_revision = "overruled_results"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "halls",
        sa.Column("run", sa.String(40), primary_key=True),
        sa.Column("begun", sa.Double, nullable=False),
        sa.Column("place", sa.String(200), nullable=False),
        sa.Column("seen", sa.Double, nullable=False),
        sa.Column("beat", sa.Integer, nullable=False),
        sa.Column("listens", sa.Boolean, nullable=False),
    )
