"""Of a record that had parted from what was stored it is kept that it fits again: another board had its name then."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "records_that_fit"
down_revision = "boards_that_left"


def upgrade() -> None:
    """Add where it is kept."""
    op.add_column("matters", sa.Column("fits", sa.Boolean, nullable=False, server_default=sa.false()))
