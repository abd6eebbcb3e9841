"""What people, or the clock, decided in a game besides its ordinary moves: also what was withdrawn or corrected later.

A game's moves and result are what counts in the end; an arbiter is asked what was said on the way, when and by whom.
server.saying has the words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine import games
from engine.match.clock import LONGEST_S
from engine.match.events import (
    Adjourned,
    BroughtBack,
    Conflict,
    Left,
    Moved,
    Paused,
    PositionSet,
    Result,
    Resumed,
    Takeback,
    TimeAdded,
    TimeCounted,
    TimeLost,
)
from server.record.event_fields import LONGEST_TEXT, StoredEvent
from server.saying import BY_HANDS, LEFT_KINDS, GameDecision

CLAIMED_DRAWS = frozenset({"repetition", "quiet-moves"})
"""Why a game is drawn that a player has claimed to be."""
SAID_ENDINGS = frozenset({"resigned", "time", "absence", "rules", "ruling", "unfinished"})
"""Why a game is over that people say is, without another event that tells it."""
CARRIED = frozenset({"computer", "mode", "details"})
"""Kinds of events that are written again at the beginning of the next game: nobody decides them there."""


@dataclass(frozen=True, slots=True)
class _Ply:
    """A ply that stands at this point of the record."""

    side: str
    number: int
    notation: str
    as_played: str
    was: str = ""
    """What stood in its place before people corrected it."""


def list_decisions(events: Sequence[StoredEvent]) -> list[GameDecision]:
    """What people or the clock decided, in order; none of a record that does not begin as a game does."""
    return _read_course(events).found


def find_corrected(events: Sequence[StoredEvent]) -> dict[int, str]:
    """Ply -> what it was before people corrected it, of those that stand."""
    return {ply: one.was for ply, one in enumerate(_read_course(events).plies, start=1) if one.was}


def _read_course(events: Sequence[StoredEvent]) -> _CourseReader:
    course = _CourseReader(events[0] if events else {})
    for event in events:
        course.take_event(event)
    return course


@dataclass(frozen=True, slots=True)
class _Correction:
    """A correction, whose events say again what was said of the plies after it."""

    act: object = None
    """When, and by whom; None for none."""
    before: tuple[_Ply, ...] = ()
    said: frozenset[object] = frozenset()
    ply: int = 0
    """The last one that it said again."""

    def has_part(self, event: StoredEvent) -> bool:
        """Whether an event belongs to it."""
        return self.act is not None and self.act == _time_and_who(event)


def _in_a_line(said: object) -> str:
    """A text of an event, which may have come from anybody."""
    return " ".join(str(said).split())[:LONGEST_TEXT]


def _time_and_who(event: StoredEvent) -> object:
    return event.get("t"), event.get("by")


class _CourseReader:
    """The game while its events are read. Mutable."""

    def __init__(self, first: StoredEvent) -> None:
        self.found: list[GameDecision] = []
        self.plies: list[_Ply] = []
        game, begun = str(first.get("game", "")), first.get("begun", "")
        self._seats = games.load(game, str(first.get("rules", "default"))).seats if game else ()
        self._date, self._clocked = str(begun), "clock" in first
        self._left: list[tuple[int, str, str]] = []
        self._result, self._mode, self._resting = "", "", ""
        self._lost_s = 0.0
        self._positions: list[object] = []
        self._correction = _Correction()
        self._begun = self._ended_by_left = False
        self._left_t: object = None  # when the last side left, until something else happens: its result follows

    def take_event(self, event: StoredEvent) -> None:
        """The next event of the record."""
        kind = str(event.get("event"))
        if kind == "mode":
            self._switch_mode(event)
        elif kind in TAKEN:
            TAKEN[kind](self, event)
        elif kind in TOLD_NOTES:
            self._add(kind, event, **{name: event[name] for name in TOLD_NOTES[kind] if name in event})
        self._begun = self._begun or kind not in {"begin", *CARRIED}
        if kind != Left.name:
            self._left_t = None
        if kind not in REPEATED:
            self._correction = _Correction()

    def _add(self, kind: str, event: StoredEvent, /, **values: object) -> None:
        ply = self.plies[-1] if self.plies else None
        t = event.get("t")
        self.found.append(
            GameDecision(
                kind,
                len(self.plies),
                ply.number if ply else 0,
                ply.side if ply else "",
                float(t) if isinstance(t, int | float) else None,
                self._date,
                _in_a_line(event.get("by") or ""),
                _in_a_line(event.get("account") or event.get("who") or ""),
                self._list_clock(event),
                {name: _in_a_line(value) if isinstance(value, str) else value for name, value in values.items()},
            )
        )

    def _list_clock(self, event: StoredEvent) -> dict[str, float]:
        """What the clocks had left, where the event says so: its time cannot be worked out from the plies before it."""
        said = event.get("clocks")
        told = said if isinstance(said, Mapping) else {}
        known = {side: told[side] for side in self._seats if isinstance(told.get(side), int | float)}
        return {side: float(left) for side, left in known.items() if abs(left) <= LONGEST_S}  # nor is NaN

    def take_move(self, event: StoredEvent) -> None:
        """A ply, in the place of those from its number on."""
        ply, side, notation = int(str(event["ply"])), str(event["side"]), str(event["notation"])
        fault = str(event.get("as_played") or "")
        old = self._find_corrected_ply(event, ply)
        if old is not None and old.notation != notation:
            self._add("corrected", event, number=old.number, side=old.side, was=old.notation, move=notation)
        del self.plies[ply - 1 :]
        self._left = [one for one in self._left if one[0] < ply]
        self._result, self._resting = "", ""
        number, was = (old.number, old.was or old.notation) if old else (self._next_number(side), "")
        self.plies.append(_Ply(side, number, notation, fault, was if was != notation else ""))
        if fault and (old is None or (old.notation, old.as_played) != (notation, fault)):
            self._add("as-played", event, move=notation, rule=fault)

    def _find_corrected_ply(self, event: StoredEvent, ply: int) -> _Ply | None:
        """What stood in the place of a ply that people correct, or say again because they correct one before it."""
        if "by" not in event or event.get("corrected") is not True:
            return None
        if not self._correction.has_part(event) or ply <= self._correction.ply:
            said = frozenset[object]({*self._left, self._result})
            self._correction = _Correction(_time_and_who(event), tuple(self.plies), said)
        self._correction = replace(self._correction, ply=ply)
        before = self._correction.before
        return before[ply - 1] if ply <= len(before) else None

    def _next_number(self, side: str) -> int:
        """A round ends when a seat comes up that has already moved in it."""
        if not self.plies:
            return 1
        last, order = self.plies[-1], {seat: column for column, seat in enumerate(self._seats)}
        return last.number + (order.get(side, 0) <= order.get(last.side, 0))

    def take_takeback(self, event: StoredEvent) -> None:
        """Plies, or what people had said of the end."""
        plies = int(str(event["plies"]))
        event = event if event.get("by") else {**event, "by": BY_HANDS}
        if plies:
            gone = self.plies[max(0, len(self.plies) - plies) :]
            moves = ", ".join(f"{one.number}. {one.notation}" for one in gone)
            self._add("taken-back", event, count=len(gone), moves=moves)
            del self.plies[len(self.plies) - len(gone) :]
            self._left = [one for one in self._left if one[0] <= len(self.plies)]
        elif self._result:
            self._add("result-withdrawn", event, result=self._result)
            del self._left[len(self._left) - self._ended_by_left :]
        elif self._left:
            self._add("left-withdrawn", event, side=self._left.pop()[1])
        self._result = ""

    def take_left(self, event: StoredEvent) -> None:
        """A side is out."""
        side, why = str(event["side"]), str(event.get("why"))
        said = len(self.plies), side, why
        self._left_t = event.get("t")
        self._left.append(said)
        if self._correction.has_part(event) and said in self._correction.said:
            return
        self._add(f"left-{why}" if why in LEFT_KINDS else "left", event, side=side, why=why)

    def take_result(self, event: StoredEvent) -> None:
        """The end of the game, where people or the clock say so: also one that another end comes to later."""
        result, why = str(event["result"]), str(event.get("reason"))
        of_left = self._left_t is not None and self._left_t == event.get("t")
        if self._correction.has_part(event) and result in self._correction.said:
            pass
        elif of_left:
            last = self.found[-1]
            reason = {} if why == last.values.get("why") else {"reason": why}
            self.found[-1] = replace(last, values={**last.values, "result": result, **reason})
        elif kind := self._name_result(event, result, why):
            was = {"was": self._result} if self._result else {}
            self._add(kind, event, result=result, why=why, **was)
        self._result, self._ended_by_left = "" if result == "*" else result, of_left

    def _name_result(self, event: StoredEvent, result: str, why: str) -> str:
        """The kind of decision that a result is, "" for an end that play came to."""
        if "by" not in event:
            return ""
        if result == "*":
            return "result-dropped" if self._result else "unfinished"
        if self._result:
            return "result-corrected" if result != self._result else "result-stands"
        if why in CLAIMED_DRAWS:
            return "draw-claimed"
        return "draw-agreed" if why == "agreement" else "result-said" if why in SAID_ENDINGS else ""

    def take_position(self, event: StoredEvent) -> None:
        """Another position."""
        said = event.get("position")
        if self._correction.has_part(event) and said in self._positions:
            return
        self._positions.append(said)
        self._add("position", event)
        self._left, self._result = [], ""

    def take_conflict(self, event: StoredEvent) -> None:
        """A ply that a correction has left unlawful, with those after it."""
        self._add("dropped", event, move=str(event.get("notation")), rule=str(event.get("code")))

    def take_brought_back(self, event: StoredEvent) -> None:
        """A correction is undone: what it had dropped was told again just before."""
        self._add(BroughtBack.name, event, count=event.get("plies"))

    def take_rest(self, event: StoredEvent) -> None:
        """A pause, or an adjournment; a pause in which no clock stands is nobody's business."""
        kind = str(event.get("event"))
        if kind == Adjourned.name or self._clocked:
            self._add(kind, event)
            self._resting = kind

    def take_resumed(self, event: StoredEvent) -> None:
        """The game goes on; time that was lost does not count if nobody has said that it does."""
        if self._lost_s:
            self._add("time-left-out", event, seconds=self._lost_s)
        elif self._resting:
            self._add(Resumed.name, event)
        self._lost_s, self._resting = 0.0, ""

    def take_time_lost(self, event: StoredEvent) -> None:
        """Time that no clock counted."""
        self._lost_s = float(str(event.get("seconds", 0.0)))
        self._add(TimeLost.name, event, seconds=self._lost_s, why=str(event.get("kind")))

    def take_time_counted(self, event: StoredEvent) -> None:
        """It counts."""
        self._add(TimeCounted.name, event, seconds=event.get("seconds"), side=event.get("side"))
        self._lost_s, self._resting = 0.0, ""

    def take_time_added(self, event: StoredEvent) -> None:
        """A clock was given time, or lost some."""
        seconds = event.get("seconds")
        said = {name: event.get(name) for name in ("side", "left")}
        if isinstance(seconds, int | float) and seconds < 0:
            self._add("time-taken", event, **said, seconds=-seconds)
        else:
            self._add(TimeAdded.name, event, **said, seconds=seconds)

    def _switch_mode(self, event: StoredEvent) -> None:
        mode = str(event.get("mode"))
        if self._begun and mode != self._mode:
            self._add("mode-tournament" if mode == "tournament" else "mode-training", event)
        self._mode = mode


REPEATED = frozenset({Moved.name, Left.name, Result.name, PositionSet.name, Conflict.name})
"""Kinds of the events that a correction consists of."""
TOLD_NOTES: Mapping[str, tuple[str, ...]] = {
    "draw-offered": (),
    "draw-declined": (),
    "claim-refused": ("side", "why"),
    "ruling": ("ruling", "kind"),
}
"""Notes that are decisions as they stand, and which of their fields are told."""
TAKEN: Mapping[str, Callable[[_CourseReader, StoredEvent], None]] = {
    Moved.name: _CourseReader.take_move,
    Takeback.name: _CourseReader.take_takeback,
    Left.name: _CourseReader.take_left,
    Result.name: _CourseReader.take_result,
    PositionSet.name: _CourseReader.take_position,
    Conflict.name: _CourseReader.take_conflict,
    Paused.name: _CourseReader.take_rest,
    Adjourned.name: _CourseReader.take_rest,
    Resumed.name: _CourseReader.take_resumed,
    TimeLost.name: _CourseReader.take_time_lost,
    TimeCounted.name: _CourseReader.take_time_counted,
    BroughtBack.name: _CourseReader.take_brought_back,
    TimeAdded.name: _CourseReader.take_time_added,
}
