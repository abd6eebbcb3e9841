"""Who plays, and where: names, event, round, place and arbiter of a game, as its record has them.

The record says them in an event of their own, the whole of them each time, so that every change stays in it with who
made it: {"t", "event": "details", "by", "details": {"event", "round", "place", "arbiter", "players": {side: name},
"ratings": {side: number}}}.
What is empty is left out; a record without any such event is a game without names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine import outside
from engine.errors import InputError
from engine.game import Game
from engine.match.events import Event
from engine.text.records import WrittenGame

DETAILS = "details"
"""The kind of the event."""
FIELDS = ("event", "round", "place", "arbiter")
LONGEST_DETAIL = 80
"""Characters of one of them: a line of the score sheet holds about a hundred."""
TAGS = {"event": "Event", "place": "Site", "round": "Round", "arbiter": "Arbiter"}
"""What they are called in the text of a game."""
GAME_NAME = re.compile(r"[\w][\w.-]{0,59}")
"""What a game may be called: it becomes part of file names."""
RATING = re.compile(r"[1-9]\d{0,3}")
"""Of a player in a federation: a whole number, kept as it was said."""
UNKNOWN = frozenset({"", "?", "-"})


@dataclass(frozen=True, slots=True)
class Details:
    """`players` are pairs of a side and a name, `ratings` of a side and a number; what is not known is empty."""

    event: str = ""
    round: str = ""
    place: str = ""
    arbiter: str = ""
    players: tuple[tuple[str, str], ...] = ()
    ratings: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, object]:
        """What is known, by its name."""
        known: dict[str, object] = {field: getattr(self, field) for field in FIELDS if getattr(self, field)}
        known |= {"players": dict(self.players)} if self.players else {}
        return known | ({"ratings": dict(self.ratings)} if self.ratings else {})

    def to_event(self, t: float, by: str) -> Named:
        """The event of the record."""
        return Named(t, self.to_json(), by=by)

    def player_name(self, seat: str) -> str:
        """The name of who plays that side, "" where nobody said."""
        return dict(self.players).get(seat, "")

    def names_with_ratings(self) -> dict[str, str]:
        """Side -> name, with the rating behind it where there is one."""
        ratings = dict(self.ratings)
        return {seat: f"{name} ({ratings[seat]})" if seat in ratings else name for seat, name in self.players}


@dataclass(frozen=True, slots=True)
class Named(Event):
    """Somebody said who plays, and where."""

    name: ClassVar[str] = DETAILS
    details: Mapping[str, object]


@dataclass(frozen=True)
class SetDetails:
    """Who plays and where, from now on; `by` is one of engine.match.acts.WHO.

    `was` is what whoever asks saw, where they say so: then only what they changed is changed.
    """

    details: Details
    by: str
    was: Details | None = None


def parse_details(said: object, seats: Sequence[str]) -> Details:
    """The value of a JSON object. InputError names what is not as it must be."""
    if not isinstance(said, Mapping):
        raise InputError("details: one object with event, round, place, arbiter, players and ratings")
    strange = sorted(str(key) for key in set(said) - {*FIELDS, "players", "ratings"})
    if strange:
        raise InputError(f"details: unknown {', '.join(strange)}: known are {', '.join(FIELDS)}, players, ratings")
    named, rated = _parse_by_side(said, "players", seats), _parse_by_side(said, "ratings", seats)
    for seat, rating in rated:
        if not RATING.fullmatch(rating):
            raise InputError(f"rating of {seat}: a whole number from 1 to 9999, not {rating!r}")
    return Details(**{field: _check_line(field, said.get(field, "")) for field in FIELDS}, players=named, ratings=rated)


def merge_details(now: Details, asked: SetDetails, seats: Sequence[str]) -> Details | None:
    """`now` with what `asked` changes, field by field; None if a field that it changes was changed otherwise since."""
    if asked.was is None:
        return asked.details
    known, was, wanted = (_flatten_details(each) for each in (now, asked.was, asked.details))
    changed = {key for key in was | wanted if was.get(key) != wanted.get(key)}
    if any(known.get(key) not in {was.get(key), wanted.get(key)} for key in changed):
        return None
    merged = {key: (wanted if key in changed else known).get(key, "") for key in known | wanted}
    by_side = {group: {seat: merged.get(f"{group} {seat}", "") for seat in seats} for group in ("players", "ratings")}
    return parse_details({field: merged.get(field, "") for field in FIELDS} | by_side, seats)


def _flatten_details(details: Details) -> dict[str, str]:
    """What is known, each under one key: a field, or `players` or `ratings` and the side."""
    flat = {field: getattr(details, field) for field in FIELDS if getattr(details, field)}
    flat |= {f"players {seat}": name for seat, name in details.players}
    return flat | {f"ratings {seat}": rating for seat, rating in details.ratings}


def _parse_by_side(said: Mapping[str, object], key: str, seats: Sequence[str]) -> tuple[tuple[str, str], ...]:
    value = said.get(key, {})
    if not isinstance(value, Mapping) or set(value) - set(seats):
        raise InputError(f"{key}: each by its side, the sides are {', '.join(seats)}")
    return tuple((seat, _check_line(f"{key} of {seat}", value[seat])) for seat in seats if value.get(seat))


def find_latest_details(events: Iterable[Mapping[str, object]], seats: Sequence[str]) -> Details:
    """What the events of a game said last; nothing where they say none that can be read."""
    last = Details()
    for event in events:
        if event.get("event") == DETAILS:
            try:
                last = parse_details(event.get("details"), seats)
            except InputError:
                continue
    return last


def list_tags(details: Details, name: str, game: str) -> list[tuple[str, str]]:
    """The tags of a text of `game` that say them; without an event the game's own name stands for it, if it was given
    by this program: any other may be an event to whoever reads it."""
    given = _is_given_name(name, game)
    said = [("Event", details.event or (name if given else "?"))]
    said += [(TAGS[field], getattr(details, field)) for field in ("place", "round") if getattr(details, field)]
    return said + ([("GameId", name)] if details.event or not given else [])


def _is_given_name(name: str, game: str) -> bool:
    """Whether a game was called so by this program, as it calls those that nobody has named (next_free_name)."""
    return re.fullmatch(rf"{re.escape(game)}-\d{{4,}}", name) is not None


def parse_tags(record: WrittenGame, game: Game) -> Details:
    """What the tags of a text say. Without a GameId an event that is a name as this program gives them is none."""
    said, seats = {field: _clean_tag(record.find_tag(tag)) for field, tag in TAGS.items()}, game.seats
    if record.find_tag("GameId") is None and _is_given_name(said["event"], game.name):
        said["event"] = ""
    players = {seat: name for seat in seats if (name := _clean_tag(record.find_tag(seat.title())))}
    ratings = {
        seat: found for seat in seats if RATING.fullmatch(found := _clean_tag(record.find_tag(rating_tag(seat))))
    }
    return parse_details({**said, "players": players, "ratings": ratings}, seats)


def rating_tag(seat: str) -> str:
    """The tag of a side's rating, as chess programs write it."""
    return f"{seat.title()}Elo"


def _clean_tag(text: str | None) -> str:
    return "" if text is None or text.strip() in UNKNOWN else text.strip()[:LONGEST_DETAIL]


def _check_line(field: str, text: object) -> str:
    if not isinstance(text, str):
        raise InputError(f"{field}: a text of one line with at most {LONGEST_DETAIL} characters")
    return outside.check_line(text, field, LONGEST_DETAIL).strip()
