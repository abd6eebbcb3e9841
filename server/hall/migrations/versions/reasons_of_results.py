"""Why a game is over: who did not come has lost without playing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "reasons_of_results"
down_revision = "matters_of_games"


def upgrade() -> None:
    """Add the column; of games that are stored already nobody knows it."""
    op.add_column("games", sa.Column("reason", sa.String(20), nullable=False, server_default=""))
