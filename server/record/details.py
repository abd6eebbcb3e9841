"""Who plays, and where: names, event, round, place and arbiter of a game, as its record has them.

The record says them in an event of their own, the whole of them each time, so that every change stays in it with who
made it: {"t", "event": "details", "by", "details": {"event", "round", "place", "arbiter", "players": {side: name}}}.
What is empty is left out; a record without any such event is a game without names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.errors import InputError
from engine.match.events import Event
from engine.text.records import Record

DETAILS = "details"
"""The kind of the event."""
FIELDS = ("event", "round", "place", "arbiter")
LONGEST_DETAIL = 80
"""Characters of one of them: a line of the score sheet holds about a hundred."""
TAGS = {"event": "Event", "place": "Site", "round": "Round", "arbiter": "Arbiter"}
"""What they are called in the text of a game."""
UNKNOWN = frozenset({"", "?", "-"})


@dataclass(frozen=True, slots=True)
class Details:
    """`players` are pairs of a side and a name; what is not known is empty."""

    event: str = ""
    round: str = ""
    place: str = ""
    arbiter: str = ""
    players: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, object]:
        """What is known, by its name."""
        known: dict[str, object] = {field: getattr(self, field) for field in FIELDS if getattr(self, field)}
        return known | ({"players": dict(self.players)} if self.players else {})

    def noted(self, t: float, by: str) -> Named:
        """The event of the record."""
        return Named(t, self.to_json(), by=by)

    def player(self, seat: str) -> str:
        """The name of who plays that side, "" where nobody said."""
        return dict(self.players).get(seat, "")

    def line(self) -> str:
        """Event, round, place and arbiter in a line."""
        parts = (self.event, self.round, self.place, self.arbiter)
        return " · ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Named(Event):
    """Somebody said who plays, and where."""

    name: ClassVar[str] = DETAILS
    details: Mapping[str, object]


@dataclass(frozen=True)
class SetDetails:
    """Who plays and where, from now on; `by` is one of engine.match.acts.WHO."""

    details: Details
    by: str


def read(said: object, seats: Sequence[str]) -> Details:
    """The value of a JSON object. InputError names what is not as it must be."""
    if not isinstance(said, Mapping):
        raise InputError("details: one object with event, round, place, arbiter and players")
    strange = sorted(str(key) for key in set(said) - {*FIELDS, "players"})
    if strange:
        raise InputError(f"details: unknown {', '.join(strange)}: known are {', '.join(FIELDS)}, players")
    players = said.get("players", {})
    if not isinstance(players, Mapping) or set(players) - set(seats):
        raise InputError(f"players: names by side, the sides are {', '.join(seats)}")
    named = tuple((seat, _line(seat, players[seat])) for seat in seats if players.get(seat))
    return Details(**{field: _line(field, said.get(field, "")) for field in FIELDS}, players=named)


def of(events: Iterable[Mapping[str, object]], seats: Sequence[str]) -> Details:
    """What the events of a game said last; nothing where they say none that can be read."""
    last = Details()
    for event in events:
        if event.get("event") == DETAILS:
            try:
                last = read(event.get("details"), seats)
            except InputError:
                continue
    return last


def tags(details: Details, name: str) -> list[tuple[str, str]]:
    """The tags of a game's text that say them; without an event the game's own name stands for it."""
    said = [("Event", details.event or name)]
    said += [(TAGS[field], getattr(details, field)) for field in ("place", "round") if getattr(details, field)]
    return said + ([("GameId", name)] if details.event else [])


def tagged(record: Record, seats: Sequence[str]) -> Details:
    """What the tags of a text say; where it has a GameId its event is one, else it is the name of the game."""
    said = {field: _known(record.tag(tag)) for field, tag in TAGS.items()}
    if record.tag("GameId") is None:
        said["event"] = ""
    players = {seat: name for seat in seats if (name := _known(record.tag(seat.title())))}
    return read({**said, "players": players}, seats)


def _known(text: str | None) -> str:
    return "" if text is None or text.strip() in UNKNOWN else text.strip()[:LONGEST_DETAIL]


def _line(field: str, text: object) -> str:
    if not isinstance(text, str) or len(text) > LONGEST_DETAIL or not (text.isprintable() or not text):
        raise InputError(f"{field}: a text of one line with at most {LONGEST_DETAIL} characters")
    return text.strip()
