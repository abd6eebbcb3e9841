"""One matter for each game with a trouble that is of one game alone; two games of a board may have it at once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "matters_of_games"
down_revision = "known_openings"


def upgrade() -> None:
    """Have the database refuse a second matter of a board, and of a game, and no more than that."""
    of_board = "lasts AND kind NOT IN ('missing', 'changed-later', 'contradicted', 'doubt', 'refused', 'flag')"
    op.drop_index("one_matter_each", "matters")
    for name, columns, rule in (
        ("one_matter_of_board", ["board", "kind"], of_board),
        ("one_matter_of_game", ["board", "kind", "game"], "lasts"),
    ):
        where = sa.text(rule)
        op.create_index(name, "matters", columns, unique=True, sqlite_where=where, postgresql_where=where)
