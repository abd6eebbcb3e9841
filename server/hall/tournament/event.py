"""A tournament as a value: entrants, absences, and who sat at which table in which round; nobody changes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from engine import games, outside
from engine.errors import InputError
from server.hall.tournament.results import is_played

SWISS, ROUND_ROBIN, TABLES_OF_THREE = "swiss", "round-robin", "threes"
SYSTEMS = (SWISS, ROUND_ROBIN, TABLES_OF_THREE)
HALF_POINT, NO_POINT, FULL_POINT = "half", "zero", "full"
ABSENCES = (HALF_POINT, NO_POINT, FULL_POINT)
"""What a round that somebody does not play is worth, said before it was paired."""
COLOURS_OF_TWO = ("white", "black")

EVENT_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
MOST_ENTRANTS, MOST_ROUNDS, MOST_TIMES = 2000, 50, 10
LONGEST_SAID = 60
DAY = re.compile(r"(?:\d{4}-\d\d-\d\d)?")


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who plays. `since` is the first round for which it is paired, `until` the last; 0 means to the end."""

    number: int
    name: str
    rating: int = 0
    title: str = ""
    sex: str = ""
    federation: str = ""
    fide_id: int = 0
    birth: str = ""
    since: int = 1
    until: int = 0

    def is_in(self, round_: int) -> bool:
        """Whether it has come, and has not withdrawn."""
        return self.since <= round_ and (not self.until or round_ <= self.until)


@dataclass(frozen=True, slots=True)
class Absence:
    """A round that somebody said it would not play."""

    round: int
    number: int
    worth: str


BY_BOARD = "board"
"""Who said a result that came from the table's board."""


ANY_RESULT = "*"


@dataclass(frozen=True, slots=True)
class Seating:
    """Who sits at a table, in the order of the sides; one alone has the bye that the pairing gives."""

    round: int
    table: int
    players: tuple[int, ...]
    board: str = ""
    result: str = ""
    """See server.hall.tournament.results; "" while it is open."""
    game: str = ""
    """The game's name in the board's record."""
    after: str = ""
    """The place of the board's newest game that was over then, or under way: what was begun after it is this one."""
    source: str = ""
    """Who said the result: "board", or the arbiter."""
    overruled: str = ""
    """What the board had said when an arbiter said otherwise; ANY_RESULT where nobody knows."""

    @property
    def is_bye(self) -> bool:
        """Whether somebody sits here alone."""
        return len(self.players) == 1

    @property
    def holds_board(self) -> bool:
        """Whether its board is its own: one is given, and the result is open."""
        return bool(self.board) and not self.result


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the other tournaments of a hall have: a board is one open table's, and a game one table's for ever."""

    boards: Mapping[str, str] = field(default_factory=dict)
    """Board -> which table holds it, in words."""
    games: frozenset[tuple[str, str]] = frozenset()
    """Board and name of each game that is a table's."""
    after: Mapping[str, str] = field(default_factory=dict)
    """Board -> the place of its newest game that was over when it was given to a table last (Seating.after)."""


NOTHING_ELSEWHERE = Elsewhere()


@dataclass(frozen=True, slots=True)
class Tournament:
    """The whole event. `version` counts its changes."""

    name: str
    title: str
    system: str
    rounds: int
    """Of a round robin that has not begun 0, or what somebody said: see `last_round`."""
    game: str
    place: str = ""
    federation: str = ""
    begins: str = ""
    ends: str = ""
    arbiter: str = ""
    first: str = COLOURS_OF_TWO[0]
    """Which side the first number has in the first round, as it was drawn."""
    tie_breaks: tuple[str, ...] = ()
    boards: tuple[str, ...] = ()
    """The boards of the tables, in their order; further tables have none."""
    times: int = 1
    """How often everybody meets everybody, in a round robin."""
    entrants: tuple[Entrant, ...] = ()
    absences: tuple[Absence, ...] = ()
    tables: tuple[Seating, ...] = field(default=())
    version: int = 1

    @property
    def seat_names(self) -> tuple[str, ...]:
        """The sides of its game, in their order."""
        return tuple(games.load(self.game).seats)

    @property
    def paired(self) -> int:
        """How many rounds are paired."""
        return max((table.round for table in self.tables), default=0)

    @property
    def rounds_to_meet(self) -> int:
        """In how many rounds everybody meets everybody once: with an odd number of players each is free in one."""
        return max(0, len(self.entrants) - 1 + len(self.entrants) % 2)

    @property
    def last_round(self) -> int:
        """How many rounds there are: of a round robin that has not begun as many as its players need."""
        needed = self.rounds_to_meet
        if self.system != ROUND_ROBIN or self.paired or not needed or (self.rounds and not self.rounds % needed):
            return self.rounds
        return self.times * needed

    @property
    def complete(self) -> int:
        """After which round every result is known."""
        unfinished = [table.round for table in self.tables if not table.result]
        return min(unfinished, default=self.paired + 1) - 1

    def find_entrant(self, number: int) -> Entrant:
        """Who has a number. InputError if nobody has."""
        for one in self.entrants:
            if one.number == number:
                return one
        raise InputError(
            "player {number}: {name} has the numbers 1 to {last}",
            number=number,
            name=self.name,
            last=len(self.entrants),
        )

    def at(self, round_: int) -> tuple[Seating, ...]:
        """The tables of a round, in their order."""
        return tuple(table for table in self.tables if table.round == round_)

    def absence_worth(self, round_: int, number: int) -> str:
        """What a round is worth to who is not paired for it: as was said before, else nothing."""
        said = [one.worth for one in self.absences if (one.round, one.number) == (round_, number)]
        return said[-1] if said else NO_POINT

    def entrants_to_pair(self, round_: int) -> tuple[Entrant, ...]:
        """Who is to be paired for a round."""
        away = {one.number for one in self.absences if one.round == round_}
        return tuple(one for one in self.entrants if one.is_in(round_) and one.number not in away)


def build_double_error(name: str) -> InputError:
    """That somebody of this name plays already, and what to do where it is another person."""
    return InputError(
        "player {name}: is entered already; somebody else of that name needs a name of their own, with the year of "
        "birth or the club behind it: {name} (1980)",
        name=name,
    )


def find_earlier_round(tournament: Tournament, table: Seating) -> int:
    """In which round of a Swiss those of a table have played before, or who has the bye had it; 0 for none."""
    if tournament.system != SWISS:
        return 0
    first = table.players[0]
    earlier = [other for other in tournament.tables if other.round < table.round and first in other.players]
    met = [
        other.round
        for other in earlier
        if set(other.players) == set(table.players) and (other.is_bye or is_played(other.result))
    ]
    return met[-1] if met else 0


def check_tournament(tournament: Tournament) -> Tournament:
    """The same with its texts composed, once everything that a person says about it can be used; InputError names what
    cannot."""
    name = tournament.name
    if not EVENT_NAME.fullmatch(name):
        raise InputError("tournament {name}: a name of a to z, 0 to 9 and hyphens, at most 40", name=repr(name[:50]))
    if tournament.system not in SYSTEMS:
        raise InputError("tournament {name}: system: one of {choices}", name=name, choices=", ".join(SYSTEMS))
    _check_rounds(tournament)
    seats, needed = len(tournament.seat_names), 3 if tournament.system == TABLES_OF_THREE else 2
    if seats != needed:
        raise InputError(
            "tournament {name}: {game} has {seats} players a table, {system} {needed}",
            name=name,
            game=tournament.game,
            seats=seats,
            system=tournament.system,
            needed=needed,
        )
    if tournament.first not in COLOURS_OF_TWO:
        raise InputError("tournament {name}: first: one of {choices}", name=name, choices=", ".join(COLOURS_OF_TWO))
    for said, text in (("begins", tournament.begins), ("ends", tournament.ends)):
        if not DAY.fullmatch(text):
            raise InputError(
                "tournament {name}: {field} {said}: a date as 2026-11-24", name=name, field=said, said=repr(text[:20])
            )
    if len(tournament.entrants) > MOST_ENTRANTS:
        raise InputError("tournament {name}: at most {most} players", name=name, most=MOST_ENTRANTS)
    lines = {"title": tournament.title, "place": tournament.place, "arbiter": tournament.arbiter}
    texts = {key: outside.check_line(text, f"tournament {name}: {key}", LONGEST_SAID) for key, text in lines.items()}
    return replace(tournament, entrants=tuple(map(check_entrant, tournament.entrants)), **texts)  # type: ignore[arg-type]


def _check_rounds(tournament: Tournament) -> None:
    name = tournament.name
    fewest = 0 if tournament.system == ROUND_ROBIN and not tournament.tables else 1
    if not fewest <= tournament.rounds <= MOST_ROUNDS:
        raise InputError("tournament {name}: rounds: 1 to {most}", name=name, most=MOST_ROUNDS)
    if not 1 <= tournament.times <= (MOST_TIMES if tournament.system == ROUND_ROBIN else 1):
        raise InputError("tournament {name}: times: 1 to {most} in a round robin, else 1", name=name, most=MOST_TIMES)


def check_days(tournament: Tournament) -> Tournament:
    """The same, once its dates are days of the calendar, the first no later than the last; InputError otherwise."""
    for said, text in (("begins", tournament.begins), ("ends", tournament.ends)):
        try:
            date.fromisoformat(text or "2026-11-24")
        except ValueError as error:
            raise InputError(
                "tournament {name}: {field} {said}: there is no such day",
                name=tournament.name,
                field=said,
                said=repr(text[:20]),
            ) from error
    if tournament.ends and tournament.ends < tournament.begins:
        raise InputError("tournament {name}: ends {day}: before it begins", name=tournament.name, day=tournament.ends)
    return tournament


def check_entrant(entrant: Entrant) -> Entrant:
    """The same with its name composed, once everything about it can be used; InputError names what cannot."""
    entrant = replace(entrant, name=outside.check_line(entrant.name, "player", LONGEST_SAID))
    if not entrant.name:
        raise InputError("player: a name is missing")
    if not 0 <= entrant.rating <= 4000:
        raise InputError("player {name}: rating {rating}: 0 (none) to 4000", name=entrant.name, rating=entrant.rating)
    for said, text, longest in (
        ("title", entrant.title, 3),
        ("federation", entrant.federation, 3),
        ("sex", entrant.sex, 1),
        ("birth", entrant.birth, 10),
    ):
        outside.check_line(text, f"player {entrant.name}: {said}", longest)
    if not 0 <= entrant.fide_id < 10**11:
        raise InputError(
            "player {name}: FIDE id {number}: at most 11 digits", name=entrant.name, number=entrant.fide_id
        )
    return entrant


def fold_name(name: str) -> str:
    """By which a name is the same as another, however it is written: its letters composed, without their case."""
    return outside.compose_letters(outside.compose_letters(name).casefold())
