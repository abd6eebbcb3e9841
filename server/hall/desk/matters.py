"""What arbiters have to see to, over all boards: each matter is one arbiter's at a time, and is ruled on once.

Nobody holds a lock. Each matter has a version, and whoever claims it or rules on it names the version that was seen:
the database changes the row only if it still is that one (compare and swap), and of two arbiters one looks again.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from server.hall.desk.database import STORED_MATTERS

log = logging.getLogger(__name__)

OPEN, CLAIMED, RULED, AT_BOARD, WENT_AWAY = "open", "claimed", "ruled", "written", "passed"
"""Waits for somebody; somebody sees to it; it was ruled on; the ruling stands in the board's record; it went away
before anybody took it."""
CHAIN = "chain"
"""This trouble is known from the event that did not fit, which does not come again when the hall is started anew: it
lasts as long as its game."""
FOR_ARBITERS = (CHAIN, "cannot-see", "doubt", "refused", "flag")
"""Of the troubles of a board those that somebody has to rule on or go for."""
LEASE_S = 300.0
"""How long a claim holds; afterwards another may take the matter. Less takes it from an arbiter who is still at the
board, more lets it wait for one who has gone."""
LONGEST_RULING = 500
MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Matter:
    """One matter, as it is in the database. Times are seconds since 1970."""

    id: int
    board: str
    game: str
    kind: str
    opened: float
    state: str
    owner: str
    lease: float
    version: int
    ruling: str
    lasts: bool
    """Whether its trouble was there when its board was last heard of."""


class Lasting(NamedTuple):
    """The newest matter of a trouble that a board still has, ruled on or not, and the game that it began in."""

    id: int
    game: str


class Matters:
    """The queue; any thread may use it."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine, self._lock = engine, threading.Lock()
        self._lasting: dict[tuple[str, str], Lasting] | None = None

    def note(self, board: str, game: str, troubles: Collection[str], now: float) -> bool:
        """Open a matter for each new trouble of a board, and close those that passed by themselves; whether any."""
        kinds = {kind for kind in troubles if kind in FOR_ARBITERS}
        with self._lock:
            lasting = self._lasting if self._lasting is not None else self._read_lasting()
            known = {kind for name, kind in lasting if name == board}
            if CHAIN in known and lasting[board, CHAIN].game == game:
                kinds.add(CHAIN)
            if kinds == known:
                self._lasting = lasting
                return False
            self._lasting = None  # read anew if what follows fails
            with self._engine.begin() as connection:
                for kind in kinds - known:
                    row = {"board": board, "game": game, "kind": kind, "opened": now, "state": OPEN, "lasts": True}
                    fresh = {"owner": "", "lease": 0.0, "version": 1, "ruling": ""}
                    done = connection.execute(sa.insert(STORED_MATTERS).values(**row, **fresh))
                    lasting[board, kind] = Lasting(int((done.inserted_primary_key or (0,))[0]), game)
                for kind in known - kinds:
                    del lasting[board, kind]
                    connection.execute(_passed(board, kind))
            self._lasting = lasting
        return True

    def claim(self, matter: int, version: int, who: str, now: float) -> bool:
        """Take a matter that is open, or whose lease is over; False if it is another's, or not as it was seen."""
        c = STORED_MATTERS.c
        free = (c.state == OPEN) | ((c.state == CLAIMED) & ((c.lease < now) | (c.owner == who)))
        return self._swap(matter, version, free, state=CLAIMED, owner=who, lease=now + LEASE_S)

    def rule(self, matter: int, version: int, who: str, ruling: str) -> bool:
        """Rule on a matter that one has claimed; False if it is not one's own, or not as it was seen."""
        own = (STORED_MATTERS.c.state == CLAIMED) & (STORED_MATTERS.c.owner == who)
        return self._swap(matter, version, own, state=RULED, ruling=ruling[:LONGEST_RULING])

    def release(self, matter: int, version: int, who: str) -> bool:
        """Give back a matter that one has claimed, for others, or for nobody if its trouble has passed; False as for
        `rule`."""
        c = STORED_MATTERS.c
        own = (c.state == CLAIMED) & (c.owner == who)
        return self._swap(matter, version, own, state=sa.case((c.lasts, OPEN), else_=WENT_AWAY), owner="", lease=0.0)

    def unsettled(self) -> list[Matter]:
        """What waits or is seen to, the oldest first; at most MOST_SHOWN."""
        return self._found(STORED_MATTERS.c.state.in_((OPEN, CLAIMED)), STORED_MATTERS.c.id)

    def ruled(self, board: str) -> list[Matter]:
        """What was ruled at a board, the newest first."""
        wanted = STORED_MATTERS.c.state.in_((RULED, AT_BOARD)) & (STORED_MATTERS.c.board == board)
        return self._found(wanted, STORED_MATTERS.c.id.desc())

    def unwritten(self, since: float) -> list[Matter]:
        """Rulings on what was opened after `since` that no board has in its record yet."""
        wanted = (STORED_MATTERS.c.state == RULED) & (STORED_MATTERS.c.opened >= since)
        return self._found(wanted, STORED_MATTERS.c.id)

    def written(self, board: str, matter: int) -> None:
        """The board has this ruling in its record."""
        c = STORED_MATTERS.c
        its = (c.id == matter) & (c.board == board) & (c.state == RULED)
        with self._engine.begin() as connection:
            connection.execute(_changed(its, state=AT_BOARD))

    def _found(self, wanted: sa.ColumnElement[bool], order: sa.ColumnElement[int]) -> list[Matter]:
        query = sa.select(STORED_MATTERS).where(wanted).order_by(order).limit(MOST_SHOWN)
        with self._engine.connect() as connection:
            return [Matter(**row._mapping) for row in connection.execute(query)]

    def _swap(self, matter: int, version: int, may: sa.ColumnElement[bool], **values: object) -> bool:
        seen = (STORED_MATTERS.c.id == matter) & (STORED_MATTERS.c.version == version)
        with self._engine.begin() as connection:
            return connection.execute(_changed(seen & may, **values)).rowcount == 1

    def _read_lasting(self) -> dict[tuple[str, str], Lasting]:
        """The newest matter of each trouble that was there when a hall was last told, ruled on or not."""
        c = STORED_MATTERS.c
        query = sa.select(c.board, c.kind, c.id, c.game).where(c.lasts).order_by(c.id)
        with self._engine.connect() as connection:
            return {(board, kind): Lasting(number, game) for board, kind, number, game in connection.execute(query)}


def _passed(board: str, kind: str) -> sa.Update:
    """A trouble has passed: what nobody has taken goes away, what somebody sees to or has ruled on is as it was."""
    c = STORED_MATTERS.c
    away = c.state == OPEN
    return (
        sa.update(STORED_MATTERS)
        .where((c.board == board) & (c.kind == kind) & c.lasts)
        .values(
            lasts=False,
            state=sa.case((away, WENT_AWAY), else_=c.state),
            version=sa.case((away, c.version + 1), else_=c.version),
        )
    )


def _changed(wanted: sa.ColumnElement[bool], **values: object) -> sa.Update:
    return sa.update(STORED_MATTERS).where(wanted).values(version=STORED_MATTERS.c.version + 1, **values)
