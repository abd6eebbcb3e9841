"""What arbiters have to see to, over all boards: each matter is one arbiter's at a time, and is ruled on once.

Nobody holds a lock. Each matter has a version, and whoever claims it or rules on it names the version that was seen:
the database changes the row only if it still is that one (compare and swap), and of two arbiters one looks again.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from server.hall.desk.database import STORED_DEPARTURES, STORED_MATTERS
from server.hall.desk.troubles import CHAIN, HOLD_RESULTS, OF_ONE_GAME, OF_WHO_IS_HERE, SHORTER, TWINS, GameTrouble

log = logging.getLogger(__name__)

OPEN, CLAIMED, RULED, AT_BOARD, WENT_AWAY = "open", "claimed", "ruled", "written", "passed"
"""Waits for somebody; somebody sees to it; it was ruled on; the ruling stands in the board's record; it went away
before anybody took it, or as its board has left. Of HOLD_RESULTS none goes away by itself."""
SHOWN_FOR_S = 7 * 24 * 3600.0
"""A ruling that is not at its board is sent and shown for a week."""
LEASE_S = 300.0
"""How long a claim holds; afterwards another may take the matter. Less takes it from an arbiter who is still at the
board, more lets it wait for one who has gone."""
LONGEST_RULING = 500
STAYING = (CHAIN, SHORTER)
"""Troubles of a record: they stay of the game in which they began, one for a board at a time."""
MOST_SHOWN = 1000
"""Matters in the list: when a whole hall of 200 boards is cut off, what is new still stands among them."""


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
    sent: float
    """When its ruling was last sent to the board; 0 for never."""
    refused: str
    """Why the board did not take the ruling that was made before; empty if it was not refused."""
    fits: bool
    """Whether the record, which had parted from what was stored, was heard to be the stored one since."""


class NewestMatter(NamedTuple):
    """The newest matter of a trouble that a board still has, ruled on or not, and the game that it began in."""

    id: int
    game: str


class Lasting(NamedTuple):
    """What a trouble that lasts is known by: `game` is empty unless it is of one game alone (troubles.OF_ONE_GAME)."""

    board: str
    kind: str
    game: str


@dataclass(frozen=True, slots=True)
class Distrust:
    """What proves nothing: boards, each with the game by which it showed, at whose records nobody has looked since
    something was wrong with them (`held`), and `games` (board, name) that parted from what was stored. These do not fit
    when somebody has decided either, but when the board is heard to have the stored record after all, event for event:
    it was another that spoke in its name. What is played now at `parted` boards is not stored."""

    held: frozenset[tuple[str, str]] = frozenset()
    games: frozenset[tuple[str, str]] = frozenset()
    parted: frozenset[str] = frozenset()

    @property
    def held_boards(self) -> frozenset[str]:
        """Those whose records are held."""
        return frozenset(board for board, _ in self.held)


class Matters:
    """The queue; any thread may use it."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine, self._lock = engine, threading.Lock()
        self._lasting: dict[Lasting, NewestMatter] | None = None
        self._unfitting: frozenset[tuple[str, str]] = frozenset()
        """The games (board, name) whose records had parted when `_lasting` was read, and maybe have no more."""

    def note_troubles(
        self,
        board: str,
        game: str,
        troubles: Collection[str],
        now: float,
        named: Collection[GameTrouble] = (),
        *,
        unseen: Collection[str] = (),
    ) -> bool:
        """Open a matter for each new trouble (of troubles.FOR_ARBITERS) of a board that is at `game`, and for each that
        is `named` with its game; close those that passed by themselves, but none that may be there `unseen`, and let
        those of the board, which wait, be of the game that is played now; whether any. While two programs speak as the
        board, what it says is now of the one and now of the other, and no matter follows that."""
        with self._lock:
            lasting = self._lasting if self._lasting is not None else self._read_lasting()
            known = {key for key in lasting if key.board == board}
            said = {GameTrouble(kind, game) for kind in troubles} | set(named)
            wanted = {_build_key(board, one): one.game for one in said}
            if TWINS in troubles:
                wanted = {_find_same_kind(key, known): at for key, at in wanted.items()}
                moved, passed = set[Lasting](), set[Lasting]()
            else:
                moved = _find_moved(wanted, lasting)
                passed = _find_passed(known - wanted.keys(), unseen)
            if not (passed or moved or wanted.keys() - known):
                self._lasting = lasting
                return False
            self._lasting = None  # read anew if what follows fails
            with self._engine.begin() as connection:
                for key in moved:
                    number = lasting[key].id
                    connection.execute(_build_update((STORED_MATTERS.c.id == number) & _waits(), game=wanted[key]))
                    lasting[key] = NewestMatter(number, wanted[key])
                for key in passed:  # first: of a kind that is of one game, the next one's may begin now
                    del lasting[key]
                    connection.execute(_build_passed_update(key))
                for key in wanted.keys() - known:
                    lasting[key] = _open_matter(connection, key, wanted[key], now)
            self._lasting = lasting
            self._unfitting |= _find_parted(wanted)
        return True

    def note_fitting(self, board: str, game: str, troubles: Collection[str]) -> bool:
        """A board is heard to have a game as it is stored, event for event: where it was said to have another, it was
        another that spoke in its name. Not while two speak as it (`troubles`). Whether that is news."""
        with self._lock:
            if (board, game) not in self._unfitting or not {TWINS, CHAIN}.isdisjoint(troubles):
                return False
            c = STORED_MATTERS.c
            its = (c.board == board) & (c.game == game) & (c.kind == CHAIN) & ~c.lasts
            with self._engine.begin() as connection:
                found = connection.execute(sa.update(STORED_MATTERS).where(its).values(fits=True)).rowcount > 0
            self._unfitting -= {(board, game)} if found else set()
        return found

    def reread_lasting(self) -> set[str]:
        """What lasts is read anew, as other halls write it too; the boards of which it was not what was known here."""
        with self._lock:
            before, self._lasting = self._lasting, None
            self._lasting = self._read_lasting()
            differing = (before or self._lasting).items() ^ self._lasting.items()
        return {key.board for key, _ in differing}

    def claim_matter(self, matter: int, version: int, who: str, now: float) -> bool:
        """Take a matter that is open, or whose lease is over; False if it is another's, or not as it was seen."""
        c = STORED_MATTERS.c
        free = (c.state == OPEN) | ((c.state == CLAIMED) & ((c.lease < now) | (c.owner == who)))
        return self._compare_and_swap(matter, version, free, state=CLAIMED, owner=who, lease=now + LEASE_S)

    def find_claimed(self, matter: int, version: int, who: str) -> Matter | None:
        """A matter that one has claimed; None if it is not one's own, or not as it was seen."""
        c = STORED_MATTERS.c
        own = (c.id == matter) & (c.version == version) & (c.state == CLAIMED) & (c.owner == who)
        return next(iter(self._select_matters(own, c.id)), None)

    def record_ruling(self, matter: int, version: int, who: str, ruling: str) -> bool:
        """Rule on a matter that one has claimed; False if it is not one's own, or not as it was seen."""
        own = (STORED_MATTERS.c.state == CLAIMED) & (STORED_MATTERS.c.owner == who)
        fresh = {"sent": 0.0, "refused": ""}
        return self._compare_and_swap(matter, version, own, state=RULED, ruling=ruling[:LONGEST_RULING], **fresh)

    def release_matter(self, matter: int, version: int, who: str) -> bool:
        """Give back a matter that one has claimed, for others, or for nobody if its trouble has passed; False as for
        `record_ruling`."""
        c = STORED_MATTERS.c
        own = (c.state == CLAIMED) & (c.owner == who)
        state = sa.case((_stays(), OPEN), else_=WENT_AWAY)
        return self._compare_and_swap(matter, version, own, state=state, owner="", lease=0.0)

    def drop_abandoned(self, now: float) -> bool:
        """What somebody took on and neither decided nor gave back goes away once that claim is over, if its trouble has
        passed meanwhile; whether anything did."""
        c = STORED_MATTERS.c
        over = (c.state == CLAIMED) & (c.lease < now) & ~_stays()
        with self._engine.connect() as connection:  # asked all the time, and mostly in vain: that writes nothing
            if connection.execute(sa.select(c.id).where(over).limit(1)).scalar() is None:
                return False
        with self._engine.begin() as connection:
            return connection.execute(_build_update(over, state=WENT_AWAY, owner="", lease=0.0)).rowcount > 0

    def mark_left(self, matter: int, version: int, who: str, now: float) -> bool:
        """The board of a matter that one has claimed has left the hall: that one goes away, and with it all that waits
        for somebody to go there. It lasts on, and is not opened again before the board has come back. False as for
        `record_ruling`, or where the matter is of another kind."""
        c = STORED_MATTERS.c
        goes, here = {"state": WENT_AWAY, "lease": 0.0}, c.kind.in_(OF_WHO_IS_HERE)
        own = (c.id == matter) & (c.version == version) & (c.state == CLAIMED) & (c.owner == who) & here
        with self._engine.begin() as connection:
            if connection.execute(_build_update(own, **goes)).rowcount != 1:
                return False
            board = connection.execute(sa.select(c.board).where(c.id == matter)).scalar_one()
            connection.execute(_build_update((c.board == board) & (c.state == OPEN) & here, **goes))
            _insert_departure(connection, board, now)
        return True

    def note_departure(self, board: str, now: float) -> None:
        """A board has left the hall, of which nothing may wait."""
        with self._engine.begin() as connection:
            _insert_departure(connection, board, now)

    def list_departures(self) -> dict[str, float]:
        """The boards that have left the hall, and when somebody said so."""
        with self._engine.connect() as connection:
            return {str(board): float(at) for board, at in connection.execute(sa.select(STORED_DEPARTURES))}

    def forget_departures(self, boards: Collection[str]) -> None:
        """These boards are in the hall again."""
        if boards:
            with self._engine.begin() as connection:
                connection.execute(sa.delete(STORED_DEPARTURES).where(STORED_DEPARTURES.c.board.in_(boards)))

    def list_unsettled(self, since: float) -> list[Matter]:
        """What waits or is seen to, and rulings on what was opened after `since` that are not at their boards: first
        what a board has refused, then the oldest; at most MOST_SHOWN."""
        c = STORED_MATTERS.c
        wanted = c.state.in_((OPEN, CLAIMED)) | ((c.state == RULED) & (c.opened >= since))
        order = (sa.case((c.state == RULED, 2), (c.refused != "", 0), else_=1), c.id)
        return self._select_matters(wanted, *order)

    def find_distrust(self) -> Distrust:
        """Whose records are not to be believed, as far as any hall on this database has seen."""
        c = STORED_MATTERS.c
        query = sa.select(c.board, c.game, c.kind, c.state, c.lasts, c.fits).where(c.kind.in_(HOLD_RESULTS))
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return Distrust(
            frozenset((row.board, row.game) for row in rows if row.state in {OPEN, CLAIMED}),
            frozenset((row.board, row.game) for row in rows if row.kind == CHAIN and not row.fits),
            frozenset(row.board for row in rows if row.kind == CHAIN and row.lasts),
        )

    def read_board_name(self, matter: int) -> str:
        """The board that a matter is of, "" where there is no such matter."""
        c = STORED_MATTERS.c
        with self._engine.connect() as connection:
            return connection.execute(sa.select(c.board).where(c.id == matter)).scalar() or ""

    def find_decided(self, kinds: Collection[str]) -> set[tuple[str, GameTrouble]]:
        """The boards, and which troubles of these kinds they have of a game, on which somebody has decided."""
        c = STORED_MATTERS.c
        wanted = c.kind.in_(kinds) & c.lasts & c.state.in_((RULED, AT_BOARD))
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(c.board, c.kind, c.game).where(wanted))
            return {(row.board, GameTrouble(row.kind, row.game)) for row in rows}

    def list_rulings(self, board: str) -> list[Matter]:
        """What was ruled at a board, the newest first."""
        wanted = STORED_MATTERS.c.state.in_((RULED, AT_BOARD)) & (STORED_MATTERS.c.board == board)
        return self._select_matters(wanted, STORED_MATTERS.c.id.desc())

    def list_unwritten(self, since: float, boards: Collection[str]) -> list[Matter]:
        """Rulings for these boards, on what was opened after `since`, that they have not in their records yet."""
        c = STORED_MATTERS.c
        return self._select_matters((c.state == RULED) & (c.opened >= since) & c.board.in_(boards), c.sent, c.id)

    def mark_sent(self, matters: Collection[int], now: float) -> None:
        """These rulings were sent just now."""
        if matters:
            c = STORED_MATTERS.c
            with self._engine.begin() as connection:
                connection.execute(sa.update(STORED_MATTERS).where(c.id.in_(matters)).values(sent=now))

    def reopen_refused(self, board: str, matter: int, why: str) -> bool:
        """The board does not take this ruling: somebody has to see to it again. False if it is no ruling of that board
        that waits."""
        c = STORED_MATTERS.c
        its = (c.id == matter) & (c.board == board) & (c.state == RULED)
        back = {"state": OPEN, "owner": "", "lease": 0.0, "refused": why or "?"}
        with self._engine.begin() as connection:
            return connection.execute(_build_update(its, **back)).rowcount == 1

    def mark_written(self, board: str, matter: int) -> None:
        """The board has this ruling in its record."""
        c = STORED_MATTERS.c
        its = (c.id == matter) & (c.board == board) & (c.state == RULED)
        with self._engine.begin() as connection:
            connection.execute(_build_update(its, state=AT_BOARD))

    def _select_matters(self, wanted: sa.ColumnElement[bool], *order: sa.ColumnElement[int]) -> list[Matter]:
        query = sa.select(STORED_MATTERS).where(wanted).order_by(*order).limit(MOST_SHOWN)
        with self._engine.connect() as connection:
            return [Matter(**row._mapping) for row in connection.execute(query)]

    def _compare_and_swap(self, matter: int, version: int, may: sa.ColumnElement[bool], **values: object) -> bool:
        seen = (STORED_MATTERS.c.id == matter) & (STORED_MATTERS.c.version == version)
        with self._engine.begin() as connection:
            return connection.execute(_build_update(seen & may, **values)).rowcount == 1

    def _read_lasting(self) -> dict[Lasting, NewestMatter]:
        """The newest matter of each trouble that was there when a hall was last told, ruled on or not."""
        c = STORED_MATTERS.c
        query = sa.select(c.board, c.kind, c.id, c.game).where(c.lasts).order_by(c.id)
        parted = sa.select(c.board, c.game).where((c.kind == CHAIN) & ~c.fits)
        with self._engine.connect() as connection:
            self._unfitting = frozenset((row.board, row.game) for row in connection.execute(parted))
            return {
                _build_key(board, GameTrouble(kind, game)): NewestMatter(number, game)
                for board, kind, number, game in connection.execute(query)
            }


def _build_key(board: str, trouble: GameTrouble) -> Lasting:
    return Lasting(board, trouble.kind, trouble.game if trouble.kind in OF_ONE_GAME else "")


def _find_same_kind(key: Lasting, known: Collection[Lasting]) -> Lasting:
    """The one of that kind that is known already, whichever of two games it is of."""
    return key if key in known else next((one for one in sorted(known) if one.kind == key.kind), key)


def _find_moved(wanted: Mapping[Lasting, str], lasting: Mapping[Lasting, NewestMatter]) -> set[Lasting]:
    """What has lasted since an earlier game, and is of the one that is played now."""
    staying = {key for key in wanted if key not in lasting or key.kind in STAYING}
    return {key for key in wanted.keys() - staying if lasting[key].game != wanted[key]}


def _find_parted(wanted: Mapping[Lasting, str]) -> set[tuple[str, str]]:
    """The games (board, name) that have parted from what is stored."""
    return {(key.board, game) for key, game in wanted.items() if key.kind == CHAIN}


def _find_passed(gone: Collection[Lasting], unseen: Collection[str]) -> set[Lasting]:
    """Of what does not show any more what is over."""
    return {key for key in gone if key.kind not in unseen}


def _open_matter(connection: sa.Connection, key: Lasting, game: str, now: float) -> NewestMatter:
    """One that waits for the same and is resumed, or a new one."""
    number = _resume_of_record(connection, key.board, game, key.kind)
    number = number or _resume_matter(connection, key.board, game, key.kind)
    return NewestMatter(number, game) if number else _insert_matter(connection, key, game, now)


def _insert_departure(connection: sa.Connection, board: str, now: float) -> None:
    """That a board has left; where that is known already, since then."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    connection.execute(insert(STORED_DEPARTURES).values(board=board, at=now).on_conflict_do_nothing())


def _insert_matter(connection: sa.Connection, key: Lasting, game: str, now: float) -> NewestMatter:
    """A new matter, or the one that another hall has opened for this trouble in the same moment."""
    row = {"board": key.board, "game": game, "kind": key.kind, "opened": now, "state": OPEN, "lasts": True}
    fresh = {"owner": "", "lease": 0.0, "version": 1, "ruling": "", "sent": 0.0, "refused": "", "fits": False}
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    connection.execute(insert(STORED_MATTERS).values(**row, **fresh).on_conflict_do_nothing())
    c = STORED_MATTERS.c
    number, of_game = connection.execute(sa.select(c.id, c.game).where(_lasts_as(key))).one()
    return NewestMatter(int(number), str(of_game))


def _lasts_as(key: Lasting) -> sa.ColumnElement[bool]:
    c = STORED_MATTERS.c
    its = (c.board == key.board) & (c.kind == key.kind) & c.lasts
    return its & (c.game == key.game) if key.game else its


def _waits() -> sa.ColumnElement[bool]:
    return STORED_MATTERS.c.state.in_((OPEN, CLAIMED))


def _stays() -> sa.ColumnElement[bool]:
    """What waits for somebody also when nobody sees to it."""
    c = STORED_MATTERS.c
    return c.lasts | c.kind.in_(HOLD_RESULTS) | (c.refused != "")


def _resume_matter(connection: sa.Connection, board: str, game: str, kind: str) -> int:
    """The number of a matter that nobody has settled since its trouble was there last; 0 if there is none.

    A record that has parted from what was stored does not fit by itself again: a hall that begins anew, and sees it for
    the first time, asks nobody twice. One that did fit in between has parted anew.
    """
    c = STORED_MATTERS.c
    is_same = c.state.in_((RULED, AT_BOARD)) & ~c.fits & (c.kind == CHAIN)
    its = (c.board == board) & (c.kind == kind) & (_waits() | is_same)
    if kind in OF_ONE_GAME or kind in STAYING:
        its &= c.game == game
    found = connection.execute(sa.select(c.id, c.game).where(its).order_by(c.id.desc()).limit(1)).one_or_none()
    if found is None:
        return 0
    connection.execute(sa.update(STORED_MATTERS).where(c.id == found.id).values(lasts=True, fits=False))
    if found.game != game:
        connection.execute(_build_update(c.id == found.id, game=game))
    return int(found.id)


def _resume_of_record(connection: sa.Connection, board: str, game: str, kind: str) -> int:
    """The number of a matter that waits for somebody to look at the same record for the other reason; 0 for none. One
    that goes less far is called by that until something else is played on it, and parts from what is stored."""
    c = STORED_MATTERS.c
    other = {CHAIN: SHORTER, SHORTER: CHAIN}.get(kind)
    its = (c.board == board) & (c.game == game) & (c.kind == other) & _waits()
    number = connection.execute(sa.select(c.id).where(its)).scalar() if other else None
    if number is not None and kind == CHAIN:
        connection.execute(_build_update(c.id == number, kind=CHAIN, lasts=True))
    return int(number or 0)


def _build_passed_update(key: Lasting) -> sa.Update:
    """A trouble has passed: what nobody has taken goes away, if it may; what somebody sees to or has ruled on is as it
    was, and so is what a board has refused."""
    c = STORED_MATTERS.c
    away = (c.state == OPEN) & c.kind.not_in(HOLD_RESULTS) & (c.refused == "")
    return (
        sa.update(STORED_MATTERS)
        .where(_lasts_as(key))
        .values(
            lasts=False,
            state=sa.case((away, WENT_AWAY), else_=c.state),
            version=sa.case((away, c.version + 1), else_=c.version),
        )
    )


def _build_update(wanted: sa.ColumnElement[bool], **values: object) -> sa.Update:
    return sa.update(STORED_MATTERS).where(wanted).values(version=STORED_MATTERS.c.version + 1, **values)
