"""The events of all boards in the database: each once, each game without gaps, each fitting the hash before it."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import sqlalchemy as sa

from server.hall.desk.database import STORED_EVENTS, STORED_GAMES
from server.mqtt.wire import EventLink
from server.record.chain import encode_event, genesis_hash
from server.record.summary import Summary

log = logging.getLogger(__name__)

Key = tuple[str, str]
"""Board, and the game's name in its record."""
MOST_EARLY = 200
"""Events of a board that are held because one before them is missing; what comes earlier still is asked for again."""
LARGEST_EARLY = 8_000
"""Characters of an event that is held: four times the largest of our games. So a board takes 2 MB at most."""
MOST_CONFLICTS = 20
ASKED_AGAIN_S = 1.0
"""How long a database that did not answer is not asked again for what a page shows. Less lets each board on it wait for
a server that swallows what is asked; more shows a result of before for longer once it is back."""
COLUMN_WIDTHS = {"game": 40, "rules": 200, "begun": 40, "result": 20, "reason": 20}


@dataclass(frozen=True, slots=True)
class StoredGame:
    """How far a game is stored, and the number of the event that came last and does not fit what is; None while all
    fits, and again when one that fits has come. `came` is its place among its board's games."""

    summary: Summary
    broken_at: int | None = None
    came: int = 0
    reason: str = ""
    """Why it is over, as its last result says; empty while it goes on."""

    @property
    def place(self) -> str:
        """By which its board's games are in the order in which they were begun; "" for a recording."""
        return f"{self.came:09} {self.summary.name}" if self.summary.begun else ""


class StoredElsewhere(sa.exc.SQLAlchemyError):
    """Another hall has stored more of a game than was known here."""


class Ledger:
    """Written by one thread of each hall, read by any. What it knows is a copy of the database's own: a game is stored
    only on from the hash that the database has (compare and swap); where another hall was faster it is read anew."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        style = "qmark" if engine.dialect.paramstyle == "qmark" else "format"
        dialect: Any = type(engine.dialect)  # each takes it, and the toolkit does not say so
        positional = dialect(paramstyle=style)
        self._insert = str(sa.insert(STORED_EVENTS).compile(dialect=positional))
        """As it is, without the toolkit's own look at each row, which takes as long as the database does."""
        self._lock = threading.Lock()
        self._known: dict[Key, StoredGame] | None = None
        self._last: dict[str, StoredGame] = {}
        """Board -> of its games that were begun by a move or a result, the one begun last."""
        self._newest: dict[str, int] = {}
        """Board -> the place of the game that came last."""
        self._early: dict[Key, dict[int, EventLink]] = {}
        self._stale: set[Key] = set()
        self._asked_again_s = 0.0
        self.counts = dict.fromkeys(("stored", "doubled", "early", "unfitting"), 0)

    def store_links(self, links: Sequence[EventLink]) -> list[EventLink]:
        """Store what is new and fits, in one transaction; what was stored, in order. SQLAlchemyError: nothing was."""
        for _ in range(MOST_CONFLICTS):
            try:
                return self._try_store(links)
            except (StoredElsewhere, sa.exc.IntegrityError):
                self.mark_stale({(link.board, link.game) for link in links})
        raise StoredElsewhere("other halls store the same games all the time")

    def _try_store(self, links: Sequence[EventLink]) -> list[EventLink]:
        known, counts = self._load_games_of(links), dict(self.counts)
        heads = {key: at.summary.head for key, at in known.items()}
        early = {key: dict(held) for key, held in self._early.items()}
        new: list[EventLink] = []
        for link in links:
            key = (link.board, link.game)
            before = known.get(key) or self._expect_game(link, known)
            if link.sequence > before.summary.events + 1:
                counts["early"] += 1
                _hold_early(early, link)
                continue
            following: EventLink | None = link
            while following is not None:
                at = before.summary.events
                before, taken = _apply_link(before, following)
                new += [following] if taken else []
                counts["stored" if taken else "unfitting" if following.sequence > at else "doubled"] += 1
                following = early.get(key, {}).pop(before.summary.events + 1, None)
            known[key] = before
        self._write_links(new, known, heads)
        with self._lock:
            self._remember_games(known)
            self.counts = counts
        self._early = {key: held for key, held in early.items() if held}
        return new

    def _expect_game(self, link: EventLink, known: Mapping[Key, StoredGame]) -> StoredGame:
        """A game of which nothing is stored: it comes after all of its board that are, or are about to be."""
        last = max((at.came for (board, _), at in known.items() if board == link.board), default=0)
        came = max(last, self._newest.get(link.board, 0)) + 1
        return StoredGame(Summary(link.game, head=genesis_hash(link.game)), came=came)

    def _load_games_of(self, links: Iterable[EventLink]) -> dict[Key, StoredGame]:
        """What is known of the games of links, read anew where a link does not go on from it: another hall may have
        stored what is between."""
        firsts: dict[Key, EventLink] = {}
        for link in links:
            firsts.setdefault((link.board, link.game), link)
        with self._lock:
            known = self._refresh_games()
            self._stale |= {
                key for key, link in firsts.items() if key in known and link.previous != known[key].summary.head
            }
            known = self._refresh_games()
            return {key: known[key] for key in firsts if key in known}

    def find_game(self, board: str, game: str) -> StoredGame | None:
        """How far a game is stored; None for one that is not."""
        with self._lock:
            return self._refresh_games().get((board, game))

    def note_fitting(self, board: str, game: str, events: int, head: str) -> bool:
        """A board says how far its record of a game goes, and by which hash: whether that is all that is stored. What
        came before and did not fit was another's then."""
        with self._lock:
            known = self._refresh_games().get((board, game))
            if known is None or (known.summary.events, known.summary.head) != (events, head):
                return False
            if known.broken_at is not None:
                self._remember_games({(board, game): replace(known, broken_at=None)})
            return True

    def last_played(self, board: str) -> Summary | None:
        """Of a board's games in which something was played or decided, the one that was begun last. While the database
        is away it is as it was known last; SQLAlchemyError where nothing is known yet."""
        with self._lock:
            self._refresh_if_there()
            last = self._last.get(board)
            return last.summary if last else None

    def was_left(self, board: str, game: str) -> bool:
        """Whether a game is stored, and the one that `last_played` names was begun after it."""
        with self._lock:
            self._refresh_if_there()
            last, known = self._last.get(board), (self._known or {}).get((board, game))
            return last is not None and known is not None and known.place < last.place

    def read_links(self, board: str, game: str, after: int = 0, most: int = 100_000) -> list[EventLink]:
        """What is stored of a game after a number."""
        wanted = (STORED_EVENTS.c.board == board) & (STORED_EVENTS.c.game == game) & (STORED_EVENTS.c.sequence > after)
        query = sa.select(STORED_EVENTS).where(wanted).order_by(STORED_EVENTS.c.sequence).limit(most)
        with self._engine.connect() as connection:
            return [
                EventLink(row.board, row.game, row.sequence, row.previous, row.hash, _parse_event(row.event))
                for row in connection.execute(query)
            ]

    def hash_at(self, board: str, game: str, sequence: int) -> str:
        """The hash of an event; empty if it is not stored."""
        if not sequence:
            return genesis_hash(game)
        return next((link.hash for link in self.read_links(board, game, sequence - 1, 1)), "")

    def stored_games(self) -> Mapping[Key, StoredGame]:
        """Every game of every board."""
        with self._lock:
            return dict(self._refresh_games())

    def mark_stale(self, keys: Iterable[Key]) -> None:
        """Another hall has stored something of these games: they are read anew when they are asked for."""
        with self._lock:
            self._stale |= set(keys)

    def reread_games(self) -> None:
        """What is known is read anew: the database may have been set back, and have less of games than was stored."""
        with self._lock:
            self._read_everything()

    def _refresh_if_there(self) -> None:
        """As `_refresh_games`, but what is known already stays good enough while the database is away."""
        if self._known is not None and time.monotonic() < self._asked_again_s:
            return
        try:
            self._refresh_games()
        except sa.exc.SQLAlchemyError:
            self._asked_again_s = time.monotonic() + ASKED_AGAIN_S
            if self._known is None:
                raise

    def _refresh_games(self) -> dict[Key, StoredGame]:
        """What the database has, as far as it is known here; the lock is held."""
        if self._known is None:
            self._read_everything()
        elif self._stale:
            fresh = self._read_games(self._stale)
            if any(key in self._known for key in self._stale - fresh.keys()):  # it was set back
                return self._read_everything()
            known = {key: self._known[key].broken_at for key in fresh if key in self._known}
            self._stale = set()
            self._remember_games({key: replace(at, broken_at=known.get(key)) for key, at in fresh.items()})
        return self._known or {}

    def _read_everything(self) -> dict[Key, StoredGame]:
        """As the database has it, whatever was known; the lock is held."""
        everything = self._read_games(None)
        self._known, self._last, self._newest, self._stale = {}, {}, {}, set()
        self._remember_games(everything)
        return self._known

    def _remember_games(self, known: Mapping[Key, StoredGame]) -> None:
        """Note how far games are stored; the lock is held."""
        if self._known is not None:
            self._known.update(known)
        for (board, name), at in known.items():
            summary, last = at.summary, self._last.get(board)
            is_played = summary.plies > 0 or summary.is_over
            is_later = last is None or at.place > last.place
            if (is_played and is_later) or (last is not None and last.summary.name == name):
                self._last[board] = at
            self._newest[board] = max(at.came, self._newest.get(board, 0))

    def _read_games(self, keys: Collection[Key] | None) -> dict[Key, StoredGame]:
        query = sa.select(STORED_GAMES)
        if keys is not None:
            query = query.where(sa.tuple_(STORED_GAMES.c.board, STORED_GAMES.c.name).in_(list(keys)))
        with self._engine.connect() as connection:
            rows = [dict(row._mapping) for row in connection.execute(query)]
        return {
            (row.pop("board"), row["name"]): StoredGame(
                came=row.pop("came"), reason=row.pop("reason"), summary=Summary(**row)
            )
            for row in rows
        }

    def _write_links(self, new: list[EventLink], known: Mapping[Key, StoredGame], heads: Mapping[Key, str]) -> None:
        """`heads` are the hashes on from which games go on, as far as they are known."""
        if not new:
            return
        changed = {(link.board, link.game) for link in new}
        begun = {(link.board, link.game) for link in new if link.sequence == 1}
        rows = [
            (link.board, link.game, link.sequence, link.text or encode_event(link.event), link.previous, link.hash)
            for link in new
        ]
        try:
            with self._engine.begin() as connection:
                connection.exec_driver_sql(self._insert, rows)
                if begun:
                    connection.execute(sa.insert(STORED_GAMES), [_game_to_row(key, known[key]) for key in begun])
                if others := changed - begun:
                    update = (
                        sa.update(STORED_GAMES)
                        .where(
                            STORED_GAMES.c.board == sa.bindparam("b_board"),
                            STORED_GAMES.c.name == sa.bindparam("b_name"),
                            STORED_GAMES.c.head == sa.bindparam("b_head"),
                        )
                        .values({column: sa.bindparam(column) for column in STORED_GAMES.c.keys()[2:]})
                    )
                    done = connection.execute(
                        update,
                        [
                            {"b_board": row.pop("board"), "b_name": row.pop("name"), "b_head": head} | row
                            for row, head in ((_game_to_row(key, known[key]), heads[key]) for key in others)
                        ],
                    )
                    if done.rowcount != len(others):
                        raise StoredElsewhere("another hall was faster")
        except sa.exc.SQLAlchemyError:
            self.mark_stale(changed)
            raise


def _apply_link(before: StoredGame, link: EventLink) -> tuple[StoredGame, bool]:
    """What is known of a game after a link that is not early, and whether the link is new."""
    summary = before.summary
    if link.sequence <= summary.events:
        if link.sequence == summary.events and link.hash != summary.head:
            return replace(before, broken_at=link.sequence), False
        return before, False
    if link.previous != summary.head:
        log.warning("board %s: event %d of %s does not fit the one before", link.board, link.sequence, link.game)
        return replace(before, broken_at=link.sequence), False
    after = summary.after_event(link.event, link.hash)
    reason = str(link.event.get("reason", "")) if link.event.get("event") == "result" else before.reason
    return StoredGame(after, came=before.came, reason=reason if after.is_over else ""), True


def _hold_early(early: dict[Key, dict[int, EventLink]], link: EventLink) -> None:
    """Keep an event until the one before it comes, if its board has room for it."""
    held = sum(len(links) for (board, _), links in early.items() if board == link.board)
    if held < MOST_EARLY and len(encode_event(link.event)) <= LARGEST_EARLY:
        early.setdefault((link.board, link.game), {})[link.sequence] = link


def _game_to_row(key: Key, known: StoredGame) -> dict[str, object]:
    row = {"board": key[0]} | asdict(known.summary) | {"came": known.came, "reason": known.reason}
    return row | {name: str(row[name])[:width] for name, width in COLUMN_WIDTHS.items()}


def _parse_event(text: str) -> Mapping[str, object]:
    event: Mapping[str, object] = json.loads(text)
    return event
