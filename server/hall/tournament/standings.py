"""How they stand, and the crosstable: after the last round of which every result is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from server.hall.tournament import pairing_gacrux as fide
from server.hall.tournament import pairing_threes as threes
from server.hall.tournament.event import (
    FULL_POINT,
    HALF_POINT,
    ROUND_ROBIN,
    TABLES_OF_THREE,
    Entrant,
    Seating,
    Tournament,
)
from server.hall.tournament.results import BYE, WORTH, award_points, format_points, is_played, report_letters

THREES_TIE_BREAKS = ("BH/C1", "WIN")
SEAT_LETTERS = {2: "wb", 3: "123"}
STANDINGS_KEPT = 8
"""401 players after nine rounds take seconds to rank, and every arbiter's page asks whenever a result has come."""
BYES_SHOWN = {HALF_POINT: "½", FULL_POINT: "1"}


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """A line of the standings, with its line of the crosstable."""

    rank: int
    entrant: Entrant
    points: str
    tie_breaks: tuple[str, ...]
    label: str
    """How the crosstable names this line: as its columns where everybody meets everybody, else by the number."""
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standings:
    """After which round, what the tie-breaks and the columns of the crosstable are called, and the lines."""

    after: int
    tie_breaks: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[StandingsRow, ...]


def compute_standings(tournament: Tournament) -> Standings:
    """The standings as they are now."""
    known = tuple(table for table in tournament.tables if table.round <= tournament.complete)
    return _build_standings(replace(tournament, tables=known, version=0))


@lru_cache(maxsize=STANDINGS_KEPT)
def _build_standings(tournament: Tournament) -> Standings:
    """Of a tournament without the round that goes on: a result there changes nothing, and pages ask after each."""
    after = tournament.complete
    ranked, names = _rank_entrants(tournament, after)
    order = [number for _, number, _ in ranked]
    is_square = tournament.system == ROUND_ROBIN
    columns = tuple(map(str, range(1, (len(order) if is_square else after) + 1))) if after else ()
    by_number = {one.number: one for one in tournament.entrants}
    tables = {(table.round, number): table for table in tournament.tables for number in table.players}
    rows = []
    for place, (rank, number, values) in enumerate(ranked, 1):
        if is_square:
            cells = tuple(_format_results_against(tournament, tables, number, other) for other in order)
        else:
            cells = tuple(_format_cell(tournament, tables, number, round_) for round_ in range(1, after + 1))
        label = str(place if is_square else number)
        rows.append(StandingsRow(rank, by_number[number], _points_text(values[0]), tuple(values[1:]), label, cells))
    return Standings(after, names, columns, tuple(rows))


def _rank_entrants(tournament: Tournament, after: int) -> tuple[list[tuple[int, int, list[str]]], tuple[str, ...]]:
    """Rank, number and values of everybody, and the names of the tie-breaks among the values."""
    if not after or not tournament.entrants:
        return [(one.number, one.number, ["0"]) for one in tournament.entrants], ()
    if tournament.system == TABLES_OF_THREE:
        return threes.rank_entrants(tournament, after), THREES_TIE_BREAKS
    return fide.rank_entrants(tournament, after), fide.tie_break_names(tournament)


def _points_text(value: str) -> str:
    whole, _, part = value.partition(".")
    marks = {"5": "½", "33": "⅓", "67": "⅔", "17": "⅙", "83": "⅚"}
    return value if not part or part not in marks else f"{whole if whole != '0' else ''}{marks[part]}"


def _format_cell(tournament: Tournament, tables: dict[tuple[int, int], Seating], number: int, round_: int) -> str:
    """A round of somebody in the crosstable: `12w1`, `4b½`, `7w+`; at a table of three `4·9·2:1`."""
    table = tables.get((round_, number))
    if table is None:
        return BYES_SHOWN.get(tournament.absence_worth(round_, number), "–")
    if table.is_bye:
        return "1"
    at = table.players.index(number)
    others = "·".join(str(other) for other in table.players if other != number)
    seat = SEAT_LETTERS[len(table.players)][at]
    return (
        f"{others}{seat}{_format_result(table, at)}"
        if len(table.players) == 2
        else f"{others} {seat}:{_format_result(table, at)}"
    )


def _format_results_against(
    tournament: Tournament, tables: dict[tuple[int, int], Seating], number: int, other: int
) -> str:
    """What somebody got against another, all games of the two."""
    if number == other:
        return "×"
    found = [table for (_, who), table in sorted(tables.items()) if who == number and other in table.players]
    return " ".join(_format_result(table, table.players.index(number)) for table in found)


def _format_result(table: Seating, at: int) -> str:
    """What a player of a table got: the points of a game, the sign where there was none, nothing while it is open."""
    if not table.result or table.result == BYE:
        return ""
    if len(table.players) == 2 and not is_played(table.result):
        letter = report_letters(table.result)[at]
        return letter if letter in "+-" else format_points(WORTH[letter])
    return format_points(award_points(table.result, len(table.players))[at])
