"""The record of games while they are played: written before anything is said, folded back after a power cut."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from engine import games
from engine.errors import InputError
from engine.game import Outcome, Refusal
from engine.match.arbiter import settled_as, without
from engine.match.clock import Clock, parse
from engine.match.clocked_match import follow, out, seated, with_clock
from engine.match.course import advance, back
from engine.match.events import Adjourned, AnotherGame, Event, Left, Moved, Paused, Result, Settled, TimeLost, Unclear
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from engine.text.positions import from_json, to_json
from server.record.details import DETAILS
from server.record.seal import ENDINGS
from server.record.store import Record, Seal

BEGIN = "begin"
"""The first event of every game in a record: which game, under which rules, from which position."""
BEFORE = "before"
"""In the first event of a game: the game that it is asked about how it ended."""

LASTING = ("computer", "mode")
"""Kinds of events that set how it is played (server.board.computer.kept), and hold in the games that follow too."""


class UnlawfulError(InputError):
    """A game whose record has a move that is not lawful, and that was not let stand."""


class Journal:
    """One game in a record. Belongs to the main loop, like the record itself."""

    def __init__(self, record: Record, name: str, seal: Seal | None = None) -> None:
        """With `seal` the game is sealed where it ends (server.record.seal)."""
        self.record = record
        self.name = name
        self._seal = seal

    def following(self, game: str) -> Journal:
        """The next game in the same record, sealed in the same way."""
        return Journal(self.record, next_name(self.record, game), self._seal)

    def begin(self, match: Match, begun: str = "", before: str = "") -> None:
        """Write the first event of a new game; `begun` is the date and time, left out for recordings.

        `before` is the game that was under way and about which it is asked how it ended.
        """
        said = {"begun": begun, BEFORE: before}
        self.record.append(self.name, beginning(match) | {key: text for key, text in said.items() if text})

    def go_on_as(self, before: Journal, t: float) -> None:
        """Write what holds from the game `before` on until it is set again, so that a restart in this one knows it."""
        last = {str(event.get("event")): event for event in self.record.events(before.name)}
        for kind in LASTING:
            if kind in last:
                self.record.append(self.name, {**last[kind], "t": round(t, 3)})

    def put_away(self) -> Journal | None:
        """The game before, if it was under way when this one began and nobody has said yet how it ended."""
        first, *events = self.record.events(self.name) or [{}]
        before = first.get(BEFORE)
        if before not in self.record.games() or any(event.get("event") == Settled.name for event in events):
            return None
        return Journal(self.record, str(before), self._seal)

    def correct_result(self, how: str, by: str) -> LaterResult:
        """Write how the game ended after all: one of engine.match.acts.settlements. What was said before stays in the
        record. What is known now; InputError for what is none of them."""
        events = self.record.events(self.name)
        match, t = fold(events, self.name), max(float(str(event.get("t", 0.0))) for event in events)
        said = settled_as(how, match.game.seats, t)
        self.write([Result(t, said.result, said.why, by=by)])
        return LaterResult(self.name, said.result, said.why)

    def write(self, events: Iterable[Event]) -> None:
        """Write events; each is on the disk when this returns. A failure here stops the game, on purpose."""
        for event in events:
            self._append(event.to_json(), sealed=event.name in ENDINGS)

    def note(self, event: Event) -> None:
        """Write what is no event of the game but belongs to its record, like the pictures behind a verdict."""
        known = self.record.summary(self.name)
        over = known is not None and known.result != "*"
        self._append(event.to_json(), sealed=over and event.name == DETAILS)

    def _append(self, event: Mapping[str, object], *, sealed: bool) -> None:
        self.record.append(self.name, event, self._seal if sealed else None)


@dataclass(frozen=True, slots=True)
class LaterResult:
    """How a game that is not on the board any more has ended, as it is known from now on; "*" for not finished."""

    game: str
    result: str
    reason: str


class GameBook:
    """The games of one board as they follow each other: each event goes into the game that it is about.

    Writes for the main loop, which owns it. Mutable.
    """

    def __init__(self, journal: Journal, today: Callable[[], str] = str) -> None:
        """`today` is the date and time to write above a game; empty for recordings."""
        self.journal = journal
        """The record of the game that is played."""
        self._before = journal.put_away()
        self._today = today

    @property
    def before(self) -> str | None:
        """The name of the game about which it is asked how it ended."""
        return self._before.name if self._before is not None else None

    def write(self, event: Event, match: Match) -> None:
        """Write an event; `match` is as it stands after it. It is on the disk when this returns."""
        match event:
            case AnotherGame():
                following = self.journal.following(match.game.name)
                asked = self.journal if match.before is not None else None
                following.begin(match, self._today(), asked.name if asked else "")
                following.go_on_as(self.journal, event.t)
                self._before, self.journal = asked, following
            case Settled():
                self._settle(event)
            case _:
                self.journal.write([event])

    def write_into(self, record: Record) -> None:
        """Write what follows there, in the place of the record that there was."""
        for journal in (self.journal, self._before):
            if journal is not None:
                journal.record = record

    def _settle(self, event: Settled) -> None:
        """How the game before ended, in its own record; one that is not finished stays put away."""
        if self._before is not None and event.result != "*":
            left = [] if event.side is None else [Left(event.t, event.side, event.why, by=event.by)]
            self._before.write([*left, Result(event.t, event.result, event.why, by=event.by)])
        self.journal.write([event])
        self._before = None


def beginning(match: Match) -> dict[str, object]:
    """The first event of a new game, which may have moves by now."""
    position = to_json(match.game, match.positions[0])
    first: dict[str, object] = {
        "event": BEGIN,
        "game": match.game.name,
        "rules": match.game.rules,
        "position": position,
    }
    return first | ({"clock": match.clocks[0].control.text} if match.clocks else {})


def next_name(record: Record, game: str) -> str:
    """A name that no game in the record has: "camelot-0001", ..."""
    return next_free(record.games(), game)


def next_free(taken: Container[str], game: str) -> str:
    """The same among the names in `taken`."""
    number = 1
    while f"{game}-{number:04}" in taken:
        number += 1
    return f"{game}-{number:04}"


def unfinished(record: Record, game: str, rules: str) -> str | None:
    """The last game of that kind in the record, if it is not over."""
    for summary in record.summaries():
        if (summary.game, summary.rules) == (game, rules):
            return None if fold(record.events(summary.name), summary.name).phase is Phase.OVER else summary.name
    return None


def fold(events: Sequence[Mapping[str, object]], where: str) -> Match:
    """The match that a game's events lead to. InputError if they are not a game's events."""
    if not events or events[0].get("event") != BEGIN:
        raise InputError(f"record {where}: does not begin with a {BEGIN!r} event")
    with _readable(f"record {where}: event 1"):
        match = _begun(events[0])
    for number, event in enumerate(events[1:], start=2):
        step = FOLDS.get(str(event.get("event")))
        if step is not None:
            with _readable(f"record {where}: event {number}"):
                match = step(match, event, f"{where}: event {number}")
    return match


def _begun(first: Mapping[str, object]) -> Match:
    game = games.load(str(first["game"]), str(first["rules"]))
    match = new_match(game, from_json(first["position"], game)[1])
    return with_clock(match, parse(str(first["clock"]))) if "clock" in first else match


@contextmanager
def _readable(where: str) -> Iterator[None]:
    """InputError for an event that lacks something: an older program may have taken it over out of a file."""
    try:
        yield
    except InputError:
        raise
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise InputError(f"{where}: lacks something or has it wrong: {error}") from None


def told(events: Sequence[Mapping[str, object]]) -> list[Moved]:
    """The move events as values, for times and confidence of plies played before a restart. InputError as in `fold`."""
    out = []
    for number, e in enumerate(events, start=1):
        if e.get("event") == "move":
            with _readable(f"record: event {number}"):
                out.append(_moved(e))
    return out


def _moved(e: Mapping[str, object]) -> Moved:
    return Moved(
        t=float(str(e["t"])),
        ply=int(str(e["ply"])),
        side=str(e["side"]),
        notation=str(e["notation"]),
        from_=str(e["from"]),
        to=str(e["to"]),
        captured=tuple(_strings(e["captured"])),
        confidence=float(str(e["confidence"])),
        as_played=str(e["as_played"]) if "as_played" in e else None,
        clock=_seconds(e, "clock") if "clock" in e else None,
    )


def question(event: Mapping[str, object], match: Match) -> Unclear:
    """The question that an `unclear` event asks of a match. InputError if it asks none."""
    with _readable("record: question"):
        options, differs = _strings(event["options"]), _strings(event["differs"])
        _, position = from_json(event["as_it_stands"], match.game)
        cells = tuple(match.game.board.cells[match.game.board.index[cell]] for cell in differs)
        resigned = next((side for side in match.game.seats if side == event.get("resigned")), None)
        return Unclear(0.0, tuple(options), to_json(match.game, position), cells, resigned)


def _strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _played(match: Match, event: Mapping[str, object], where: str) -> Match:
    ply = int(str(event["ply"]))
    if not 1 <= ply <= len(match.moves) + 1:
        raise InputError(f"record {where}: ply {ply} after {len(match.moves)} moves")
    match, text = back(match, len(match.moves) + 1 - ply), str(event["notation"])
    move = match.game.read(match.position, text)
    if isinstance(move, Refusal) and event.get("as_played"):
        move = match.game.overrule(match.position, text) or move
    if isinstance(move, Refusal):
        raise UnlawfulError(f"record {where}: {text}: illegal: {move.code}: {move.message}")
    after = replace(_goes_on(advance(match, move)), ready=True)
    return follow(after, {len(after.moves): _seconds(event, "clock")}, 0.0) if match.clocks else after


def _taken_back(match: Match, event: Mapping[str, object], where: str) -> Match:
    plies = int(str(event["plies"]))
    if plies > len(match.moves):
        raise InputError(f"record {where}: {plies} plies are taken back of {len(match.moves)}")
    return follow(_goes_on(back(match, plies)), {}, 0.0)


def _set(match: Match, event: Mapping[str, object], _where: str) -> Match:
    _, position = from_json(event["position"], match.game)
    return seated(_goes_on(replace(match, positions=(*match.positions[:-1], position))))


def _left(match: Match, event: Mapping[str, object], _where: str) -> Match:
    end = without(match, str(event["side"]))
    if isinstance(end, Outcome):
        return match
    return out(replace(match, positions=(*match.positions[:-1], end)), str(event["side"]))


def _over(match: Match, event: Mapping[str, object], _where: str) -> Match:
    if event["result"] == "*":  # by a correction: it had no end
        return replace(match, phase=Phase.ADJOURNED, note=Adjourned(float(str(event["t"]))), outcome=None)
    return replace(match, phase=Phase.OVER, note=None, outcome=Outcome(str(event["result"]), str(event["reason"])))


def _paused(match: Match, event: Mapping[str, object], _where: str) -> Match:
    return replace(match, phase=Phase.PAUSED, note=Paused(float(str(event["t"]))), clocks=_spent(match, event))


def _time_lost(match: Match, event: Mapping[str, object], _where: str) -> Match:
    kind, before, now = (str(event[key]) for key in ("kind", "before", "now"))
    note = TimeLost(float(str(event["t"])), kind, _seconds(event, "seconds"), before, now)
    return replace(match, phase=Phase.PAUSED, note=note, clocks=_spent(match, event))


def _time_counted(match: Match, event: Mapping[str, object], _where: str) -> Match:
    spent = sum(clock.spent_s for clock in match.clocks[-1:]) + _seconds(event, "seconds")
    return replace(match, clocks=_spent(match, {"spent": round(spent, 3)}))


def _adjourned(match: Match, event: Mapping[str, object], _where: str) -> Match:
    return replace(match, phase=Phase.ADJOURNED, note=Adjourned(float(str(event["t"]))), clocks=_spent(match, event))


def _spent(match: Match, event: Mapping[str, object]) -> tuple[Clock, ...]:
    """The clocks, with what the turn had taken when it was interrupted."""
    now = [replace(clock, spent_s=_seconds(event, "spent")) for clock in match.clocks[-1:]]
    return (*match.clocks[:-1], *now)


def _seconds(event: Mapping[str, object], key: str) -> float:
    return float(str(event.get(key, 0.0)))


def _resumed(match: Match, _event: Mapping[str, object], _where: str) -> Match:
    return replace(match, phase=Phase.SETUP, note=None, ready=match.ready and match.phase is Phase.PAUSED)


def _ready(match: Match, _event: Mapping[str, object], _where: str) -> Match:
    return replace(match, ready=True)


def _goes_on(match: Match) -> Match:
    return replace(match, phase=Phase.SETUP, outcome=None) if match.phase is Phase.OVER else match


FOLDS: Mapping[str, Callable[[Match, Mapping[str, object], str], Match]] = {
    "ready": _ready,
    "move": _played,
    "takeback": _taken_back,
    "position": _set,
    "left": _left,
    "result": _over,
    "paused": _paused,
    "time-lost": _time_lost,
    "time-counted": _time_counted,
    "adjourned": _adjourned,
    "resumed": _resumed,
}
"""What each event does to the match; the others, that only tell, are not here. The phase is SETUP, OVER or a rest."""
