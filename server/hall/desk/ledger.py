"""The events of all boards in the database: each once, each game without gaps, each fitting the hash before it."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace

import sqlalchemy as sa

from server.hall.desk.database import STORED_EVENTS, STORED_GAMES
from server.hall.wire import Link
from server.record.chain import genesis, written
from server.record.summary import Summary

log = logging.getLogger(__name__)

Key = tuple[str, str]
"""Board, and the game's name in its record."""
MOST_EARLY = 200
"""Events of a game that are held because one before them is missing; what comes earlier still is asked for again."""
COLUMN_WIDTHS = {"game": 40, "rules": 200, "begun": 40, "result": 20}


@dataclass(frozen=True, slots=True)
class Known:
    """How far a game is stored, and the first number that does not fit what is; None while all fits."""

    summary: Summary
    broken_at: int | None = None


class Ledger:
    """Written by one thread, read by any. What it knows it forgets when a commit fails, and reads anew."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._known: dict[Key, Known] | None = None
        self._early: dict[Key, dict[int, Link]] = {}
        self.counts = dict.fromkeys(("stored", "doubled", "early", "unfitting"), 0)

    def add(self, links: Iterable[Link]) -> list[Link]:
        """Store what is new and fits, in one transaction; what was stored, in order. SQLAlchemyError: nothing was."""
        known, counts = dict(self._games()), dict(self.counts)
        early = {key: dict(held) for key, held in self._early.items()}
        new: list[Link] = []
        for link in links:
            key = (link.board, link.game)
            before = known.get(key) or Known(Summary(link.game, head=genesis(link.game)))
            if link.sequence > before.summary.events + 1:
                counts["early"] += 1
                held = early.setdefault(key, {})
                if len(held) < MOST_EARLY:
                    held[link.sequence] = link
                continue
            following: Link | None = link
            while following is not None and before.broken_at is None:
                before, taken = _after(before, following)
                new += [following] if taken else []
                counts["stored" if taken else "unfitting" if before.broken_at else "doubled"] += 1
                following = early.get(key, {}).pop(before.summary.events + 1, None)
            known[key] = before
        self._write(new, known)
        with self._lock:
            self._known, self.counts = known, counts
        self._early = {key: held for key, held in early.items() if held}
        return new

    def known(self, board: str, game: str) -> Known | None:
        """How far a game is stored; None for one that is not."""
        return self._games().get((board, game))

    def links(self, board: str, game: str, after: int = 0, most: int = 100_000) -> list[Link]:
        """What is stored of a game after a number."""
        wanted = (STORED_EVENTS.c.board == board) & (STORED_EVENTS.c.game == game) & (STORED_EVENTS.c.sequence > after)
        query = sa.select(STORED_EVENTS).where(wanted).order_by(STORED_EVENTS.c.sequence).limit(most)
        with self._engine.connect() as connection:
            return [
                Link(row.board, row.game, row.sequence, row.previous, row.hash, _read(row.event))
                for row in connection.execute(query)
            ]

    def games(self) -> Mapping[Key, Known]:
        """Every game of every board."""
        return self._games()

    def _games(self) -> Mapping[Key, Known]:
        with self._lock:
            if self._known is None:
                with self._engine.connect() as connection:
                    rows = [dict(row._mapping) for row in connection.execute(sa.select(STORED_GAMES))]
                self._known = {(row.pop("board"), row["name"]): Known(Summary(**row)) for row in rows}
            return self._known

    def _write(self, new: list[Link], known: Mapping[Key, Known]) -> None:
        if not new:
            return
        changed = {(link.board, link.game) for link in new}
        begun = {(link.board, link.game) for link in new if link.sequence == 1}
        rows = [
            {"event": written(link.event)}
            | {name: getattr(link, name) for name in ("board", "game", "sequence", "previous", "hash")}
            for link in new
        ]
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.insert(STORED_EVENTS), rows)
                if begun:
                    connection.execute(sa.insert(STORED_GAMES), [_row(key, known[key].summary) for key in begun])
                if others := changed - begun:
                    update = (
                        sa.update(STORED_GAMES)
                        .where(
                            STORED_GAMES.c.board == sa.bindparam("b_board"),
                            STORED_GAMES.c.name == sa.bindparam("b_name"),
                        )
                        .values({column: sa.bindparam(column) for column in STORED_GAMES.c.keys()[2:]})
                    )
                    connection.execute(
                        update,
                        [
                            {"b_board": row.pop("board"), "b_name": row.pop("name")} | row
                            for row in (_row(key, known[key].summary) for key in others)
                        ],
                    )
        except sa.exc.SQLAlchemyError:
            with self._lock:
                self._known = None
            raise


def _after(before: Known, link: Link) -> tuple[Known, bool]:
    """What is known of a game after a link that is not early, and whether the link is new."""
    summary = before.summary
    if link.sequence <= summary.events:
        if link.sequence == summary.events and link.hash != summary.head:
            return replace(before, broken_at=link.sequence), False
        return before, False
    if link.previous != summary.head:
        log.warning("board %s: event %d of %s does not fit the one before", link.board, link.sequence, link.game)
        return replace(before, broken_at=link.sequence), False
    return replace(before, summary=summary.after(link.event, link.hash)), True


def _row(key: Key, summary: Summary) -> dict[str, object]:
    row = {"board": key[0]} | asdict(summary)
    return row | {name: str(row[name])[:width] for name, width in COLUMN_WIDTHS.items()}


def _read(text: str) -> Mapping[str, object]:
    event: Mapping[str, object] = json.loads(text)
    return event
