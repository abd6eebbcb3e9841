"""What of a tournament a page shows: of a small one everything, of a large one a part, some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from engine.outside import parse_number
from server.hall.tournament.event import Entrant, Tournament, fold_name

ROUND_PART, STANDINGS_PART, CROSSTABLE_PART, PLAYERS_PART = "round", "standings", "crosstable", "players"
TOURNAMENT_PARTS = (ROUND_PART, STANDINGS_PART, CROSSTABLE_PART, PLAYERS_PART)
WHOLE_UP_TO = 40
"""Players; of more a browser would draw tens of thousands of nodes, and nobody finds one row among hundreds."""
ROWS_SHOWN, MOST_CROSSTABLE_CELLS = 50, 1000
"""Rows at a time; of a crosstable with many columns fewer."""
ALL_ROWS = "all"
"""In the place of a page's number: all rows of the part, to print or to look through."""
LONGEST_SOUGHT = 60

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PageAsked:
    """What was asked for. `part` is empty where everything is shown; `sought` is a name, a part of one, or a number."""

    part: str
    round: int
    page: int
    sought: str
    edit: int
    """The number of a player who is being put right; 0 for nobody."""
    pages: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Part -> its first and last row that are shown, and how many it has."""

    def has(self, part: str) -> bool:
        """Whether a part is on this page."""
        return self.part in {"", part}

    def select_rows(
        self, part: str, rows: Sequence[T], named: Callable[[T], Sequence[str]], cells: int = 1
    ) -> Sequence[T]:
        """Those of a part that are shown; `named` are the names and numbers by which a row is found."""
        if not self.part:
            return rows
        sought = fold_name(self.sought)
        found = [row for row in rows if _is_named(sought, named(row))] if sought else rows
        most = max(1, min(ROWS_SHOWN, MOST_CROSSTABLE_CELLS // cells)) if self.page else max(1, len(found))
        page = min(max(1, self.page), max(1, -(-len(found) // most)))
        first = (page - 1) * most
        shown = found[first : first + most]
        self.pages[part] = (first + 1 if shown else 0, first + len(shown), len(found))
        return shown


def read_page_request(tournament: Tournament, asked: Mapping[str, str]) -> PageAsked:
    """What a page was asked for; what makes no sense is left out."""
    round_ = _parse_number(asked.get("round", ""))
    rest = (
        round_ if 1 <= round_ <= tournament.paired else tournament.paired,
        0 if asked.get("page") == ALL_ROWS else max(1, _parse_number(asked.get("page", ""))),
        asked.get("q", "").strip()[:LONGEST_SOUGHT],
        _parse_number(asked.get("edit", "")),
    )
    if len(tournament.entrants) <= WHOLE_UP_TO:
        return PageAsked("", *rest)
    first = ROUND_PART if tournament.paired else PLAYERS_PART
    part = asked.get("part", first)
    return PageAsked(part if part in TOURNAMENT_PARTS else first, *rest)


def names_of(entrant: Entrant) -> Sequence[str]:
    """By what somebody is found."""
    return (str(entrant.number), entrant.name)


def _is_named(sought: str, names: Sequence[str]) -> bool:
    """A number is the whole one, a name contains what is sought."""
    if sought.isdecimal():
        return sought in names
    return any(sought in fold_name(name) for name in names)


def _parse_number(text: str) -> int:
    return max(0, parse_number(text) or 0)
