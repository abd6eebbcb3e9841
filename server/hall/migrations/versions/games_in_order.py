"""The place of a game among its board's, in which tables say after which game theirs begins: clocks may be set back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "games_in_order"
down_revision = "one_matter_each"

EARLIER_GAMES = sa.table("games", sa.column("board"), sa.column("name"), sa.column("begun"), sa.column("came"))
EARLIER_TABLES = sa.table("tables", sa.column("board"), sa.column("after"))


def upgrade() -> None:
    """Number the games as they were begun by their boards' clocks, the best that is known of them."""
    op.add_column("games", sa.Column("came", sa.Integer, nullable=False, server_default=sa.text("0")))
    connection, last = op.get_bind(), dict[str, int]()
    c = EARLIER_GAMES.c
    query = sa.select(c.board, c.name, c.begun).order_by(c.board, c.begun, c.name)
    places = dict[str, list[tuple[str, str]]]()
    for board, name, begun in connection.execute(query).all():
        came = last[board] = last.get(board, 0) + 1
        its = (c.board == board) & (c.name == name)
        connection.execute(sa.update(EARLIER_GAMES).where(its).values(came=came))
        places.setdefault(board, []).append((f"{begun} {name}", f"{came:09} {name}"))
    c = EARLIER_TABLES.c
    for board, after in connection.execute(sa.select(c.board, c.after).where(c.after != "").distinct()).all():
        passed = [place for begun, place in places.get(board, []) if begun <= after]  # that game may be gone by now
        since = (c.board == board) & (c.after == after)
        connection.execute(sa.update(EARLIER_TABLES).where(since).values(after=passed[-1] if passed else ""))
