"""Which result of a board an arbiter has overruled: the board may say another one afterwards."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "overruled_results"
down_revision = "reasons_of_results"


def upgrade() -> None:
    """Add the column; of what arbiters have said before nobody knows what it overruled, so it is anything."""
    op.add_column("tables", sa.Column("overruled", sa.String(20), nullable=False, server_default=""))
    op.execute("UPDATE tables SET overruled = '*' WHERE source NOT IN ('', 'board')")
