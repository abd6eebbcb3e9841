"""The halls that run on one database, as they are written in it: so each knows of the others whatever broker they use,
and that the database was set back under it.

Halls that share a database share a broker too (docs/hall.md), by which they share out the boards. One that is started
on it by mistake, with a broker of its own, hears none of the boards: it would call them all not connected.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from server.hall.desk.database import METADATA, STORED_HALLS, STORED_ITSELF
from server.hall.desk.database_file import ANOTHER
from server.hall.desk.hall_vitals import HallVitals

CARRIES_FOR_S = 2.0
"""A hall listens once its broker has carried for so long: pulses of all that use it, four a second, have come by then.
Less takes a hall for one with another broker that is only heard late; more tells of one that has another later."""
DEAD_S = 3.5
"""A hall that has not raised its number for so long, more than three times what it takes, has ended. Less takes a busy
one for a dead one; more keeps a fault on the pages that is over."""
FRESH_S = 5.0
"""A hall that was there when this one began may live if it was in the database so lately by the clocks of both."""
WAITS_S = 1.5
"""So long a hall that begins waits for one that may live to raise its number. It stores nothing meanwhile: less may
store what the boards of two brokers with one name say, more is the longer after a hall was killed."""
FORGOTTEN_S = 7 * 24 * 3600.0
"""A hall that was killed is in the database for a week, for who looks into it."""
LONGEST_PLACE = 200


class NotWholeError(sa.exc.SQLAlchemyError):
    """The database is not the one that the hall has opened, or has not all of it yet."""


@dataclass(slots=True)
class Neighbour:
    """Another hall in the database; times are of this machine's steady clock."""

    beat: int
    found_s: float
    may_live: bool
    """It was in the database lately when it was found."""
    changed_s: float | None = None
    """When it raised its number last; None if it has not since it was found."""
    begun: float = 0.0
    place: str = ""
    listens: bool = False
    is_heard: bool = False
    """Whether it was ever heard through this hall's broker."""


class Neighbours:
    """Used by one thread."""

    def __init__(self, engine: sa.Engine, vitals: HallVitals, place: str) -> None:
        """`place` says to people which hall this is."""
        self._engine, self._vitals, self._place = engine, vitals, place[:LONGEST_PLACE]
        self._beats: set[int] = set()
        """What this hall's own number may be: of a commit that has failed nobody knows."""
        self._begun = 0.0
        self._is_in = False
        self._others: dict[str, Neighbour] = {}
        self._parts = 0
        """How many keys and indexes the tables have, as they were opened."""

    def sign_in(self) -> bool:
        """Say that this hall lives, and see who else does; whether the database was set back since the last time.
        SQLAlchemyError where it takes nothing, or is not whole (NotWholeError)."""
        beat, is_set_back = max(self._beats, default=0) + 1, False
        with self._engine.begin() as connection:
            self._check_same(connection)
            listens = self._listens()
            if not self._raise_number(connection, beat, listens=listens):
                if is_set_back := self._is_in:
                    self._check_whole(connection)
                self._write_line(connection, beat, listens=listens)
            self._beats |= {beat}
            rows = connection.execute(sa.select(STORED_HALLS).where(STORED_HALLS.c.run != self._vitals.run)).all()
        if not self._is_in:
            with self._engine.connect() as connection:
                self._parts = self._count_parts(connection)
        self._beats, self._is_in = {beat}, True
        self._look_at(rows)
        return is_set_back

    def judge_others(self) -> None:
        """Tell the vitals of a hall with another broker, and whether this one may write."""
        now, living = time.monotonic(), self._vitals.living_halls()
        foreign, is_open = [], False
        for run, one in self._others.items():
            one.is_heard |= run in living
            lives = one.changed_s is not None and now - one.changed_s < DEAD_S
            if one.is_heard:
                continue
            if lives and one.listens and self._listens():
                foreign.append((one.begun, run, one.place))
            elif lives:
                is_open |= one.listens
            else:
                is_open |= one.changed_s is None and one.may_live and now - one.found_s < WAITS_S
        first = min(foreign, default=None)
        is_first = first is None or (self._begun, self._vitals.run) < first[:2]
        self._vitals.note_another_hall(first[2] if first else "", is_first=is_first)
        if not is_open:
            self._vitals.let_in()

    def sign_out(self) -> None:
        """This hall ends."""
        with self._engine.begin() as connection:
            connection.execute(sa.delete(STORED_HALLS).where(STORED_HALLS.c.run == self._vitals.run))

    def _listens(self) -> bool:
        since = self._vitals.listens_since
        return since is not None and time.monotonic() - since >= CARRIES_FOR_S

    def _check_same(self, connection: sa.Connection) -> None:
        """NotWholeError for another database than was opened; else it takes something."""
        beaten = connection.execute(sa.update(STORED_ITSELF).values(beat=time.time()))
        name = connection.execute(sa.select(STORED_ITSELF.c.name)).scalar()
        if not beaten.rowcount:
            raise NotWholeError("the database is not whole: is it being restored?")
        if name != self._vitals.store:
            raise NotWholeError(f"the database is another one than was opened: {ANOTHER}")

    def _check_whole(self, connection: sa.Connection) -> None:
        """NotWholeError for a database that is being restored: keys and indexes come last, and what is written before
        may keep them from being made."""
        try:
            there = self._count_parts(connection)
        except sa.exc.NoSuchTableError:
            there = 0
        if there < self._parts:
            raise NotWholeError(
                "the database has not all of its tables and keys: nothing is stored while it is being restored; if it "
                "has been, start the hall again"
            )

    def _count_parts(self, connection: sa.Connection) -> int:
        """How many keys and indexes the tables have."""
        found, there = sa.inspect(connection), 0
        for name in METADATA.tables:
            there += len(found.get_indexes(name)) + bool(found.get_pk_constraint(name)["constrained_columns"])
        return there

    def _raise_number(self, connection: sa.Connection, beat: int, *, listens: bool) -> bool:
        """Whether this hall's line is there as it wrote it last."""
        c = STORED_HALLS.c
        its = (c.run == self._vitals.run) & c.beat.in_(self._beats)
        said = {"beat": beat, "seen": time.time(), "listens": listens}
        return self._is_in and connection.execute(sa.update(STORED_HALLS).where(its).values(said)).rowcount == 1

    def _write_line(self, connection: sa.Connection, beat: int, *, listens: bool) -> None:
        """After those that are there, by whatever clock."""
        c, now = STORED_HALLS.c, time.time()
        connection.execute(sa.delete(STORED_HALLS).where((c.run == self._vitals.run) | (c.seen < now - FORGOTTEN_S)))
        last = connection.execute(sa.select(sa.func.max(c.begun))).scalar() or 0.0
        self._begun = max(now, last + 0.001)
        said = {"run": self._vitals.run, "begun": self._begun, "place": self._place, "seen": now}
        connection.execute(sa.insert(STORED_HALLS).values(said | {"beat": beat, "listens": listens}))

    def _look_at(self, rows: Sequence[sa.Row[Any]]) -> None:
        """Note which of the others have raised their numbers."""
        now = time.monotonic()
        self._others = {run: one for run, one in self._others.items() if run in {row.run for row in rows}}
        for row in rows:
            is_fresh = abs(time.time() - row.seen) < FRESH_S
            one = self._others.setdefault(row.run, Neighbour(row.beat, now, may_live=is_fresh))
            if one.beat != row.beat:
                one.beat, one.changed_s = row.beat, now
            one.begun, one.place, one.listens = row.begun, row.place, row.listens
