"""One matter for each trouble of a board that lasts, however many halls see it begin."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "one_matter_each"
down_revision = "rulings_sent"


def upgrade() -> None:
    """Let the oldest of several that last be the one, and have the database refuse a second from now on."""
    op.execute(
        "UPDATE matters SET lasts = (1 = 0), version = version + 1, "
        "state = CASE WHEN state = 'open' THEN 'passed' ELSE state END "
        "WHERE lasts AND id > (SELECT min(first.id) FROM matters AS first "
        "WHERE first.lasts AND first.board = matters.board AND first.kind = matters.kind)"
    )
    last = sa.text("lasts")
    op.create_index(
        "one_matter_each", "matters", ["board", "kind"], unique=True, sqlite_where=last, postgresql_where=last
    )
