"""The record of games while they are played: written before anything is said, folded back after a power cut."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from engine import games
from engine.errors import InputError
from engine.game import Move, Outcome, Refusal, leave_side_out
from engine.match.acts import AS_UNFINISHED
from engine.match.arbiter import build_dropped
from engine.match.clock import Clock, add_seconds, parse_control, seconds_to_flag
from engine.match.clocked_match import (
    align_clock_seat,
    clear_side_time,
    rebuild_clocks,
    release_clocks,
    set_position,
    with_clock,
)
from engine.match.course import advance_ply, let_side_leave, rewind_plies, withdraw_said
from engine.match.events import (
    Adjourned,
    AnotherGame,
    Conflict,
    Event,
    Left,
    Moved,
    Paused,
    Result,
    Settled,
    TimeLost,
    Unclear,
)
from engine.match.referee import new_match
from engine.match.settling import build_settled, list_endings
from engine.match.state import Match, Phase
from engine.text.positions import from_json, to_json
from server.record.details import DETAILS
from server.record.seal import ENDINGS
from server.record.store import Record, Seal

BEGIN = "begin"
"""The first event of every game in a record: which game, under which rules, from which position."""
BEFORE = "before"
"""In the first event of a game: the game that it is asked about how it ended."""

TAKEN_UP = "taken-up"
"""The kind of the event that says which `game` the board goes on with; it stands in the game that it left, too."""

NO_END = ("*", AS_UNFINISHED)
"""The result of a game that is not over, and its reason."""

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

    def next_journal(self, game: str) -> Journal:
        """The next game in the same record, sealed in the same way."""
        return Journal(self.record, next_name(self.record, game), self._seal)

    def begin_game(self, match: Match, begun: str = "", before: str = "") -> None:
        """Write the first event of a new game; `begun` is the date and time, left out for recordings.

        `before` is the game that was under way and about which it is asked how it ended.
        """
        said = {"begun": begun, BEFORE: before}
        self.record.append_event(
            self.name, build_begin_event(match) | {key: text for key, text in said.items() if text}
        )

    def open_other(self, game: str) -> Journal:
        """Another game of the same record, sealed in the same way."""
        return Journal(self.record, game, self._seal)

    def carry_settings(self, before: Journal, t: float) -> None:
        """Write what holds from the game `before` on until it is set again, so that a restart in this one knows it."""
        last = {str(event.get("event")): event for event in self.record.read_events(before.name)}
        for kind in LASTING:
            if kind in last:
                self.record.append_event(self.name, {**last[kind], "t": round(t, 3)})

    def find_unsettled(self) -> Journal | None:
        """The game before, if it was under way when this one began and nobody has said yet how it ended."""
        first, *events = self.record.read_events(self.name) or [{}]
        before = first.get(BEFORE)
        if before not in self.record.event_counts() or any(event.get("event") == Settled.name for event in events):
            return None
        return Journal(self.record, str(before), self._seal)

    def correct_result(
        self, how: str, by: str, account: str | None = None, was: tuple[str, str] | None = None
    ) -> LaterResult | None:
        """Write how the game ended after all: one of engine.match.settling.list_endings. What was said before stays in
        the record; what stands already is not written again. What is known now; InputError for what is none of them.

        `was` is the result and its reason that were seen, where it is said: None if by now neither they stand nor what
        is asked for.
        """
        events = self.record.read_events(self.name)
        match, t = fold_events(events, self.name), max(float(str(event.get("t", 0.0))) for event in events)
        said = build_settled(how, match, t, list_endings(match))
        now = (match.outcome.result, match.outcome.reason) if match.outcome else NO_END
        differs = now != (said.result, said.why)
        if differs and was not in {None, now}:
            return None
        known = LaterResult(self.name, said.result, said.why, is_new=differs or match.outcome is None)
        if known.is_new:
            self.write_events([Result(t, said.result, said.why, by=by, account=account)])
        return known

    def write_events(self, events: Iterable[Event]) -> None:
        """Write events; each is on the disk when this returns. A failure here stops the game, on purpose."""
        for event in events:
            self._append_event(event.to_json(), sealed=event.name in ENDINGS)

    def write_note(self, event: Event) -> None:
        """Write what is no event of the game but belongs to its record, like the pictures behind a verdict."""
        known = self.record.find_last(self.name)
        over = known is not None and known.result != "*"
        self._append_event(event.to_json(), sealed=over and event.name == DETAILS)

    def _append_event(self, event: Mapping[str, object], *, sealed: bool) -> None:
        self.record.append_event(self.name, event, self._seal if sealed else None)


@dataclass(frozen=True, slots=True)
class LaterResult:
    """How a game that is not on the board any more has ended, as it is known from now on; "*" for not finished."""

    game: str
    result: str
    reason: str
    is_new: bool = True
    """Whether it was another one, or another reason, before."""


class GameBook:
    """The games of one board as they follow each other: each event goes into the game that it is about.

    Writes for the main loop, which owns it. Mutable.
    """

    def __init__(self, journal: Journal, today: Callable[[], str] = str) -> None:
        """`today` is the date and time to write above a game; empty for recordings."""
        self.journal = journal
        """The record of the game that is played."""
        self._before = journal.find_unsettled()
        self._today = today

    @property
    def unsettled_game(self) -> str | None:
        """The name of the game about which it is asked how it ended."""
        return self._before.name if self._before is not None else None

    def write_event(self, event: Event, match: Match) -> None:
        """Write an event; `match` is as it stands after it. It is on the disk when this returns."""
        match event:
            case AnotherGame():
                following = self.journal.next_journal(match.game.name)
                asked = self.journal if match.before is not None else None
                following.begin_game(match, self._today(), asked.name if asked else "")
                following.carry_settings(self.journal, event.t)
                self._before, self.journal = asked, following
            case Settled():
                self._settle_previous(event)
            case _:
                self.journal.write_events([event])

    def take_up(self, journal: Journal) -> None:
        """Write what follows into a game of the record that was put away."""
        journal.record.follow_game(journal.name)
        self.journal, self._before = journal, journal.find_unsettled()

    def switch_record(self, record: Record) -> None:
        """Write what follows there, in the place of the record that there was."""
        for journal in (self.journal, self._before):
            if journal is not None:
                journal.record = record

    def _settle_previous(self, event: Settled) -> None:
        """How the game before ended, in its own record; one that is not finished stays put away."""
        if self._before is not None and event.result != "*":
            known = self.journal.record.find_summary(self._before.name)
            over = known is not None and known.is_over  # somebody has corrected it meanwhile: nobody leaves it again
            left = [] if event.side is None or over else [Left(event.t, event.side, event.why, by=event.by)]
            self._before.write_events([*left, Result(event.t, event.result, event.why, by=event.by)])
        self.journal.write_events([event])
        self._before = None


def format_now() -> str:
    """Date and time to write above a game, and of what is written into it later."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def build_begin_event(match: Match) -> dict[str, object]:
    """The first event of a new game, which may have moves by now."""
    position = to_json(match.game, match.positions[0])
    first: dict[str, object] = {
        "event": BEGIN,
        "game": match.game.name,
        "rules": match.game.rules,
        "position": position,
    }
    if match.clocks:
        first["clock"] = match.clocks[0].control.text
    return first | ({"clocks_held": True} if match.clocks and match.holds_clocks else {})


def next_name(record: Record, game: str) -> str:
    """A name that no game in the record has: "camelot-0001", ..."""
    return next_free_name(record.event_counts(), game)


def next_free_name(taken: Container[str], game: str) -> str:
    """The same among the names in `taken`."""
    number = 1
    while f"{game}-{number:04}" in taken:
        number += 1
    return f"{game}-{number:04}"


def find_unfinished(record: Record, game: str, rules: str) -> str | None:
    """The game of that kind that was last on the board, if it is not over: the last that was begun, or another that was
    taken up since."""
    kind = [one.name for one in record.list_summaries() if (one.game, one.rules) == (game, rules)]
    name, passed = next(iter(kind), None), set[str]()
    while name is not None:
        events = record.read_events(name)
        following = next((e for e in reversed(events) if e.get("event") == TAKEN_UP), {}).get("game", name)
        if following == name or following in passed or following not in kind:
            return None if fold_events(events, name).phase is Phase.OVER else name
        passed.add(name)
        name = str(following)
    return None


def fold_events(events: Sequence[Mapping[str, object]], where: str) -> Match:
    """The match that a game's events lead to. InputError if they are not a game's events."""
    *_, match = fold_steps(events, where)
    return match


def fold_steps(events: Sequence[Mapping[str, object]], where: str) -> Iterator[Match]:
    """The match after each event, as `fold_events`."""
    if not events or events[0].get("event") != BEGIN:
        raise InputError(f"record {where}: does not begin with a {BEGIN!r} event")
    with _convert_errors(f"record {where}: event 1"):
        match = _begin_match(events[0])
    rewritten: tuple[Match, int] | None = None  # what it was before the last ply that was written otherwise
    yield match
    for number, event in enumerate(events[1:], start=2):
        step = FOLDS.get(str(event.get("event")))
        if step is not None:
            with _convert_errors(f"record {where}: event {number}"):
                after = step(match, event, f"{where}: event {number}")
                if step is _apply_move and len(after.moves) <= len(match.moves):
                    rewritten = match, len(after.moves)
                if event["event"] == Conflict.name and rewritten is not None:
                    after = _note_dropped(after, *rewritten, event)
                match = after
        yield match


def _note_dropped(after: Match, before: Match, ply: int, event: Mapping[str, object]) -> Match:
    """`after`, which says what of the match `before` was dropped when `ply` was corrected."""
    first, notation, code, said = int(str(event["ply"])), *(str(event[key]) for key in ("notation", "code", "message"))
    if not ply < first <= len(before.moves):
        return after
    found = after.game.read(after.position, notation)  # the same, with its text and values
    why = found.message if isinstance(found, Refusal) and found.message == said else said
    conflict = Conflict(float(str(event["t"])), first, notation, code, why)
    return replace(after, dropped=build_dropped(before, ply, conflict))


def _begin_match(first: Mapping[str, object]) -> Match:
    game = games.load(str(first["game"]), str(first["rules"]))
    match = new_match(game, from_json(first["position"], game)[1])
    if "clock" not in first:
        return match
    return with_clock(match, parse_control(str(first["clock"])), held=first.get("clocks_held") is True)


@contextmanager
def _convert_errors(where: str) -> Iterator[None]:
    """InputError for an event that lacks something: an older program may have taken it over out of a file."""
    try:
        yield
    except InputError:
        raise
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise InputError(f"{where}: lacks something or has it wrong: {error}") from None


def read_moves(events: Sequence[Mapping[str, object]]) -> list[Moved]:
    """The move events as values, for times and confidence of plies played before a restart.

    InputError as in `fold_events`.
    """
    out = []
    for number, e in enumerate(events, start=1):
        if e.get("event") == "move":
            with _convert_errors(f"record: event {number}"):
                out.append(_read_move(e))
    return out


def _read_move(e: Mapping[str, object]) -> Moved:
    return Moved(
        t=float(str(e["t"])),
        ply=int(str(e["ply"])),
        side=str(e["side"]),
        notation=str(e["notation"]),
        from_=str(e["from"]),
        to=str(e["to"]),
        captured=tuple(_read_strings(e["captured"])),
        confidence=float(str(e["confidence"])),
        as_played=str(e["as_played"]) if "as_played" in e else None,
        clock=_read_seconds(e, "clock") if "clock" in e else None,
        or_=tuple(_read_strings(e["or"])) if "or" in e else None,
    )


def read_question(event: Mapping[str, object], match: Match) -> Unclear:
    """The question that an `unclear` event asks of a match. InputError if it asks none."""
    with _convert_errors("record: question"):
        options, differs = _read_strings(event["options"]), _read_strings(event["differs"])
        _, position = from_json(event["as_it_stands"], match.game)
        cells = tuple(match.game.board.cells[match.game.board.index[cell]] for cell in differs)
        resigned = next((side for side in match.game.seats if side == event.get("resigned")), None)
        corrections = tuple(_read_strings(event.get("corrections")))
        return Unclear(0.0, tuple(options), to_json(match.game, position), cells, resigned, corrections)


def _read_strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _apply_move(match: Match, event: Mapping[str, object], where: str) -> Match:
    ply = int(str(event["ply"]))
    if not 1 <= ply <= len(match.moves) + 1:
        raise InputError(f"record {where}: ply {ply} after {len(match.moves)} moves")
    match, text = rewind_plies(match, len(match.moves) + 1 - ply), str(event["notation"])
    move = match.game.read(match.position, text)
    if isinstance(move, Refusal) and event.get("as_played"):
        move = match.game.overrule(match.position, text) or move
    if isinstance(move, Refusal):
        raise UnlawfulError(f"record {where}: {text}: illegal: {move.code}: {move.message}")
    others = (match.game.read(match.position, other) for other in _read_strings(event.get("or")))
    known = [other for other in others if isinstance(other, Move)]
    shown = "by" not in event  # by the board: what a person says need not stand there
    after = replace(_reopen_match(advance_ply(match, move, known)), ready=match.ready or shown)
    return rebuild_clocks(after, {len(after.moves): _read_seconds(event, "clock")}, 0.0) if match.clocks else after


def _apply_takeback(match: Match, event: Mapping[str, object], where: str) -> Match:
    plies = int(str(event["plies"]))
    if plies > len(match.moves):
        raise InputError(f"record {where}: {plies} plies are taken back of {len(match.moves)}")
    before = rewind_plies(match, plies) if plies else withdraw_said(match)
    if before is None:
        raise InputError(f"record {where}: nothing was said of an end that could be taken back")
    after = align_clock_seat(rebuild_clocks(_reopen_match(before), {}, 0.0))
    return _apply_not_shown(after, event, where) if "by" in event else after


def _apply_position(match: Match, event: Mapping[str, object], _where: str) -> Match:
    _, position = from_json(event["position"], match.game)
    return _reopen_match(replace(set_position(match, position), ready=False))


def _apply_left(match: Match, event: Mapping[str, object], _where: str) -> Match:
    side, why = str(event["side"]), str(event.get("why"))
    end = leave_side_out(match.game, match.position, side, why)
    if isinstance(end, Outcome):
        return match
    spent = [seconds_to_flag(clock) for clock in match.clocks[-1:] if event.get("by") == "clock"]
    return replace(clear_side_time(let_side_leave(match, side, end, why, *spent), side), ready=False)


def _apply_result(match: Match, event: Mapping[str, object], _where: str) -> Match:
    if event["result"] == "*":  # by a correction: it had no end
        return replace(match, phase=Phase.ADJOURNED, note=Adjourned(float(str(event["t"]))), outcome=None)
    return replace(match, phase=Phase.OVER, note=None, outcome=Outcome(str(event["result"]), str(event["reason"])))


def _apply_paused(match: Match, event: Mapping[str, object], _where: str) -> Match:
    return replace(
        match, phase=Phase.PAUSED, note=Paused(float(str(event["t"]))), clocks=_set_turn_seconds(match, event)
    )


def _apply_time_lost(match: Match, event: Mapping[str, object], _where: str) -> Match:
    kind, before, now = (str(event[key]) for key in ("kind", "before", "now"))
    note = TimeLost(float(str(event["t"])), kind, _read_seconds(event, "seconds"), before, now)
    return replace(match, phase=Phase.PAUSED, note=note, clocks=_set_turn_seconds(match, event))


def _apply_time_counted(match: Match, event: Mapping[str, object], _where: str) -> Match:
    spent = sum(clock.spent_s for clock in match.clocks[-1:]) + _read_seconds(event, "seconds")
    return replace(match, clocks=_set_turn_seconds(match, {"spent": round(spent, 3)}))


def _apply_time_added(match: Match, event: Mapping[str, object], _where: str) -> Match:
    seat, seconds = match.game.seats.index(str(event["side"])), _read_seconds(event, "seconds")
    after = replace(match, clocks=tuple(add_seconds(clock, seat, seconds) for clock in match.clocks))
    return replace(after, clocks=_set_turn_seconds(after, event))


def _apply_adjourned(match: Match, event: Mapping[str, object], _where: str) -> Match:
    return replace(
        match, phase=Phase.ADJOURNED, note=Adjourned(float(str(event["t"]))), clocks=_set_turn_seconds(match, event)
    )


def _set_turn_seconds(match: Match, event: Mapping[str, object]) -> tuple[Clock, ...]:
    """The clocks, with what the turn had taken when it was interrupted."""
    now = [replace(clock, spent_s=_read_seconds(event, "spent")) for clock in match.clocks[-1:]]
    return (*match.clocks[:-1], *now)


def _read_seconds(event: Mapping[str, object], key: str) -> float:
    return float(str(event.get(key, 0.0)))


def _apply_resumed(match: Match, _event: Mapping[str, object], _where: str) -> Match:
    recalled = match.recalled or match.phase is Phase.ADJOURNED
    ready = match.ready and match.phase is Phase.PAUSED
    return replace(match, phase=Phase.SETUP, note=None, ready=ready, recalled=recalled)


def _apply_clocks_started(match: Match, _event: Mapping[str, object], _where: str) -> Match:
    return release_clocks(match)


def _apply_ready(match: Match, _event: Mapping[str, object], _where: str) -> Match:
    return replace(match, ready=True, recalled=False)


def _apply_not_shown(match: Match, _event: Mapping[str, object], _where: str) -> Match:
    """A person has said what the position is: it must stand on the board before play goes on."""
    return replace(match, ready=False)


def _reopen_match(match: Match) -> Match:
    return replace(match, phase=Phase.SETUP, outcome=None) if match.phase is Phase.OVER else match


FOLDS: Mapping[str, Callable[[Match, Mapping[str, object], str], Match]] = {
    "ready": _apply_ready,
    "clocks-started": _apply_clocks_started,
    "move": _apply_move,
    "takeback": _apply_takeback,
    "conflict": _apply_not_shown,
    "brought-back": _apply_not_shown,
    "position": _apply_position,
    "left": _apply_left,
    "result": _apply_result,
    "paused": _apply_paused,
    "time-lost": _apply_time_lost,
    "time-counted": _apply_time_counted,
    "time-added": _apply_time_added,
    "adjourned": _apply_adjourned,
    "resumed": _apply_resumed,
}
"""What each event does to the match; the others, that only tell, are not here. The phase is SETUP, OVER or a rest."""
