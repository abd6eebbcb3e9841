"""When a ruling was sent and why a board refused it, and a name for the database itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "rulings_sent"
down_revision = "lasting"


def upgrade() -> None:
    """Add the columns and the table of one line."""
    op.add_column("matters", sa.Column("sent", sa.Double, nullable=False, server_default=sa.text("0")))
    op.add_column("matters", sa.Column("refused", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "itself",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("beat", sa.Double, nullable=False),
    )
