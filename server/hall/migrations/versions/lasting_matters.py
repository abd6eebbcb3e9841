"""Whether the trouble of a matter still lasts, also when it was ruled on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "lasting"
down_revision = "tournaments"


def upgrade() -> None:
    """Add the column; what waits for an arbiter lasts."""
    op.add_column("matters", sa.Column("lasts", sa.Boolean, nullable=False, server_default=sa.false()))
    op.execute("UPDATE matters SET lasts = (state IN ('open', 'claimed'))")
