"""Tournaments in the hall's database. A change is made of the whole value, and kept only if nobody was faster.

`change_tournament` reads a tournament, makes another of it, and writes the difference in one transaction that first
moves the version on: if that is not the one that was read any more, it begins again. So two arbiters, and boards
whose games end in the same second, never write over each other. The same transaction looks at the other tournaments,
which nobody can change meanwhile: a board is one open table's, and a game is the result of one table.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from typing import Any

import sqlalchemy as sa

from engine.errors import InputError
from engine.sentences import Sentence
from server.hall.desk.database import STORED_ABSENCES, STORED_ENTRANTS, STORED_TABLES, STORED_TOURNAMENTS
from server.hall.tournament.event import Absence, Elsewhere, Entrant, Seating, Tournament, check_days, check_tournament

log = logging.getLogger(__name__)

SAID_ONCE = (
    *("title", "system", "rounds", "game", "place", "federation", "begins", "ends", "arbiter", "first"),
    *("tie_breaks", "boards", "times"),
)
MOST_RACES = 50
KEYS = {
    STORED_ENTRANTS: ("number",),
    STORED_ABSENCES: ("round", "number"),
    STORED_TABLES: ("round", "table"),
}
StoredRows = dict[tuple[object, ...], dict[str, object]]


class HeldElsewhereError(InputError):
    """A board or a game is that of a table of another tournament."""


class Tournaments:
    """All of a hall; any thread may use it, and several programs the same database."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def list_names(self) -> list[str]:
        """The names of all, in their order."""
        return list(self.list_versions())

    def list_versions(self) -> dict[str, int]:
        """The same, and how often each was changed."""
        with self._engine.connect() as connection:
            c = STORED_TOURNAMENTS.c
            query = sa.select(c.name, c.version).order_by(c.name)
            return {str(name): int(version) for name, version in connection.execute(query)}

    def load_tournament(self, name: str) -> Tournament:
        """One of them. InputError if there is none of that name."""
        with self._engine.connect() as connection:
            head = connection.execute(
                sa.select(STORED_TOURNAMENTS).where(STORED_TOURNAMENTS.c.name == name)
            ).one_or_none()
            if head is None:
                raise InputError("tournament {name}: there is none of that name", name=repr(name[:50]))
            said = json.loads(head.said)
            entrants = [Entrant(**row) for row in _read_rows(connection, STORED_ENTRANTS, name)]
            absences = [Absence(**row) for row in _read_rows(connection, STORED_ABSENCES, name)]
            tables = [
                Seating(**(row | {"players": _parse_players(row)}))
                for row in _read_rows(connection, STORED_TABLES, name)
            ]
        said |= {key: tuple(said[key]) for key in ("tie_breaks", "boards")}
        return Tournament(
            name,
            **said,
            entrants=tuple(entrants),
            absences=tuple(absences),
            tables=tuple(tables),
            version=head.version,
        )

    def add_tournament(self, tournament: Tournament) -> None:
        """Keep a new one. InputError if it cannot be used, or the name is taken."""
        tournament = check_days(check_tournament(tournament))
        row = {"name": tournament.name, "said": _fields_to_json(tournament), "version": 1}
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.insert(STORED_TOURNAMENTS).values(**row))
                _write_difference(connection, tournament.name, Tournament(tournament.name, "", "", 1, ""), tournament)
        except sa.exc.IntegrityError as error:
            raise InputError("tournament {name}: there is one of that name already", name=tournament.name) from error

    def change_tournament(self, name: str, function: Callable[[Tournament], Tournament]) -> Tournament:
        """What `function` makes of it, once it is kept. InputError as the function raises it, or where it wants a board
        or a game that another tournament has, also when it is asked again."""
        said = ""
        for _ in range(MOST_RACES):
            before = self.load_tournament(name)
            after = check_tournament(function(before))
            if after == before:
                return before
            try:
                if self._store_change(before, after):
                    return replace(after, version=before.version + 1)
            except HeldElsewhereError as held:
                if str(held) == said:
                    raise
                said = str(held)
        raise InputError("tournament {name}: others change it all the time: try again", name=name)

    def find_elsewhere(self, name: str) -> Elsewhere:
        """What all tournaments but this one have."""
        with self._engine.connect() as connection:
            return _read_elsewhere(connection, name)

    def remove_tournament(self, name: str) -> None:
        """Forget a tournament. InputError if there is none of that name."""
        self.load_tournament(name)
        with self._engine.begin() as connection:
            for table in KEYS:
                connection.execute(sa.delete(table).where(table.c.tournament == name))
            connection.execute(sa.delete(STORED_TOURNAMENTS).where(STORED_TOURNAMENTS.c.name == name))

    def _store_change(self, before: Tournament, after: Tournament) -> bool:
        seen = (STORED_TOURNAMENTS.c.name == before.name) & (STORED_TOURNAMENTS.c.version == before.version)
        moved = (
            sa.update(STORED_TOURNAMENTS).where(seen).values(version=before.version + 1, said=_fields_to_json(after))
        )
        with self._engine.begin() as connection:
            # PostgreSQL changes several tournaments at once where it is not told to wait; SQLite never does
            connection.execute(
                sa.select(STORED_TOURNAMENTS.c.name).order_by(STORED_TOURNAMENTS.c.name).with_for_update()
            )
            if connection.execute(moved).rowcount != 1:
                return False
            _check_held(before, after, _read_elsewhere(connection, before.name))
            _write_difference(connection, before.name, before, after)
        return True


def _read_elsewhere(connection: sa.Connection, name: str) -> Elsewhere:
    """What the tables of all tournaments but this one have."""
    table = STORED_TABLES.c
    wanted = (table.tournament != name) & (table.board != "")
    columns = (table.tournament, table.round, table["table"], table.board, table.result, table.game, table.after)
    boards, games, newest = dict[str, str](), set(), dict[str, str]()
    for tournament, round_, number, board, result, game, after in connection.execute(sa.select(*columns).where(wanted)):
        newest[board] = max(newest.get(board, ""), after)
        if not result:
            held = {"table": number, "tournament": tournament, "round": round_}
            boards[board] = Sentence("table {table} of {tournament}, round {round}", held)
        if game:
            games.add((board, game))
    return Elsewhere(boards, frozenset(games), newest)


def _check_held(before: Tournament, after: Tournament, elsewhere: Elsewhere) -> None:
    """HeldElsewhereError where a table takes a board or a game that another tournament has. A result that is taken back
    at the board opens the table whose game it is, whoever has the board next."""
    was = {(table.round, table.table): table for table in before.tables}
    for table in after.tables:
        old = was.get((table.round, table.table), replace(table, board="", game=""))
        has_same = (old.board, old.game) == (table.board, table.game)
        if table.game and not has_same and (table.board, table.game) in elsewhere.games:
            raise HeldElsewhereError(
                "game {game} of {board}: it is that of a table of another tournament",
                game=table.game,
                board=table.board,
            )
        kept = old.board == table.board and (old.holds_board or (has_same and bool(table.game)))
        if table.holds_board and not kept and table.board in elsewhere.boards:
            raise HeldElsewhereError(
                "board {board}: {holder} has it and no result yet: say that result, or give one of the two another "
                "board",
                board=table.board,
                holder=elsewhere.boards[table.board],
            )


def _fields_to_json(tournament: Tournament) -> str:
    return json.dumps({key: getattr(tournament, key) for key in SAID_ONCE}, ensure_ascii=False)


def _read_rows(connection: sa.Connection, table: sa.Table, name: str) -> Iterable[dict[str, Any]]:
    query = sa.select(table).where(table.c.tournament == name).order_by(*(table.c[key] for key in KEYS[table]))
    for row in connection.execute(query):
        yield {key: value for key, value in row._mapping.items() if key != "tournament"}


def _parse_players(row: dict[str, Any]) -> tuple[int, ...]:
    return tuple(int(number) for number in str(row["players"]).split())


def _write_difference(connection: sa.Connection, name: str, before: Tournament, after: Tournament) -> None:
    """The difference between two values into the tables."""
    parts = (
        (STORED_ENTRANTS, before.entrants, after.entrants),
        (STORED_ABSENCES, before.absences, after.absences),
        (STORED_TABLES, before.tables, after.tables),
    )
    for table, old, new in parts:
        was, now = _rows_by_key(table, name, old), _rows_by_key(table, name, new)
        gone = [key for key in was if was[key] != now.get(key)]
        fresh = [row for key, row in now.items() if row != was.get(key)]
        names = ("tournament", *KEYS[table])
        if gone:
            wanted = sa.and_(*(table.c[column] == sa.bindparam(f"k_{column}") for column in names))
            keys = [{f"k_{column}": value for column, value in zip(names, key, strict=True)} for key in gone]
            connection.execute(sa.delete(table).where(wanted), keys)
        if fresh:
            connection.execute(sa.insert(table), fresh)


def _rows_by_key(table: sa.Table, name: str, values: Iterable[Entrant | Absence | Seating]) -> StoredRows:
    found: StoredRows = {}
    for value in values:
        row = {"tournament": name} | asdict(value)
        if isinstance(value, Seating):
            row["players"] = " ".join(map(str, value.players))
        found[tuple(row[key] for key in ("tournament", *KEYS[table]))] = row
    return found
