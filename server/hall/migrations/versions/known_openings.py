"""The token of the last opening, by which a file of SQLite and what lies beside it are known to belong together."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "known_openings"
down_revision = "games_in_order"


def upgrade() -> None:
    """Add the column."""
    op.add_column("itself", sa.Column("opened", sa.String(40), nullable=False, server_default=""))
